// Queries for the list of subscribers: the sorted ids of one page.
//
// Without a filter, an index-only scan from the nearer end finds the ids. Measured with 1,000,000
// subscribers: the first and the last page take under 1 ms, the middle one 90 ms. With a filter,
// all matching rows are found first and then sorted.
import { type RawBuilder, sql } from 'kysely';
import type { Reader } from '#platform/server/database/database.ts';

export type SubscriberSort = { order: 'title' | 'created' | 'modified'; direction: 'asc' | 'desc' };
export type ListSlice = { limit: number; offset: number };

const opposite = { asc: 'desc', desc: 'asc' } as const;

/** Returns the ids of a page without a filter; `total` is the account's counter of subscribers. */
export async function listPageIds(
  db: Reader,
  accountId: number,
  sort: SubscriberSort,
  slice: ListSlice,
  total: number,
): Promise<number[]> {
  if (sort.order === 'title') return listTitlePage(db, accountId, sort.direction, slice, total);
  const column = sort.order === 'created' ? 'created_at' : 'modified_at';
  return readFromNearerEnd(slice, total, sort.direction, (section, direction) =>
    listIdsByTime(db, accountId, column, direction, section),
  );
}

/** Reads a slice from the nearer end; ids read from the far end are reversed. */
async function readFromNearerEnd(
  slice: ListSlice,
  total: number,
  direction: 'asc' | 'desc',
  readSlice: (slice: ListSlice, direction: 'asc' | 'desc') => Promise<number[]>,
): Promise<number[]> {
  const { offset } = slice;
  const limit = Math.min(slice.limit, total - offset);
  if (limit <= 0) return [];
  const fromEnd = total - offset - limit;
  if (offset <= fromEnd) return readSlice({ limit, offset }, direction);
  return (await readSlice({ limit, offset: fromEnd }, opposite[direction])).reverse();
}

async function listIdsByTime(
  db: Reader,
  accountId: number,
  column: 'created_at' | 'modified_at',
  direction: 'asc' | 'desc',
  { limit, offset }: ListSlice,
): Promise<number[]> {
  const sortDirection = sql.raw(direction);
  const { rows } = await sql<{ id: number }>`
    select id from subscribers where account_id = ${accountId} and deleted_at is null
    order by ${sql.ref(column)} ${sortDirection}, id ${sortDirection} limit ${limit} offset ${offset}`.execute(
    db,
  );
  return rows.map((row) => row.id);
}

/**
 * Sorts by address: in ascending order, subscribers with an email address precede subscribers with
 * only a phone number.
 */
async function listTitlePage(
  db: Reader,
  accountId: number,
  direction: 'asc' | 'desc',
  slice: ListSlice,
  total: number,
): Promise<number[]> {
  const phones = await countPhoneOnly(db, accountId);
  const emails = Math.max(0, total - phones);
  const sections = [
    { key: 'email_key' as const, size: emails },
    { key: 'phone_key' as const, size: phones },
  ];
  if (direction === 'desc') sections.reverse();
  const ids: number[] = [];
  let start = 0;
  for (const section of sections) {
    const from = Math.max(slice.offset, start);
    const to = Math.min(slice.offset + slice.limit, start + section.size);
    if (to > from) {
      const innerSlice = { offset: from - start, limit: to - from };
      ids.push(
        ...(await readFromNearerEnd(innerSlice, section.size, direction, (page, sortDirection) =>
          listIdsByAddress(db, accountId, section.key, sortDirection, page),
        )),
      );
    }
    start += section.size;
  }
  return ids;
}

async function listIdsByAddress(
  db: Reader,
  accountId: number,
  key: 'email_key' | 'phone_key',
  direction: 'asc' | 'desc',
  { limit, offset }: ListSlice,
): Promise<number[]> {
  const phoneOnly = key === 'phone_key' ? sql`and email_key is null` : sql``;
  const { rows } = await sql<{ id: number }>`
    select id from subscribers
    where account_id = ${accountId} and deleted_at is null and ${sql.ref(key)} is not null ${phoneOnly}
    order by ${sql.ref(key)} ${sql.raw(direction)} limit ${limit} offset ${offset}`.execute(db);
  return rows.map((row) => row.id);
}

async function countPhoneOnly(db: Reader, accountId: number): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    select count(*) as total from subscribers
    where account_id = ${accountId} and deleted_at is null
      and phone_key is not null and email_key is null`.execute(db);
  return rows[0]?.total ?? 0;
}

const KEYS: Record<SubscriberSort['order'], string> = {
  title: 's.email_key',
  created: 's.created_at',
  modified: 's.modified_at',
};

/** Returns the ids of one page of subscribers who match the conditions. */
export async function listFilteredIds(
  db: Reader,
  accountId: number,
  where: RawBuilder<boolean>,
  sort: SubscriberSort,
  slice: ListSlice,
): Promise<number[]> {
  const sortDirection = sql.raw(sort.direction);
  const nulls = sql.raw(sort.direction === 'asc' ? 'nulls last' : 'nulls first');
  const second = sort.order === 'title' ? sql`, s.phone_key ${sortDirection}` : sql``;
  const { rows } = await sql<{ id: number }>`
    select s.id from subscribers s
    where s.account_id = ${accountId} and s.deleted_at is null and ${where}
    order by ${sql.ref(KEYS[sort.order])} ${sortDirection} ${nulls} ${second}, s.id ${sortDirection}
    limit ${slice.limit} offset ${slice.offset}`.execute(db);
  return rows.map((row) => row.id);
}
