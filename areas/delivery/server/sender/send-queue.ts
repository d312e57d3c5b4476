// The messages that polls of the ledger found: their round-robin order, which of them have due
// retries, and which wait for capacity or for the next day of their warm-up.
import type { Db } from '#platform/server/database/database.ts';
import type { ActiveMessages } from './active-messages.ts';
import {
  type MessageKey,
  type OpenMessage,
  listOpenMessages,
  type Scope,
} from '../ledger/open-messages.sql.ts';
import { mailboxOfLane } from '../ledger/lanes.ts';
import { FIRST_MESSAGE_KEY, PageCursor } from '../ledger/pages.ts';
import { messageKey, RoundRobin, type MessageRef } from './round-robin.ts';

export class SendQueue {
  readonly roundRobin = new RoundRobin();
  private readonly db: Db;
  private readonly scope: Scope;
  private readonly messages: ActiveMessages;
  private readonly pages: PageCursor<MessageKey>;
  /** Messages with deferred recipients that are due for a retry. */
  private readonly due = new Set<string>();
  /** Messages that wait for capacity, with the lanes that lack it. */
  private readonly waitingMessages = new Map<
    string,
    { ref: MessageRef; lanes: readonly number[] }
  >();
  /** Messages that may send only retries, with the time until which their warm-up delays them. */
  private readonly delayedUntilByKey = new Map<string, Date>();

  constructor(db: Db, scope: Scope, messages: ActiveMessages, pageSize: number) {
    this.db = db;
    this.scope = scope;
    this.messages = messages;
    this.pages = new PageCursor(FIRST_MESSAGE_KEY, pageSize);
  }

  /**
   * Polls the next page of open messages. Returns messages in state `waiting` without a warm-up
   * delay.
   */
  async read(now: Date): Promise<MessageRef[]> {
    const unblockedMessages: MessageRef[] = [];
    const page = await listOpenMessages(this.db, this.scope, now, this.pages);
    for (const row of this.pages.advance(page, (message) => message)) {
      const ref = { accountId: row.account_id, messageId: row.id };
      this.recordState(messageKey(ref), row);
      this.add(ref);
      if (row.is_waiting && !row.held_until) unblockedMessages.push(ref);
    }
    return unblockedMessages;
  }

  /** Adds the message with all its lanes, even if it was waiting. */
  add(ref: MessageRef): void {
    this.waitingMessages.delete(messageKey(ref));
    this.roundRobin.add(ref);
  }

  /**
   * Makes the message wait until one of these lanes, which had no capacity, has some. If it waited
   * already, only lanes in both lists remain: other lanes had capacity but no recipients. Returns
   * the lanes that the message waits for.
   */
  waitForLanes(ref: MessageRef, lanes: readonly number[]): readonly number[] {
    this.roundRobin.delete(ref);
    const key = messageKey(ref);
    const previous = this.waitingMessages.get(key);
    const remaining = previous ? lanes.filter((lane) => previous.lanes.includes(lane)) : lanes;
    if (remaining.length > 0) this.waitingMessages.set(key, { ref, lanes: remaining });
    else this.waitingMessages.delete(key);
    return remaining;
  }

  /** Returns the lanes that the message waits for, or undefined if it does not wait. */
  getAwaitedLanes(key: string): readonly number[] | undefined {
    return this.waitingMessages.get(key)?.lanes;
  }

  /** Clears the message's waiting state because some of its handoffs have started. */
  clearWaiting(key: string): void {
    this.waitingMessages.delete(key);
  }

  /**
   * Queues the messages again that wait for this mailbox provider, which has capacity again.
   * Returns whether there were any.
   */
  requeueFor(mailbox: number): boolean {
    let isAny = false;
    for (const { ref, lanes } of this.waitingMessages.values()) {
      if (!lanes.some((lane) => mailboxOfLane(lane) === mailbox)) continue;
      this.roundRobin.add(ref);
      isAny = true;
    }
    return isAny;
  }

  private recordState(key: string, row: OpenMessage): void {
    if (row.has_deferred) this.due.add(key);
    if (row.resumed_at) this.messages.invalidateBefore(key, row.resumed_at);
    if (row.held_until) this.delayedUntilByKey.set(key, row.held_until);
    else this.delayedUntilByKey.delete(key);
  }

  isDue(key: string): boolean {
    return this.due.has(key);
  }

  /** Records that all due retries of the message have started. */
  clearDue(key: string): void {
    this.due.delete(key);
  }

  /** Returns whether the message may send only retries. */
  isDelayed(key: string, now: Date): boolean {
    const delayedUntil = this.delayedUntilByKey.get(key);
    return delayedUntil !== undefined && delayedUntil > now;
  }
}
