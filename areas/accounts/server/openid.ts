// The only file that imports openid-client. It reads the provider's metadata, builds the URL of its
// sign-in page, and verifies the claims in its response.
import * as client from 'openid-client';
import type { SignInConfig } from '#platform/server/config.ts';
import { callPublic } from '#platform/server/outgoing/outgoing-call.ts';

type Oidc = NonNullable<SignInConfig['oidc']>;

/** Values that the response to a started sign-in must match. */
export type SignInAttempt = { state: string; nonce: string; verifier: string };

export type Claims = {
  issuer: string;
  subject: string;
  email: string | undefined;
  isVerified: boolean;
  name: string | undefined;
  surname: string | undefined;
  rawClaims: Record<string, unknown>;
};

const TIMEOUT_SECONDS = 10;
const MAX_BYTES = 1_000_000;
const METADATA_MAX_AGE_MS = 3_600_000;

let metadataCache:
  | { issuer: string; fetchedAt: number; metadata: Promise<client.Configuration> }
  | undefined;

/** Reads the metadata at most once per hour; a failure is not cached. */
function getMetadata(oidc: Oidc, now: Date): Promise<client.Configuration> {
  if (
    metadataCache?.issuer === oidc.issuer &&
    now.getTime() - metadataCache.fetchedAt < METADATA_MAX_AGE_MS
  ) {
    return metadataCache.metadata;
  }
  const issuer = new URL(oidc.issuer);
  const metadata = client.discovery(issuer, oidc.clientId, oidc.clientSecret, undefined, {
    timeout: TIMEOUT_SECONDS,
    [client.customFetch]: createGuardedFetch(issuer),
    ...(issuer.protocol === 'http:' && { execute: [client.allowInsecureRequests] }),
  });
  metadataCache = { issuer: oidc.issuer, fetchedAt: now.getTime(), metadata };
  metadata.catch(() => {
    metadataCache = undefined;
  });
  return metadata;
}

/**
 * The issuer may be in a private network because the operator declared it. Other hosts in its
 * metadata must be public. No host may redirect.
 */
function createGuardedFetch(issuer: URL): client.CustomFetch {
  return async (address, { method, headers, body }) => {
    const isTrusted = new URL(address).origin === issuer.origin;
    const response = await callPublic(address, {
      method: method === 'POST' ? 'POST' : 'GET',
      headers,
      ...(body == null ? {} : { body: String(body) }),
      ...{ timeoutMs: TIMEOUT_SECONDS * 1000, maxBytes: MAX_BYTES, isTrusted: isTrusted },
    });
    const headerEntries = Object.entries(response.headers).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value] as [string, string]] : [],
    );
    return new Response(new Uint8Array(response.body), {
      status: response.status,
      headers: headerEntries,
    });
  };
}

/** Returns the URL of the provider's sign-in page, and the values to verify its response with. */
export async function startSignIn(
  oidc: Oidc,
  redirectUri: string,
  now: Date,
): Promise<{ url: string; attempt: SignInAttempt }> {
  const metadata = await getMetadata(oidc, now);
  const attempt = {
    state: client.randomState(),
    nonce: client.randomNonce(),
    verifier: client.randomPKCECodeVerifier(),
  };
  const url = client.buildAuthorizationUrl(metadata, {
    ...{ redirect_uri: redirectUri, scope: 'openid email profile' },
    ...{ state: attempt.state, nonce: attempt.nonce },
    code_challenge: await client.calculatePKCECodeChallenge(attempt.verifier),
    code_challenge_method: 'S256',
  });
  return { url: url.href, attempt };
}

/** @throws if the response does not belong to the started sign-in */
export async function finishSignIn(
  oidc: Oidc,
  address: URL,
  attempt: SignInAttempt,
  now: Date,
): Promise<Claims> {
  const metadata = await getMetadata(oidc, now);
  const tokens = await client.authorizationCodeGrant(metadata, address, {
    ...{ expectedState: attempt.state, expectedNonce: attempt.nonce },
    ...{ pkceCodeVerifier: attempt.verifier, idTokenExpected: true },
  });
  const claims = tokens.claims();
  if (!claims) throw new Error('The identity provider sent no ID token.');
  // Some providers include the address only in the user information.
  const userInfo =
    claims.email === undefined && metadata.serverMetadata().userinfo_endpoint !== undefined
      ? await client.fetchUserInfo(metadata, tokens.access_token, claims.sub)
      : {};
  const allClaims: Record<string, unknown> = { ...userInfo, ...claims };
  const readText = (name: string) =>
    typeof allClaims[name] === 'string' ? (allClaims[name] as string) : undefined;
  return {
    ...{ issuer: claims.iss, subject: claims.sub, email: readText('email') },
    isVerified: allClaims.email_verified === true,
    ...{ name: readText('given_name'), surname: readText('family_name'), rawClaims: allClaims },
  };
}
