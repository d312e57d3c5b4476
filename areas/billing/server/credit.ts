// SMS credit: bought, held for a message before it leaves, spent by what providers took, given back at
// its end. All of it under the account's one row, so that it never falls below what is held.
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database.ts';
import * as store from './billing.sql.ts';

/** Holds so much more for a message; false, and nothing held, where the credit does not reach. */
export async function holdCredit(
  tx: Tx,
  hold: { accountId: number; messageId: number; micros: number },
): Promise<boolean> {
  const { balance_micros, held_micros } = await store.lockBilling(tx, hold.accountId);
  if (balance_micros - held_micros < hold.micros) return false;
  await store.changeHold(tx, { ...hold, at: clock.now() });
  return true;
}

/** What a provider took is charged, out of what the message holds; each source once. */
export async function spendCredit(
  tx: Tx,
  spent: { accountId: number; messageId: number; micros: number; source: string },
): Promise<void> {
  const at = clock.now();
  const { accountId, messageId } = spent;
  await store.lockBilling(tx, accountId);
  const held = await store.holdOf(tx, accountId, messageId);
  const micros = Math.min(spent.micros, held);
  const isNew = await store.addCredit(tx, {
    accountId,
    kind: 'spent',
    micros: -micros,
    source: spent.source,
    at,
  });
  if (isNew) await store.changeHold(tx, { accountId, messageId, micros: -micros, at });
}

/** The message is over: what it still held is free again. */
export async function releaseCredit(tx: Tx, accountId: number, messageId: number): Promise<void> {
  await store.lockBilling(tx, accountId);
  const held = await store.holdOf(tx, accountId, messageId);
  if (held > 0)
    await store.changeHold(tx, { accountId, messageId, micros: -held, at: clock.now() });
}
