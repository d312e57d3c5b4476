// Converts SMS campaigns to the form that the contract returns.
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
import {
  type MessageDelivery,
  readSmsFigures,
  type SmsFigures,
} from '#areas/delivery/server/ledger/index.ts';
import type { readEngagement } from '#areas/tracking/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import type { Reader } from '#platform/server/database/database.ts';
import type { SmsCampaign } from '../contract.ts';
import type { SmsFlag } from '../shared.ts';
import { countReplies } from './inbound.sql.ts';
import { countUnsubscribes } from './report.sql.ts';
import { type SmsRow, TABLES } from './sms.sql.ts';

const toIso = (date: Date | null) => date?.toISOString() ?? null;
const toFlag = (value: boolean): SmsFlag => (value ? 'TRUE' : 'FALSE');

/**
 * Presents campaigns with recipients and statistics. The number of statements does not depend on
 * the number of campaigns.
 */
export async function presentSms(
  db: Reader,
  accountId: number,
  rows: readonly SmsRow[],
): Promise<SmsCampaign[]> {
  if (rows.length === 0) return [];
  const ids = rows.map((row) => row.id);
  const messageIds = rows.flatMap((row) => (row.message_id === null ? [] : [row.message_id]));
  const choices = await readRecipientChoices(db, { tables: TABLES }, accountId, ids);
  const broadcasts = await readBroadcasts(db, accountId, messageIds);
  const allMessageIds = [...broadcasts.values()].flatMap((broadcasts) => broadcasts.messageIds);
  const replies = await countReplies(db, accountId, allMessageIds);
  const unsubscribes = await countUnsubscribes(db, accountId, allMessageIds);
  const smsFigures = await readSmsFigures(db, accountId, allMessageIds);
  const experiments = await readExperimentSummaries(db, TABLES, accountId, ids);
  const series = await readSeriesOfRows(db, { tables: TABLES }, accountId, ids);
  return rows.map((row) => {
    const experiment = experiments.get(row.id) ?? null;
    const broadcast = row.message_id === null ? undefined : broadcasts.get(row.message_id);
    const delivery = broadcast && extendUntilRemainder(broadcast.delivery, experiment);
    const messageIds = broadcast?.messageIds ?? [];
    const sumCounts = (counts: ReadonlyMap<number, number>) =>
      messageIds.reduce((total, id) => total + (counts.get(id) ?? 0), 0);
    return {
      ...presentSettings(row),
      ...choices(row.id),
      schedule_time: row.schedule_time,
      schedule_zone: row.schedule_zone,
      scheduled_at: toIso(row.scheduled_at),
      is_late: isLate(row),
      series: series(row.id),
      series_of: row.series_of === null ? null : encodeId('sms', row.series_of),
      occurs_on: row.occurs_on,
      timing: getTiming(row),
      delivery: delivery ? presentDelivery(delivery) : null,
      figures:
        delivery && row.sent_at !== null
          ? presentFigures(delivery, broadcast?.engagement, sumSmsFigures(messageIds, smsFigures), {
              replies: sumCounts(replies),
              unsubscribes: sumCounts(unsubscribes),
            })
          : null,
      experiment,
      sent_at: toIso(row.sent_at),
      created: row.created_at.toISOString(),
      modified: row.modified_at.toISOString(),
    };
  });
}

/** Returns the ID, status and revision, and the fields that users set in a draft. */
const presentSettings = (row: SmsRow) => ({
  id: encodeId('sms', row.id),
  title: row.title,
  text: row.text,
  sender: row.sender,
  phone_id: row.phone_id === null ? null : encodeId('phone', row.phone_id),
  status: row.status as SmsCampaign['status'],
  last_action: row.last_action as SmsCampaign['last_action'],
  revision: row.revision,
  add_organization_name: toFlag(row.add_organization_name),
  append_opt_out: toFlag(row.append_opt_out),
  send_to_all: toFlag(row.send_to_all),
  google_analytics: toFlag(row.google_analytics),
  utm: row.utm,
});

function sumSmsFigures(
  messageIds: readonly number[],
  figuresByMessage: ReadonlyMap<number, SmsFigures>,
): SmsFigures | undefined {
  const figuresList = messageIds.flatMap((id) => figuresByMessage.get(id) ?? []);
  if (figuresList.length === 0) return undefined;
  const sumField = (name: keyof SmsFigures) =>
    figuresList.reduce((total, partFigures) => total + partFigures[name], 0);
  return {
    delivered: sumField('delivered'),
    undelivered: sumField('undelivered'),
    parts: sumField('parts'),
    cost_micros: sumField('cost_micros'),
  };
}

export async function presentOne(db: Reader, accountId: number, row: SmsRow): Promise<SmsCampaign> {
  const [campaign] = await presentSms(db, accountId, [row]);
  return campaign as SmsCampaign;
}

type MessageEngagement =
  Awaited<ReturnType<typeof readEngagement>> extends Map<number, infer E> ? E : never;

export function presentFigures(
  { counts }: MessageDelivery,
  engagement: MessageEngagement | undefined,
  smsFigures: SmsFigures | undefined,
  responses: { replies: number; unsubscribes: number },
): NonNullable<SmsCampaign['figures']> {
  const undeliveredCount = smsFigures?.undelivered ?? 0;
  return {
    sent: counts.accepted + counts.failed,
    accepted: Math.max(0, counts.accepted - undeliveredCount),
    // Null if no delivery was reported, because some providers report none or only failures.
    delivered: smsFigures?.delivered || null,
    clicks: engagement?.unique_human_clicks ?? 0,
    failed: counts.failed + undeliveredCount,
    parts: smsFigures?.parts ?? 0,
    cost_micros: smsFigures?.cost_micros ?? 0,
    ...responses,
  };
}
