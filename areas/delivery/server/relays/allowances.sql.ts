// Queries for allowances. A row belongs to a relay; or to a mailbox provider, domain or sending
// number that has its own rate at a relay; or to the limit of a sending domain at a mailbox
// provider. A row is locked while capacity is taken from it. On a cluster, the table is stored only
// on the coordinator, because its rows belong to no account's data.
import { sql } from 'kysely';
import type { Db, Reader, Tx } from '#platform/server/database/database.ts';
import type { AllowanceState } from './allowance.ts';

/**
 * Locks the row until the transaction ends and returns its state. Inserts `initialState` if the row
 * is missing.
 */
export async function lockAllowance(
  tx: Tx,
  key: string,
  initialState: AllowanceState,
  at: Date,
): Promise<AllowanceState> {
  await sql`insert into relay_allowances (key, state, modified_at)
    values (${key}, ${JSON.stringify(initialState)}, ${at}) on conflict (key) do nothing`.execute(
    tx,
  );
  return (await lockKnownAllowance(tx, key)) ?? initialState;
}

/**
 * Locks the row until the transaction ends and returns its state; undefined if it does not exist,
 * for example because its relay was deleted.
 */
export async function lockKnownAllowance(tx: Tx, key: string): Promise<AllowanceState | undefined> {
  const { rows } = await sql<{ state: AllowanceState }>`
    select state from relay_allowances where key = ${key} for update`.execute(tx);
  return rows[0]?.state;
}

/**
 * Saves the state. Inserts the row again if it was deleted because it had not been used for days.
 */
export async function saveAllowance(
  tx: Tx,
  key: string,
  state: AllowanceState,
  at: Date,
): Promise<void> {
  await sql`insert into relay_allowances (key, state, modified_at)
    values (${key}, ${JSON.stringify(state)}, ${at})
    on conflict (key) do update set state = excluded.state, modified_at = excluded.modified_at`.execute(
    tx,
  );
}

/**
 * Returns the learned rates of providers behind this relay that changed after `since`, newest
 * first. Takes no locks.
 */
export async function findLearnedRates(
  db: Reader,
  relayKey: string,
  since: Date,
): Promise<{ key: string; state: AllowanceState }[]> {
  const { rows } = await sql<{ key: string; state: AllowanceState }>`
    select key, state from relay_allowances
    where ${isBehind(relayKey)} and state ? 'learnt' and modified_at > ${since}
    order by modified_at desc limit 5000`.execute(db);
  return rows;
}

/** Deletes a relay's state and all rates learned for mailbox providers behind it. */
export async function deleteAllowances(tx: Tx, relayKey: string): Promise<void> {
  await sql`delete from relay_allowances
    where key = ${relayKey} or ${isBehind(relayKey)}`.execute(tx);
}

/** Deletes rows that have not changed since `before`. */
export async function deleteOldAllowances(db: Db, before: Date): Promise<void> {
  await sql`delete from relay_allowances where modified_at < ${before}`.execute(db);
}

/**
 * SQL: the key begins with the relay's key and a slash. Written as a range so that the primary key
 * can be used: the character 0 follows the slash.
 */
const isBehind = (relayKey: string) =>
  sql<boolean>`(key >= ${`${relayKey}/`} and key < ${`${relayKey}0`})`;
