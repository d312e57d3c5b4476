// The sending rate: the configured rate, or a lower rate learned from the relay's deferrals that
// concern all messages (421, 452, 454 and others, see classify.ts). Such a deferral sets the
// learned rate to half of the recent rate; it then recovers slowly.

/**
 * The credit that accumulates while idle is limited, so that no burst follows a pause. The limit is
 * the number of messages that the rate allows in 50 ms, but at least one.
 */
const BURST_SECONDS = 0.05;
const MIN_RATE = 0.1;
/**
 * At low traffic a refusal does not reveal the limit, so the recent rate is assumed to be at least
 * this.
 */
const MIN_REFUSED_RATE = 20;
/** Refusals of concurrent messages are treated as one. */
const MIN_CUT_INTERVAL_MS = 1_000;
const RECOVER_AFTER_MS = 3_000;
const GROWTH_PER_SECOND = 1.1;
/**
 * A learned rate no longer applies once it reaches the configured rate, or this multiple of the
 * highest rate observed so far. A highest rate below 25 per second counts as 25.
 */
const DROP_LIMIT_FACTOR = 4;

export class RelayPace {
  private readonly limit: number;
  private learnedRate = Number.POSITIVE_INFINITY;
  private highestRate = 0;
  private credit = 1;
  private creditAt: number;
  private cutAt = Number.NEGATIVE_INFINITY;
  private recoverFrom = 0;

  /** `limit` in messages per second, 0 = none; times in milliseconds of a monotonic clock. */
  constructor(limit: number, now: number) {
    this.limit = limit > 0 ? limit : Number.POSITIVE_INFINITY;
    this.creditAt = now;
  }

  get allowed(): number {
    return Math.min(this.limit, this.learnedRate);
  }

  get isLimited(): boolean {
    return this.allowed !== Number.POSITIVE_INFINITY;
  }

  /** Returns whether a message may be sent now; if so, uses its credit. */
  consumeCredit(now: number): boolean {
    if (!this.isLimited) {
      return true;
    }
    this.addCredit(now);
    if (this.credit < 1) {
      return false;
    }
    this.credit -= 1;
    return true;
  }

  /** Restores the credit of a message that was not sent. */
  returnCredit(): void {
    this.credit += 1;
  }

  /** Milliseconds until a message may be sent. */
  getWaitMs(now: number): number {
    if (!this.isLimited) {
      return 0;
    }
    this.addCredit(now);
    return this.credit >= 1 ? 0 : Math.ceil(((1 - this.credit) * 1000) / this.allowed);
  }

  /** Slows down because the relay throttles us. `currentRate` is the recent rate per second. */
  slowDown(now: number, currentRate: number): void {
    if (now - this.cutAt < MIN_CUT_INTERVAL_MS) {
      return;
    }
    this.addCredit(now);
    this.cutAt = now;
    this.recoverFrom = now + RECOVER_AFTER_MS;
    this.learnedRate = Math.max(
      MIN_RATE,
      Math.min(this.allowed, Math.max(currentRate, MIN_REFUSED_RATE)) / 2,
    );
    this.credit = Math.min(this.credit, 1);
  }

  /** Raises the learned rate a little; to be called periodically. */
  recover(now: number, currentRate: number): void {
    this.highestRate = Math.max(this.highestRate, currentRate);
    if (this.learnedRate === Number.POSITIVE_INFINITY || now < this.recoverFrom) {
      return;
    }
    this.addCredit(now);
    this.learnedRate *= GROWTH_PER_SECOND ** (Math.min(now - this.recoverFrom, 10_000) / 1_000);
    this.recoverFrom = now;
    if (
      this.learnedRate >= Math.min(this.limit, DROP_LIMIT_FACTOR * Math.max(this.highestRate, 25))
    ) {
      this.learnedRate = Number.POSITIVE_INFINITY;
    }
  }

  private addCredit(now: number): void {
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
