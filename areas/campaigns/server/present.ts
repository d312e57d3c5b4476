// Converts campaigns to the contract's format.
import {
  readRecipientChoices,
  readExperimentSummaries,
  isLate,
  presentDelivery,
  readSeriesOfRows,
  getTiming,
  readBroadcasts,
  extendUntilRemainder,
} from '#areas/broadcasts/server/index.ts';
import type { MessageDelivery } from '#areas/delivery/server/ledger/index.ts';
import { computeFigures } from '#areas/tracking/server/index.ts';
import { isLanguage } from '#platform/languages.ts';
import { encodeId } from '#platform/ids.ts';
import type { Reader } from '#platform/server/database/database.ts';
import type { Campaign } from '../contract.ts';
import * as store from './campaigns.sql.ts';
import { readResends, type ResendRow } from './resends.sql.ts';

/**
 * Adds recipients, statistics, resends, experiments and series to the rows, read in a few
 * statements for any number of rows.
 */
export async function presentCampaigns(
  db: Reader,
  accountId: number,
  rows: readonly store.CampaignRow[],
): Promise<Campaign[]> {
  if (rows.length === 0) return [];
  const ids = rows.map((row) => row.id);
  const messageIds = rows.flatMap((row) => (row.message_id === null ? [] : [row.message_id]));
  const choices = await readRecipientChoices(db, { tables: store.TABLES }, accountId, ids);
  const broadcasts = await readBroadcasts(db, accountId, messageIds);
  const resends = await readResends(db, accountId, ids);
  const experiments = await readExperimentSummaries(db, store.TABLES, accountId, ids);
  const series = await readSeriesOfRows(db, { tables: store.TABLES }, accountId, ids);
  return rows.map((row) => {
    const broadcast = row.message_id === null ? undefined : broadcasts.get(row.message_id);
    const experiment = experiments.get(row.id) ?? null;
    return presentCampaign(
      row,
      { ...choices(row.id), experiment },
      broadcast && extendUntilRemainder(broadcast.delivery, experiment),
      broadcast?.engagement,
      resends.find((resend) => resend.campaign_id === row.id),
      series(row.id),
    );
  });
}

export async function presentOne(
  db: Reader,
  accountId: number,
  row: store.CampaignRow,
): Promise<Campaign> {
  const [campaign] = await presentCampaigns(db, accountId, [row]);
  return campaign as Campaign;
}

const toIso = (date: Date | null) => date?.toISOString() ?? null;

function presentCampaign(
  row: store.CampaignRow,
  choices: Pick<Campaign, 'tags' | 'exclude_tags' | 'filters' | 'exclude_filters' | 'experiment'>,
  delivery: MessageDelivery | undefined,
  engagement: Parameters<typeof computeFigures>[1],
  resend: ResendRow | undefined,
  series: Campaign['series'],
): Campaign {
  return {
    id: encodeId('campaign', row.id),
    title: row.title,
    subject: row.subject,
    preheader: row.preheader,
    from_name: row.from_name,
    from_email: row.from_email,
    reply_to: row.reply_to,
    language: isLanguage(row.language) ? row.language : null,
    utm_campaign: row.utm_campaign,
    utm: row.utm,
    status: row.status as Campaign['status'],
    last_action: row.last_action as Campaign['last_action'],
    revision: row.revision,
    editor: row.content_kind as Campaign['editor'],
    content_revision: row.content_revision,
    thumbnail_url: getThumbnail(row),
    send_to_all: row.send_to_all,
    ...choices,
    schedule_time: row.schedule_time,
    schedule_zone: row.schedule_zone,
    scheduled_at: toIso(row.scheduled_at),
    is_late: isLate(row),
    timing: getTiming(row),
    delivery: delivery ? presentDelivery(delivery) : null,
    figures: delivery && row.sent_at !== null ? presentFigures(delivery, engagement) : null,
    resend: resend ? presentResend(resend) : null,
    resend_of: row.resend_of === null ? null : encodeId('campaign', row.resend_of),
    series,
    series_of: row.series_of === null ? null : encodeId('campaign', row.series_of),
    occurs_on: row.occurs_on,
    sent_at: toIso(row.sent_at),
    created: row.created_at.toISOString(),
    modified: row.modified_at.toISOString(),
  };
}

/** Returns the thumbnail's URL, which changes with each revision of the campaign. */
function getThumbnail({ id, revision, content_revision }: store.CampaignRow): string | null {
  if (content_revision === null) return null;
  return `/client-api/api/campaigns/${encodeId('campaign', id)}/thumbnail?v=${revision}`;
}

function presentResend(resend: ResendRow): NonNullable<Campaign['resend']> {
  return {
    subject: resend.subject,
    hours: resend.delay_hours,
    state: resend.state as NonNullable<Campaign['resend']>['state'],
    reason: resend.reason,
    due_at: toIso(resend.due_at),
    campaign: resend.child_id === null ? null : encodeId('campaign', resend.child_id),
  };
}

function presentFigures(
  delivery: MessageDelivery,
  engagement: Parameters<typeof computeFigures>[1],
): NonNullable<Campaign['figures']> {
  const figures = computeFigures(delivery, engagement);
  return {
    sent: figures.sent,
    delivered: figures.delivered,
    opens: figures.opens,
    human_opens: figures.human_opens,
    clicks: figures.clicks,
    human_clicks: figures.human_clicks,
    unsubscribes: figures.unsubscribes,
    hard_bounces: figures.hard_bounces,
    soft_bounces: figures.soft_bounces,
    complaints: figures.complaints,
  };
}
