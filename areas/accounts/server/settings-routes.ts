// The endpoints of an account's users, invitations, sessions and tokens.
import { createHash } from 'node:crypto';
import { clock } from '#platform/server/clock.ts';
import { notFound } from '#platform/server/errors.ts';
import { languageOf } from '#platform/server/http/errors.ts';
import { requireToken } from '#platform/server/limits/rate-limit.ts';
import { type Handlers, type Limits, serve } from '#platform/server/http/serve.ts';
import { networkOf } from '#platform/server/limits/visitor-network.ts';
import { settingsCalls } from '../settings-contract.ts';
import { listAccessKeys } from './access.ts';
import * as members from './members.ts';
import * as invitations from './invitations.ts';
import * as tokens from './api-tokens.ts';
import * as ownAccounts from './own-accounts.ts';
import { limitPasswords } from './passwords.ts';
import { readSession } from './profile.ts';
import { movePushes } from './push.sql.ts';
import { openSession } from './sessions.ts';
import { requireFactor } from './two-factor.ts';

const INVITATIONS = { capacity: 20, perSecond: 20 / 3600 };
/** Refills within a day. */
const INVITATIONS_A_DAY = { capacity: 50, perSecond: 50 / 86_400 };
const TRIES = { capacity: 20, perSecond: 20 / 60 };
/** Attempts per invitation. */
const TRIES_EACH = { capacity: 10, perSecond: 10 / 900 };

const limits: Limits<typeof settingsCalls> = {
  invite: async ({ db, who }) => {
    await requireToken(db, `invite:${who.accountId}`, INVITATIONS);
    await requireToken(db, `invite-day:${who.accountId}`, INVITATIONS_A_DAY);
  },
  readInvitation: ({ db, request }) =>
    requireToken(db, `invitation:${networkOf(request.ip)}`, TRIES),
  acceptInvitation: async ({ db, request, body }) => {
    await requireToken(db, `invitation:${networkOf(request.ip)}`, TRIES);
    // Guesses of a password or code from many networks all use the same invitation.
    const invitation = createHash('sha256').update(body.token).digest('base64url');
    await requireToken(db, `accept:${invitation}`, TRIES_EACH);
  },
  changePassword: ({ db, who }) => limitPasswords(db, who.userId),
};

const handlersFor = (needsVerified: boolean): Handlers<typeof settingsCalls> => ({
  readNotifications: ({ tx, who }) => members.readNotifications(tx, who),
  changeNotifications: ({ tx, who, body }) => members.changeNotifications(tx, who, body.campaigns),
  listOwnAccounts: ({ tx, who }) => ownAccounts.listOwnAccounts(tx, who),
  switchAccount: async ({ tx, who, body, request, reply }) => {
    const facts = await ownAccounts.leaveFor(tx, who, body.account);
    const session = await openSession(tx, facts, request, reply);
    await movePushes(tx, who, session);
    return readSession(tx, facts.accountId, facts.userId, request);
  },
  listUsers: async ({ tx, who, query }) => members.listUsers(tx, who, query.list),
  getUser: ({ tx, who, params }) => members.readUser(tx, who, params.id),
  editUser: ({ tx, who, params, body }) => members.editUser(tx, who, params.id, body),
  removeUser: ({ tx, who, params }) => members.removeUser(tx, who, params.id),
  setRights: ({ tx, who, params, body }) => members.setRights(tx, who, params.id, body.denied),
  listInvitations: async ({ tx, who, query }) =>
    invitations.listInvitations(tx, who.accountId, query.list),
  invite: ({ tx, who, body }) => invitations.invite(tx, who, body, needsVerified),
  withdrawInvitation: ({ tx, who, params }) =>
    invitations.withdrawInvitation(tx, who.accountId, params.id),
  readInvitation: ({ tx, body }) => invitations.readInvitation(tx, body.token),
  acceptInvitation: async ({ tx, body, request, reply }) => {
    const facts = await invitations.acceptInvitation(
      tx,
      body.token,
      body.password,
      languageOf(request),
    );
    await requireFactor(tx, facts.userId, body);
    await openSession(tx, facts, request, reply);
    return readSession(tx, facts.accountId, facts.userId, request);
  },
  changePassword: ({ tx, who, params, body }) => members.changePassword(tx, who, params.id, body),
  listAccessKeys: async ({ tx, who, params }) => {
    if (params.id !== who.userId) throw notFound();
    return listAccessKeys(tx, who.userId, clock.now());
  },
  listSessions: async ({ tx, who, query }) => members.listSessions(tx, who, query.list),
  endSession: ({ tx, who, params }) => members.endOwnSession(tx, who, params.id),
  listTokens: async ({ tx, who, query }) => tokens.listTokens(tx, who.accountId, query.list),
  createToken: ({ tx, who, body }) => tokens.createToken(tx, who, body),
  updateToken: ({ tx, who, params, body }) => tokens.updateToken(tx, who, params.id, body),
  rotateToken: ({ tx, who, params }) => tokens.rotateToken(tx, who, params.id),
  revokeToken: ({ tx, who, params }) => tokens.revokeToken(tx, who.accountId, params.id),
});

/**
 * `needsVerified`: emails leave the installation, so only users with a verified address may trigger
 * them.
 */
export const settingsRoutes = (needsVerified: boolean) =>
  serve('accounts', settingsCalls, handlersFor(needsVerified), limits);
