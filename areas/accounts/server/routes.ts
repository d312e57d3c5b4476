// The endpoints of accounts.
import type { FastifyRequest } from 'fastify';
import { type Db, inTransaction, type Tx } from '#platform/server/database/database.ts';
import { isNodeFailure } from '#platform/server/database/node-failure.ts';
import { AppError } from '#platform/server/errors.ts';
import {
  type Handlers,
  type CallLimits,
  type Route,
  createRoutes,
} from '#platform/server/http/serve.ts';
import { requireToken } from '#platform/server/limits/rate-limit.ts';
import { computeKeyedHash } from '#platform/server/secrets.ts';
import { toNetwork } from '#platform/server/limits/visitor-network.ts';
import { calls } from '../contract.ts';
import { mayUsePassword } from './identities.ts';
import { spendChallenge } from './passkeys.ts';
import { limitPasswords } from './passwords.ts';
import * as profile from './profile.ts';
import { openOperatorSession } from './operator-sessions.ts';
import { endSession, openSession, refreshSession } from './sessions.ts';
import {
  checkCredentials,
  requestPasswordReset,
  requireStillValid,
  resetPassword,
  type SignUpMode,
  signUp,
  verifyEmail,
} from './sign-in.ts';
import { limitCodes, requireFactor } from './two-factor.ts';

const FIVE_AN_HOUR = { capacity: 5, perSecond: 5 / 3600 };
const SIGN_INS = { capacity: 20, perSecond: 20 / 60 };
/** Each open tab renews its session now and then, and a whole company may share one IP address. */
const RENEWALS = { capacity: 600, perSecond: 10 };
const EMAIL_LIMIT = { capacity: 5, perSecond: 5 / 3600 };

const perIp = (db: Db, action: string, request: FastifyRequest, limit: typeof FIVE_AN_HOUR) =>
  requireToken(db, `${action}:${toNetwork(request.ip)}`, limit);

const limits: CallLimits<typeof calls> = {
  signUp: ({ db, request }) => perIp(db, 'sign-up', request, FIVE_AN_HOUR),
  signIn: ({ db, request }) => perIp(db, 'sign-in', request, SIGN_INS),
  refresh: ({ db, request }) => perIp(db, 'refresh', request, RENEWALS),
  forgotPassword: async ({ db, body, request }) => {
    await perIp(db, 'forgot', request, SIGN_INS);
    const address = computeKeyedHash('letters', body.email.trim().toLowerCase()).toString(
      'base64url',
    );
    await requireToken(db, `forgot:${address}`, EMAIL_LIMIT);
  },
  resetPassword: ({ db, request }) => perIp(db, 'reset', request, SIGN_INS),
  verifyEmail: ({ db, request }) => perIp(db, 'verify', request, SIGN_INS),
  // The endpoint verifies a password and reveals which addresses are taken, so it is rate limited.
  updateUser: async ({ db, caller, body }) => {
    if (body.email !== undefined) await limitPasswords(db, caller.userId);
  },
  resendVerification: ({ db, caller }) =>
    requireToken(db, `verification:${caller.userId}`, EMAIL_LIMIT),
};

/** Signs in to the user's first account, or to the next one whose database node is available. */
async function tryFirstReachable<T>(
  [first, ...others]: readonly [number, ...number[]],
  openIn: (accountId: number) => Promise<T>,
): Promise<T> {
  try {
    return await openIn(first);
  } catch (error) {
    const [next, ...remaining] = others;
    if (next === undefined || !isNodeFailure(error)) throw error;
    return tryFirstReachable([next, ...remaining], openIn);
  }
}

/**
 * While the nodes of all accounts of an operator are unavailable, only the operator's page works.
 */
const signIn: Handlers<typeof calls>['signIn'] = async ({ db, body, request, reply }) => {
  const verifiedUser = await checkCredentials(db, body.email, body.password);
  // The response must not reveal which addresses sign in with a password.
  if (!mayUsePassword(body.email)) throw new AppError('wrong_credentials');
  const { userId } = verifiedUser;
  if (body.code !== undefined) await limitCodes(db, userId);
  const spentChallenge = body.passkey && (await spendChallenge(db, body.passkey, null));
  const openSessionIn = <T>(accountId: number, run: (tx: Tx) => Promise<T>) =>
    inTransaction(db, async (tx) => {
      await requireStillValid(tx, { ...verifiedUser, accountId });
      await requireFactor(tx, userId, body, spentChallenge);
      return run(tx);
    });
  try {
    return await tryFirstReachable(verifiedUser.accountIds, (accountId) =>
      openSessionIn(accountId, async (tx) => {
        await openSession(tx, { accountId, userId }, request, reply);
        return profile.readSession(tx, accountId, userId, request);
      }),
    );
  } catch (error) {
    if (!isNodeFailure(error)) throw error;
    const [accountId] = verifiedUser.accountIds;
    const isOperator = await openSessionIn(accountId, (tx) =>
      openOperatorSession(tx, { accountId, userId }, request, reply),
    );
    throw new AppError(isOperator ? 'operator_page_only' : 'account_unavailable');
  }
};

export function accountRoutes(options: { signUp: SignUpMode }): Route[] {
  const handlers: Handlers<typeof calls> = {
    signUp: async ({ db, body, request, reply }) => {
      if (!mayUsePassword(body.email)) throw new AppError('sign_up_closed');
      const openAccount = async (tx: Tx) => {
        const session = await signUp(tx, body, options.signUp);
        await openSession(tx, session, request, reply);
        return profile.readSession(tx, session.accountId, session.userId, request);
      };
      try {
        return await inTransaction(db, openAccount, {
          statementMs: 20_000,
          retriesOnDuplicate: true,
        });
      } catch (error) {
        // A cluster stores users on every node, so a sign-up needs all of them.
        throw isNodeFailure(error) ? new AppError('sign_up_unavailable') : error;
      }
    },
    signIn,
    signOut: ({ db, request, reply }) => endSession(db, request, reply),
    refresh: async ({ db, request, reply }) => {
      const session = await refreshSession(db, request, reply);
      return inTransaction(db, (tx) =>
        profile.readSession(tx, session.accountId, session.userId, request),
      );
    },
    forgotPassword: async ({ tx, body }) => {
      if (mayUsePassword(body.email)) await requestPasswordReset(tx, body.email);
    },
    resetPassword: ({ tx, body, request }) =>
      resetPassword(tx, body.token, body.password, request.ip),
    verifyEmail: ({ tx, body }) => verifyEmail(tx, body.token),
    getSession: ({ tx, caller, request }) =>
      profile.readSession(tx, caller.accountId, caller.userId, request),
    getOnboarding: ({ tx, caller }) => profile.readOnboarding(tx, caller.accountId, caller.userId),
    updateUser: ({ tx, caller, params, body }) => profile.updateUser(tx, caller, params.id, body),
    resendVerification: ({ tx, caller, params }) =>
      profile.resendVerification(tx, caller, params.id),
    saveUserQuestionnaire: async ({ tx, caller, body, request }) => {
      await profile.saveUserQuestionnaire(tx, caller, body);
      return profile.readSession(tx, caller.accountId, caller.userId, request);
    },
    saveAccountQuestionnaire: async ({ tx, caller, body, request }) => {
      await profile.saveAccountQuestionnaire(tx, caller.accountId, body);
      return profile.readSession(tx, caller.accountId, caller.userId, request);
    },
    saveAccount: ({ tx, caller, body }) => profile.saveAccount(tx, caller.accountId, body),
    dashboardReachable: ({ tx, caller }) => profile.readReach(tx, caller.accountId),
  };
  return createRoutes('accounts', calls, handlers, limits);
}
