// Holds before a message: the owner must decide on a message more than a day late, quiet hours
// apply, or the limit of the contact guard is reached. No subscriber is dropped. A step is skipped
// only if its validity period has expired, or the owner decided to skip late messages.
import { readAccount } from '#areas/accounts/server/index.ts';
import { contactsSince } from '#areas/delivery/server/ledger/index.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { instantOf, wallTimeOf } from '#platform/server/zoned-time.ts';
import { LATE_MS } from '../../shared.ts';
import { zoneOf } from './active.ts';
import { findGuard, type Guard } from './sending-limits.sql.ts';
import { readSubscribers } from './runs.sql.ts';
import type { StepRow } from '../steps/steps.sql.ts';
import { idsOf, left, type Subscriber, type Results, type World } from '../steps/results.ts';
import { dataOf } from '../steps/tree.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const QUARTER = 15 * 60_000;

export async function findHolds(
  tx: Tx,
  step: StepRow,
  people: readonly Subscriber[],
  world: World,
): Promise<Results> {
  const { now } = world;
  const { valid_hours: valid, ignores_guard: ignoresGuard } = dataOf(step, 'EMAIL');
  const results: Results = new Map();
  for (const person of people) {
    const isOver = valid !== undefined && now.getTime() - person.arrivedAt.getTime() > valid * HOUR;
    if (person.heldFor === 'late_skip') results.set(person.key, left('TRUE', 'late'));
    else if (isOver) results.set(person.key, left('TRUE', 'too_late'));
    else if (now.getTime() - person.dueAt.getTime() > LATE_MS)
      results.set(person.key, { is: 'waits', until: null, isStarted: false, heldFor: 'late' });
  }
  const guard = await findGuard(tx, step.account_id);
  if (!guard) return results;
  const open = () => people.filter((person) => !results.has(person.key));
  for (const [key, until] of await quiet(tx, step.account_id, guard, open(), now))
    results.set(key, { is: 'waits', until, isStarted: false, heldFor: 'quiet_hours' });
  if (ignoresGuard) return results;
  for (const [key, until] of await guarded(tx, step.account_id, guard, open(), world))
    results.set(key, { is: 'waits', until, isStarted: false, heldFor: 'contact_guard' });
  return results;
}

/**
 * Subscribers in quiet hours, with the end of the quiet hours. They apply in the time zone of the
 * subscriber if known, otherwise of the account.
 */
async function quiet(
  db: Tx,
  accountId: number,
  { quiet_from: from, quiet_until: until }: Guard,
  people: readonly Subscriber[],
  now: Date,
): Promise<[number, Date][]> {
  if (from === null || until === null || from === until || people.length === 0) return [];
  const facts = await readSubscribers(db, accountId, idsOf(people));
  const { timezone } = await readAccount(db, accountId);
  const ends = new Map<string, Date | undefined>();
  return people.flatMap(({ key, subscriberId }): [number, Date][] => {
    const zone = zoneOf(facts.get(subscriberId), timezone);
    if (!ends.has(zone)) ends.set(zone, endOfQuiet({ from, until }, now, zone));
    const end = ends.get(zone);
    return end ? [[key, end]] : [];
  });
}

/**
 * The end of the current quiet hours; undefined outside of quiet hours. `from` and `until` are
 * `HH:MM`, also across midnight.
 */
export function endOfQuiet(
  { from, until }: { from: string; until: string },
  now: Date,
  zone: string,
): Date | undefined {
  const wall = wallTimeOf(now, zone);
  const [day, time] = [wall.slice(0, 10), wall.slice(11, 16)];
  const isQuiet = from < until ? time >= from && time < until : time >= from || time < until;
  if (!isQuiet) return undefined;
  const isTomorrow = from > until && time >= from;
  const at = new Date(Date.parse(`${day}T00:00:00Z`) + (isTomorrow ? DAY : 0));
  const end = instantOf(`${at.toISOString().slice(0, 10)} ${until}:00`, zone);
  return end > now ? end : new Date(now.getTime() + QUARTER);
}

/**
 * Subscribers who reached the limit of the contact guard, with the instant at which a message
 * leaves the window.
 */
async function guarded(
  db: Reader,
  accountId: number,
  { messages: maxMessages, days }: Guard,
  people: readonly Subscriber[],
  { now, contacts, dryFrom }: World,
): Promise<[number, Date][]> {
  if (maxMessages === null || people.length === 0) return [];
  const since = new Date(now.getTime() - days * DAY);
  const rows = await contactsSince(db, accountId, idsOf(people), since);
  const byPerson = Map.groupBy(rows, (row) => row.subscriberId);
  return people.flatMap(({ key, subscriberId }): [number, Date][] => {
    const sentAt = (byPerson.get(subscriberId) ?? []).map((row) => row.at);
    const times = sentAt.filter((at) => !dryFrom || at < dryFrom).map((at) => at.getTime());
    const handoffs = (contacts.get(subscriberId) ?? []).filter((at) => at >= since);
    // The ledger already has most messages of a real turn. Only those that are missing there are
    // added from this turn's handoffs, so that none counts twice.
    const isIn = dryFrom ? 0 : times.filter((at) => at >= now.getTime() - 1000).length;
    for (const at of handoffs.slice(isIn)) times.push(at.getTime());
    if (times.length < maxMessages) return [];
    const oldest = times.sort((time, other) => other - time)[maxMessages - 1] as number;
    return [[key, new Date(Math.max(oldest + days * DAY, now.getTime() + QUARTER))]];
  });
}
