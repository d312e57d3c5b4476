// Connects an account to Google Postmaster Tools, through the consent screen or with a key, and
// retrieves its statistics daily.
import { forEachAccount } from '#areas/accounts/server/index.ts';
import { listDomainAuthentication } from '#areas/domains/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import {
  type Db,
  inTransaction,
  type Reader,
  type Tx,
} from '#platform/server/database/database.ts';
import { AppError, invalid } from '#platform/server/errors.ts';
import type { Actor } from '#platform/server/http/serve.ts';
import type { Poller } from '#platform/server/jobs/pollers.ts';
import { log } from '#platform/server/log.ts';
import { seal, unseal } from '#platform/server/secrets.ts';
import type { PostmasterState } from '../../signals-contract.ts';
import { addDays } from '../advice.ts';
import { createConsent, verifyConsentState } from '../oauth/consent.ts';
import { buildConsentUrl, type OAuthClient, redeemCode, ServiceError } from '../oauth/oauth.ts';
import { revokeSoon } from '../oauth/revoke.ts';
import { getOrganizationalDomain } from '../reading/values.ts';
import type { ComplianceVerdict } from './compliance.ts';
import * as google from './postmaster.ts';
import * as store from './signals.sql.ts';

export type PostmasterDependencies = {
  urls: google.PostmasterUrls;
  /**
   * The operator's OAuth client; undefined if accounts can only connect with the key of a service
   * account.
   */
  client: OAuthClient | undefined;
  /** The page that Google redirects the user to after consent. */
  redirect: string;
  hosts: Parameters<typeof listDomainAuthentication>[2];
};

const STATE = 'postmaster consent';
const CREDENTIALS = 'postmaster credentials';
const DAY_MS = 86_400_000;
const RETRY_MS = 3_600_000;
/** Days covered by the first retrieval and by each retrieval after an error. */
const FIRST_DAYS = 30;
/** Days repeated by other retrievals, because Google revises them. */
const REVISED_DAYS = 7;
const STORED_DAYS = 400;
const PAUSE_MS = 10 * 60_000;

export function startConsent(
  caller: Actor,
  { urls, client, redirect }: PostmasterDependencies,
): string {
  if (!client) throw new AppError('postmaster_without_client');
  const consent = createConsent(STATE, caller);
  return buildConsentUrl(urls, client, { ...consent, redirect, scope: google.SCOPE });
}

/**
 * Connects the account after the user has consented at Google.
 * @throws `postmaster_refused` if the consent was requested more than 15 minutes ago or by another
 * user or account, or if Google does not accept it; `postmaster_unavailable` if Google does not
 * respond
 */
export async function finishConsent(
  db: Db,
  caller: Actor,
  { code, state }: { code: string; state: string },
  { urls, client, redirect }: PostmasterDependencies,
): Promise<void> {
  const consent = verifyConsentState(STATE, caller, state);
  if (!consent || !client) throw new AppError('postmaster_refused');
  const grant = { code, redirect, verifier: consent.verifier };
  const { refreshToken } = await redeemCode(urls, client, grant).catch(throwAppError);
  const credentials = { by: 'consent', refreshToken } as const;
  await inTransaction(db, (tx) => connect(tx, caller.accountId, credentials));
}

/**
 * Connects the account with a key, which replaces an earlier connection.
 * @throws `invalid` for text that is not a key; `postmaster_refused` for a key that Google does not
 * accept; `postmaster_unavailable`
 */
export async function connectKey(
  db: Db,
  accountId: number,
  key: string,
  { urls, client }: PostmasterDependencies,
): Promise<void> {
  const credentials = google.readServiceKey(key);
  if (!credentials) throw invalid({ key: ['deliverability:errors.key'] });
  await google.requestAccessToken(urls, client, credentials).catch(throwAppError);
  await inTransaction(db, async (tx) => {
    const deletedConnection = await store.deleteConnection(tx, accountId);
    if (deletedConnection !== undefined)
      await revokeConsent(tx, accountId, deletedConnection, urls);
    await connect(tx, accountId, credentials);
  });
}

function throwAppError(error: unknown): never {
  if (!(error instanceof ServiceError)) throw error;
  throw new AppError(
    error.fault === 'unavailable' ? 'postmaster_unavailable' : 'postmaster_refused',
  );
}

async function connect(
  tx: Tx,
  accountId: number,
  credentials: google.PostmasterCredentials,
): Promise<void> {
  await store.saveConnection(tx, accountId, {
    credentials: seal(CREDENTIALS, JSON.stringify(credentials)),
    title: credentials.by === 'key' ? credentials.email : '',
    at: clock.now(),
  });
}

/**
 * Deletes the connection and the statistics of the service, because without a connection the
 * statistics would be outdated but appear current. The connection is deleted first: this waits for
 * a retrieval that is writing, so that the following statements also delete what it wrote.
 */
export async function disconnect(
  tx: Tx,
  accountId: number,
  { urls }: Pick<PostmasterDependencies, 'urls'>,
): Promise<void> {
  const row = await store.deleteConnection(tx, accountId);
  await store.deleteSignals(tx, accountId);
  if (row !== undefined) await revokeConsent(tx, accountId, row, urls);
}

/**
 * Revokes the access granted by a consent. The key of a service account belongs to the user: it is
 * deleted here, but remains valid at Google.
 */
const revokeConsent = (
  tx: Tx,
  accountId: number,
  row: { credentials: Buffer },
  urls: google.PostmasterUrls,
): Promise<void> =>
  revokeSoon(tx, accountId, urls, () => {
    const credentials = readCredentials(row);
    return credentials.by === 'consent' ? credentials.refreshToken : undefined;
  });

const readCredentials = ({ credentials }: { credentials: Buffer }) =>
  JSON.parse(unseal(CREDENTIALS, credentials)) as google.PostmasterCredentials;

export async function readPostmasterState(
  db: Reader,
  accountId: number,
  { client }: PostmasterDependencies,
): Promise<PostmasterState> {
  const row = await store.findConnection(db, accountId);
  return {
    has_client: client !== undefined,
    connection: row
      ? {
          title: row.title,
          fault: row.fault as 'refused' | 'disabled' | 'unavailable' | null,
          checked: row.checked_at?.toISOString() ?? null,
        }
      : null,
  };
}

/**
 * Retrieves new statistics of all domains if the retrieval is due. A domain that the user cannot
 * access at Google has no data. Writes nothing after the connection was removed or replaced,
 * because the statistics of a removed connection were deleted.
 */
export async function retrieveSignals(
  db: Db,
  accountId: number,
  { urls, client, hosts }: PostmasterDependencies,
): Promise<void> {
  const row = await store.findConnection(db, accountId);
  const now = clock.now();
  if (!row || row.due_at > now) return;
  const endDay = now.toISOString().slice(0, 10);
  const startDay = addDays(endDay, row.checked_at && !row.fault ? -REVISED_DAYS : -FIRST_DAYS);
  const write = (work: (tx: Tx) => Promise<void>) =>
    inTransaction(db, async (tx) => {
      const isSame = await store.lockConnection(tx, accountId, row.credentials);
      if (isSame) await work(tx);
      return isSame;
    });
  let fault: ServiceError['fault'] | null = null;
  try {
    const token = await google.requestAccessToken(urls, client, readCredentials(row));
    for (const { id, domain } of await listDomainAuthentication(db, accountId, hosts)) {
      const domainSignals = await querySignalsOfDomain(urls, token, {
        domain,
        from: startDay,
        to: endDay,
      });
      const { signals, verdicts, rates } = domainSignals;
      const isWritten = await write(async (tx) => {
        await store.saveSignals(tx, accountId, id, signals, now);
        if (verdicts) await store.saveCompliance(tx, accountId, id, verdicts, now);
        await store.saveCampaignRates(tx, accountId, rates);
      });
      if (!isWritten) return;
    }
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    fault = error.fault;
    log.info('Could not read Postmaster Tools', { account: accountId, reason: error.message });
  }
  const dueAt = new Date(now.getTime() + (fault === 'unavailable' ? RETRY_MS : DAY_MS));
  await write(async (tx) => {
    await store.updateConnection(tx, accountId, { fault, checked_at: now, due_at: dueAt });
    await store.deleteOldSignals(tx, accountId, addDays(endDay, -STORED_DAYS));
  });
}

type DomainSignals = {
  signals: google.PostmasterSignal[];
  /** The verdicts; undefined without a response, so that earlier verdicts remain. */
  verdicts: ComplianceVerdict[] | undefined;
  rates: google.CampaignRate[];
};

/**
 * Retrieves the statistics of a domain. If Google does not know it, falls back to its
 * organizational domain, often the only registered one.
 */
async function querySignalsOfDomain(
  urls: google.PostmasterUrls,
  token: string,
  { domain, from: startDay, to: endDay }: { domain: string; from: string; to: string },
): Promise<DomainSignals> {
  for (const name of new Set([domain, getOrganizationalDomain(domain)])) {
    try {
      const range = { domain: name, from: startDay, to: endDay };
      return {
        signals: await google.querySignals(urls, token, range),
        verdicts: await catchMissing(google.queryCompliance(urls, token, name)),
        rates: (await catchMissing(google.queryCampaignRates(urls, token, range))) ?? [],
      };
    } catch (error) {
      const isUnknown = error instanceof ServiceError && error.fault === 'unknown_domain';
      if (!isUnknown) throw error;
    }
  }
  return { signals: [], verdicts: [], rates: [] };
}

/**
 * Returns an empty list if there is no access, and undefined if the service is unavailable. These
 * two errors do not fail the retrieval, because the daily statistics are useful without this list.
 */
async function catchMissing<T>(response: Promise<T[]>): Promise<T[] | undefined> {
  try {
    return await response;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    if (error.fault === 'unknown_domain') return [];
    if (error.fault === 'unavailable') return undefined;
    throw error;
  }
}

export const postmasterPoller = (tools: PostmasterDependencies): Poller => ({
  name: 'deliverability.postmaster',
  intervalMs: PAUSE_MS,
  run: (db, signal) =>
    forEachAccount(db, signal, (accountId) => retrieveSignals(db, accountId, tools)),
});
