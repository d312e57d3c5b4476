// SQL that finds subscribers for the global search: by the start of an address, or by a condition
// on a bounded number of the newest subscribers.
import { type RawBuilder, sql } from 'kysely';
import type { Reader } from '#platform/server/database/database.ts';

type SubscriberMatch = {
  id: number;
  email: string | null;
  phone: string | null;
  firstname: string | null;
  lastname: string | null;
};

/** Maximum number of subscribers to compare by name and parts of addresses. */
const MAX_COMPARED = 50_000;

/**
 * Uses the unique indexes of addresses and phone numbers: under 1 ms, regardless of the number of
 * subscribers.
 */
export async function findSubscribersByAddress(
  db: Reader,
  accountId: number,
  start: string,
  phone: string | undefined,
  limit: number,
): Promise<SubscriberMatch[]> {
  const startsWith = (column: 'email_key' | 'phone_key', text: string) => sql`
    (select id, email, phone, firstname, lastname from subscribers
    where account_id = ${accountId} and deleted_at is null
      and ${sql.ref(column)} >= lower(${text}::text)
      and ${sql.ref(column)} < lower(${text}::text) || ${AFTER_ALL_TEXTS}::text
    order by ${sql.ref(column)} limit ${limit})`;
  const { rows } = await sql<SubscriberMatch>`
    select * from (${startsWith('email_key', start)}
    ${phone === undefined ? sql`` : sql`union ${startsWith('phone_key', phone)}`}) as found
    limit ${limit}`.execute(db);
  return rows;
}

/**
 * Returns the newest subscribers that match a condition on the row `s`, except those already found.
 */
export async function findNewestSubscribers(
  db: Reader,
  { accountId, where, limit }: { accountId: number; where: RawBuilder<boolean>; limit: number },
  foundIds: readonly number[],
): Promise<SubscriberMatch[]> {
  const { rows } = await sql<SubscriberMatch>`
    select s.id, s.email, s.phone, s.firstname, s.lastname from (
      select * from subscribers
      where account_id = ${accountId} and deleted_at is null
      order by created_at desc, id desc limit ${MAX_COMPARED}
    ) as s
    where ${where} and s.id <> all(${[...foundIds]}::bigint[])
    order by s.created_at desc, s.id desc limit ${limit}`.execute(db);
  return rows;
}

/**
 * Upper-bound suffix: `prefix + AFTER_ALL_TEXTS` sorts after every string that starts with
 * `prefix`.
 */
const AFTER_ALL_TEXTS = '\u{10FFFF}';
