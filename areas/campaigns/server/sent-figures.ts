// Figures of all campaigns sent in a period: the sums of the figures of their reports.
import { readDelivery } from '#areas/delivery/server/ledger/index.ts';
import { figuresOf, readEngagement } from '#areas/tracking/server/index.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { messagesSentBetween, newestMessages } from './campaigns.sql.ts';

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
  const messageIds = await messagesSentBetween(db, accountId, from, to);
  const deliveries = await readDelivery(db, accountId, messageIds);
  const engagement = await readEngagement(db, accountId, messageIds);
  const sums = { campaigns: messageIds.length, delivered: 0, human_opens: 0, human_clicks: 0 };
  for (const delivery of deliveries) {
    const figures = figuresOf(delivery, engagement.get(delivery.messageId));
    sums.delivered += figures.delivered;
    sums.human_opens += figures.human_opens;
    sums.human_clicks += figures.human_clicks;
  }
  return sums;
}

const MAX_NEWEST = 20;

/** Shares of recipients of the newest campaigns who opened and clicked; undefined without any. */
export async function readRates(
  db: Reader,
  accountId: number,
): Promise<{ opens: number; clicks: number } | undefined> {
  const messageIds = await newestMessages(db, accountId, MAX_NEWEST);
  const engagement = await readEngagement(db, accountId, messageIds);
  const sums = { delivered: 0, opens: 0, clicks: 0 };
  for (const delivery of await readDelivery(db, accountId, messageIds)) {
    const figures = figuresOf(delivery, engagement.get(delivery.messageId));
    sums.delivered += figures.delivered;
    sums.opens += figures.human_opens;
    sums.clicks += figures.human_clicks;
  }
  const { delivered, opens, clicks } = sums;
  return delivered === 0 ? undefined : { opens: opens / delivered, clicks: clicks / delivered };
}
