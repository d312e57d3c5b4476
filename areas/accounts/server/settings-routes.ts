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
const done = { success: true as const };

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
  readNotifications: async ({ tx, who }) => ({ data: await members.readNotifications(tx, who) }),
  changeNotifications: async ({ tx, who, body }) => ({
    data: await members.changeNotifications(tx, who, body.campaigns),
  }),
  listOwnAccounts: async ({ tx, who }) => ({ data: await ownAccounts.listOwnAccounts(tx, who) }),
  switchAccount: async ({ tx, who, body, request, reply }) => {
    const facts = await ownAccounts.leaveFor(tx, who, body.account);
    const session = await openSession(tx, facts, request, reply);
    await movePushes(tx, who, session);
    return { data: await readSession(tx, facts.accountId, facts.userId, request) };
  },
  listUsers: async ({ tx, who, query }) => members.listUsers(tx, who, query.list),
  getUser: async ({ tx, who, params }) => ({ data: await members.readUser(tx, who, params.id) }),
  editUser: async ({ tx, who, params, body }) => ({
    data: await members.editUser(tx, who, params.id, body),
  }),
  removeUser: async ({ tx, who, params }) => {
    await members.removeUser(tx, who, params.id);
    return done;
  },
  listInvitations: async ({ tx, who, query }) =>
    invitations.listInvitations(tx, who.accountId, query.list),
  invite: async ({ tx, who, body }) => ({
    data: await invitations.invite(tx, who, body.email, needsVerified),
  }),
  withdrawInvitation: async ({ tx, who, params }) => {
    await invitations.withdrawInvitation(tx, who.accountId, params.id);
    return done;
  },
  readInvitation: async ({ tx, body }) => ({
    data: await invitations.readInvitation(tx, body.token),
  }),
  acceptInvitation: async ({ tx, body, request, reply }) => {
    const facts = await invitations.acceptInvitation(
      tx,
      body.token,
      body.password,
      languageOf(request),
    );
    await requireFactor(tx, facts.userId, body);
    await openSession(tx, facts, request, reply);
    return { data: await readSession(tx, facts.accountId, facts.userId, request) };
  },
  changePassword: async ({ tx, who, params, body }) => {
    await members.changePassword(tx, who, params.id, body);
    return done;
  },
  listAccessKeys: async ({ tx, who, params }) => {
    if (params.id !== who.userId) throw notFound();
    return { data: await listAccessKeys(tx, who.userId, clock.now()) };
  },
  listSessions: async ({ tx, who, query }) => members.listSessions(tx, who, query.list),
  endSession: async ({ tx, who, params }) => {
    await members.endOwnSession(tx, who, params.id);
    return done;
  },
  listTokens: async ({ tx, who, query }) => tokens.listTokens(tx, who.accountId, query.list),
  createToken: async ({ tx, who, body }) => ({ data: await tokens.createToken(tx, who, body) }),
  revokeToken: async ({ tx, who, params }) => {
    await tokens.revokeToken(tx, who.accountId, params.id);
    return done;
  },
});

/**
 * `needsVerified`: emails leave the installation, so only users with a verified address may trigger
 * them.
 */
export const settingsRoutes = (needsVerified: boolean) =>
  serve('accounts', settingsCalls, handlersFor(needsVerified), limits);
