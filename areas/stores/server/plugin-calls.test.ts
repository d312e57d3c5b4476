// Calls of a store plugin's server: groups and fields by id, statuses, orders of tracked carts,
// confirmation and disconnection.
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { clock } from '#platform/server/clock.ts';
import { publicClient } from '#testing/setup/public-client.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';

let server: TestServer;
let nextShop = 1;

beforeAll(async () => {
  server = await testServer();
});

/** An account with a token and a store that its plugin registered. */
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
  const person = async (email: string) => {
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
  return { owner, api, site, store_id, register, commerce, importData, person };
}

test('plugin calls choose groups and fields by id, create no group, and report unknown entries', async () => {
  const { api, owner, commerce, importData, person } = await connectShop();
  const made = async (path: string, body: object) => (await api.post(path, body)).body.data.id;
  const buyers = await made('/groups', { title: 'Buyers' });
  const club = await made('/groups', { title: 'Club' });
  const size = await made('/fields', { title: 'Shoe size', type: 'number' });
  const since = await made('/fields', { title: 'Member since', type: 'datetime' });
  const foreign = await connectShop();
  const other = (await foreign.api.post('/groups', { title: 'Theirs' })).body.data.id;
  const imported = await importData({
    customers: [
      {
        ...{ id: '0', email: 'kim@plugin.example', tags: [buyers, other, 'eZVD4w'] },
        fields: {
          ...{ [size]: '42', firstname: 'Kim', orders_count: 3, [since]: 'soon' },
          ...{ '{$member_since}': '2024-02-29', height: 3 },
        },
      },
      { id: 8, email: 'ada@plugin.example', list_id: club, fields: { shoe_size: 37.5 } },
    ],
  });
  expect(imported.body).toEqual({
    ...{ success: true, message: 'Data has been imported' },
    ...{ unknown_groups: [other, 'eZVD4w'], unknown_fields: ['height'], unfit_fields: [since] },
  });
  expect(await person('kim@plugin.example')).toMatchObject({
    ...{ firstname: 'Kim', groups: ['Buyers'], email: 'non-subscribed' },
    fields: { 'Shoe size': 42, 'Member since': '2024-02-29 00:00:00' },
  });
  expect(await person('ada@plugin.example')).toMatchObject({
    ...{ groups: ['Club'], fields: { 'Shoe size': 37.5 } },
  });
  const captured = await commerce('POST', 'create_subscriber', {
    ...{
      email: 'bo@plugin.example',
      list_id: 'nothing',
      tags: ['club'],
      fields: { shoe_size: '' },
    },
  });
  expect(captured.body).toMatchObject({ success: true, unknown_groups: ['nothing'] });
  const converted = await commerce('POST', 'carts/77/convert', {
    ...{ order_id: 770, email: 'bo@plugin.example', list_id: buyers },
    ...{ fields: { shoe_size: 44 }, order_details: { total: '9.00' } },
  });
  expect(converted.body).toEqual({ success: true });
  expect(await person('bo@plugin.example')).toMatchObject({
    ...{ groups: ['Buyers', 'Club'], fields: { 'Shoe size': 44 } },
  });
  const groups = (await owner.get('/client-api/api/tags')).body.data;
  expect(groups.map(({ title }: { title: string }) => title).sort()).toEqual(['Buyers', 'Club']);
});

test('an update replaces details, and the store resubscribes only whom it unsubscribed itself', async () => {
  const { api, commerce, importData, person } = await connectShop();
  const email = 'eli@plugin.example';
  const update = async (body: object) => {
    clock.advance(1_000);
    const { status } = await commerce('PATCH', 'subscribers/store/update', { email, ...body });
    expect(status).toBe(200);
    return person(email);
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
  // Another store of the account, an import, and the public key bring nobody back.
  await update({ subscriber_status: 'UNSUBSCRIBED' });
  const second = (
    await api.post('/stores', { domain: 'https://second.example', type: 'wordpress' })
  ).body.data.id;
  expect(await update({ store_id: second, subscriber_status: 'ACTIVE' })).toMatchObject({
    email: 'unsubscribed',
  });
  await importData({ customers: [{ email, newsletter: true }] });
  expect(await person(email)).toMatchObject({ email: 'unsubscribed' });
  // An opt-out of the subscriber's own after that of the store stays.
  clock.advance(1_000);
  await api.post('/suppressions', { addresses: [email], channel: 'email', reason: 'unsubscribed' });
  expect(await update({ subscriber_status: 'ACTIVE' })).toMatchObject({ email: 'unsubscribed' });
  // A bounced address is neither unsubscribed nor restored.
  await api.patch(`/subscribers/${email}`, { sms_status: 'BOUNCED' });
  await update({ sms_status: 'UNSUBSCRIBED' });
  expect(await update({ sms_status: 'ACTIVE' })).toMatchObject({ sms: 'bounced' });
});
