// Lists, skips and restores single occurrences of recurring campaigns. Creates an occurrence before
// its day and reschedules a scheduled campaign.
import { recordChange } from '#platform/server/audit.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { AppError, invalid } from '#platform/server/errors.ts';
import { sendChangeHint } from '#platform/server/live/live.ts';
import { encodeId } from '#platform/ids.ts';
import type { SeriesDate } from '../planning-contract.ts';
import { findNextOccurrence, type SeriesOccurrence, generateOccurrences } from '../series-rule.ts';
import {
  getBroadcastRow,
  dropPassedSchedule,
  isLate,
  lockBroadcast,
  notifyAndReload,
} from './broadcasts.ts';
import { undeleteRow, updateRow } from './broadcasts.sql.ts';
import { scheduleAt } from './lifecycle.ts';
import type { BroadcastAdapter, BroadcastRow, SeriesRow, ShownBroadcast } from './adapter.ts';
import { copyModel, toPlan } from './series.ts';
import * as store from './series.sql.ts';

/** Maximum numbers of listed campaigns and of listed future days. */
const MAX_LISTED = 12;
const MAX_SKIPPED = 200;

/** Lists the campaigns of the newest occurrences and the next planned days, the earliest first. */
export async function listDates<Row extends BroadcastRow>(
  db: Reader,
  adapter: BroadcastAdapter<Row>,
  accountId: number,
  modelId: number,
): Promise<SeriesDate[]> {
  await getBroadcastRow<Row>(db, adapter, accountId, modelId);
  const series = await requireSeries(db, adapter, accountId, modelId);
  const rows = await store.readOccurrences<Row>(db, adapter, accountId, modelId, MAX_LISTED);
  const presented = await adapter.present(
    db,
    rows.filter((row) => row.deleted_at === null),
  );
  const deliveryStates = new Map(
    presented.map((broadcast) => [broadcast.id, broadcast.delivery?.state]),
  );
  const campaigns = rows.map((row) => presentMade(adapter, row, deliveryStates));
  const existingDays = new Set(campaigns.map(({ on }) => on));
  const plannedOnly = listPlannedDates(series, clock.now(), MAX_LISTED).filter(
    ({ on }) => !existingDays.has(on),
  );
  return [...campaigns, ...plannedOnly].sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}

function presentMade<Row extends BroadcastRow>(
  adapter: BroadcastAdapter<Row>,
  row: store.SeriesOccurrenceRow,
  states: ReadonlyMap<string, string | undefined>,
): SeriesDate {
  const day = row.occurs_on as string;
  const id = encodeId(adapter.idKind, row.id);
  const time = (row.sent_at ?? row.scheduled_at ?? new Date(`${day}T00:00:00Z`)).toISOString();
  if (row.deleted_at !== null)
    return { on: day, at: time, state: 'skipped', campaign: null, title: null };
  return {
    on: day,
    at: time,
    state: getState(row, states.get(id)),
    campaign: id,
    title: row.title,
  };
}

function getState(row: BroadcastRow, delivery: string | undefined): SeriesDate['state'] {
  if (isLate(row)) return 'late';
  if (delivery !== undefined && delivery !== 'finished' && delivery !== 'cancelled')
    return 'sending';
  if (row.status === 'SENT') return 'sent';
  return row.status === 'DRAFT' ? 'draft' : 'scheduled';
}

/** Returns the occurrences after an instant, whether or not they have a campaign. */
export function listPlannedDates(series: SeriesRow, after: Date, limit: number): SeriesDate[] {
  const plan = toPlan(series);
  const dates: SeriesDate[] = [];
  for (let next = findNextOccurrence(plan, after); next && dates.length < limit; ) {
    const { on, at } = next;
    const state = series.skipped_on.includes(on) ? 'skipped' : 'planned';
    dates.push({ on, at: at.toISOString(), state, campaign: null, title: null });
    next = findNextOccurrence(plan, at);
  }
  return dates;
}

/**
 * Skips an occurrence; its campaign is removed. @throws campaign_sending if the campaign has
 * started
 */
export async function skipDate<Row extends BroadcastRow>(
  tx: Tx,
  adapter: BroadcastAdapter<Row>,
  accountId: number,
  modelId: number,
  on: string,
): Promise<void> {
  await lockBroadcast<Row>(tx, adapter, accountId, modelId);
  const series = await requireSeries(tx, adapter, accountId, modelId);
  const row = await store.lockOccurrence(tx, adapter, accountId, modelId, on);
  if (row !== undefined) {
    if (row.message_id !== null) throw new AppError('campaign_sending');
    await updateRow(tx, adapter, accountId, row.id, { deleted_at: row.deleted_at ?? clock.now() });
    sendChangeHint(tx, accountId, adapter.idKind, row.id);
  } else {
    requireOccurrence(series, on);
    const skippedDays = [...new Set([...series.skipped_on, on])].slice(-MAX_SKIPPED);
    await store.updateSeries(tx, adapter, accountId, modelId, { skipped_on: skippedDays });
  }
  sendChangeHint(tx, accountId, adapter.idKind, modelId);
}

/** Restores a skipped occurrence; a passed schedule is dropped. */
export async function unskipDate<Row extends BroadcastRow>(
  tx: Tx,
  adapter: BroadcastAdapter<Row>,
  accountId: number,
  modelId: number,
  on: string,
): Promise<void> {
  await lockBroadcast<Row>(tx, adapter, accountId, modelId);
  const series = await requireSeries(tx, adapter, accountId, modelId);
  const row = await store.lockOccurrence(tx, adapter, accountId, modelId, on);
  if (row !== undefined && (await undeleteRow(tx, adapter, accountId, row.id, clock.now()))) {
    await dropPassedSchedule(tx, adapter, await lockBroadcast<Row>(tx, adapter, accountId, row.id));
    sendChangeHint(tx, accountId, adapter.idKind, row.id);
  }
  const skippedDays = series.skipped_on.filter((day) => day !== on);
  await store.updateSeries(tx, adapter, accountId, modelId, { skipped_on: skippedDays });
  sendChangeHint(tx, accountId, adapter.idKind, modelId);
}

/**
 * Creates the campaign of a future occurrence now, or restores its removed campaign. An existing
 * campaign is used as it is. `wallTime` schedules the campaign for another time.
 */
export async function createDate<Row extends BroadcastRow, Shown extends ShownBroadcast>(
  tx: Tx,
  adapter: BroadcastAdapter<Row, Shown>,
  accountId: number,
  modelId: number,
  { on, wallTime }: { on: string; wallTime?: string | undefined },
): Promise<Shown> {
  const model = await lockBroadcast<Row>(tx, adapter, accountId, modelId);
  const series = await requireSeries(tx, adapter, accountId, modelId);
  const existing = await store.lockOccurrence(tx, adapter, accountId, modelId, on);
  if (existing?.deleted_at) await unskipDate(tx, adapter, accountId, modelId, on);
  const id =
    existing?.id ?? (await copyModel(tx, adapter, model, series, requireOccurrence(series, on)));
  if (existing === undefined) {
    const skippedDays = series.skipped_on.filter((day) => day !== on);
    await store.updateSeries(tx, adapter, accountId, modelId, { skipped_on: skippedDays });
    sendChangeHint(tx, accountId, adapter.idKind, modelId);
  }
  if (wallTime !== undefined) return reschedule(tx, adapter, accountId, id, wallTime);
  return notifyAndReload(tx, adapter, accountId, id);
}

/** Moves a scheduled broadcast whose sending has not started. */
export async function reschedule<Row extends BroadcastRow, Shown extends ShownBroadcast>(
  tx: Tx,
  adapter: BroadcastAdapter<Row, Shown>,
  accountId: number,
  id: number,
  wallTime: string,
): Promise<Shown> {
  const row = await lockBroadcast<Row>(tx, adapter, accountId, id);
  if (row.status !== 'SCHEDULED' || row.message_id !== null) {
    throw new AppError('campaign_not_scheduled');
  }
  recordChange({ before: { schedule_time: row.schedule_time } });
  await updateRow(tx, adapter, accountId, id, {
    ...(await scheduleAt(tx, row, wallTime)),
    modified_at: clock.now(),
  });
  return notifyAndReload(tx, adapter, accountId, id);
}

async function requireSeries<Row extends BroadcastRow>(
  db: Reader,
  adapter: BroadcastAdapter<Row>,
  accountId: number,
  modelId: number,
): Promise<SeriesRow> {
  const [series] = await store.readSeries(db, adapter, accountId, [modelId]);
  if (series === undefined) throw new AppError('series_none');
  return series;
}

/** @throws invalid for a day that is not a future occurrence */
function requireOccurrence(series: SeriesRow, on: string): SeriesOccurrence {
  for (const occurrence of generateOccurrences(toPlan(series), on)) {
    if (occurrence.on === on && occurrence.at > clock.now()) return occurrence;
    break;
  }
  throw invalid({ on: ['errors.series_no_date'] });
}
