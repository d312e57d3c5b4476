// Routes of connected assistants.
import { type Route, serve } from '#platform/server/http/serve.ts';
import { calls } from '../contract.ts';
import { decideRequest, disconnect, listConnections, readRequest } from './oauth/consent.ts';
import { mcpResource } from './oauth/provider.ts';

export const agentRoutes: Route[] = serve('agents', calls, {
  listConnections: async ({ tx, who, request }) => ({
    data: await listConnections(tx, who),
    url: mcpResource(request.server.publicUrl),
  }),
  disconnect: ({ db, who, params }) => disconnect(db, who, params.id),
  readConnectionRequest: ({ db, who, params, request, reply }) =>
    readRequest({ db, request, reply }, who, params.request),
  decideConnectionRequest: ({ db, who, params, body, request, reply }) =>
    decideRequest({ db, request, reply }, who, params.request, body.scopes),
});
