// The overview of a campaign's report: exact figures, their shares, and the account's average.
import { markAccount, readAccount } from '#areas/accounts/server/index.ts';
import { campaignRow } from '#areas/campaigns/server/index.ts';
import { type Delivery, readDelivery } from '#areas/delivery/server/ledger/index.ts';
import { earnedBy } from '#areas/stores/server/index.ts';
import { shareOf as share } from '#areas/tracking/shared.ts';
import { type Figures, figuresOf, readEngagement } from '#areas/tracking/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { AppError } from '#platform/server/errors.ts';
import type { Overview } from '../contract.ts';
import { AVERAGE_OF } from '../shared.ts';
import * as store from './reports.sql.ts';

export type Reported = Awaited<ReturnType<typeof campaignRow>> & { message_id: number };

/** The campaign, if it has a report. `not_found`, `not_sent_yet`. */
export async function reported(db: Reader, accountId: number, id: number): Promise<Reported> {
  const row = await campaignRow(db, accountId, id);
  if (row.message_id === null) throw new AppError('not_sent_yet');
  return { ...row, message_id: row.message_id };
}

/** Reads the overview; the account's first view is a step of its onboarding. */
export async function readOverview(
  tx: Tx,
  accountId: number,
  id: number,
  { isOwners } = { isOwners: true },
): Promise<Overview> {
  const campaign = await reported(tx, accountId, id);
  const account = await readAccount(tx, accountId);
  const [delivery] = await readDelivery(tx, accountId, [campaign.message_id]);
  if (!delivery) throw new AppError('not_sent_yet');
  if (isOwners && campaign.sent_at !== null) await markAccount(tx, accountId, 'report_viewed_at');
  const engagement = await readEngagement(tx, accountId, [campaign.message_id]);
  const figures = figuresOf(delivery, engagement.get(campaign.message_id));
  const { counts } = delivery;
  return {
    campaign: {
      id: encodeId('campaign', campaign.id),
      title: campaign.title,
      subject: campaign.subject,
      from_name: campaign.from_name,
      from_email: campaign.from_email,
      sent_at: campaign.sent_at?.toISOString() ?? null,
      finished_at: delivery.finishedAt?.toISOString() ?? null,
    },
    zone: account.timezone,
    topic: `message:${encodeId('message', campaign.message_id)}`,
    recipients: delivery.audience,
    remaining: counts.pending + counts.handing_over + counts.deferred,
    skipped: counts.skipped,
    unknown: counts.unknown,
    figures: presentFigures(figures, delivery.audience),
    earned: await earnedBy(tx, accountId, [campaign.message_id]),
    average: campaign.sent_at ? await averageBefore(tx, accountId, campaign) : null,
  };
}

function presentFigures(figures: Figures, recipients: number): Overview['figures'] {
  const { sent, delivered } = figures;
  const ofSent = (count: number) => ({ count, share: share(count, sent) });
  const ofDelivered = (count: number) => ({ count, share: share(count, delivered) });
  return {
    sent: { count: sent, share: share(sent, recipients) },
    delivered: ofSent(delivered),
    opens: {
      ...ofDelivered(figures.opens),
      human_count: figures.human_opens,
      human_share: share(figures.human_opens, delivered),
      total: figures.total_opens,
      human_total: figures.total_human_opens,
    },
    clicks: {
      ...ofDelivered(figures.clicks),
      human_count: figures.human_clicks,
      human_share: share(figures.human_clicks, delivered),
      total: figures.total_clicks,
      human_total: figures.total_human_clicks,
    },
    hard_bounces: ofSent(figures.hard_bounces),
    soft_bounces: ofSent(figures.soft_bounces),
    unsubscribes: ofDelivered(figures.unsubscribes),
    complaints: ofDelivered(figures.complaints),
  };
}

/** Shares over all recipients of the earlier campaigns: a large campaign weighs more. */
async function averageBefore(
  tx: Tx,
  accountId: number,
  campaign: Reported,
): Promise<Overview['average']> {
  const sentAt = campaign.sent_at as Date;
  const ids = await store.messagesBefore(tx, accountId, campaign.id, sentAt, AVERAGE_OF);
  const deliveries = await readDelivery(tx, accountId, ids);
  const engagement = await readEngagement(tx, accountId, ids);
  const all = deliveries
    .map((delivery: Delivery) => figuresOf(delivery, engagement.get(delivery.messageId)))
    .filter((figures) => figures.sent > 0);
  if (all.length === 0) return null;
  const sum = (name: keyof Figures) => all.reduce((total, figures) => total + figures[name], 0);
  const ofSent = (name: keyof Figures) => share(sum(name), sum('sent'));
  const ofDelivered = (name: keyof Figures) => share(sum(name), sum('delivered'));
  return {
    campaigns: all.length,
    delivered: ofSent('delivered'),
    opens: ofDelivered('opens'),
    human_opens: ofDelivered('human_opens'),
    clicks: ofDelivered('clicks'),
    human_clicks: ofDelivered('human_clicks'),
    hard_bounces: ofSent('hard_bounces'),
    soft_bounces: ofSent('soft_bounces'),
    unsubscribes: ofDelivered('unsubscribes'),
    complaints: ofDelivered('complaints'),
  };
}
