// The authorization server, which connects assistants to accounts: authorization code with PKCE,
// client ID metadata documents and dynamic registration. No other file of the product imports
// oidc-provider.
import { createPrivateKey, createPublicKey } from 'node:crypto';
import { errors, interactionPolicy } from 'oidc-provider';
import Provider from 'oidc-provider';
import { clock } from '#platform/server/clock.ts';
import type { Db } from '#platform/server/database/database.ts';
import { log } from '#platform/server/log.ts';
import { callPublic } from '#platform/server/outgoing/outgoing-call.ts';
import { deriveKey } from '#platform/server/secrets.ts';
import { AGENT_RIGHTS } from '../../shared.ts';
import {
  CONNECTION_DAYS,
  computeConnectionEnd,
  endConnection,
  StateAdapter,
  stateKey,
} from './adapter.ts';
import * as grants from './grants.sql.ts';
import { extendState } from './state.sql.ts';
import { parseSubject } from './subject.ts';

export const ACCESS_SECONDS = 900;
const REQUEST_SECONDS = 600;
const DAY_SECONDS = 86_400;
const DOCUMENT_TIMEOUT_MS = 2500;
const MAX_DOCUMENT_BYTES = 8192;
/** The PKCS #8 form of an Ed25519 key is this prefix and the 32 bytes of the key (RFC 8410). */
const ED25519_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

const signingKey = () =>
  createPrivateKey({
    key: Buffer.concat([ED25519_PREFIX, deriveKey('oauth signing key')]),
    format: 'der',
    type: 'pkcs8',
  });

/** Returns the key that verifies access tokens. */
export const findVerifyingKey = () => createPublicKey(signingKey());

export const ROUTES = {
  authorization: '/authorize',
  token: '/token',
  registration: '/register',
  revocation: '/revoke',
  jwks: '/oauth/jwks',
} as const;

export const mcpResource = (publicUrl: string) => `${publicUrl.replace(/\/$/, '')}/mcp`;

/**
 * Creates the consent policy. Every request shows the consent screen. The decision made there gives
 * oidc-provider both who the user is and what is granted.
 */
function createConsentPolicy() {
  const { Check, Prompt } = interactionPolicy;
  const isUndecided = new Check(
    'undecided',
    'The user has not decided',
    ({ oidc }) => oidc.result?.login === undefined,
  );
  return [new Prompt({ name: 'login', requestable: false }, isUndecided)];
}

/** Fetches the document of a client, only from public hosts and without redirects. */
async function fetchDocument(url: string | URL): Promise<Response> {
  const { status, headers, body } = await callPublic(String(url), {
    method: 'GET',
    headers: { accept: 'application/json' },
    timeoutMs: DOCUMENT_TIMEOUT_MS,
    maxBytes: MAX_DOCUMENT_BYTES,
  });
  const cache = headers['cache-control'];
  return new Response(status === 204 || status === 304 ? null : new Uint8Array(body), {
    status,
    headers: cache === undefined ? {} : { 'cache-control': cache },
  });
}

function createFeatures(publicUrl: string) {
  const resource = mcpResource(publicUrl);
  return {
    devInteractions: { enabled: false },
    dPoP: { enabled: false },
    userinfo: { enabled: false },
    rpInitiatedLogout: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    clientIdMetadataDocument: { enabled: true, ack: 'draft-02' },
    registration: { enabled: true, issueRegistrationAccessToken: false },
    revocation: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => resource,
      useGrantedResource: () => true,
      getResourceServerInfo: (_: unknown, indicator: string) => {
        // Any other error would cause the status 500.
        if (indicator.replace(/\/$/, '') !== resource) throw new errors.InvalidTarget();
        return {
          scope: AGENT_RIGHTS.join(' '),
          audience: resource,
          accessTokenTTL: ACCESS_SECONDS,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'EdDSA' } },
        };
      },
    },
  };
}

const usedCode = () => new errors.InvalidGrant('authorization code already consumed');

type IssuedToken = { accountId: string; grantId: string; clientId: string };

/**
 * Returns the claims of a new access token. A disconnected assistant gets no token. Each token
 * extends the connection and the registration of its client.
 */
async function renewConnection(db: Db, { accountId, grantId, clientId }: IssuedToken) {
  const account = parseSubject(accountId);
  const grant = await grants.findGrantByOauth(db, account, grantId);
  if (!grant) throw new errors.InvalidGrant('The connection has ended');
  const at = clock.now();
  await grants.recordGrantUse(db, account, grant.id, at);
  await extendState(db, stateKey('Grant', grantId), computeConnectionEnd(at));
  await extendState(db, stateKey('Client', clientId), computeConnectionEnd(at));
  return { account, grant: grant.id };
}

const LIFETIMES = {
  AccessToken: ACCESS_SECONDS,
  AuthorizationCode: 60,
  Interaction: REQUEST_SECONDS,
  Session: REQUEST_SECONDS,
  Grant: CONNECTION_DAYS * DAY_SECONDS,
  RefreshToken: CONNECTION_DAYS * DAY_SECONDS,
};

function createConfiguration(db: Db, publicUrl: string) {
  return {
    adapter: (kind: string) => new StateAdapter(db, kind, usedCode),
    clientDefaults: {
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      id_token_signed_response_alg: 'EdDSA',
    },
    clientAuthMethods: ['none', 'client_secret_post', 'client_secret_basic'],
    responseTypes: ['code'],
    scopes: ['offline_access', ...AGENT_RIGHTS],
    pkce: { required: () => true },
    jwks: { keys: [{ ...signingKey().export({ format: 'jwk' }), alg: 'EdDSA', use: 'sig' }] },
    cookies: {
      names: { session: 'oauth_session', interaction: 'oauth_request', resume: 'oauth_resume' },
      keys: [deriveKey('oauth cookies').toString('base64url')],
      long: { httpOnly: true, sameSite: 'lax', path: ROUTES.authorization },
      // The consent calls read this cookie.
      short: { httpOnly: true, sameSite: 'lax', path: '/' },
    },
    routes: ROUTES,
    interactions: {
      policy: createConsentPolicy(),
      url: (_: unknown, { uid }: { uid: string }) => `/connect?request=${uid}`,
    },
    findAccount: (_: unknown, subject: string) => ({
      accountId: subject,
      claims: () => ({ sub: subject }),
    }),
    issueRefreshToken: (_: unknown, client: { grantTypeAllowed(type: string): boolean }) =>
      client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: () => true,
    extraTokenClaims: (_: unknown, token: IssuedToken) => renewConnection(db, token),
    ttl: LIFETIMES,
    expiresWithSession: () => false,
    clientBasedCORS: () => false,
    fetch: fetchDocument,
    features: createFeatures(publicUrl),
    renderError,
  };
}

/** Shows errors of a consent in a browser on the product's own page. */
function renderError(
  context: { type: string; body: unknown; redirect(url: string): void; path: string },
  error: { error: string; error_description?: string },
): void {
  if (context.path.startsWith(ROUTES.authorization))
    context.redirect(`/connect?error=${encodeURIComponent(error.error)}`);
  else {
    context.type = 'json';
    context.body = error;
  }
}

const servers = new WeakMap<Db, Provider>();

/** Returns the authorization server of this installation. */
export function getAuthorizationServer(db: Db, publicUrl: string): Provider {
  let server = servers.get(db);
  if (!server) {
    server = new Provider(new URL(publicUrl).origin, createConfiguration(db, publicUrl));
    // Trusts the forwarded host and protocol, which the plugin sets from PUBLIC_URL.
    server.proxy = true;
    server.on('server_error', (_, error) =>
      log.error('OAuth request failed', { error: error as Error }),
    );
    servers.set(db, server);
  }
  return server;
}

/** Ends a connection: its refresh tokens and codes are deleted, and access tokens are refused. */
export async function endGrant(db: Db, grant: grants.GrantRow): Promise<void> {
  await grants.revokeGrant(db, grant.account_id, grant.id, clock.now());
  if (grant.oauth_grant) await endConnection(db, grant.oauth_grant);
}
