// SQL of allowances: one row per relay, or per mailbox provider behind one, held while it is drawn from.
// Local to the coordinator, like token buckets: no row belongs to an account's own data.
import { sql } from 'kysely';
import type { Reader, Tx } from '#platform/server/database.ts';
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
  const { rows } = await sql<{ state: AllowanceState }>`
    select state from relay_allowances where key = ${key} for update`.execute(tx);
  return rows[0]?.state ?? fresh;
}

export async function saveAllowance(
  tx: Tx,
  key: string,
  state: AllowanceState,
  at: Date,
): Promise<void> {
  await sql`update relay_allowances set state = ${JSON.stringify(state)}, modified_at = ${at}
    where key = ${key}`.execute(tx);
}

/** Providers behind a relay that taught it something: keys that begin with the relay's own. */
export async function keysBehind(db: Reader, prefix: string): Promise<string[]> {
  const { rows } = await sql<{ key: string }>`
    select key from relay_allowances
    where starts_with(key, ${prefix}) and state ? 'learnt' limit 5000`.execute(db);
  return rows.map((row) => row.key);
}
