// Queries for connected assistants.
import type { Selectable } from 'kysely';
import { accountTable } from '#platform/server/database/account-table.sql.ts';
import type { DB } from '#platform/server/database/database.generated.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';

export type GrantRow = Selectable<DB['agent_grants']>;

export async function insertGrant(
  db: Reader,
  grant: {
    account_id: number;
    user_id: number;
    oauth_grant: string;
    client_id: string;
    client_name: string;
    redirect_host: string;
    scopes: string[];
    created_at: Date;
  },
): Promise<number> {
  const row = await db
    .insertInto('agent_grants')
    .values(grant)
    .returning('id')
    .executeTakeFirstOrThrow();
  return row.id;
}

const selectLiveGrants = (db: Reader, accountId: number) =>
  db
    .selectFrom('agent_grants')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('revoked_at', 'is', null);

export const findGrant = (
  db: Reader,
  accountId: number,
  id: number,
): Promise<GrantRow | undefined> =>
  selectLiveGrants(db, accountId).where('id', '=', id).executeTakeFirst();

/** Locks the connection until the transaction ends. */
export const lockGrant = (tx: Tx, accountId: number, id: number): Promise<GrantRow | undefined> =>
  selectLiveGrants(tx, accountId).where('id', '=', id).forUpdate().executeTakeFirst();

export const { update: updateGrant } = accountTable('agent_grants', 'id');

/** Returns the names of assistants, including disconnected ones. */
export const listGrantNames = async (
  db: Reader,
  accountId: number,
  ids: readonly number[],
): Promise<{ id: number; name: string }[]> =>
  ids.length === 0
    ? []
    : db
        .selectFrom('agent_grants')
        .select(['id', 'client_name as name'])
        .where('account_id', '=', accountId)
        .where('id', 'in', [...ids])
        .execute();

export const findGrantByOauth = (
  db: Reader,
  accountId: number,
  oauthGrant: string,
): Promise<GrantRow | undefined> =>
  selectLiveGrants(db, accountId).where('oauth_grant', '=', oauthGrant).executeTakeFirst();

/** Lists the connections of one user or of all users, newest first. */
export const listGrants = (
  db: Reader,
  accountId: number,
  userId: number | undefined,
): Promise<GrantRow[]> =>
  selectLiveGrants(db, accountId)
    .$if(userId !== undefined, (query) => query.where('user_id', '=', userId as number))
    .orderBy('created_at', 'desc')
    .limit(200)
    .execute();

export async function recordGrantUse(
  db: Reader,
  accountId: number,
  id: number,
  at: Date,
): Promise<void> {
  await db
    .updateTable('agent_grants')
    .set({ last_used_at: at })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .execute();
}

export async function revokeGrant(
  db: Reader,
  accountId: number,
  id: number,
  at: Date,
): Promise<void> {
  await db
    .updateTable('agent_grants')
    .set({ revoked_at: at })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('revoked_at', 'is', null)
    .execute();
}

/** Ends the connection that belongs to this grant of the OAuth authorization server. */
export async function revokeGrantByOauth(
  db: Reader,
  accountId: number,
  oauthGrant: string,
  at: Date,
): Promise<void> {
  await db
    .updateTable('agent_grants')
    .set({ revoked_at: at })
    .where('account_id', '=', accountId)
    .where('oauth_grant', '=', oauthGrant)
    .where('revoked_at', 'is', null)
    .execute();
}

/**
 * Ends connections that were not used since this time. It must be so long ago that their refresh
 * tokens have expired.
 */
export async function revokeIdleGrants(
  db: Reader,
  accountId: number,
  before: Date,
  at: Date,
): Promise<void> {
  await db
    .updateTable('agent_grants')
    .set({ revoked_at: at })
    .where('account_id', '=', accountId)
    .where('revoked_at', 'is', null)
    .where((grant) => grant(grant.fn.coalesce('last_used_at', 'created_at'), '<', before))
    .execute();
}

export async function revokeGrantsOfUser(
  tx: Tx,
  accountId: number,
  userId: number,
  at: Date,
): Promise<void> {
  await tx
    .updateTable('agent_grants')
    .set({ revoked_at: at })
    .where('account_id', '=', accountId)
    .where('user_id', '=', userId)
    .where('revoked_at', 'is', null)
    .execute();
}
