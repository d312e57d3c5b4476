// Statistics across campaigns: totals of a period, and rates of the newest campaigns.
import { listNewestMessages, readBroadcasts } from '#areas/broadcasts/server/index.ts';
import { computeFigures } from '#areas/tracking/server/index.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { listMessagesSentBetween, TABLES } from './campaigns.sql.ts';

export type SentFigures = {
  campaigns: number;
  delivered: number;
  human_opens: number;
  human_clicks: number;
};

export async function readSentFigures(
  db: Reader,
  accountId: number,
  from: Date,
  to: Date,
): Promise<SentFigures> {
  const leads = await listMessagesSentBetween(db, accountId, from, to);
  const broadcasts = await readBroadcasts(db, accountId, leads);
  const totals = { campaigns: leads.length, delivered: 0, human_opens: 0, human_clicks: 0 };
  for (const { delivery, engagement } of broadcasts.values()) {
    const figures = computeFigures(delivery, engagement);
    totals.delivered += figures.delivered;
    totals.human_opens += figures.human_opens;
    totals.human_clicks += figures.human_clicks;
  }
  return totals;
}

const MAX_NEWEST = 20;

/**
 * Returns the open and click rates of the newest campaigns together, or undefined if no email of
 * them was delivered.
 */
export async function readRates(
  db: Reader,
  accountId: number,
): Promise<{ opens: number; clicks: number } | undefined> {
  const leads = await listNewestMessages(db, TABLES, accountId, MAX_NEWEST);
  const broadcasts = await readBroadcasts(db, accountId, leads);
  const totals = { delivered: 0, opens: 0, clicks: 0 };
  for (const { delivery, engagement } of broadcasts.values()) {
    const figures = computeFigures(delivery, engagement);
    totals.delivered += figures.delivered;
    totals.opens += figures.human_opens;
    totals.clicks += figures.human_clicks;
  }
  const { delivered, opens, clicks } = totals;
  return delivered === 0 ? undefined : { opens: opens / delivered, clicks: clicks / delivered };
}
