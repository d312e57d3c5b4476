// Groups on the dashboard, ranked by delivered emails in the period, then by latest change.
import {
  readGroupGrowth,
  type GroupGrowth,
  listRecentlyModifiedGroupIds,
} from '#areas/groups/server/index.ts';
import { readGroupFigures } from '#areas/reports/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import type { Tx } from '#platform/server/database/database.ts';
import type { GroupRows } from '../contract.ts';
import { PANEL_ROWS } from '../shared.ts';

const NO_FIGURES = { delivered: 0, human_opens: 0, human_clicks: 0 };

export async function readGroupRows(
  tx: Tx,
  accountId: number,
  from: Date,
  to: Date,
): Promise<Pick<GroupRows, 'is_counting' | 'groups'>> {
  const { figures, isCounting } = await readGroupFigures(tx, accountId, from, to);
  const deliveredGroupIds = [...figures]
    .sort(([id, a], [otherId, b]) => b.delivered - a.delivered || id - otherId)
    .map(([id]) => id);
  // Twice as many as are shown, because some of these groups may have been deleted since sending.
  const candidates = deliveredGroupIds.slice(0, 2 * PANEL_ROWS);
  const modifiedGroupIds = await listRecentlyModifiedGroupIds(tx, accountId, PANEL_ROWS);
  const ids = [...new Set([...candidates, ...modifiedGroupIds])];
  const growth = new Map(
    (await readGroupGrowth(tx, accountId, ids, { from, to })).map((group) => [group.id, group]),
  );
  const groups = ids
    .map((id) => growth.get(id))
    .filter((group): group is GroupGrowth => group !== undefined)
    .slice(0, PANEL_ROWS)
    .map(({ id, title, reachableMembers, joined }) => ({
      id: encodeId('group', id),
      title,
      members: reachableMembers,
      joined,
      ...(figures.get(id) ?? NO_FIGURES),
    }));
  return { is_counting: isCounting, groups };
}
