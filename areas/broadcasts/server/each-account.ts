// Processes the accounts with due work. A failure in one account does not block the other accounts.
import { isolateFailure } from '#platform/server/process/isolate-failure.ts';

/**
 * @param processNext processes the account's next due item; returns false if there is none
 * @returns the number of processed items
 */
export async function processAccounts(
  accountIds: readonly number[],
  processNext: (accountId: number) => Promise<boolean>,
): Promise<number> {
  let processedCount = 0;
  for (const accountId of accountIds) {
    await isolateFailure(
      'Could not start due messages of an account',
      { account: accountId },
      async () => {
        while (await processNext(accountId)) processedCount++;
      },
    );
  }
  return processedCount;
}
