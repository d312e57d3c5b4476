// Calls with the public key, which is visible in a store's page, cannot change another visitor's
// carts, the catalog or the store's own orders, and activate no subscriber without confirmation.
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { encodeId, encodePublicId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { publicClient } from '#testing/setup/public-client.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import { pickSubscriberProducts } from './catalog.ts';
import { consentRequested } from './events.ts';
import { purgePoller } from './inbox.ts';

let server: TestServer;
let nextShop = 1;

beforeAll(async () => {
  server = await testServer();
});

const ADA = 'visitor-of-ada-1234567890';
const OTHER_VISITOR = 'visitor-of-a-stranger-123';
type WriteMethod = 'POST' | 'PATCH' | 'DELETE';

/**
 * Creates an account with a store connected by its plugin and one synced product; `publicly` calls
 * with the public key, `trusted` with the plugin's token.
 */
async function openShop() {
  const owner = await server.owner();
  const { accountId } = owner;
  const bearer = { authorization: `Bearer ${(await publicClient(server, owner)).token}` };
  const domain = `tea${nextShop++}.example`;
  const client = server.client();
  const response = await client.post(
    '/v2/stores',
    { domain, name: 'Tea', type: 'wordpress' },
    bearer,
  );
  const store_id = response.body.data.id as string;
  const importData = (body: object) =>
    client.post(`/v2/stores/${store_id}/import_shop_data`, body, bearer);
  const image = 'https://cdn.example/1.png';
  const products = [
    {
      remote_productId: 11,
      title: 'Sencha',
      price: '9',
      image,
      url: `https://www.${domain}/sencha`,
    },
  ];
  expect((await importData({ products })).status).toBe(200);
  const key = (await client.get('/v2/users', bearer)).body.account.resource_key as string;
  const publicly = (
    method: WriteMethod,
    url: string,
    payload: object,
    headers: Record<string, string> = { origin: `https://${domain}` },
  ) => client.send({ method, url, payload: { resource_key: key, ...payload }, headers });
  const sendTrusted = (method: WriteMethod, url: string, payload: object) =>
    client.send({ method, url, payload: { store_id, ...payload }, headers: bearer });
  const carts = async () => {
    const { rows } = await sql<{
      visitor: string | null;
      state: string;
      total: number;
      titles: string;
      url: string | null;
    }>`
      select c.visitor, c.state, c.total::float8 as total, c.url,
        (select string_agg(l.title, ', ' order by l.position) from cart_products l
          where l.account_id = c.account_id and l.cart_id = c.id) as titles
      from carts c where c.account_id = ${accountId} order by c.id`.execute(server.db);
    return rows;
  };
  const orders = async () => {
    const { rows } = await sql<{
      number: string;
      total: number;
      is_confirmed: boolean;
      email: string;
    }>`
      select o.number, o.total::float8 as total, o.is_confirmed, s.email
      from orders o left join subscribers s on s.account_id = o.account_id and s.id = o.subscriber_id
      where o.account_id = ${accountId} order by o.number, o.id`.execute(server.db);
    return rows;
  };
  const statusOf = async (email: string) => {
    const { rows } = await sql<{ email_status: string }>`select email_status from subscribers
      where account_id = ${accountId} and email = ${email}`.execute(server.db);
    return rows[0]?.email_status;
  };
  return {
    accountId,
    domain,
    key,
    store_id,
    importData,
    publicly,
    trusted: sendTrusted,
    carts,
    orders,
    statusOf,
  };
}

const EVIL = {
  product_id: 666,
  name: 'Click here',
  price: 1,
  qty: 1,
  url: 'https://evil.example/',
  image: 'https://evil.example/x.png',
};
const cartOf = (visitor: string, ...products: object[]) => ({
  ...{ external_id: 'c1', visitor, currency: 'EUR', products },
});

test('a stranger’s call never affects another visitor’s cart', async () => {
  const shop = await openShop();
  const tea = { product_id: 11, name: 'Sencha', price: 9, qty: 1 };
  const cartPayload = {
    ...cartOf(ADA, tea),
    email: 'ada@home.example',
    url: `https://${shop.domain}/cart`,
  };
  expect((await shop.trusted('POST', '/commerce/carts', cartPayload)).status).toBe(200);
  const [before] = await shop.carts();
  const evil = { ...cartOf(OTHER_VISITOR, EVIL), url: 'https://evil.example/', order_total: 1 };
  for (const [method, url, payload] of [
    ['POST', '/commerce/carts', evil],
    ['PATCH', '/commerce/carts/c1', evil],
    ['DELETE', '/commerce/carts/c1', { visitor: OTHER_VISITOR }],
    ['DELETE', '/commerce/carts/c1', {}],
    [
      'POST',
      '/commerce/carts/c1/convert',
      { visitor: OTHER_VISITOR, order_id: 7, email: 'eve@home.example' },
    ],
    ['POST', '/commerce/carts/c1/convert', { order_id: 7 }],
    [
      'PATCH',
      '/commerce/carts/c1/status',
      { visitor: OTHER_VISITOR, order_id: 7, cart_status: 'paid' },
    ],
  ] as const)
    expect((await shop.publicly(method, url, payload)).status, `${method} ${url}`).toBe(200);
  expect((await shop.publicly('POST', '/commerce/carts', { external_id: 'c1' })).status).toBe(422);
  const [after, strangersCart] = await shop.carts();
  expect(after).toEqual(before);
  // The stranger's own cart with the same number has no external link.
  expect(strangersCart).toMatchObject({ visitor: OTHER_VISITOR, url: null });
  // The visitor's own browser changes the first cart.
  const largerCart = cartOf(ADA, tea, EVIL);
  expect((await shop.publicly('PATCH', '/commerce/carts/c1', largerCart)).status).toBe(200);
  expect((await shop.carts())[0]).toMatchObject({ titles: 'Sencha, Click here', state: 'open' });
  // A page that still has an earlier key of the account changes the same cart.
  const earlierCart = {
    ...largerCart,
    resource_key: encodeId('account', shop.accountId),
    order_total: 31,
  };
  expect((await shop.publicly('PATCH', '/commerce/carts/c1', earlierCart)).status).toBe(200);
  expect((await shop.carts())[0]).toMatchObject({ total: 31, state: 'open' });
  // The key of another account is refused on this store's page.
  const otherShop = await openShop();
  const page = { origin: `https://${shop.domain}` };
  expect(
    (await otherShop.publicly('DELETE', '/commerce/carts/c1', { visitor: ADA }, page)).status,
  ).toBe(403);
  expect((await shop.carts())[0]).toMatchObject({ state: 'open' });
  expect((await shop.publicly('DELETE', '/commerce/carts/c1', { visitor: ADA })).status).toBe(200);
  expect((await shop.carts())[0]).toMatchObject({ state: 'given_up' });
});

test('products reported by visitors never enter the catalog, and emails show only synced products', async () => {
  const shop = await openShop();
  const forgedProduct = { ...EVIL, product_id: 11 };
  await shop.publicly('POST', '/commerce/create_subscriber', {
    visitor: ADA,
    email: 'bo@home.example',
  });
  expect(
    (await shop.publicly('POST', '/commerce/carts', cartOf(ADA, forgedProduct, EVIL))).status,
  ).toBe(200);
  await shop.publicly('POST', '/commerce/carts/c1/convert', {
    ...{ visitor: OTHER_VISITOR, order_id: 8, products: [EVIL] },
  });
  const { rows } = await sql<{ id: number; title: string; image_url: string }>`
    select id, title, image_url from products where account_id = ${shop.accountId}`.execute(
    server.db,
  );
  expect(rows).toMatchObject([{ title: 'Sencha', image_url: 'https://cdn.example/1.png' }]);
  const subscribers = await sql<{ id: number }>`select id from subscribers
    where account_id = ${shop.accountId} and email = 'bo@home.example'`.execute(server.db);
  const id = subscribers.rows[0]?.id as number;
  const picks = await pickSubscriberProducts(server.db, shop.accountId, 'cart', {
    subscriberIds: [id],
    limit: 9,
  });
  expect([...picks]).toEqual([[id, [{ id: rows[0]?.id, quantity: 1 }]]]);
});

test('an emptied cart reopens when it is refilled', async () => {
  const shop = await openShop();
  const email = 'bo@home.example';
  const tea = { product_id: 11, name: 'Sencha', qty: 1, price: 9 };
  await shop.publicly('POST', '/commerce/create_subscriber', { visitor: ADA, email });
  await shop.publicly('POST', '/commerce/carts', cartOf(ADA, tea));
  await shop.publicly('DELETE', '/commerce/carts/c1', { visitor: ADA });
  await shop.publicly('POST', '/commerce/carts', cartOf(ADA, tea));
  const { rows } = await sql<{ id: number; carts: number }>`
    select s.id, b.cart_product_count as carts from subscribers s
    join shoppers b on b.account_id = s.account_id and b.subscriber_id = s.id
    where s.account_id = ${shop.accountId} and s.email = ${email}`.execute(server.db);
  const { id, carts } = rows[0] ?? { id: 0, carts: 0 };
  expect(carts).toBe(1);
  const picks = await pickSubscriberProducts(server.db, shop.accountId, 'cart', {
    subscriberIds: [id],
    limit: 9,
  });
  expect(picks.get(id)).toHaveLength(1);
});

test('an order that only a browser reported does not hide the products of the last confirmed order', async () => {
  const shop = await openShop();
  const email = 'bo@home.example';
  const products = [{ product_id: 11, name: 'Sencha', qty: 1, price: 9 }];
  const placedOrder = { orderId: 7, email, created_at: '2026-03-01 10:00:00', status: 'completed' };
  await shop.importData({ orders: [{ ...placedOrder, products }] });
  const response = await shop.publicly('POST', '/commerce/carts/c9/convert', {
    ...{ visitor: OTHER_VISITOR, email, order_id: 8, products: [EVIL] },
  });
  expect(response.status).toBe(200);
  const { rows } = await sql<{ subscriber_id: number; is_confirmed: boolean }>`
    select subscriber_id, is_confirmed from orders where account_id = ${shop.accountId}
    order by id`.execute(server.db);
  expect(rows.map((row) => row.is_confirmed)).toEqual([true, false]);
  const subscriberId = rows[0]?.subscriber_id as number;
  expect(rows[1]?.subscriber_id).toBe(subscriberId);
  const options = { subscriberIds: [subscriberId], limit: 9 };
  const picks = await pickSubscriberProducts(server.db, shop.accountId, 'ordered', options);
  expect(picks.get(subscriberId)).toHaveLength(1);
});

test('a refund that only a browser reported does not match conditions', async () => {
  const shop = await openShop();
  const email = 'bo@home.example';
  await shop.importData({ customers: [{ id: 7, email }] });
  const refund = { order_details: { total: '9', refunded: '9' }, status: 'refunded' };
  const response = await shop.publicly('POST', '/commerce/carts/c9/convert', {
    ...{ visitor: OTHER_VISITOR, email, order_id: 8, products: [EVIL], ...refund },
  });
  expect(response.status).toBe(200);
  const countMatches = async (condition: string) => {
    const conditions = `refunded_order,${condition}`;
    const response = await shop.trusted('POST', '/v2/segments/count', { conditions });
    expect(response.status, response.text).toBe(200);
    return response.body.data.subscribers;
  };
  const conditions = [
    `specific,${shop.store_id},1,and,and,`,
    'between,2020-01-01,1,and,and,,2099-01-01',
    'before,2099-01-01,1,and,and,',
    'all,,1,and,and,',
  ];
  for (const condition of conditions) expect(await countMatches(condition), condition).toBe(0);
  await shop.importData({ orders: [{ orderId: 7, email, ...refund }] });
  for (const condition of conditions) expect(await countMatches(condition), condition).toBe(1);
});

test('product links redirect only to hosts of the store', async () => {
  const shop = await openShop();
  const cases = {
    'https://DOMAIN/tea': true,
    'https://www.DOMAIN:8443/tea': true,
    'http://shop.DOMAIN/tea': true,
    'https://evil.example/tea': false,
    'https://evil-DOMAIN/tea': false,
    'https://DOMAIN.evil.example/tea': false,
    'https://DOMAIN@evil.example/tea': false,
    'https://evil.example/?https://DOMAIN/': false,
    'https://example/tea': false,
  };
  const urls = Object.keys(cases).map((pattern) => pattern.replace('DOMAIN', shop.domain));
  const image = 'https://cdn.example/2.png';
  const products = urls.map((url, i) => ({ remote_productId: 100 + i, title: 'Tea', image, url }));
  expect((await shop.importData({ products })).status).toBe(200);
  const { rows } = await sql<{ id: number }>`select id from products
    where account_id = ${shop.accountId} and remote_id <> '11' order by remote_id`.execute(
    server.db,
  );
  for (const [i, isFollowed] of Object.values(cases).entries()) {
    const id = encodePublicId('product', shop.accountId, rows[i]?.id as number);
    const page = await server.client().get(`/shop-product/${id}`);
    const expected = isFollowed ? [302, new URL(urls[i] as string).href] : [404, undefined];
    expect([page.status, page.headers.location], urls[i]).toEqual(expected);
  }
});

test('a browser cannot merge orders of the store or take their numbers', async () => {
  const shop = await openShop();
  const convert = (payload: object) =>
    shop.publicly('POST', '/commerce/carts/c6/convert', { visitor: OTHER_VISITOR, ...payload });
  const email = 'eve@home.example';
  const order = (orderId: number, total: string) => ({
    ...{
      orderId,
      remoteId: `c${orderId}`,
      email: `buyer${orderId}@home.example`,
      status: 'processing',
    },
    order_details: { total },
  });
  await shop.importData({ orders: [order(5, '10'), order(6, '20')] });
  // Order 7 is placed later.
  for (const order_id of [5, 6, 7])
    expect((await convert({ order_id, email, order_details: { total: '999' } })).status).toBe(200);
  await shop.importData({ orders: [order(5, '10'), order(6, '20'), order(7, '30')] });
  const countedOrders = (await shop.orders()).filter((order) => order.is_confirmed);
  expect(countedOrders.map((order) => [order.number, order.total, order.email])).toEqual([
    ['5', 10, 'buyer5@home.example'],
    ['6', 20, 'buyer6@home.example'],
    ['7', 30, 'buyer7@home.example'],
  ]);
});

test('an order that a browser reported is confirmed by the store’s report about the same buyer or cart', async () => {
  const shop = await openShop();
  const reportFromBrowser = (
    visitor: string,
    cart: string,
    order_id: number,
    email: string,
    total: string,
  ) =>
    shop.publicly('POST', `/commerce/carts/${cart}/convert`, {
      ...{ visitor, order_id, email, order_details: { total }, currency: 'EUR' },
    });
  await reportFromBrowser(ADA, 'c20', 20, 'ada@home.example', '49');
  await reportFromBrowser(OTHER_VISITOR, 'c99', 20, 'eve@home.example', '1');
  await reportFromBrowser(ADA, 'c21', 21, 'ada@home.example', '60');
  expect((await shop.orders()).some((order) => order.is_confirmed)).toBe(false);
  const status = (cart: string, order_id: number) =>
    shop.trusted('PATCH', `/commerce/carts/${cart}/status`, { order_id, cart_status: 'paid' });
  expect((await status('c20', 20)).status).toBe(200);
  const purchase = { orderId: 21, email: 'ada@home.example', status: 'processing' };
  expect((await shop.importData({ orders: [purchase] })).status).toBe(200);
  const countedOrders = (await shop.orders()).filter((order) => order.is_confirmed);
  expect(countedOrders).toMatchObject([
    { number: '20', total: 49, email: 'ada@home.example' },
    { number: '21', total: 60, email: 'ada@home.example' },
  ]);
});

/** Returns addresses and tokens of the confirmation links emailed during the work. */
async function linksEmailedDuring(
  work: () => Promise<unknown>,
): Promise<{ email: string; token: string }[]> {
  const requests: { email: string; token: string }[] = [];
  const stop = consentRequested.on(
    async (_, { email, token }) => void requests.push({ email, token }),
  );
  await work();
  stop();
  return requests;
}

test('a subscriber who signs up through the public key becomes active only by confirming the emailed link', async () => {
  const shop = await openShop();
  const consent = { newsletter: true, subscriber_status: 'subscribed', visitor: ADA };
  const signUp =
    (email: string, overrides: object = {}) =>
    () =>
      shop.publicly('POST', '/commerce/create_subscriber', { ...consent, email, ...overrides });
  const [link, ...otherLinks] = await linksEmailedDuring(
    signUp('new@home.example', { tags: ['VIP'], customer_id: 7 }),
  );
  expect([link?.email, otherLinks]).toEqual(['new@home.example', []]);
  expect(await shop.statusOf('new@home.example')).toBe('non-subscribed');
  const { rows } = await sql<{ count: number }>`select count(*) as count from single_sends
    where account_id = ${shop.accountId} and subscriber_id is not null`.execute(server.db);
  expect(rows[0]?.count).toBe(1);
  // Another sign-up on the same day sends no link.
  expect(await linksEmailedDuring(signUp('new@home.example'))).toEqual([]);
  const path = `/commerce/confirm/${link?.token}`;
  const page = await server.client().get(path);
  expect([page.status, page.text.includes('<form method="post"')]).toEqual([200, true]);
  expect(await shop.statusOf('new@home.example')).toBe('non-subscribed');
  const confirm = (to: string) => server.client().send({ method: 'POST', url: to, payload: {} });
  const otherShop = await openShop();
  const otherToken = `${otherShop.key}.${link?.token.split('.')[1]}`;
  for (const token of [otherToken, 'nonsense', `${shop.key}.${'x'.repeat(40)}`])
    expect((await confirm(`/commerce/confirm/${token}`)).status, token).toBe(410);
  expect((await confirm(path)).status).toBe(200);
  expect((await confirm(path)).status).toBe(200);
  expect(await shop.statusOf('new@home.example')).toBe('active');
  // An active subscriber gets no link. An unsubscribed one gets a link and becomes active only by
  // confirming it.
  clock.advance(25 * 3_600_000);
  expect(await linksEmailedDuring(signUp('new@home.example'))).toEqual([]);
  await shop.trusted('POST', '/commerce/create_subscriber', {
    email: 'new@home.example',
    subscriber_status: 'unsubscribed',
  });
  expect(await shop.statusOf('new@home.example')).toBe('unsubscribed');
  const [secondLink] = await linksEmailedDuring(signUp('new@home.example'));
  expect(await shop.statusOf('new@home.example')).toBe('unsubscribed');
  expect((await confirm(`/commerce/confirm/${secondLink?.token}`)).status).toBe(200);
  expect(await shop.statusOf('new@home.example')).toBe('active');
  // A call with a token is not restricted.
  await shop.trusted('POST', '/commerce/create_subscriber', {
    email: 'till@home.example',
    newsletter: true,
  });
  expect(await shop.statusOf('till@home.example')).toBe('active');
  // Carts and orders with an address activate no subscriber either.
  await shop.publicly('POST', '/commerce/carts', {
    ...cartOf(OTHER_VISITOR),
    email: 'cart@home.example',
    newsletter: true,
  });
  await shop.publicly('POST', '/commerce/carts/c1/convert', {
    ...consent,
    order_id: 1,
    email: 'order@home.example',
  });
  for (const email of ['cart@home.example', 'order@home.example'])
    expect(await shop.statusOf(email), email).toBe('non-subscribed');
  // An expired link is deleted.
  clock.advance(60 * 86_400_000);
  await purgePoller.run(server.db, new AbortController().signal);
  expect((await server.client().get(path)).status).toBe(410);
});

test('emailed links are limited per address and per network', async () => {
  clock.advance(7 * 86_400_000);
  const shops: Awaited<ReturnType<typeof openShop>>[] = [];
  for (let i = 0; i < 5; i++) shops.push(await openShop());
  const signUp = (shop: (typeof shops)[number], email: string, ip: string) =>
    server.app.inject({
      ...{ method: 'POST', url: '/commerce/create_subscriber', remoteAddress: ip },
      payload: JSON.stringify({ resource_key: shop.key, newsletter: true, email }),
      headers: { origin: `https://${shop.domain}` },
    });
  const linksToOneAddress = await linksEmailedDuring(async () => {
    for (const [i, shop] of shops.entries())
      expect((await signUp(shop, 'flooded@home.example', `198.51.100.${i}`)).statusCode).toBe(200);
  });
  expect(linksToOneAddress).toHaveLength(3);
  const [shop] = shops as [(typeof shops)[number]];
  const linksFromOneNetwork = await linksEmailedDuring(async () => {
    for (let i = 0; i < 14; i++) await signUp(shop, `reader${i}@home.example`, '203.0.113.5');
  });
  expect(linksFromOneNetwork).toHaveLength(10);
  expect(
    await linksEmailedDuring(() => signUp(shop, 'elsewhere@home.example', '203.0.114.5')),
  ).toHaveLength(1);
});
