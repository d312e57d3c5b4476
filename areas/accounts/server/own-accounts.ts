// The accounts of a user: their names, and switching between them.
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { AppError, notFound } from '#platform/server/errors.ts';
import type { Caller } from '#platform/server/http/serve.ts';
import type { UserAccount } from '../settings-contract.ts';
import * as accounts from './accounts.sql.ts';
import { revokeSession } from './sessions.sql.ts';
import { requireLiveSession } from './sessions.ts';

/**
 * Returns the display name of an account: its title, or the host of its website, or an empty string
 * if it has neither.
 */
export function getAccountName({ title, website }: accounts.AccountRow): string {
  return title || (URL.parse(website ?? '')?.hostname ?? '').replace(/^www\./, '');
}

/** Reads the accounts one by one, each by its key. */
export async function listOwnAccounts(tx: Tx, caller: Caller): Promise<UserAccount[]> {
  const ownAccounts: UserAccount[] = [];
  for (const accountId of await accounts.listAccountsOfUser(tx, caller.userId)) {
    const account = await accounts.findAccount(tx, accountId);
    const owner = await accounts.findOwner(tx, accountId);
    ownAccounts.push({
      id: encodeId('account', accountId),
      title: account ? getAccountName(account) : '',
      owner: owner?.email ?? '',
      is_current: accountId === caller.accountId,
    });
  }
  return ownAccounts;
}

/**
 * Ends the current session so that the user can switch to another account. An account that the user
 * does not belong to is not found.
 * @throws AppError unauthorized if the session ended concurrently, for example by a password
 *   change; switching would replace it with a new session
 */
export async function switchAccount(
  tx: Tx,
  caller: Caller,
  accountId: number,
): Promise<{ accountId: number; userId: number }> {
  // A password reset ends the sessions account by account. It might already have passed the other
  // account when the new session is opened there, so it must not run at the same time.
  await requireLiveSession(tx, caller);
  if (!(await accounts.lockMembership(tx, accountId, caller.userId))) throw notFound();
  const isOpen = await revokeSession(
    tx,
    caller.accountId,
    caller.sessionId,
    'switched',
    clock.now(),
  );
  if (!isOpen) throw new AppError('unauthorized');
  return { accountId, userId: caller.userId };
}
