// Calls that the server of a store's plugin makes: groups and fields by ID or name, statuses,
// orders of tracked carts, confirmation and disconnection.
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { clock } from '#platform/server/clock.ts';
import { publicClient } from '#testing/setup/public-client.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import { orderPlaced } from './events.ts';

let server: TestServer;
let nextShop = 1;

beforeAll(async () => {
  server = await testServer();
});

/** Creates an account with a token and a store that its plugin registered. */
async function connectShop(site = `https://plugin${nextShop++}.example`) {
  const owner = await server.owner();
  const api = await publicClient(server, owner);
  const headers = { authorization: `Bearer ${api.token}` };
  const register = async (domain: string) =>
    (await api.post('/stores', { domain, name: 'Shop', type: 'wordpress' })).body.data;
  const { id: store_id } = await register(site);
  const commerce = (method: 'POST' | 'PATCH' | 'DELETE', path: string, payload: object) =>
    server.client().send({
      ...{ method, url: `/commerce/${path}`, headers },
      payload: { store_id, ...payload },
    });
  const importData = (body: object) => api.post(`/stores/${store_id}/import_shop_data`, body);
  const readSubscriber = async (email: string) => {
    const { body } = await api.get(`/subscribers/${email}`);
    const { firstname, phone, status, subscriber_tags: tags, columns } = body.data;
    const values = columns.map(({ title, value }: { title: string; value: unknown }) => [
      title,
      value,
    ]);
    return {
      ...{ firstname, phone, email: status.email, sms: status.sms },
      groups: tags.map(({ title }: { title: string }) => title),
      fields: Object.fromEntries(values),
    };
  };
  const { resource_key } = (await api.get('/users')).body.account;
  const browser = (path: string, payload: object) =>
    server.client().send({
      ...{ method: 'POST', url: `/commerce/${path}`, headers: { origin: site } },
      payload: { resource_key, store_id, ...payload },
    });
  const orders = async () => {
    const { rows } = await sql<Record<string, unknown>>`
      select o.number, o.total::float8 as total, o.currency, o.is_confirmed,
        (select string_agg(l.quantity || ' ' || l.title, ', ' order by l.position)
          from order_products l where l.account_id = o.account_id and l.order_id = o.id) as lines
      from orders o where o.account_id = ${owner.accountId} order by o.number`.execute(server.db);
    return rows;
  };
  return {
    owner,
    api,
    site,
    store_id,
    register,
    commerce,
    browser,
    importData,
    person: readSubscriber,
    orders,
  };
}

test('plugin calls refer to groups and fields by ID or name, create no group, and report unknown entries', async () => {
  const { api, owner, commerce, importData, person: readSubscriber } = await connectShop();
  const create = async (path: string, body: object) => (await api.post(path, body)).body.data.id;
  const buyers = await create('/groups', { title: 'Buyers' });
  const club = await create('/groups', { title: 'Club' });
  const size = await create('/fields', { title: 'Shoe size', type: 'number' });
  const since = await create('/fields', { title: 'Member since', type: 'datetime' });
  const otherStore = await connectShop();
  const foreignGroup = (await otherStore.api.post('/groups', { title: 'Theirs' })).body.data.id;
  const importResponse = await importData({
    customers: [
      {
        ...{ id: '0', email: 'kim@plugin.example', tags: [buyers, foreignGroup, 'eZVD4w'] },
        fields: {
          ...{ [size]: '42', firstname: 'Kim', orders_count: 3, [since]: 'soon' },
          ...{ '{$member_since}': '2024-02-29', height: 3 },
        },
      },
      { id: 8, email: 'ada@plugin.example', list_id: club, fields: { shoe_size: 37.5 } },
    ],
  });
  expect(importResponse.body).toEqual({
    ...{ success: true, message: 'Data has been imported' },
    ...{
      unknown_groups: [foreignGroup, 'eZVD4w'],
      unknown_fields: ['height'],
      unfit_fields: [since],
    },
  });
  expect(await readSubscriber('kim@plugin.example')).toMatchObject({
    ...{ firstname: 'Kim', groups: ['Buyers'], email: 'non-subscribed' },
    fields: { 'Shoe size': 42, 'Member since': '2024-02-29 00:00:00' },
  });
  expect(await readSubscriber('ada@plugin.example')).toMatchObject({
    ...{ groups: ['Club'], fields: { 'Shoe size': 37.5 } },
  });
  const captureResponse = await commerce('POST', 'create_subscriber', {
    ...{
      email: 'bo@plugin.example',
      list_id: 'nothing',
      tags: ['club'],
      fields: { shoe_size: '' },
    },
  });
  expect(captureResponse.body).toMatchObject({ success: true, unknown_groups: ['nothing'] });
  const conversion = await commerce('POST', 'carts/77/convert', {
    ...{ order_id: 770, email: 'bo@plugin.example', list_id: buyers },
    ...{ fields: { shoe_size: 44 }, order_details: { total: '9.00' } },
  });
  expect(conversion.body).toEqual({ success: true });
  expect(await readSubscriber('bo@plugin.example')).toMatchObject({
    ...{ groups: ['Buyers', 'Club'], fields: { 'Shoe size': 44 } },
  });
  const groups = (await owner.get('/client-api/api/tags')).body.data;
  expect(groups.map(({ title }: { title: string }) => title).sort()).toEqual(['Buyers', 'Club']);
});

test('an update replaces details, and the store resubscribes only subscribers whom it unsubscribed itself', async () => {
  const { api, commerce, importData, person: readSubscriber } = await connectShop();
  const email = 'eli@plugin.example';
  const update = async (body: object) => {
    clock.advance(1_000);
    const { status } = await commerce('PATCH', 'subscribers/store/update', { email, ...body });
    expect(status).toBe(200);
    return readSubscriber(email);
  };
  await importData({ customers: [{ email, firstname: 'E', phone: '+37061234567' }] });
  expect(
    await update({ firstname: 'Eli', phone: '+37061234568', sms_status: 'ACTIVE' }),
  ).toMatchObject({
    firstname: 'Eli',
    phone: '+37061234568',
    email: 'non-subscribed',
    sms: 'active',
  });
  expect(await update({ subscriber_status: 'ACTIVE' })).toMatchObject({ email: 'active' });
  expect(await update({ firstname: '', subscriber_status: 'UNSUBSCRIBED' })).toMatchObject({
    ...{ firstname: 'Eli', email: 'unsubscribed', sms: 'active' },
  });
  expect(await update({ subscriber_status: 'NON-SUBSCRIBED' })).toMatchObject({
    email: 'unsubscribed',
  });
  expect(await update({ subscriber_status: 'ACTIVE' })).toMatchObject({ email: 'active' });
  // Another store of the account and an import reactivate no subscriber.
  await update({ subscriber_status: 'UNSUBSCRIBED' });
  const second = (
    await api.post('/stores', { domain: 'https://second.example', type: 'wordpress' })
  ).body.data.id;
  expect(await update({ store_id: second, subscriber_status: 'ACTIVE' })).toMatchObject({
    email: 'unsubscribed',
  });
  await importData({ customers: [{ email, newsletter: true }] });
  expect(await readSubscriber(email)).toMatchObject({ email: 'unsubscribed' });
  // The subscriber's own opt-out after the store's unsubscribe remains.
  clock.advance(1_000);
  await api.post('/suppressions', { addresses: [email], channel: 'email', reason: 'unsubscribed' });
  expect(await update({ subscriber_status: 'ACTIVE' })).toMatchObject({ email: 'unsubscribed' });
  // A bounced address is neither unsubscribed nor restored.
  await api.patch(`/subscribers/${email}`, { sms_status: 'BOUNCED' });
  await update({ sms_status: 'UNSUBSCRIBED' });
  expect(await update({ sms_status: 'ACTIVE' })).toMatchObject({ sms: 'bounced' });
});

const TEA = { remote_productId: 'tea', title: 'Oolong', price: '7.50' };

test('a live order reported without products gets products, currency and total from its cart', async () => {
  const { owner, commerce, browser, importData, orders } = await connectShop();
  await importData({ products: [TEA] });
  const placedOrders: { productIds: number[]; amount: number }[] = [];
  const stop = orderPlaced.on(async (_, payload) => {
    if (payload.accountId === owner.accountId) placedOrders.push(...payload.orders);
  });
  const email = 'una@plugin.example';
  await commerce('POST', 'carts', {
    ...{ external_id: 'a1', email, currency: 'NOK', order_total: '16,50' },
    products: [{ product_id: 'tea', name: 'Oolong', qty: 2, price: '8.25' }],
  });
  const purchase = { email, order_id: 31, order_details: { total: '' }, products: [] };
  await commerce('POST', 'carts/a1/convert', purchase);
  // Only synced products of a visitor's cart count, at the price of the catalog.
  const visitor = 'visitor-of-una-1234567890';
  const forgedItem = { product_id: 'tea', name: 'Gold', qty: 3, price: 9_000 };
  const unknown = { product_id: 'gold', name: 'Gold', qty: 1, price: 9_000 };
  await browser('carts', {
    ...{ external_id: 'b2', visitor, email, currency: 'NOK', products: [forgedItem, unknown] },
  });
  await commerce('POST', 'carts/b2/convert', { email, order_id: 32 });
  expect(await orders()).toEqual([
    { number: '31', total: 16.5, currency: 'NOK', is_confirmed: true, lines: '2 Oolong' },
    { number: '32', total: 22.5, currency: 'NOK', is_confirmed: true, lines: '3 Oolong' },
  ]);
  stop();
  expect(placedOrders.map(({ amount, productIds }) => [amount, productIds.length])).toEqual([
    [16.5, 1],
    [22.5, 1],
  ]);
  const { rows } = await sql`select from products where account_id = ${owner.accountId}`.execute(
    server.db,
  );
  expect(rows).toHaveLength(1);
});

test('an order reported by a browser counts as soon as the store’s server reports its number or a paid state', async () => {
  const { commerce, browser, orders } = await connectShop();
  const visitor = 'visitor-of-ole-1234567890';
  const email = 'ole@plugin.example';
  const reportFromBrowser = (order_id: number, overrides: object = {}) =>
    browser(`carts/c${order_id}/convert`, {
      ...{
        visitor,
        email,
        order_id,
        order_details: { total: '12.00' },
        currency: 'EUR',
        ...overrides,
      },
    });
  const nameLastOrder = (last_order_number: unknown, address = email) =>
    commerce('PATCH', 'subscribers/store/update', {
      ...{ email: address, fields: { last_order_number } },
    });
  const listConfirmedNumbers = async () =>
    (await orders()).filter((order) => order.is_confirmed).map(({ number }) => number);
  for (const order_id of [51, 52, 53, 54])
    expect((await reportFromBrowser(order_id)).status).toBe(200);
  await reportFromBrowser(54, { visitor: 'another-visitor-123456789' });
  await reportFromBrowser(55, { status: 'pending' });
  expect(await listConfirmedNumbers()).toEqual([]);
  // These confirm nothing: another buyer's call, a browser's call, an ambiguous number, an unpaid
  // order.
  await nameLastOrder(51, 'eva@plugin.example');
  await browser('subscribers/store/update', { visitor, email, fields: { last_order_number: 51 } });
  for (const number of [54, 55, '', 'none', { a: 1 }]) await nameLastOrder(number);
  expect(await listConfirmedNumbers()).toEqual([]);
  await nameLastOrder('#51');
  await nameLastOrder(51);
  expect(await listConfirmedNumbers()).toEqual(['51']);
  await commerce('PATCH', 'carts/c52/status', { order_id: 52, cart_status: 'pending' });
  await nameLastOrder(52);
  expect(await listConfirmedNumbers()).toEqual(['51']);
  clock.advance(1_000);
  await commerce('PATCH', 'carts/c52/status', { order_id: 52, cart_status: 'wc-processing' });
  expect(await listConfirmedNumbers()).toEqual(['51', '52']);
  const [first] = await orders();
  expect(first).toMatchObject({ total: 12, currency: 'EUR' });
});

test('calls about a disconnected store return 404 until it reconnects, and each path on a host is a separate store', async () => {
  const { owner, api, store_id, site, register, commerce, importData } = await connectShop();
  const callStatuses = async () => {
    const storePath = `/client-api/api/connected-stores/${store_id}`;
    return [
      await api.get(`/stores/${store_id}`),
      await api.delete(`/stores/${store_id}`),
      await importData({ customers: [{ email: 'a@plugin.example' }] }),
      await commerce('POST', 'carts', { external_id: '1' }),
      await commerce('PATCH', 'subscribers/store/update', { email: 'a@plugin.example' }),
      await owner.get(storePath),
      await owner.patch(storePath, { title: 'Other' }),
      await owner.post(`${storePath}/sync`),
    ].map(({ status }) => status);
  };
  expect((await api.delete(`/stores/${store_id}`)).status).toBe(200);
  expect(new Set(await callStatuses())).toEqual(new Set([404]));
  expect((await api.get('/stores')).body.data).toEqual([]);
  expect((await api.get('/subscribers/a@plugin.example')).status).toBe(404);
  expect((await register(site)).id).toBe(store_id);
  expect((await importData({ customers: [{ email: 'a@plugin.example' }] })).status).toBe(200);
  // `www.` and a trailing slash do not change the store; each folder is a separate store.
  const host = site.replace('https://', '');
  const ids = new Map<string, string>();
  for (const address of ['/shop', '/outlet/', '/shop/', '/outlet', '']) {
    const { id, domain } = await register(`https://www.${host}${address}`);
    ids.set(domain, id);
  }
  expect(ids.size).toBe(3);
  expect(new Set(ids.values()).size).toBe(3);
  expect(ids.get(host)).toBe(store_id);
  const storeOfCart = async (cart: string, payload: object) => {
    const { resource_key } = (await api.get('/users')).body.account;
    const response = await server.client().send({
      ...{ method: 'POST', url: '/commerce/carts', headers: { origin: site } },
      payload: { resource_key, visitor: 'visitor-of-folders-12345', external_id: cart, ...payload },
    });
    const { rows } = await sql<{ domain: string }>`
      select s.domain from carts c join stores s on s.account_id = c.account_id and s.id = c.store_id
      where c.account_id = ${owner.accountId} and c.remote_id = ${cart}`.execute(server.db);
    return response.status === 200 ? rows[0]?.domain : response.status;
  };
  expect(await storeOfCart('1', { page: `${site}/outlet/tea` })).toBe(`${host}/outlet`);
  expect(await storeOfCart('2', { page: `${site}/outlets` })).toBe(host);
  expect(await storeOfCart('3', { url: `${site}/shop/cart` })).toBe(`${host}/shop`);
  expect(await storeOfCart('4', {})).toBe(403);
});

test('orders in an unknown state wait for the owner’s choice, and orders that already count are unchanged', async () => {
  const { owner, store_id, importData, orders } = await connectShop();
  const storePath = `/client-api/api/connected-stores/${store_id}`;
  const email = 'ina@plugin.example';
  const report = (orderId: number, status: string) =>
    importData({ orders: [{ orderId, status, email, order_details: { total: 5 } }] });
  const listConfirmedNumbers = async () =>
    (await orders()).filter((order) => order.is_confirmed).map(({ number }) => number);
  await report(61, 'processing');
  await report(61, 'Gift wrapped');
  for (const [index, status] of ['Gift wrapped', 'gift_wrapped', 'Lost in post'].entries())
    await report(62 + index, status);
  await report(65, 'awaiting_check_payment');
  expect(await listConfirmedNumbers()).toEqual(['61']);
  expect((await owner.get(storePath)).body.data.order_states).toEqual([
    { state: expect.stringMatching(/gift/i), orders: 2, meaning: null },
    { state: 'Lost in post', orders: 1, meaning: null },
  ]);
  const choose = async (state: string, meaning: string) => {
    const { status } = await owner.patch(storePath, { order_states: [{ state, meaning }] });
    await server.runJobs();
    return [status, await listConfirmedNumbers()];
  };
  expect(await choose('GIFT-WRAPPED', 'paid')).toEqual([200, ['61', '62', '63']]);
  expect(await choose('Lost in post', 'unpaid')).toEqual([200, ['61', '62', '63']]);
  expect(await choose('awaiting check payment', 'paid')).toEqual([200, ['61', '62', '63']]);
  await report(66, 'gift wrapped');
  expect(await listConfirmedNumbers()).toEqual(['61', '62', '63', '66']);
  expect((await owner.get(storePath)).body.data.order_states).toMatchObject([
    { state: 'gift wrapped', orders: 0, meaning: 'paid' },
    { state: 'Lost in post', orders: 1, meaning: 'unpaid' },
  ]);
  expect((await choose('Lost in post', 'sold'))[0]).toBe(422);
  const otherOwner = await server.owner();
  const body = { order_states: [{ state: 'Lost in post', meaning: 'paid' }] };
  expect((await otherOwner.patch(storePath, body)).status).toBe(404);
});
