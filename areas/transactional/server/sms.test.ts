// SMS that programs send: accepted once, rendered, delivered, clicked, reported, and skipped after
// an opt-out.
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { settleSms } from '#areas/delivery/server/ledger/index.ts';
import { settleTracking } from '#areas/tracking/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { startSmsSender, fakeSmsProvider } from '#testing/servers/fake-sms-provider.ts';
import { type PublicClient, publicClient } from '#testing/setup/public-client.ts';
import { type TestOwner, type TestServer, testServer } from '#testing/setup/server.ts';

const BROWSER = {
  'user-agent': 'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Safari/604.1',
};
const TEXT = 'Order {{ number }}: https://tea.example/orders/{{ number }}';
let server: TestServer;
let owner: TestOwner;
let api: PublicClient;
let otherApi: PublicClient;
let provider: ReturnType<typeof fakeSmsProvider>;

beforeAll(async () => {
  // Night in Texas: transactional SMS have no quiet hours.
  const night = new Date();
  night.setUTCHours(night.getUTCHours() < 8 ? 8 : 32, 0, 0, 0);
  clock.freeze(night);
  server = await testServer();
  owner = await server.owner();
  api = await publicClient(server, owner);
  otherApi = await publicClient(server, await server.owner());
  await addSender('long_code', '+15125550177');
  provider = fakeSmsProvider();
}, 60_000);

afterAll(() => clock.reset());

async function addSender(kind: string, value: string): Promise<void> {
  const { data } = (await owner.post('/client-api/api/phone', { kind, value, use_case: 'Orders' }))
    .body;
  const terms = { version: '2026-11-01', name: 'Ada' };
  expect(
    (await owner.post(`/client-api/api/phone/${data.id}/compliance/terms`, terms)).status,
  ).toBe(200);
}

const body = (changes: object = {}) => ({
  ...{ to: '+15125550101', text: TEXT, title: 'Order shipped', variables: { number: 7 } },
  ...changes,
});

const countSends = async () => {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from single_sends where account_id = ${owner.accountId}`.execute(
    server.db,
  );
  return rows[0]?.count;
};

test('an SMS is rendered, sent at night, reported, clicked and counted under its title', async () => {
  await sql`
    insert into subscribers (account_id, phone, phone_key, firstname, sms_status, tsms_status,
      created_at, modified_at)
    values (${owner.accountId}, '+15125550102', '+15125550102', 'Bo', 'non-subscribed', 'active',
      ${clock.now()}, ${clock.now()})`.execute(server.db);
  const firstResponse = await api.post('/sms/send', body());
  expect(firstResponse.body).toMatchObject({ success: true, parts: 1, encoding: 'GSM-7' });
  expect(firstResponse.headers['x-message-id']).toBe(firstResponse.body.smsId);
  const { smsId, reportId } = firstResponse.body;
  const status = async (id: string) => (await api.get(`/sms/${id}`)).body.data;
  expect(await status(smsId)).toMatchObject({ status: 'queued', to: '+15125550101', sent: null });
  const second = await api.post('/sms/send', body({ to: { phone: '+1 512 555-0102' } }));
  startSmsSender(server.db, provider.open);
  await expect.poll(() => provider.accepted.length, { timeout: 20_000 }).toBe(2);
  const handoffs = new Map(provider.accepted.map((smsHandoff) => [smsHandoff.to, smsHandoff]));
  const otherHandoff = handoffs.get('+15125550101');
  expect(otherHandoff).toMatchObject({ from: '+15125550177', expiresAt: undefined });
  expect(otherHandoff?.text).toMatch(/^Order 7: https?:\/\/[^ ]+\/s\/[\w-]{20}$/);
  await expect.poll(async () => (await status(smsId)).status, { timeout: 10_000 }).toBe('sent');
  expect(await status(second.body.smsId)).toMatchObject({ parts: 1, reportId });

  const visitor = server.client();
  for (const { text } of handoffs.values()) {
    const [code = ''] = /\/s\/[\w-]+/.exec(text) ?? [];
    const click = await visitor.get(code, BROWSER);
    expect(click.headers.location, text).toBe('https://tea.example/orders/7');
  }
  clock.advance(60_000);
  await settleTracking(server.db);
  const report = `/client-api/api/transactional/sms/${reportId}/report`;
  expect((await owner.get(report)).body.data).toMatchObject({
    of: 'sms_transactional',
    sender: '+15125550177',
    figures: { sent: 2, accepted: 2, delivered: null, clicks: 2, failed: 0 },
  });
  expect((await owner.get(`${report}/clicks`)).body.data).toEqual([
    { url: 'https://tea.example/orders/{{ number }}', clicks: 2, people: 2 },
  ]);
  expect((await owner.get('/client-api/api/transactional/sms')).body.data).toMatchObject([
    { id: reportId, title: 'Order shipped', figures: { sent: 2, delivered: null, failed: 0 } },
  ]);
  const receipt = { isDelivered: true, at: clock.now(), remoteId: 'x' };
  await inTransaction(server.db, (tx) => settleSms(tx, otherHandoff?.reference as string, receipt));
  expect((await owner.get(report)).body.data.figures).toMatchObject({ accepted: 2, delivered: 1 });
  const [listed] = (await owner.get('/client-api/api/transactional/sms')).body.data;
  expect(listed.figures).toEqual({ sent: 2, delivered: 1, failed: 0 });
  expect((await otherApi.get(`/sms/${smsId}`)).status).toBe(404);
  expect((await server.owner().then((outsider) => outsider.get(report))).status).toBe(404);
}, 60_000);

test('concurrent calls with one idempotency key send one SMS, and untitled SMS share a separate report', async () => {
  const sendsBefore = await countSends();
  const key = { 'idempotency-key': `text ${crypto.randomUUID()}` };
  const untitledBody = body({ title: undefined });
  const responses = await Promise.all(
    [1, 2, 3].map(() => api.post('/sms/send', untitledBody, key)),
  );
  const repeat = await api.post('/sms/send', untitledBody, key);
  const ids = new Set([...responses, repeat].map((response) => response.body.smsId));
  expect([...responses, repeat].map((response) => response.status)).toEqual([200, 200, 200, 200]);
  expect(ids.size).toBe(1);
  expect(await countSends()).toBe((sendsBefore ?? 0) + 1);
  const conflict = await api.post('/sms/send', body({ variables: { number: 8 } }), key);
  expect(conflict.status).toBe(422);
  const titles = (await owner.get('/client-api/api/transactional/sms?order=title')).body.data;
  expect(titles.map((title: { title: string }) => title.title)).toEqual(
    expect.arrayContaining(['', 'Order shipped']),
  );
});

test.each([
  ['a recipient that is not a number', { to: 'Ada' }, ['to']],
  ['a number without a country code', { to: '0612345678' }, ['to']],
  ['an empty recipient', { to: '' }, ['to']],
  ['an empty text', { text: '' }, ['text']],
  ['a text of 10,000 characters', { text: 'x'.repeat(10_000) }, ['text']],
  ['a text of one character more than ten parts', { text: 'x'.repeat(1_531) }, ['text']],
  ['a text of only NUL', { text: '\u0000' }, ['text']],
  ['a missing value', { variables: {} }, ['variables.number']],
  ['an empty value', { variables: { number: '' } }, ['variables.number']],
  ['a sender number that is not the account’s', { from: '+15125550999' }, ['from']],
  ['a sender name that is not the account’s', { from: 'Bloom' }, ['from']],
])(
  '%s is refused with an error for its field, and nothing is stored',
  async (_, changes, fields) => {
    const sendsBefore = await countSends();
    const { status, body: answer } = await api.post('/sms/send', body(changes));
    expect([status, Object.keys(answer.errors ?? {})]).toEqual([422, fields]);
    expect(await countSends()).toBe(sendsBefore);
  },
);

test('unpaired surrogates, invalid tags and invalid ids cause no server error', async () => {
  for (const text of ['\ud800', '{{', '{{number', '{{ number | nonsense }}']) {
    expect((await api.post('/sms/send', body({ text }))).status, text).toBeLessThan(500);
  }
  for (const id of ['x', '%00', 'a'.repeat(80), api.accountId]) {
    expect((await api.get(`/sms/${id}`)).status).toBe(404);
  }
});

test('a call must name its sender if there are two, and a sender name cannot send to US numbers', async () => {
  await addSender('alphanumeric', 'Tea shop');
  expect((await api.post('/sms/send', body())).body).toMatchObject({ code: 'phone_not_active' });
  const refusal = await api.post('/sms/send', body({ from: 'tea SHOP' }));
  expect(refusal).toMatchObject({ status: 422, body: { code: 'number_out_of_reach' } });
  const response = await api.post('/sms/send', body({ from: 'Tea shop', to: '+37060000001' }));
  expect(response.status).toBe(200);
});

test('an opt-out through a transactional SMS link stops both kinds of SMS, even to a number without a subscriber', async () => {
  const phone = '+37060000009';
  const text = 'Your code is {{ number }}. {{unsubscribe_link}}';
  await api.post('/sms/send', body({ to: phone, text, from: 'Tea shop' }));
  startSmsSender(server.db, provider.open);
  const findHandoff = () => provider.accepted.find((smsHandoff) => smsHandoff.to === phone);
  await expect.poll(findHandoff, { timeout: 20_000 }).toBeDefined();
  const [code = ''] = /\/s\/[\w-]+/.exec(findHandoff()?.text ?? '') ?? [];
  const visitor = server.client();
  const suppressedChannels = async () =>
    (
      await sql<{ channel: string }>`select channel from suppressions
        where account_id = ${owner.accountId} order by channel`.execute(server.db)
    ).rows.map((row) => row.channel);
  expect((await visitor.get(code)).status).toBe(200);
  expect(await suppressedChannels()).toEqual([]);
  const confirmation = await visitor.post(code, {});
  expect(confirmation.text).toContain('You receive no more SMS from');
  expect(await suppressedChannels()).toEqual(['sms', 'tsms']);
  const next = await api.post('/sms/send', body({ to: phone, from: 'Tea shop' }));
  await expect
    .poll(async () => (await api.get(`/sms/${next.body.smsId}`)).body.data.status, {
      timeout: 20_000,
    })
    .toBe('skipped');
});
