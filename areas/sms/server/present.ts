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
  type Delivery,
  readSmsFigures,
  type SmsFigures,
} from '#areas/delivery/server/ledger/index.ts';
import type { readEngagement } from '#areas/tracking/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import type { Reader } from '#platform/server/database/database.ts';
import type { SmsCampaign } from '../contract.ts';
import type { Flag } from '../shared.ts';
import { countReplies } from './inbound.sql.ts';
import { countLeft } from './report.sql.ts';
import { type SmsRow, TABLES } from './sms.sql.ts';

const iso = (date: Date | null) => date?.toISOString() ?? null;
const flag = (is: boolean): Flag => (is ? 'TRUE' : 'FALSE');

/**
 * Presents campaigns with their recipients and figures. The number of statements does not depend on the
 * number of campaigns.
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
  const figures = await readBroadcasts(db, accountId, messageIds);
  const all = [...figures.values()].flatMap((figures) => figures.messageIds);
  const replies = await countReplies(db, accountId, all);
  const unsubscribes = await countLeft(db, accountId, all);
  const texts = await readSmsFigures(db, accountId, all);
  const experiments = await readExperimentSummaries(db, TABLES, accountId, ids);
  const series = await readSeriesOfRows(db, { tables: TABLES }, accountId, ids);
  return rows.map((row) => {
    const experiment = experiments.get(row.id) ?? null;
    const found = row.message_id === null ? undefined : figures.get(row.message_id);
    const delivery = found && extendUntilRemainder(found.delivery, experiment);
    const messageIds = found?.messageIds ?? [];
    const sum = (counts: ReadonlyMap<number, number>) =>
      messageIds.reduce((total, id) => total + (counts.get(id) ?? 0), 0);
    return {
      ...settingsOf(row),
      ...choices(row.id),
      schedule_time: row.schedule_time,
      schedule_zone: row.schedule_zone,
      scheduled_at: iso(row.scheduled_at),
      is_late: isLate(row),
      series: series(row.id),
      series_of: row.series_of === null ? null : encodeId('sms', row.series_of),
      occurs_on: row.occurs_on,
      timing: getTiming(row),
      delivery: delivery ? presentDelivery(delivery) : null,
      figures:
        delivery && row.sent_at !== null
          ? presentFigures(delivery, found?.engagement, sumSmsFigures(messageIds, texts), {
              replies: sum(replies),
              unsubscribes: sum(unsubscribes),
            })
          : null,
      experiment,
      sent_at: iso(row.sent_at),
      created: row.created_at.toISOString(),
      modified: row.modified_at.toISOString(),
    };
  });
}

/** The ID, status and revision, and the fields that users set in a draft. */
const settingsOf = (row: SmsRow) => ({
  id: encodeId('sms', row.id),
  title: row.title,
  text: row.text,
  sender: row.sender,
  phone_id: row.phone_id === null ? null : encodeId('phone', row.phone_id),
  status: row.status as SmsCampaign['status'],
  last_action: row.last_action as SmsCampaign['last_action'],
  revision: row.revision,
  add_organization_name: flag(row.add_organization_name),
  append_opt_out: flag(row.append_opt_out),
  send_to_all: flag(row.send_to_all),
  google_analytics: flag(row.google_analytics),
  utm: row.utm,
});

function sumSmsFigures(
  messageIds: readonly number[],
  texts: ReadonlyMap<number, SmsFigures>,
): SmsFigures | undefined {
  const parts = messageIds.flatMap((id) => texts.get(id) ?? []);
  if (parts.length === 0) return undefined;
  const sum = (name: keyof SmsFigures) => parts.reduce((total, part) => total + part[name], 0);
  return {
    delivered: sum('delivered'),
    undelivered: sum('undelivered'),
    parts: sum('parts'),
    cost_micros: sum('cost_micros'),
  };
}

export async function presentOne(db: Reader, accountId: number, row: SmsRow): Promise<SmsCampaign> {
  const [campaign] = await presentSms(db, accountId, [row]);
  return campaign as SmsCampaign;
}

type Engagement =
  Awaited<ReturnType<typeof readEngagement>> extends Map<number, infer E> ? E : never;

export function presentFigures(
  { counts }: Delivery,
  engagement: Engagement | undefined,
  texts: SmsFigures | undefined,
  responses: { replies: number; unsubscribes: number },
): NonNullable<SmsCampaign['figures']> {
  const returned = texts?.undelivered ?? 0;
  return {
    sent: counts.accepted + counts.failed,
    accepted: Math.max(0, counts.accepted - returned),
    // Null if no delivery was reported, since some providers report none, or only failures.
    delivered: texts?.delivered || null,
    clicks: engagement?.unique_human_clicks ?? 0,
    failed: counts.failed + returned,
    parts: texts?.parts ?? 0,
    cost_micros: texts?.cost_micros ?? 0,
    ...responses,
  };
}
