// Ends requests that have expired or whose object has changed. Runs in the elected worker.
import { type Db, inTransaction } from '#platform/server/database/database.ts';
import { clock } from '#platform/server/clock.ts';
import type { Poller } from '#platform/server/jobs/pollers.ts';
import { isolateFailure } from '#platform/server/process/isolate-failure.ts';
import { endOutdated, expireRequests, FAILED_COMPARISON } from './approvals.ts';
import { listAccountsWithExpired, listAccountsWithOpen, listOpenIds } from './approvals.sql.ts';

export const expiryPoller: Poller = {
  name: 'approvals.expiry',
  intervalMs: 60_000,
  run: (db, signal) => expireAll(db, signal),
};

async function expireAll(db: Db, signal: AbortSignal): Promise<void> {
  for (const accountId of await listAccountsWithExpired(db, clock.now())) {
    if (signal.aborted) return;
    await isolateFailure('Could not expire requests for approval', { account: accountId }, () =>
      inTransaction(db, (tx) => expireRequests(tx, accountId)),
    );
  }
}

/**
 * Each comparison of a request with its object takes about ten statements, so this poller runs less
 * often than others. Lists of all requests skip the comparison too; approving a request makes it.
 */
export const outdatedPoller: Poller = {
  name: 'approvals.outdated',
  intervalMs: 600_000,
  run: (db, signal) => endAllOutdated(db, signal),
};

async function endAllOutdated(db: Db, signal: AbortSignal): Promise<void> {
  for (const accountId of await listAccountsWithOpen(db)) {
    for (const id of await listOpenIds(db, accountId)) {
      if (signal.aborted) return;
      const logFields = { account: accountId, approval: id };
      await isolateFailure(FAILED_COMPARISON, logFields, () =>
        inTransaction(db, (tx) => endOutdated(tx, accountId, id)),
      );
    }
  }
}
