// Revokes access at services (RFC 7009) after the connection or the account was deleted. The job is
// added in the transaction of the deletion and repeated while the service fails.
import { z } from 'zod';
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { addJob, defineJob } from '#platform/server/jobs/jobs.ts';
import { log } from '#platform/server/log.ts';
import { seal, unseal } from '#platform/server/secrets.ts';
import { type OAuthUrls, postForm, ServiceError } from './oauth.ts';
import { isConnectedSince } from './revoke.sql.ts';

const PURPOSE = 'revoked access';
/** The pause after an attempt grows to six hours, so these attempts take longer than GIVE_UP_MS. */
const ATTEMPTS = 40;
const GIVE_UP_MS = 3 * 86_400_000;

/**
 * Revokes a token after the transaction commits. Does nothing if the service has no revocation
 * endpoint, if there is no token, or if it was sealed with a former `SECRET`.
 * @param readToken reads the refresh token, if any
 */
export async function revokeSoon(
  tx: Tx,
  accountId: number,
  { revoke: url }: Pick<OAuthUrls, 'revoke'>,
  readToken: () => string | undefined,
): Promise<void> {
  if (url === undefined) return;
  const token = readTokenSafely(accountId, url, readToken);
  if (token === undefined) return;
  const sealedToken = seal(PURPOSE, token).toString('base64');
  const endedAt = clock.now().toISOString();
  await addJob(tx, revokeAccessJob, { accountId, url, token: sealedToken, endedAt });
}

function readTokenSafely(
  accountId: number,
  url: string,
  readToken: () => string | undefined,
): string | undefined {
  try {
    return readToken();
  } catch (error) {
    const logFields = { account: accountId, url, error: String(error) };
    log.warn('Could not read a token to revoke', logFields);
    return undefined;
  }
}

export const revokeAccessJob = defineJob({
  name: 'deliverability.revoke_access',
  payload: z.object({
    accountId: z.number(),
    url: z.string(),
    /** The token is sealed, because jobs are part of backups. */
    token: z.string(),
    endedAt: z.iso.datetime(),
  }),
  maxAttempts: ATTEMPTS,
  run: async ({ accountId, url, token: sealedToken, endedAt }, { db }) => {
    // Nothing is revoked if the account has connected again, because Google would end all access of
    // the installation to this user's data, including the new connection.
    if (await isConnectedSince(db, accountId, new Date(endedAt))) return;
    const token = readTokenSafely(accountId, url, () =>
      unseal(PURPOSE, Buffer.from(sealedToken, 'base64')),
    );
    if (token === undefined) return;
    const logFields = { account: accountId, url };
    try {
      await revoke(url, token);
      log.info('Revoked OAuth access', logFields);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const isRecent = clock.now().getTime() < new Date(endedAt).getTime() + GIVE_UP_MS;
      if (error.fault === 'unavailable' && isRecent) throw error;
      log.warn('Could not revoke OAuth access', { ...logFields, reason: error.message });
    }
  },
});

const Refusal = z.object({ error: z.string() });

/** @throws ServiceError */
async function revoke(url: string, token: string): Promise<void> {
  const { status, body } = await postForm(url, { token });
  // This response means that the user has already withdrawn the access.
  const wasWithdrawn = status === 400 && Refusal.safeParse(body).data?.error === 'invalid_token';
  if (status === 200 || wasWithdrawn) return;
  const isRefused = status === 400 || status === 401;
  throw new ServiceError(isRefused ? 'refused' : 'unavailable', `status ${status}`);
}
