// Broadcasts in the calendar: scheduled, sending and sent ones, planned occurrences of recurring
// ones, and decisions of experiments. Each area contributes its own broadcasts.
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { type QuestionHandler, defineQuestion } from '#platform/server/events.ts';
import { isInProgress } from '../is-sending.ts';
import type { CalendarEntry, PlannedKind, Recurring } from '../planned-contract.ts';
import { listOccurrencesBetween } from '../series-rule.ts';
import { isLate } from './broadcasts.ts';
import type { BroadcastAdapter, BroadcastRow } from './adapter.ts';
import {
  listDaysWithCampaign,
  listDecisionsBetween,
  listBroadcastsBetween,
} from './calendar-entries.sql.ts';
import { toPlan, presentSeries } from './series.ts';
import { listSeries } from './series.sql.ts';

export type PlannedRange = { accountId: number; from: Date; to: Date };

/** Question that each area answers with its entries in a time range that excludes `to`. */
export const calendarEntries = defineQuestion<PlannedRange, CalendarEntry>('planned');

/** Question that each area answers with its recurring campaigns. */
export const recurring = defineQuestion<{ accountId: number }, Recurring>('recurring');

export function listRecurringBroadcasts<Row extends BroadcastRow>(
  adapter: BroadcastAdapter<Row>,
  channel: Recurring['channel'],
): QuestionHandler<{ accountId: number }, Recurring> {
  return async (tx, { accountId }) => {
    const rows = await listSeries(tx, adapter, accountId);
    return rows.map((row) => ({
      channel,
      id: encodeId(adapter.idKind, row.campaign_id),
      title: row.title,
      ...presentSeries(row),
    }));
  };
}

/** Maximum number of planned days of one recurring broadcast. */
const MAX_OCCURRENCES = 200;

export const ANYTIME = { from: null, to: null } as const;
export const NO_EXTRAS = { on: null, series_of: null, movable: null, resend: null } as const;

type PlannedKinds = Record<'row' | 'occurrence' | 'decision', PlannedKind>;

/** Creates the handler that answers `calendarEntries` for one kind of broadcast. */
export function createPlannedBroadcasts<Row extends BroadcastRow>(
  adapter: BroadcastAdapter<Row>,
  kinds: PlannedKinds,
): QuestionHandler<PlannedRange, CalendarEntry> {
  return async (tx, range) => [
    ...(await listPlannedRows(tx, adapter, kinds.row, range)),
    ...(await listOccurrences(tx, adapter, kinds.occurrence, range)),
    ...(await listDecisions(tx, adapter, kinds.decision, range)),
  ];
}

async function listPlannedRows<Row extends BroadcastRow>(
  tx: Tx,
  adapter: BroadcastAdapter<Row>,
  kind: PlannedKind,
  { accountId, from, to }: PlannedRange,
): Promise<CalendarEntry[]> {
  const rows = await listBroadcastsBetween<Row>(tx, adapter.tables, accountId, from, to);
  const startedRows = rows.filter((row) => row.message_id !== null);
  const presented = await adapter.present(tx, startedRows);
  const deliveries = new Map(presented.map((broadcast) => [broadcast.id, broadcast.delivery]));
  return rows.map((row) => {
    const id = encodeId(adapter.idKind, row.id);
    const delivery = deliveries.get(id) ?? null;
    const isWaiting = row.status === 'SCHEDULED' && row.message_id === null;
    return {
      kind,
      id,
      title: row.title,
      at: ((row.sent_at ?? row.scheduled_at) as Date).toISOString(),
      state: getState(row, delivery),
      people: delivery?.audience ?? null,
      ...NO_EXTRAS,
      on: row.occurs_on,
      series_of: row.series_of === null ? null : encodeId(adapter.idKind, row.series_of),
      movable: isWaiting ? ANYTIME : null,
    };
  });
}

function getState(row: BroadcastRow, delivery: { state: string } | null): CalendarEntry['state'] {
  if (isLate(row)) return 'late';
  if (delivery === null) return row.status === 'SENT' ? 'sent' : 'planned';
  if (delivery.state === 'paused' || delivery.state === 'cancelled') return 'stopped';
  return isInProgress({ delivery }) ? 'sending' : 'sent';
}

async function listOccurrences<Row extends BroadcastRow>(
  db: Reader,
  adapter: BroadcastAdapter<Row>,
  kind: PlannedKind,
  { accountId, from, to }: PlannedRange,
): Promise<CalendarEntry[]> {
  const now = clock.now();
  const start = from > now ? from : now;
  if (start >= to) return [];
  const series = await listSeries(db, adapter, accountId);
  const ids = series.map((series) => series.campaign_id);
  // No zone differs from UTC by more than a day.
  const day = new Date(start.getTime() - 86_400_000).toISOString().slice(0, 10);
  const daysWithCampaigns = await listDaysWithCampaign(db, adapter.tables, accountId, ids, day);
  const existingDays = new Set(daysWithCampaigns.map((row) => `${row.series_of} ${row.occurs_on}`));
  return series.flatMap((series) =>
    listOccurrencesBetween(toPlan(series), start, to, MAX_OCCURRENCES)
      .filter(
        ({ on }) =>
          !existingDays.has(`${series.campaign_id} ${on}`) && !series.skipped_on.includes(on),
      )
      .map(({ on, at }) => ({
        kind,
        id: encodeId(adapter.idKind, series.campaign_id),
        title: series.title,
        at: at.toISOString(),
        state: 'planned' as const,
        people: null,
        ...NO_EXTRAS,
        on,
        movable: ANYTIME,
      })),
  );
}

async function listDecisions<Row extends BroadcastRow>(
  db: Reader,
  adapter: BroadcastAdapter<Row>,
  kind: PlannedKind,
  { accountId, from, to }: PlannedRange,
): Promise<CalendarEntry[]> {
  const rows = await listDecisionsBetween(db, adapter.tables, accountId, from, to);
  return rows.map((row) => ({
    kind,
    id: encodeId(adapter.idKind, row.id),
    title: row.title,
    at: row.at.toISOString(),
    state: row.is_waiting ? ('late' as const) : ('planned' as const),
    people: null,
    ...NO_EXTRAS,
  }));
}
