// One relay of a pool: its limits (in total, and per mailbox provider), the senders that it
// refuses, and its state.
import { clock } from '#platform/server/clock.ts';
import type { Db } from '#platform/server/database/database.ts';
import { log } from '#platform/server/log.ts';
import {
  type AllowanceState,
  isLimited,
  hasReserve,
  findLearnedRate,
  type RateLimits,
} from './allowance.ts';
import { USED_UP } from './local-deferrals.ts';
import {
  type HandoffResult,
  type BaseHandoff,
  type HandoffOutcome,
  type RelayConnection,
  type RelayReport,
  type RelayState,
  type HandoffSource,
  describeWait,
} from './provider.ts';
import { getPaceKey, type PooledSender } from './pooled-relay.ts';
import { ReturnQueue } from './return-queue.ts';
import { QuotaLease } from './quota-lease.ts';

/** The pool's interface for its members. */
export interface MemberOwner<H extends BaseHandoff> {
  /**
   * Returns the number of handoffs that the member may get now; at most one for a trial after an
   * outage.
   */
  countReadyFor(member: PoolMember<H>, isReserveOnly: boolean): number;
  /**
   * Returns the number of waiting handoffs that the member may get. Unlike `countReadyFor`, it does
   * not count a handoff for a trial.
   */
  countWaitingFor(member: PoolMember<H>, isReserveOnly: boolean): number;
  nextFor(member: PoolMember<H>, isReserveOnly: boolean): H | null;
  onResult(member: PoolMember<H>, handoff: H, result: HandoffResult): void;
  /** Called after the member got a handoff. */
  onHandoff(member: PoolMember<H>): void;
  /** Reports a changed state of the member's relay or, without `state`, changed capacity. */
  onChange(member: PoolMember<H>, state?: RelayState): void;
  /** Reports new capacity for a mailbox provider or a domain. */
  onCapacity(paceKey: string): void;
}

/** If a quota recovers within this time, the relay waits for it without changing its state. */
const SHORT_WAIT_MS = 2_000;
/** A handoff counts as acceptable if the limit that applies to it has capacity within this time. */
const LEASE_AHEAD_MS = 1_000;
/** A relay that refused a sender gets no more handoffs from this sender for this time. */
const REFUSED_SENDER_MS = 300_000;
/** Rate refusals by this many providers within a short time are attributed to the relay. */
const DOMAINS_OF_RELAY = 3;
const SIMULTANEOUS_MS = 10_000;
/** A relay that got no handoff for this time is treated as stalled. */
const STALLED_AFTER_MS = 500;
/**
 * Minimum rate at which held handoffs are scheduled for their retry if no limit applies to their
 * recipient's domain.
 */
const MIN_RETURNS_PER_SECOND = 1;
/** Maximum number of rate limits of mailbox providers and domains in memory. */
const MAX_PACES = 5_000;
/** Minimum interval between reports that a relay works. */
const READY_REPORT_MS = 60_000;

/**
 * Returns the key of the limit of the handoff's recipient domain, mailbox provider or sending
 * number.
 */
const paceOf = (handoff: BaseHandoff) => getPaceKey(handoff.pace ?? handoff.to);
const costOf = (handoff: BaseHandoff) => handoff.cost ?? 1;

export class PoolMember<H extends BaseHandoff> implements HandoffSource<H> {
  readonly relay: RelayConnection;
  readonly priority: number;
  isActive = false;
  private readonly settings: PooledSender<H>;
  private readonly db: Db;
  private readonly pool: MemberOwner<H>;
  private readonly lease: QuotaLease | undefined;
  /**
   * The reserve of the hourly and daily limits, for handoffs with `mayUseReserve`. It is drawn once
   * the rest is used up.
   */
  private readonly reserve: QuotaLease | undefined;
  /**
   * Limits by `paceOf`. They exist only for the mailbox providers, domains and sending numbers that
   * have a configured limit or requested a lower rate.
   */
  private readonly leases = new Map<string, QuotaLease>();
  private readonly refusals = new Map<string, { until: number; result: HandoffResult }>();
  private readonly returnQueue = new ReturnQueue();
  private slowdowns: { pace: string; at: number }[] = [];
  /** Set while the relay waits until another relay has pulled a handoff. */
  isBlocked = false;
  private handoffCount = 0;
  private readonly outcomeCounts: Record<HandoffOutcome, number> = {
    accepted: 0,
    deferred: 0,
    failed: 0,
    unknown: 0,
    relay_refused: 0,
  };
  private lastHandoffAt = performance.now();
  private readyReportedAt = Number.NEGATIVE_INFINITY;

  constructor(db: Db, settings: PooledSender<H>, pool: MemberOwner<H>) {
    this.db = db;
    this.settings = settings;
    this.pool = pool;
    this.priority = settings.priority;
    const { key, limits } = settings;
    if (isLimited(limits)) this.lease = this.newQuotaLease(key, limits);
    if (hasReserve(limits)) this.reserve = this.newQuotaLease(key, limits, { isUrgent: true });
    for (const [domain, domainLimit] of settings.domainLimits) {
      const paceKey = getPaceKey(`@${domain}`);
      if (!this.leases.has(paceKey)) this.addPace(paceKey, domainLimit);
    }
    this.relay = settings.open(this);
  }

  // Called by the relay.

  countReady(): number {
    return this.pool.countReadyFor(this, this.hasOnlyReserve);
  }

  next(): H | null {
    let { lease } = this;
    const isReserveOnly = lease !== undefined && !lease.take();
    if (isReserveOnly) {
      lease = this.reserve;
      if (!lease || !this.needsReserve || !lease.take()) return null;
    }
    const handoff = this.pool.nextFor(this, isReserveOnly);
    if (!handoff) {
      lease?.returnUnits();
      return null;
    }
    this.settings.prepare?.(handoff);
    lease?.charge(costOf(handoff) - 1);
    this.handoffCount++;
    this.lastHandoffAt = performance.now();
    this.pool.onHandoff(this);
    return handoff;
  }

  /**
   * Whether a quota is used up except for its reserve, and handoffs that may use the reserve wait.
   */
  private get needsReserve(): boolean {
    return (this.lease?.quotaWaitMs ?? 0) > 0 && this.pool.countWaitingFor(this, true) > 0;
  }

  onResult(handoff: H, result: HandoffResult): void {
    if (result.outcome === 'deferred' && result.scope === 'domain') this.slowDown(handoff);
    if (result.outcome === 'accepted') {
      this.outcomeCounts.accepted++;
      this.reportReady();
    } else this.outcomeCounts[result.outcome]++;
    this.pool.onResult(this, handoff, result);
  }

  private reportReady(): void {
    if (!this.settings.onState) return;
    const now = performance.now();
    if (now - this.readyReportedAt < READY_REPORT_MS) return;
    this.readyReportedAt = now;
    this.settings.onState({ kind: 'ready' });
  }

  onStateChange(state: RelayState): void {
    if (state.kind === 'ready' && state.isUnproven) {
      this.pool.onChange(this);
      return;
    }
    this.readyReportedAt = Number.NEGATIVE_INFINITY;
    this.settings.onState?.(state);
    this.pool.onChange(this, state);
  }

  // Called by the pool.

  state(): RelayState {
    const state = this.relay?.state() ?? { kind: 'ready' };
    const retryInMs = this.lease?.quotaWaitMs ?? 0;
    if (state.kind !== 'ready' || retryInMs <= SHORT_WAIT_MS) return state;
    const othersWait = { kind: 'waiting', retryInMs, result: USED_UP, isLimit: true } as const;
    const hasReserve = this.reserve !== undefined && this.reserve.quotaWaitMs <= SHORT_WAIT_MS;
    return hasReserve ? { ...state, othersWait } : othersWait;
  }

  /** Whether the relay may get any handoff, not only handoffs that may use the reserve. */
  get isUsable(): boolean {
    return describeWait(this.state()) === undefined;
  }

  /** Whether only the reserve of an hourly or daily limit remains. */
  get hasOnlyReserve(): boolean {
    if (!this.reserve) return false;
    const state = this.state();
    return state.kind === 'ready' && state.othersWait !== undefined;
  }

  isUsableFor(handoff: H): boolean {
    return this.isUsable || (handoff.mayUseReserve === true && this.hasOnlyReserve);
  }

  /**
   * Whether the relay was down or refused us, and only its next handoff shows whether this has
   * ended.
   */
  get isOnTrial(): boolean {
    const state = this.state();
    return state.kind === 'ready' && state.isUnproven === true;
  }

  /** Whether the relay has pulled no handoff for a while. */
  get isStalled(): boolean {
    return performance.now() - this.lastHandoffAt > STALLED_AFTER_MS;
  }

  get perSecond(): number {
    return this.lease?.perSecond ?? Number.POSITIVE_INFINITY;
  }

  report(): RelayReport {
    const relayStatistics = this.relay.getStatistics();
    const allowedPerSecond = Math.min(relayStatistics.allowedPerSecond, this.perSecond);
    return {
      name: this.relay.name,
      state: this.state(),
      statistics: { ...relayStatistics, allowedPerSecond },
      outcomeCounts: this.outcomeCounts,
    };
  }

  /** Number of handoffs that this relay got, divided by its weight. */
  get load(): number {
    return this.handoffCount / this.settings.weight;
  }

  resetLoad(): void {
    this.handoffCount = 0;
    this.lastHandoffAt = performance.now();
  }

  /**
   * Returns whether this relay may send the handoff now. If so, it takes capacity from the limit of
   * `paceOf`.
   */
  takeCapacity(handoff: H): boolean {
    if (this.refusals.size > 0 && this.findRefusal(handoff)) return false;
    if (this.leases.size === 0) return true;
    return this.leases.get(paceOf(handoff))?.take(costOf(handoff)) ?? true;
  }

  /** Restores the capacity that `takeCapacity` took. */
  returnCapacity(handoff: H): void {
    this.leases.get(paceOf(handoff))?.returnUnits(costOf(handoff));
  }

  /** Returns whether this relay may send the handoff now or very soon. Takes no capacity. */
  isAcceptable(handoff: H): boolean {
    if (this.findRefusal(handoff)) return false;
    if (this.leases.size === 0) return true;
    const lease = this.leases.get(paceOf(handoff));
    return !lease || lease.getAvailable() > 0 || lease.waitMs < LEASE_AHEAD_MS;
  }

  /** Returns whether a limit of `paceOf` applies to the handoff. */
  isPaced(handoff: H): boolean {
    return this.leases.size > 0 && this.leases.has(paceOf(handoff));
  }

  /**
   * Returns the milliseconds until the handoff may be retried. Handoffs that were held earlier are
   * retried before it.
   */
  scheduleRetry(handoff: H): number {
    const isUrgent = handoff.isUrgent === true;
    const lease = this.leases.get(paceOf(handoff));
    if (lease) return lease.scheduleReturn(isUrgent);
    const { acceptedPerSecond } = this.relay.getStatistics();
    const rate = Math.min(Math.max(acceptedPerSecond, MIN_RETURNS_PER_SECOND), this.perSecond);
    return this.returnQueue.schedule(isUrgent, rate, LEASE_AHEAD_MS);
  }

  capacityFor(paceKey: string, requested?: number): number {
    const lease = this.leases.get(paceKey);
    return lease ? lease.getAvailable(requested) : Number.POSITIVE_INFINITY;
  }

  recordRefusal(handoff: H, result: HandoffResult): void {
    const refusedUntil = clock.now().getTime() + REFUSED_SENDER_MS;
    this.refusals.set(handoff.sender ?? handoff.from, { until: refusedUntil, result });
  }

  clearRefusal(handoff: H): void {
    this.refusals.delete(handoff.sender ?? handoff.from);
  }

  findRefusal(handoff: H): HandoffResult | undefined {
    return this.findRefusalOfSender(handoff.sender ?? handoff.from);
  }

  findRefusalOfSender(sender: string): HandoffResult | undefined {
    if (this.refusals.size === 0) return undefined;
    const refusal = this.refusals.get(sender);
    if (refusal && refusal.until > clock.now().getTime()) return refusal.result;
    this.refusals.delete(sender);
    return undefined;
  }

  async close(withinMs?: number): Promise<void> {
    await this.relay.close(withinMs);
    await this.lease?.close();
    await this.reserve?.close();
    for (const lease of this.leases.values()) await lease.close();
  }

  // Providers that request a lower rate.

  private slowDown(handoff: H): void {
    const now = clock.now().getTime();
    const paceKey = paceOf(handoff);
    this.slowdowns = this.slowdowns.filter(
      (slowdown) => now - slowdown.at < SIMULTANEOUS_MS && slowdown.pace !== paceKey,
    );
    this.slowdowns.push({ pace: paceKey, at: now });
    if (this.slowdowns.length >= DOMAINS_OF_RELAY) {
      this.relay.slowDown?.();
      return;
    }
    const existing = this.leases.get(paceKey);
    const lease = existing ?? this.addPace(paceKey, {});
    const { acceptedPerSecond } = this.relay.getStatistics();
    const currentRate = Math.min(acceptedPerSecond, lease.perSecond);
    lease.applyRefusal(currentRate).catch((error: Error) => {
      log.warn('Could not store a learned rate', { key: lease.key, reason: error.message });
    });
  }

  private addPace(paceKey: string, limits: RateLimits): QuotaLease {
    if (this.leases.size >= MAX_PACES) this.evictPace();
    const lease = this.newQuotaLease(`${this.settings.key}/${paceKey}`, limits, { pace: paceKey });
    this.leases.set(paceKey, lease);
    return lease;
  }

  /**
   * Adopts rates that other processes learned for mailbox providers behind this relay, and drops
   * learned rates that no longer limit anything.
   */
  adoptRates(states: Iterable<{ key: string; state: AllowanceState }>): void {
    this.dropExpired();
    const now = clock.now().getTime();
    for (const { key, state } of states) {
      if (this.leases.size >= MAX_PACES) return;
      const paceKey = key.slice(this.key.length + 1);
      if (this.leases.has(paceKey) || findLearnedRate(state, now) === Number.POSITIVE_INFINITY)
        continue;
      this.addPace(paceKey, {}).adopt(state);
    }
  }

  get key(): string {
    return this.settings.key;
  }

  private dropExpired(): void {
    for (const [paceKey, lease] of this.leases) {
      if (lease.isUnlimited) this.dropLease(paceKey, lease);
    }
  }

  /**
   * Drops learned rates that no longer limit anything or, if there are none, the oldest learned
   * rate; the database still has it.
   */
  private evictPace(): void {
    this.dropExpired();
    for (const [paceKey, lease] of this.leases) {
      if (this.leases.size < MAX_PACES) return;
      if (!isLimited(lease.limits)) this.dropLease(paceKey, lease);
    }
  }

  private dropLease(paceKey: string, lease: QuotaLease): void {
    this.leases.delete(paceKey);
    void lease.close();
  }

  private newQuotaLease(
    key: string,
    limits: RateLimits,
    { pace: paceKey, isUrgent = false }: { pace?: string; isUrgent?: boolean } = {},
  ): QuotaLease {
    const onCapacity = () => {
      this.pool.onChange(this);
      if (paceKey !== undefined) this.pool.onCapacity(paceKey);
    };
    const countDemand = () => this.pool.countReadyFor(this, isUrgent);
    return new QuotaLease(this.db, key, limits, { onCapacity, countDemand }, isUrgent);
  }
}
