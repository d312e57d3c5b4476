// SQL of allowances: one row per relay, or per mailbox provider behind one, held while it is drawn from.
// Local to the coordinator, like token buckets: no row belongs to an account's own data.
import { sql } from 'kysely';
import type { Db, Reader, Tx } from '#platform/server/database.ts';
import type { AllowanceState } from './allowance.ts';

/** The row's state, held until the transaction ends; made where it is missing. */
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

/** The row's state, held until the transaction ends; undefined where it is gone: its relay was removed, say. */
export async function lockKnownAllowance(tx: Tx, key: string): Promise<AllowanceState | undefined> {
  const { rows } = await sql<{ state: AllowanceState }>`
    select state from relay_allowances where key = ${key} for update`.execute(tx);
  return rows[0]?.state;
}

/** Also where it was swept between the two: its first draw in days. */
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

/** What providers behind this relay taught it since then, the newest first; nothing is held. */
export async function lessonsBehind(
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

/** What a relay might take, and all that was learnt behind it. */
export async function deleteAllowances(tx: Tx, relayKey: string): Promise<void> {
  await sql`delete from relay_allowances
    where key = ${relayKey} or ${isBehind(relayKey)}`.execute(tx);
}

/** Those that nothing was drawn from, and nothing was learnt of, since then. */
export async function deleteOldAllowances(db: Db, before: Date): Promise<void> {
  await sql`delete from relay_allowances where modified_at < ${before}`.execute(db);
}

/** Keys that begin with the relay's and a slash, as the primary key finds them: 0 comes right behind it. */
const isBehind = (relayKey: string) =>
  sql<boolean>`(key >= ${`${relayKey}/`} and key < ${`${relayKey}0`})`;
