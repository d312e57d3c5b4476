// A process's share of an allowance: drawn from PostgreSQL in slices, ahead of need, so that a limit
// holds over all sender processes and yet nothing waits for a query.
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction } from '#platform/server/database.ts';
import { log } from '#platform/server/log.ts';
import {
  type AllowanceState,
  draw,
  givenBack,
  isLimited,
  learntRate,
  type Limits,
  newState,
  rateOf,
  refused,
  SLOT_MS,
  type Unused,
} from './allowance.ts';
import { lockAllowance, lockKnownAllowance, saveAllowance } from './allowances.sql.ts';
import { ReturnQueue } from './return-queue.ts';

/** A slice is so much of the pace. */
const SLICE_SECONDS = 0.25;
const MOST_SLICE = 1_000;
/**
 * What was drawn long ago must not leave beside what is drawn anew: of an hour's or a day's it is given back,
 * to whoever needs it. Longer than a sender's looks are apart, on a busy machine too: else what one look asked
 * for is gone at the next, for ever.
 */
const LEASE_LIFE_MS = 5_000;
/** So seldom at most: half of what may leave at once gathers meanwhile. */
const LEAST_WAIT_MS = 50;
const MOST_WAIT_MS = 30_000;
/** What another process gives back of an hour or a day comes unannounced: it is looked for so often. */
const QUOTA_LOOK_MS = 60_000;
const LEAST_PER_SECOND = 0.001;

export class QuotaLease {
  readonly key: string;
  readonly limits: Limits;
  private readonly db: Db;
  private readonly onMore: () => void;
  private readonly demand: () => number;
  /** Of what is kept for urgent hand-overs, too. */
  private readonly isUrgent: boolean;
  private tokens = 0;
  private drawnAt = 0;
  /** The slot that `tokens` are counted in, where an hour or a day is limited. */
  private drawnIn: number | undefined;
  /** Counted in their slots still: given back with the next draw, or soon by itself. */
  private readonly unused: Unused[] = [];
  private oldTimer: NodeJS.Timeout | undefined;
  private drawing: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  private state: AllowanceState;
  private retryAt = 0;
  /** The hour or the day is used up until then; 0: it is not. */
  private usedUpUntil = 0;
  private readonly returns = new ReturnQueue();
  /** As the last one said who asked for room. */
  private wanted = 0;
  private isClosed = false;

  /**
   * `more` hears when there is something again, and when an hour or a day turned out to be used up; `demand`
   * says how many could leave now.
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
    return this.tokens > 0 ? 0 : Math.max(0, this.usedUpUntil - clock.now().getTime());
  }

  /** Takes so many if there is one: what is more than there is comes off what is drawn next. */
  take(count = 1): boolean {
    this.forgetOld();
    if (this.tokens < 1) {
      this.draw();
      return false;
    }
    this.tokens -= count;
    // Of what is kept there is little: none of it waits here for mails that may come elsewhere.
    if (this.isShort && !this.isUrgent) this.draw();
    return true;
  }

  /** Milliseconds until the next one that has to come back may: one behind the other at the pace. */
  queue(isUrgent: boolean): number {
    return this.returns.place(isUrgent, Math.max(this.perSecond, LEAST_PER_SECOND), this.waitMs);
  }

  giveBack(count = 1): void {
    this.tokens += count;
  }

  /** Takes as many more of what was begun with one. */
  charge(count: number): void {
    this.tokens -= count;
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
    this.forget();
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
    clearTimeout(this.oldTimer);
    await this.drawing;
    this.forget();
    await this.giveBackUnused();
  }

  /** None leaves later than its slot is counted. */
  private forgetOld(): void {
    const now = clock.now().getTime();
    const isPaced = this.perSecond !== Number.POSITIVE_INFINITY;
    const isOld = now - this.drawnAt > LEASE_LIFE_MS;
    const isPast = this.drawnIn !== undefined && Math.floor(now / SLOT_MS) > this.drawnIn;
    if (isOld && (isPaced || this.drawnIn !== undefined)) {
      this.forget();
      this.wanted = 0;
    } else if (isPast) this.forget();
  }

  private forget(): void {
    // What was taken ahead stays owed.
    if (this.tokens < 0) return;
    if (this.drawnIn !== undefined && this.tokens > 0) {
      this.unused.push([this.drawnIn, this.tokens]);
      // It comes back with the next draw.
      this.retryAt = 0;
      this.usedUpUntil = 0;
    }
    this.tokens = 0;
  }

  /** Gives back what nobody asks for any more. */
  private watchOld(): void {
    clearTimeout(this.oldTimer);
    if (this.isClosed || (this.tokens === 0 && this.unused.length === 0)) return;
    this.oldTimer = setTimeout(() => {
      this.forgetOld();
      this.watchOld();
      if (this.drawing || this.unused.length === 0) return;
      this.drawing = this.giveBackUnused().finally(() => {
        this.drawing = undefined;
        if (!this.isClosed) this.onMore();
      });
    }, LEASE_LIFE_MS + 100);
    this.oldTimer.unref();
  }

  private async giveBackUnused(): Promise<void> {
    if (this.unused.length === 0) return;
    try {
      await inTransaction(this.db, async (tx) => {
        const old = await lockKnownAllowance(tx, this.key);
        const unused = this.takeUnused();
        if (!old) return;
        this.state = givenBack(old, unused);
        if (this.state !== old) await saveAllowance(tx, this.key, this.state, clock.now());
      });
      // Whoever drew less than was wanted meanwhile may draw now.
      this.retryAt = 0;
      this.usedUpUntil = 0;
    } catch (error) {
      const facts = { key: this.key, error: (error as Error).message };
      log.warn('Could not return unused quota of a limit', facts);
    }
  }

  /** Once: a commit whose answer is lost may have given it back, and twice would be more than was allowed. */
  private takeUnused(): Unused[] {
    return this.unused.splice(0);
  }

  /** Less is at hand than leaves soon. Drawing beyond that would gather what leaves at once, hours later. */
  private get isShort(): boolean {
    return this.tokens < this.slice() / 2;
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
    this.drawing = this.drawOnce(Math.max(1, this.slice() - this.tokens))
      .catch((error: Error) => {
        log.warn('Could not read a limit', { key: this.key, error: error.message });
        this.again(1_000);
      })
      .finally(() => {
        this.drawing = undefined;
        if ((this.tokens > 0 || this.usedUpUntil > 0) && !this.isClosed) this.onMore();
      });
  }

  private async drawOnce(want: number): Promise<void> {
    // A transaction that is tried again draws anew: only what the last one drew counts.
    let given = 0;
    let waitMs = 0;
    let drawnIn: number | undefined;
    let usedUpUntil = 0;
    await this.change((state, now) => {
      const before = givenBack(state, this.takeUnused());
      const drawn = draw(before, this.limits, want, now, this.isUrgent);
      ({ given } = drawn);
      drawnIn = drawn.given > 0 ? drawn.state.slots?.at(-1)?.[0] : this.drawnIn;
      waitMs = drawn.given < want ? drawn.waitMs : 0;
      usedUpUntil = drawn.isQuota && drawn.given < want ? now + waitMs : 0;
      return drawn.state;
    });
    if (drawnIn !== this.drawnIn) this.forget();
    this.drawnIn = drawnIn;
    this.tokens += given;
    this.usedUpUntil = usedUpUntil;
    this.drawnAt = clock.now().getTime();
    if (drawnIn !== undefined) this.watchOld();
    if (waitMs > 0) this.again(waitMs);
  }

  private again(waitMs: number): void {
    const most = this.usedUpUntil > 0 ? QUOTA_LOOK_MS : Number.POSITIVE_INFINITY;
    this.retryAt = clock.now().getTime() + Math.min(Math.max(LEAST_WAIT_MS, waitMs), most);
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
        if (this.isShort && this.needed() > 0) this.draw();
        else if (this.quotaWaitMs > 0) this.again(this.quotaWaitMs);
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
