// Endpoints for sign-in at the installation's identity provider (OpenID Connect).
import { z } from 'zod';
import {
  dataResponse,
  defineCalls,
  SuccessResponse,
  Id,
  idOf,
  Instant,
} from '#platform/contract.ts';

const Identity = z.object({
  id: Id,
  title: z.string(),
  email: z.string(),
  created: Instant,
  used: Instant,
});
const BASE = '/client-api/api/identities';
export const CALLBACK = '/auth/api/oidc/callback';

export const oidcCalls = defineCalls({
  readSignInMethods: {
    method: 'GET',
    path: '/auth/api/methods',
    caller: 'visitor',
    summary: 'List the sign-in methods',
    response: dataResponse(
      z.object({
        /** The name of the identity provider; null if none is configured. */
        oidc: z.string().nullable(),
        has_passwords: z.boolean(),
      }),
    ),
  },
  startOidc: {
    method: 'GET',
    path: '/auth/api/oidc/start',
    caller: 'public',
    summary: 'Start sign-in at the identity provider',
    description: 'Redirects the browser there.',
    query: z.object({ next: z.string().max(2000).optional() }),
    transaction: 'own',
  },
  finishOidc: {
    method: 'GET',
    path: CALLBACK,
    caller: 'public',
    summary: 'Confirm sign-in at the identity provider',
    description: 'The provider redirects the browser here.',
    query: z.looseObject({}),
    transaction: 'own',
  },
  listIdentities: {
    method: 'GET',
    path: BASE,
    caller: 'account',
    requiredRight: 'none',
    isPersonal: true,
    summary: "List the caller's identities at the provider",
    response: dataResponse(z.array(Identity)),
  },
  connectIdentity: {
    method: 'POST',
    path: BASE,
    caller: 'account',
    requiredRight: 'none',
    isPersonal: true,
    // The action is recorded once the provider has confirmed it.
    audit: 'none',
    summary: "Add the caller's identity at the provider",
    description: 'Returns the address to open in the browser.',
    response: dataResponse(z.object({ url: z.string() })),
    acceptsIdempotencyKey: false,
    transaction: 'own',
    errors: { oidc_off: 404, oidc_unreachable: 503 },
  },
  removeIdentity: {
    method: 'DELETE',
    path: `${BASE}/{id}`,
    caller: 'account',
    requiredRight: 'none',
    isPersonal: true,
    summary: "Remove the caller's identity at the provider",
    params: z.object({ id: idOf('identity') }),
    response: SuccessResponse,
    errors: { last_sign_in: 409 },
  },
});
