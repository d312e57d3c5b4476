// Ends requests whose time has passed. Runs in the elected worker.
import { type Db, inTransaction } from '#platform/server/database/database.ts';
import { clock } from '#platform/server/clock.ts';
import type { Poller } from '#platform/server/jobs/pollers.ts';
import { isolateFailure } from '#platform/server/process/isolate-failure.ts';
import { expireRequests } from './approvals.ts';
import { accountsWithExpired } from './approvals.sql.ts';

export const expiryPoller: Poller = {
  name: 'approvals.expiry',
  everyMs: 60_000,
  run: (db, signal) => expireAll(db, signal),
};

async function expireAll(db: Db, signal: AbortSignal): Promise<void> {
  for (const accountId of await accountsWithExpired(db, clock.now())) {
    if (signal.aborted) return;
    await isolateFailure('Could not expire requests for approval', { account: accountId }, () =>
      inTransaction(db, (tx) => expireRequests(tx, accountId)),
    );
  }
}
