// Routes for connected assistants.
import { type Route, createRoutes } from '#platform/server/http/serve.ts';
import { calls } from '../contract.ts';
import { completeConsent, disconnect, listConnections, readRequest } from './oauth/consent.ts';
import { mcpResource } from './oauth/provider.ts';

export const agentRoutes: Route[] = createRoutes('agents', calls, {
  listConnections: async ({ tx, caller, request }) => ({
    data: await listConnections(tx, caller),
    url: mcpResource(request.server.publicUrl),
  }),
  disconnect: ({ db, caller, params }) => disconnect(db, caller, params.id),
  readConnectionRequest: ({ db, caller, params, request, reply }) =>
    readRequest({ db, request, reply }, caller, params.request),
  decideConnectionRequest: ({ db, caller, params, body, request, reply }) =>
    completeConsent({ db, request, reply }, caller, params.request, body.scopes),
});
