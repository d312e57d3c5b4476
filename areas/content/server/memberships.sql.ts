// SQL about people whom contents are shown to: which groups and segments they are in, one by one or a
// batch at a time, and the person whom a preview is made for.
import { type RawBuilder, sql } from 'kysely';
import type { Reader } from '#platform/server/database.ts';
import type { PersonRow } from './person-values.ts';

export async function groupsOf(
  db: Reader,
  accountId: number,
  groupIds: readonly number[],
  subscriberIds: readonly number[],
): Promise<{ subscriber_id: number; group_id: number }[]> {
  return db
    .selectFrom('group_members')
    .select(['subscriber_id', 'group_id'])
    .where('account_id', '=', accountId)
    .where('group_id', 'in', [...groupIds])
    .where('subscriber_id', '=', sql<number>`any(${[...subscriberIds]}::bigint[])`)
    .execute();
}

/** Those of these people for whom the condition on a row `s` holds. */
export async function peopleWhere(
  db: Reader,
  accountId: number,
  subscriberIds: readonly number[],
  where: RawBuilder<boolean>,
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select s.id from subscribers s
    where s.account_id = ${accountId} and s.id = any(${[...subscriberIds]}::bigint[])
      and s.deleted_at is null and ${where}`.execute(db);
  return rows.map((row) => row.id);
}

/** The newest who can be mailed, or those whose address begins with the words. */
export function findPeople(
  db: Reader,
  accountId: number,
  search: string | undefined,
  limit: number,
): Promise<(PersonRow & { id: number })[]> {
  const query = db
    .selectFrom('subscribers')
    .select(['id', 'email', 'firstname', 'lastname', 'phone', 'field_values'])
    .where('account_id', '=', accountId)
    .where('deleted_at', 'is', null)
    .where('email_key', 'is not', null);
  if (search === undefined) {
    return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit).execute();
  }
  const from = search.trim().toLowerCase();
  return query
    .where('email_key', '>=', from)
    .where('email_key', '<', `${from}\uffff`)
    .orderBy('email_key')
    .limit(limit)
    .execute();
}

/** The person, or the newest who can be mailed where none is named. */
export function findPerson(
  db: Reader,
  accountId: number,
  id: number | undefined,
): Promise<(PersonRow & { id: number }) | undefined> {
  const query = db
    .selectFrom('subscribers')
    .select(['id', 'email', 'firstname', 'lastname', 'phone', 'field_values'])
    .where('account_id', '=', accountId)
    .where('deleted_at', 'is', null);
  return id === undefined
    ? query
        .where('email_key', 'is not', null)
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(1)
        .executeTakeFirst()
    : query.where('id', '=', id).executeTakeFirst();
}
