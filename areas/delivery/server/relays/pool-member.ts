// One relay of a pool: what it may take (of all, and for each mailbox provider), whom it refuses, and how
// it is doing.
import { clock } from '#platform/server/clock.ts';
import type { Db } from '#platform/server/database.ts';
import { log } from '#platform/server/log.ts';
import { type AllowanceState, isLimited, keepsSome, learntRate, type Limits } from './allowance.ts';
import { USED_UP } from './local-deferrals.ts';
import {
  type Answer,
  type BaseHandOver,
  type Outcome,
  type Relay,
  type RelayReport,
  type RelayState,
  type Source,
  waitOf,
} from './provider.ts';
import { paceKeyOf, type PooledWay } from './pooled-relay.ts';
import { ReturnQueue } from './return-queue.ts';
import { QuotaLease } from './quota-lease.ts';

/** The pool, as a relay of it sees it. */
export interface MemberOwner<H extends BaseHandOver> {
  /** How many it could be given, or would be asked for to see whether it is back. */
  readyFor(member: PoolMember<H>, isOnlyKept: boolean): number;
  /** How many there are for it to take. */
  waitingFor(member: PoolMember<H>, isOnlyKept: boolean): number;
  nextFor(member: PoolMember<H>, isOnlyKept: boolean): H | null;
  answered(member: PoolMember<H>, handOver: H, answer: Answer): void;
  /** It got one. */
  given(member: PoolMember<H>): void;
  /** It came, went (then with its state), used its hour up, has some of it again. */
  changed(member: PoolMember<H>, state?: RelayState): void;
  /** It has room again for a mailbox provider, or a domain. */
  more(pace: string): void;
}

/** A quota that comes back so soon is waited for without a word. */
const SHORT_WAIT_MS = 2_000;
/** What may leave so soon stays at hand. */
const SOON_MS = 1_000;
/** A relay that refused a sender is not asked for it again so long. */
const REFUSES_FOR_MS = 300_000;
/** Refusals by so many providers within so short a time are the relay's own. */
const DOMAINS_OF_RELAY = 3;
const TOGETHER_MS = 10_000;
const STILL_MS = 500;
/** What is held comes back so slowly at least where only the relay's own speed is known. */
const LEAST_RETURNS_PER_SECOND = 1;
const MOST_PACES = 5_000;
/** A relay that takes mails is said to be well so often. */
const WELL_EVERY_MS = 60_000;

/** What its pace is kept under. */
const paceOf = (handOver: BaseHandOver) => paceKeyOf(handOver.pace ?? handOver.to);
const costOf = (handOver: BaseHandOver) => handOver.cost ?? 1;

export class PoolMember<H extends BaseHandOver> implements Source<H> {
  readonly relay: Relay;
  readonly priority: number;
  isActive = false;
  private readonly settings: PooledWay<H>;
  private readonly db: Db;
  private readonly pool: MemberOwner<H>;
  private readonly lease: QuotaLease | undefined;
  /** Of its hour and its day, what is kept for mails that somebody waits for: drawn where the rest is used up. */
  private readonly reserve: QuotaLease | undefined;
  /** By provider or domain: those that are limited, and those that want it slower. */
  private readonly paces = new Map<string, QuotaLease>();
  private readonly refusing = new Map<string, { until: number; answer: Answer }>();
  private readonly returns = new ReturnQueue();
  private slowed: { pace: string; at: number }[] = [];
  /** It waits until others have had their share. */
  isBlocked = false;
  private count = 0;
  private readonly answers: Record<Outcome, number> = {
    accepted: 0,
    deferred: 0,
    failed: 0,
    unknown: 0,
    relay_refused: 0,
  };
  private gotAt = performance.now();
  private toldWellAt = Number.NEGATIVE_INFINITY;

  constructor(db: Db, settings: PooledWay<H>, pool: MemberOwner<H>) {
    this.db = db;
    this.settings = settings;
    this.pool = pool;
    this.priority = settings.priority;
    const { key, limits } = settings;
    if (isLimited(limits)) this.lease = this.newQuotaLease(key, limits);
    if (keepsSome(limits)) this.reserve = this.newQuotaLease(key, limits, { isUrgent: true });
    for (const [domain, its] of settings.domainLimits) {
      const pace = paceKeyOf(`@${domain}`);
      if (!this.paces.has(pace)) this.addPace(pace, its);
    }
    this.relay = settings.open(this);
  }

  // What its relay asks and tells.

  ready(): number {
    return this.pool.readyFor(this, this.isOnlyKept);
  }

  next(): H | null {
    let { lease } = this;
    const isOnlyKept = lease !== undefined && !lease.take();
    if (isOnlyKept) {
      lease = this.reserve;
      if (!lease || !this.needsReserve || !lease.take()) return null;
    }
    const handOver = this.pool.nextFor(this, isOnlyKept);
    if (!handOver) {
      lease?.giveBack();
      return null;
    }
    this.settings.prepare?.(handOver);
    lease?.charge(costOf(handOver) - 1);
    this.count++;
    this.gotAt = performance.now();
    this.pool.given(this);
    return handOver;
  }

  /** The rest is used up, and somebody waits for what is kept. */
  private get needsReserve(): boolean {
    return (this.lease?.quotaWaitMs ?? 0) > 0 && this.pool.waitingFor(this, true) > 0;
  }

  answered(handOver: H, answer: Answer): void {
    if (answer.outcome === 'deferred' && answer.about === 'domain') this.slowDown(handOver);
    if (answer.outcome === 'accepted') {
      this.answers.accepted++;
      this.tellWell();
    } else this.answers[answer.outcome]++;
    this.pool.answered(this, handOver, answer);
  }

  private tellWell(): void {
    if (!this.settings.onState) return;
    const now = performance.now();
    if (now - this.toldWellAt < WELL_EVERY_MS) return;
    this.toldWellAt = now;
    this.settings.onState({ is: 'ready' });
  }

  changed(state: RelayState): void {
    if (state.is === 'ready' && state.isUnproven) {
      this.pool.changed(this);
      return;
    }
    this.toldWellAt = Number.NEGATIVE_INFINITY;
    this.settings.onState?.(state);
    this.pool.changed(this, state);
  }

  // What the pool asks.

  state(): RelayState {
    const state = this.relay?.state() ?? { is: 'ready' };
    const retryInMs = this.lease?.quotaWaitMs ?? 0;
    if (state.is !== 'ready' || retryInMs <= SHORT_WAIT_MS) return state;
    const othersWait = { is: 'waiting', retryInMs, answer: USED_UP, isLimit: true } as const;
    const isKept = this.reserve !== undefined && this.reserve.quotaWaitMs <= SHORT_WAIT_MS;
    return isKept ? { ...state, othersWait } : othersWait;
  }

  /** By whatever there is to send. */
  get isUsable(): boolean {
    return waitOf(this.state()) === undefined;
  }

  /** Of its hour or its day only what is kept is left. */
  get isOnlyKept(): boolean {
    if (!this.reserve) return false;
    const state = this.state();
    return state.is === 'ready' && state.othersWait !== undefined;
  }

  isUsableFor(handOver: H): boolean {
    return this.isUsable || (handOver.mayUseReserve === true && this.isOnlyKept);
  }

  /** It was gone or refused us, and its next message shows whether it still does. */
  get isOnTrial(): boolean {
    const state = this.state();
    return state.is === 'ready' && state.isUnproven === true;
  }

  /** It took nothing for a while, though it might have. */
  get standsStill(): boolean {
    return performance.now() - this.gotAt > STILL_MS;
  }

  get perSecond(): number {
    return this.lease?.perSecond ?? Number.POSITIVE_INFINITY;
  }

  report(): RelayReport {
    const figures = this.relay.figures();
    const allowedPerSecond = Math.min(figures.allowedPerSecond, this.perSecond);
    return {
      name: this.relay.name,
      state: this.state(),
      figures: { ...figures, allowedPerSecond },
      answers: this.answers,
    };
  }

  /** What it was given, by its weight. */
  get share(): number {
    return this.count / this.settings.weight;
  }

  forgetShare(): void {
    this.count = 0;
    this.gotAt = performance.now();
  }

  /** Whether it may have this one; takes its provider's allowance. */
  fits(handOver: H): boolean {
    if (this.refusing.size > 0 && this.refusalOf(handOver)) return false;
    if (this.paces.size === 0) return true;
    return this.paces.get(paceOf(handOver))?.take(costOf(handOver)) ?? true;
  }

  /** Gives back what `fits` took. */
  unfit(handOver: H): void {
    this.paces.get(paceOf(handOver))?.giveBack(costOf(handOver));
  }

  couldTake(handOver: H): boolean {
    if (this.refusalOf(handOver)) return false;
    if (this.paces.size === 0) return true;
    const pace = this.paces.get(paceOf(handOver));
    return !pace || pace.room() > 0 || pace.waitMs < SOON_MS;
  }

  /** Its domain is limited here, or wants it slower. */
  isPaced(handOver: H): boolean {
    return this.paces.size > 0 && this.paces.has(paceOf(handOver));
  }

  /** After how long it may come back: behind those that were held before it. */
  queueFor(handOver: H): number {
    const isUrgent = handOver.isUrgent === true;
    const pace = this.paces.get(paceOf(handOver));
    if (pace) return pace.queue(isUrgent);
    const { acceptedPerSecond } = this.relay.figures();
    const rate = Math.min(Math.max(acceptedPerSecond, LEAST_RETURNS_PER_SECOND), this.perSecond);
    return this.returns.place(isUrgent, rate, SOON_MS);
  }

  roomFor(pace: string, wanted?: number): number {
    const lease = this.paces.get(pace);
    return lease ? lease.room(wanted) : Number.POSITIVE_INFINITY;
  }

  refuses(handOver: H, answer: Answer): void {
    const until = clock.now().getTime() + REFUSES_FOR_MS;
    this.refusing.set(handOver.sender ?? handOver.from, { until, answer });
  }

  forgives(handOver: H): void {
    this.refusing.delete(handOver.sender ?? handOver.from);
  }

  refusalOf(handOver: H): Answer | undefined {
    return this.refusalOfSender(handOver.sender ?? handOver.from);
  }

  refusalOfSender(sender: string): Answer | undefined {
    if (this.refusing.size === 0) return undefined;
    const refusal = this.refusing.get(sender);
    if (refusal && refusal.until > clock.now().getTime()) return refusal.answer;
    this.refusing.delete(sender);
    return undefined;
  }

  async close(withinMs?: number): Promise<void> {
    await this.relay.close(withinMs);
    await this.lease?.close();
    await this.reserve?.close();
    for (const pace of this.paces.values()) await pace.close();
  }

  // Providers that want it slower.

  private slowDown(handOver: H): void {
    const now = clock.now().getTime();
    const pace = paceOf(handOver);
    this.slowed = this.slowed.filter((one) => now - one.at < TOGETHER_MS && one.pace !== pace);
    this.slowed.push({ pace, at: now });
    if (this.slowed.length >= DOMAINS_OF_RELAY) {
      this.relay.slower?.();
      return;
    }
    const known = this.paces.get(pace);
    const lease = known ?? this.addPace(pace, {});
    const { acceptedPerSecond } = this.relay.figures();
    const current = Math.min(acceptedPerSecond, lease.perSecond);
    lease.refused(current).catch((error: Error) => {
      log.warn('Could not store a relay rejection', { key: lease.key, error: error.message });
    });
  }

  private addPace(pace: string, limits: Limits): QuotaLease {
    if (this.paces.size >= MOST_PACES) this.makeRoom();
    const lease = this.newQuotaLease(`${this.settings.key}/${pace}`, limits, { pace });
    this.paces.set(pace, lease);
    return lease;
  }

  /** Takes up what others learnt of providers behind this relay, and forgets what is over. */
  takeUp(lessons: Iterable<{ key: string; state: AllowanceState }>): void {
    this.forgetOver();
    const now = clock.now().getTime();
    for (const { key, state } of lessons) {
      if (this.paces.size >= MOST_PACES) return;
      const pace = key.slice(this.key.length + 1);
      if (this.paces.has(pace) || learntRate(state, now) === Number.POSITIVE_INFINITY) continue;
      this.addPace(pace, {}).adopt(state);
    }
  }

  get key(): string {
    return this.settings.key;
  }

  private forgetOver(): void {
    for (const [pace, lease] of this.paces) {
      if (lease.isOver) this.forget(pace, lease);
    }
  }

  /** Where nothing is over, the oldest lesson goes; the database keeps it. */
  private makeRoom(): void {
    this.forgetOver();
    for (const [pace, lease] of this.paces) {
      if (this.paces.size < MOST_PACES) return;
      if (!isLimited(lease.limits)) this.forget(pace, lease);
    }
  }

  private forget(pace: string, lease: QuotaLease): void {
    this.paces.delete(pace);
    void lease.close();
  }

  private newQuotaLease(
    key: string,
    limits: Limits,
    { pace, isUrgent = false }: { pace?: string; isUrgent?: boolean } = {},
  ): QuotaLease {
    const more = () => {
      this.pool.changed(this);
      if (pace !== undefined) this.pool.more(pace);
    };
    const demand = () => this.pool.readyFor(this, isUrgent);
    return new QuotaLease(this.db, key, limits, { more, demand }, isUrgent);
  }
}
