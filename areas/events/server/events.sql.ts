// Queries for event types and their occurrences.
import { sql } from 'kysely';
import { accountTable } from '#platform/server/database/account-table.sql.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { toContainsPattern } from '#platform/server/database/like.ts';
import type { Slice } from '#platform/server/database/lists.ts';
import { createTextRewriter } from '#platform/server/erasure/texts.sql.ts';

/** Removes the addresses of erased subscribers from descriptions of events. */
export const rewriteDescriptions = createTextRewriter('custom_events', {
  columns: ['description'],
});

export type EventRow = {
  id: number;
  name: string;
  description: string;
  created_at: Date;
  count: number;
  people: number;
  last: Date | null;
};

type EventQuery = {
  search: string | undefined;
  order: 'title' | 'created';
  direction: 'asc' | 'desc';
};

const matchesName = (search: string | undefined) =>
  search === undefined ? sql`true` : sql`e.name ilike ${toContainsPattern(search)}`;

/** Returns event types with the counts of their occurrences since an instant. */
export async function listEvents(
  db: Reader,
  accountId: number,
  query: EventQuery & Slice & { since: Date; id?: number | undefined },
): Promise<EventRow[]> {
  const order = query.order === 'created' ? sql`e.created_at` : sql`lower(e.name)`;
  const sortDirection = query.direction === 'asc' ? sql`asc` : sql`desc`;
  const isEvent = query.id === undefined ? sql`true` : sql`e.id = ${query.id}`;
  const { rows } = await sql<EventRow>`
    with page as (
      select e.id, e.name, e.description, e.created_at, row_number() over (order by ${order} ${sortDirection}, e.id) as place
      from custom_events e
      where e.account_id = ${accountId} and ${matchesName(query.search)} and ${isEvent}
      order by ${order} ${sortDirection}, e.id limit ${query.limit} offset ${query.offset})
    select p.id, p.name, p.description, p.created_at,
      (select count(*) from event_occurrences o
        where o.account_id = ${accountId} and o.event_id = p.id and o.at >= ${query.since}) as count,
      (select count(distinct o.subscriber_id) from event_occurrences o
        where o.account_id = ${accountId} and o.event_id = p.id and o.at >= ${query.since}) as people,
      (select max(o.at) from event_occurrences o
        where o.account_id = ${accountId} and o.event_id = p.id) as last
    from page p order by p.place`.execute(db);
  return rows;
}

export async function countEvents(db: Reader, accountId: number, search?: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from custom_events e
    where e.account_id = ${accountId} and ${matchesName(search)}`.execute(db);
  return rows[0]?.count ?? 0;
}

export function findEvent(db: Reader, accountId: number, name: string) {
  return db
    .selectFrom('custom_events')
    .select('id')
    .where('account_id', '=', accountId)
    .where('name', '=', name)
    .executeTakeFirst();
}

/** Inserts an event type; returns undefined if the name is taken. */
export function insertEvent(
  tx: Tx,
  accountId: number,
  row: { name: string; description: string; created_at: Date },
): Promise<{ id: number } | undefined> {
  return tx
    .insertInto('custom_events')
    .values({ account_id: accountId, ...row })
    .onConflict((conflict) => conflict.columns(['account_id', 'name']).doNothing())
    .returning('id')
    .executeTakeFirst();
}

export async function describeEvent(
  tx: Tx,
  accountId: number,
  id: number,
  description: string,
): Promise<void> {
  await tx
    .updateTable('custom_events')
    .set({ description })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .execute();
}

/** Deletes an event type and all its occurrences. */
export const { delete: deleteEvent } = accountTable('custom_events', 'id');

/** Inserts an occurrence and updates the subscriber's counts of this event type. */
export async function insertOccurrence(
  tx: Tx,
  accountId: number,
  row: {
    event_id: number;
    subscriber_id: number;
    at: Date;
    value: number | null;
    currency: string | null;
    properties: string;
  },
): Promise<void> {
  await sql`
    insert into event_occurrences (account_id, event_id, subscriber_id, at, value, currency, properties)
    values (${accountId}, ${row.event_id}, ${row.subscriber_id}, ${row.at}, ${row.value},
      ${row.currency}, ${row.properties})`.execute(tx);
  await sql`
    insert into event_people as p (account_id, event_id, subscriber_id, times, first_at, last_at)
    values (${accountId}, ${row.event_id}, ${row.subscriber_id}, 1, ${row.at}, ${row.at})
    on conflict (account_id, event_id, subscriber_id) do update set times = p.times + 1,
      first_at = least(p.first_at, excluded.first_at),
      last_at = greatest(p.last_at, excluded.last_at)`.execute(tx);
}

export type DayRow = { day: string; count: number; people: number; value: number };

/** Returns the counts of every day from `from` to `to`, including days without occurrences. */
export async function readDays(
  db: Reader,
  accountId: number,
  id: number,
  { from, to, zone }: { from: string; to: string; zone: string },
): Promise<DayRow[]> {
  const { rows } = await sql<DayRow>`
    with counted as (
      select (o.at at time zone ${zone})::date as day, count(*) as count,
        count(distinct o.subscriber_id) as people, coalesce(sum(o.value), 0)::float8 as value
      from event_occurrences o
      where o.account_id = ${accountId} and o.event_id = ${id}
        and o.at >= (${from}::date::timestamp at time zone ${zone})
        and o.at < ((${to}::date + 1)::timestamp at time zone ${zone})
      group by 1)
    select to_char(d.day, 'YYYY-MM-DD') as day, coalesce(t.count, 0) as count,
      coalesce(t.people, 0) as people, coalesce(t.value, 0) as value
    from generate_series(${from}::date, ${to}::date, interval '1 day') d(day)
    left join counted t on t.day = d.day::date
    order by d.day`.execute(db);
  return rows;
}

export type OccurrenceRow = {
  id: number;
  subscriber_id: number;
  email: string | null;
  phone: string | null;
  is_gone: boolean;
  at: Date;
  value: number | null;
  currency: string | null;
  properties: Record<string, unknown>;
};

const matchesSubscriber = (search: string | undefined) =>
  search === undefined
    ? sql`true`
    : sql`(s.email_key ilike ${toContainsPattern(search)} or s.phone_key ilike ${toContainsPattern(search)})`;

export async function listOccurrences(
  db: Reader,
  accountId: number,
  eventId: number,
  query: Slice & { search: string | undefined; direction: 'asc' | 'desc' },
): Promise<OccurrenceRow[]> {
  const sortDirection = query.direction === 'asc' ? sql`asc` : sql`desc`;
  const { rows } = await sql<OccurrenceRow>`
    select o.id, o.subscriber_id, s.email_key as email, s.phone_key as phone,
      (s.id is null or s.deleted_at is not null) as is_gone,
      o.at, o.value::float8 as value, o.currency, o.properties
    from event_occurrences o
    left join subscribers s on s.account_id = ${accountId} and s.id = o.subscriber_id
    where o.account_id = ${accountId} and o.event_id = ${eventId} and ${matchesSubscriber(query.search)}
    order by o.at ${sortDirection}, o.id ${sortDirection} limit ${query.limit} offset ${query.offset}`.execute(
    db,
  );
  return rows;
}

export async function countOccurrences(
  db: Reader,
  accountId: number,
  eventId: number,
  search: string | undefined,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from event_occurrences o
    left join subscribers s on s.account_id = ${accountId} and s.id = o.subscriber_id
    where o.account_id = ${accountId} and o.event_id = ${eventId} and ${matchesSubscriber(search)}`.execute(
    db,
  );
  return rows[0]?.count ?? 0;
}

/** Returns the names, by ID, of the event types that belong to the account. */
export async function findEventNames(
  db: Reader,
  accountId: number,
  ids: readonly number[],
): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('custom_events')
    .select(['id', 'name'])
    .where('account_id', '=', accountId)
    .where('id', 'in', [...ids])
    .execute();
  return new Map(rows.map((row) => [row.id, row.name]));
}

/** Deletes the occurrences and counts of these subscribers. */
export async function deleteOccurrences(
  tx: Tx,
  accountId: number,
  subscriberIds: readonly number[],
): Promise<void> {
  for (const table of ['event_occurrences', 'event_people'] as const) {
    await tx
      .deleteFrom(table)
      .where('account_id', '=', accountId)
      .where('subscriber_id', 'in', [...subscriberIds])
      .execute();
  }
}
