// The sender: it starts handoffs in the ledger in small steps, provides them to the relay, and
// records the replies. Several processes share the work only through the ledger. The number of
// handoffs without a result is limited to the relay's capacity plus 50 ms of the current rate
// (step-size.ts). Urgent single sends precede all other handoffs. While the relay is down no
// handoff starts, and handoffs not yet passed to it are withdrawn; this also happens at a pause, a
// cancel and a shutdown.
import { randomUUID } from 'node:crypto';
import { clock } from '#platform/server/clock.ts';
import { isAccountReachable } from '#platform/server/database/across-accounts.sql.ts';
import type { Db } from '#platform/server/database/database.ts';
import { isOtherNodeFailure } from '#platform/server/database/node-failure.ts';
import { readInstanceSetting } from '#platform/server/database/instance-settings.sql.ts';
import { log } from '#platform/server/log.ts';
import { ProviderCaps } from '../caps/provider-caps.ts';
import { ActiveMessages } from './active-messages.ts';
import { SendQueue } from './send-queue.ts';
import { InFlight } from './in-flight.ts';
import { type Scope, SHARED } from '../ledger/open-messages.sql.ts';
import { LeaseKeeper } from './lease-keeper.ts';
import { RangeQueue } from './ranges.ts';
import { RateMeter } from './rate-meter.ts';
import { Recorder } from '../ledger/recorder.ts';
import { messageKey, type RoundRobin, SINGLES } from './round-robin.ts';
import type { LedgerHandoff } from './sending.ts';
import { WakeSignal } from './signal.ts';
import { Signing } from './signing.ts';
import { Singles } from '../singles/singles.ts';
import {
  type HandoffResult,
  type Handoff,
  type OpenRelay,
  type RelayConnection,
  type RelayReport,
  type RelayState,
  type HandoffSource,
  describeWait,
} from '../relays/provider.ts';
import { PAGE_ROWS } from '../ledger/pages.ts';
import { computeMinCapacity, computeMaxStarted, type CurrentPace } from './step-size.ts';
import { SendSteps } from './steps.ts';
import { listenForWork } from './wake.ts';
import { WarmUps } from '../warm-up/warm-ups.ts';
import type { OpenSmsRelay, SmsHandoff } from '../relays/sms-provider.ts';

const POLL_MS = 1_000;
/**
 * Minimum time between full polls, even if many notifications arrive; between them, only single
 * sends are polled.
 */
const MIN_POLL_INTERVAL_MS = 100;
const AFTER_FAILURE_MS = 500;
const DRAIN_MS = 8_000;
const DRAIN_TO_DATABASE_MS = 3_000;

export type RunningSender = { close(): Promise<void> };

/** Limits per sender; tests pass smaller ones. */
export type SenderLimits = {
  /** Maximum number of compiled messages in the cache, besides messages with a leased range. */
  maxCachedMessages: number;
  /** Maximum number of messages per poll of the ledger; the next poll continues after them. */
  pageSize: number;
};
const LIMITS: SenderLimits = { maxCachedMessages: 200, pageSize: PAGE_ROWS };
export type MeasuredSender = RunningSender & { getStatistics(): SenderStatistics };

/** Statistics of a sender, read on demand. */
export type SenderStatistics = {
  relays: RelayReport[];
  /**
   * Handoffs started in the ledger without a recorded result: queued, at a relay, or being
   * recorded.
   */
  outstanding: { waiting: number; inFlight: number; unrecorded: number };
  /** Whether sending is stopped until the operator resumes it, after a backup was restored. */
  isPaused: boolean;
};

/**
 * Starts a sender for the messages in scope, through a relay or a pool. `close` waits for handoffs
 * in flight and releases all others.
 */
export function runSender(
  db: Db,
  openRelay: OpenRelay,
  scope: Scope = SHARED,
  limits: Partial<SenderLimits> = {},
): MeasuredSender {
  return run(
    db,
    (source) => openRelay(source as HandoffSource<LedgerHandoff & Handoff>),
    scope,
    limits,
  );
}

/** Starts a sender for the SMS in scope, through a provider or a pool. */
export function runSmsSender(
  db: Db,
  openRelay: OpenSmsRelay,
  scope: Scope = { channel: 'sms' },
  limits: Partial<SenderLimits> = {},
): MeasuredSender {
  return run(
    db,
    (source) => openRelay(source as HandoffSource<LedgerHandoff & SmsHandoff>),
    scope,
    limits,
  );
}

/**
 * A sender reads only messages of its scope's channel, so all its handoffs are of the type that the
 * relay expects.
 */
type OpenFor = (source: HandoffSource<LedgerHandoff>) => RelayConnection;

function run(
  db: Db,
  openRelay: OpenFor,
  scope: Scope,
  limits: Partial<SenderLimits>,
): MeasuredSender {
  const sender = new Sender(db, openRelay, scope, { ...LIMITS, ...limits });
  sender.start();
  return sender;
}

class Sender implements HandoffSource<LedgerHandoff>, MeasuredSender {
  readonly owner = `sender-${process.pid}-${randomUUID().slice(0, 8)}`;
  private readonly db: Db;
  private readonly relay: RelayConnection;
  private readonly messages: ActiveMessages;
  private readonly recorder: Recorder;
  private readonly singles: Singles;
  private readonly leaseKeeper: LeaseKeeper;
  private readonly ranges: RangeQueue;
  private readonly warmUps: WarmUps;
  private readonly caps: ProviderCaps;
  private readonly scope: Scope;
  private readonly sendQueue: SendQueue;
  private readonly signing: Signing;
  private readonly inFlight: InFlight;
  private readonly steps: SendSteps;
  private refusal: (RelayState & { kind: 'refused' }) | undefined;
  private readonly rate = new RateMeter();
  private readonly capacityFreed = new WakeSignal();
  private readonly workFound = new WakeSignal();
  private inFlightCount = 0;
  /** Number of handoffs in flight from which the relay is treated as busy. */
  private readonly minBusyCount: number;
  private isPaused = false;
  private isClosing = false;
  private loops: Promise<unknown>[] = [];
  private currentStep: Promise<unknown> = Promise.resolve();
  private stopListening: (() => Promise<void>) | undefined;

  constructor(db: Db, openRelay: OpenFor, scope: Scope, limits: SenderLimits) {
    this.db = db;
    this.scope = scope;
    this.messages = new ActiveMessages(db, limits.maxCachedMessages, (key) =>
      this.ranges.hasLeases(key),
    );
    this.sendQueue = new SendQueue(db, scope, this.messages, limits.pageSize);
    this.warmUps = new WarmUps(db);
    this.caps = new ProviderCaps(db, (mailbox) => this.onCapacity(mailbox));
    const sharedLimits = { warmUps: this.warmUps, caps: this.caps };
    this.singles = new Singles(db, this.owner, scope, this.messages, sharedLimits);
    this.signing = new Signing(() => {
      this.updateBusy();
      if (this.inFlight.queue.isReady) this.relay.wake();
    });
    this.inFlight = new InFlight(db, this.owner, this.signing, this.warmUps);
    // The relay may call `countReady` and `next` from this point on.
    this.relay = openRelay(this);
    this.minBusyCount = Math.ceil(this.relay.capacity / 4);
    this.recorder = new Recorder(db, this.owner, this.relay.name, (handoff) => {
      if (handoff.row.kind !== 'range') this.inFlight.rows.delete(handoff);
      this.capacityFreed.raise();
    });
    this.leaseKeeper = new LeaseKeeper(db, this.owner, limits.pageSize);
    this.ranges = new RangeQueue(db, this.owner, scope);
    const { relay, messages, sendQueue, inFlight, ranges, warmUps, recorder, leaseKeeper, rate } =
      this;
    const { singles, caps } = this;
    this.steps = new SendSteps({
      ...{ db, relay, messages, sendQueue, inFlight, ranges },
      ...{ warmUps, caps, recorder, leaseKeeper, rate, singles },
    });
  }

  start(): void {
    const ownAccountId = this.scope.accountId;
    this.stopListening = listenForWork(this.db, (accountId, isReload) => {
      if (isReload) this.messages.invalidate(accountId);
      if (ownAccountId === undefined || accountId === 0 || accountId === ownAccountId)
        this.workFound.raise();
    });
    this.loops = [this.watch(), this.feed()];
  }

  async close(): Promise<void> {
    this.isClosing = true;
    this.workFound.raise();
    this.capacityFreed.raise();
    await this.stopListening?.();
    await Promise.all(this.loops);
    await this.relay.close(DRAIN_MS);
    await this.caps.close();
    this.inFlight.withdraw(() => true);
    await this.recorder.drain(DRAIN_TO_DATABASE_MS);
    this.ranges.closeAll();
    try {
      await this.inFlight.resetWithdrawn(this.currentStep);
      await this.ranges.releaseRanges();
    } catch (error) {
      log.warn('Could not release leases on shutdown', { reason: (error as Error).message });
    }
  }

  getStatistics(): SenderStatistics {
    return {
      relays: this.relay.reports?.() ?? [],
      outstanding: {
        waiting: this.inFlight.queue.size,
        inFlight: this.inFlightCount,
        unrecorded: this.recorder.pendingCount,
      },
      isPaused: this.isPaused,
    };
  }

  // Callbacks of the relay; all synchronous.

  countReady(isReserveOnly = false): number {
    const ready = this.inFlight.queue.countReady(isReserveOnly);
    // An unusable relay retries its connection only if there is work, so this reports one handoff
    // even though the queue has none.
    const isTried = !isReserveOnly && this.hasWork() && !this.isRelayUsable;
    return ready === 0 && isTried ? 1 : ready;
  }

  next(isReserveOnly = false): LedgerHandoff | null {
    for (;;) {
      const handoff = this.inFlight.queue.shift(isReserveOnly);
      if (!handoff) return null;
      if (handoff.skipReason === '' && handoff.delay) {
        this.recorder.recordDelay(handoff, handoff.delay);
        continue;
      }
      if (handoff.skipReason === '') {
        this.inFlightCount++;
        this.updateBusy();
        return handoff;
      }
      this.recorder.recordSkip(handoff);
    }
  }

  onResult(handoff: LedgerHandoff, result: HandoffResult): void {
    this.inFlightCount--;
    this.updateBusy();
    if (result.outcome === 'accepted') this.rate.count();
    this.recorder.recordResult(handoff, result);
  }

  /** Starts or stops measuring the rate, which is measured only while relay or signing is busy. */
  private updateBusy(): void {
    this.rate.setBusy(this.inFlightCount >= this.minBusyCount || this.signing.isBusy);
  }

  onStateChange(state: RelayState): void {
    const relay = this.relay.name;
    const wait = describeWait(state);
    if (state.kind === 'refused') this.refusal = state;
    // A refusal ends only when a relay is proven to work, not while it is on trial.
    else if (state.kind === 'ready' && !state.isUnproven) this.refusal = undefined;
    if (wait) {
      const reason = `${wait.result.code || ''} ${wait.result.reply}`.trim();
      const logFields = { relay, state: wait.kind, reason };
      if (state.kind === 'ready') log.warn('Relay accepts transactional email only', logFields);
      else log.warn('Relay is unavailable', logFields);
    } else if (this.isRelayProven) log.info('Relay recovered', { relay });
    this.workFound.raise();
    this.capacityFreed.raise();
  }

  onCapacity(mailbox: number): void {
    if (this.sendQueue.requeueFor(mailbox)) this.capacityFreed.raise();
  }

  // Polling for work.

  private hasWork(): boolean {
    return this.roundRobin.size > 0 || this.singles.hasWork;
  }

  /** Polls each second and at each notification. */
  private async watch(): Promise<void> {
    let polledAt = Number.NEGATIVE_INFINITY;
    while (!this.isClosing) {
      const isWhole = performance.now() >= polledAt + MIN_POLL_INTERVAL_MS;
      if (isWhole) polledAt = performance.now();
      try {
        if (isWhole) await this.poll();
        else if (!this.isPaused) await this.pollSingles(clock.now());
      } catch (error) {
        log.warn('Could not read the ledger', { reason: (error as Error).message });
      }
      const remainingMs = polledAt + MIN_POLL_INTERVAL_MS - performance.now();
      await this.workFound.wait(isWhole ? POLL_MS : Math.max(1, remainingMs));
    }
  }

  private async poll(): Promise<void> {
    const now = clock.now();
    this.isPaused = (await readInstanceSetting(this.db, 'sending_paused')) !== undefined;
    if (!this.isPaused) await this.pollSingles(now);
    await this.leaseKeeper.renewLeases(this.ranges.allLeases(), this.inFlight.rows);
    if (this.isPaused) this.inFlight.withdraw(() => true);
    await this.dropStopped();
    await this.applyRelayState();
    await this.inFlight.resetWithdrawn(this.currentStep);
    await this.ranges.releaseRanges();
    if (this.scope.accountId === undefined)
      await this.leaseKeeper.settleExpired(now, this.scope.channel);
    if (this.isPaused) return;
    await this.findWork(now);
    if (!this.hasWork()) return;
    this.capacityFreed.raise();
    this.relay.wake();
  }

  /** Runs before the rest of a poll because users wait for urgent single sends. */
  private async pollSingles(now: Date): Promise<void> {
    const marketing = await this.singles.findDue(now);
    for (const accountId of marketing) this.roundRobin.add({ accountId, messageId: SINGLES });
    if (!this.singles.hasWork && marketing.length === 0) return;
    this.capacityFreed.raise();
    this.relay.wake();
  }

  private async findWork(now: Date): Promise<void> {
    for (const message of this.ranges.messages()) this.sendQueue.add(message.ref);
    const stale = await this.sendQueue.read(now);
    // While an account's node is down, each attempt would delay other messages by a connection
    // timeout.
    for (const ref of [...this.roundRobin.all()]) {
      if (!isAccountReachable(ref.accountId)) this.roundRobin.delete(ref);
    }
    if (!this.isRelayProven) return;
    const { relay } = this;
    await this.leaseKeeper.resumeSending(
      stale,
      (sender) => relay.findWaitState?.(sender) !== undefined,
    );
  }

  private get roundRobin(): RoundRobin {
    return this.sendQueue.roundRobin;
  }

  /**
   * Whether the relay is usable for messages with an audience, which may not use reserves of
   * limits.
   */
  private get isRelayUsable(): boolean {
    return describeWait(this.relay.state()) === undefined;
  }

  /**
   * Whether messages in state `waiting` may resume. They do so only after a success, because a
   * failed trial would set all of them to `waiting` again.
   */
  private get isRelayProven(): boolean {
    const state = this.relay.state();
    return state.kind === 'ready' && !state.isUnproven && !state.othersWait;
  }

  /**
   * While the relay is unusable, withdraws handoffs and sets messages to `waiting`, or pauses them
   * if the relay refuses us.
   */
  private async applyRelayState(): Promise<void> {
    const state = this.relay.state();
    const wait = describeWait(state);
    if (!wait) return;
    const refs = [
      ...this.roundRobin.all(),
      ...[...this.ranges.messages()].map((activeMessage) => activeMessage.ref),
    ];
    this.inFlight.withdraw((handoff) => state.kind !== 'ready' || !handoff.mayUseReserve);
    // All ranges are released because the relay may work in another process.
    this.ranges.closeAll();
    if (this.refusal) await this.leaseKeeper.pauseRefused(refs, this.refusal);
    else await this.leaseKeeper.setWaiting(refs, wait);
    if (this.refusal) for (const ref of refs) this.roundRobin.delete(ref);
    this.refusal = undefined;
  }

  /**
   * Withdraws handoffs of messages that were paused or canceled, or that another sender sends now.
   */
  private async dropStopped(): Promise<void> {
    const active = new Set([...this.ranges.messages(), ...this.inFlight.queue.messages()]);
    const refs = new Map([...active].map(({ key, ref }) => [key, ref]));
    for (const ref of await this.leaseKeeper.findStopped(refs.values(), this.scope)) {
      const key = messageKey(ref);
      this.roundRobin.delete(ref);
      this.inFlight.withdraw((handoff) => handoff.message.key === key);
      this.ranges.close(key);
    }
  }

  // Feeding the relay.

  /**
   * Number of handoffs started in the ledger without a recorded result; a kill makes them unknown.
   */
  private get outstanding(): number {
    return this.inFlight.queue.size + this.inFlightCount + this.recorder.pendingCount;
  }

  private get pace(): CurrentPace {
    const { allowedPerSecond } = this.relay.getStatistics();
    const { capacity } = this.relay;
    return { capacity, allowedPerSecond, perSecond: this.rate.perSecond() };
  }

  private async feed(): Promise<void> {
    let failures = 0;
    while (!this.isClosing) {
      try {
        if (this.isPaused || this.relay.state().kind !== 'ready' || !(await this.feedOnce())) {
          await this.capacityFreed.wait(POLL_MS);
        }
        failures = 0;
      } catch (error) {
        log.warn('Could not start handoffs', { reason: (error as Error).message });
        // The first failure in a row causes no delay; failures of an unreachable node do not count.
        if (!isOtherNodeFailure(error)) failures++;
        if (failures > 1) await new Promise((resolve) => setTimeout(resolve, AFTER_FAILURE_MS));
      }
    }
  }

  /**
   * Starts urgent single sends, then one step of a message. Returns false if it started neither,
   * for lack of capacity or work.
   */
  private async feedOnce(): Promise<boolean> {
    const urgentCapacity = this.relay.capacity - this.inFlight.queue.urgentCount;
    const urgent = await this.singles.startUrgent(urgentCapacity, !this.isRelayUsable);
    if (urgent.length > 0) {
      this.inFlight.addUrgent(urgent);
      this.relay.wake();
    }
    const { pace } = this;
    const capacity = this.isRelayUsable ? computeMaxStarted(pace) - this.outstanding : 0;
    if (capacity < computeMinCapacity(pace) || this.isClosing) return urgent.length > 0;
    const ref = this.roundRobin.next();
    if (!ref) return urgent.length > 0;
    const fairCount = Math.ceil(capacity / this.roundRobin.size);
    const count = Math.min(capacity, Math.max(fairCount, this.relay.capacity));
    this.currentStep = this.steps.start(ref, count).then((handoffs) => {
      this.inFlight.add(handoffs);
      this.updateBusy();
    });
    try {
      await this.currentStep;
    } catch (error) {
      // The next poll adds the message again.
      this.roundRobin.delete(ref);
      throw error;
    }
    this.relay.wake();
    return true;
  }
}
