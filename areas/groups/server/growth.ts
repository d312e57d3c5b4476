// Members of groups, and how many of them joined in a period.
import type { Reader } from '#platform/server/database/database.ts';
import { readGroupCounts } from './counts.ts';
import { findGroups, joinedBetween, listGroups } from './groups.sql.ts';

export type GroupGrowth = {
  id: number;
  title: string;
  /** Number of members who are reachable by email, as in the list of groups. */
  members: number;
  /** Number of current members who joined in the period. */
  joined: number;
};

/** The growth of these groups, in the order of the ids; deleted groups are absent. */
export async function groupGrowth(
  db: Reader,
  accountId: number,
  ids: readonly number[],
  period: { from: Date; to: Date },
): Promise<GroupGrowth[]> {
  if (ids.length === 0) return [];
  const rows = await findGroups(db, accountId, ids);
  const counts = await readGroupCounts(db, accountId, ids);
  const joined = await joinedBetween(db, accountId, ids, period);
  return ids.flatMap((id) => {
    const row = rows.find((group) => group.id === id);
    if (row === undefined) return [];
    const { active_subscribers: members } = counts(id);
    return [{ id, title: row.title, members, joined: joined.get(id) ?? 0 }];
  });
}

export async function lastChangedGroups(
  db: Reader,
  accountId: number,
  limit: number,
): Promise<number[]> {
  const list = { order: 'modified', direction: 'desc', search: undefined } as const;
  const rows = await listGroups(db, accountId, list, { limit, offset: 0 });
  return rows.map(({ id }) => id);
}
