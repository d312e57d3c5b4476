// Calculates best hours once a day: for subscribers with new opens or clicks, and for the account.
import { resolveSubscriberZone } from '#areas/subscribers/server/index.ts';
import { listAccountsAfter, readAccount } from '#areas/accounts/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import type { Db } from '#platform/server/database/database.ts';
import type { Poller } from '#platform/server/jobs/pollers.ts';
import { isolateFailure } from '#platform/server/process/isolate-failure.ts';
import { toWallTime } from '#platform/server/zoned-time.ts';
import {
  findBestHourOfAccount,
  findBestHourOfSubscriber,
  MIN_ACTIONS,
  zeroHours,
} from './best-hour.ts';
import {
  ACCOUNT_ROW,
  listActiveSince,
  type SendHourActionRow,
  countActionsByQuarterHour,
  type FoundHour,
  findComputedAt,
  readLatestActions,
  saveHours,
} from './send-hours.sql.ts';

const DAY_MS = 86_400_000;
const PAST_DAYS = 180;
/** Maximum number of latest actions used to calculate the account's hour. */
const MAX_ACCOUNT_ACTIONS = 100_000;
const ROWS_PER_PAGE = 1_000;

/** Runs in the elected worker. */
export const sendHoursPoller: Poller = {
  name: 'delivery.send_hours',
  intervalMs: 3_600_000,
  async run(db, signal) {
    let lastId: number | undefined = 0;
    while (lastId !== undefined) {
      const accounts: number[] = await listAccountsAfter(db, lastId);
      for (const accountId of accounts) {
        if (signal.aborted) return;
        await isolateFailure('Could not find best hours', { account: accountId }, () =>
          findSendHours(db, accountId, signal),
        );
      }
      lastId = accounts.at(-1);
    }
  },
};

/**
 * Calculates the best hours of an account and its subscribers, unless this was done within the last
 * day.
 */
export async function findSendHours(
  db: Db,
  accountId: number,
  signal?: AbortSignal,
): Promise<void> {
  const now = clock.now();
  const past = new Date(now.getTime() - PAST_DAYS * DAY_MS);
  const computedAt = await findComputedAt(db, accountId);
  if (computedAt && now.getTime() - computedAt.getTime() < DAY_MS) return;
  const active = await listActiveSince(
    db,
    accountId,
    computedAt && computedAt > past ? computedAt : past,
  );
  if (active.length === 0) return;
  const { timezone } = await readAccount(db, accountId);
  const zoneOf = (row: Omit<SendHourActionRow, 'id'>) => resolveSubscriberZone(row) ?? timezone;
  const usualWeights = zeroHours();
  let actions = 0;
  for (const row of await readLatestActions(db, accountId, past, MAX_ACCOUNT_ACTIONS)) {
    addTo(usualWeights, row, zoneOf(row));
    actions += row.actions;
  }
  for (let start = 0; start < active.length; start += ROWS_PER_PAGE) {
    if (signal?.aborted) return;
    const rows = await countActionsByQuarterHour(
      db,
      accountId,
      active.slice(start, start + ROWS_PER_PAGE),
      past,
    );
    await saveHours(db, accountId, hoursOfPeople(rows, usualWeights, zoneOf));
  }
  // Saved last, so that an interrupted calculation is repeated.
  const account = { id: ACCOUNT_ROW, hour: findBestHourOfAccount(usualWeights), actions };
  await saveHours(db, accountId, [account]);
}

function hoursOfPeople(
  rows: readonly SendHourActionRow[],
  usualWeights: readonly number[],
  zoneOf: (row: SendHourActionRow) => string,
): FoundHour[] {
  const weightsById = new Map<number, { hours: number[]; actions: number }>();
  for (const row of rows) {
    const entry = weightsById.get(row.id) ?? { hours: zeroHours(), actions: 0 };
    weightsById.set(row.id, entry);
    addTo(entry.hours, row, zoneOf(row));
    entry.actions += row.actions;
  }
  return [...weightsById].flatMap(([id, { hours, actions }]) =>
    actions < MIN_ACTIONS
      ? []
      : [{ id, hour: findBestHourOfSubscriber(hours, usualWeights), actions }],
  );
}

function addTo(hours: number[], { at, weight }: Omit<SendHourActionRow, 'id'>, zone: string): void {
  const hour = Number(toWallTime(at, zone).slice(11, 13));
  hours[hour] = (hours[hour] ?? 0) + weight;
}
