// Batch queries for recipients' groups and matching conditions, and queries for the subscribers of
// previews.
import { type RawBuilder, sql } from 'kysely';
import type { Reader } from '#platform/server/database/database.ts';
import type { MergeSubscriberRow } from './person-values.ts';

export async function findMemberships(
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

/** Returns the given subscribers who match the condition on a row `s`. */
export async function filterSubscribers(
  db: Reader,
  accountId: number,
  subscriberIds: readonly number[],
  condition: RawBuilder<boolean>,
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select s.id from subscribers s
    where s.account_id = ${accountId} and s.id = any(${[...subscriberIds]}::bigint[])
      and s.deleted_at is null and ${condition}`.execute(db);
  return rows.map((row) => row.id);
}

/**
 * Returns the newest subscribers with an email address, or the subscribers whose email address
 * starts with the search text.
 */
export function findSubscribers(
  db: Reader,
  accountId: number,
  search: string | undefined,
  limit: number,
): Promise<(MergeSubscriberRow & { id: number })[]> {
  const query = db
    .selectFrom('subscribers')
    .select(['id', 'email', 'firstname', 'lastname', 'phone', 'field_values'])
    .where('account_id', '=', accountId)
    .where('deleted_at', 'is', null)
    .where('email_key', 'is not', null);
  if (search === undefined) {
    return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit).execute();
  }
  const prefix = search.trim().toLowerCase();
  return query
    .where('email_key', '>=', prefix)
    .where('email_key', '<', `${prefix}\uffff`)
    .orderBy('email_key')
    .limit(limit)
    .execute();
}

/** Returns the given subscriber, or without an id the newest one with an email address. */
export function findSubscriber(
  db: Reader,
  accountId: number,
  id: number | undefined,
): Promise<(MergeSubscriberRow & { id: number }) | undefined> {
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
