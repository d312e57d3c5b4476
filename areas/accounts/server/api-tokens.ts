// API tokens of an account.
import type { Selectable } from 'kysely';
import type { ListRequest } from '#platform/contract.ts';
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import type { DB } from '#platform/server/database/database.generated.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { AppError, notFound } from '#platform/server/errors.ts';
import type { Caller } from '#platform/server/http/serve.ts';
import { answerList } from '#platform/server/database/lists.ts';
import { hashSecret, randomSecret } from '#platform/server/secrets.ts';
import type { ApiToken } from '../settings-contract.ts';
import * as accounts from './accounts.sql.ts';
import * as store from './settings.sql.ts';

const DAY_MS = 86_400_000;
type Sort = 'title' | 'modified' | 'created';
type List = ListRequest<Sort>;
type Who = Pick<Caller, 'accountId' | 'userId'>;

const presentToken = (row: Selectable<DB['api_tokens']>): ApiToken => ({
  id: encodeId('token', row.id),
  title: row.title,
  created: row.created_at.toISOString(),
  modified: row.modified_at.toISOString(),
  expires: row.expires_at?.toISOString() ?? null,
  is_expired: row.expires_at !== null && row.expires_at <= clock.now(),
  last_used: row.last_used_at?.toISOString() ?? null,
});

export function listTokens(tx: Tx, accountId: number, list: List) {
  return answerList(
    list,
    {
      rows: (slice) => store.listTokens(tx, accountId, list, slice),
      total: () => store.countTokens(tx, accountId, list.search),
    },
    presentToken,
  );
}

/** Only this response contains the token itself. */
export async function createToken(
  tx: Tx,
  who: Who,
  input: { title: string; validity_days: number | null },
): Promise<ApiToken & { token: string }> {
  // A concurrent removal from the account must finish before this check.
  if (!(await accounts.lockMembership(tx, who.accountId, who.userId)))
    throw new AppError('unauthorized');
  const secret = randomSecret();
  const at = clock.now();
  const row = await store.insertToken(tx, {
    accountId: who.accountId,
    userId: who.userId,
    title: input.title,
    hash: hashSecret(secret),
    at,
    expiresAt:
      input.validity_days === null ? null : new Date(at.getTime() + input.validity_days * DAY_MS),
  });
  return { ...presentToken(row), token: `sl_${who.accountId}_${secret}` };
}

export async function revokeToken(tx: Tx, accountId: number, id: number): Promise<void> {
  if (!(await store.revokeToken(tx, accountId, id, clock.now()))) throw notFound();
}
