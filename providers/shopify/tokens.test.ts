// Tests the tokens of the client credentials grant against a local store that can revoke them.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { StoreCredentials } from '#areas/stores/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import { type ShopifyShop, startShopifyShop } from '#testing/servers/shopify-shop.ts';
import { shopify } from './index.ts';

const { signal } = new AbortController();
const HOUR_MS = 3_600_000;
let shop: ShopifyShop;
let credentials: StoreCredentials;
let adapter: ReturnType<typeof shopify>;

beforeAll(async () => {
  shop = await startShopifyShop(() => clock.now());
});
afterAll(() => shop.close());
beforeEach(() => {
  adapter = shopify({ isLocal: true });
  Object.assign(shop, { expiresIn: 86_399, refusal: undefined, tokenDelayMs: 0, issuedTokens: [] });
  shop.scope = 'read_customers,read_orders,write_products';
  credentials = {
    address: shop.address,
    key: shop.clientId,
    secret: shop.clientSecret,
    access: 'client',
  };
});

const check = () => adapter.check(credentials, signal);

test('all calls use one token until shortly before it expires, then a new token', async () => {
  await check();
  await check();
  expect(shop.issuedTokens).toHaveLength(1);
  clock.advance(24 * HOUR_MS - 11 * 60_000);
  await check();
  expect(shop.issuedTokens).toHaveLength(1);
  // The token is still valid for nine minutes.
  clock.advance(2 * 60_000);
  await check();
  expect(shop.issuedTokens).toHaveLength(2);
});

test('a revoked token is renewed once, and the call is repeated', async () => {
  await check();
  shop.revokeTokens();
  expect(await check()).toMatchObject({ domain: 'tea.example' });
  expect(shop.issuedTokens).toHaveLength(2);
});

test('if the store refuses the renewed token, the call fails as refused', async () => {
  await check();
  shop.expiresIn = -1;
  shop.revokeTokens();
  await expect(check()).rejects.toMatchObject({ code: 'refused' });
  expect(shop.issuedTokens).toHaveLength(2);
});

test('concurrent calls share one renewal, even after their token was refused', async () => {
  shop.tokenDelayMs = 30;
  await Promise.all(Array.from({ length: 20 }, check));
  expect(shop.issuedTokens).toHaveLength(1);
  shop.revokeTokens();
  await Promise.all(Array.from({ length: 20 }, check));
  expect(shop.issuedTokens).toHaveLength(2);
});

test('a failed renewal fails all its callers and the next caller retries', async () => {
  shop.refusal = { status: 500, body: 'broken' };
  const settledChecks = await Promise.allSettled([check(), check(), check()]);
  expect(settledChecks.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  shop.refusal = undefined;
  await check();
  expect(shop.issuedTokens).toHaveLength(1);
});

test('a call with another secret does not use the token of the first secret', async () => {
  await check();
  credentials = { ...credentials, secret: 'another' };
  await expect(check()).rejects.toMatchObject({ code: 'refused' });
});

test('an older app’s fixed token is used unchanged', async () => {
  credentials = { address: shop.address, key: shop.fixedToken, secret: 'app secret' };
  expect(await check()).toMatchObject({ title: 'Tea' });
  expect(shop.issuedTokens).toEqual([]);
});

test.each([
  ['refused', { status: 400, body: '{"error":"invalid_client"}' }],
  ['not_installed', { status: 400, body: '{"error":"app_not_installed"}' }],
  ['not_permitted', { status: 400, body: '<p>Oauth error shop_not_permitted: no</p>' }],
  ['refused', { status: 401, body: '' }],
  ['not_a_shop', { status: 404, body: '<html>Not found</html>' }],
  ['not_a_shop', { status: 200, body: '<html>A page</html>' }],
  ['not_a_shop', { status: 200, body: '{"access_token":null}' }],
  ['busy', { status: 429, body: '' }],
  ['unreachable', { status: 502, body: '' }],
] as const)('a token request fails as %s after an error response', async (fault, refusal) => {
  shop.refusal = refusal;
  await expect(check()).rejects.toMatchObject({ code: fault });
});

test('an app that lacks a permission is reported and works once it has the permission', async () => {
  shop.scope = 'read_customers,read_products';
  await expect(check()).rejects.toMatchObject({
    code: 'scopes_missing',
    message: 'The app lacks read_orders.',
  });
  shop.scope += ',read_orders';
  expect(await check()).toMatchObject({ title: 'Tea' });
});
