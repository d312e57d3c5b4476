// Starts handoffs, one message after another: due retries first, then recipients of a range.
// An account's marketing single sends take a turn like a message.
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction } from '#platform/server/database/database.ts';
import { log } from '#platform/server/log.ts';
import { recordSpan } from '#platform/server/tracing/tracing.ts';
import type { ProviderCaps } from '../caps/provider-caps.ts';
import { messageStarted } from '../events.ts';
import { mailboxOfLane } from '../ledger/lanes.ts';
import * as ledger from '../ledger/ledger.sql.ts';
import { markStarted } from '../ledger/messages.sql.ts';
import type { Recorder } from '../ledger/recorder.ts';
import type { RelayConnection } from '../relays/provider.ts';
import type { Singles } from '../singles/singles.ts';
import type { WarmUps } from '../warm-up/warm-ups.ts';
import type { ActiveMessage } from './active-message.ts';
import type { ActiveMessages } from './active-messages.ts';
import type { InFlight } from './in-flight.ts';
import type { LeaseKeeper } from './lease-keeper.ts';
import { addMemberships } from './memberships.ts';
import type { RangeSearch, RangeQueue } from './ranges.ts';
import type { RateMeter } from './rate-meter.ts';
import { type MessageRef, SINGLES } from './round-robin.ts';
import type { SendQueue } from './send-queue.ts';
import { toDeferredHandoffs, type RangeLease, type LedgerHandoff } from './sending.ts';

/**
 * A leased range has enough recipients for this time at the measured rate. The time is short, so
 * that several senders share a message.
 */
const RANGE_SECONDS = 2;
const MIN_RANGE = 100;
const MAX_RANGE = 10_000;

/** Parts of the sender that the steps use. */
type SenderParts = {
  readonly db: Db;
  readonly relay: RelayConnection;
  readonly messages: ActiveMessages;
  readonly sendQueue: SendQueue;
  readonly inFlight: InFlight;
  readonly ranges: RangeQueue;
  readonly warmUps: WarmUps;
  readonly caps: ProviderCaps;
  readonly recorder: Recorder;
  readonly leaseKeeper: LeaseKeeper;
  readonly rate: RateMeter;
  readonly singles: Singles;
};

export class SendSteps {
  private readonly parts: SenderParts;

  constructor(parts: SenderParts) {
    this.parts = parts;
  }

  /**
   * Starts up to `count` handoffs of one message. A message that has no work or cannot be sent now
   * is removed from the round-robin.
   */
  async start(ref: MessageRef, count: number): Promise<LedgerHandoff[]> {
    if (ref.messageId === SINGLES) return this.startSingles(ref, count);
    const { messages, recorder, leaseKeeper, sendQueue, relay, ranges } = this.parts;
    const message = await messages.get(ref.accountId, ref.messageId);
    if (typeof message === 'string') {
      if (message !== 'message_gone') await leaseKeeper.pauseUnsendable(ref, message);
      sendQueue.roundRobin.delete(ref);
      return [];
    }
    if (recorder.isRetrying(message)) {
      sendQueue.roundRobin.delete(ref);
      return [];
    }
    const waitState = relay.findWaitState?.(message.from);
    if (waitState) {
      sendQueue.roundRobin.delete(ref);
      // Its ranges are released because the relay of another process may accept the sender.
      ranges.close(message.key);
      await leaseKeeper.setWaiting([ref], waitState, message.from);
      return [];
    }
    const now = clock.now();
    const retries = await this.startDeferred(message, count, now);
    if (retries.length > 0) return retries;
    const awaitedLanes = sendQueue.getAwaitedLanes(message.key);
    if (awaitedLanes && !this.hasCapacityIn(message, awaitedLanes)) {
      sendQueue.roundRobin.delete(ref);
      return [];
    }
    const startedAt = performance.now();
    const { lease, fullMailboxes } = await this.findRange(message, now);
    const capacity = lease
      ? this.computeCapacity(message, lease.lane, lease.to - lease.startedTo)
      : 0;
    const size = lease ? Math.min(count, capacity, lease.to - lease.startedTo) : 0;
    const handoffs = lease && size > 0 ? await this.startRange(lease, size, now, message) : [];
    if (handoffs.length > 0) {
      sendQueue.clearWaiting(message.key);
      recordSpan('delivery.step', performance.now() - startedAt, {
        'sendloom.account': ref.accountId,
        'sendloom.message': ref.messageId,
        'sendloom.recipients': handoffs.length,
      });
    } else {
      const isFull = lease !== undefined && capacity <= 0;
      this.waitForLanes(
        message,
        isFull ? [...fullMailboxes, mailboxOfLane(lease.lane)] : fullMailboxes,
      );
    }
    return handoffs;
  }

  /** Starts an account's marketing single sends, which alternate with its messages. */
  private async startSingles(ref: MessageRef, count: number): Promise<LedgerHandoff[]> {
    const { singles, sendQueue } = this.parts;
    const handoffs = await singles.startMarketing(ref.accountId, count);
    if (handoffs.length < count) sendQueue.roundRobin.delete(ref);
    return handoffs;
  }

  /**
   * Removes a message from the round-robin after none of its handoffs could start. The message
   * returns when a poll finds it again or one of `fullMailboxes` has free capacity.
   */
  private waitForLanes(message: ActiveMessage, fullMailboxes: readonly number[]): void {
    const { sendQueue } = this.parts;
    const { ref } = message;
    const awaitedLanes = sendQueue.waitForLanes(ref, fullMailboxes);
    // Capacity may have become free since.
    if (this.hasCapacityIn(message, awaitedLanes)) sendQueue.roundRobin.add(ref);
  }

  private hasCapacityIn(message: ActiveMessage, lanes: readonly number[]): boolean {
    return lanes.some((lane) => this.computeCapacity(message, lane) > 0);
  }

  private async startDeferred(message: ActiveMessage, count: number, now: Date) {
    const { db, sendQueue, ranges, caps } = this.parts;
    if (!sendQueue.isDue(message.key)) return [];
    const { accountId, id } = message;
    const options = ranges.getStepOptions(message, now);
    const { rows, memberships } = await addMemberships(db, message, (reader) =>
      ledger.startDeferred(reader, accountId, id, count, options),
    );
    if (rows.length < count) sendQueue.clearDue(message.key);
    const handoffs = toDeferredHandoffs(message, rows, now, memberships);
    caps.countStarted(message, handoffs);
    if (message.kindRules.channel === 'sms') await this.recordFirstSms(message, handoffs);
    return handoffs;
  }

  private async findRange(message: ActiveMessage, now: Date): Promise<RangeSearch> {
    const { sendQueue, ranges, caps } = this.parts;
    if (sendQueue.isDelayed(message.key, now)) {
      ranges.close(message.key);
      return { fullMailboxes: [] };
    }
    return ranges.next(
      message,
      this.computeRangeSize(),
      (lane, requested) => this.computeCapacity(message, lane, requested),
      caps.listClosedLanes(message),
    );
  }

  private async startRange(
    lease: RangeLease,
    max: number,
    now: Date,
    fresh: ActiveMessage,
  ): Promise<LedgerHandoff[]> {
    const { warmUps, ranges, caps } = this.parts;
    const { message } = lease;
    const grantedCount = await warmUps.take(message, max);
    if (grantedCount === 0) {
      ranges.close(message.key);
      return [];
    }
    let handoffs: LedgerHandoff[] = [];
    try {
      const isSms = message.kindRules.channel === 'sms';
      if (!isSms) await this.recordStart(message);
      handoffs = await ranges.startHandoffs(lease, grantedCount, now);
      caps.countStarted(fresh, handoffs);
      if (isSms) await this.recordFirstSms(message, handoffs);
    } finally {
      warmUps.recordUse(message, grantedCount, handoffs);
    }
    return handoffs;
  }

  /** Returns the capacity of a lane minus the handoffs that wait for a connection. */
  private computeCapacity(message: ActiveMessage, lane: number, requested?: number): number {
    const { relay, inFlight, caps } = this.parts;
    const mailbox = mailboxOfLane(lane);
    const capacity = relay.capacityFor?.(mailbox, requested) ?? Infinity;
    const free =
      capacity > 0 && capacity < Infinity
        ? capacity - inFlight.queue.countWaiting(mailbox)
        : capacity;
    return message.providerCaps?.size
      ? Math.min(free, caps.capacityFor(message, lane, requested))
      : free;
  }

  private computeRangeSize(): number {
    const size = Math.round(this.parts.rate.perSecond() * RANGE_SECONDS);
    return Math.min(MAX_RANGE, Math.max(MIN_RANGE, size));
  }

  /**
   * Records the start of an SMS message, unless all of these copies are delayed. Since the handoffs
   * have started already, a failure is only logged, and the start is recorded with the next step.
   */
  private async recordFirstSms(
    message: ActiveMessage,
    handoffs: readonly LedgerHandoff[],
  ): Promise<void> {
    if (handoffs.every(({ delay }) => delay !== undefined)) return;
    await this.recordStart(message).catch((error: unknown) => {
      const logFields = { ...message.logFields, error: error as Error };
      log.warn('Could not record the start of a message', logFields);
    });
  }

  private async recordStart(message: ActiveMessage): Promise<void> {
    if (message.hasStarted) return;
    const { accountId, id: messageId } = message;
    await inTransaction(this.parts.db, async (tx) => {
      const at = clock.now();
      const row = await markStarted(tx, accountId, messageId, at);
      if (!row) return;
      const { kind, source_id: sourceId } = row;
      await messageStarted.announce(tx, { accountId, messageId, kind, sourceId, at });
    });
    message.hasStarted = true;
    if (message.logFields.request) log.info('Sending started', message.logFields);
  }
}
