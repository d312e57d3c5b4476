// Groups with the number of members reachable by email, and the number of current members of any
// status who joined in a period.
import type { Reader } from '#platform/server/database/database.ts';
import { readGroupCounts } from './counts.ts';
import { findGroups, countJoinedBetween, listGroups } from './groups.sql.ts';

export type GroupGrowth = {
  id: number;
  title: string;
  /** Number of members reachable by email, as in the list of groups. */
  reachableMembers: number;
  /** Number of current members, of any status, who joined in the period. */
  joined: number;
};

/** Returns the growth of each group in the order of `ids`; deleted groups are omitted. */
export async function readGroupGrowth(
  db: Reader,
  accountId: number,
  ids: readonly number[],
  period: { from: Date; to: Date },
): Promise<GroupGrowth[]> {
  if (ids.length === 0) return [];
  const rows = await findGroups(db, accountId, ids);
  const counts = await readGroupCounts(db, accountId, ids);
  const joinedCounts = await countJoinedBetween(db, accountId, ids, period);
  return ids.flatMap((id) => {
    const row = rows.find((group) => group.id === id);
    if (row === undefined) return [];
    const { active_subscribers: reachableMembers } = counts(id);
    return [{ id, title: row.title, reachableMembers, joined: joinedCounts.get(id) ?? 0 }];
  });
}

export async function listRecentlyModifiedGroupIds(
  db: Reader,
  accountId: number,
  limit: number,
): Promise<number[]> {
  const list = { order: 'modified', direction: 'desc', search: undefined } as const;
  const rows = await listGroups(db, accountId, list, { limit, offset: 0 });
  return rows.map(({ id }) => id);
}
