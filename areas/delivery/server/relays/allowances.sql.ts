// SQL of allowances: one row per relay, or per mailbox provider behind one, locked while it is
// drawn from. Local to the coordinator, like token buckets: no row belongs to an account's own
// data.
import { sql } from 'kysely';
import type { Db, Reader, Tx } from '#platform/server/database/database.ts';
import type { AllowanceState } from './allowance.ts';

/** Locks and returns the row's state until the transaction ends; created if missing. */
export async function lockAllowance(
  tx: Tx,
  key: string,
  fresh: AllowanceState,
  at: Date,
): Promise<AllowanceState> {
  await sql`insert into relay_allowances (key, state, modified_at)
    values (${key}, ${JSON.stringify(fresh)}, ${at}) on conflict (key) do nothing`.execute(tx);
  return (await lockKnownAllowance(tx, key)) ?? fresh;
}

/**
 * Locks and returns the row's state until the transaction ends; undefined if deleted, for example
 * with its relay.
 */
export async function lockKnownAllowance(tx: Tx, key: string): Promise<AllowanceState | undefined> {
  const { rows } = await sql<{ state: AllowanceState }>`
    select state from relay_allowances where key = ${key} for update`.execute(tx);
  return rows[0]?.state;
}

/** Inserts the row again if it was deleted since, after days without a draw. */
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

/** Rates learned at or after `since` from providers behind this relay, newest first; takes no locks. */
export async function expiredRates(
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

/** Deletes the state of a relay, and all rates learned behind it. */
export async function deleteAllowances(tx: Tx, relayKey: string): Promise<void> {
  await sql`delete from relay_allowances
    where key = ${relayKey} or ${isBehind(relayKey)}`.execute(tx);
}

/** Deletes rows whose last draw and last learned rate are older than `before`. */
export async function deleteOldAllowances(db: Db, before: Date): Promise<void> {
  await sql`delete from relay_allowances where modified_at < ${before}`.execute(db);
}

/**
 * Keys that begin with the relay's and a slash, in a form the primary key supports: 0 follows the
 * slash directly.
 */
const isBehind = (relayKey: string) =>
  sql<boolean>`(key >= ${`${relayKey}/`} and key < ${`${relayKey}0`})`;
