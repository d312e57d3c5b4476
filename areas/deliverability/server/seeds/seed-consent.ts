// Adds a seed mailbox with the user's consent at Google or Microsoft.
import type { Db, Reader } from '#platform/server/database/database.ts';
import { AppError } from '#platform/server/errors.ts';
import type { Actor } from '#platform/server/http/serve.ts';
import type { SeedMailbox } from '../../signals-contract.ts';
import { SEED_STATE, type SeedService } from '../../signals-shared.ts';
import { createConsent, verifyConsentState } from '../oauth/consent.ts';
import { buildConsentUrl, redeemCode } from '../oauth/oauth.ts';
import { openMailbox } from './imap.ts';
import { throwSeedError, type SeedServiceDependencies } from './seed-services.ts';
import { throwAppError, requireNewSeed, saveSeed, getSeedTools } from './seeds.ts';

const STATE = 'seed consent';

function requireService(
  service: string | undefined,
): SeedServiceDependencies & { redirect: string } {
  const { services, redirect } = getSeedTools();
  const tools = services?.[service as SeedService];
  if (!tools || redirect === undefined) throw new AppError('seed_without_client');
  return { ...tools, redirect };
}

/** @throws `seed_without_client`, `seed_exists`, `too_many_seeds` */
export async function startSeedConsent(
  db: Reader,
  caller: Actor,
  { service, email }: { service: SeedService; email: string },
): Promise<string> {
  const { urls, client, scope, redirect } = requireService(service);
  await requireNewSeed(db, caller.accountId, email);
  const { state, challenge } = createConsent(STATE, caller, { service, email });
  return buildConsentUrl(urls, client, {
    ...{ redirect, scope, challenge, email, state: `${SEED_STATE}${state}` },
  });
}

/**
 * Adds the mailbox after the user has consented.
 * @throws `seed_refused` if the consent was requested more than 15 minutes ago, or belongs to
 * another user, account or mailbox
 */
export async function finishSeedConsent(
  db: Db,
  caller: Actor,
  { code, state }: { code: string; state: string },
): Promise<SeedMailbox> {
  const consent = verifyConsentState(STATE, caller, state.replace(SEED_STATE, ''));
  const { service, email } = consent?.details ?? {};
  if (!consent || email === undefined) throw new AppError('seed_refused');
  const { urls, client, redirect, host, port } = requireService(service);
  await requireNewSeed(db, caller.accountId, email);
  const grant = { code, redirect, verifier: consent.verifier };
  const mailbox = { host, port, login: email };
  const openMailboxWithTokens = async () => {
    const tokens = await redeemCode(urls, client, grant).catch(throwSeedError);
    // Signing in fails if the user consented for a different mailbox.
    await openMailbox({ ...mailbox, accessToken: tokens.accessToken }, getSeedTools());
    return tokens.refreshToken;
  };
  const secret = await openMailboxWithTokens().catch(throwAppError);
  return saveSeed(db, caller.accountId, {
    ...{ ...mailbox, email, secret, service: service as SeedService },
  });
}
