// Endpoints for an account's settings: users, API tokens, invitations, passwords and sessions.
import { z } from 'zod';
import {
  dataResponse,
  defineCalls,
  SuccessResponse,
  Id,
  idOf,
  Instant,
  line,
  listResponse,
  listQuery,
} from '#platform/contract.ts';
import { DENIABLE_RIGHTS, RIGHTS } from '#platform/rights.ts';
import {
  Email,
  Names,
  PasskeyResponse,
  Password,
  Secret,
  SignedInResponse,
  User,
} from './contract.ts';
import { MAX_NETWORKS, MAX_TITLE_LENGTH, TOKEN_VALIDITIES } from './shared.ts';

export const AccountUser = User.omit({ account: true, tour: true }).extend({
  created: Instant,
  is_you: z.boolean(),
  denied: z.array(z.enum(RIGHTS)).describe('Rights that the user lacks; empty means full access.'),
});
export type AccountUser = z.infer<typeof AccountUser>;

export const Invitation = z.object({
  id: Id,
  email: z.string(),
  created: Instant,
  expires: Instant,
  is_expired: z.boolean(),
  denied: z.array(z.enum(RIGHTS)).describe('Rights that the user will lack'),
});
export type Invitation = z.infer<typeof Invitation>;

export const ListedSession = z.object({
  id: Id,
  user_agent: z.string().nullable(),
  ip: z.string().nullable(),
  created: Instant,
  last_seen: Instant,
  is_current: z.boolean(),
});
export type ListedSession = z.infer<typeof ListedSession>;

/** Rights that are denied. A repeated right counts once. */
const DeniedRights = z
  .array(z.enum(RIGHTS).refine((right) => right !== 'read', 'errors.fields.choice'))
  .max(DENIABLE_RIGHTS.length * 2)
  .transform((rights) => DENIABLE_RIGHTS.filter((right) => rights.includes(right)));

export const ApiToken = z.object({
  id: Id,
  title: z.string(),
  scopes: z
    .array(z.enum(RIGHTS))
    .nullable()
    .describe(
      'Rights of the token; null means all rights of its user, including those granted later.',
    ),
  networks: z
    .array(z.string())
    .nullable()
    .describe('IP networks that may use the token, in CIDR notation; null means any network.'),
  user: z
    .object({ id: Id, email: z.string() })
    .nullable()
    .describe('The creator, whose rights limit the token.'),
  created: Instant,
  modified: Instant,
  expires: Instant.nullable(),
  is_expired: z.boolean(),
  last_used: Instant.nullable(),
  last_ip: z.string().nullable().describe('The IP address of the last use'),
  last_client: z.string().nullable().describe('The User-Agent header of the last use'),
  former_until: Instant.nullable().describe(
    'The secret before the rotation also works until then.',
  ),
});
export type ApiToken = z.infer<typeof ApiToken>;

/** The fields of a token that its administrator chooses. */
const tokenFields = {
  title: line(MAX_TITLE_LENGTH, 1),
  scopes: z
    .array(z.enum(RIGHTS))
    .min(1)
    .max(RIGHTS.length * 2)
    .transform((rights) => RIGHTS.filter((right) => rights.includes(right)))
    .nullable()
    .optional(),
  networks: z.array(line(64, 1)).max(MAX_NETWORKS).nullable().optional(),
};

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
export const UserAccount = z.object({
  id: Id,
  title: z.string(),
  /** The address of the oldest member, which distinguishes accounts without a title. */
  owner: z.string(),
  is_current: z.boolean(),
});
export type UserAccount = z.infer<typeof UserAccount>;

/** The optional notification emails of the signed-in user. */
const Notifications = z.object({
  /** Emails about a campaign that has been sent or was stopped. */
  campaigns: z.boolean(),
});

export const settingsCalls = defineCalls({
  readNotifications: {
    method: 'GET',
    path: '/client-api/api/user_notifications',
    caller: 'account',
    requiredRight: 'none',
    isPersonal: true,
    summary: 'Get notification settings',
    description: 'Returns the settings of the current user.',
    response: dataResponse(Notifications),
  },
  changeNotifications: {
    method: 'PATCH',
    path: '/client-api/api/user_notifications',
    caller: 'account',
    requiredRight: 'none',
    isPersonal: true,
    summary: 'Update notification settings',
    description: 'Changes the settings of the current user.',
    body: z.strictObject({ campaigns: z.boolean() }),
    response: dataResponse(Notifications),
  },
  listOwnAccounts: {
    method: 'GET',
    path: '/client-api/api/users/accounts',
    caller: 'account',
    requiredRight: 'none',
    isPersonal: true,
    summary: 'List accounts of the current user',
    description: 'Returns the oldest membership first.',
    response: dataResponse(z.array(UserAccount)),
  },
  switchAccount: {
    method: 'POST',
    path: '/client-api/api/users/accounts',
    caller: 'account',
    requiredRight: 'none',
    audit: 'none',
    isPersonal: true,
    summary: 'Start a session in another account',
    description: 'Ends the current session.',
    body: z.strictObject({ account: idOf('account') }),
    response: SignedInResponse,
  },
  listUsers: {
    method: 'GET',
    path: '/client-api/api/account_users',
    caller: 'account',
    summary: 'List users of the account',
    query: listQuery({
      sorts: ['title', 'modified', 'created'],
      order: 'created',
      direction: 'asc',
    }),
    response: listResponse(AccountUser),
  },
  getUser: {
    method: 'GET',
    path: '/client-api/api/account_users/{id}',
    caller: 'account',
    summary: 'Get a user of the account',
    params: z.object({ id: idOf('user') }),
    response: dataResponse(AccountUser),
  },
  editUser: {
    method: 'PATCH',
    path: '/client-api/api/account_users/{id}',
    caller: 'account',
    requiredRight: 'none',
    summary: "Update a user's name",
    params: z.object({ id: idOf('user') }),
    body: Names,
    response: dataResponse(AccountUser),
    errors: { not_your_profile: 409 },
  },
  removeUser: {
    method: 'DELETE',
    path: '/client-api/api/account_users/{id}',
    caller: 'account',
    requiredRight: 'admin',
    isPersonal: true,
    summary: 'Remove a user from the account',
    description:
      'Ends their sessions, API tokens, SMTP users and invitations in this account. The last user, and the last one with full access, cannot be removed.',
    params: z.object({ id: idOf('user') }),
    response: SuccessResponse,
    errors: { last_user: 409, last_full_user: 409 },
  },
  setRights: {
    method: 'PUT',
    path: '/client-api/api/account_users/{id}/rights',
    caller: 'account',
    requiredRight: 'admin',
    isPersonal: true,
    summary: "Set a user's rights",
    description:
      "The change applies from the user's next request, also to their API tokens. At least one user must have full access. A caller can change only rights that they have.",
    params: z.object({ id: idOf('user') }),
    body: z.strictObject({ denied: DeniedRights }),
    response: dataResponse(AccountUser),
    errors: { last_full_user: 409, right_not_yours: 403 },
  },
  listInvitations: {
    method: 'GET',
    path: '/client-api/api/invitations',
    caller: 'account',
    requiredRight: 'admin',
    summary: 'List pending invitations',
    query: listQuery({ sorts: ['title', 'modified', 'created'], order: 'created' }),
    response: listResponse(Invitation),
  },
  invite: {
    method: 'POST',
    path: '/client-api/api/invitations',
    caller: 'account',
    requiredRight: 'admin',
    isPersonal: true,
    summary: 'Send an invitation to the account',
    description:
      'Inviting the same address again renews the invitation. The new user lacks the rights in `denied`; the default is the rights that the caller lacks, and those that the renewed invitation denied. An invitation is valid for 14 days.',
    body: z.strictObject({ email: Email, denied: DeniedRights.optional() }),
    response: dataResponse(Invitation),
    errors: { already_member: 409, email_not_verified: 409, right_not_yours: 403 },
  },
  withdrawInvitation: {
    method: 'DELETE',
    path: '/client-api/api/invitations/{id}',
    caller: 'account',
    requiredRight: 'admin',
    summary: 'Withdraw an invitation',
    params: z.object({ id: idOf('invitation') }),
    response: SuccessResponse,
  },
  readInvitation: {
    method: 'POST',
    path: '/auth/api/invitation',
    caller: 'visitor',
    summary: 'Get an invitation by its link',
    description:
      'Includes whether its address already has a user, and the name of the identity provider if the address signs in only there: the invitation is then confirmed without a password.',
    body: z.strictObject({ token: Secret }),
    response: dataResponse(
      z.object({
        email: z.string(),
        account: z.string(),
        has_user: z.boolean(),
        provider: z.string().nullable(),
      }),
    ),
    errors: { link_expired: 422 },
  },
  acceptInvitation: {
    method: 'POST',
    path: '/auth/api/accept-invitation',
    caller: 'visitor',
    transaction: 'own',
    summary: 'Confirm an invitation and join the account',
    description: 'New users choose a password and existing users enter theirs. Starts a session.',
    body: z.strictObject({
      token: Secret,
      password: z.string().max(1000),
      code: z.string().max(100).optional(),
      passkey: PasskeyResponse.optional(),
    }),
    response: SignedInResponse,
    errors: {
      link_expired: 422,
      wrong_credentials: 422,
      code_required: 422,
      wrong_code: 422,
      passkey_failed: 422,
    },
  },
  joinByInvitation: {
    method: 'POST',
    path: '/auth/api/join-by-invitation',
    caller: 'visitor',
    summary: 'Confirm an invitation without a password',
    description:
      'Adds the user to the account and starts no session. Only for addresses that sign in at the identity provider alone.',
    body: z.strictObject({ token: Secret }),
    response: SuccessResponse,
    errors: { link_expired: 422, wrong_credentials: 422 },
  },
  changePassword: {
    method: 'POST',
    path: '/client-api/api/users/{id}/password',
    caller: 'account',
    requiredRight: 'none',
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
    response: SuccessResponse,
    errors: { wrong_password: 422 },
  },
  listAccessKeys: {
    method: 'GET',
    path: '/client-api/api/users/{id}/access_keys',
    caller: 'account',
    requiredRight: 'none',
    isPersonal: true,
    summary: 'List own API tokens and SMTP users',
    description: 'Lists the keys that the user created in all of their accounts.',
    params: z.object({ id: idOf('user') }),
    response: dataResponse(z.array(AccessKey)),
  },
  listSessions: {
    method: 'GET',
    path: '/client-api/api/sessions',
    caller: 'account',
    requiredRight: 'none',
    summary: 'List sessions of the current user',
    query: listQuery({ sorts: ['created', 'modified', 'title'], order: 'modified' }),
    response: listResponse(ListedSession),
  },
  endSession: {
    method: 'DELETE',
    path: '/client-api/api/sessions/{id}',
    caller: 'account',
    requiredRight: 'none',
    isPersonal: true,
    summary: 'Remove a session of the current user',
    params: z.object({ id: idOf('session') }),
    response: SuccessResponse,
  },
  listTokens: {
    method: 'GET',
    path: '/client-api/api/tokens',
    caller: 'account',
    requiredRight: 'admin',
    summary: 'List API access tokens of the account',
    query: listQuery({ sorts: ['title', 'modified', 'created'], order: 'created' }),
    response: listResponse(ApiToken),
  },
  createToken: {
    method: 'POST',
    path: '/client-api/api/tokens',
    caller: 'account',
    requiredRight: 'admin',
    isPersonal: true,
    summary: 'Create an API access token',
    description: 'The token is returned once and cannot be read again.',
    body: z.strictObject({ ...tokenFields, validity_days: z.literal(TOKEN_VALIDITIES).nullable() }),
    response: dataResponse(ApiToken.extend({ token: z.string() })),
    errors: { right_not_yours: 403 },
  },
  updateToken: {
    method: 'PATCH',
    path: '/client-api/api/tokens/{id}',
    caller: 'account',
    requiredRight: 'admin',
    isPersonal: true,
    summary: 'Update an API access token',
    description: 'Changes the title, rights and networks. The token itself does not change.',
    params: z.object({ id: idOf('token') }),
    body: z.strictObject({ ...tokenFields, title: tokenFields.title.optional() }),
    response: dataResponse(ApiToken),
    errors: { right_not_yours: 403 },
  },
  rotateToken: {
    method: 'POST',
    path: '/client-api/api/tokens/{id}/rotate',
    caller: 'account',
    requiredRight: 'admin',
    isPersonal: true,
    summary: 'Rotate an API access token',
    description:
      'Returns a new secret once. The former one works for another 24 hours, unless the token has expired, so that clients can be changed without a gap; ' +
      'the one before it stops working immediately. The validity period of a token that expires starts again.',
    params: z.object({ id: idOf('token') }),
    response: dataResponse(ApiToken.extend({ token: z.string() })),
    errors: { token_of_another: 403 },
  },
  revokeToken: {
    method: 'DELETE',
    path: '/client-api/api/tokens/{id}',
    caller: 'account',
    requiredRight: 'admin',
    summary: 'Delete an API access token',
    description: 'The token stops working immediately.',
    params: z.object({ id: idOf('token') }),
    response: SuccessResponse,
  },
});
