// SQL that counts subscribers selected by id or by conditions on a row `s`, and iterates over them
// in the order of ids.
import { type RawBuilder, sql } from 'kysely';
import type { Reader } from '#platform/server/database/database.ts';

export type SubscriberPredicate = RawBuilder<boolean> | undefined;

/** Joins two conditions with AND; if one is undefined, returns the other. */
export function combinePredicates(
  builder: RawBuilder<boolean>,
  where: SubscriberPredicate,
): RawBuilder<boolean>;
export function combinePredicates(
  a: SubscriberPredicate,
  b: SubscriberPredicate,
): SubscriberPredicate;
export function combinePredicates(
  a: SubscriberPredicate,
  b: SubscriberPredicate,
): SubscriberPredicate {
  return a && b ? sql<boolean>`${a} and ${b}` : (a ?? b);
}

export function hasOneOfIds(ids: readonly number[]): RawBuilder<boolean> {
  return sql<boolean>`s.id = any(${[...ids]}::bigint[])`;
}

export function existedAt(instant: Date): RawBuilder<boolean> {
  return sql<boolean>`s.created_at <= ${instant}`;
}

export async function countChosen(
  db: Reader,
  accountId: number,
  where: RawBuilder<boolean>,
): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    select count(*) as total from subscribers s
    where s.account_id = ${accountId} and s.deleted_at is null and ${where}`.execute(db);
  return rows[0]?.total ?? 0;
}

/**
 * Returns the next slice of ids after a given one; bulk actions and exports use it to iterate over
 * a set.
 */
export async function listSelectedAfter(
  db: Reader,
  accountId: number,
  where: SubscriberPredicate,
  after: number,
  limit: number,
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select s.id from subscribers s
    where s.account_id = ${accountId} and s.deleted_at is null and s.id > ${after}
      ${where ? sql`and ${where}` : sql``}
    order by s.id limit ${limit}`.execute(db);
  return rows.map((row) => row.id);
}
