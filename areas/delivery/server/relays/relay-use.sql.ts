// SQL of what relays have used of their allowances, for people to read.
import { sql } from 'kysely';
import type { Reader } from '#platform/server/database.ts';
import type { AllowanceState } from './allowance.ts';

/** The states of these keys as they are: nothing is drawn, nothing is held. */
export async function readAllowances(
  db: Reader,
  keys: readonly string[],
): Promise<Map<string, AllowanceState>> {
  if (keys.length === 0) return new Map();
  const { rows } = await sql<{ key: string; state: AllowanceState }>`
    select key, state from relay_allowances where key = any(${[...keys]}::text[])`.execute(db);
  return new Map(rows.map((row) => [row.key, row.state]));
}
