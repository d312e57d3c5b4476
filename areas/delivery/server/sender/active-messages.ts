// Compiled messages that a process is sending.
import { clock } from '#platform/server/clock.ts';
import type { Db, Reader } from '#platform/server/database/database.ts';
import { log } from '#platform/server/log.ts';
import { NotCompiled } from '../channels/compiling.ts';
import { loadEmail } from '../channels/email.ts';
import { loadSms } from '../channels/sms.ts';
import { findMessage } from '../ledger/messages.sql.ts';
import type { ActiveMessage } from './active-message.ts';
import { messageKey } from './round-robin.ts';

/**
 * The keys and the host of the sending domain may change during sending. A lost verification
 * notifies senders immediately; this interval covers a missed notification.
 */
const FRESH_MS = 3 * 60_000;

/**
 * Reasons why a message cannot be sent: it was deleted, its frozen content no longer compiles, or
 * its sender's domain was removed or is no longer verified.
 */
export type Unsendable = 'message_gone' | 'content_unsendable' | 'sender_not_verified';

type CachedMessage = { accountId: number; loading: Promise<ActiveMessage | Unsendable>; at: Date };

/**
 * Compiled messages of a process; the least recently used that are not in use are evicted first.
 */
export class ActiveMessages {
  private readonly kept = new Map<string, CachedMessage>();
  private readonly db: Db;
  private readonly limit: number;
  private readonly isInUse: (key: string) => boolean;

  /** Holds up to `max` messages, plus those in use by their `keyOf`. */
  constructor(db: Db, max: number, isInUse: (key: string) => boolean) {
    this.db = db;
    this.limit = max;
    this.isInUse = isInUse;
  }

  /** `db`: the caller's transaction, so that a second connection is not needed. */
  get(
    accountId: number,
    messageId: number,
    db: Reader = this.db,
  ): Promise<ActiveMessage | Unsendable> {
    const key = messageKey({ accountId, messageId });
    const known = this.kept.get(key);
    this.kept.delete(key);
    const now = clock.now();
    if (known && now.getTime() - known.at.getTime() < FRESH_MS) {
      this.kept.set(key, known);
      return known.loading;
    }
    const loading = load(db, accountId, messageId);
    loading.catch(() => this.kept.delete(key));
    this.kept.set(key, { accountId, loading, at: now });
    this.dropOldest();
    return loading;
  }

  /**
   * Reloads a message that was stopped and may be resumed by now: the cause, such as a missing
   * signature, may be fixed.
   */
  resumed(key: string, at: Date): void {
    const known = this.kept.get(key);
    if (known && known.at <= at) this.kept.delete(key);
  }

  /** Marks the cached messages of this account (0: of all) as stale. */
  invalidate(accountId: number): void {
    for (const [key, one] of this.kept) {
      if (accountId === 0 || one.accountId === accountId) this.kept.delete(key);
    }
  }

  private dropOldest(): void {
    for (const oldest of this.kept.keys()) {
      if (this.kept.size <= this.limit) return;
      if (!this.isInUse(oldest)) this.kept.delete(oldest);
    }
  }
}

async function load(
  db: Reader,
  accountId: number,
  messageId: number,
): Promise<ActiveMessage | Unsendable> {
  const row = await findMessage(db, accountId, messageId);
  if (!row) return 'message_gone';
  try {
    return await (row.channel === 'sms' ? loadSms(db, row) : loadEmail(db, row));
  } catch (error) {
    if (!(error instanceof NotCompiled)) throw error;
    // Whatever the cause, the same content would fail again.
    log.error('Frozen content cannot be rendered any more', {
      accountId,
      messageId,
      request: row.request_id ?? undefined,
      error: error.cause as Error,
    });
    return 'content_unsendable';
  }
}
