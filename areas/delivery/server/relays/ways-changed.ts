// What follows wherever an account's own ways to hand over change, of any channel.
import type { Tx } from '#platform/server/database.ts';
import { notifySenders } from '../ledger/messages.sql.ts';
import { deleteAllowances } from './allowances.sql.ts';

/** Its senders look at them anew. `removed`: the key of one that is gone for good. */
export async function waysChanged(tx: Tx, accountId: number, removed?: string): Promise<void> {
  if (removed !== undefined) await deleteAllowances(tx, removed);
  await notifySenders(tx, accountId);
}
