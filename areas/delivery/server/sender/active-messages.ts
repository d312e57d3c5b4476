// Caches the compiled messages that a sender is sending.
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
 * Time after which a message is reloaded, because the keys and hosts of its sending domain may
 * change while it is sent. Senders are notified immediately if a domain loses its verification;
 * this interval also covers missed notifications.
 */
const FRESH_MS = 3 * 60_000;

/**
 * Why a message cannot be sent: it does not exist, its frozen content no longer compiles, or its
 * sender is not (or no longer) verified.
 */
export type Unsendable = 'message_gone' | 'content_unsendable' | 'sender_not_verified';

type CachedMessage = {
  accountId: number;
  loading: Promise<ActiveMessage | Unsendable>;
  loadedAt: Date;
};

/**
 * The compiled messages of one sender. The least recently used ones are evicted, unless they are in
 * use.
 */
export class ActiveMessages {
  private readonly cachedMessages = new Map<string, CachedMessage>();
  private readonly db: Db;
  private readonly limit: number;
  private readonly isInUse: (key: string) => boolean;

  /** Holds up to `max` messages, or more if `isInUse` is true for them (by their `messageKey`). */
  constructor(db: Db, max: number, isInUse: (key: string) => boolean) {
    this.db = db;
    this.limit = max;
    this.isInUse = isInUse;
  }

  /** A caller within a transaction passes it as `db`, so that no second connection is needed. */
  get(
    accountId: number,
    messageId: number,
    db: Reader = this.db,
  ): Promise<ActiveMessage | Unsendable> {
    const key = messageKey({ accountId, messageId });
    const cached = this.cachedMessages.get(key);
    this.cachedMessages.delete(key);
    const now = clock.now();
    if (cached && now.getTime() - cached.loadedAt.getTime() < FRESH_MS) {
      this.cachedMessages.set(key, cached);
      return cached.loading;
    }
    const loading = load(db, accountId, messageId);
    loading.catch(() => this.cachedMessages.delete(key));
    this.cachedMessages.set(key, { accountId, loading, loadedAt: now });
    this.dropOldest();
    return loading;
  }

  /**
   * Makes a message that was resumed at `at` load again, because the cause of its stop, such as an
   * unverified domain, may be fixed.
   */
  invalidateBefore(key: string, at: Date): void {
    const cached = this.cachedMessages.get(key);
    if (cached && cached.loadedAt <= at) this.cachedMessages.delete(key);
  }

  /** Drops the cached messages of this account, or of all accounts if `accountId` is 0. */
  invalidate(accountId: number): void {
    for (const [key, cached] of this.cachedMessages) {
      if (accountId === 0 || cached.accountId === accountId) this.cachedMessages.delete(key);
    }
  }

  private dropOldest(): void {
    for (const oldest of this.cachedMessages.keys()) {
      if (this.cachedMessages.size <= this.limit) return;
      if (!this.isInUse(oldest)) this.cachedMessages.delete(oldest);
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
    // The message is not retried: its content would fail again.
    log.error('Could not render the content of a message in progress', {
      account: accountId,
      messageId,
      request: row.request_id ?? undefined,
      error: error.cause as Error,
    });
    return 'content_unsendable';
  }
}
