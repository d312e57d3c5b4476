// A process's share of an allowance: drawn from PostgreSQL in slices, ahead of need, so that a
// limit holds over all sender processes and no send waits for a query.
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction } from '#platform/server/database/database.ts';
import { log } from '#platform/server/log.ts';
import {
  type AllowanceState,
  draw,
  withReturned,
  isLimited,
  learnedRate,
  type Limits,
  newState,
  currentRate,
  refused,
  SLOT_MS,
  type UnusedCapacity,
} from './allowance.ts';
import { lockAllowance, lockKnownAllowance, saveAllowance } from './allowances.sql.ts';
import { ReturnQueue } from './return-queue.ts';

/** Size of a slice, in seconds of the rate. */
const SLICE_SECONDS = 0.25;
const MAX_SLICE = 1_000;
/**
 * Unused hourly or daily capacity is returned after this time, since old draws must not be used
 * together with new ones. It exceeds the interval between a sender's polls, on a busy machine too:
 * otherwise capacity drawn in one poll would always have expired by the next.
 */
const LEASE_LIFE_MS = 5_000;
/** Minimum wait between draws: half of the burst accumulates in the meantime. */
const MIN_WAIT_MS = 50;
const MAX_WAIT_MS = 30_000;
/** Other processes return hourly or daily capacity without notice: this is the polling interval. */
const QUOTA_POLL_MS = 60_000;
const MIN_PER_SECOND = 0.001;

export class QuotaLease {
  readonly key: string;
  readonly limits: Limits;
  private readonly db: Db;
  private readonly onMore: () => void;
  private readonly demand: () => number;
  /** Whether it also draws from the reserve for urgent handoffs. */
  private readonly isUrgent: boolean;
  private tokens = 0;
  private drawnAt = 0;
  /** The slot in which `tokens` are counted, for hourly or daily limits. */
  private drawnIn: number | undefined;
  /**
   * Expired capacity that is still counted in its slots. It is returned with the next draw,
   * otherwise by a timer.
   */
  private readonly unused: UnusedCapacity[] = [];
  private oldTimer: NodeJS.Timeout | undefined;
  private drawing: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private state: AllowanceState;
  private retryAt = 0;
  /** End of the used-up hour or day; 0 if it is not used up. */
  private usedUpUntil = 0;
  private readonly returns = new ReturnQueue();
  /** Demand reported with the latest request for capacity. */
  private wanted = 0;
  private isClosed = false;

  /**
   * `more` runs when capacity returns, and when an hour or a day turns out to be used up; `demand`
   * returns how many could be sent now.
   */
  constructor(
    db: Db,
    key: string,
    limits: Limits,
    on: { more(): void; demand(): number },
    isUrgent = false,
  ) {
    this.db = db;
    this.key = key;
    this.limits = limits;
    this.onMore = () => on.more();
    this.demand = () => on.demand();
    this.isUrgent = isUrgent;
    this.state = newState(clock.now().getTime());
  }

  /** No limit and no learned rate: it may be dropped. */
  get isOver(): boolean {
    return (
      !isLimited(this.limits) &&
      learnedRate(this.state, clock.now().getTime()) === Number.POSITIVE_INFINITY
    );
  }

  /** Messages per second, without regard to quotas. */
  get perSecond(): number {
    return currentRate(this.state, this.limits, clock.now().getTime());
  }

  /** Milliseconds until there may be more; 0 if there is some, or a draw is in progress. */
  get waitMs(): number {
    if (this.tokens > 0 || this.drawing) return 0;
    return Math.max(0, this.retryAt - clock.now().getTime());
  }

  /** The same for a used-up hour or day; 0 if only the rate is limiting. */
  get quotaWaitMs(): number {
    return this.tokens > 0 ? 0 : Math.max(0, this.usedUpUntil - clock.now().getTime());
  }

  /** Takes `count` if at least one is available; the excess is subtracted from the next draw. */
  take(count = 1): boolean {
    this.dropOldCapacity();
    if (this.tokens < 1) {
      this.draw();
      return false;
    }
    this.tokens -= count;
    // The reserve is small, so no part of it is held here for email that other processes may need
    // to send.
    if (this.isShort && !this.isUrgent) this.draw();
    return true;
  }

  /** Milliseconds until the next deferred handoff may return: one after another at the rate. */
  queue(isUrgent: boolean): number {
    return this.returns.place(isUrgent, Math.max(this.perSecond, MIN_PER_SECOND), this.waitMs);
  }

  returnUnits(count = 1): void {
    this.tokens += count;
  }

  /** Takes more units for a handoff that began with one. */
  charge(count: number): void {
    this.tokens -= count;
  }

  /** Number of handoffs that may start now. `requested`: the number that could start otherwise. */
  available(requested?: number): number {
    this.dropOldCapacity();
    if (requested !== undefined) this.wanted = requested;
    if (this.tokens < 1) this.draw();
    return this.tokens;
  }

  /** Records a refusal that requests a lower rate; `current` is the recent rate per second. */
  async refused(current: number): Promise<void> {
    this.dropCapacity();
    const at = clock.now();
    this.state = refused(this.state, this.limits, current, at.getTime());
    await this.change((state, now) => refused(state, this.limits, current, now));
  }

  /** Applies the stored state: rates learned earlier and by other processes. */
  adopt(state: AllowanceState): void {
    this.state = state;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.timer);
    clearTimeout(this.oldTimer);
    await this.drawing;
    this.dropCapacity();
    await this.returnUnused();
  }

  /** Drops old capacity, so that none leaves later than its slot is counted. */
  private dropOldCapacity(): void {
    const now = clock.now().getTime();
    const isPaced = this.perSecond !== Number.POSITIVE_INFINITY;
    const isOld = now - this.drawnAt > LEASE_LIFE_MS;
    const isPast = this.drawnIn !== undefined && Math.floor(now / SLOT_MS) > this.drawnIn;
    if (isOld && (isPaced || this.drawnIn !== undefined)) {
      this.dropCapacity();
      this.wanted = 0;
    } else if (isPast) this.dropCapacity();
  }

  private dropCapacity(): void {
    // Capacity drawn in advance is subtracted from later draws.
    if (this.tokens < 0) return;
    if (this.drawnIn !== undefined && this.tokens > 0) {
      this.unused.push([this.drawnIn, this.tokens]);
      // Draw immediately: the next draw returns the expired capacity.
      this.retryAt = 0;
      this.usedUpUntil = 0;
    }
    this.tokens = 0;
  }

  /** Returns capacity without demand. */
  private watchOld(): void {
    clearTimeout(this.oldTimer);
    if (this.isClosed || (this.tokens === 0 && this.unused.length === 0)) return;
    this.oldTimer = setTimeout(() => {
      this.dropOldCapacity();
      this.watchOld();
      if (this.drawing || this.unused.length === 0) return;
      this.drawing = this.returnUnused().finally(() => {
        this.drawing = undefined;
        if (!this.isClosed) this.onMore();
      });
    }, LEASE_LIFE_MS + 100);
    this.oldTimer.unref();
  }

  private async returnUnused(): Promise<void> {
    if (this.unused.length === 0) return;
    try {
      await inTransaction(this.db, async (tx) => {
        const old = await lockKnownAllowance(tx, this.key);
        const unused = this.claimUnused();
        if (!old) return;
        this.state = withReturned(old, unused);
        if (this.state !== old) await saveAllowance(tx, this.key, this.state, clock.now());
      });
      // Leases that drew less than wanted may draw now.
      this.retryAt = 0;
      this.usedUpUntil = 0;
    } catch (error) {
      const facts = { key: this.key, error: (error as Error).message };
      log.warn('Could not return unused quota of a limit', facts);
    }
  }

  /**
   * Removes the expired capacity before it is returned, since it must be returned only once: a
   * commit whose reply is lost may have returned it, and a second return would exceed the limit.
   */
  private claimUnused(): UnusedCapacity[] {
    return this.unused.splice(0);
  }

  /**
   * Whether less is available than will be sent soon. Drawing more would accumulate capacity, and
   * lead to a burst hours later.
   */
  private get isShort(): boolean {
    return this.tokens < this.slice() / 2;
  }

  private slice(): number {
    const rate = this.perSecond;
    const maxSlice = rate === Number.POSITIVE_INFINITY ? MAX_SLICE : rate * SLICE_SECONDS;
    return Math.max(1, Math.min(MAX_SLICE, Math.ceil(maxSlice), this.needed()));
  }

  /** The demand: handoffs that have started or could start. */
  private needed(): number {
    return Math.max(this.wanted, this.demand());
  }

  private draw(): void {
    if (this.drawing || this.isClosed || clock.now().getTime() < this.retryAt) return;
    this.drawing = this.drawOnce(Math.max(1, this.slice() - this.tokens))
      .catch((error: Error) => {
        log.warn('Could not draw from the quota of a limit', {
          key: this.key,
          error: error.message,
        });
        this.again(1_000);
      })
      .finally(() => {
        this.drawing = undefined;
        if ((this.tokens > 0 || this.usedUpUntil > 0) && !this.isClosed) this.onMore();
      });
  }

  private async drawOnce(want: number): Promise<void> {
    // A retried transaction draws again: only its last draw counts.
    let granted = 0;
    let waitMs = 0;
    let drawnIn: number | undefined;
    let usedUpUntil = 0;
    await this.change((state, now) => {
      const before = withReturned(state, this.claimUnused());
      const drawn = draw(before, this.limits, want, now, this.isUrgent);
      ({ granted } = drawn);
      drawnIn = drawn.granted > 0 ? drawn.state.slots?.at(-1)?.[0] : this.drawnIn;
      waitMs = drawn.granted < want ? drawn.waitMs : 0;
      usedUpUntil = drawn.isQuota && drawn.granted < want ? now + waitMs : 0;
      return drawn.state;
    });
    if (drawnIn !== this.drawnIn) this.dropCapacity();
    this.drawnIn = drawnIn;
    this.tokens += granted;
    this.usedUpUntil = usedUpUntil;
    this.drawnAt = clock.now().getTime();
    if (drawnIn !== undefined) this.watchOld();
    if (waitMs > 0) this.again(waitMs);
  }

  private again(waitMs: number): void {
    const maxWaitMs = this.usedUpUntil > 0 ? QUOTA_POLL_MS : Number.POSITIVE_INFINITY;
    this.retryAt = clock.now().getTime() + Math.min(Math.max(MIN_WAIT_MS, waitMs), maxWaitMs);
    this.waitOn();
  }

  /** Timers may fire a moment early, and long waits are split: then the wait continues. */
  private waitOn(): void {
    clearTimeout(this.timer);
    if (this.isClosed) return;
    const wait = Math.max(1, this.retryAt - clock.now().getTime());
    this.timer = setTimeout(
      () => {
        if (clock.now().getTime() < this.retryAt) {
          this.waitOn();
          return;
        }
        if (this.isShort && this.needed() > 0) this.draw();
        else if (this.quotaWaitMs > 0) this.again(this.quotaWaitMs);
        this.onMore();
      },
      Math.min(wait, MAX_WAIT_MS),
    );
    this.timer.unref();
  }

  private async change(to: (state: AllowanceState, now: number) => AllowanceState): Promise<void> {
    await inTransaction(this.db, async (tx) => {
      const at = clock.now();
      const now = at.getTime();
      const old = await lockAllowance(tx, this.key, newState(now), at);
      this.state = to(old, now);
      if (this.state !== old) await saveAllowance(tx, this.key, this.state, at);
    });
  }
}
