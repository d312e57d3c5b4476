// Sessions: a short-lived signed cookie, a single-use refresh token, and the authentication of
// requests.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';
import type { Call } from '#platform/contract.ts';
import { isLanguage } from '#platform/languages.ts';
import { computeEffectiveRights } from '#platform/rights.ts';
import { actionAudited } from '#platform/server/audit.ts';
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction, type Tx } from '#platform/server/database/database.ts';
import { isNodeFailure } from '#platform/server/database/node-failure.ts';
import { AppError } from '#platform/server/errors.ts';
import type { Caller } from '#platform/server/http/serve.ts';
import { needsSecureCookies } from '#platform/server/http/this-machine.ts';
import { addJob, defineJob } from '#platform/server/jobs/jobs.ts';
import { deriveKey, hashSecret, generateSecret } from '#platform/server/secrets.ts';
import { shareFreshReads, shareReads } from '#platform/server/database/batching.ts';
import { SESSION_DAYS, TOKEN_TTL_SECONDS } from '../shared.ts';
import { lockMembership, lockUser } from './accounts.sql.ts';
import { type CredentialStore, recordCountry } from './countries-of-use.ts';
import { isInNetworks } from './networks.ts';
import {
  authenticateOperator,
  endOperatorSession,
  renewOperatorSession,
} from './operator-sessions.ts';
import { deleteOperatorSessionsOf } from './operator-sessions.sql.ts';
import * as store from './sessions.sql.ts';
import { lockToken, recordTokenUse, updateToken } from './settings.sql.ts';

const DAY_MS = 86_400_000;
/** Two tabs of a browser may refresh concurrently: a second use within this time is not a theft. */
const REUSE_GRACE_MS = 10_000;
const USE_INTERVAL_MS = 60_000;

export type SessionFacts = { accountId: number; userId: number; sessionId: number };

const getExpiry = () => new Date(clock.now().getTime() + SESSION_DAYS * DAY_MS);

/** Creates a session and sets its cookies. */
export async function openSession(
  tx: Tx,
  ids: { accountId: number; userId: number },
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<SessionFacts> {
  const sessionId = await store.insertSession(tx, {
    ...ids,
    userAgent: request.headers['user-agent'],
    ip: request.ip,
    at: clock.now(),
    expiresAt: getExpiry(),
  });
  const session = { ...ids, sessionId };
  await actionAudited.announce(tx, {
    ...ids,
    via: 'session',
    viaId: sessionId,
    ip: request.ip,
    action: 'accounts.openSession',
    subject: null,
    fields: [],
    change: {},
  });
  await issueCookies(tx, session, request, reply);
  await renewOperatorSession(tx, session, request, reply);
  return session;
}

async function issueCookies(
  tx: Tx,
  session: SessionFacts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const secret = generateSecret();
  const now = clock.now();
  await store.insertRefreshToken(tx, {
    accountId: session.accountId,
    sessionId: session.sessionId,
    hash: hashSecret(secret),
    at: now,
  });
  const issuedAt = Math.floor(now.getTime() / 1000);
  const token = await new SignJWT({ acc: session.accountId, sid: session.sessionId })
    .setProtectedHeader({ alg: 'HS256' })
    .setSubject(String(session.userId))
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + TOKEN_TTL_SECONDS)
    .sign(deriveKey('session token'));
  const common = { path: '/', sameSite: 'lax' as const, secure: needsSecureCookies(request) };
  const persistent = { ...common, maxAge: SESSION_DAYS * 86_400 };
  reply.setCookie('token', token, { ...common, httpOnly: true, maxAge: TOKEN_TTL_SECONDS });
  reply.setCookie('refresh_token', `${session.accountId}.${secret}`, {
    ...persistent,
    httpOnly: true,
  });
  reply.setCookie('token_set_time', String(issuedAt), persistent);
  reply.setCookie('ttl', String(TOKEN_TTL_SECONDS), persistent);
}

export function clearCookies(reply: FastifyReply): void {
  for (const name of ['token', 'refresh_token', 'token_set_time', 'ttl']) {
    reply.clearCookie(name, { path: '/' });
  }
}

function readRefreshToken(
  request: FastifyRequest,
): { accountId: number; hash: Buffer } | undefined {
  const [account, secret] = (request.cookies.refresh_token ?? '').split('.');
  const accountId = Number(account);
  if (!secret || !Number.isSafeInteger(accountId) || accountId < 1) return undefined;
  return { accountId, hash: hashSecret(secret) };
}

/**
 * Exchanges the refresh token for a new pair. If a token is used again after the grace period for
 * concurrent tabs, the session ends. This signs out both the holder of a copied token and the
 * owner, who can sign in again.
 */
export async function refreshSession(
  db: Db,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<SessionFacts> {
  const token = readRefreshToken(request);
  const session =
    token && (await inTransaction(db, (tx) => exchangeToken(tx, token, request, reply)));
  if (!session) {
    clearCookies(reply);
    throw new AppError('session_ended');
  }
  return session;
}

async function exchangeToken(
  tx: Tx,
  token: { accountId: number; hash: Buffer },
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<SessionFacts | undefined> {
  const now = clock.now();
  const refreshedSession = await store.useRefreshToken(tx, token.accountId, token.hash, now);
  if (!refreshedSession) return undefined;
  const isReuse =
    refreshedSession.usedBefore &&
    now.getTime() - refreshedSession.usedBefore.getTime() > REUSE_GRACE_MS;
  if (isReuse) {
    await store.revokeSession(
      tx,
      token.accountId,
      refreshedSession.sessionId,
      'refresh_token_reused',
      now,
    );
    return undefined;
  }
  const live = await store.findLiveSession(tx, token.accountId, refreshedSession.sessionId, now);
  if (!live) return undefined;
  const { accountId } = token;
  const isLive = await store.recordSessionUse(
    tx,
    accountId,
    refreshedSession.sessionId,
    now,
    getExpiry(),
  );
  if (!isLive) return undefined;
  const session = { accountId, userId: live.user_id, sessionId: refreshedSession.sessionId };
  await issueCookies(tx, session, request, reply);
  await renewOperatorSession(tx, session, request, reply);
  return session;
}

/**
 * Ends the session of the request, which either of its two cookies identifies. The operator's
 * session ends first, because the node of the account may be unavailable; in that case, a job ends
 * the account's session.
 */
export async function endSession(
  db: Db,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const sessionFacts = await readToken(request.cookies.token);
  const token = readRefreshToken(request);
  await inTransaction(db, async (tx) => {
    await endOperatorSession(tx, request, reply);
    if (sessionFacts)
      await deleteOperatorSessionsOf(tx, sessionFacts.accountId, sessionFacts.sessionId);
  });
  clearCookies(reply);
  const signedOut = {
    session: sessionFacts && { accountId: sessionFacts.accountId, id: sessionFacts.sessionId },
    refresh: token && { accountId: token.accountId, hash: token.hash.toString('base64') },
  };
  try {
    await inTransaction(db, (tx) => revokeSignedOut(tx, signedOut));
  } catch (error) {
    if (!isNodeFailure(error)) throw error;
    await addJob(db, endSessionJob, signedOut);
  }
}

const SignedOut = z.object({
  session: z.object({ accountId: z.number(), id: z.number() }).optional(),
  refresh: z.object({ accountId: z.number(), hash: z.base64() }).optional(),
});

/** Ends a session whose account's node was unavailable when its user signed out. */
export const endSessionJob = defineJob({
  name: 'accounts.end_session',
  payload: SignedOut,
  run: (signedOut, { db }) => inTransaction(db, (tx) => revokeSignedOut(tx, signedOut)),
});

async function revokeSignedOut(
  tx: Tx,
  { session, refresh }: z.infer<typeof SignedOut>,
): Promise<void> {
  const now = clock.now();
  // The rows are locked in the same order as by `exchangeToken`.
  if (refresh) {
    const { accountId, hash } = refresh;
    const refreshedSession = await store.useRefreshToken(
      tx,
      accountId,
      Buffer.from(hash, 'base64'),
      now,
    );
    if (refreshedSession)
      await store.revokeSession(tx, accountId, refreshedSession.sessionId, 'signed_out', now);
  }
  if (session) await store.revokeSession(tx, session.accountId, session.id, 'signed_out', now);
}

/**
 * Waits for a concurrent password reset of the user or removal from the account, and makes later
 * ones wait for this transaction. Both end sessions. Without the lock, an ended session could still
 * commit new access, such as an API token. Returns false if the session has ended.
 */
export async function lockSession(tx: Tx, sessionFacts: SessionFacts): Promise<boolean> {
  const { accountId, sessionId, userId } = sessionFacts;
  await lockUser(tx, userId);
  if (!(await lockMembership(tx, accountId, userId))) return false;
  const live = await store.findLiveSession(tx, accountId, sessionId, clock.now());
  return live?.user_id === userId;
}

/**
 * Like `lockSession`, for calls that only sessions may make (`isPersonal`).
 * @throws AppError unauthorized
 */
export async function requireLiveSession(tx: Tx, sessionFacts: SessionFacts): Promise<void> {
  if (!(await lockSession(tx, sessionFacts))) throw new AppError('unauthorized');
}

async function readToken(cookie: string | undefined): Promise<SessionFacts | undefined> {
  if (!cookie) return undefined;
  try {
    const { payload } = await jwtVerify(cookie, deriveKey('session token'), {
      algorithms: ['HS256'],
      currentDate: clock.now(),
    });
    return {
      accountId: Number(payload.acc),
      sessionId: Number(payload.sid),
      userId: Number(payload.sub),
    };
  } catch {
    return undefined;
  }
}

/**
 * Returns the caller of a request, identified by a bearer token of the API, by an operator's
 * session for calls of operators, or by the cookie of a session.
 */
export async function authenticate(
  request: FastifyRequest,
  db: Db,
  call?: Pick<Call, 'isOperatorCall'>,
): Promise<Caller | undefined> {
  const bearer = /^Bearer\s+(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  if (bearer) return authenticateToken(db, bearer, request);
  const operator = call?.isOperatorCall && (await authenticateOperator(db, request));
  return operator || authenticateCookie(db, request);
}

async function authenticateCookie(db: Db, request: FastifyRequest): Promise<Caller | undefined> {
  const sessionFacts = await readToken(request.cookies.token);
  if (!sessionFacts) return undefined;
  const now = clock.now();
  const live = await store.findLiveSession(db, sessionFacts.accountId, sessionFacts.sessionId, now);
  if (!live || live.user_id !== sessionFacts.userId) return undefined;
  if (now.getTime() - live.seen_at.getTime() > USE_INTERVAL_MS) {
    const { accountId, sessionId } = sessionFacts;
    if (!(await store.recordSessionUse(db, accountId, sessionId, now, getExpiry())))
      return undefined;
  }
  return {
    ...sessionFacts,
    via: 'session',
    language: isLanguage(live.language) ? live.language : 'eng',
    rights: computeEffectiveRights(live.denied),
  };
}

/** Concurrent requests with the same token share one lookup. */
const tokenRow = shareFreshReads(
  ({ db, account, hash }: { db: Db; account: number; hash: Buffer }) =>
    store.findApiToken(db, account, hash, clock.now()),
  ({ account, hash }) => `${account} ${hash.toString('base64')}`,
);

type TokenClient = { ip: string; userAgent: string | undefined };

/** Concurrent uses share one update because updates of one row wait for each other. */
const recordUseOnce = shareReads(
  ({ db, account, id, ...client }: { db: Db; account: number; id: number } & TokenClient) =>
    recordTokenUse(db, account, id, { at: clock.now(), ...client }),
  ({ account, id }) => `${account} ${id}`,
);

const tokenCountries: CredentialStore = {
  kind: 'token',
  lock: async (tx, { accountId, id }) => {
    const row = await lockToken(tx, accountId, id);
    if (!row) return undefined;
    const { user_id: userId, title, countries, last_ip: lastIp } = row;
    return { userId, title, countries, lastIp };
  },
  save: (tx, { accountId, id }, countries) => updateToken(tx, accountId, id, { countries }),
};

/**
 * Authenticates an API token of the form `sl_<account>_<secret>`. It contains the account so that
 * on a cluster, the lookup uses a single node.
 */
async function authenticateToken(
  db: Db,
  bearer: string,
  request: FastifyRequest,
): Promise<Caller | undefined> {
  const [, account, secret] = /^sl_(\d{1,15})_([\w-]{20,})$/.exec(bearer) ?? [];
  if (!account || !secret) return undefined;
  const row = await tokenRow({ db, account: Number(account), hash: hashSecret(secret) });
  if (!row) return undefined;
  if (row.networks && !isInNetworks(request.ip, row.networks))
    throw new AppError('network_not_allowed');
  const key = { accountId: Number(account), id: row.id };
  await recordCountry(db, tokenCountries, key, { ip: request.ip, countries: row.countries });
  const now = clock.now();
  if (now.getTime() - (row.last_used_at?.getTime() ?? 0) > USE_INTERVAL_MS) {
    const client = { ip: request.ip, userAgent: request.headers['user-agent'] };
    await recordUseOnce({ db, account: Number(account), id: row.id, ...client });
  }
  return {
    accountId: Number(account),
    userId: row.user_id,
    sessionId: row.id,
    via: 'token',
    language: isLanguage(row.language) ? row.language : 'eng',
    rights: computeEffectiveRights(row.denied, row.scopes),
  };
}
