// Queries for an account's users, invitations, sessions and API tokens: lists and changes.
import { accountTable } from '#platform/server/database/account-table.sql.ts';
import { toContainsPattern } from '#platform/server/database/like.ts';
import { sql } from 'kysely';
import type { ListRequest } from '#platform/contract.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import type { Slice } from '#platform/server/database/lists.ts';
import { createTextRewriter } from '#platform/server/erasure/texts.sql.ts';

/** Removes the addresses of erased subscribers from titles of API tokens. */
export const rewriteTokens = createTextRewriter('api_tokens');

type InvitationAndTokenSort = 'title' | 'modified' | 'created';

const createPattern = (search: string | undefined) =>
  toContainsPattern((search ?? '').toLowerCase());

const USER_ORDERS = { title: 'email_key', modified: 'modified_at', created: 'created_at' } as const;

const selectUsers = (db: Reader, accountId: number, search: string | undefined) =>
  db
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .where('memberships.account_id', '=', accountId)
    .$if(search !== undefined, (query) =>
      query.where(
        sql<boolean>`lower(concat_ws(' ', users.email, users.name, users.surname)) like ${createPattern(search)}`,
      ),
    );

export const listUsers = (
  db: Reader,
  accountId: number,
  list: ListRequest<InvitationAndTokenSort>,
  slice: Slice,
) =>
  selectUsers(db, accountId, list.search)
    .selectAll('users')
    .select('memberships.denied')
    .orderBy(`users.${USER_ORDERS[list.order]}`, list.direction)
    .orderBy('users.id', list.direction)
    .limit(slice.limit)
    .offset(slice.offset)
    .execute();

export async function countUsers(db: Reader, accountId: number, search?: string): Promise<number> {
  const row = await selectUsers(db, accountId, search)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return row.count;
}

/**
 * Serializes the removal of members of one account and changes to their rights, so that two
 * concurrent calls cannot leave the account without a member who has full access.
 */
export const lockMembers = (tx: Tx, accountId: number) =>
  tx
    .selectFrom('memberships')
    .select(['user_id', 'denied'])
    .where('account_id', '=', accountId)
    .orderBy('user_id')
    .forUpdate()
    .execute();

export const { find: findMembership, update: updateMembership } = accountTable(
  'memberships',
  'user_id',
);

const INVITATION_ORDERS = {
  title: 'email_key',
  modified: 'created_at',
  created: 'created_at',
} as const;

const openInvitations = (db: Reader, accountId: number, search: string | undefined) =>
  db
    .selectFrom('invitations')
    .where('account_id', '=', accountId)
    .where('accepted_at', 'is', null)
    .$if(search !== undefined, (query) =>
      query.where(sql<boolean>`email_key like ${createPattern(search)}`),
    );

export const listInvitations = (
  db: Reader,
  accountId: number,
  list: ListRequest<InvitationAndTokenSort>,
  slice: Slice,
) =>
  openInvitations(db, accountId, list.search)
    .selectAll()
    .orderBy(INVITATION_ORDERS[list.order], list.direction)
    .orderBy('id', list.direction)
    .limit(slice.limit)
    .offset(slice.offset)
    .execute();

export async function countInvitations(
  db: Reader,
  accountId: number,
  search?: string,
): Promise<number> {
  const row = await openInvitations(db, accountId, search)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return row.count;
}

/**
 * Creates an invitation. Each address has at most one: a second invitation renews the first, with a
 * new link.
 */
export const saveInvitation = (
  tx: Tx,
  invitation: {
    accountId: number;
    email: string;
    key: string;
    hash: Buffer;
    invitedBy: number;
    denied: string[];
    at: Date;
    expiresAt: Date;
  },
) =>
  tx
    .insertInto('invitations')
    .values({
      account_id: invitation.accountId,
      email: invitation.email,
      email_key: invitation.key,
      secret_hash: invitation.hash,
      invited_by: invitation.invitedBy,
      denied: invitation.denied,
      created_at: invitation.at,
      expires_at: invitation.expiresAt,
    })
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'email_key']).doUpdateSet((eb) => ({
        email: eb.ref('excluded.email'),
        secret_hash: eb.ref('excluded.secret_hash'),
        invited_by: eb.ref('excluded.invited_by'),
        denied: eb.ref('excluded.denied'),
        created_at: eb.ref('excluded.created_at'),
        expires_at: eb.ref('excluded.expires_at'),
        accepted_at: null,
      })),
    )
    .returningAll()
    .executeTakeFirstOrThrow();

/** Returns the pending invitation of an address, locked until this transaction ends. */
export const lockInvitationOf = (tx: Tx, accountId: number, key: string) =>
  tx
    .selectFrom('invitations')
    .select('denied')
    .where('account_id', '=', accountId)
    .where('email_key', '=', key)
    .where('accepted_at', 'is', null)
    .forUpdate()
    .executeTakeFirst();

export const findInvitation = (db: Reader, accountId: number, hash: Buffer, at: Date) =>
  db
    .selectFrom('invitations')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('secret_hash', '=', hash)
    .where('accepted_at', 'is', null)
    .where('expires_at', '>', at)
    .executeTakeFirst();

/** Marks the invitation as accepted. Returns false if a concurrent request accepted it first. */
export async function consumeInvitation(
  tx: Tx,
  accountId: number,
  id: number,
  at: Date,
): Promise<boolean> {
  const row = await tx
    .updateTable('invitations')
    .set({ accepted_at: at })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('accepted_at', 'is', null)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

export async function deleteInvitation(tx: Tx, accountId: number, id: number): Promise<boolean> {
  const row = await tx
    .deleteFrom('invitations')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('accepted_at', 'is', null)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Lists the valid tokens that the user created in the account. */
export const listTokensOfUser = (db: Reader, accountId: number, userId: number, at: Date) =>
  db
    .selectFrom('api_tokens')
    .select(['id', 'title', 'last_used_at', 'created_at'])
    .where('account_id', '=', accountId)
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', at)]))
    .orderBy('id')
    .execute();

export async function revokeTokens(
  tx: Tx,
  accountId: number,
  ids: readonly number[],
  at: Date,
): Promise<void> {
  await tx
    .updateTable('api_tokens')
    .set({ revoked_at: at, modified_at: at })
    .where('account_id', '=', accountId)
    .where('id', 'in', [...ids])
    .where('revoked_at', 'is', null)
    .execute();
}

/** Deletes the pending invitations that this user sent. */
export async function deleteInvitationsBy(
  tx: Tx,
  accountId: number,
  userId: number,
): Promise<void> {
  await tx
    .deleteFrom('invitations')
    .where('account_id', '=', accountId)
    .where('invited_by', '=', userId)
    .where('accepted_at', 'is', null)
    .execute();
}

const SESSION_ORDERS = { title: 'user_agent', modified: 'seen_at', created: 'created_at' } as const;

const selectLiveSessions = (db: Reader, accountId: number, userId: number, at: Date) =>
  db
    .selectFrom('sessions')
    .where('account_id', '=', accountId)
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', at);

export const listSessions = (
  db: Reader,
  accountId: number,
  userId: number,
  at: Date,
  list: ListRequest<InvitationAndTokenSort>,
  slice: Slice,
) =>
  selectLiveSessions(db, accountId, userId, at)
    .selectAll()
    .orderBy(SESSION_ORDERS[list.order], list.direction)
    .orderBy('id', list.direction)
    .limit(slice.limit)
    .offset(slice.offset)
    .execute();

export async function countSessions(
  db: Reader,
  accountId: number,
  userId: number,
  at: Date,
): Promise<number> {
  const row = await selectLiveSessions(db, accountId, userId, at)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return row.count;
}

export const findSessionOfUser = (
  db: Reader,
  accountId: number,
  userId: number,
  id: number,
  at: Date,
) =>
  selectLiveSessions(db, accountId, userId, at)
    .select('id')
    .where('id', '=', id)
    .executeTakeFirst();

const TOKEN_ORDERS = {
  title: 'api_tokens.title',
  modified: 'api_tokens.modified_at',
  created: 'api_tokens.created_at',
} as const;

const selectLiveTokens = (db: Reader, accountId: number, search: string | undefined) =>
  db
    .selectFrom('api_tokens')
    .where('api_tokens.account_id', '=', accountId)
    .where('api_tokens.revoked_at', 'is', null)
    .$if(search !== undefined, (query) =>
      query.where(sql<boolean>`lower(api_tokens.title) like ${createPattern(search)}`),
    );

export const listTokens = (
  db: Reader,
  accountId: number,
  list: ListRequest<InvitationAndTokenSort>,
  slice: Slice,
) =>
  selectLiveTokens(db, accountId, list.search)
    .innerJoin('users', 'users.id', 'api_tokens.user_id')
    .selectAll('api_tokens')
    .select('users.email')
    .orderBy(TOKEN_ORDERS[list.order], list.direction)
    .orderBy('api_tokens.id', list.direction)
    .limit(slice.limit)
    .offset(slice.offset)
    .execute();

export async function countTokens(db: Reader, accountId: number, search?: string): Promise<number> {
  const row = await selectLiveTokens(db, accountId, search)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return row.count;
}

export const insertToken = (
  tx: Tx,
  token: {
    accountId: number;
    userId: number;
    title: string;
    hash: Buffer;
    scopes: string[] | null;
    networks: string[] | null;
    at: Date;
    expiresAt: Date | null;
  },
) =>
  tx
    .insertInto('api_tokens')
    .values({
      account_id: token.accountId,
      user_id: token.userId,
      title: token.title,
      token_hash: token.hash,
      scopes: token.scopes,
      networks: token.networks,
      created_at: token.at,
      modified_at: token.at,
      expires_at: token.expiresAt,
    })
    .returningAll()
    .executeTakeFirstOrThrow();

/** Lists the titles of tokens, including revoked ones. */
export const listTokenTitles = async (
  db: Reader,
  accountId: number,
  ids: readonly number[],
): Promise<{ id: number; title: string }[]> =>
  ids.length === 0
    ? []
    : db
        .selectFrom('api_tokens')
        .select(['id', 'title'])
        .where('account_id', '=', accountId)
        .where('id', 'in', [...ids])
        .execute();

/**
 * Returns the token, valid or expired, unless it was revoked; locked until this transaction ends.
 */
export const lockToken = (tx: Tx, accountId: number, id: number) =>
  tx
    .selectFrom('api_tokens')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .forUpdate()
    .executeTakeFirst();

export const { updateReturning: updateToken } = accountTable('api_tokens', 'id');

export async function revokeToken(
  tx: Tx,
  accountId: number,
  id: number,
  at: Date,
): Promise<boolean> {
  const row = await tx
    .updateTable('api_tokens')
    .set({ revoked_at: at, modified_at: at })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Returns the tokens that expire by `until`, each token once. Tokens valid for a week or less are
 * skipped because their owner chose the date only days ago.
 */
export const claimExpiringTokens = (
  tx: Tx,
  accountId: number,
  { at, until }: { at: Date; until: Date },
) =>
  tx
    .updateTable('api_tokens')
    .set({ expiry_notice_at: at })
    .where('account_id', '=', accountId)
    .where('revoked_at', 'is', null)
    .where('expiry_notice_at', 'is', null)
    .where('expires_at', '>', at)
    .where('expires_at', '<=', until)
    .where(sql<boolean>`expires_at - created_at > interval '7 days'`)
    .returning(['id', 'title', 'expires_at'])
    .execute();

export async function recordTokenUse(
  db: Reader,
  accountId: number,
  id: number,
  { at, ip, userAgent }: { at: Date; ip: string; userAgent: string | undefined },
): Promise<void> {
  await db
    .updateTable('api_tokens')
    .set({ last_used_at: at, last_ip: ip, last_client: userAgent?.slice(0, 500) ?? null })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .execute();
}
