// Goes through the accounts that have something due: what goes wrong in one keeps no other waiting.
import { log } from '#platform/server/log.ts';

/** @param startOne starts one that is due; false where none is left. Answers how many were started. */
export async function eachAccount(
  accountIds: readonly number[],
  startOne: (accountId: number) => Promise<boolean>,
): Promise<number> {
  let started = 0;
  for (const accountId of accountIds) {
    try {
      while (await startOne(accountId)) started++;
    } catch (error) {
      log.error('What was due could not start', { account: accountId, error });
    }
  }
  return started;
}
