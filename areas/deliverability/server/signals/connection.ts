// The account's connection to Google Postmaster Tools: consent, key, daily retrieval.
import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { forEachAccount } from '#areas/accounts/server/index.ts';
import { reportedDomains } from '#areas/domains/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import {
  type Db,
  inTransaction,
  type Reader,
  type Tx,
} from '#platform/server/database/database.ts';
import { AppError, invalid } from '#platform/server/errors.ts';
import type { Poller } from '#platform/server/jobs/pollers.ts';
import { log } from '#platform/server/log.ts';
import { seal, unseal } from '#platform/server/secrets.ts';
import type { PostmasterState } from '../../signals-contract.ts';
import { daysAfter } from '../advice.ts';
import { organizationOf } from '../reading/values.ts';
import * as google from './postmaster.ts';
import * as store from './signals.sql.ts';

export type PostmasterTools = {
  urls: google.PostmasterUrls;
  /** Undefined: accounts connect by the key of a service account only. */
  client: google.OAuthClient | undefined;
  /** The page to which Google sends the user back. */
  redirect: string;
  hosts: Parameters<typeof reportedDomains>[2];
};

const STATE = 'postmaster consent';
const CREDENTIALS = 'postmaster credentials';
const CONSENT_MS = 15 * 60_000;
const DAY_MS = 86_400_000;
const RETRY_MS = 3_600_000;
/** Days of the first retrieval, and those that Google still revises. */
const FIRST_DAYS = 30;
const REVISED_DAYS = 7;
const STORED_DAYS = 400;
const PAUSE_MS = 10 * 60_000;

type Who = { accountId: number; userId: number };

const State = z.object({
  accountId: z.number(),
  userId: z.number(),
  verifier: z.string(),
  expires: z.number(),
});

/** The state binds the answer to this user and account; the verifier (PKCE) never leaves it unsealed. */
export function startConsent(who: Who, { urls, client, redirect }: PostmasterTools): string {
  if (!client) throw new AppError('postmaster_without_client');
  const verifier = randomBytes(32).toString('base64url');
  const expires = clock.now().getTime() + CONSENT_MS;
  const { accountId, userId } = who;
  const state = seal(STATE, JSON.stringify({ accountId, userId, verifier, expires }));
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  return google.consentUrl(urls, client, {
    ...{ redirect, challenge, state: state.toString('base64url') },
  });
}

/** @throws postmaster_refused for the answer of another user, account or day, or without a grant */
export async function finishConsent(
  db: Db,
  who: Who,
  { code, state }: { code: string; state: string },
  { urls, client, redirect }: PostmasterTools,
): Promise<void> {
  const opened = openState(state);
  const isOurs = opened?.accountId === who.accountId && opened.userId === who.userId;
  if (!opened || !isOurs || opened.expires < clock.now().getTime() || !client) {
    throw new AppError('postmaster_refused');
  }
  const grant = { code, redirect, verifier: opened.verifier };
  const credentials = await google.redeemCode(urls, client, grant).catch(asAppError);
  await inTransaction(db, (tx) => connect(tx, who.accountId, credentials));
}

function openState(state: string): z.infer<typeof State> | undefined {
  try {
    return State.parse(JSON.parse(unseal(STATE, Buffer.from(state, 'base64url'))));
  } catch {
    return undefined;
  }
}

/** @throws 422 for text that is not a key, postmaster_refused for one that Google does not accept */
export async function connectKey(
  db: Db,
  accountId: number,
  key: string,
  { urls, client }: PostmasterTools,
): Promise<void> {
  const credentials = google.readServiceKey(key);
  if (!credentials) throw invalid({ key: ['deliverability:errors.key'] });
  await google.accessToken(urls, client, credentials).catch(asAppError);
  await inTransaction(db, (tx) => connect(tx, accountId, credentials));
}

function asAppError(error: unknown): never {
  if (!(error instanceof google.PostmasterError)) throw error;
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

/** The service's figures are deleted too: without a connection they would appear current. */
export async function disconnect(tx: Tx, accountId: number): Promise<void> {
  await store.deleteConnection(tx, accountId);
  await store.deleteSignals(tx, accountId);
}

export async function postmasterState(
  db: Reader,
  accountId: number,
  { client }: PostmasterTools,
): Promise<PostmasterState> {
  const row = await store.findConnection(db, accountId);
  return {
    has_client: client !== undefined,
    connection: row
      ? {
          title: row.title,
          fault: row.fault as google.PostmasterFault as
            | 'refused'
            | 'disabled'
            | 'unavailable'
            | null,
          checked: row.checked_at?.toISOString() ?? null,
        }
      : null,
  };
}

/** Retrieves new figures of all domains; a domain that the user cannot access there has no data. */
export async function retrieveSignals(
  db: Db,
  accountId: number,
  { urls, client, hosts }: PostmasterTools,
): Promise<void> {
  const row = await store.findConnection(db, accountId);
  const now = clock.now();
  if (!row || row.due_at > now) return;
  const to = now.toISOString().slice(0, 10);
  const from = daysAfter(to, row.checked_at && !row.fault ? -REVISED_DAYS : -FIRST_DAYS);
  let fault: google.PostmasterFault | null = null;
  try {
    const credentials = JSON.parse(
      unseal(CREDENTIALS, row.credentials),
    ) as google.PostmasterCredentials;
    const token = await google.accessToken(urls, client, credentials);
    for (const { id, domain } of await reportedDomains(db, accountId, hosts)) {
      const signals = await signalsOfDomain(urls, token, { domain, from, to });
      await inTransaction(db, (tx) => store.saveSignals(tx, accountId, id, signals, now));
    }
  } catch (error) {
    if (!(error instanceof google.PostmasterError)) throw error;
    fault = error.fault;
    log.info('Could not read Postmaster Tools', { account: accountId, error: error.message });
  }
  const dueAt = new Date(now.getTime() + (fault === 'unavailable' ? RETRY_MS : DAY_MS));
  await inTransaction(db, async (tx) => {
    await store.updateConnection(tx, accountId, { fault, checked_at: now, due_at: dueAt });
    await store.deleteOldSignals(tx, accountId, daysAfter(to, -STORED_DAYS));
  });
}

/** Domains are often registered there by their organizational name. */
async function signalsOfDomain(
  urls: google.PostmasterUrls,
  token: string,
  { domain, from, to }: { domain: string; from: string; to: string },
): Promise<google.Signal[]> {
  for (const name of new Set([domain, organizationOf(domain)])) {
    try {
      return await google.querySignals(urls, token, { domain: name, from, to });
    } catch (error) {
      const isUnknown = error instanceof google.PostmasterError && error.fault === 'unknown_domain';
      if (!isUnknown) throw error;
    }
  }
  return [];
}

export const postmasterPoller = (tools: PostmasterTools): Poller => ({
  name: 'deliverability.postmaster',
  everyMs: PAUSE_MS,
  run: (db, signal) =>
    forEachAccount(db, signal, (accountId) => retrieveSignals(db, accountId, tools)),
});
