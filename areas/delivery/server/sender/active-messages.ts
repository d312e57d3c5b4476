// The messages that a process sends just now.
import { clock } from '#platform/server/clock.ts';
import type { Db, Reader } from '#platform/server/database.ts';
import { log } from '#platform/server/log.ts';
import { NotCompiled } from '../channels/compiling.ts';
import { loadEmail } from '../channels/email.ts';
import { loadText } from '../channels/sms.ts';
import { findMessage } from '../ledger/messages.sql.ts';
import type { ActiveMessage } from './active-message.ts';
import { keyOf } from './round-robin.ts';

/**
 * The keys and the host of its sending domain may change while it is on its way. Where it is verified no more,
 * that is told at once, and this is for what went unheard.
 */
const FRESH_MS = 3 * 60_000;

/**
 * Why a message cannot be sent: it is gone, what was frozen no longer compiles, or its sender's domain was
 * removed or lost its proof since.
 */
export type Unsendable = 'message_gone' | 'content_unsendable' | 'sender_not_verified';

type Kept = { accountId: number; loading: Promise<ActiveMessage | Unsendable>; at: Date };

/** The messages that a process sends just now, compiled; the longest unused and not in use go first. */
export class ActiveMessages {
  private readonly kept = new Map<string, Kept>();
  private readonly db: Db;
  private readonly most: number;
  private readonly isInUse: (key: string) => boolean;

  /** Up to `most` are kept, and those besides that are in use by their `keyOf`. */
  constructor(db: Db, most: number, isInUse: (key: string) => boolean) {
    this.db = db;
    this.most = most;
    this.isInUse = isInUse;
  }

  /** `db`: the transaction of whoever holds one, so that it does not ask for a second connection. */
  get(
    accountId: number,
    messageId: number,
    db: Reader = this.db,
  ): Promise<ActiveMessage | Unsendable> {
    const key = keyOf({ accountId, messageId });
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

  /** It was stopped, and may go on since then: what had kept it from being signed, say, may be mended. */
  resumed(key: string, at: Date): void {
    const known = this.kept.get(key);
    if (known && known.at <= at) this.kept.delete(key);
  }

  /** What is kept of this account's (0: of all) need not be so still. */
  forget(accountId: number): void {
    for (const [key, one] of this.kept) {
      if (accountId === 0 || one.accountId === accountId) this.kept.delete(key);
    }
  }

  private dropOldest(): void {
    for (const oldest of this.kept.keys()) {
      if (this.kept.size <= this.most) return;
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
    return await (row.channel === 'sms' ? loadText(db, row) : loadEmail(db, row));
  } catch (error) {
    if (!(error instanceof NotCompiled)) throw error;
    // Whatever it is: the same content fails the same way each time.
    log.error('Frozen content cannot be rendered any more', {
      accountId,
      messageId,
      error: error.cause as Error,
    });
    return 'content_unsendable';
  }
}
