// SMTP users for programs that submit emails. The user name encodes the account; the password is
// shown once.
import { timingSafeEqual } from 'node:crypto';
import type { ListRequest } from '#platform/contract.ts';
import { requireLiveSession, readRights } from '#areas/accounts/server/index.ts';
import { decodePublicId, encodeId, encodePublicId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import {
  type Db,
  inTransaction,
  type Reader,
  type Tx,
} from '#platform/server/database/database.ts';
import { AppError, notFound } from '#platform/server/errors.ts';
import { requireRight } from '#platform/server/http/rights.ts';
import { buildListResponse } from '#platform/server/database/lists.ts';
import type { Actor, Caller } from '#platform/server/http/serve.ts';
import { hashSecret, generateSecret } from '#platform/server/secrets.ts';
import { MAX_SMTP_USERS } from '../shared.ts';
import * as store from './smtp-users.sql.ts';

/** The SMTP user that authenticated a connection. */
export type SmtpSender = { accountId: number; id: number };

type SmtpUserListRow = Awaited<ReturnType<typeof store.listSmtpUsers>>[number];

export function listSmtpUsers(
  db: Reader,
  accountId: number,
  list: ListRequest<'created' | 'title'>,
) {
  return buildListResponse(
    list,
    {
      rows: (slice) => store.listSmtpUsers(db, accountId, list, slice),
      total: () => store.countSmtpUsers(db, accountId),
    },
    (row) => present(accountId, row),
  );
}

/** Creates an SMTP user. Only this call returns the password. */
export async function createSmtpUser(tx: Tx, caller: Caller, title: string) {
  await requireLiveSession(tx, caller);
  const { accountId, userId } = caller;
  if ((await store.countSmtpUsers(tx, accountId)) >= MAX_SMTP_USERS)
    throw new AppError('too_many_smtp_users', { values: { most: MAX_SMTP_USERS } });
  const password = generateSecret();
  const made_by = { user_id: userId, created_at: clock.now() };
  const row = { title, secret_hash: hashSecret(password), ...made_by };
  const user = await store.insertSmtpUser(tx, accountId, row);
  return { ...present(accountId, user), password };
}

export async function deleteSmtpUser(tx: Tx, accountId: number, id: number): Promise<void> {
  if (!(await store.deleteSmtpUser(tx, accountId, id))) throw notFound();
}

export const listSmtpUsersOfUser = (tx: Tx, { accountId, userId }: Actor) =>
  store.listSmtpUsersOf(tx, accountId, userId);

export const endSmtpUsers = (
  tx: Tx,
  { accountId, userId, ids }: Actor & { ids?: readonly number[] },
): Promise<void> => store.deleteSmtpUsersOf(tx, accountId, userId, ids);

/**
 * Checks again that an SMTP user exists and that its creator still has the right to send
 * transactional messages. Both may have changed since the connection was opened.
 * @throws `unauthorized`, `missing_right`
 */
export async function requireSmtpUser(db: Reader, { accountId, id }: SmtpSender): Promise<void> {
  const row = await store.findSmtpUser(db, accountId, id);
  if (!row) throw new AppError('unauthorized');
  // If the user who created it was deleted, the SMTP user remains valid until it is deleted itself.
  if (row.user_id === null) return;
  const rights = await readRights(db, { accountId, userId: row.user_id });
  requireRight({ rights }, 'transactional');
}

const MINUTE_MS = 60_000;

/** Returns the SMTP user and records its use; undefined if the name or the password is wrong. */
export async function signInBySmtp(
  db: Db,
  username: string,
  password: string,
): Promise<SmtpSender | undefined> {
  const publicId = decodePublicId('smtp_user', username);
  const row = publicId && (await store.findSmtpUser(db, publicId.accountId, publicId.id));
  const hash = hashSecret(password);
  if (!publicId || !row || !timingSafeEqual(row.secret_hash, hash)) return undefined;
  const now = clock.now();
  if (!row.last_used_at || now.getTime() - row.last_used_at.getTime() > MINUTE_MS)
    await inTransaction(db, (tx) => store.recordLastUse(tx, publicId.accountId, publicId.id, now));
  return publicId;
}

const present = (accountId: number, row: SmtpUserListRow) => ({
  id: encodeId('smtp_user', row.id),
  title: row.title,
  username: encodePublicId('smtp_user', accountId, row.id),
  last_used: row.last_used_at?.toISOString() ?? null,
  created: row.created_at.toISOString(),
});
