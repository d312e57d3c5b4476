// Figures of a campaign by group, mailbox domain, device and country.
import type { ListRequest } from '#platform/contract.ts';
import { encodeId } from '#platform/ids.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { buildListResponse } from '#platform/server/database/lists.ts';
import type { DomainFiguresRow, GroupFiguresRow, SpreadRow } from '../contract.ts';
import { readSums, listTargetGroupIds } from './cached-totals.ts';
import { readReportedCampaign } from './overview.ts';
import * as store from './reports.sql.ts';

const NO_SUMS: store.PartSums = {
  sent: 0,
  delivered: 0,
  opens: 0,
  human_opens: 0,
  clicks: 0,
  human_clicks: 0,
  bounces: 0,
  unsubscribes: 0,
  complaints: 0,
};

/**
 * Lists statistics by the groups that the campaign was sent to, or by all groups if it was sent to
 * all subscribers.
 */
export async function listGroups(
  tx: Tx,
  accountId: number,
  campaignId: number,
  { list, variant }: { list: ListRequest<'title' | 'sent'>; variant?: number | undefined },
) {
  const campaign = await readReportedCampaign(tx, accountId, campaignId, variant);
  const totals = await readSums(tx, accountId, campaign, 'groups');
  const byId = new Map(totals.rows.map(({ id, ...sums }) => [id, sums]));
  const ids = totals.isCounting ? [] : await listTargetGroupIds(tx, accountId, campaign);
  const groups = await store.readGroups(tx, accountId, ids);
  const term = list.search?.toLocaleLowerCase();
  const rows = groups
    .filter(({ title }) => !term || title.toLocaleLowerCase().includes(term))
    .map((group) => ({ group, sums: byId.get(group.id) ?? NO_SUMS }))
    .sort(inOrder(list));
  const page = await buildListResponse(
    list,
    {
      rows: async ({ limit, offset }) => rows.slice(offset, offset + limit),
      total: async () => rows.length,
    },
    ({ group: { id, title }, sums }): GroupFiguresRow => ({
      group: { id: encodeId('group', id), title },
      ...sums,
    }),
  );
  return { ...page, is_counting: totals.isCounting };
}

type GroupReportRow = { group: { id: number; title: string }; sums: store.PartSums };

function inOrder({ order, direction }: ListRequest<'title' | 'sent'>) {
  const sign = direction === 'desc' ? -1 : 1;
  return (a: GroupReportRow, b: GroupReportRow): number => {
    const difference =
      order === 'sent' ? a.sums.sent - b.sums.sent : a.group.title.localeCompare(b.group.title);
    return sign * difference || a.group.id - b.group.id;
  };
}

export async function listDomains(
  tx: Tx,
  accountId: number,
  campaignId: number,
  variant?: number,
): Promise<{ data: DomainFiguresRow[]; is_counting: boolean }> {
  const campaign = await readReportedCampaign(tx, accountId, campaignId, variant);
  const { rows, isCounting } = await readSums(tx, accountId, campaign, 'domains');
  return { data: rows, is_counting: isCounting };
}

export async function readSpread(
  db: Reader,
  accountId: number,
  campaignId: number,
  aspect: 'device' | 'country',
  variant?: number,
): Promise<SpreadRow[]> {
  const { messageIds } = await readReportedCampaign(db, accountId, campaignId, variant);
  return store.readSpread(db, accountId, messageIds, aspect);
}
