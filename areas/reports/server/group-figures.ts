// Adds up the figures of each group over the campaigns sent in a period, as the tab Groups shows
// them in the report of each campaign. A job computes and stores the sums of each campaign, so that
// no request reads every recipient.
import { listCampaignsSentBetween } from '#areas/campaigns/server/index.ts';
import { toMessageId } from '#areas/delivery/lead-id.ts';
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { requestSums } from './cached-totals.ts';
import { readManyCachedTotals } from './cached-totals.sql.ts';
import type { GroupSums } from './reports.sql.ts';

type GroupFigures = { delivered: number; human_opens: number; human_clicks: number };

/** Maximum number of campaigns, the newest of the period. More would change the rates little. */
const MAX_CAMPAIGNS = 50;
const MIN_FRESH_MS = 60_000;
const MAX_FRESH_MS = 24 * 60 * 60_000;

/**
 * Reads statistics by group. `isCounting` is true while a campaign's first sums are computed and
 * counts may grow.
 */
export async function readGroupFigures(
  tx: Tx,
  accountId: number,
  from: Date,
  to: Date,
): Promise<{ figures: Map<number, GroupFigures>; isCounting: boolean }> {
  const campaigns = await listCampaignsSentBetween(tx, accountId, {
    from,
    to,
    limit: MAX_CAMPAIGNS,
  });
  const messageIds = campaigns.map(({ message_id: lead }) => toMessageId(lead));
  const storedTotals = await readManyCachedTotals(tx, accountId, messageIds, 'groups');
  const figures = new Map<number, GroupFigures>();
  let isCounting = false;
  for (const campaign of campaigns) {
    const totals = storedTotals.get(toMessageId(campaign.message_id));
    if (totals === undefined) isCounting = true;
    if (totals === undefined || isOld(totals.computed_at, campaign.sent_at)) {
      await requestSums(tx, accountId, campaign.id, 'groups');
    }
    for (const row of (totals?.rows ?? []) as GroupSums[]) addTo(figures, row);
  }
  return { figures, isCounting };
}

/** Figures of earlier campaigns change less, so their sums remain valid for longer. */
function isOld(computedAt: Date, sentAt: Date): boolean {
  const now = clock.now().getTime();
  const maxAgeMs = Math.min(MAX_FRESH_MS, Math.max(MIN_FRESH_MS, (now - sentAt.getTime()) / 20));
  return now - computedAt.getTime() > maxAgeMs;
}

function addTo(figures: Map<number, GroupFigures>, { id, ...row }: GroupSums): void {
  const totals = figures.get(id) ?? { delivered: 0, human_opens: 0, human_clicks: 0 };
  totals.delivered += row.delivered;
  totals.human_opens += row.human_opens;
  totals.human_clicks += row.human_clicks;
  figures.set(id, totals);
}
