// Access tokens of connected assistants. Only /mcp accepts them. Each use reads the connection, so
// that a disconnected assistant is refused immediately.
import { jwtVerify } from 'jose';
import {
  type CredentialStore,
  readMember,
  recordCountry,
  readRights,
} from '#areas/accounts/server/index.ts';
import { isLanguage } from '#platform/languages.ts';
import { clock } from '#platform/server/clock.ts';
import type { Db } from '#platform/server/database/database.ts';
import type { Caller } from '#platform/server/http/serve.ts';
import { findGrant, lockGrant, recordGrantUse, updateGrant } from './grants.sql.ts';
import { mcpResource, findVerifyingKey } from './provider.ts';

const USE_INTERVAL_MS = 60_000;

const grantCountries: CredentialStore = {
  kind: 'assistant',
  lock: async (tx, { accountId, id }) => {
    const row = await lockGrant(tx, accountId, id);
    if (!row) return undefined;
    const { user_id: userId, client_name: title, countries } = row;
    return { userId, title, countries, lastIp: null };
  },
  save: (tx, { accountId, id }, countries) => updateGrant(tx, accountId, id, { countries }),
};

export async function findAgentByGrant(
  db: Db,
  token: string,
  { publicUrl, ip }: { publicUrl: string; ip: string },
): Promise<Caller | undefined> {
  const claims = await readClaims(token, publicUrl);
  if (!claims) return undefined;
  const { accountId, grantId } = claims;
  const grant = await findGrant(db, accountId, grantId);
  if (!grant) return undefined;
  const { user_id: userId, scopes } = grant;
  const member = await readMember(db, accountId, userId);
  if (!member) return undefined;
  const { countries } = grant;
  await recordCountry(db, grantCountries, { accountId, id: grantId }, { ip, countries });
  const now = clock.now();
  if (now.getTime() - (grant.last_used_at?.getTime() ?? 0) > USE_INTERVAL_MS)
    await recordGrantUse(db, accountId, grantId, now);
  const rights = await readRights(db, { accountId, userId });
  return {
    accountId,
    userId,
    via: 'agent',
    sessionId: grantId,
    language: isLanguage(member.language) ? member.language : 'eng',
    rights: new Set([...rights].filter((right) => scopes.includes(right))),
  };
}

async function readClaims(token: string, publicUrl: string) {
  try {
    const { payload } = await jwtVerify(token, findVerifyingKey(), {
      algorithms: ['EdDSA', 'Ed25519'],
      issuer: new URL(publicUrl).origin,
      audience: mcpResource(publicUrl),
      currentDate: clock.now(),
    });
    return { accountId: Number(payload.account), grantId: Number(payload.grant) };
  } catch {
    return undefined;
  }
}
