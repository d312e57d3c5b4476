// Steps that operations on all kinds of broadcasts share: loading and locking the row, checking
// that it may be changed and has the client's revision, lists, late broadcasts, and the
// notification after a change.
import type { ListRequest } from '#platform/contract.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { AppError, notFound } from '#platform/server/errors.ts';
import { callerLacks, requireCallerRight } from '#platform/server/http/rights.ts';
import { sendChangeHint } from '#platform/server/live/live.ts';
import { buildListResponse } from '#platform/server/database/lists.ts';
import { LATE_MS } from '../shared.ts';
import { type BroadcastChanges, findRow, lockRow, updateRow } from './broadcasts.sql.ts';
import {
  type BroadcastFilter,
  type BroadcastSort,
  countRows,
  type BroadcastList,
  listRows,
} from './list.sql.ts';
import type { BroadcastAdapter, BroadcastRow, ShownBroadcast } from './adapter.ts';
import { readSeries } from './series.sql.ts';
import { computeLastOwnTime } from './timing/rules.ts';

/** @throws `not_found` if it is unknown or belongs to another account */
export async function getBroadcastRow<Row extends BroadcastRow>(
  db: Reader,
  adapter: Pick<BroadcastAdapter<Row>, 'tables'>,
  accountId: number,
  id: number,
): Promise<Row> {
  const row = await findRow<Row>(db, adapter, accountId, id);
  if (row === undefined) throw notFound();
  return row;
}

export async function lockBroadcast<Row extends BroadcastRow>(
  tx: Tx,
  adapter: Pick<BroadcastAdapter<Row>, 'tables'>,
  accountId: number,
  id: number,
): Promise<Row> {
  const row = await lockRow<Row>(tx, adapter, accountId, id);
  if (row === undefined) throw notFound();
  return row;
}

/** Returns one page of an account's broadcasts, converted by `present`. */
export async function listBroadcasts<Row extends BroadcastRow, Shown>(
  db: Reader,
  listSource: BroadcastList,
  accountId: number,
  query: Omit<BroadcastFilter, 'search'> & { list: ListRequest<BroadcastSort> },
  present: (rows: Row[]) => Promise<Shown[]>,
) {
  const { list, ...filter } = query;
  const options = { ...filter, search: list.search };
  const page = await buildListResponse(
    list,
    {
      rows: (slice) => listRows<Row>(db, listSource, accountId, options, list, slice),
      total: () => countRows(db, listSource, accountId, options),
    },
    (row) => row,
  );
  return { ...page, data: await present(page.data) };
}

export function requireDraft(row: BroadcastRow): void {
  if (row.status !== 'DRAFT') throw new AppError('campaign_not_draft');
}

/**
 * Checks changes of content or recipients. The copies of a recurring campaign are sent without a
 * further decision, so its model can be changed only with the right to send.
 * @throws campaign_not_draft, missing_right
 */
export async function requireEditable<Row extends BroadcastRow>(
  tx: Tx,
  adapter: Pick<BroadcastAdapter<Row>, 'tables'>,
  row: Row,
): Promise<void> {
  requireDraft(row);
  await requireRightToRepeat(tx, adapter, row);
}

/** @throws missing_right for the model of a recurring campaign */
export async function requireRightToRepeat<Row extends BroadcastRow>(
  tx: Tx,
  adapter: Pick<BroadcastAdapter<Row>, 'tables'>,
  row: Row,
): Promise<void> {
  if (!callerLacks('send')) return;
  const series = await readSeries(tx, adapter, row.account_id, [row.id]);
  if (series.length > 0) requireCallerRight('send');
}

/** Checks the revision of a change so that a change made in another tab is never overwritten. */
export function checkRevision(row: BroadcastRow, revision: number | undefined): void {
  if (revision !== row.revision) {
    throw new AppError('stale_revision', { extra: { revision: row.revision } });
  }
}

/** `last_action` is the step where editing continues; it only moves forward. */
export function toStepChange(row: BroadcastRow, steps: readonly string[], step: string) {
  const furthestStep = Math.max(steps.indexOf(row.last_action), steps.indexOf(step));
  return {
    last_action: steps[furthestStep] as string,
    revision: row.revision + 1,
    modified_at: clock.now(),
  };
}

/**
 * Returns whether the start was missed by an hour or more and the own times of all recipients have
 * passed. Such a broadcast is not sent before a user confirms it. The SQL of due broadcasts (isDue)
 * has the same rule.
 */
export function isLate(row: BroadcastRow): boolean {
  return (
    row.status === 'SCHEDULED' &&
    row.message_id === null &&
    row.scheduled_at !== null &&
    clock.now().getTime() - row.scheduled_at.getTime() >= LATE_MS &&
    (computeLastOwnTime(row) ?? clock.now()) <= clock.now()
  );
}

export const UNSCHEDULED = {
  status: 'DRAFT',
  schedule_time: null,
  schedule_zone: null,
  scheduled_at: null,
} as const satisfies BroadcastChanges;

/**
 * Drops the schedule of a restored broadcast if its time has passed or the caller may not send, so
 * that restoring sends nothing. @throws missing_right for the model of a recurring campaign
 */
export async function dropPassedSchedule<Row extends BroadcastRow>(
  tx: Tx,
  adapter: Pick<BroadcastAdapter<Row>, 'tables'>,
  row: Row,
): Promise<void> {
  const isDue =
    row.message_id === null && row.scheduled_at !== null && row.scheduled_at <= clock.now();
  if (row.status === 'SCHEDULED' && (isDue || callerLacks('send'))) {
    await updateRow(tx, adapter, row.account_id, row.id, UNSCHEDULED);
  } else {
    await requireRightToRepeat(tx, adapter, row);
  }
}

/** Makes open windows reload the broadcast and returns its current state. */
export async function notifyAndReload<Row extends BroadcastRow, Shown extends ShownBroadcast>(
  tx: Tx,
  adapter: BroadcastAdapter<Row, Shown>,
  accountId: number,
  id: number,
): Promise<Shown> {
  sendChangeHint(tx, accountId, adapter.idKind, id);
  const [shown] = await adapter.present(tx, [await lockBroadcast<Row>(tx, adapter, accountId, id)]);
  return shown as Shown;
}
