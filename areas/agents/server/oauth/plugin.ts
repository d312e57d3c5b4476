// Routes for the authorization server: its metadata, and the endpoints that oidc-provider handles.
import { Readable } from 'node:stream';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '#platform/server/errors.ts';
import { sendError } from '#platform/server/http/errors.ts';
import { pagePolicy } from '#platform/server/http/page-policy.ts';
import { consumeToken } from '#platform/server/limits/rate-limit.ts';
import { toNetwork } from '#platform/server/limits/visitor-network.ts';
import { AGENT_RIGHTS } from '../../shared.ts';
import { getAuthorizationServer, mcpResource, ROUTES } from './provider.ts';

/** The limit of registrations per network. */
const REGISTRATION_LIMIT = { capacity: 20, perSecond: 20 / 3600 };
/** The limit is strict, because each request may store a row and fetch the client's document. */
const AUTHORIZATION_LIMIT = { capacity: 60, perSecond: 1 };
const TOKEN_CALL_LIMIT = { capacity: 120, perSecond: 2 };
const LOOPBACK = /^http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost)(?:[:/]|$)/i;
const WEB = /^https?:/i;

/** Returns the metadata of the authorization server (RFC 8414). */
export function createServerMetadata(publicUrl: string) {
  const issuer = new URL(publicUrl).origin;
  return {
    issuer,
    authorization_endpoint: `${issuer}${ROUTES.authorization}`,
    token_endpoint: `${issuer}${ROUTES.token}`,
    registration_endpoint: `${issuer}${ROUTES.registration}`,
    revocation_endpoint: `${issuer}${ROUTES.revocation}`,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none', 'client_secret_post', 'client_secret_basic'],
    revocation_endpoint_auth_methods_supported: ['none'],
    scopes_supported: AGENT_RIGHTS,
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  };
}

/** Returns the metadata of the protected resource (RFC 9728). */
export function createResourceMetadata(publicUrl: string) {
  return {
    resource: mcpResource(publicUrl),
    authorization_servers: [new URL(publicUrl).origin],
    scopes_supported: AGENT_RIGHTS,
    bearer_methods_supported: ['header'],
    resource_name: 'Sendloom',
  };
}

const GRANT_TYPES = ['authorization_code', 'refresh_token'];

/**
 * Returns a client's registration without its scope and with this server's grant and response
 * types, because clients may also register types that only other servers support. A client is
 * native if all its redirect URIs are on the user's computer: loopback addresses or schemes of
 * apps.
 */
function readRegistration(body: unknown): Record<string, unknown> {
  const { scope: _, ...fields } = Object(body) as Record<string, unknown>;
  const toStrings = (value: unknown) => (Array.isArray(value) ? value.map(String) : []);
  const uris = toStrings(fields.redirect_uris);
  const isNative = uris.length > 0 && uris.every((uri) => LOOPBACK.test(uri) || !WEB.test(uri));
  return {
    ...fields,
    grant_types: GRANT_TYPES,
    response_types: ['code'],
    ...(isNative && { application_type: 'native' }),
  };
}

/** Replaces the request body that oidc-provider reads. */
function replaceBody({ raw }: FastifyRequest, value: unknown): void {
  const body = Buffer.from(JSON.stringify(value));
  raw.headers['content-length'] = String(body.length);
  Object.defineProperties(raw, {
    readable: { value: true },
    iterator: { value: () => Readable.from([body]).iterator() },
  });
}

/** Adds all scopes to a request without a scope, because the user chooses on the consent screen. */
function addScope(url: string): string {
  const [path = '', query = ''] = url.split('?', 2);
  const parameters = new URLSearchParams(query);
  if (!parameters.get('scope')) parameters.set('scope', AGENT_RIGHTS.join(' '));
  return `${path}?${parameters.toString()}`;
}

/**
 * Passes the request to oidc-provider, which writes the response itself. Host and protocol come
 * from PUBLIC_URL.
 */
async function delegateToProvider(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { db, publicUrl } = request.server;
  const { host, protocol } = new URL(publicUrl);
  const { raw } = request;
  raw.headers.host = host;
  raw.headers['x-forwarded-host'] = host;
  raw.headers['x-forwarded-proto'] = protocol.replace(':', '');
  reply.hijack();
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) reply.raw.setHeader(name, value);
  reply.raw.setHeader('cache-control', 'no-store');
  reply.raw.setHeader('content-security-policy', pagePolicy({ framing: 'none' }));
  reply.raw.setHeader('x-frame-options', 'DENY');
  await getAuthorizationServer(db, publicUrl).callback()(raw, reply.raw);
}

/**
 * Starts a new request without the session of an earlier one, which may belong to another account.
 */
function startAuthorization(request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const { raw } = request;
  raw.url = addScope(raw.url ?? '');
  raw.headers.cookie = (raw.headers.cookie ?? '')
    .split(/;\s*/)
    .filter((cookie) => !cookie.startsWith('oauth_session'))
    .join('; ');
  return delegateToProvider(request, reply);
}

const limitBy =
  (name: string, limit: typeof REGISTRATION_LIMIT) => async (request: FastifyRequest) => {
    const key = `oauth-${name}:${toNetwork(request.ip)}`;
    if (!(await consumeToken(request.server.db, key, limit)))
      throw new AppError('too_many_requests', { retryAfterSeconds: 60 });
  };

export const oauthPlugin: FastifyPluginAsync = async (app) => {
  const { publicUrl } = app;
  const server = createServerMetadata(publicUrl);
  const resource = createResourceMetadata(publicUrl);
  app.get('/.well-known/oauth-authorization-server', async () => server);
  app.get('/.well-known/oauth-protected-resource', async () => resource);
  app.get('/.well-known/oauth-protected-resource/mcp', async () => resource);
  // Without these routes, a browser would get the web client's page for unknown documents.
  app.get('/.well-known/openid-configuration', (request, reply) =>
    sendError(new AppError('not_found'), request, reply),
  );
  const authorization = { onRequest: limitBy('authorize', AUTHORIZATION_LIMIT) };
  app.get(ROUTES.authorization, authorization, startAuthorization);
  app.get(`${ROUTES.authorization}/:uid`, authorization, delegateToProvider);
  app.get(ROUTES.jwks, delegateToProvider);
  app.post(
    ROUTES.registration,
    { onRequest: limitBy('register', REGISTRATION_LIMIT), bodyLimit: 16_384 },
    (request, reply) => {
      replaceBody(request, readRegistration(request.body));
      return delegateToProvider(request, reply);
    },
  );
  await app.register(async (scope) => {
    // oidc-provider reads the form itself.
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_, __, done) => done(null));
    const onRequest = limitBy('token', TOKEN_CALL_LIMIT);
    scope.post(ROUTES.token, { onRequest }, delegateToProvider);
    scope.post(ROUTES.revocation, { onRequest }, delegateToProvider);
  });
};
