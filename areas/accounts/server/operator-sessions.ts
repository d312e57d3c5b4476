// Sessions of operators (OPERATOR_EMAILS) for the calls of the operator's page, in addition to a
// session of an account. Like users, they are stored on the coordinator, because operators need the
// page most while a node is unavailable, possibly the node of their own account.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isLanguage } from '#platform/languages.ts';
import { computeEffectiveRights } from '#platform/rights.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import type { Caller } from '#platform/server/http/serve.ts';
import { needsSecureCookies } from '#platform/server/http/this-machine.ts';
import { hashSecret, generateSecret } from '#platform/server/secrets.ts';
import { SESSION_DAYS } from '../shared.ts';
import { findMember } from './accounts.sql.ts';
import * as store from './operator-sessions.sql.ts';

const COOKIE = 'operator';
const SESSION_SECONDS = SESSION_DAYS * 86_400;

let operators: readonly string[] = [];

/** @param emails in lower case */
export function configureOperators(emails: readonly string[]): void {
  operators = emails;
}

/** Returns whether OPERATOR_EMAILS contains the address, and the address is verified. */
export const isOperator = (user: { email_key: string; email_verified_at: Date | null }): boolean =>
  user.email_verified_at !== null && operators.includes(user.email_key);

type SessionIds = { accountId: number; userId: number; sessionId: number };

/**
 * Extends or opens the operator's session after a session of an account was opened or renewed. Ends
 * it if the user is not an operator.
 */
export async function renewOperatorSession(
  tx: Tx,
  session: SessionIds,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const secret = request.cookies[COOKIE];
  if (operators.length === 0 && !secret) return;
  const user = await findMember(tx, session.accountId, session.userId);
  if (!user || !isOperator(user)) return endOperatorSession(tx, request, reply);
  if (secret) {
    const extension = { ...session, hash: hashSecret(secret), expiresAt: getExpiry() };
    if (await store.extendOperatorSession(tx, extension)) return setCookie(secret, request, reply);
  }
  await insertSession(tx, session, request, reply);
}

/**
 * Opens a session that is valid only for the operator's page, for a user whose credentials were
 * verified. Returns false if the user is not an operator.
 */
export async function openOperatorSession(
  tx: Tx,
  session: { accountId: number; userId: number },
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<boolean> {
  const user = await findMember(tx, session.accountId, session.userId);
  if (!user || !isOperator(user)) return false;
  await insertSession(tx, { ...session, sessionId: null }, request, reply);
  return true;
}

export async function endOperatorSession(
  tx: Tx,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const secret = request.cookies[COOKIE];
  if (!secret) return;
  await store.deleteOperatorSession(tx, hashSecret(secret));
  reply.clearCookie(COOKIE, { path: '/' });
}

/** Authenticates a call of the operator's page. Reads no table on an account's node. */
export async function authenticateOperator(
  db: Reader,
  request: FastifyRequest,
): Promise<Caller | undefined> {
  const secret = request.cookies[COOKIE];
  if (!secret) return undefined;
  const session = await store.findOperatorSession(db, hashSecret(secret), clock.now());
  if (!session || !isOperator(session)) return undefined;
  return {
    accountId: session.account_id,
    userId: session.user_id,
    sessionId: session.session_id ?? 0,
    via: 'session',
    language: isLanguage(session.language) ? session.language : 'eng',
    rights: computeEffectiveRights(session.denied),
  };
}

const getExpiry = () => new Date(clock.now().getTime() + SESSION_SECONDS * 1_000);

async function insertSession(
  tx: Tx,
  ids: { accountId: number; userId: number; sessionId: number | null },
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const secret = generateSecret();
  const session = { ...ids, hash: hashSecret(secret), at: clock.now(), expiresAt: getExpiry() };
  await store.insertOperatorSession(tx, session);
  setCookie(secret, request, reply);
}

function setCookie(secret: string, request: FastifyRequest, reply: FastifyReply): void {
  reply.setCookie(COOKIE, secret, {
    ...{ path: '/', sameSite: 'lax', httpOnly: true, maxAge: SESSION_SECONDS },
    secure: needsSecureCookies(request),
  });
}
