// Uses several relays as one. Relays with the lowest priority number share the handoffs by weight;
// while none of them is usable (unreachable, refusing us, or with a used-up quota) the relays with
// the next number take over. Each relay pulls handoffs itself. A handoff that a relay cannot send,
// because it refuses the sender or has no capacity for the recipient's domain now, is set aside for
// other relays. It is deferred or refused if no relay can send it soon.
import { clock } from '#platform/server/clock.ts';
import type { Db } from '#platform/server/database/database.ts';
import { log } from '#platform/server/log.ts';
import { findLearnedRates } from './allowances.sql.ts';
import { BUSY, PROVIDER_PACED, LOCAL_DEFERRAL } from './local-deferrals.ts';
import { type MemberOwner, PoolMember } from './pool-member.ts';
import { findFirstBack, combineStates, listUsedNow } from './pool-state.ts';
import type { PooledRelay, PooledSender } from './pooled-relay.ts';
import type { OpenSmsRelay, PooledSms, SmsHandoff } from './sms-provider.ts';
import type {
  HandoffResult,
  BaseHandoff,
  Handoff,
  OpenRelay,
  RelayConnection,
  RelayStatistics,
  RelayReport,
  RelayState,
  HandoffSource,
} from './provider.ts';

const TICK_MS = 200;
/** Interval for loading rates that other processes learned. */
const LEARN_EVERY_MS = 10_000;
/** Time after which even the lowest learned rate has grown so far that it is forgotten. */
const LEARNED_RATE_TTL_MS = 86_400_000;
/** Maximum lead of a relay over another one, in handoffs divided by weight. */
const MAX_LEAD = 2;
const MAX_HOLD_MS = 3_600_000;
/**
 * Maximum time that a handoff is set aside: it counts as started, so it would miss a pause, cancel
 * or unsubscribe. Then it is deferred, so that its recipient is read again.
 */
const MAX_ASIDE_MS = 1_500;
/**
 * How long relays keep pulling regardless of handoffs set aside, after one was set aside too long.
 */
const STALLED_MS = 5_000;
/** How long `findWaitState` makes relays probe; exceeds the interval of a sender's polls. */
const PROBE_WINDOW_MS = 5_000;

/** Settings of a pool's only relay, without limits. */
export function soleRelay(key: string, open: OpenRelay): PooledRelay {
  return { key, priority: 1, weight: 1, limits: {}, domainLimits: new Map(), open };
}

export function openPool(db: Db, relays: readonly PooledRelay[]): OpenRelay {
  return (source) => new RelayPool(db, relays.map(withPreparation), source);
}

/** Adds a function that prepares handoffs for this relay before they are written. */
function withPreparation(relay: PooledRelay): PooledRelay & { prepare(handoff: Handoff): void } {
  return {
    ...relay,
    prepare(handoff) {
      handoff.isSignedByRelay = relay.signsMessages === true;
      handoff.fields = relay.fields;
    },
  };
}

/** Opens SMS providers as one relay; `numberLimits` apply per sending number. */
export function openSmsPool(db: Db, providers: readonly PooledSms[]): OpenSmsRelay {
  return <H extends SmsHandoff>(source: HandoffSource<H>) =>
    new RelayPool<H>(
      db,
      providers.map((provider) => ({ ...provider, domainLimits: provider.numberLimits })),
      source,
    );
}

type HeldHandoff<H extends BaseHandoff> = {
  readonly handoff: H;
  /** The relay that set it aside. */
  readonly pulledBy: PoolMember<H>;
  /** Whether it is set aside for other relays; otherwise it waits for the same relay. */
  readonly isForOthers: boolean;
  readonly setAsideAt: number;
};

class RelayPool<H extends BaseHandoff> implements RelayConnection, MemberOwner<H> {
  readonly name: string;
  private readonly db: Db;
  private readonly source: HandoffSource<H>;
  private readonly members: readonly PoolMember<H>[];
  private readonly tickTimer: NodeJS.Timeout;
  private readonly asideHandoffs: HeldHandoff<H>[] = [];
  private slowUntil = Number.NEGATIVE_INFINITY;
  private reportedState: ReturnType<typeof stateKey> = 'ready';
  /** True if a member's state changed since the source was notified. */
  private hasMemberChange = false;
  private learnedAt = Number.NEGATIVE_INFINITY;
  /**
   * When `findWaitState` last returned the state of an unavailable relay, which must then probe its
   * connection.
   */
  private awaitedAt = Number.NEGATIVE_INFINITY;
  private isClosing = false;

  constructor(db: Db, relays: readonly PooledSender<H>[], source: HandoffSource<H>) {
    this.db = db;
    this.source = source;
    this.members = relays.map((relay) => new PoolMember<H>(db, relay, this));
    this.name = this.members.map((member) => member.relay.name).join(', ');
    this.tickTimer = setInterval(() => this.tick(), TICK_MS);
    this.tickTimer.unref();
    this.tick();
  }

  get capacity(): number {
    const active = this.members.filter((member) => member.isActive);
    const countedMembers = active.length > 0 ? active : this.members;
    return countedMembers.reduce((total, member) => total + member.relay.capacity, 0);
  }

  state(): RelayState {
    return combineStates(this.members.map((member) => member.state()));
  }

  findWaitState(sender: string): RelayState | undefined {
    const willing = this.members.filter(
      (member) => member.findRefusalOfSender(sender) === undefined,
    );
    // If no relay refuses the sender, `state` describes the wait.
    if (willing.length === this.members.length) return undefined;
    if (willing.some((poolMember) => poolMember.isUsable)) return undefined;
    const firstReady = findFirstBack(willing.map((poolMember) => poolMember.state()));
    if (firstReady) this.awaitedAt = performance.now();
    return firstReady;
  }

  getStatistics(): RelayStatistics {
    const totals = { connections: 0, inFlight: 0, acceptedPerSecond: 0, allowedPerSecond: 0 };
    for (const member of this.members) {
      const memberStatistics = member.relay.getStatistics();
      totals.connections += memberStatistics.connections;
      totals.inFlight += memberStatistics.inFlight;
      totals.acceptedPerSecond += memberStatistics.acceptedPerSecond;
      if (member.isActive) {
        totals.allowedPerSecond += Math.min(memberStatistics.allowedPerSecond, member.perSecond);
      }
    }
    return totals;
  }

  reports(): RelayReport[] {
    return this.members.map((member) => member.report());
  }

  capacityFor(mailbox: number, requested?: number): number {
    let total = 0;
    for (const member of this.members) {
      if (member.isActive) total += member.capacityFor(`${mailbox}`, requested);
    }
    return total;
  }

  wake(): void {
    for (const member of this.members) {
      if (member.isActive || isTried(member)) member.relay.wake();
    }
  }

  async close(withinMs?: number): Promise<void> {
    this.isClosing = true;
    clearInterval(this.tickTimer);
    for (const { handoff } of this.asideHandoffs.splice(0)) {
      this.source.onResult(handoff, { ...LOCAL_DEFERRAL, reply: 'Stopped.' });
    }
    await Promise.all(this.members.map((member) => member.close(withinMs)));
  }

  // Called by the members.

  countReadyFor(member: PoolMember<H>, isReserveOnly: boolean): number {
    const waiting = this.countWaitingFor(member, isReserveOnly);
    if (waiting > 0 || member.isActive) return waiting;
    // While handoffs wait, a relay on trial may get one, to find out whether it has recovered.
    const isAwaited = !isReserveOnly && performance.now() - this.awaitedAt < PROBE_WINDOW_MS;
    return isTried(member) && (isAwaited || this.source.countReady(isReserveOnly) > 0) ? 1 : 0;
  }

  /**
   * For an active relay, counts all waiting handoffs. For an inactive one, counts only those that
   * no active relay accepts.
   */
  countWaitingFor(member: PoolMember<H>, isReserveOnly: boolean): number {
    const aside = isReserveOnly ? this.asideHandoffs.filter(mayUseReserve) : this.asideHandoffs;
    if (member.isActive) return aside.length + this.source.countReady(isReserveOnly);
    return aside.filter(({ handoff }) => !this.hasActiveFor(handoff)).length;
  }

  nextFor(member: PoolMember<H>, isReserveOnly: boolean): H | null {
    if (this.isClosing) return null;
    const aside = this.takeAside(member, isReserveOnly);
    if (aside) return aside;
    if (member.isActive ? !this.isTurnOf(member) : !member.isOnTrial) return null;
    for (;;) {
      if (this.isForOthersToPull(member)) return null;
      const handoff = this.source.next(isReserveOnly);
      if (!handoff) return null;
      if (member.takeCapacity(handoff)) return handoff;
      this.setAside(handoff, member);
    }
  }

  /**
   * Returns whether the member has set aside so many handoffs for other relays that it must wait
   * until they have pulled some.
   */
  private isForOthersToPull(member: PoolMember<H>): boolean {
    if (this.asideHandoffs.length < member.relay.capacity || performance.now() < this.slowUntil) {
      return false;
    }
    if (this.countAside(member, true) < member.relay.capacity) return false;
    member.isBlocked = true;
    return true;
  }

  private countAside(member: PoolMember<H>, isForOthers: boolean): number {
    return this.asideHandoffs.filter(
      (aside) => aside.pulledBy === member && aside.isForOthers === isForOthers,
    ).length;
  }

  onResult(member: PoolMember<H>, handoff: H, result: HandoffResult): void {
    const namedResult = { ...result, relay: member.relay.name };
    if (result.outcome === 'relay_refused' && this.members.length > 1 && !this.isClosing) {
      member.recordRefusal(handoff, namedResult);
      this.setAside(handoff, member);
    } else this.source.onResult(handoff, namedResult);
  }

  onChange(member: PoolMember<H>, state?: RelayState): void {
    if (state) {
      this.hasMemberChange = true;
      if (this.members.length > 1) logState(member, state);
    }
    this.refresh();
    this.wake();
  }

  /**
   * Notifies the source that a mailbox provider has capacity again, because the source starts no
   * handoffs to providers without capacity.
   */
  onCapacity(paceKey: string): void {
    const mailbox = Number(paceKey);
    if (mailbox > 0) this.source.onCapacity?.(mailbox);
  }

  // Distribution.

  private takeAside(member: PoolMember<H>, isReserveOnly: boolean): H | null {
    for (const [i, held] of this.asideHandoffs.entries()) {
      const { handoff } = held;
      if (isReserveOnly && !mayUseReserve(held)) continue;
      if (!member.isUsableFor(handoff) || !member.takeCapacity(handoff)) continue;
      if (!member.isActive && this.hasActiveFor(handoff)) {
        member.returnCapacity(handoff);
        continue;
      }
      this.asideHandoffs.splice(i, 1);
      return handoff;
    }
    return null;
  }

  /**
   * Sets the handoff aside for relays that can send it soon. If there are none, or too many
   * handoffs are set aside, it is deferred.
   */
  private setAside(handoff: H, by: PoolMember<H>, at = performance.now()): void {
    const otherMembers = this.findAbleMembers(handoff);
    const isForOthers = otherMembers.some((member) => member !== by);
    const maxAside = by.relay.capacity * (handoff.isUrgent ? 2 : 1);
    if (otherMembers.length === 0 || this.countAside(by, isForOthers) >= maxAside) {
      this.defer(handoff);
      return;
    }
    // Urgent handoffs go before all others.
    const position = handoff.isUrgent
      ? this.asideHandoffs.findIndex((aside) => !aside.handoff.isUrgent)
      : -1;
    const end = this.asideHandoffs.length;
    this.asideHandoffs.splice(position < 0 ? end : position, 0, {
      handoff,
      pulledBy: by,
      isForOthers,
      setAsideAt: at,
    });
    for (const otherHandoff of otherMembers) otherHandoff.relay.wake();
  }

  /**
   * Answers the handoff with the reason why it cannot be sent now. The reason is a refusal only if
   * each relay refuses this sender or all email from us; otherwise the handoff may be retried.
   */
  private defer(handoff: H): void {
    const [refusal] = this.members.flatMap((member) => member.findRefusal(handoff) ?? []);
    const willing = this.members.filter((member) => member.findRefusal(handoff) === undefined);
    if (refusal && willing.every((poolMember) => poolMember.state().kind === 'refused')) {
      // When the owner resumes the message, each relay is tried again.
      for (const member of this.members) member.clearRefusal(handoff);
      this.source.onResult(handoff, refusal);
      return;
    }
    const usable = willing.filter((poolMember) => poolMember.isUsableFor(handoff));
    if (usable.length === 0) {
      // The first relay that recovers will send it.
      this.source.onResult(handoff, { ...LOCAL_DEFERRAL, reply: 'No relay can be used now.' });
      return;
    }
    const active = usable.filter((poolMember) => poolMember.isActive);
    this.deferUntilCapacity(handoff, active.length > 0 ? active : usable);
  }

  /** Defers a handoff until one of these relays has capacity for it. */
  private deferUntilCapacity(handoff: H, members: readonly PoolMember<H>[]): void {
    const retryInMs = Math.min(
      ...members.map((poolMember) => poolMember.scheduleRetry(handoff)),
      MAX_HOLD_MS,
    );
    const result = members.every((poolMember) => poolMember.isPaced(handoff))
      ? PROVIDER_PACED
      : BUSY;
    this.source.onResult(handoff, { ...LOCAL_DEFERRAL, ...result, retryInMs });
  }

  /**
   * Returns the active relays that could send the handoff very soon. If there are none, returns the
   * relays that may replace them.
   */
  private findAbleMembers(handoff: H): PoolMember<H>[] {
    const able = this.members.filter(
      (member) => member.isUsableFor(handoff) && member.isAcceptable(handoff),
    );
    const active = able.filter((poolMember) => poolMember.isActive);
    return active.length > 0
      ? active
      : able.filter((poolMember) => this.isRefusedByActive(handoff, poolMember));
  }

  private isRefusedByActive(handoff: H, current: PoolMember<H>): boolean {
    return this.members.every(
      (member) =>
        member === current || !member.isActive || member.findRefusal(handoff) !== undefined,
    );
  }

  private hasActiveFor(handoff: H): boolean {
    return this.members.some(
      (member) => member.isActive && member.findRefusal(handoff) === undefined,
    );
  }

  /**
   * Distributes by weight: a relay that is ahead of another one waits for it, unless the other is
   * stalled (not connected yet, or too slow to wait for).
   */
  private isTurnOf(member: PoolMember<H>): boolean {
    if (this.members.length === 1) return true;
    for (const otherMember of this.members) {
      if (otherMember === member || !otherMember.isActive) continue;
      if (member.load <= otherMember.load + MAX_LEAD || otherMember.isStalled) continue;
      member.isBlocked = true;
      otherMember.relay.wake();
      return false;
    }
    return true;
  }

  /** Wakes relays that waited until another one pulled a handoff. */
  onHandoff(member: PoolMember<H>): void {
    for (const otherMember of this.members) {
      if (!otherMember.isBlocked || otherMember === member) continue;
      otherMember.isBlocked = false;
      otherMember.relay.wake();
    }
  }

  /** Updates which relays are in use. */
  private refresh(): void {
    const usedMembers = listUsedNow(this.members);
    let hasChanged = false;
    for (const member of this.members) {
      const isActive = usedMembers.includes(member);
      hasChanged ||= isActive !== member.isActive;
      member.isActive = isActive;
    }
    if (hasChanged) for (const member of this.members) member.resetLoad();
    this.reportState();
    if (this.asideHandoffs.length > 0) this.retryAside();
    if (hasChanged && !this.isClosing) this.wake();
  }

  /**
   * Finds relays again for handoffs set aside, because other relays may be usable now, and defers
   * handoffs that were set aside too long.
   */
  private retryAside(): void {
    const now = performance.now();
    for (const { handoff, pulledBy, setAsideAt } of this.asideHandoffs.splice(0)) {
      if (now - setAsideAt < MAX_ASIDE_MS) {
        this.setAside(handoff, pulledBy, setAsideAt);
        continue;
      }
      this.slowUntil = now + STALLED_MS;
      this.defer(handoff);
    }
  }

  private reportState(): void {
    const state = this.state();
    const key = stateKey(state);
    if (key === this.reportedState && (state.kind === 'ready' || !this.hasMemberChange)) return;
    this.hasMemberChange = false;
    this.reportedState = key;
    this.source.onStateChange?.(state);
  }

  private tick(): void {
    this.refresh();
    if (this.members.length > 1) this.wake();
    if (performance.now() - this.learnedAt < LEARN_EVERY_MS || this.isClosing) return;
    this.learnedAt = performance.now();
    const since = new Date(clock.now().getTime() - LEARNED_RATE_TTL_MS);
    for (const member of this.members) {
      findLearnedRates(this.db, member.key, since).then(
        (states) => member.adoptRates(states),
        () => {},
      );
    }
  }
}

/**
 * Returns whether the member may only be tried with single handoffs, to find out whether it has
 * recovered.
 */
function isTried<H extends BaseHandoff>(member: PoolMember<H>): boolean {
  return !member.isUsable || member.isOnTrial;
}

const mayUseReserve = ({ handoff }: { handoff: BaseHandoff }) => handoff.mayUseReserve === true;

/** Returns the key of a state. States that the source need not distinguish have the same key. */
function stateKey(state: RelayState) {
  if (state.kind !== 'ready') return state.kind;
  if (state.othersWait) return state.isUnproven ? 'kept, unproven' : 'kept';
  return state.isUnproven ? 'unproven' : 'ready';
}

function logState<H extends BaseHandoff>(member: PoolMember<H>, state: RelayState): void {
  const relay = member.relay.name;
  if (state.kind === 'ready') {
    log.info('Relay recovered', { relay });
    return;
  }
  const { code, reply } = state.result;
  const reason = `${code || ''} ${reply}`.trim();
  log.warn('Relay is unavailable', { relay, state: state.kind, reason });
}
