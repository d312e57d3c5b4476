// The part of an allowance that one process has drawn. It is drawn from PostgreSQL in slices and in
// advance, so that a limit applies to all sender processes together and no send waits for a query.
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction } from '#platform/server/database/database.ts';
import { log } from '#platform/server/log.ts';
import {
  type AllowanceState,
  acquireFrom,
  returnUnused,
  isLimited,
  findLearnedRate,
  type RateLimits,
  createState,
  computeCurrentRate,
  lowerRate,
  SLOT_MS,
  type UnusedCapacity,
} from './allowance.ts';
import { lockAllowance, lockKnownAllowance, saveAllowance } from './allowances.sql.ts';
import { ReturnQueue } from './return-queue.ts';

/** Size of a slice, in seconds of the rate. */
const SLICE_SECONDS = 0.25;
const MAX_SLICE = 1_000;
/**
 * Capacity that is unused for this time expires: used together with a later draw, it would exceed
 * the rate. Expired capacity of hourly and daily limits is returned to them. The time exceeds the
 * interval between a sender's polls, even on a busy machine: otherwise capacity drawn in one poll
 * would always have expired by the next.
 */
const LEASE_LIFE_MS = 5_000;
/** Minimum wait between draws, in which half of the maximum burst accumulates. */
const MIN_WAIT_MS = 50;
/** Maximum delay of one timer; longer waits use several. */
const MAX_WAIT_MS = 30_000;
/**
 * Polling interval while a quota is used up: other processes return capacity without notice.
 */
const QUOTA_POLL_MS = 60_000;
const MIN_PER_SECOND = 0.001;

export class QuotaLease {
  readonly key: string;
  readonly limits: RateLimits;
  private readonly db: Db;
  private readonly onCapacity: () => void;
  private readonly countDemand: () => number;
  /** Whether this lease also draws from the reserve of quotas. */
  private readonly isUrgent: boolean;
  /** Units that may be used now; negative if more were used than drawn. */
  private tokens = 0;
  private drawnAt = 0;
  /** The slot in which the hourly and daily limits count `tokens`. */
  private drawnSlot: number | undefined;
  /**
   * Expired capacity that is still counted in its slots. It is returned with the next draw, or by
   * `expiryTimer`.
   */
  private readonly unused: UnusedCapacity[] = [];
  private expiryTimer: NodeJS.Timeout | undefined;
  private pendingDraw: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private state: AllowanceState;
  private retryAt = 0;
  /** When a used-up hourly or daily limit recovers; 0 if none is used up. */
  private usedUpUntil = 0;
  private readonly returnQueue = new ReturnQueue();
  /** The value of `requested` in the latest call of `getAvailable` that has one. */
  private requestedCount = 0;
  private isClosed = false;

  /**
   * `onCapacity` runs when there is capacity again, and when an hourly or daily limit turns out to
   * be used up; `countDemand` returns how many units could be used now.
   */
  constructor(
    db: Db,
    key: string,
    limits: RateLimits,
    callbacks: { onCapacity(): void; countDemand(): number },
    isUrgent = false,
  ) {
    this.db = db;
    this.key = key;
    this.limits = limits;
    this.onCapacity = () => callbacks.onCapacity();
    this.countDemand = () => callbacks.countDemand();
    this.isUrgent = isUrgent;
    this.state = createState(clock.now().getTime());
  }

  /** Whether there is neither a limit nor a learned rate, so that the lease may be dropped. */
  get isUnlimited(): boolean {
    return (
      !isLimited(this.limits) &&
      findLearnedRate(this.state, clock.now().getTime()) === Number.POSITIVE_INFINITY
    );
  }

  /** Units per second that may be used now, regardless of quotas. */
  get perSecond(): number {
    return computeCurrentRate(this.state, this.limits, clock.now().getTime());
  }

  /** Milliseconds until there may be capacity; 0 if there is some, or a draw is in progress. */
  get waitMs(): number {
    if (this.tokens > 0 || this.pendingDraw) return 0;
    return Math.max(0, this.retryAt - clock.now().getTime());
  }

  /** Milliseconds until a used-up hourly or daily limit recovers; 0 if none is used up. */
  get quotaWaitMs(): number {
    return this.tokens > 0 ? 0 : Math.max(0, this.usedUpUntil - clock.now().getTime());
  }

  /** Takes `count` units if at least one is available; the next draw makes up for missing ones. */
  take(count = 1): boolean {
    this.dropOldCapacity();
    if (this.tokens < 1) {
      this.draw();
      return false;
    }
    this.tokens -= count;
    // Nothing is drawn from the reserve in advance: it is small, and other processes may need it.
    if (this.isShort && !this.isUrgent) this.draw();
    return true;
  }

  /**
   * Returns the milliseconds until a held handoff may be retried. Held handoffs are retried one
   * after another, at the current rate.
   */
  scheduleReturn(isUrgent: boolean): number {
    return this.returnQueue.schedule(
      isUrgent,
      Math.max(this.perSecond, MIN_PER_SECOND),
      this.waitMs,
    );
  }

  returnUnits(count = 1): void {
    this.tokens += count;
  }

  /** Takes further units for a handoff that already has one. */
  charge(count: number): void {
    this.tokens -= count;
  }

  /**
   * Returns how many units can be taken now. `requested` is the number that the caller could use.
   */
  getAvailable(requested?: number): number {
    this.dropOldCapacity();
    if (requested !== undefined) this.requestedCount = requested;
    if (this.tokens < 1) this.draw();
    return this.tokens;
  }

  /** Lowers the rate after a refusal that requested it; `current` is the recent rate per second. */
  async applyRefusal(current: number): Promise<void> {
    this.dropCapacity();
    const at = clock.now();
    this.state = lowerRate(this.state, this.limits, current, at.getTime());
    await this.updateState((state, now) => lowerRate(state, this.limits, current, now));
  }

  /** Adopts a stored state, with rates learned earlier or by other processes. */
  adopt(state: AllowanceState): void {
    this.state = state;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.timer);
    clearTimeout(this.expiryTimer);
    await this.pendingDraw;
    this.dropCapacity();
    await this.returnUnused();
  }

  /**
   * Drops expired capacity, and capacity of a past slot, so that sends are counted in their own
   * slot.
   */
  private dropOldCapacity(): void {
    const now = clock.now().getTime();
    const isPaced = this.perSecond !== Number.POSITIVE_INFINITY;
    const isOld = now - this.drawnAt > LEASE_LIFE_MS;
    const isPast = this.drawnSlot !== undefined && Math.floor(now / SLOT_MS) > this.drawnSlot;
    if (isOld && (isPaced || this.drawnSlot !== undefined)) {
      this.dropCapacity();
      this.requestedCount = 0;
    } else if (isPast) this.dropCapacity();
  }

  private dropCapacity(): void {
    // Units that were used without a draw are still to be drawn.
    if (this.tokens < 0) return;
    if (this.drawnSlot !== undefined && this.tokens > 0) {
      this.unused.push([this.drawnSlot, this.tokens]);
      // Allows an immediate draw, which also returns unused capacity.
      this.retryAt = 0;
      this.usedUpUntil = 0;
    }
    this.tokens = 0;
  }

  /** Starts the timer that returns unused capacity once it has expired. */
  private watchExpiry(): void {
    clearTimeout(this.expiryTimer);
    if (this.isClosed || (this.tokens === 0 && this.unused.length === 0)) return;
    this.expiryTimer = setTimeout(() => {
      this.dropOldCapacity();
      this.watchExpiry();
      if (this.pendingDraw || this.unused.length === 0) return;
      this.pendingDraw = this.returnUnused().finally(() => {
        this.pendingDraw = undefined;
        if (!this.isClosed) this.onCapacity();
      });
    }, LEASE_LIFE_MS + 100);
    this.expiryTimer.unref();
  }

  private async returnUnused(): Promise<void> {
    if (this.unused.length === 0) return;
    try {
      await inTransaction(this.db, async (tx) => {
        const previousState = await lockKnownAllowance(tx, this.key);
        const unusedCapacity = this.claimUnused();
        if (!previousState) return;
        this.state = returnUnused(previousState, unusedCapacity);
        if (this.state !== previousState)
          await saveAllowance(tx, this.key, this.state, clock.now());
      });
      // If this lease drew less than it wanted, it may draw again now.
      this.retryAt = 0;
      this.usedUpUntil = 0;
    } catch (error) {
      const logFields = { key: this.key, error: (error as Error).message };
      log.warn('Could not return unused quota', logFields);
    }
  }

  /**
   * Removes the unused capacity from this lease before the transaction that returns it commits. If
   * the reply to the commit is lost, the capacity may have been returned nevertheless, and a second
   * return would allow more sends than the limit.
   */
  private claimUnused(): UnusedCapacity[] {
    return this.unused.splice(0);
  }

  /**
   * Whether less than half of a slice is available. Drawing earlier would accumulate capacity and
   * lead to a burst hours later.
   */
  private get isShort(): boolean {
    return this.tokens < this.computeSliceSize() / 2;
  }

  private computeSliceSize(): number {
    const rate = this.perSecond;
    const maxSlice = rate === Number.POSITIVE_INFINITY ? MAX_SLICE : rate * SLICE_SECONDS;
    return Math.max(1, Math.min(MAX_SLICE, Math.ceil(maxSlice), this.countNeeded()));
  }

  /** Returns how many units could be used now. */
  private countNeeded(): number {
    return Math.max(this.requestedCount, this.countDemand());
  }

  private draw(): void {
    if (this.pendingDraw || this.isClosed || clock.now().getTime() < this.retryAt) return;
    this.pendingDraw = this.drawOnce(Math.max(1, this.computeSliceSize() - this.tokens))
      .catch((error: Error) => {
        log.warn('Could not draw quota', {
          key: this.key,
          reason: error.message,
        });
        this.drawAgainIn(1_000);
      })
      .finally(() => {
        this.pendingDraw = undefined;
        if ((this.tokens > 0 || this.usedUpUntil > 0) && !this.isClosed) this.onCapacity();
      });
  }

  private async drawOnce(want: number): Promise<void> {
    // The transaction may be retried, so these are overwritten by its last run.
    let grantedCount = 0;
    let waitMs = 0;
    let drawnSlot: number | undefined;
    let usedUpUntil = 0;
    await this.updateState((state, now) => {
      const stateBefore = returnUnused(state, this.claimUnused());
      const acquired = acquireFrom(stateBefore, this.limits, want, now, this.isUrgent);
      ({ granted: grantedCount } = acquired);
      drawnSlot = acquired.granted > 0 ? acquired.state.slots?.at(-1)?.[0] : this.drawnSlot;
      waitMs = acquired.granted < want ? acquired.waitMs : 0;
      usedUpUntil = acquired.isQuota && acquired.granted < want ? now + waitMs : 0;
      return acquired.state;
    });
    if (drawnSlot !== this.drawnSlot) this.dropCapacity();
    this.drawnSlot = drawnSlot;
    this.tokens += grantedCount;
    this.usedUpUntil = usedUpUntil;
    this.drawnAt = clock.now().getTime();
    if (drawnSlot !== undefined) this.watchExpiry();
    if (waitMs > 0) this.drawAgainIn(waitMs);
  }

  private drawAgainIn(waitMs: number): void {
    const maxWaitMs = this.usedUpUntil > 0 ? QUOTA_POLL_MS : Number.POSITIVE_INFINITY;
    this.retryAt = clock.now().getTime() + Math.min(Math.max(MIN_WAIT_MS, waitMs), maxWaitMs);
    this.scheduleDraw();
  }

  /** Waits until `retryAt`. Timers may fire a moment early, and long waits use several. */
  private scheduleDraw(): void {
    clearTimeout(this.timer);
    if (this.isClosed) return;
    const wait = Math.max(1, this.retryAt - clock.now().getTime());
    this.timer = setTimeout(
      () => {
        if (clock.now().getTime() < this.retryAt) {
          this.scheduleDraw();
          return;
        }
        if (this.isShort && this.countNeeded() > 0) this.draw();
        else if (this.quotaWaitMs > 0) this.drawAgainIn(this.quotaWaitMs);
        this.onCapacity();
      },
      Math.min(wait, MAX_WAIT_MS),
    );
    this.timer.unref();
  }

  private async updateState(
    transform: (state: AllowanceState, now: number) => AllowanceState,
  ): Promise<void> {
    await inTransaction(this.db, async (tx) => {
      const at = clock.now();
      const now = at.getTime();
      const previousState = await lockAllowance(tx, this.key, createState(now), at);
      this.state = transform(previousState, now);
      if (this.state !== previousState) await saveAllowance(tx, this.key, this.state, at);
    });
  }
}
