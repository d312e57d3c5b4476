// SMS senders of all accounts that wait for the operator.
import { readAccount } from '#areas/accounts/server/index.ts';
import { listWaitingPhones } from '#areas/sms/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import type { Reader } from '#platform/server/database/database.ts';
import type { WaitingSender } from '../contract.ts';

export async function listSenders(db: Reader): Promise<WaitingSender[]> {
  const waiting = await listWaitingPhones(db);
  const titles = new Map<number, string>();
  for (const { accountId } of waiting) {
    if (!titles.has(accountId)) titles.set(accountId, (await readAccount(db, accountId)).title);
  }
  return waiting.map(({ accountId, ...sender }) => ({
    ...sender,
    account: { id: encodeId('account', accountId), title: titles.get(accountId) ?? '' },
  }));
}
