// Renews a sender's leases, settles expired leases of other senders, and updates the states of
// messages when the relay fails or recovers, or when they cannot be sent.
import { MAILBOXES } from '#areas/subscribers/shared.ts';
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction, type Tx } from '#platform/server/database/database.ts';
import { log } from '#platform/server/log.ts';
import type { ActiveMessage } from './active-message.ts';
import { finishIfComplete } from '../ledger/audience.ts';
import { isolateAccount, isolateMessage } from '../ledger/isolate-message.ts';
import {
  type StateChange,
  changeState,
  haltRefusedMessage,
  type HaltingReason,
  haltMessage,
} from '../ledger/control.ts';
import * as ledger from '../ledger/ledger.sql.ts';
import { releaseAnswered } from '../ledger/sms-credit.ts';
import { addCounts, findMessage } from '../ledger/messages.sql.ts';
import { countDeferred } from '../ledger/result-rows.ts';
import {
  type MessageKey,
  listNeglectedMessages,
  type Scope,
  listSendable,
  listSending,
} from '../ledger/open-messages.sql.ts';
import { FIRST_MESSAGE_KEY, PAGE_ROWS, PageCursor } from '../ledger/pages.ts';
import type { RelayState } from '../relays/provider.ts';
import { messageKey, type MessageRef } from './round-robin.ts';
import type { RangeLease, LedgerHandoff } from './sending.ts';
import {
  listAccountsWithLostSms,
  renewSingleLeases,
  settleLostSms,
} from '../singles/singles.sql.ts';
import type { MessageChannel } from '../../message-kinds.ts';

/**
 * Time until a lease that is not renewed expires. It is short so that the leases of a lost sender
 * are settled soon.
 */
export const LEASE_MS = 30_000;
const RENEW_EVERY_MS = 5_000;

export class LeaseKeeper {
  private readonly db: Db;
  private readonly owner: string;
  private renewedAt = performance.now();
  private readonly pages: PageCursor<MessageKey>;
  /** Messages that this process set to `waiting`. */
  private readonly reportedWaits = new Map<
    string,
    { ref: MessageRef; at: Date; sender?: string }
  >();

  /** Each poll reads at most `pageSize` messages. */
  constructor(db: Db, owner: string, pageSize = PAGE_ROWS) {
    this.db = db;
    this.owner = owner;
    this.pages = new PageCursor(FIRST_MESSAGE_KEY, pageSize);
  }

  /** Renews this process's leases: its ranges and the rows that it leased one by one. */
  async renewLeases(leases: Iterable<RangeLease>, rows: Iterable<LedgerHandoff>): Promise<void> {
    const now = performance.now();
    if (now - this.renewedAt < RENEW_EVERY_MS) return;
    this.renewedAt = now;
    const leasedUntil = new Date(clock.now().getTime() + LEASE_MS);
    for (const [message, leased] of groupByMessage(leases)) {
      await isolateMessage(message.ref, 'Could not extend leased ranges', () =>
        ledger.renewRangeLeases(
          this.db,
          message.accountId,
          message.id,
          leased,
          this.owner,
          leasedUntil,
        ),
      );
    }
    for (const [message, handoffs] of groupByMessage(rows)) {
      await isolateMessage(message.ref, 'Could not extend row leases', () =>
        this.renewRowLeases(message, handoffs, leasedUntil),
      );
    }
  }

  private async renewRowLeases(
    { accountId, id }: ActiveMessage,
    handoffs: readonly LedgerHandoff[],
    leasedUntil: Date,
  ): Promise<void> {
    const rows = handoffs.map((handoff) => handoff.row);
    const deferredRows = rows.flatMap((row) => (row.kind === 'deferrals' ? [row] : []));
    const singles = rows.flatMap((row) => (row.kind === 'singles' ? [row.id] : []));
    if (deferredRows.length > 0) {
      await ledger.renewDeferredLeases(
        this.db,
        accountId,
        id,
        deferredRows,
        this.owner,
        leasedUntil,
      );
    }
    if (singles.length > 0)
      await renewSingleLeases(this.db, accountId, this.owner, singles, leasedUntil);
  }

  /**
   * Settles expired leases: handoffs in flight become unknown, the other recipients are released.
   * Also finishes messages without open work.
   */
  async settleExpired(now: Date, channel: MessageChannel = 'email'): Promise<void> {
    // Ranges and deferrals are settled below for both channels, by the senders of either.
    if (channel === 'sms') await this.settleSingleSms(now);
    for (const { account_id: accountId, id, is_lost } of await this.findNeglected(now)) {
      await isolateMessage({ accountId, messageId: id }, 'Could not settle a message', async () => {
        if (is_lost) await this.settleLost(accountId, id, now);
        await inTransaction(this.db, (tx) => finishIfComplete(tx, accountId, id));
      });
    }
  }

  private async settleSingleSms(now: Date): Promise<void> {
    for (const accountId of await listAccountsWithLostSms(this.db, now)) {
      await isolateAccount(accountId, 'Could not settle the SMS of an account', () =>
        inTransaction(this.db, (tx) => settleSmsOf(tx, accountId, now)),
      );
    }
  }

  private async findNeglected(now: Date) {
    const page = await listNeglectedMessages(this.db, now, this.pages);
    return this.pages.advance(page, (row) => row);
  }

  private async settleLost(accountId: number, messageId: number, now: Date): Promise<void> {
    const { lost, request } = await inTransaction(this.db, async (tx) => {
      const lostLeases = await ledger.settleLost(tx, accountId, messageId, now);
      await addCounts(tx, accountId, messageId, {
        unknown: lostLeases.unknownCount,
        lanes: countDeferred(lostLeases.deferredLanes, -1),
      });
      const message = await findMessage(tx, accountId, messageId);
      return { lost: lostLeases.unknownCount, request: message?.request_id ?? undefined };
    });
    const logFields = { accountId, messageId, request, unknown: lost };
    log.warn('Recovered leases of an expired sender', logFields);
  }

  /**
   * Returns the given messages that this sender may no longer send: they were stopped, or
   * another sender has taken over because the account's own relays changed.
   */
  async findStopped(refs: Iterable<MessageRef>, scope: Scope): Promise<MessageRef[]> {
    const stoppedMessages: MessageRef[] = [];
    for (const [accountId, ids] of byAccount(refs)) {
      const sendable = await isolateAccount(
        accountId,
        'Could not read the states of messages',
        () => listSendable(this.db, scope, accountId, ids),
      );
      const unsendable = sendable ? ids.filter((id) => !sendable.includes(id)) : [];
      stoppedMessages.push(...unsendable.map((messageId) => ({ accountId, messageId })));
    }
    return stoppedMessages;
  }

  /**
   * Sets messages to `waiting`, because the relay is unusable. `sender` is set if only the relays
   * that accept this sender are unusable.
   */
  async setWaiting(refs: Iterable<MessageRef>, state: RelayState, sender?: string): Promise<void> {
    if (state.kind === 'ready') return;
    const { code, enhancedCode, reply } = state.result;
    const isLimit = state.kind === 'waiting' && state.isLimit;
    const delayedUntil = new Date(clock.now().getTime() + state.retryInMs).toISOString();
    // One of our own limits has no reply to report, only the time when sending resumes.
    const details = isLimit
      ? { until: delayedUntil }
      : { code: enhancedCode || String(code || ''), reply };
    const reason = isLimit ? 'relay_limit' : 'relay_unreachable';
    const stateChange = { state: 'waiting', from: ['sending'], reason, details } as const;
    for (const [accountId, ids] of byAccount(refs)) {
      const states = await isolateAccount(accountId, 'Could not read the states of messages', () =>
        listSending(this.db, accountId, ids),
      );
      for (const { id, resumed_at } of states ?? []) {
        const ref = { accountId, messageId: id };
        const reportedDelay = this.reportedWaits.get(messageKey(ref));
        // Each wait is reported once, and again after a resume.
        if (reportedDelay && (!resumed_at || resumed_at < reportedDelay.at)) continue;
        const at = clock.now();
        await this.changeState(ref, stateChange);
        this.reportedWaits.set(messageKey(ref), {
          ref,
          at,
          ...(sender === undefined ? {} : { sender }),
        });
      }
    }
  }

  private changeState(ref: MessageRef, stateChange: StateChange): Promise<void> {
    return isolateMessage(ref, 'Could not report the progress of a message', () =>
      inTransaction(this.db, (tx) => changeState(tx, ref.accountId, ref.messageId, stateChange)),
    );
  }

  /**
   * After the relay has recovered, resumes messages in state `waiting`: `otherMessages`, and
   * messages that this process set to `waiting`, unless their sender still waits for its relays.
   */
  async resumeSending(
    otherMessages: Iterable<MessageRef>,
    stillWaits: (sender: string) => boolean = () => false,
  ): Promise<void> {
    const isSuspended = false;
    const stateChange = {
      state: 'sending',
      from: ['waiting'],
      reason: null,
      isSuspended,
    } as const;
    for (const ref of [
      ...[...this.reportedWaits.values()].map((reportedDelay) => reportedDelay.ref),
      ...otherMessages,
    ]) {
      const sender = this.reportedWaits.get(messageKey(ref))?.sender;
      if (sender !== undefined && stillWaits(sender)) continue;
      await this.changeState(ref, stateChange);
      this.reportedWaits.delete(messageKey(ref));
    }
  }

  /**
   * Pauses these messages and notifies their owners, because the relay refuses all email from us.
   */
  async pauseRefused(
    refs: Iterable<MessageRef>,
    state: RelayState & { kind: 'refused' },
  ): Promise<void> {
    const { code, enhancedCode, reply } = state.result;
    const details = { code: enhancedCode || String(code || ''), reply };
    for (const ref of refs) {
      await isolateMessage(ref, 'Could not pause a message rejected by the relay', () =>
        inTransaction(this.db, (tx) =>
          haltRefusedMessage(tx, ref.accountId, ref.messageId, details),
        ),
      );
    }
  }

  /**
   * Pauses a message and notifies its owner, because its content no longer compiles or its sender
   * is not verified.
   */
  async pauseUnsendable(
    { accountId, messageId }: MessageRef,
    reason: HaltingReason,
  ): Promise<void> {
    await inTransaction(this.db, (tx) => haltMessage(tx, accountId, messageId, reason));
  }
}

async function settleSmsOf(tx: Tx, accountId: number, now: Date): Promise<void> {
  for (const lostHandoffs of await settleLostSms(tx, accountId, now)) {
    const { message_id: messageId, count, deferred } = lostHandoffs;
    const lanes = [{ lane: MAILBOXES.other, accepted: 0, deferred: -deferred, failed: 0 }];
    const counts = { audience: count - deferred, unknown: count, lanes };
    await addCounts(tx, accountId, messageId, counts);
    await releaseAnswered(tx, accountId, messageId);
  }
}

function byAccount(refs: Iterable<MessageRef>): Map<number, number[]> {
  const groups = new Map<number, number[]>();
  for (const { accountId, messageId } of refs) {
    const group = groups.get(accountId);
    if (group) group.push(messageId);
    else groups.set(accountId, [messageId]);
  }
  return groups;
}

function groupByMessage<T extends { readonly message: ActiveMessage }>(list: Iterable<T>) {
  const groups = new Map<ActiveMessage, T[]>();
  for (const lease of list) {
    const group = groups.get(lease.message);
    if (group) group.push(lease);
    else groups.set(lease.message, [lease]);
  }
  return groups;
}
