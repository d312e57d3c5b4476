// Subscribers in the public API: sign-ups and statuses, values as clients write them, batches.
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { publicClient } from '#testing/setup/public-client.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';

let server: TestServer;

beforeAll(async () => {
  server = await testServer();
});

test('a sign-up by API subscribes a buyer of a store, and opt-outs, bounces and complaints stay', async () => {
  const owner = await server.owner();
  const own = await publicClient(server, owner);
  const { id } = (await own.post('/stores', { domain: 'wool.example' })).body.data;
  const buyers = ['buys', 'left', 'full', 'angry'].map((name) => ({
    ...{ email: `${name}@wool.example`, phone: `+4791234${100 + name.length}` },
  }));
  await own.post(`/stores/${id}/import_shop_data`, { customers: buyers });
  const statusOf = async (name: string) =>
    (await own.get(`/subscribers/${name}@wool.example`)).body.data.status;
  const signUp = (name: string, more: object = {}) =>
    own.post('/subscribers', { email: `${name}@wool.example`, ...more });
  expect(await statusOf('buys')).toMatchObject({ email: 'non-subscribed' });
  const joined = await signUp('buys', { sms_status: 'ACTIVE' });
  expect(joined.body).toMatchObject({
    ...{ success: true, message: ['Subscribed to email', 'Subscribed to sms'] },
    data: { status: { email: 'active', sms: 'active' } },
  });
  expect((await signUp('buys')).body.message).toEqual([]);
  const consents = await sql<{ channel: string }>`
    select c.channel from consents c join subscribers s
      on s.account_id = c.account_id and s.id = c.subscriber_id
    where c.account_id = ${owner.accountId} and s.email = 'buys@wool.example'
      and c.kind = 'attested' and c.source = 'api' and c.user_id = ${owner.userId}
    group by c.channel order by c.channel`.execute(server.db);
  expect(consents.rows).toEqual([{ channel: 'email' }, { channel: 'sms' }]);
  for (const [name, reason, status] of [
    ['left', 'unsubscribed', 'unsubscribed'],
    ['full', 'bounced', 'bounced'],
    ['angry', 'reported', 'reported'],
  ] as const) {
    const addresses = [`${name}@wool.example`];
    await own.post('/suppressions', { addresses, reason });
    const refused = await signUp(name, { firstname: 'Kim' });
    expect(refused.body).toMatchObject({
      ...{ success: true, message: [`Not subscribed to email: the status stays ${status}`] },
      data: { firstname: 'Kim', status: { email: status } },
    });
    const set = await own.patch(`/subscribers/${addresses[0]}`, { subscriber_status: 'ACTIVE' });
    const code = reason === 'bounced' ? 'bounce_stays' : 'not_brought_back';
    expect([set.status, set.body.code]).toEqual([422, code]);
    const back = await own.post('/subscribers/reactivate', { subscribers: addresses });
    expect(back.body.data).toEqual({ reactivated: 0, skipped: 1 });
    expect(await statusOf(name)).toMatchObject({ email: status });
  }
  await own.post('/subscribers', { email: 'new@wool.example' });
  const none = await own.patch('/subscribers/new@wool.example', { sms_status: 'ACTIVE' });
  expect([none.status, none.body.code]).toEqual([422, 'no_address']);
});
