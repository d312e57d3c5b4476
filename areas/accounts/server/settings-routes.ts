// The endpoints of an account's users, invitations, sessions and tokens.
import { createHash } from 'node:crypto';
import { clock } from '#platform/server/clock.ts';
import { inTransaction, type Tx } from '#platform/server/database/database.ts';
import { notFound } from '#platform/server/errors.ts';
import { requestLanguage } from '#platform/server/http/errors.ts';
import { requireToken } from '#platform/server/limits/rate-limit.ts';
import { type Handlers, type CallLimits, createRoutes } from '#platform/server/http/serve.ts';
import { toNetwork } from '#platform/server/limits/visitor-network.ts';
import { settingsCalls } from '../settings-contract.ts';
import { listAccessKeys } from './access.ts';
import * as members from './members.ts';
import * as invitations from './invitations.ts';
import * as tokens from './api-tokens.ts';
import * as ownAccounts from './own-accounts.ts';
import { limitPasswords } from './passwords.ts';
import { spendChallenge } from './passkeys.ts';
import { readSession } from './profile.ts';
import { movePushes } from './push.sql.ts';
import { openSession } from './sessions.ts';
import { requireFactor } from './two-factor.ts';

const INVITATIONS = { capacity: 20, perSecond: 20 / 3600 };
/** The bucket refills within a day. */
const INVITATIONS_A_DAY = { capacity: 50, perSecond: 50 / 86_400 };
const ATTEMPTS = { capacity: 20, perSecond: 20 / 60 };
const ATTEMPTS_PER_INVITATION = { capacity: 10, perSecond: 10 / 900 };

const limits: CallLimits<typeof settingsCalls> = {
  invite: async ({ db, caller }) => {
    await requireToken(db, `invite:${caller.accountId}`, INVITATIONS);
    await requireToken(db, `invite-day:${caller.accountId}`, INVITATIONS_A_DAY);
  },
  readInvitation: ({ db, request }) =>
    requireToken(db, `invitation:${toNetwork(request.ip)}`, ATTEMPTS),
  acceptInvitation: async ({ db, request, body }) => {
    await requireToken(db, `invitation:${toNetwork(request.ip)}`, ATTEMPTS);
    // Guesses of a password or code from many networks all use the same invitation.
    const invitation = createHash('sha256').update(body.token).digest('base64url');
    await requireToken(db, `accept:${invitation}`, ATTEMPTS_PER_INVITATION);
  },
  joinByInvitation: ({ db, request }) =>
    requireToken(db, `invitation:${toNetwork(request.ip)}`, ATTEMPTS),
  changePassword: ({ db, caller }) => limitPasswords(db, caller.userId),
};

const createHandlers = (needsVerified: boolean): Handlers<typeof settingsCalls> => ({
  readNotifications: ({ tx, caller }) => members.readNotifications(tx, caller),
  changeNotifications: ({ tx, caller, body }) =>
    members.changeNotifications(tx, caller, body.campaigns),
  listOwnAccounts: ({ tx, caller }) => ownAccounts.listOwnAccounts(tx, caller),
  switchAccount: async ({ tx, caller, body, request, reply }) => {
    const target = await ownAccounts.switchAccount(tx, caller, body.account);
    const session = await openSession(tx, target, request, reply);
    await movePushes(tx, caller, session);
    return readSession(tx, target.accountId, target.userId, request);
  },
  listUsers: async ({ tx, caller, query }) => members.listUsers(tx, caller, query.list),
  getUser: ({ tx, caller, params }) => members.readUser(tx, caller, params.id),
  editUser: ({ tx, caller, params, body }) => members.editUser(tx, caller, params.id, body),
  removeUser: ({ tx, caller, params }) => members.removeUser(tx, caller, params.id),
  setRights: ({ tx, caller, params, body }) =>
    members.setRights(tx, caller, params.id, body.denied),
  listInvitations: async ({ tx, caller, query }) =>
    invitations.listInvitations(tx, caller.accountId, query.list),
  invite: ({ tx, caller, body }) => invitations.sendInvitation(tx, caller, body, needsVerified),
  withdrawInvitation: ({ tx, caller, params }) =>
    invitations.withdrawInvitation(tx, caller.accountId, params.id),
  readInvitation: ({ tx, body }) => invitations.readInvitation(tx, body.token),
  acceptInvitation: async ({ db, body, request, reply }) => {
    const challenge = body.passkey && (await spendChallenge(db, body.passkey, null));
    const accept = async (tx: Tx) => {
      const member = await invitations.acceptInvitation(tx, body.token, {
        ...{ password: body.password, language: requestLanguage(request), ip: request.ip },
      });
      await requireFactor(tx, member.userId, body, challenge);
      await openSession(tx, member, request, reply);
      return readSession(tx, member.accountId, member.userId, request);
    };
    return inTransaction(db, accept, { statementMs: 20_000, retriesOnDuplicate: true });
  },
  joinByInvitation: ({ tx, body, request }) =>
    invitations.joinByInvitation(tx, body.token, requestLanguage(request), request.ip),
  changePassword: ({ tx, caller, params, body }) =>
    members.changePassword(tx, caller, params.id, body),
  listAccessKeys: async ({ tx, caller, params }) => {
    if (params.id !== caller.userId) throw notFound();
    return listAccessKeys(tx, caller.userId, clock.now());
  },
  listSessions: async ({ tx, caller, query }) => members.listSessions(tx, caller, query.list),
  endSession: ({ tx, caller, params }) => members.endOwnSession(tx, caller, params.id),
  listTokens: async ({ tx, caller, query }) => tokens.listTokens(tx, caller.accountId, query.list),
  createToken: ({ tx, caller, body }) => tokens.createToken(tx, caller, body),
  updateToken: ({ tx, caller, params, body }) => tokens.updateToken(tx, caller, params.id, body),
  rotateToken: ({ tx, caller, params }) => tokens.rotateToken(tx, caller, params.id),
  revokeToken: ({ tx, caller, params }) => tokens.revokeToken(tx, caller.accountId, params.id),
});

/**
 * `needsVerified` is true if emails leave the installation. Only users with a verified address may
 * then send invitations.
 */
export const settingsRoutes = (needsVerified: boolean) =>
  createRoutes('accounts', settingsCalls, createHandlers(needsVerified), limits);
