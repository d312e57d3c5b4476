// A process's share of an allowance: drawn from PostgreSQL in slices, ahead of need, so that a limit
// holds over all sender processes and yet nothing waits for a query.
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction } from '#platform/server/database.ts';
import { log } from '#platform/server/log.ts';
import {
  type AllowanceState,
  draw,
  isLimited,
  learntRate,
  type Limits,
  newState,
  rateOf,
  refused,
} from './allowance.ts';
import { lockAllowance, saveAllowance } from './allowances.sql.ts';

/** A slice is so much of the pace. */
const SLICE_SECONDS = 0.25;
const MOST_SLICE = 1_000;
/**
 * What was drawn long ago must not leave beside what is drawn anew. Longer than a sender's looks are
 * apart, on a busy machine too: else what one look asked for is gone at the next, for ever.
 */
const STOCK_LIFE_MS = 5_000;
/** So seldom at most: half of what may leave at once gathers meanwhile. */
const LEAST_WAIT_MS = 50;
const MOST_WAIT_MS = 30_000;
const LEAST_PER_SECOND = 0.001;

export class Stock {
  readonly key: string;
  readonly limits: Limits;
  private readonly db: Db;
  private readonly onMore: () => void;
  private readonly demand: () => number;
  private tokens = 0;
  private drawnAt = 0;
  private drawing: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private state: AllowanceState;
  private retryAt = 0;
  private isUsedUp = false;
  private queuedTo = 0;
  /** As the last one said who asked for room. */
  private wanted = 0;
  private isClosed = false;

  /** `onMore` hears when there is something again; `demand` says how many could leave now. */
  constructor(db: Db, key: string, limits: Limits, on: { more(): void; demand(): number }) {
    this.db = db;
    this.key = key;
    this.limits = limits;
    this.onMore = () => on.more();
    this.demand = () => on.demand();
    this.state = newState(clock.now().getTime());
  }

  /** Nothing is said and nothing was learnt: it may be let go of. */
  get isOver(): boolean {
    return (
      !isLimited(this.limits) &&
      learntRate(this.state, clock.now().getTime()) === Number.POSITIVE_INFINITY
    );
  }

  /** Messages a second, quotas aside. */
  get perSecond(): number {
    return rateOf(this.state, this.limits, clock.now().getTime());
  }

  /** Milliseconds until there may be more; 0 where there is some, or it is on its way. */
  get waitMs(): number {
    if (this.tokens > 0 || this.drawing) return 0;
    return Math.max(0, this.retryAt - clock.now().getTime());
  }

  /** The same where the hour or the day is used up; 0 where it is only the pace. */
  get quotaWaitMs(): number {
    return this.isUsedUp ? this.waitMs : 0;
  }

  /** Takes one, if there is one. */
  take(): boolean {
    this.forgetOld();
    if (this.tokens < 1) {
      this.draw();
      return false;
    }
    this.tokens--;
    if (this.tokens < this.slice() / 2) this.draw();
    return true;
  }

  /** Milliseconds until the next one that has to come back may: one behind the other at the pace. */
  queue(): number {
    const now = clock.now().getTime();
    const apart = Math.ceil(1_000 / Math.max(this.perSecond, LEAST_PER_SECOND));
    this.queuedTo = Math.max(this.queuedTo, now + this.waitMs) + apart;
    return this.queuedTo - now;
  }

  giveBack(): void {
    this.tokens++;
  }

  /** How many could be taken now. `wanted`: so many would be begun if they could. */
  room(wanted?: number): number {
    this.forgetOld();
    if (wanted !== undefined) this.wanted = wanted;
    if (this.tokens < 1) this.draw();
    return this.tokens;
  }

  /** A refusal wanted it slower; `current` is what left a second of late. */
  async refused(current: number): Promise<void> {
    this.tokens = 0;
    const at = clock.now();
    this.state = refused(this.state, this.limits, current, at.getTime());
    await this.change((state, now) => refused(state, this.limits, current, now));
  }

  /** What the database has of it: lessons of other processes and of before. */
  adopt(state: AllowanceState): void {
    this.state = state;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.timer);
    await this.drawing;
  }

  private forgetOld(): void {
    const isPaced = this.perSecond !== Number.POSITIVE_INFINITY;
    if (!isPaced || clock.now().getTime() - this.drawnAt <= STOCK_LIFE_MS) return;
    this.tokens = 0;
    this.wanted = 0;
  }

  private slice(): number {
    const rate = this.perSecond;
    const most = rate === Number.POSITIVE_INFINITY ? MOST_SLICE : rate * SLICE_SECONDS;
    return Math.max(1, Math.min(MOST_SLICE, Math.ceil(most), this.needed()));
  }

  /** By those that have begun, or would begin. */
  private needed(): number {
    return Math.max(this.wanted, this.demand());
  }

  private draw(): void {
    if (this.drawing || this.isClosed || clock.now().getTime() < this.retryAt) return;
    this.drawing = this.drawOnce(this.slice())
      .catch((error: Error) => {
        log.warn('A limit could not be read', { key: this.key, error: error.message });
        this.again(1_000);
      })
      .finally(() => {
        this.drawing = undefined;
        if (this.tokens > 0 && !this.isClosed) this.onMore();
      });
  }

  private async drawOnce(want: number): Promise<void> {
    // A transaction that is tried again draws anew: only what the last one drew counts.
    let given = 0;
    let waitMs = 0;
    await this.change((state, now) => {
      const drawn = draw(state, this.limits, want, now);
      ({ given } = drawn);
      waitMs = drawn.given < want ? drawn.waitMs : 0;
      this.isUsedUp = drawn.isQuota && drawn.given < want;
      return drawn.state;
    });
    this.tokens += given;
    this.drawnAt = clock.now().getTime();
    if (waitMs > 0) this.again(waitMs);
  }

  private again(waitMs: number): void {
    this.retryAt = clock.now().getTime() + Math.max(LEAST_WAIT_MS, waitMs);
    this.waitOn();
  }

  /** Timers may come a moment early, and long waits are waited for in parts: then it goes on waiting. */
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
        if (this.needed() > 0) this.draw();
        this.onMore();
      },
      Math.min(wait, MOST_WAIT_MS),
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
