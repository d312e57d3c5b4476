// Reads the overview of a campaign's report: counts, rates and the account's average. Also finds
// the messages that a report covers.
import { markAccount, readAccount } from '#areas/accounts/server/index.ts';
import { readBroadcasts, readEach } from '#areas/broadcasts/server/index.ts';
import {
  getCampaignRow,
  listCampaignVariants,
  findChosenVariant,
} from '#areas/campaigns/server/index.ts';
import { type LeadId, toMessageId } from '#areas/delivery/lead-id.ts';
import { findMessagesOfLead } from '#areas/delivery/server/ledger/index.ts';
import { readAttributedRevenue } from '#areas/stores/server/index.ts';
import { divideOrZero as share } from '#areas/tracking/shared.ts';
import { type EngagementFigures, computeFigures } from '#areas/tracking/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { AppError, notFound } from '#platform/server/errors.ts';
import type { Overview } from '../contract.ts';
import { AVERAGE_OF } from '../shared.ts';
import * as store from './reports.sql.ts';

export type ReportedCampaign = Awaited<ReturnType<typeof getCampaignRow>> & {
  message_id: LeadId;
  /** All messages of the campaign, or the message of one variant of its experiment. */
  messageIds: number[];
  /** Number of the variant that the report is limited to. */
  variant: number | undefined;
};

/**
 * Reads the campaign with the messages of its report.
 * @param variant number of a variant, to limit the report to its test recipients
 * @throws `not_found`, `not_sent_yet`
 */
export async function readReportedCampaign(
  db: Reader,
  accountId: number,
  id: number,
  variant?: number,
): Promise<ReportedCampaign> {
  const row = await getCampaignRow(db, accountId, id);
  const lead = row.message_id;
  if (lead === null) throw new AppError('not_sent_yet');
  const messageIds =
    variant === undefined
      ? await findMessagesOfLead(db, accountId, lead)
      : [await messageOfVariant(db, accountId, id, variant)];
  return { ...row, message_id: lead, messageIds, variant };
}

async function messageOfVariant(
  db: Reader,
  accountId: number,
  id: number,
  number: number,
): Promise<number> {
  const variants = await listCampaignVariants(db, accountId, id);
  const messageId = variants.find((variant) => variant.number === number)?.message_id;
  if (messageId == null) throw notFound();
  return messageId;
}

/**
 * Returns the subject that the report shows: from its variant, else from the chosen variant, else
 * from the campaign.
 */
async function subjectOf(db: Reader, campaign: ReportedCampaign): Promise<string> {
  const { account_id: accountId, id, subject, variant } = campaign;
  const number = variant ?? (await findChosenVariant(db, accountId, id))?.number;
  if (number === undefined) return subject;
  const variants = await listCampaignVariants(db, accountId, id);
  return variants.find((variant) => variant.number === number)?.subject ?? subject;
}

/** Reads delivery and engagement of a report's messages; returns undefined if there are none. */
async function sumsOfReport(
  db: Reader,
  accountId: number,
  { messageIds, message_id }: ReportedCampaign,
) {
  const [first, ...others] = messageIds;
  return first !== undefined && others.length === 0
    ? (await readEach(db, accountId, [first])).get(first)
    : (await readBroadcasts(db, accountId, [message_id])).get(message_id);
}

/**
 * Reads the overview. A view by a user (`isOwners`) completes a step of the account's onboarding.
 * @throws `not_found`, `not_sent_yet`
 */
export async function readOverview(
  tx: Tx,
  accountId: number,
  id: number,
  { isOwners, variant }: { isOwners: boolean; variant?: number | undefined } = { isOwners: true },
): Promise<Overview> {
  const campaign = await readReportedCampaign(tx, accountId, id, variant);
  const account = await readAccount(tx, accountId);
  const totals = await sumsOfReport(tx, accountId, campaign);
  if (!totals) throw new AppError('not_sent_yet');
  const { delivery } = totals;
  if (isOwners && campaign.sent_at !== null) await markAccount(tx, accountId, 'report_viewed_at');
  const figures = computeFigures(delivery, totals.engagement);
  const { counts } = delivery;
  return {
    campaign: {
      id: encodeId('campaign', campaign.id),
      title: campaign.title,
      subject: await subjectOf(tx, campaign),
      from_name: campaign.from_name,
      from_email: campaign.from_email,
      sent_at: campaign.sent_at?.toISOString() ?? null,
      finished_at: delivery.finishedAt?.toISOString() ?? null,
    },
    zone: account.timezone,
    topic: `message:${encodeId('message', toMessageId(campaign.message_id))}`,
    recipients: delivery.audience,
    remaining: counts.pending + counts.handing_over + counts.deferred,
    skipped: counts.skipped,
    unknown: counts.unknown,
    figures: presentFigures(figures, delivery.audience),
    earned: await readAttributedRevenue(tx, accountId, campaign.messageIds),
    average: campaign.sent_at ? await averageBefore(tx, accountId, campaign) : null,
  };
}

function presentFigures(figures: EngagementFigures, recipients: number): Overview['figures'] {
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

/**
 * Averages the rates of up to `AVERAGE_OF` preceding campaigns across all their recipients, so that
 * large campaigns have more weight.
 */
async function averageBefore(
  tx: Tx,
  accountId: number,
  campaign: ReportedCampaign,
): Promise<Overview['average']> {
  const sentAt = campaign.sent_at as Date;
  const ids = await store.listMessagesBefore(tx, accountId, campaign.id, sentAt, AVERAGE_OF);
  const broadcasts = await readBroadcasts(tx, accountId, ids);
  const all = [...broadcasts.values()]
    .map(({ delivery, engagement }) => computeFigures(delivery, engagement))
    .filter((figures) => figures.sent > 0);
  if (all.length === 0) return null;
  const sumFigure = (name: keyof EngagementFigures) =>
    all.reduce((total, figures) => total + figures[name], 0);
  const ofSent = (name: keyof EngagementFigures) => share(sumFigure(name), sumFigure('sent'));
  const ofDelivered = (name: keyof EngagementFigures) =>
    share(sumFigure(name), sumFigure('delivered'));
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
