// Queries for groups and memberships.
import { type Selectable, sql } from 'kysely';
import { isUnderestimated } from '#areas/subscribers/server/index.ts';
import { accountTable } from '#platform/server/database/account-table.sql.ts';
import type { DB } from '#platform/server/database/database.generated.ts';
import type { CopyIn, Reader, Tx } from '#platform/server/database/database.ts';
import { toContainsPattern } from '#platform/server/database/like.ts';
import { createTextRewriter } from '#platform/server/erasure/texts.sql.ts';
import { toTitleKey } from '../shared.ts';

/** Removes the addresses of erased subscribers from titles. */
export const rewriteGroups = createTextRewriter('groups', { toKey: toTitleKey, isUnique: true });

export type GroupRow = Selectable<DB['groups']>;

export type GroupCounts = {
  recipient_count: number;
  active_subscribers: number;
  unsubscribed_count: number;
  bounced_count: number;
  phone_count: number;
  active_phone_count: number;
};

type GroupListOptions = {
  order: 'title' | 'created' | 'modified';
  direction: 'asc' | 'desc';
  search: string | undefined;
};

const matching = (accountId: number, search: string | undefined) =>
  search
    ? sql`account_id = ${accountId} and title_key like ${toContainsPattern(search.toLowerCase())}`
    : sql`account_id = ${accountId}`;

export async function listGroups(
  db: Reader,
  accountId: number,
  list: GroupListOptions,
  slice: { limit: number; offset: number },
): Promise<GroupRow[]> {
  const column = { title: 'title_key', created: 'created_at', modified: 'modified_at' }[list.order];
  const sortDirection = list.direction === 'asc' ? sql`asc` : sql`desc`;
  const key =
    list.order === 'title' ? sql`${sql.ref(column)} collate "und-x-icu"` : sql.ref(column);
  const { rows } = await sql<GroupRow>`
    select * from groups where ${matching(accountId, list.search)}
    order by ${key} ${sortDirection}, id ${sortDirection} limit ${slice.limit} offset ${slice.offset}`.execute(
    db,
  );
  return rows;
}

export async function countGroups(
  db: Reader,
  accountId: number,
  search: string | undefined,
): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    select count(*) as total from groups where ${matching(accountId, search)}`.execute(db);
  return rows[0]?.total ?? 0;
}

export function findGroups(
  db: Reader,
  accountId: number,
  ids: readonly number[],
): Promise<GroupRow[]> {
  if (ids.length === 0) return Promise.resolve([]);
  return db
    .selectFrom('groups')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', 'in', [...ids])
    .execute();
}

/** Counts current members who joined between two instants, by group. */
export async function countJoinedBetween(
  db: Reader,
  accountId: number,
  ids: readonly number[],
  { from, to }: { from: Date; to: Date },
): Promise<Map<number, number>> {
  const { rows } = await sql<{ group_id: number; joined: number }>`
    select group_id, count(*) as joined from group_members
    where account_id = ${accountId} and group_id = any(${[...ids]}::bigint[])
      and created_at >= ${from} and created_at < ${to}
    group by group_id`.execute(db);
  return new Map(rows.map((row) => [row.group_id, row.joined]));
}

export function insertGroup(
  tx: Tx,
  accountId: number,
  group: { title: string; key: string; at: Date },
): Promise<GroupRow | undefined> {
  return tx
    .insertInto('groups')
    .values({
      account_id: accountId,
      title: group.title,
      title_key: group.key,
      created_at: group.at,
      modified_at: group.at,
    })
    .onConflict((conflict) => conflict.columns(['account_id', 'title_key']).doNothing())
    .returningAll()
    .executeTakeFirst();
}

export const { find: findGroupByKey } = accountTable('groups', 'title_key');

/** Finds the existing groups with these titles, by normalized title. */
export async function findGroupsByKey(
  db: Reader,
  accountId: number,
  keys: readonly string[],
): Promise<Map<string, { id: number; title: string }>> {
  if (keys.length === 0) return new Map();
  const rows = await db
    .selectFrom('groups')
    .select(['id', 'title', 'title_key'])
    .where('account_id', '=', accountId)
    .where('title_key', 'in', [...keys])
    .execute();
  return new Map(rows.map(({ id, title, title_key: key }) => [key, { id, title }]));
}

/** Changes a group; returns undefined if it does not exist. */
export function changeGroup(
  tx: Tx,
  accountId: number,
  id: number,
  to: {
    title: string | undefined;
    key: string | undefined;
    isPublic: boolean | undefined;
    at: Date;
  },
): Promise<GroupRow | undefined> {
  return tx
    .updateTable('groups')
    .set({ modified_at: to.at })
    .$if(to.title !== undefined, (query) => query.set({ title: to.title, title_key: to.key }))
    .$if(to.isPublic !== undefined, (query) => query.set({ is_public: to.isPublic }))
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

export const { lock: lockGroup, delete: deleteGroup } = accountTable('groups', 'id');

/**
 * Counts the members of groups in one pass, by status. If the planner estimates one row for the
 * account, the join would compare each member with each subscriber. In that case the query reads
 * each subscriber's groups instead, which is linear for any estimate, but slower than the join.
 */
export async function countMembers(
  db: Reader,
  accountId: number,
  ids: readonly number[],
): Promise<Map<number, GroupCounts>> {
  if (ids.length === 0) return new Map();
  const isMember = sql`m.account_id = ${accountId} and m.group_id = any(${[...ids]}::bigint[])
    and m.subscriber_id = s.id`;
  const membersOf = (await isUnderestimated(db, accountId))
    ? sql`cross join lateral (select m.group_id from group_members m where ${isMember} offset 0) m`
    : sql`join group_members m on ${isMember}`;
  const { rows } = await sql<GroupCounts & { group_id: number }>`
    select m.group_id, count(*) as recipient_count,
      count(*) filter (where s.email_status = 'active') as active_subscribers,
      count(*) filter (where s.email_status = 'unsubscribed') as unsubscribed_count,
      count(*) filter (where s.email_status = 'bounced') as bounced_count,
      count(s.phone_key) as phone_count,
      count(*) filter (where s.phone_key is not null and s.sms_status = 'active') as active_phone_count
    from subscribers s ${membersOf}
    where s.account_id = ${accountId} and s.deleted_at is null
    group by m.group_id`.execute(db);
  return new Map(rows.map(({ group_id, ...counts }) => [group_id, counts]));
}

/** Returns the next members after an id, ordered by id, who joined at `asOf` or earlier. */
export async function readMemberSlice(
  db: Reader,
  { accountId, groupId, asOf }: { accountId: number; groupId: number; asOf: Date },
  after: number,
  max: number,
): Promise<number[]> {
  const { rows } = await sql<{ subscriber_id: number }>`
    select subscriber_id from group_members
    where account_id = ${accountId} and group_id = ${groupId} and subscriber_id > ${after}
      and created_at <= ${asOf}
    order by subscriber_id limit ${max}`.execute(db);
  return rows.map((row) => row.subscriber_id);
}

export type Membership = { group_id: number; subscriber_id: number };

/** Adds existing subscribers to groups; returns only new memberships. */
export async function insertMembers(
  tx: Tx,
  accountId: number,
  groupIds: readonly number[],
  subscriberIds: readonly number[],
  at: Date,
): Promise<Membership[]> {
  const { rows } = await sql<Membership>`
    insert into group_members (account_id, group_id, subscriber_id, created_at)
    with living as materialized (
      select account_id, id from subscribers
      where account_id = ${accountId} and id = any(${[...subscriberIds]}::bigint[]) and deleted_at is null
      order by id for key share
    )
    select g.account_id, g.id, living.id, ${at}::timestamptz
    from groups g join living on living.account_id = g.account_id
    where g.account_id = ${accountId} and g.id = any(${[...groupIds]}::bigint[])
    order by g.id, living.id
    on conflict (account_id, group_id, subscriber_id) do nothing
    returning group_id, subscriber_id`.execute(tx);
  return rows;
}

/**
 * Returns the given groups that exist, and locks them against deletion until the transaction ends.
 */
export async function lockGroups(
  tx: Tx,
  accountId: number,
  groupIds: readonly number[],
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from groups
    where account_id = ${accountId} and id = any(${[...groupIds]}::bigint[])
    order by id for key share`.execute(tx);
  return rows.map((row) => row.id);
}

/**
 * Inserts memberships by COPY, group by group in the order of subscriber IDs. None of them may
 * exist.
 */
export function copyMembers(
  copy: CopyIn,
  accountId: number,
  groupIds: readonly number[],
  subscriberIds: readonly number[],
  at: Date,
): Promise<void> {
  const end = `\t${at.toISOString()}\n`;
  function* lines(): Generator<Buffer> {
    for (const groupId of groupIds) {
      const start = `${accountId}\t${groupId}\t`;
      for (let from = 0; from < subscriberIds.length; from += 1000) {
        let text = '';
        for (const id of subscriberIds.slice(from, from + 1000)) text += start + id + end;
        yield Buffer.from(text);
      }
    }
  }
  return copy(
    'copy group_members (account_id, group_id, subscriber_id, created_at) from stdin',
    lines(),
  );
}

export async function deleteMembers(
  tx: Tx,
  accountId: number,
  groupIds: readonly number[],
  subscriberIds: readonly number[],
): Promise<Membership[]> {
  const { rows } = await sql<Membership>`
    delete from group_members
    where account_id = ${accountId} and group_id = any(${[...groupIds]}::bigint[])
      and subscriber_id = any(${[...subscriberIds]}::bigint[])
    returning group_id, subscriber_id`.execute(tx);
  return rows;
}

/** Deletes the memberships of deleted subscribers. */
export async function eraseMembers(
  tx: Tx,
  accountId: number,
  subscriberIds: readonly number[],
): Promise<void> {
  await sql`
    delete from group_members
    where account_id = ${accountId} and subscriber_id = any(${[...subscriberIds]}::bigint[])`.execute(
    tx,
  );
}

/** Returns the groups of these subscribers, ordered by title. */
export async function findGroupsOfSubscribers(
  db: Reader,
  accountId: number,
  subscriberIds: readonly number[],
): Promise<{ subscriber_id: number; id: number; title: string }[]> {
  if (subscriberIds.length === 0) return [];
  const { rows } = await sql<{ subscriber_id: number; id: number; title: string }>`
    select m.subscriber_id, g.id, g.title from group_members m
    join groups g on g.account_id = ${accountId} and g.id = m.group_id
    where m.account_id = ${accountId} and m.subscriber_id = any(${[...subscriberIds]}::bigint[])
    order by g.title_key collate "und-x-icu", g.id`.execute(db);
  return rows;
}

/** SQL: groups for the global search. */
export const listSearchableGroups = (accountId: number) => sql`
  select id, title, null::text as detail, null::text as parameter, modified_at from groups
  where account_id = ${accountId}`;
