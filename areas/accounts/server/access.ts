// Ends a user's API tokens, SMTP users, sessions and invitations, which would outlive a password. A
// password reset and a removal from an account end all of them. A change of the password ends the
// other sessions and the invitations, and the tokens and SMTP users that the user chooses.
import { decodePublicId, encodePublicId } from '#platform/ids.ts';
import { invalid } from '#platform/server/errors.ts';
import type { Tx } from '#platform/server/database/database.ts';
import type { AccessKey } from '../settings-contract.ts';
import * as accounts from './accounts.sql.ts';
import { accessKeysEnded, smtpUsersMade } from './events.ts';
import { getAccountName } from './own-accounts.ts';
import { revokeSessionsOfUser, revokeTokensOfUser } from './sessions.sql.ts';
import * as store from './settings.sql.ts';

/**
 * Ends the user's sessions, API tokens, SMTP users and invitations in one account. None of them
 * depends on the password, and a person who knew the old password may have created some of them.
 */
export async function endAccess(
  tx: Tx,
  accountId: number,
  userId: number,
  reason: 'password_changed' | 'removed',
  at: Date,
): Promise<void> {
  await revokeSessionsOfUser(tx, accountId, userId, reason, at);
  await revokeTokensOfUser(tx, accountId, userId, at);
  await accessKeysEnded.announce(tx, { accountId, userId });
  // Such a person may also have sent an invitation to an address of their own.
  await store.deleteInvitationsBy(tx, accountId, userId);
}

/** Lists the API tokens and SMTP users that a user created in all of the user's accounts. */
export async function listAccessKeys(tx: Tx, userId: number, at: Date): Promise<AccessKey[]> {
  const keys: AccessKey[] = [];
  for (const accountId of await accounts.listAccountsOfUser(tx, userId)) {
    const account = await accounts.findAccount(tx, accountId);
    const present =
      (kind: 'token' | 'smtp_user') =>
      (row: { id: number; title: string; last_used_at: Date | null; created_at: Date }) => ({
        id: encodePublicId(kind, accountId, row.id),
        kind,
        title: row.title,
        account: account ? getAccountName(account) : '',
        last_used: row.last_used_at?.toISOString() ?? null,
        created: row.created_at.toISOString(),
      });
    const smtpUsers = await smtpUsersMade.collect(tx, { accountId, userId });
    keys.push(
      ...(await store.listTokensOfUser(tx, accountId, userId, at)).map(present('token')),
      ...smtpUsers.map(present('smtp_user')),
    );
  }
  return keys;
}

/**
 * Ends the access keys with these IDs, which `listAccessKeys` returned.
 * @throws AppError invalid for an id that is not in the list
 */
export async function endAccessKeys(
  tx: Tx,
  userId: number,
  ids: readonly string[],
  at: Date,
): Promise<void> {
  if (ids.length === 0) return;
  const existingIds = new Set((await listAccessKeys(tx, userId, at)).map(({ id }) => id));
  if (ids.some((id) => !existingIds.has(id))) throw invalid({ end: ['errors.fields.choice'] });
  const listIds = (kind: 'token' | 'smtp_user') =>
    Map.groupBy(
      ids.flatMap((id) => decodePublicId(kind, id) ?? []),
      ({ accountId }) => accountId,
    );
  for (const [accountId, keys] of listIds('token'))
    await store.revokeTokens(
      tx,
      accountId,
      keys.map(({ id }) => id),
      at,
    );
  for (const [accountId, keys] of listIds('smtp_user'))
    await accessKeysEnded.announce(tx, { accountId, userId, ids: keys.map(({ id }) => id) });
}
