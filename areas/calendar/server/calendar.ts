// Collects the calendar entries of all areas for a range of days in the account's time zone.
import { readAccount } from '#areas/accounts/server/index.ts';
import { calendarEntries, recurring } from '#areas/broadcasts/server/index.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { invalid } from '#platform/server/errors.ts';
import { wallTimeToInstant } from '#areas/broadcasts/wall-time.ts';
import type { CalendarEntry, Recurring } from '../contract.ts';
import { MAX_DAYS } from '../shared.ts';

const DAY_MS = 86_400_000;

export async function readCalendar(
  tx: Tx,
  accountId: number,
  { from, to }: { from: string; to: string },
): Promise<{ zone: string; entries: CalendarEntry[] }> {
  const days = (Date.parse(to) - Date.parse(from)) / DAY_MS + 1;
  if (days < 1 || days > MAX_DAYS) throw invalid({ to: ['errors.calendar_range'] });
  const { timezone: zone } = await readAccount(tx, accountId);
  const dayAfter = new Date(Date.parse(to) + DAY_MS).toISOString().slice(0, 10);
  const entries = await calendarEntries.collect(tx, {
    accountId,
    from: midnight(from, zone),
    to: midnight(dayAfter, zone),
  });
  return { zone, entries: entries.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)) };
}

function midnight(day: string, zone: string): Date {
  return wallTimeToInstant(`${day} 00:00:00`, zone) ?? new Date(`${day}T00:00:00Z`);
}

/** Lists recurring email and SMS campaigns, sorted by their next occurrence; ended ones last. */
export async function listRecurring(tx: Tx, accountId: number): Promise<Recurring[]> {
  const campaigns = await recurring.collect(tx, { accountId });
  const key = ({ next_at }: Recurring) => next_at ?? '9999';
  return campaigns.sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0));
}
