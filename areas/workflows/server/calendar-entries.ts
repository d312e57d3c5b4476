// Entries of workflows in the calendar: the number of subscribers with a due step, by workflow and
// day.
import { readAccount } from '#areas/accounts/server/index.ts';
import { NO_EXTRAS, type PlannedRange } from '#areas/broadcasts/server/index.ts';
import type { CalendarEntry } from '#areas/broadcasts/planned-contract.ts';
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { listRunsDueBetween } from './calendar-entries.sql.ts';

/** Runs that are due later say little about what will be sent. */
const AHEAD_MS = 14 * 24 * 60 * 60 * 1000;

export async function listPlannedRuns(
  tx: Tx,
  { accountId, from, to }: PlannedRange,
): Promise<CalendarEntry[]> {
  const now = clock.now();
  const start = from > now ? from : now;
  const end = new Date(Math.min(to.getTime(), now.getTime() + AHEAD_MS));
  if (start >= end) return [];
  const { timezone } = await readAccount(tx, accountId);
  const rows = await listRunsDueBetween(tx, accountId, start, end, timezone);
  return rows.map(({ id, title, first_at, count }) => ({
    kind: 'workflow',
    id: encodeId('workflow', id),
    title,
    at: first_at.toISOString(),
    state: 'planned',
    people: count,
    ...NO_EXTRAS,
  }));
}
