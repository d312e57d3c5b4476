// The endpoint that returns the account of an API token. Plugins call it to check their token.
import { z } from 'zod';
import { dataResponse, defineCalls, Id } from '#platform/contract.ts';

const Plan = z.object({
  id: z.string().describe('The ID of the paid order, `free`, or `unlimited` without billing.'),
  type: z.enum(['PAID', 'FREE', 'UNLIMITED']),
});
const PublicAccount = z.object({
  id: Id,
  title: z.string(),
  /** The public key of the account in the page script and in tracking requests. */
  resource_key: Id,
  active_plan: Plan,
});
const PublicUser = z.object({
  id: Id,
  email: z.string(),
  name: z.string().nullable(),
  surname: z.string().nullable(),
  account: PublicAccount,
});

export const publicCalls = defineCalls({
  readUsers: {
    method: 'GET',
    path: '/v2/users',
    caller: 'account',
    requiredRight: 'none',
    summary: "Get the token's user (unwrapped)",
    description:
      'Returns the same user as `GET /v2/me`, but not inside `data`. No right is required.',
    response: PublicUser,
  },
  readMe: {
    method: 'GET',
    path: '/v2/me',
    caller: 'account',
    requiredRight: 'none',
    summary: "Get the token's user",
    description:
      'Returns the user who created the token, and the account of the token. No right is required, so any valid token can be checked with this request.',
    response: dataResponse(PublicUser),
  },
  readAccount: {
    method: 'GET',
    path: '/v2/accounts/current',
    caller: 'account',
    requiredRight: 'none',
    summary: "Get the token's account",
    description:
      'Includes the plan and `resource_key`, the public key of the account in the page script and in tracking requests. No right is required.',
    response: dataResponse(PublicAccount),
  },
});
