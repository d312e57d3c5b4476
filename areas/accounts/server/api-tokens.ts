// API tokens of an account.
import type { Selectable } from 'kysely';
import type { ListRequest } from '#platform/contract.ts';
import { encodeId } from '#platform/ids.ts';
import { isRight, type Right, RIGHTS } from '#platform/rights.ts';
import { recordChange } from '#platform/server/audit.ts';
import { clock } from '#platform/server/clock.ts';
import type { DB } from '#platform/server/database/database.generated.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { AppError, invalid, notFound } from '#platform/server/errors.ts';
import type { Caller } from '#platform/server/http/serve.ts';
import { buildListResponse } from '#platform/server/database/lists.ts';
import { hashSecret, generateSecret } from '#platform/server/secrets.ts';
import type { ApiToken } from '../settings-contract.ts';
import { ROTATION_HOURS } from '../shared.ts';
import { readNetwork } from './networks.ts';
import { requireOwnRights } from './rights.ts';
import { requireLiveSession, type SessionFacts } from './sessions.ts';
import * as store from './settings.sql.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
type TokenSort = 'title' | 'modified' | 'created';
type List = ListRequest<TokenSort>;
type TokenGranter = SessionFacts & Pick<Caller, 'rights'>;

type TokenInput = {
  title: string;
  scopes?: Right[] | null | undefined;
  networks?: string[] | null | undefined;
};

const presentToken = (row: Selectable<DB['api_tokens']>, email?: string): ApiToken => ({
  id: encodeId('token', row.id),
  title: row.title,
  scopes: row.scopes?.filter(isRight) ?? null,
  networks: row.networks,
  user: email === undefined ? null : { id: encodeId('user', row.user_id), email },
  created: row.created_at.toISOString(),
  modified: row.modified_at.toISOString(),
  expires: row.expires_at?.toISOString() ?? null,
  is_expired: row.expires_at !== null && row.expires_at <= clock.now(),
  last_used: row.last_used_at?.toISOString() ?? null,
  last_ip: row.last_ip,
  last_client: row.last_client,
  former_until:
    row.former_until && row.former_until > clock.now() ? row.former_until.toISOString() : null,
});

export function listTokens(tx: Tx, accountId: number, list: List) {
  return buildListResponse(
    list,
    {
      rows: (slice) => store.listTokens(tx, accountId, list, slice),
      total: () => store.countTokens(tx, accountId, list.search),
    },
    (row) => presentToken(row, row.email),
  );
}

/** Values of a token in the audit log. */
const toAuditedToken = ({ title, scopes, networks, expires_at }: Selectable<DB['api_tokens']>) => ({
  title,
  scopes,
  networks,
  expires: expires_at?.toISOString() ?? null,
});

const formatSecret = (accountId: number, secret: string) => `sl_${accountId}_${secret}`;

/**
 * Returns the networks in the notation of `readNetwork`, without duplicates. An empty list means no
 * restriction, like null.
 */
function readNetworks(input: readonly string[] | null): string[] | null {
  const networks = (input ?? []).map((text) => {
    const network = readNetwork(text);
    if (network === undefined) throw invalid({ networks: ['errors.network'] });
    return network;
  });
  return networks.length === 0 ? null : [...new Set(networks)];
}

/**
 * Creates a token. Only this response contains the token itself. Without scopes the token has all
 * rights of its user.
 * @throws AppError right_not_yours for a scope that the caller lacks
 */
export async function createToken(
  tx: Tx,
  caller: SessionFacts & Partial<TokenGranter>,
  input: TokenInput & { validity_days: number | null },
): Promise<ApiToken & { token: string }> {
  await requireLiveSession(tx, caller);
  if (caller.rights) requireOwnRights({ rights: caller.rights }, input.scopes ?? []);
  const secret = generateSecret();
  const at = clock.now();
  const row = await store.insertToken(tx, {
    accountId: caller.accountId,
    userId: caller.userId,
    title: input.title,
    hash: hashSecret(secret),
    scopes: input.scopes ?? null,
    networks: readNetworks(input.networks ?? null),
    at,
    expiresAt:
      input.validity_days === null ? null : new Date(at.getTime() + input.validity_days * DAY_MS),
  });
  recordChange({ after: toAuditedToken(row) });
  return { ...presentToken(row), token: formatSecret(caller.accountId, secret) };
}

/** Scopes that the caller lacks may be removed from a token, but not added. */
export async function updateToken(
  tx: Tx,
  caller: TokenGranter,
  id: number,
  input: Partial<TokenInput>,
): Promise<ApiToken> {
  await requireLiveSession(tx, caller);
  const token = await store.lockToken(tx, caller.accountId, id);
  if (!token) throw notFound();
  const { title, scopes, networks } = input;
  if (scopes !== undefined) {
    const previousScopes = token.scopes ?? RIGHTS;
    requireOwnRights(
      caller,
      (scopes ?? RIGHTS).filter((right) => !previousScopes.includes(right)),
    );
  }
  const row = await store.updateToken(tx, caller.accountId, id, {
    ...(title !== undefined && { title }),
    ...(scopes !== undefined && { scopes }),
    ...(networks !== undefined && { networks: readNetworks(networks) }),
    modified_at: clock.now(),
  });
  recordChange({ before: toAuditedToken(token), after: toAuditedToken(row ?? token) });
  return presentToken(row ?? token);
}

/**
 * Replaces the secret and restarts the validity period. The former secret works for another day
 * unless the token has expired. The new secret acts as the token's user, so only that user can
 * rotate it.
 */
export async function rotateToken(
  tx: Tx,
  caller: SessionFacts,
  id: number,
): Promise<ApiToken & { token: string }> {
  await requireLiveSession(tx, caller);
  const token = await store.lockToken(tx, caller.accountId, id);
  if (!token) throw notFound();
  if (token.user_id !== caller.userId) throw new AppError('token_of_another');
  const secret = generateSecret();
  const at = clock.now();
  const lifetime = token.expires_at && token.expires_at.getTime() - token.created_at.getTime();
  const isExpired = token.expires_at !== null && token.expires_at <= at;
  const row = await store.updateToken(tx, caller.accountId, id, {
    token_hash: hashSecret(secret),
    // Rotation must not make the secret of an expired token valid again.
    former_hash: isExpired ? null : token.token_hash,
    former_until: isExpired ? null : new Date(at.getTime() + ROTATION_HOURS * HOUR_MS),
    created_at: at,
    modified_at: at,
    expires_at: lifetime === null ? null : new Date(at.getTime() + lifetime),
    expiry_notice_at: null,
  });
  return { ...presentToken(row ?? token), token: formatSecret(caller.accountId, secret) };
}

export async function revokeToken(tx: Tx, accountId: number, id: number): Promise<void> {
  if (!(await store.revokeToken(tx, accountId, id, clock.now()))) throw notFound();
}
