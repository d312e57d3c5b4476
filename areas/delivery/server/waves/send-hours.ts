// Calculates best hours once a day: those of subscribers with new opens or clicks, and the account's.
import { resolveSubscriberZone } from '#areas/subscribers/server/index.ts';
import { listAccountsAfter, readAccount } from '#areas/accounts/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import type { Db } from '#platform/server/database/database.ts';
import type { Poller } from '#platform/server/jobs/pollers.ts';
import { isolateFailure } from '#platform/server/process/isolate-failure.ts';
import { toWallTime } from '#platform/server/zoned-time.ts';
import { bestHourOfAccount, bestHourOfSubscriber, MIN_ACTIONS, noHours } from './best-hour.ts';
import {
  ACCOUNT_ROW,
  activeSince,
  type ActionRow,
  readActions,
  type FoundHour,
  foundAt,
  latestActions,
  saveHours,
} from './send-hours.sql.ts';

const DAY_MS = 86_400_000;
const PAST_DAYS = 180;
/** Maximum number of actions from which the account's hour is calculated, the latest ones. */
const MAX_ACCOUNT_ACTIONS = 100_000;
const ROWS_PER_PAGE = 1_000;

/** Runs in the elected worker. */
export const sendHoursPoller: Poller = {
  name: 'delivery.send_hours',
  everyMs: 3_600_000,
  async run(db, signal) {
    let last: number | undefined = 0;
    while (last !== undefined) {
      const accounts: number[] = await listAccountsAfter(db, last);
      for (const accountId of accounts) {
        if (signal.aborted) return;
        await isolateFailure('Could not find best hours', { account: accountId }, () =>
          findSendHours(db, accountId, signal),
        );
      }
      last = accounts.at(-1);
    }
  },
};

/**
 * Calculates the best hours of an account and its subscribers, unless this was done within the last day.
 */
export async function findSendHours(
  db: Db,
  accountId: number,
  signal?: AbortSignal,
): Promise<void> {
  const now = clock.now();
  const past = new Date(now.getTime() - PAST_DAYS * DAY_MS);
  const before = await foundAt(db, accountId);
  if (before && now.getTime() - before.getTime() < DAY_MS) return;
  const active = await activeSince(db, accountId, before && before > past ? before : past);
  if (active.length === 0) return;
  const { timezone } = await readAccount(db, accountId);
  const zoneOf = (row: Omit<ActionRow, 'id'>) => resolveSubscriberZone(row) ?? timezone;
  const usual = noHours();
  let actions = 0;
  for (const row of await latestActions(db, accountId, past, MAX_ACCOUNT_ACTIONS)) {
    addTo(usual, row, zoneOf(row));
    actions += row.actions;
  }
  for (let from = 0; from < active.length; from += ROWS_PER_PAGE) {
    if (signal?.aborted) return;
    const rows = await readActions(db, accountId, active.slice(from, from + ROWS_PER_PAGE), past);
    await saveHours(db, accountId, hoursOfPeople(rows, usual, zoneOf));
  }
  // Saved last, so that an interrupted calculation is repeated.
  const account = { id: ACCOUNT_ROW, hour: bestHourOfAccount(usual), actions };
  await saveHours(db, accountId, [account]);
}

function hoursOfPeople(
  rows: readonly ActionRow[],
  usual: readonly number[],
  zoneOf: (row: ActionRow) => string,
): FoundHour[] {
  const people = new Map<number, { hours: number[]; actions: number }>();
  for (const row of rows) {
    const person = people.get(row.id) ?? { hours: noHours(), actions: 0 };
    people.set(row.id, person);
    addTo(person.hours, row, zoneOf(row));
    person.actions += row.actions;
  }
  return [...people].flatMap(([id, { hours, actions }]) =>
    actions < MIN_ACTIONS ? [] : [{ id, hour: bestHourOfSubscriber(hours, usual), actions }],
  );
}

function addTo(hours: number[], { at, weight }: Omit<ActionRow, 'id'>, zone: string): void {
  const hour = Number(toWallTime(at, zone).slice(11, 13));
  hours[hour] = (hours[hour] ?? 0) + weight;
}
