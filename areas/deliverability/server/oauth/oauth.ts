// OAuth 2.0 with PKCE (RFC 6749, RFC 7636) at services that accounts connect, and calls to these
// services.
import { z } from 'zod';
import { parseJson } from '#platform/server/clean-text.ts';
import { callPublic } from '#platform/server/outgoing/outgoing-call.ts';

const CALL = { timeoutMs: 20_000, maxBytes: 2_000_000 };

/** `revoke` is undefined for services without token revocation, such as Microsoft. */
export type OAuthUrls = { consent: string; token: string; revoke?: string };
/** The operator's client at the service. */
export type OAuthClient = { id: string; secret: string };

type ServiceFault = 'refused' | 'disabled' | 'unavailable' | 'unknown_domain';

export class ServiceError extends Error {
  readonly fault: ServiceFault;

  constructor(fault: ServiceFault, details: string) {
    super(`${fault}: ${details}`);
    this.fault = fault;
  }
}

/** Returns the URL of the service's consent page. */
export function buildConsentUrl(
  urls: OAuthUrls,
  client: OAuthClient,
  request: {
    redirect: string;
    scope: string;
    state: string;
    challenge: string;
    /** The address that the user should sign in with. */
    email?: string;
  },
): string {
  const url = new URL(urls.consent);
  url.search = new URLSearchParams({
    client_id: client.id,
    redirect_uri: request.redirect,
    response_type: 'code',
    scope: request.scope,
    access_type: 'offline',
    prompt: 'consent',
    state: request.state,
    code_challenge: request.challenge,
    code_challenge_method: 'S256',
    ...(request.email !== undefined && { login_hint: request.email }),
  }).toString();
  return url.href;
}

export type ServiceTokens = { accessToken: string; refreshToken: string | undefined };

const TokenResponse = z.object({ access_token: z.string(), refresh_token: z.string().optional() });

export async function requestTokens(
  urls: OAuthUrls,
  form: Record<string, string>,
): Promise<ServiceTokens> {
  const response = await postForm(urls.token, form);
  // An expired or withdrawn grant has the status 400.
  if (response.status === 400 || response.status === 401 || response.status === 403) {
    throw new ServiceError('refused', `token endpoint, status ${response.status}`);
  }
  const tokens = readResponse(response, TokenResponse);
  return { accessToken: tokens.access_token, refreshToken: tokens.refresh_token };
}

/** @throws ServiceError if the code is invalid, or if the user has not granted permanent access */
export async function redeemCode(
  urls: OAuthUrls,
  client: OAuthClient,
  grant: { code: string; verifier: string; redirect: string },
): Promise<{ accessToken: string; refreshToken: string }> {
  const { accessToken, refreshToken } = await requestTokens(urls, {
    grant_type: 'authorization_code',
    client_id: client.id,
    client_secret: client.secret,
    code: grant.code,
    code_verifier: grant.verifier,
    redirect_uri: grant.redirect,
  });
  if (!refreshToken) throw new ServiceError('refused', 'no refresh token');
  return { accessToken, refreshToken };
}

/** Requests a new access token. Some services also replace the refresh token each time. */
export async function refreshAccess(
  urls: OAuthUrls,
  client: OAuthClient | undefined,
  refreshToken: string,
): Promise<ServiceTokens> {
  if (!client) throw new ServiceError('refused', 'the installation has no OAuth client');
  return requestTokens(urls, {
    grant_type: 'refresh_token',
    client_id: client.id,
    client_secret: client.secret,
    refresh_token: refreshToken,
  });
}

type ServiceResponse = { status: number; body: unknown };

export const postForm = (url: string, form: Record<string, string>): Promise<ServiceResponse> =>
  callService(url, {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(form).toString(),
  });

/** Calls a service. A request without a body is a GET. */
export async function callService(
  url: string,
  { headers, body }: { headers: Record<string, string>; body?: string },
): Promise<ServiceResponse> {
  const method = body === undefined ? 'GET' : 'POST';
  const request = { method, headers, ...(body !== undefined && { body }), ...CALL } as const;
  const response = await callPublic(url, request).catch((error: unknown) => {
    throw new ServiceError('unavailable', String(error));
  });
  let json: unknown;
  try {
    json = parseJson(response.body.toString('utf8'));
  } catch {
    json = undefined;
  }
  return { status: response.status, body: json };
}

const Refusal = z.object({
  error: z.object({ details: z.array(z.object({ reason: z.string().optional() })).default([]) }),
});

export function readResponse<T>({ status, body }: ServiceResponse, schema: z.ZodType<T>): T {
  const details = `status ${status}`;
  if (status === 401) throw new ServiceError('refused', details);
  if (status === 403) {
    const refusal = Refusal.safeParse(body);
    const isDisabled =
      refusal.success &&
      refusal.data.error.details.some(({ reason }) => reason === 'SERVICE_DISABLED');
    throw new ServiceError(isDisabled ? 'disabled' : 'unknown_domain', details);
  }
  if (status === 404) throw new ServiceError('unknown_domain', details);
  const result = schema.safeParse(body);
  if (status !== 200 || !result.success) throw new ServiceError('unavailable', details);
  return result.data;
}
