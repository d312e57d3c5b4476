// Recurring campaigns. A draft with a rule is the model and is never sent itself. A poller copies
// it 26 hours before each occurrence; the copy is a scheduled campaign like any other. Of the
// occurrences missed during downtime only the newest is created, and if it is an hour late or more,
// it is not sent before a user confirms it.
import { readAccount } from '#areas/accounts/server/index.ts';
import { findMessagesOfLead } from '#areas/delivery/server/ledger/index.ts';
import { recordChange } from '#platform/server/audit.ts';
import { clock } from '#platform/server/clock.ts';
import { cutText } from '#platform/server/clean-text.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { AppError, invalid } from '#platform/server/errors.ts';
import { sendChangeHint } from '#platform/server/live/live.ts';
import { isLanguage, LOCALE } from '#platform/languages.ts';
import { isInProgress } from '../is-sending.ts';
import type { Series } from '../planning-contract.ts';
import {
  findNextOccurrence,
  type SeriesOccurrence,
  type SeriesPlan,
  type SeriesRule,
} from '../series-rule.ts';
import { instantToWallTime } from '../wall-time.ts';
import { checkRevision, lockBroadcast, notifyAndReload, requireDraft } from './broadcasts.ts';
import { updateRow } from './broadcasts.sql.ts';
import type { BroadcastAdapter, BroadcastRow, SeriesRow, ShownBroadcast } from './adapter.ts';
import * as store from './series.sql.ts';
import { computeSendStart, getTiming } from './timing/rules.ts';

const MAX_TITLE_LENGTH = 255;
/** Time after which a postponed occurrence is attempted again. */
const POSTPONE_MS = 15 * 60_000;
/**
 * How many of a series' newest campaigns are examined: if one of them is earlier than a due
 * campaign and in progress, the due campaign is postponed.
 */
const MAX_EARLIER = 5;

export type SeriesInput = {
  rule: SeriesRule;
  starts_on?: string | undefined;
  ends_on?: string | null | undefined;
  is_only_new?: boolean | undefined;
  revision?: number | undefined;
};

export const toPlan = (series: SeriesRow): SeriesPlan => ({
  rule: series.rule,
  zone: series.zone,
  starts_on: series.starts_on,
  ends_on: series.ends_on,
});

export function presentSeries(series: SeriesRow): Series {
  return {
    ...toPlan(series),
    is_only_new: series.is_only_new,
    next_at: series.next_at?.toISOString() ?? null,
  };
}

/**
 * Reads the series of the broadcasts with these IDs. The returned function returns the series of a
 * model, and null for any other broadcast.
 */
export async function readSeriesOfRows(
  db: Reader,
  adapter: Pick<BroadcastAdapter, 'tables'>,
  accountId: number,
  ids: readonly number[],
): Promise<(id: number) => Series | null> {
  const seriesList = await store.readSeries(db, adapter, accountId, ids);
  return (id) => {
    const series = seriesList.find((row) => row.campaign_id === id);
    return series ? presentSeries(series) : null;
  };
}

/** Makes the draft a model or changes its rule. */
export async function setSeries<Row extends BroadcastRow, Shown extends ShownBroadcast>(
  tx: Tx,
  adapter: BroadcastAdapter<Row, Shown>,
  accountId: number,
  id: number,
  input: SeriesInput,
): Promise<Shown> {
  const row = await lockBroadcast<Row>(tx, adapter, accountId, id);
  requireDraft(row);
  const isFixed = (await adapter.findFixedAudience?.(tx, row)) !== undefined;
  if (row.series_of !== null || isFixed) throw new AppError('cannot_repeat');
  if (input.revision !== undefined) checkRevision(row, input.revision);
  await adapter.requireSendable(tx, row);
  const now = clock.now();
  const { timezone } = await readAccount(tx, accountId);
  const [before] = await store.readSeries(tx, adapter, accountId, [id]);
  const plan: SeriesPlan = {
    rule: input.rule,
    zone: timezone,
    starts_on:
      input.starts_on ?? before?.starts_on ?? instantToWallTime(now, timezone).slice(0, 10),
    ends_on: input.ends_on === undefined ? (before?.ends_on ?? null) : input.ends_on,
  };
  const next = findNextOccurrence(plan, now);
  if (next === undefined) throw invalid({ ends_on: ['errors.series_no_dates'] });
  await store.deleteUneditedCopies(tx, adapter, accountId, id, now);
  const is_only_new = input.is_only_new ?? before?.is_only_new ?? false;
  const series = { account_id: accountId, campaign_id: id, ...plan, is_only_new };
  await store.saveSeries(tx, adapter, { ...series, next_at: next.at }, now);
  if (before) recordChange({ before: toAuditedSeries(before) });
  await updateRow(tx, adapter, accountId, id, {
    last_action: adapter.steps.withRecipients,
    modified_at: now,
  });
  return notifyAndReload(tx, adapter, accountId, id);
}

/**
 * Ends the repetition: the model is a draft again, and existing campaigns remain. A repeated call
 * succeeds.
 */
export async function stopSeries<Row extends BroadcastRow, Shown extends ShownBroadcast>(
  tx: Tx,
  adapter: BroadcastAdapter<Row, Shown>,
  accountId: number,
  id: number,
): Promise<Shown> {
  await lockBroadcast<Row>(tx, adapter, accountId, id);
  const [before] = await store.readSeries(tx, adapter, accountId, [id]);
  await store.deleteSeries(tx, adapter, accountId, id);
  if (before) recordChange({ before: toAuditedSeries(before) });
  return notifyAndReload(tx, adapter, accountId, id);
}

/** Values of a series in the audit log. */
const toAuditedSeries = ({ rule, starts_on, ends_on }: SeriesPlan) => ({
  rule,
  starts_on,
  ends_on,
});

/** @throws campaign_repeats for the model of a series, which is not sent itself */
export async function requireSingle<Row extends BroadcastRow>(
  tx: Tx,
  adapter: BroadcastAdapter<Row>,
  row: Row,
): Promise<void> {
  const series = await store.readSeries(tx, adapter, row.account_id, [row.id]);
  if (series.length > 0) throw new AppError('campaign_repeats');
}

/**
 * Continues the series of a restored model with the next occurrence. Occurrences missed while the
 * model was deleted are not created.
 */
export async function continueSeries<Row extends BroadcastRow>(
  tx: Tx,
  adapter: Pick<BroadcastAdapter<Row>, 'tables'>,
  row: Row,
): Promise<void> {
  const [series] = await store.readSeries(tx, adapter, row.account_id, [row.id]);
  if (series?.next_at == null || series.next_at > clock.now()) return;
  const next = findNextOccurrence(toPlan(series), clock.now());
  await store.updateSeries(tx, adapter, row.account_id, row.id, { next_at: next?.at ?? null });
}

/**
 * Creates the campaign of a model's next occurrence, or of the newest missed one, after the caller
 * found it due. The lock on the model's row lets only one process create it.
 */
export async function createDueOccurrence<Row extends BroadcastRow>(
  tx: Tx,
  adapter: BroadcastAdapter<Row>,
  accountId: number,
  modelId: number,
  until: Date,
): Promise<void> {
  const model = await lockBroadcast<Row>(tx, adapter, accountId, modelId);
  const [series] = await store.readSeries(tx, adapter, accountId, [modelId]);
  if (series?.next_at == null || series.next_at > until) return;
  const plan = toPlan(series);
  const now = clock.now();
  const occurrence = findNewestPassed(plan, series.next_at, now);
  const next = findNextOccurrence(plan, occurrence.at);
  const remainingSkips = series.skipped_on.filter((on) => on > occurrence.on);
  await store.updateSeries(tx, adapter, accountId, modelId, {
    next_at: next?.at ?? null,
    skipped_on: remainingSkips,
  });
  if (series.skipped_on.includes(occurrence.on)) return;
  if (await store.lockOccurrence(tx, adapter, accountId, modelId, occurrence.on)) return;
  if (occurrence.at <= now) {
    await releaseEarlier(tx, adapter, accountId, { series_of: modelId, occurs_on: occurrence.on });
  }
  const id = await copyModel(tx, adapter, model, series, occurrence);
  sendChangeHint(tx, accountId, adapter.idKind, id);
  sendChangeHint(tx, accountId, adapter.idKind, modelId);
}

/** Finds the last occurrence that has passed, or the one at `nextAt` if none has. */
function findNewestPassed(plan: SeriesPlan, nextAt: Date, now: Date): SeriesOccurrence {
  let next = findNextOccurrence(plan, new Date(nextAt.getTime() - 1)) as SeriesOccurrence;
  for (;;) {
    const afterNext = findNextOccurrence(plan, next.at);
    if (afterNext === undefined || afterNext.at > now) return next;
    next = afterNext;
  }
}

export async function copyModel<Row extends BroadcastRow>(
  tx: Tx,
  adapter: BroadcastAdapter<Row>,
  model: Row,
  series: SeriesRow,
  { on, at }: SeriesOccurrence,
): Promise<number> {
  const wallTime = instantToWallTime(at, series.zone);
  return adapter.copy(tx, model, {
    title: await buildTitle(tx, model, on),
    status: 'SCHEDULED',
    schedule_time: wallTime,
    schedule_zone: series.zone,
    // A campaign at the recipients' own times starts earlier, when the first time zone reaches the
    // wall time.
    scheduled_at: computeSendStart(getTiming(model), wallTime, series.zone) ?? at,
    last_action: adapter.steps.withRecipients,
    series_of: model.id,
    occurs_on: on,
  });
}

/** Combines the model's title and the day, in the account's language and calendar. */
async function buildTitle(tx: Tx, model: BroadcastRow, on: string): Promise<string> {
  const { language } = await readAccount(tx, model.account_id);
  const locale = isLanguage(language) ? LOCALE[language] : LOCALE.eng;
  const format = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });
  const day = ` – ${format.format(new Date(`${on}T00:00:00Z`))}`;
  return `${cutText(model.title, MAX_TITLE_LENGTH - day.length)}${day}`;
}

/** Turns earlier occurrences that were never sent into drafts so that only the newest is due. */
async function releaseEarlier<Row extends BroadcastRow>(
  tx: Tx,
  adapter: BroadcastAdapter<Row>,
  accountId: number,
  occurrenceColumns: { series_of: number; occurs_on: string },
): Promise<void> {
  const ids = await store.unscheduleEarlier(tx, adapter, accountId, occurrenceColumns, clock.now());
  for (const id of ids) sendChangeHint(tx, accountId, adapter.idKind, id);
}

/**
 * Postpones a due occurrence while an earlier one is being sent; returns whether it was postponed.
 * The caller has locked its row.
 */
export async function postponeForEarlier<Row extends BroadcastRow>(
  tx: Tx,
  adapter: BroadcastAdapter<Row>,
  row: Row,
): Promise<boolean> {
  const { account_id: accountId, series_of, occurs_on } = row;
  if (series_of === null || occurs_on === null) return false;
  const now = clock.now();
  await releaseEarlier(tx, adapter, accountId, { series_of, occurs_on });
  const rows = await store.readOccurrences<Row>(tx, adapter, accountId, series_of, MAX_EARLIER);
  const earlierRows = rows.filter(
    (row) =>
      row.deleted_at === null && row.message_id !== null && (row.occurs_on ?? '') < occurs_on,
  );
  const presented = await adapter.present(tx, earlierRows);
  if (!presented.some(isInProgress)) return false;
  const postponedUntil = new Date(now.getTime() + POSTPONE_MS);
  const zone = row.schedule_zone ?? 'UTC';
  await updateRow(tx, adapter, accountId, row.id, {
    scheduled_at: postponedUntil,
    schedule_time: instantToWallTime(postponedUntil, zone),
  });
  return true;
}

/**
 * Lists messages whose recipients must not get this campaign, because its series sends each
 * subscriber at most one copy; undefined if it has no such limit.
 */
export async function listMessagesBefore<Row extends BroadcastRow>(
  db: Reader,
  adapter: Pick<BroadcastAdapter<Row>, 'tables'>,
  row: Row,
): Promise<number[] | undefined> {
  const modelId = row.series_of ?? row.id;
  const [series] = await store.readSeries(db, adapter, row.account_id, [modelId]);
  if (!series?.is_only_new) return undefined;
  const messages = await store.listMessagesOfSeries(db, adapter, row.account_id, modelId);
  const ownMessages =
    row.message_id && (await findMessagesOfLead(db, row.account_id, row.message_id));
  return messages.filter((id) => !ownMessages?.includes(id));
}
