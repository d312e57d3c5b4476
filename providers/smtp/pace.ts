// The sending rate: the configured rate, or the lower one learned from the relay's refusals (421,
// 454, 4.7.x). A refusal halves it; it recovers slowly.

/** Credit that can accumulate while idle: 50 ms of the rate, so that a pause causes no burst. */
const BURST_SECONDS = 0.05;
const LOWEST = 0.1;
/**
 * At low traffic the first refusal does not show the limit, so it counts as a refusal at this rate.
 */
const MIN_REFUSED = 20;
/** Refusals of concurrent messages count once. */
const CUT_EVERY = 1_000;
const QUIET_BEFORE_MORE = 3_000;
const MORE_PER_SECOND = 1.1;
/** A learned limit of more than this multiple of the highest rate ever sent is dropped. */
const FORGET_ABOVE = 4;

export class Pace {
  private readonly limit: number;
  private learnt = Number.POSITIVE_INFINITY;
  private fastest = 0;
  private credit = 1;
  private creditAt: number;
  private cutAt = Number.NEGATIVE_INFINITY;
  private moreAt = 0;

  /** `limit` in messages per second, 0 = none; times in milliseconds of a monotonic clock. */
  constructor(limit: number, now: number) {
    this.limit = limit > 0 ? limit : Number.POSITIVE_INFINITY;
    this.creditAt = now;
  }

  get allowed(): number {
    return Math.min(this.limit, this.learnt);
  }

  get isLimited(): boolean {
    return this.allowed !== Number.POSITIVE_INFINITY;
  }

  /** Whether a message may be sent now; if so, uses its credit. */
  take(now: number): boolean {
    if (!this.isLimited) {
      return true;
    }
    this.gather(now);
    if (this.credit < 1) {
      return false;
    }
    this.credit -= 1;
    return true;
  }

  /** Returns unused credit. */
  returnCredit(): void {
    this.credit += 1;
  }

  /** Milliseconds until a message may be sent. */
  wait(now: number): number {
    if (!this.isLimited) {
      return 0;
    }
    this.gather(now);
    return this.credit >= 1 ? 0 : Math.ceil(((1 - this.credit) * 1000) / this.allowed);
  }

  /** The relay throttles us. `current` is the recent rate per second. */
  refused(now: number, current: number): void {
    if (now - this.cutAt < CUT_EVERY) {
      return;
    }
    this.gather(now);
    this.cutAt = now;
    this.moreAt = now + QUIET_BEFORE_MORE;
    this.learnt = Math.max(LOWEST, Math.min(this.allowed, Math.max(current, MIN_REFUSED)) / 2);
    this.credit = Math.min(this.credit, 1);
  }

  /** Raises the learned rate a little; to be called periodically. */
  recover(now: number, current: number): void {
    this.fastest = Math.max(this.fastest, current);
    if (this.learnt === Number.POSITIVE_INFINITY || now < this.moreAt) {
      return;
    }
    this.gather(now);
    this.learnt *= MORE_PER_SECOND ** (Math.min(now - this.moreAt, 10_000) / 1_000);
    this.moreAt = now;
    if (this.learnt >= Math.min(this.limit, FORGET_ABOVE * Math.max(this.fastest, 25))) {
      this.learnt = Number.POSITIVE_INFINITY;
    }
  }

  private gather(now: number): void {
    const max = Math.max(1, this.allowed * BURST_SECONDS);
    const { allowed } = this;
    if (allowed !== Number.POSITIVE_INFINITY) {
      this.credit = Math.min(max, this.credit + ((now - this.creditAt) * allowed) / 1_000);
    } else {
      this.credit = 1;
    }
    this.creditAt = now;
  }
}
