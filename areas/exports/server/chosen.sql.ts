// SQL of who goes into an export: counted once, then walked in the order of the ids.
import { type RawBuilder, sql } from 'kysely';
import type { Reader } from '#platform/server/database.ts';

export type Where = RawBuilder<boolean>;

/** Named people, as far as they are still there. */
export function isNamed(ids: readonly number[]): Where {
  return sql<boolean>`s.id = any(${[...ids]}::bigint[])`;
}

export function wasThereAt(instant: Date): Where {
  return sql<boolean>`s.created_at <= ${instant}`;
}

export function allOf(parts: ReadonlyArray<Where | undefined>): Where {
  const given = parts.filter((part) => part !== undefined);
  return sql<boolean>`${sql.join(given, sql` and `)}`;
}

export async function countChosen(db: Reader, accountId: number, where: Where): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    select count(*) as total from subscribers s
    where s.account_id = ${accountId} and s.deleted_at is null and ${where}`.execute(db);
  return rows[0]?.total ?? 0;
}

export async function chosenAfter(
  db: Reader,
  accountId: number,
  where: Where,
  after: number,
  most: number,
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select s.id from subscribers s
    where s.account_id = ${accountId} and s.deleted_at is null and s.id > ${after} and ${where}
    order by s.id limit ${most}`.execute(db);
  return rows.map((row) => row.id);
}
