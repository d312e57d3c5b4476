// Applies a change of an account's own relays or SMS providers.
import type { Tx } from '#platform/server/database/database.ts';
import { notifySenders } from '../ledger/messages.sql.ts';
import { deleteAllowances } from './allowances.sql.ts';

/**
 * Makes senders reload the account's relays or SMS providers.
 * @param removedKey key of a deleted relay or provider, whose allowances are deleted
 */
export async function sendersChanged(
  tx: Tx,
  accountId: number,
  removedKey?: string,
): Promise<void> {
  if (removedKey !== undefined) await deleteAllowances(tx, removedKey);
  await notifySenders(tx, accountId);
}
