// Campaigns as the contract shows them.
import { isLanguage } from '#platform/languages.ts';
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader } from '#platform/server/database.ts';
import type { Campaign } from '../contract.ts';
import { LATE_MS } from '../limits.ts';
import * as store from './campaigns.sql.ts';

/** The rows with their groups and figures: two more statements, however many rows. */
export async function presentCampaigns(
  db: Reader,
  accountId: number,
  rows: readonly store.CampaignRow[],
): Promise<Campaign[]> {
  if (rows.length === 0) return [];
  const ids = rows.map((row) => row.id);
  const messageIds = rows.flatMap((row) => (row.message_id === null ? [] : [row.message_id]));
  const groups = await store.readGroups(db, accountId, ids);
  const figures = await store.readFigures(db, accountId, messageIds);
  return rows.map((row) =>
    presentCampaign(
      row,
      groups.filter((group) => group.campaign_id === row.id),
      figures.find((figure) => figure.message_id === row.message_id),
    ),
  );
}

export async function presentOne(
  db: Reader,
  accountId: number,
  row: store.CampaignRow,
): Promise<Campaign> {
  const [campaign] = await presentCampaigns(db, accountId, [row]);
  return campaign as Campaign;
}

export function presentGroup({ id, title }: { id: number; title: string }) {
  return { id: encodeId('group', id), title };
}

const iso = (date: Date | null) => date?.toISOString() ?? null;

function presentCampaign(
  row: store.CampaignRow,
  groups: readonly store.GroupRow[],
  figures: store.FigureRow | undefined,
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
    status: row.status as Campaign['status'],
    last_action: row.last_action as Campaign['last_action'],
    revision: row.revision,
    editor: row.content_kind as Campaign['editor'],
    content_revision: row.content_revision,
    send_to_all: row.send_to_all,
    tags: groups.filter((group) => !group.is_excluded).map(presentGroup),
    exclude_tags: groups.filter((group) => group.is_excluded).map(presentGroup),
    schedule_time: row.schedule_time,
    schedule_zone: row.schedule_zone,
    scheduled_at: iso(row.scheduled_at),
    is_late: isLate(row),
    delivery: figures ? presentDelivery(figures) : null,
    figures: figures && row.sent_at !== null ? presentFigures(figures) : null,
    sent_at: iso(row.sent_at),
    created: row.created_at.toISOString(),
    modified: row.modified_at.toISOString(),
  };
}

/** Its hour passed while nothing could start it: it waits for its owner's word. */
export function isLate(row: store.CampaignRow): boolean {
  return (
    row.status === 'SCHEDULED' &&
    row.message_id === null &&
    row.scheduled_at !== null &&
    clock.now().getTime() - row.scheduled_at.getTime() >= LATE_MS
  );
}

function presentDelivery(figures: store.FigureRow): NonNullable<Campaign['delivery']> {
  const { audience, accepted, deferred, failed, skipped, unknown } = figures;
  return {
    state: figures.state as NonNullable<Campaign['delivery']>['state'],
    reason: figures.state_reason,
    audience,
    audience_done: figures.audience_done,
    accepted,
    deferred,
    failed,
    skipped,
    unknown,
    remaining: Math.max(0, audience - accepted - failed - skipped - unknown),
    started_at: iso(figures.started_at),
    finished_at: iso(figures.finished_at),
  };
}

function presentFigures(figures: store.FigureRow): NonNullable<Campaign['figures']> {
  const { accepted, unknown, hard_bounces, soft_bounces } = figures;
  return {
    sent: accepted + unknown,
    delivered: Math.max(0, accepted - hard_bounces - soft_bounces),
    opens: figures.unique_opens,
    human_opens: figures.unique_human_opens,
    clicks: figures.unique_clicks,
    human_clicks: figures.unique_human_clicks,
    unsubscribes: figures.unsubscribes,
    hard_bounces,
    soft_bounces,
    complaints: figures.complaints,
  };
}
