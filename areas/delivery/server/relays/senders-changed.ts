// Effects of a change of an account's own senders, on any channel.
import type { Tx } from '#platform/server/database/database.ts';
import { notifySenders } from '../ledger/messages.sql.ts';
import { deleteAllowances } from './allowances.sql.ts';

/** Its senders are reloaded. `removed`: the key of a deleted one. */
export async function sendersChanged(tx: Tx, accountId: number, removed?: string): Promise<void> {
  if (removed !== undefined) await deleteAllowances(tx, removed);
  await notifySenders(tx, accountId);
}
