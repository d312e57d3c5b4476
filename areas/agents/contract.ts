// Assistants connected by OAuth: user consent and the list of connections.
import { z } from 'zod';
import {
  dataResponse,
  defineCalls,
  SuccessResponse,
  Id,
  idOf,
  Instant,
} from '#platform/contract.ts';
import { AGENT_RIGHTS } from './shared.ts';

const Scope = z.enum(AGENT_RIGHTS);

export const ConnectionRequest = z.object({
  client_name: z.string().describe('The name that the assistant chose for itself'),
  redirect_host: z.string().describe('The host that receives the access'),
  is_loopback: z
    .boolean()
    .describe("Whether a program on the user's own computer receives the access"),
  scopes: z.array(Scope).describe('Requested rights that the user has'),
  account: z.string(),
});
export type ConnectionRequest = z.infer<typeof ConnectionRequest>;

export const AssistantConnection = z.object({
  id: Id,
  client_name: z.string(),
  redirect_host: z.string(),
  scopes: z.array(Scope),
  user: z.string().nullable().describe('Email address of the user who connected it'),
  is_yours: z.boolean(),
  created: Instant,
  last_used: Instant.nullable(),
});
export type AssistantConnection = z.infer<typeof AssistantConnection>;

const params = z.object({ request: z.string().regex(/^[\w-]{10,60}$/) });

export const calls = defineCalls({
  listConnections: {
    method: 'GET',
    path: '/client-api/api/assistants',
    caller: 'account',
    requiredRight: 'none',
    summary: 'List connected assistants',
    description:
      "Returns the caller's connections, newest first. With the right `admin`, returns the connections of all users.",
    response: z.object({
      data: z.array(AssistantConnection),
      url: z.string().describe('Address to enter in an assistant'),
    }),
  },
  disconnect: {
    method: 'DELETE',
    path: '/client-api/api/assistants/{id}',
    caller: 'account',
    requiredRight: 'none',
    isPersonal: true,
    transaction: 'own',
    summary: 'Disconnect an assistant',
    description:
      'The next call of the assistant is refused. Connections of other users require the right `admin`.',
    params: z.object({ id: idOf('agent_grant') }),
    response: SuccessResponse,
  },
  readConnectionRequest: {
    method: 'GET',
    path: '/client-api/api/assistants/requests/{request}',
    caller: 'account',
    requiredRight: 'none',
    isPersonal: true,
    transaction: 'own',
    summary: 'Get a request of an assistant',
    description: 'The request can be read for ten minutes, only in the browser that started it.',
    params,
    response: dataResponse(ConnectionRequest),
    errors: { request_expired: 410 },
  },
  decideConnectionRequest: {
    method: 'POST',
    path: '/client-api/api/assistants/requests/{request}',
    caller: 'account',
    requiredRight: 'none',
    isPersonal: true,
    transaction: 'own',
    acceptsIdempotencyKey: false,
    audit: ['scopes'],
    summary: 'Approve or decline a request of an assistant',
    params,
    body: z.strictObject({
      scopes: z
        .array(Scope)
        .max(AGENT_RIGHTS.length)
        .nullable()
        .describe('Rights that the assistant gets; null declines'),
    }),
    response: dataResponse(
      z.object({ url: z.string().describe('The URL where the browser continues') }),
    ),
    errors: { request_expired: 410, no_scope: 422 },
  },
});
