// Reads the values that a CHECK constraint of the schema accepts, to compare them with the code's
// enumeration.
import { sql } from 'kysely';
import type { Db } from '#platform/server/database/database.ts';

export async function listAcceptedValues(db: Db, constraint: string): Promise<string[]> {
  const { rows } = await sql<{ definition: string; is_valid: boolean }>`
    select pg_get_constraintdef(oid) as definition, convalidated as is_valid
    from pg_constraint where conname = ${constraint}`.execute(db);
  const [found] = rows;
  if (!found?.is_valid) throw new Error(`${constraint} is missing or not validated.`);
  return Array.from(found.definition.matchAll(/'([^']*)'/g), ([, value = '']) => value).sort();
}
