// Creates the campaigns of recurring campaigns 26 hours ahead. Runs in the elected worker.
import { clock } from '#platform/server/clock.ts';
import {
  type Db,
  inTransaction,
  isConnectionLost,
  isRetriable,
} from '#platform/server/database/database.ts';
import { log } from '#platform/server/log.ts';
import type { Poller } from '#platform/server/jobs/pollers.ts';
import { processAccounts } from './each-account.ts';
import { createFailureTracker, type FailureTracker } from './failures.ts';
import type { BroadcastAdapter, BroadcastRow } from './adapter.ts';
import { createDueOccurrence } from './series.ts';
import * as store from './series.sql.ts';

/**
 * A campaign in each recipient's own time starts in the easternmost zone, up to 26 hours before its
 * time in the account's zone.
 */
export const AHEAD_MS = 26 * 60 * 60 * 1000;
const RETRY_MS = 10 * 60_000;

/**
 * Models that could not be copied, by area: they are deferred, so that they do not delay others.
 */
const failuresByArea = new Map<string, FailureTracker>();

export function createSeriesPoller<Row extends BroadcastRow>(
  adapter: BroadcastAdapter<Row>,
): Poller {
  return {
    name: `${adapter.area}.series`,
    intervalMs: 30_000,
    run: async (db) => {
      await createOccurrences(db, adapter);
    },
  };
}

/** Creates the campaigns of due occurrences; returns the number of processed occurrences. */
export async function createOccurrences<Row extends BroadcastRow>(
  db: Db,
  adapter: BroadcastAdapter<Row>,
): Promise<number> {
  const now = clock.now();
  const createBefore = new Date(now.getTime() + AHEAD_MS);
  getFailures(adapter.area).deleteStale(now);
  return processAccounts(
    await store.listAccountsWithDueSeries(db, adapter, createBefore),
    (accountId) => createNextDue(db, adapter, accountId, createBefore),
  );
}

async function createNextDue<Row extends BroadcastRow>(
  db: Db,
  adapter: BroadcastAdapter<Row>,
  accountId: number,
  createBefore: Date,
): Promise<boolean> {
  const failures = getFailures(adapter.area);
  for (;;) {
    const waiting = failures.listDeferred(accountId, clock.now());
    let modelId: number | undefined;
    try {
      await inTransaction(db, async (tx) => {
        modelId = await store.findDueModel(tx, adapter, accountId, createBefore, waiting);
        if (modelId !== undefined) {
          await createDueOccurrence(tx, adapter, accountId, modelId, createBefore);
        }
      });
      return modelId !== undefined;
    } catch (error) {
      if (modelId === undefined || isRetriable(error) || isConnectionLost(error)) throw error;
      const logFields = { account: accountId, [adapter.idKind]: modelId, error };
      log.error('Could not create the campaign of a series; retrying', logFields);
      failures.add(accountId, modelId, clock.now(), false);
    }
  }
}

function getFailures(area: string): FailureTracker {
  const failures = failuresByArea.get(area) ?? createFailureTracker(RETRY_MS);
  failuresByArea.set(area, failures);
  return failures;
}
