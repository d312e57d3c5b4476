// Goes through the accounts that have something due: what goes wrong in one keeps no other waiting.
import { isolateFailure } from '#platform/server/isolate-failure.ts';

/** @param startOne starts one that is due; false where none is left. Answers how many were started. */
export async function eachAccount(
  accountIds: readonly number[],
  startOne: (accountId: number) => Promise<boolean>,
): Promise<number> {
  let started = 0;
  for (const accountId of accountIds) {
    await isolateFailure('Could not start due messages of an account', { account: accountId }, async () => {
      while (await startOne(accountId)) started++;
    });
  }
  return started;
}
