// Reads the allowances of relays, to display how much of their limits is used.
import { sql } from 'kysely';
import type { Reader } from '#platform/server/database/database.ts';
import type { AllowanceState } from './allowance.ts';

/** Reads the states of allowances by key, without a lock. */
export async function readAllowances(
  db: Reader,
  keys: readonly string[],
): Promise<Map<string, AllowanceState>> {
  if (keys.length === 0) return new Map();
  const { rows } = await sql<{ key: string; state: AllowanceState }>`
    select key, state from relay_allowances where key = any(${[...keys]}::text[])`.execute(db);
  return new Map(rows.map((row) => [row.key, row.state]));
}
