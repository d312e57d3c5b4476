// Reads and writes saved segments, and counts and lists matching subscribers.

import { type RawBuilder, type Selectable, sql } from 'kysely';
import { accountTable } from '#platform/server/database/account-table.sql.ts';
import type { DB } from '#platform/server/database/database.generated.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { toContainsPattern } from '#platform/server/database/like.ts';
import type { Slice } from '#platform/server/database/lists.ts';
import type { Condition } from '../shared.ts';

export type SegmentRow = Selectable<DB['segments']>;

export type SegmentCounts = {
  subscribers: number;
  active_subscribers: number;
  phone_count: number;
  active_phone_count: number;
};

type SegmentListOptions = {
  order: 'title' | 'created' | 'modified';
  direction: 'asc' | 'desc';
  search: string | undefined;
};

const ORDER = {
  title: sql`lower(title) collate "und-x-icu"`,
  created: sql`created_at`,
  modified: sql`modified_at`,
};

const matching = (accountId: number, search: string | undefined) =>
  search
    ? sql`account_id = ${accountId} and title ilike ${toContainsPattern(search)}`
    : sql`account_id = ${accountId}`;

export async function listSegments(
  db: Reader,
  accountId: number,
  list: SegmentListOptions,
  slice: Slice,
): Promise<SegmentRow[]> {
  const sqlDirection = sql.raw(list.direction);
  const { rows } = await sql<SegmentRow>`
    select * from segments where ${matching(accountId, list.search)}
    order by ${ORDER[list.order]} ${sqlDirection}, id ${sqlDirection}
    limit ${slice.limit} offset ${slice.offset}`.execute(db);
  return rows;
}

export async function countSegments(
  db: Reader,
  accountId: number,
  search: string | undefined,
): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    select count(*) as total from segments where ${matching(accountId, search)}`.execute(db);
  return rows[0]?.total ?? 0;
}

/** Returns the account's segments with these ids, or all of its segments if `ids` is undefined. */
export async function findSegments(
  db: Reader,
  accountId: number,
  ids?: readonly number[],
): Promise<SegmentRow[]> {
  const { rows } = await sql<SegmentRow>`
    select * from segments where account_id = ${accountId}
      ${ids ? sql`and id = any(${[...ids]}::bigint[])` : sql``}
    order by id`.execute(db);
  return rows;
}

export async function insertSegment(
  tx: Tx,
  accountId: number,
  segment: { title: string; conditions: readonly Condition[]; userId: number | null; at: Date },
): Promise<number> {
  const { id } = await tx
    .insertInto('segments')
    .values({
      account_id: accountId,
      title: segment.title,
      conditions: JSON.stringify(segment.conditions),
      created_by: segment.userId,
      created_at: segment.at,
      modified_at: segment.at,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Updates a segment; with new conditions, its stored counts become invalid. */
export async function updateSegment(
  tx: Tx,
  accountId: number,
  id: number,
  change: { title?: string | undefined; conditions?: readonly Condition[] | undefined; at: Date },
): Promise<void> {
  const { title, conditions, at } = change;
  await tx
    .updateTable('segments')
    .set({
      ...(title === undefined ? {} : { title }),
      ...(conditions === undefined
        ? {}
        : { conditions: JSON.stringify(conditions), counted_at: null }),
      modified_at: at,
      revision: sql`revision + 1`,
    })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .execute();
}

/**
 * Replaces text in the title and the conditions without a change of meaning, so counts and the
 * modification time stay. The new revision prevents an open editor from restoring the earlier text.
 */
export async function replaceTexts(
  tx: Tx,
  accountId: number,
  id: number,
  change: { title: string; conditions: readonly Condition[] },
): Promise<void> {
  await tx
    .updateTable('segments')
    .set({
      title: change.title,
      conditions: JSON.stringify(change.conditions),
      revision: sql`revision + 1`,
    })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .execute();
}

export async function lockSegment(
  tx: Tx,
  accountId: number,
  id: number,
): Promise<Pick<SegmentRow, 'id' | 'revision' | 'conditions'> | undefined> {
  return tx
    .selectFrom('segments')
    .select(['id', 'revision', 'conditions'])
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
}

/** Locks the segments against changes of their conditions until the transaction ends. */
export async function shareSegments(
  tx: Tx,
  accountId: number,
  ids: readonly number[],
): Promise<void> {
  if (ids.length === 0) return;
  await sql`select id from segments where account_id = ${accountId}
    and id = any(${[...ids]}::bigint[]) order by id for share`.execute(tx);
}

export const { delete: deleteSegment } = accountTable('segments', 'id');

export async function saveCounts(
  tx: Tx,
  accountId: number,
  id: number,
  counts: SegmentCounts,
  at: Date,
): Promise<void> {
  await tx
    .updateTable('segments')
    .set({
      subscriber_count: counts.subscribers,
      active_count: counts.active_subscribers,
      phone_count: counts.phone_count,
      active_phone_count: counts.active_phone_count,
      counted_at: at,
    })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .execute();
}

type SegmentPredicate = RawBuilder<boolean> | undefined;
const whereMatches = (accountId: number, where: SegmentPredicate) =>
  sql`s.account_id = ${accountId} and s.deleted_at is null ${where ? sql`and ${where}` : sql``}`;

export async function countChosen(
  db: Reader,
  accountId: number,
  where: SegmentPredicate,
): Promise<SegmentCounts> {
  const { rows } = await sql<SegmentCounts>`
    select count(*) as subscribers, count(*) filter (where s.email_status = 'active') as active_subscribers,
      count(s.phone_key) as phone_count,
      count(*) filter (where s.phone_key is not null and s.sms_status = 'active') as active_phone_count
    from subscribers s where ${whereMatches(accountId, where)}`.execute(db);
  return rows[0] as SegmentCounts;
}

/** Returns the difference between the account's first and last subscriber id. */
export async function readIdSpan(db: Reader, accountId: number): Promise<number> {
  const { rows } = await sql<{ span: number | null }>`
    select max(id) - min(id) as span from subscribers where account_id = ${accountId}`.execute(db);
  return rows[0]?.span ?? 0;
}

/**
 * Covers the ids of the account's subscribers with ranges of `width` ids and returns the beginnings
 * of the first `limit` ranges. Each takes one index lookup, regardless of the gap before it.
 */
export async function readRangeStarts(
  db: Reader,
  accountId: number,
  width: number,
  limit: number,
): Promise<number[]> {
  const { rows } = await sql<{ begin: number }>`
    with recursive ranges as (
      select min(id) as begin, 1 as number from subscribers where account_id = ${accountId}
      union all
      select (select min(id) from subscribers
          where account_id = ${accountId} and id >= ranges.begin + ${width}::bigint), number + 1
      from ranges where begin is not null and number < ${limit}
    )
    select begin from ranges where begin is not null order by begin`.execute(db);
  return rows.map((row) => row.begin);
}

export type ChosenSubscriber = {
  id: number;
  email: string | null;
  phone: string | null;
  firstname: string | null;
  lastname: string | null;
};

/** Returns the newest matching subscribers. */
export async function readSample(
  db: Reader,
  accountId: number,
  where: SegmentPredicate,
  limit: number,
): Promise<ChosenSubscriber[]> {
  const { rows } = await sql<ChosenSubscriber>`
    select s.id, s.email, s.phone, s.firstname, s.lastname from subscribers s
    where ${whereMatches(accountId, where)} order by s.created_at desc, s.id desc limit ${limit}`.execute(
    db,
  );
  return rows;
}

/** Returns the ids of these subscribers that exist and match `where`; undefined matches all. */
export async function findMatching(
  db: Reader,
  accountId: number,
  ids: readonly number[],
  where: RawBuilder<boolean> | undefined,
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select s.id from subscribers s
    where s.account_id = ${accountId} and s.id = any(${[...ids]}::bigint[]) and s.deleted_at is null
      and ${where ?? sql<boolean>`true`}
    order by s.id`.execute(db);
  return rows.map((row) => row.id);
}

/** Lists segments for the global search; `parameter` holds the conditions that a result opens. */
export const listSearchableSegments = (accountId: number) => sql`
  select id, title, null::text as detail, conditions::text as parameter, modified_at from segments
  where account_id = ${accountId}`;

/** Lists titles of groups, newest first. */
export const listGroupTitles = (db: Reader, accountId: number, limit: number) =>
  db
    .selectFrom('groups')
    .select(['id', 'title'])
    .where('account_id', '=', accountId)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
