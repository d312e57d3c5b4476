// Creates, changes, finds and lists groups and their counts.
import type { ListRequest } from '#platform/contract.ts';
import { decodeId, encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import {
  type Db,
  isUniqueViolation,
  type Reader,
  type Tx,
} from '#platform/server/database/database.ts';
import { AppError, notFound } from '#platform/server/errors.ts';
import { buildListResponse } from '#platform/server/database/lists.ts';
import type { Group } from '../contract.ts';
import { MAX_GROUPS, toTitleKey } from '../shared.ts';
import { readGroupCounts, NO_COUNTS } from './counts.ts';
import { groupCreated } from './events.ts';
import * as store from './groups.sql.ts';
import type { GroupRow } from './groups.sql.ts';

function present(row: GroupRow, counts: store.GroupCounts): Group {
  return {
    id: encodeId('group', row.id),
    title: row.title,
    account_id: encodeId('account', row.account_id),
    ...counts,
    is_public: row.is_public,
    created: row.created_at.toISOString(),
    modified: row.modified_at.toISOString(),
  };
}

export function listGroups(
  db: Reader,
  accountId: number,
  list: ListRequest<'title' | 'created' | 'modified'>,
  background: Db,
) {
  return buildListResponse(
    list,
    {
      rows: async (slice) => {
        const rows = await store.listGroups(db, accountId, list, slice);
        const ids = rows.map((row) => row.id);
        const counts = await readGroupCounts(db, accountId, ids, background);
        return rows.map((row) => present(row, counts(row.id)));
      },
      total: () => store.countGroups(db, accountId, list.search),
    },
    (group) => group,
  );
}

/**
 * Returns one group and its counts.
 * @throws `not_found`
 */
export async function readGroup(db: Reader, accountId: number, id: number): Promise<Group> {
  const [row] = await store.findGroups(db, accountId, [id]);
  if (!row) throw notFound();
  const counts = await readGroupCounts(db, accountId, [id]);
  return present(row, counts(id));
}

/** Returns the account's groups among these ids, including counts. */
export async function readGroups(
  db: Reader,
  accountId: number,
  ids: readonly number[],
): Promise<Map<number, Group>> {
  if (ids.length === 0) return new Map();
  const rows = await store.findGroups(db, accountId, ids);
  const counts = await readGroupCounts(
    db,
    accountId,
    rows.map((row) => row.id),
  );
  return new Map(rows.map((row) => [row.id, present(row, counts(row.id))]));
}

const duplicateTitle = () =>
  new AppError('title_taken', { errors: { title: ['groups:errors.title_taken'] } });

/**
 * Creates a group.
 * @throws `too_many_groups`, or 409 `title_taken` if a group has the title, ignoring case
 */
export async function createGroup(tx: Tx, accountId: number, title: string): Promise<Group> {
  if ((await store.countGroups(tx, accountId, undefined)) >= MAX_GROUPS) {
    throw new AppError('too_many_groups', { values: { most: MAX_GROUPS } });
  }
  const group = { title: title.trim(), key: toTitleKey(title), at: clock.now() };
  const row = await store.insertGroup(tx, accountId, group);
  if (!row) throw duplicateTitle();
  await groupCreated.announce(tx, { accountId, groupId: row.id });
  return present(row, NO_COUNTS);
}

/** Returns the id of the group with this title, created if missing; for imports and stores. */
export async function ensureGroup(tx: Tx, accountId: number, title: string): Promise<number> {
  const group = { title: title.trim(), key: toTitleKey(title), at: clock.now() };
  const row =
    (await store.insertGroup(tx, accountId, group)) ??
    (await store.findGroupByKey(tx, accountId, group.key));
  if (!row) throw new AppError('in_progress');
  return row.id;
}

/** Renames a group or changes its visibility; omitted properties remain. */
export async function changeGroup(
  tx: Tx,
  accountId: number,
  id: number,
  change: { title?: string | undefined; is_public?: boolean | undefined },
): Promise<Group> {
  const title = change.title?.trim();
  const key = title === undefined ? undefined : toTitleKey(title);
  const namesake = key === undefined ? undefined : await store.findGroupByKey(tx, accountId, key);
  if (namesake && namesake.id !== id) throw duplicateTitle();
  try {
    const to = { title, key, isPublic: change.is_public, at: clock.now() };
    if (!(await store.changeGroup(tx, accountId, id, to))) throw notFound();
  } catch (error) {
    if (isUniqueViolation(error)) throw duplicateTitle();
    throw error;
  }
  return readGroup(tx, accountId, id);
}

/**
 * Returns the account's groups with these ids.
 * @throws `not_found` if one is missing
 */
export async function requireGroups(
  db: Reader,
  accountId: number,
  ids: readonly number[],
): Promise<{ id: number; title: string }[]> {
  const requestedIds = new Set(ids);
  const rows = await store.findGroups(db, accountId, [...requestedIds]);
  if (rows.length < requestedIds.size) throw notFound();
  return rows.map((row) => ({ id: row.id, title: row.title }));
}

/** Returns titles by ID, without deleted groups. */
export async function readGroupTitles(
  db: Reader,
  accountId: number,
  ids: readonly number[],
): Promise<Map<number, string>> {
  const rows = await store.findGroups(db, accountId, ids);
  return new Map(rows.map((row) => [row.id, row.title]));
}

/**
 * Finds existing groups by the id or title that a caller gives; entries that match no group are
 * omitted.
 */
export async function findGroupsByTitle(
  db: Reader,
  accountId: number,
  publicIds: readonly string[],
): Promise<Map<string, number>> {
  if (publicIds.length === 0) return new Map();
  const ids = new Map(publicIds.map((entry) => [entry, decodeId('group', entry)]));
  const byId = await readGroupTitles(
    db,
    accountId,
    [...ids.values()].filter((id) => id !== undefined),
  );
  const byTitle = await store.findGroupsByKey(db, accountId, [
    ...new Set(publicIds.map(toTitleKey)),
  ]);
  return new Map(
    publicIds.flatMap((entry) => {
      const id = ids.get(entry);
      const groupId = id !== undefined && byId.has(id) ? id : byTitle.get(toTitleKey(entry))?.id;
      return groupId === undefined ? [] : [[entry, groupId] as const];
    }),
  );
}
