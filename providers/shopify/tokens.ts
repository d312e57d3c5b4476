// Access tokens of apps created since 2026: Shopify shows no token to copy, but exchanges the app's
// client ID and secret for a token that lasts 24 hours (client credentials grant). Older apps have
// a fixed token. Tokens are held in memory only: a restart costs one request per store.
import { createHash } from 'node:crypto';
import {
  type StoreCredentials,
  readObject,
  readText,
  StoreError,
  SHOPIFY_SCOPES,
} from '#areas/stores/server/index.ts';
import { parseJson } from '#platform/server/clean-text.ts';
import { clock } from '#platform/server/clock.ts';
import { callShop, type ShopOptions, UnauthorizedError } from '../shop-http.ts';

/**
 * A token is renewed this long before it expires, or after nine tenths of its lifetime if that is
 * later.
 */
const RENEWAL_MS = 600_000;
const DEFAULT_SECONDS = 86_399;
const MAX_TOKENS = 10_000;

type Token = { value: string; renewAt: number };

type ShopifyTokens = {
  /**
   * Makes a call with a valid token. If the token is refused, renews it once and repeats the call.
   */
  withToken<T>(
    base: string,
    credentials: StoreCredentials,
    signal: AbortSignal,
    call: (token: string) => Promise<T>,
  ): Promise<T>;
};

export function newTokens(options: ShopOptions): ShopifyTokens {
  const tokens = new Map<string, Token>();
  const renewals = new Map<string, Promise<Token>>();

  /**
   * Returns the current token, or a new one if the current token is the `rejectedToken` or about to
   * expire. Concurrent callers for a store share one renewal.
   */
  async function currentToken(
    base: string,
    credentials: StoreCredentials,
    rejectedToken?: string,
  ): Promise<string> {
    const cacheKey = cacheKeyOf(base, credentials);
    const cachedToken = tokens.get(cacheKey);
    if (
      cachedToken &&
      cachedToken.value !== rejectedToken &&
      cachedToken.renewAt > clock.now().getTime()
    )
      return cachedToken.value;
    const pending = renewals.get(cacheKey);
    if (pending) return (await pending).value;
    const renewal = requestToken(base, credentials, options)
      .then((token) => {
        if (tokens.size >= MAX_TOKENS) tokens.clear();
        tokens.set(cacheKey, token);
        return token;
      })
      .finally(() => renewals.delete(cacheKey));
    renewals.set(cacheKey, renewal);
    return (await renewal).value;
  }

  return {
    async withToken(base, credentials, signal, call) {
      if (credentials.access !== 'client') return call(credentials.key);
      const token = await currentToken(base, credentials);
      signal.throwIfAborted();
      try {
        return await call(token);
      } catch (error) {
        if (!(error instanceof UnauthorizedError)) throw error;
        return call(await currentToken(base, credentials, token));
      }
    },
  };
}

/**
 * The secret is part of the key, so a new secret of the same app never uses a token of the old
 * secret.
 */
const cacheKeyOf = (base: string, { key, secret }: StoreCredentials): string =>
  createHash('sha256')
    .update(JSON.stringify([base, key, secret]))
    .digest('base64url');

async function requestToken(
  base: string,
  { key, secret }: StoreCredentials,
  options: ShopOptions,
): Promise<Token> {
  const startedAt = clock.now().getTime();
  const { status, body } = await callShop(
    `${base}/admin/oauth/access_token`,
    {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        accept: 'application/json',
      },
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: key,
        client_secret: secret,
      }).toString(),
    },
    options,
  );
  const text = body.toString('utf8');
  if (status === 400 || status === 401 || status === 403) throw refusalOf(text);
  if (status === 404) throw new StoreError('not_a_shop', 'Shopify knows no such store.');
  if (status !== 200)
    throw new StoreError('unreachable', `The token request failed with status ${status}.`);
  const tokenResponse = readObject(jsonOf(text));
  const value = readText(tokenResponse.access_token, 1000);
  if (!value) throw new StoreError('not_a_shop', 'The response contains no token.');
  if (typeof tokenResponse.scope === 'string') requireScopes(tokenResponse.scope);
  const seconds = Number(tokenResponse.expires_in);
  const lastsMs = 1000 * (Number.isFinite(seconds) && seconds > 0 ? seconds : DEFAULT_SECONDS);
  return { value, renewAt: startedAt + lastsMs - Math.min(RENEWAL_MS, lastsMs / 10) };
}

/** Shopify responds with JSON or a page; both contain the error's code. */
function refusalOf(text: string): StoreError {
  const code = /app_not_installed|shop_not_permitted|invalid_client/.exec(text)?.[0];
  if (code === 'app_not_installed')
    return new StoreError('not_installed', 'The app is not installed in this store.');
  if (code === 'shop_not_permitted')
    return new StoreError(
      'not_permitted',
      'The app and the store belong to different organizations.',
    );
  return new StoreError('refused', `The token request was refused: ${code ?? 'no known reason'}.`);
}

/** Checks the scopes without which nothing can be imported. `write_x` includes `read_x`. */
function requireScopes(scopes: string): void {
  const grantedScopes = new Set(scopes.split(/[\s,]+/));
  const missing = SHOPIFY_SCOPES.filter(
    (scope) => !grantedScopes.has(scope) && !grantedScopes.has(scope.replace('read_', 'write_')),
  );
  if (missing.length > 0)
    throw new StoreError('scopes_missing', `The app lacks ${missing.join(', ')}.`);
}

function jsonOf(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}
