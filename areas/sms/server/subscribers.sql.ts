// Finds SMS subscribers for previews: the newest one, subscribers with the longest values, and by
// name or number.
import { type RawBuilder, sql } from 'kysely';
import type { MergeSubscriberRow } from '#areas/content/server/index.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { escapeLike } from '#platform/server/database/like.ts';

export type SmsSubscriber = MergeSubscriberRow & { id: number };
export type NamedColumn =
  | { column: 'firstname' | 'lastname' | 'email' | 'phone' }
  | { field: number };

/** Number of the newest subscribers that are searched for the longest values, which takes 0.2 s. */
const MAX_SCANNED = 100_000;

const IS_SMS_SUBSCRIBER = sql<boolean>`s.deleted_at is null and s.phone_key is not null
  and s.sms_status = 'active'`;

const COLUMNS = sql`s.id, s.email, s.firstname, s.lastname, s.phone, s.field_values`;

export async function findNewestSubscriber(
  db: Reader,
  accountId: number,
): Promise<SmsSubscriber | undefined> {
  const { rows } = await sql<SmsSubscriber>`
    select ${COLUMNS} from subscribers s where s.account_id = ${accountId} and ${IS_SMS_SUBSCRIBER}
    order by s.id desc limit 1`.execute(db);
  return rows[0];
}

/**
 * Returns the subscribers with the longest values, and the subscribers with the longest values
 * among those with characters outside ASCII. The copy with the most parts is probably for one of
 * them.
 */
export async function listSubscribersWithLongestValues(
  db: Reader,
  accountId: number,
  names: readonly NamedColumn[],
  limit: number,
): Promise<SmsSubscriber[]> {
  const value = (name: NamedColumn): RawBuilder<string> =>
    'column' in name
      ? sql`coalesce(${sql.ref(`s.${name.column}`)}, '')`
      : sql`coalesce(s.field_values->>${String(name.field)}, '')`;
  const joinedValues = sql.join(names.map(value), sql` || `);
  const among = sql`select ${COLUMNS}, ${joinedValues} as joined from subscribers s
    where s.account_id = ${accountId} and ${IS_SMS_SUBSCRIBER} order by s.id desc limit ${MAX_SCANNED}`;
  const { rows } = await sql<SmsSubscriber>`
    with among as materialized (${among})
    (select id, email, firstname, lastname, phone, field_values from among
      order by length(joined) desc limit ${limit})
    union all
    (select id, email, firstname, lastname, phone, field_values from among
      where joined ~ '[^\\x01-\\x7f]' order by length(joined) desc limit ${limit})`.execute(db);
  return rows;
}

const MAX_FOUND = 10;

/** Returns the newest subscribers whose name or number begins with the search text. */
export async function findSubscribers(
  db: Reader,
  accountId: number,
  search: string,
): Promise<SmsSubscriber[]> {
  const like = `${escapeLike(search)}%`;
  const number = `${escapeLike(search.replace(/[\s()-]/g, ''))}%`;
  const isFound =
    search === ''
      ? sql`true`
      : sql`(s.firstname ilike ${like}
    or s.lastname ilike ${like} or s.phone_key like ${number})`;
  const { rows } = await sql<SmsSubscriber>`
    select ${COLUMNS} from subscribers s where s.account_id = ${accountId} and ${IS_SMS_SUBSCRIBER}
      and ${isFound} order by s.id desc limit ${MAX_FOUND}`.execute(db);
  return rows;
}
