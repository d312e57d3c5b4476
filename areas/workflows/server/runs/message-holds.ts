// Holds before a message: the owner must decide on a message more than a day late, quiet hours
// apply, or the limit of the contact guard is reached. No subscriber is dropped. A step is skipped
// only if its validity period has expired, or the owner decided to skip late messages.
import { readAccount } from '#areas/accounts/server/index.ts';
import { listContactsSince } from '#areas/delivery/server/ledger/index.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { wallTimeToInstant, toWallTime } from '#platform/server/zoned-time.ts';
import { LATE_MS } from '../../shared.ts';
import { getZone } from './active.ts';
import { findGuard, type ContactGuard } from './sending-limits.sql.ts';
import { readSubscribers } from './runs.sql.ts';
import type { WorkflowStepRow } from '../steps/steps.sql.ts';
import {
  listSubscriberIds,
  leaveStep,
  type StepEntrant,
  type StepResults,
  type StepContext,
} from '../steps/results.ts';
import { getStepData } from '../steps/tree.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const QUARTER = 15 * 60_000;

export async function findHolds(
  tx: Tx,
  step: WorkflowStepRow,
  entrants: readonly StepEntrant[],
  context: StepContext,
): Promise<StepResults> {
  const { now } = context;
  const { valid_hours: valid, ignores_guard: ignoresGuard } = getStepData(step, 'EMAIL');
  const results: StepResults = new Map();
  for (const entrant of entrants) {
    const isOver =
      valid !== undefined && now.getTime() - entrant.arrivedAt.getTime() > valid * HOUR;
    if (entrant.holdReason === 'late_skip') results.set(entrant.key, leaveStep('TRUE', 'late'));
    else if (isOver) results.set(entrant.key, leaveStep('TRUE', 'too_late'));
    else if (now.getTime() - entrant.dueAt.getTime() > LATE_MS)
      results.set(entrant.key, {
        kind: 'waits',
        until: null,
        isStarted: false,
        holdReason: 'late',
      });
  }
  const guard = await findGuard(tx, step.account_id);
  if (!guard) return results;
  const listRemaining = () => entrants.filter((entrant) => !results.has(entrant.key));
  for (const [key, until] of await findQuiet(tx, step.account_id, guard, listRemaining(), now))
    results.set(key, { kind: 'waits', until, isStarted: false, holdReason: 'quiet_hours' });
  if (ignoresGuard) return results;
  for (const [key, until] of await findGuarded(
    tx,
    step.account_id,
    guard,
    listRemaining(),
    context,
  ))
    results.set(key, { kind: 'waits', until, isStarted: false, holdReason: 'contact_guard' });
  return results;
}

/**
 * Finds subscribers in quiet hours, and the end of the quiet hours. They apply in the time zone of
 * the subscriber if known, otherwise of the account.
 */
async function findQuiet(
  db: Tx,
  accountId: number,
  { quiet_from: from, quiet_until: until }: ContactGuard,
  entrants: readonly StepEntrant[],
  now: Date,
): Promise<[number, Date][]> {
  if (from === null || until === null || from === until || entrants.length === 0) return [];
  const subscribers = await readSubscribers(db, accountId, listSubscriberIds(entrants));
  const { timezone } = await readAccount(db, accountId);
  const endByZone = new Map<string, Date | undefined>();
  return entrants.flatMap(({ key, subscriberId }): [number, Date][] => {
    const zone = getZone(subscribers.get(subscriberId), timezone);
    if (!endByZone.has(zone)) endByZone.set(zone, findQuietEnd({ from, until }, now, zone));
    const end = endByZone.get(zone);
    return end ? [[key, end]] : [];
  });
}

/**
 * Returns the end of the current quiet hours; undefined outside of quiet hours. `from` and `until`
 * are `HH:MM`, also across midnight.
 */
export function findQuietEnd(
  { from, until }: { from: string; until: string },
  now: Date,
  zone: string,
): Date | undefined {
  const localTime = toWallTime(now, zone);
  const [day, time] = [localTime.slice(0, 10), localTime.slice(11, 16)];
  const isQuiet = from < until ? time >= from && time < until : time >= from || time < until;
  if (!isQuiet) return undefined;
  const isTomorrow = from > until && time >= from;
  const at = new Date(Date.parse(`${day}T00:00:00Z`) + (isTomorrow ? DAY : 0));
  const end = wallTimeToInstant(`${at.toISOString().slice(0, 10)} ${until}:00`, zone);
  return end > now ? end : new Date(now.getTime() + QUARTER);
}

/**
 * Finds subscribers who reached the limit of the contact guard, and the time when a message leaves
 * the window.
 */
async function findGuarded(
  db: Reader,
  accountId: number,
  { messages: maxMessages, days }: ContactGuard,
  entrants: readonly StepEntrant[],
  { now, handoffTimes, dryRunStart }: StepContext,
): Promise<[number, Date][]> {
  if (maxMessages === null || entrants.length === 0) return [];
  const since = new Date(now.getTime() - days * DAY);
  const rows = await listContactsSince(db, accountId, listSubscriberIds(entrants), since);
  const rowsBySubscriber = Map.groupBy(rows, (row) => row.subscriberId);
  return entrants.flatMap(({ key, subscriberId }): [number, Date][] => {
    const sentAt = (rowsBySubscriber.get(subscriberId) ?? []).map((row) => row.at);
    const times = sentAt.filter((at) => !dryRunStart || at < dryRunStart).map((at) => at.getTime());
    const handoffs = (handoffTimes.get(subscriberId) ?? []).filter((at) => at >= since);
    // The ledger already has most messages of a real turn. Only messages missing there are added
    // from this turn's handoffs, so that none is counted twice.
    const countedHandoffs = dryRunStart
      ? 0
      : times.filter((at) => at >= now.getTime() - 1000).length;
    for (const at of handoffs.slice(countedHandoffs)) times.push(at.getTime());
    if (times.length < maxMessages) return [];
    const oldest = times.sort((time, otherTime) => otherTime - time)[maxMessages - 1] as number;
    return [[key, new Date(Math.max(oldest + days * DAY, now.getTime() + QUARTER))]];
  });
}
