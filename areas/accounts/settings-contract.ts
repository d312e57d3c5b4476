// Users, sessions and tokens of an account: the lists 'users' and 'tokens' of specification section
// 2, invitations, passwords, sessions.
import { z } from 'zod';
import {
  dataAnswer,
  defineCalls,
  Done,
  Id,
  idOf,
  Instant,
  line,
  listAnswer,
  listQuery,
} from '#platform/contract.ts';
import { Email, Names, PasskeyAnswer, Password, Secret, Signed, User } from './contract.ts';
import { TOKEN_VALIDITIES } from './shared.ts';

export const AccountUser = User.omit({ account: true, tour: true }).extend({
  created: Instant,
  is_you: z.boolean(),
});
export type AccountUser = z.infer<typeof AccountUser>;

export const Invitation = z.object({
  id: Id,
  email: z.string(),
  created: Instant,
  expires: Instant,
  is_expired: z.boolean(),
});
export type Invitation = z.infer<typeof Invitation>;

export const Session = z.object({
  id: Id,
  user_agent: z.string().nullable(),
  ip: z.string().nullable(),
  created: Instant,
  last_seen: Instant,
  is_current: z.boolean(),
});
export type Session = z.infer<typeof Session>;

export const ApiToken = z.object({
  id: Id,
  title: z.string(),
  created: Instant,
  modified: Instant,
  expires: Instant.nullable(),
  is_expired: z.boolean(),
  last_used: Instant.nullable(),
});
export type ApiToken = z.infer<typeof ApiToken>;

/** An API token or SMTP user that the signed-in user created, in any of their accounts. */
export const AccessKey = z.object({
  id: Id,
  kind: z.enum(['token', 'smtp_user']),
  title: z.string(),
  account: z.string(),
  last_used: Instant.nullable(),
  created: Instant,
});
export type AccessKey = z.infer<typeof AccessKey>;

/** An account of the signed-in user. */
export const OwnAccount = z.object({
  id: Id,
  title: z.string(),
  /** The address of the oldest member: distinguishes accounts without a title. */
  owner: z.string(),
  is_current: z.boolean(),
});
export type OwnAccount = z.infer<typeof OwnAccount>;

/** Optional notification emails of the signed-in user. */
const Notifications = z.object({
  /** A campaign has been sent, or was stopped. */
  campaigns: z.boolean(),
});

export const settingsCalls = defineCalls({
  readNotifications: {
    method: 'GET',
    path: '/client-api/api/user_notifications',
    who: 'account',
    isPersonal: true,
    summary: 'Get notification settings',
    description: 'Returns the settings of the current user.',
    answer: dataAnswer(Notifications),
  },
  changeNotifications: {
    method: 'PATCH',
    path: '/client-api/api/user_notifications',
    who: 'account',
    isPersonal: true,
    summary: 'Update notification settings',
    description: 'Changes the settings of the current user.',
    body: z.strictObject({ campaigns: z.boolean() }),
    answer: dataAnswer(Notifications),
  },
  listOwnAccounts: {
    method: 'GET',
    path: '/client-api/api/users/accounts',
    who: 'account',
    isPersonal: true,
    summary: 'List accounts of the current user',
    description: 'Oldest membership first.',
    answer: dataAnswer(z.array(OwnAccount)),
  },
  switchAccount: {
    method: 'POST',
    path: '/client-api/api/users/accounts',
    who: 'account',
    isPersonal: true,
    summary: 'Start a session in another account',
    description: 'Ends the current session.',
    body: z.strictObject({ account: idOf('account') }),
    answer: Signed,
  },
  listUsers: {
    method: 'GET',
    path: '/client-api/api/account_users',
    who: 'account',
    summary: 'List users of the account',
    query: listQuery({
      sorts: ['title', 'modified', 'created'],
      order: 'created',
      direction: 'asc',
    }),
    answer: listAnswer(AccountUser),
  },
  getUser: {
    method: 'GET',
    path: '/client-api/api/account_users/{id}',
    who: 'account',
    summary: 'Get a user of the account',
    params: z.object({ id: idOf('user') }),
    answer: dataAnswer(AccountUser),
  },
  editUser: {
    method: 'PATCH',
    path: '/client-api/api/account_users/{id}',
    who: 'account',
    summary: "Update a user's name",
    params: z.object({ id: idOf('user') }),
    body: Names,
    answer: dataAnswer(AccountUser),
    errors: { not_your_profile: 409 },
  },
  removeUser: {
    method: 'DELETE',
    path: '/client-api/api/account_users/{id}',
    who: 'account',
    isPersonal: true,
    summary: 'Remove a user from the account',
    description: 'Ends their sessions and tokens. The last user cannot be removed.',
    params: z.object({ id: idOf('user') }),
    answer: Done,
    errors: { last_user: 409 },
  },
  listInvitations: {
    method: 'GET',
    path: '/client-api/api/invitations',
    who: 'account',
    summary: 'List pending invitations',
    query: listQuery({ sorts: ['title', 'modified', 'created'], order: 'created' }),
    answer: listAnswer(Invitation),
  },
  invite: {
    method: 'POST',
    path: '/client-api/api/invitations',
    who: 'account',
    isPersonal: true,
    summary: 'Send an invitation to the account',
    description: 'Inviting the same address again renews the invitation.',
    body: z.strictObject({ email: Email }),
    answer: dataAnswer(Invitation),
    errors: { already_member: 409, email_not_verified: 409 },
  },
  withdrawInvitation: {
    method: 'DELETE',
    path: '/client-api/api/invitations/{id}',
    who: 'account',
    summary: 'Withdraw an invitation',
    params: z.object({ id: idOf('invitation') }),
    answer: Done,
  },
  readInvitation: {
    method: 'POST',
    path: '/auth/api/invitation',
    who: 'visitor',
    summary: 'Get an invitation by its link',
    description: 'Includes whether its address already has a password.',
    body: z.strictObject({ token: Secret }),
    answer: dataAnswer(z.object({ email: z.string(), account: z.string(), has_user: z.boolean() })),
    errors: { link_expired: 422 },
  },
  acceptInvitation: {
    method: 'POST',
    path: '/auth/api/accept-invitation',
    who: 'visitor',
    summary: 'Confirm an invitation and join the account',
    description: 'New users choose a password and existing users enter theirs. Starts a session.',
    body: z.strictObject({
      token: Secret,
      password: z.string().max(1000),
      code: z.string().max(100).optional(),
      passkey: PasskeyAnswer.optional(),
    }),
    answer: Signed,
    errors: {
      link_expired: 422,
      wrong_credentials: 422,
      code_required: 422,
      wrong_code: 422,
      passkey_failed: 422,
    },
  },
  changePassword: {
    method: 'POST',
    path: '/client-api/api/users/{id}/password',
    who: 'account',
    isPersonal: true,
    summary: 'Set a new password',
    description:
      'Changes the password of the current user. Ends all their other sessions and pending invitations. `end` lists access ' +
      'keys (API tokens and SMTP users) to revoke; all others remain valid.',
    params: z.object({ id: idOf('user') }),
    body: z.strictObject({
      current: z.string().max(1000),
      password: Password,
      end: z.array(z.string().max(60)).max(1000).default([]),
    }),
    answer: Done,
    errors: { wrong_password: 422 },
  },
  listAccessKeys: {
    method: 'GET',
    path: '/client-api/api/users/{id}/access_keys',
    who: 'account',
    isPersonal: true,
    summary: 'List own API tokens and SMTP users',
    description: 'Lists the keys that the user created in all of their accounts.',
    params: z.object({ id: idOf('user') }),
    answer: dataAnswer(z.array(AccessKey)),
  },
  listSessions: {
    method: 'GET',
    path: '/client-api/api/sessions',
    who: 'account',
    summary: 'List sessions of the current user',
    query: listQuery({ sorts: ['created', 'modified', 'title'], order: 'modified' }),
    answer: listAnswer(Session),
  },
  endSession: {
    method: 'DELETE',
    path: '/client-api/api/sessions/{id}',
    who: 'account',
    isPersonal: true,
    summary: 'Remove a session of the current user',
    params: z.object({ id: idOf('session') }),
    answer: Done,
  },
  listTokens: {
    method: 'GET',
    path: '/client-api/api/tokens',
    who: 'account',
    summary: 'List API access tokens of the account',
    query: listQuery({ sorts: ['title', 'modified', 'created'], order: 'created' }),
    answer: listAnswer(ApiToken),
  },
  createToken: {
    method: 'POST',
    path: '/client-api/api/tokens',
    who: 'account',
    isPersonal: true,
    summary: 'Create an API access token',
    description: 'The token is returned once and cannot be read again.',
    body: z.strictObject({
      title: line(255, 1),
      validity_days: z.literal(TOKEN_VALIDITIES).nullable(),
    }),
    answer: dataAnswer(ApiToken.extend({ token: z.string() })),
  },
  revokeToken: {
    method: 'DELETE',
    path: '/client-api/api/tokens/{id}',
    who: 'account',
    summary: 'Delete an API access token',
    description: 'The token stops working immediately.',
    params: z.object({ id: idOf('token') }),
    answer: Done,
  },
});
