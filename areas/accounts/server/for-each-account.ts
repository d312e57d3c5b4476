// Runs work for every account in turn, as pollers do. A failure in one account is logged and does
// not affect the others.
import type { Db } from '#platform/server/database/database.ts';
import { isolateFailure } from '#platform/server/process/isolate-failure.ts';
import { listAccountsAfter } from './accounts.sql.ts';

const PAGE_SIZE = 1000;

/** Stops between two accounts when the signal aborts. */
export async function forEachAccount(
  db: Db,
  signal: AbortSignal,
  work: (accountId: number) => Promise<unknown>,
): Promise<void> {
  for (let after: number | undefined = 0; after !== undefined; ) {
    const accounts: number[] = await listAccountsAfter(db, after, PAGE_SIZE);
    for (const accountId of accounts) {
      if (signal.aborted) return;
      await isolateFailure('Periodic work failed for an account', { account: accountId }, () =>
        work(accountId),
      );
    }
    after = accounts.at(-1);
  }
}
