// Counts the subscribers who became reachable or were lost, by day. Settled changes are stored as
// totals per quarter of an hour; newer ones are counted from the history of statuses.
import { clock } from '#platform/server/clock.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { toQuarter } from '#platform/server/database/quarters.ts';
import { wallTimeToInstant, toWallTime } from '#platform/server/zoned-time.ts';
import {
  insertReachTimes,
  type ReachDay,
  readReachChanges,
  readStoredDays,
  readStoredUntil,
} from './reach-times.sql.ts';

/** Maximum time from a status change to its commit. */
const SETTLED_AFTER_MS = 3_600_000;

const BEGINNING = new Date(0);

/**
 * Returns, for each day from `from` (`YYYY-MM-DD` in the zone) until now, how many subscribers
 * became reachable (by email, SMS or both) and how many were lost. Days without a change are left
 * out.
 */
export async function readReachDays(
  db: Reader,
  accountId: number,
  from: string,
  zone: string,
): Promise<ReachDay[]> {
  const storedEnd = (await readStoredUntil(db, accountId)) ?? BEGINNING;
  const first = wallTimeToInstant(`${from} 00:00:00`, zone);
  const since = storedEnd > first ? storedEnd : first;
  const days = new Map(
    (await readStoredDays(db, accountId, from, zone)).map((row) => [row.day, row]),
  );
  for (const { quarter, ...change } of await readReachChanges(db, accountId, since)) {
    const day = toWallTime(quarter, zone).slice(0, 10);
    if (day < from) continue;
    const totals = days.get(day);
    days.set(day, {
      day,
      added: (totals?.added ?? 0) + change.added,
      unsubscribed: (totals?.unsubscribed ?? 0) + change.unsubscribed,
      bounced: (totals?.bounced ?? 0) + change.bounced,
      complained: (totals?.complained ?? 0) + change.complained,
      removed: (totals?.removed ?? 0) + change.removed,
    });
  }
  return [...days.values()];
}

/** Stores the account's settled changes, before a purge deletes the history of subscribers. */
export async function storeReachTimes(tx: Tx, accountId: number): Promise<void> {
  const until = toQuarter(new Date(clock.now().getTime() - SETTLED_AFTER_MS));
  const since = (await readStoredUntil(tx, accountId)) ?? BEGINNING;
  if (since >= until) return;
  const changes = await readReachChanges(tx, accountId, since);
  const settledChanges = changes.filter(({ quarter }) => quarter < until);
  if (settledChanges.length > 0) await insertReachTimes(tx, accountId, settledChanges);
}
