// Endpoints for sign-in at the identity provider and the identities connected to a user. State,
// nonce and verifier are stored in one encrypted cookie of the browser that started the sign-in.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { AppError } from '#platform/server/errors.ts';
import {
  type Handlers,
  type CallLimits,
  type Route,
  createRoutes,
} from '#platform/server/http/serve.ts';
import { needsSecureCookies } from '#platform/server/http/this-machine.ts';
import { requireToken } from '#platform/server/limits/rate-limit.ts';
import { toNetwork } from '#platform/server/limits/visitor-network.ts';
import { log } from '#platform/server/log.ts';
import { seal, unseal } from '#platform/server/secrets.ts';
import { CALLBACK, oidcCalls } from '../oidc-contract.ts';
import * as identities from './identities.ts';
import { finishSignIn, startSignIn } from './openid.ts';
import { lockSession, openSession } from './sessions.ts';

const COOKIE = 'oidc';
const MAX_AGE_S = 600;
const PURPOSE = 'oidc sign-in';
/** Limit of starts and of responses per network; generous because a whole office may share one. */
const STARTS = { capacity: 120, perSecond: 120 / 60 };

const StoredAttempt = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  next: z.string(),
  /** The signed-in user who is connecting an identity. */
  connects: z
    .object({ accountId: z.number(), userId: z.number(), sessionId: z.number() })
    .nullable(),
  expires: z.number(),
});
type StoredAttempt = z.infer<typeof StoredAttempt>;

function getOidc() {
  const { oidc } = identities.signInConfig();
  if (!oidc) throw new AppError('oidc_off', { status: 404 });
  return oidc;
}

const BASE = 'http://local.invalid';

/**
 * Returns a path of the product, never another site. The path is parsed as in browsers, which drop
 * tab characters: `/<tab>/other.example` would lead to another site.
 */
function localPath(next: string | undefined): string {
  if (!next?.startsWith('/') || !URL.canParse(next, BASE)) return '/';
  const { origin, pathname, search, hash } = new URL(next, BASE);
  return origin === BASE && !pathname.startsWith('//') ? pathname + search + hash : '/';
}

export function oidcRoutes(publicUrl: string): Route[] {
  const redirectUri = `${publicUrl}${CALLBACK}`;
  const startFlow = async (
    request: FastifyRequest,
    reply: FastifyReply,
    { next, connects }: Pick<StoredAttempt, 'next' | 'connects'>,
  ): Promise<string> => {
    const now = clock.now();
    const { url, attempt: started } = await startSignIn(getOidc(), redirectUri, now);
    const attempt: StoredAttempt = {
      ...{ ...started, next, connects },
      expires: now.getTime() + MAX_AGE_S * 1000,
    };
    reply.setCookie(COOKIE, seal(PURPOSE, JSON.stringify(attempt)).toString('base64url'), {
      ...{ path: '/auth/api/oidc', httpOnly: true, sameSite: 'lax', maxAge: MAX_AGE_S },
      secure: needsSecureCookies(request),
    });
    return url;
  };
  const finishFlow = async (request: FastifyRequest, reply: FastifyReply): Promise<string> => {
    const attempt = readAttempt(request.cookies[COOKIE]);
    reply.clearCookie(COOKIE, { path: '/auth/api/oidc' });
    if (!attempt) throw new AppError('oidc_expired');
    const oidc = getOidc();
    const address = new URL(request.url, publicUrl);
    const claims = await finishSignIn(oidc, address, attempt, clock.now());
    return inTransaction(request.server.db, async (tx) => {
      const { connects } = attempt;
      if (connects) {
        // The session may have ended since the start: the user was removed from the account, or the
        // password was reset. A reset removes identities that another person may have connected, so
        // an attempt that started before it must not connect one afterwards.
        if (!(await lockSession(tx, connects))) throw new AppError('oidc_expired');
        await identities.connectIdentity(tx, connects.userId, claims, request.ip);
      } else {
        const session = await identities.resolveUser(tx, oidc, claims, request.ip);
        await openSession(tx, session, request, reply);
      }
      return attempt.next;
    });
  };
  return createRoutes('accounts', oidcCalls, createHandlers(startFlow, finishFlow), limits);
}

const limits: CallLimits<typeof oidcCalls> = {
  startOidc: ({ db, request }) => requireToken(db, `oidc-start:${toNetwork(request.ip)}`, STARTS),
  finishOidc: ({ db, request }) => requireToken(db, `oidc:${toNetwork(request.ip)}`, STARTS),
};

type Start = (
  request: FastifyRequest,
  reply: FastifyReply,
  attempt: Pick<StoredAttempt, 'next' | 'connects'>,
) => Promise<string>;

function createHandlers(
  startFlow: Start,
  finishFlow: (request: FastifyRequest, reply: FastifyReply) => Promise<string>,
): Handlers<typeof oidcCalls> {
  return {
    readSignInMethods: async () => {
      const { oidc, passwordsOnlyFor } = identities.signInConfig();
      return { oidc: oidc?.title ?? null, has_passwords: passwordsOnlyFor === undefined };
    },
    startOidc: async ({ query, request, reply }) => {
      try {
        const attempt = { next: localPath(query.next), connects: null };
        return reply.redirect(await startFlow(request, reply, attempt), 302);
      } catch (error) {
        return reply.redirect(`/auth?refused=${getReason(error)}`, 302);
      }
    },
    finishOidc: async ({ request, reply }) => {
      try {
        return reply.redirect(await finishFlow(request, reply), 302);
      } catch (error) {
        return reply.redirect(`/auth?refused=${getReason(error)}`, 302);
      }
    },
    listIdentities: ({ tx, caller }) => identities.listIdentities(tx, caller.userId),
    connectIdentity: async ({ caller, request, reply }) => {
      const { accountId, userId, sessionId } = caller;
      try {
        const connects = { accountId, userId, sessionId };
        return { url: await startFlow(request, reply, { next: '/settings/user', connects }) };
      } catch (error) {
        if (error instanceof AppError) throw error;
        getReason(error);
        throw new AppError('oidc_unreachable');
      }
    },
    removeIdentity: ({ tx, caller, params }) =>
      identities.removeIdentity(tx, caller.userId, params.id),
  };
}

/** Returns an error code that the sign-in screen has a message for. */
function getReason(error: unknown): string {
  if (error instanceof AppError) return error.code;
  log.warn('Could not sign in at the identity provider', { error: error as Error });
  return 'oidc_failed';
}

function readAttempt(cookie: string | undefined): StoredAttempt | undefined {
  try {
    const json = unseal(PURPOSE, Buffer.from(cookie ?? '', 'base64url'));
    const attempt = StoredAttempt.parse(JSON.parse(json));
    return attempt.expires > clock.now().getTime() ? attempt : undefined;
  } catch {
    return undefined;
  }
}
