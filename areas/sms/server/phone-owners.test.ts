// Ownership of SMS senders: accounts and the operator, on an installation with an SMS provider.
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { sendOne } from '#areas/delivery/server/ledger/index.ts';
import { decodeId, encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { startSmsSender, fakeSmsProvider } from '#testing/servers/fake-sms-provider.ts';
import { type TestOwner, type TestServer, testServer } from '#testing/setup/server.ts';
import { TERMS_VERSION } from '../shared.ts';
import { ingestInbound } from './inbound.ts';
import { assignPhone } from './phone-decisions.ts';
import { maySendAs } from './phone-owners.ts';
import { createAutomatedSms, isSmsSender, findSmsSender } from './step-message.ts';

const PHONES = '/client-api/api/phone';
const OPERATOR = '/client-api/api/operator';
const SUBSCRIBER_NUMBER = '+15125550101';

const PROVIDER = {
  ...{ kind: 'twilio', title: 'Ours', host: '', port: null, tls: true, username: 'AC1' },
  ...{ profile: '', alphabet: 'gsm7', connections: 4, priority: 1, weight: 1, enabled: true },
  ...{ per_second: null, per_minute: null, per_hour: null, per_day: null, number_limits: [] },
  ...{ secret: 'token-of-mine', hook_key: '' },
};

let server: TestServer;
let boss: TestOwner;
let ownAccount: TestOwner;
let otherOwner: TestOwner;
let numbers = 200;
let events = 0;

beforeAll(async () => {
  server = await testServer({
    SMS_URL: 'twilio://AC1:token@127.0.0.1:9',
    OPERATOR_EMAILS: 'boss@loom.example',
  });
  boss = await server.owner('boss@loom.example');
  await sql`update users set email_verified_at = now() where email_key = 'boss@loom.example'`.execute(
    server.db,
  );
  [ownAccount, otherOwner] = [await server.owner(), await server.owner()];
});

const number = () => `+15125550${++numbers}`;

async function add(owner: TestOwner, value: string, phoneKind = 'long_code') {
  const { body } = await owner.post(PHONES, { kind: phoneKind, value, use_case: 'Offers' });
  return body.data as { id: string; status: string; missing: string[]; is_shared: boolean };
}

const accept = (owner: TestOwner, id: string) =>
  owner.post(`${PHONES}/${id}/compliance/terms`, { version: TERMS_VERSION, name: 'Ada' });

const decide = (owner: TestOwner, id: string, decision: 'assign' | 'decline', client = boss) => {
  const account = encodeId('account', owner.accountId);
  return client.post(`${OPERATOR}/accounts/${account}/senders/${id}/${decision}`, {});
};

const readPhone = async (owner: TestOwner, id: string) =>
  (await owner.get(`${PHONES}/${id}`)).body.data;

async function addPerson({ accountId }: TestOwner): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into subscribers (account_id, phone, phone_key, sms_status, tsms_status, created_at,
      modified_at)
    values (${accountId}, ${SUBSCRIBER_NUMBER}, ${SUBSCRIBER_NUMBER}, 'active', 'active', now(), now())
    returning id`.execute(server.db);
  return rows[0]?.id as number;
}

const receive = (to: string, text: string, onlyAccountId?: number) =>
  ingestInbound(
    server.db,
    { from: SUBSCRIBER_NUMBER, to, text, eventId: `event ${++events}`, at: clock.now() },
    onlyAccountId,
  );

async function repliesOf({ accountId }: TestOwner): Promise<string[]> {
  const { rows } = await sql<{ text: string }>`
    select text from sms_inbound where account_id = ${accountId} order by id`.execute(server.db);
  return rows.map(({ text }) => text);
}

async function statusOf(id: number): Promise<string | undefined> {
  const { rows } = await sql<{ sms_status: string }>`
    select sms_status from subscribers where id = ${id}`.execute(server.db);
  return rows[0]?.sms_status;
}

test('a newly added number neither sends nor receives until the operator assigns it', async () => {
  const value = number();
  const draft = await add(ownAccount, value);
  expect(draft).toMatchObject({ status: 'draft', missing: ['owner', 'terms'], is_shared: false });
  await accept(ownAccount, draft.id);
  expect(await readPhone(ownAccount, draft.id)).toMatchObject({
    status: 'draft',
    missing: ['owner'],
  });
  await receive(value, 'A secret');
  expect(await repliesOf(ownAccount)).toEqual([]);
  const campaign = (
    await ownAccount.post('/client-api/api/sms/campaign', {
      ...{ title: 'Spring', text: 'Hi', phone_id: draft.id },
    })
  ).body.data;
  const checks = (await ownAccount.get(`/client-api/api/sms/campaign/${campaign.id}/checks`)).body
    .data;
  expect(checks.findings).toContainEqual(expect.objectContaining({ code: 'phone_not_active' }));
  const test = { phones: ['+15125550109'] };
  expect(
    (await ownAccount.post(`/client-api/api/sms/campaign/${campaign.id}/test`, test)).body.code,
  ).toBe('phone_not_active');
  expect(await maySendAs(server.db, ownAccount.accountId, value)).toBe(false);
  // Workflow steps and API calls cannot send from it either.
  const phoneId = decodeId('phone', draft.id) as number;
  expect(await isSmsSender(server.db, ownAccount.accountId, phoneId)).toBe(false);
  expect(await findSmsSender(server.db, ownAccount.accountId, value)).toBeUndefined();
  const step = {
    ...{ phoneId, title: '', text: 'Hi', hasPrefix: false, hasOptOut: false, hasAnalytics: false },
  };
  await expect(
    inTransaction(server.db, (tx) =>
      createAutomatedSms(tx, ownAccount.accountId, step, 'https://x.example'),
    ),
  ).rejects.toThrow('phone_not_active');
  expect((await decide(ownAccount, draft.id, 'assign')).status).toBe(200);
  expect(await readPhone(ownAccount, draft.id)).toMatchObject({ status: 'active', missing: [] });
  expect(await maySendAs(server.db, ownAccount.accountId, value)).toBe(true);
  await receive(value, 'Hello');
  expect(await repliesOf(ownAccount)).toEqual(['Hello']);
});

test('another account can neither register an owned number nor read its replies', async () => {
  const value = number();
  const response = await add(ownAccount, value);
  await accept(ownAccount, response.id);
  await decide(ownAccount, response.id, 'assign');
  const refusedResponse = await otherOwner.post(PHONES, {
    kind: 'long_code',
    value,
    use_case: 'x',
  });
  expect(refusedResponse).toMatchObject({ status: 409, body: { code: 'sender_taken' } });
  expect(await maySendAs(server.db, otherOwner.accountId, value)).toBe(false);
  await receive(value, 'For the owner');
  expect(await repliesOf(ownAccount)).toContain('For the owner');
  expect(await repliesOf(otherOwner)).toEqual([]);
});

test('a number registered by two accounts receives no replies until assigned, but opt-outs count in both', async () => {
  const value = number();
  const [first, second] = [await add(ownAccount, value), await add(otherOwner, value)];
  await Promise.all([accept(ownAccount, first.id), accept(otherOwner, second.id)]);
  for (const [owner, { id }] of [[ownAccount, first] as const, [otherOwner, second] as const]) {
    expect(await readPhone(owner, id)).toMatchObject({ missing: ['owner'], is_shared: true });
  }
  const waiting = (await boss.get(`${OPERATOR}/senders`)).body.data;
  const registrations = waiting.filter((phone: { value: string }) => phone.value === value);
  expect(registrations).toHaveLength(2);
  expect(registrations[0]).toMatchObject({ is_shared: true });
  const subscriberIds = [await addPerson(ownAccount), await addPerson(otherOwner)];
  const repliesBefore = [await repliesOf(ownAccount), await repliesOf(otherOwner)];
  expect(await receive(value, 'Who reads this?')).toBeUndefined();
  expect([await repliesOf(ownAccount), await repliesOf(otherOwner)]).toEqual(repliesBefore);
  expect(await receive(value, 'Stop it')).toBeUndefined();
  expect(await Promise.all(subscriberIds.map(statusOf))).toEqual(['unsubscribed', 'unsubscribed']);
  await decide(otherOwner, second.id, 'assign');
  expect(await readPhone(otherOwner, second.id)).toMatchObject({
    status: 'active',
    is_shared: false,
  });
  await receive(value, 'For the other one');
  expect((await repliesOf(otherOwner)).at(-1)).toBe('For the other one');
  expect(await repliesOf(ownAccount)).not.toContain('For the other one');
  // The operator may change that decision.
  await decide(ownAccount, first.id, 'assign');
  expect(await maySendAs(server.db, otherOwner.accountId, value)).toBe(false);
  expect(await maySendAs(server.db, ownAccount.accountId, value)).toBe(true);
});

test('a released number has no owner, and each account that adds it afterwards must prove it', async () => {
  const value = number();
  const firstPhone = await add(ownAccount, value);
  await accept(ownAccount, firstPhone.id);
  await decide(ownAccount, firstPhone.id, 'assign');
  expect((await ownAccount.delete(`${PHONES}/${firstPhone.id}`)).status).toBe(200);
  expect(await maySendAs(server.db, ownAccount.accountId, value)).toBe(false);
  const repliesBefore = await repliesOf(ownAccount);
  await receive(value, 'After the release');
  expect(await repliesOf(ownAccount)).toEqual(repliesBefore);
  expect(await add(ownAccount, value)).toMatchObject({ missing: ['owner', 'terms'] });
  const second = await add(otherOwner, value);
  expect(second).toMatchObject({ missing: ['owner', 'terms'], is_shared: true });
  const [firstDecision, secondDecision] = await Promise.all([
    decide(otherOwner, second.id, 'assign'),
    decide(otherOwner, second.id, 'assign'),
  ]);
  expect([firstDecision.status, secondDecision.status]).toEqual([200, 200]);
});

test('a queued SMS is deferred once its number belongs to another account', async () => {
  const value = number();
  const [first, second] = [await add(ownAccount, value), await add(otherOwner, value)];
  await accept(ownAccount, first.id);
  await decide(ownAccount, first.id, 'assign');
  const source = { prefix: null, text: 'Hello', ending: null, plainQuotes: true };
  const text = {
    ...{ from: value, isName: false, publicUrl: server.config.publicUrl, title: 'Hello' },
    words: { ...source, locale: 'en', campaign: null },
  };
  const { accountId } = ownAccount;
  await inTransaction(server.db, (tx) =>
    sendOne(tx, {
      ...{ accountId, kind: 'sms_transactional', sourceId: null, text, values: {} },
      ...{ recipient: '+15125550109', idempotencyKey: 'before' },
    }),
  );
  await decide(otherOwner, second.id, 'assign');
  const provider = fakeSmsProvider();
  startSmsSender(server.db, provider.open);
  const stateOf = async () => {
    const { rows } = await sql<{ state: string }>`
      select state from single_sends where account_id = ${accountId}
        and recipient = '+15125550109'`.execute(server.db);
    return rows[0]?.state;
  };
  await expect.poll(stateOf).toBe('deferred');
  expect(provider.received).toEqual([]);
});

test('a running campaign pauses when its sender changes owners', async () => {
  // The next noon in Texas, outside its quiet hours.
  const noon = new Date();
  noon.setUTCHours(noon.getUTCHours() < 18 ? 18 : 42, 0, 0, 0);
  clock.freeze(noon);
  const [shop, rival] = [await server.owner(), await server.owner()];
  // The operator's session has expired at that noon, so numbers are not assigned over HTTP.
  const assign = ({ accountId }: TestOwner, id: string) =>
    inTransaction(server.db, (tx) => assignPhone(tx, accountId, decodeId('phone', id) as number));
  const value = number();
  const [first, second] = [await add(shop, value), await add(rival, value)];
  await accept(shop, first.id);
  await assign(shop, first.id);
  await addPerson(shop);
  const draft = { title: 'Spring', text: 'Hi', phone_id: first.id };
  const { id } = (await shop.post('/client-api/api/sms/campaign', draft)).body.data;
  const path = `/client-api/api/sms/campaign/${id}`;
  const response = await shop.post(`${path}/tags/set`, { tags_arr: [], send_to_all: true });
  expect(response.status, response.text).toBe(200);
  const scheduleResponse = await shop.post(`${path}/schedule`, { schedule_time: null });
  expect(scheduleResponse.status, scheduleResponse.text).toBe(200);
  await server.runJobs();
  await assign(rival, second.id);
  const provider = fakeSmsProvider();
  startSmsSender(server.db, provider.open);
  const stateOf = async () => {
    const { rows } = await sql<{ state: string; state_reason: string | null }>`
      select state, state_reason from messages
      where account_id = ${shop.accountId} and kind = 'sms_campaign'`.execute(server.db);
    return rows;
  };
  await expect
    .poll(stateOf, { timeout: 20_000 })
    .toEqual([{ state: 'paused', state_reason: 'sender_not_verified' }]);
  expect(provider.received).toEqual([]);
  clock.reset();
});

test('an alphanumeric sender waits for the operator, who may decline it', async () => {
  const name = await add(ownAccount, 'Bloom', 'alphanumeric');
  expect(name).toMatchObject({ status: 'draft', missing: ['owner', 'terms'], is_shared: false });
  await accept(ownAccount, name.id);
  await decide(ownAccount, name.id, 'assign');
  expect(await readPhone(ownAccount, name.id)).toMatchObject({ status: 'active' });
  expect(await maySendAs(server.db, ownAccount.accountId, 'Bloom')).toBe(true);
  const second = await add(otherOwner, 'Bloom', 'alphanumeric');
  expect((await decide(otherOwner, second.id, 'decline')).status).toBe(200);
  expect((await otherOwner.get(`${PHONES}/${second.id}`)).status).toBe(404);
});

test('only the operator lists and assigns senders, and only to the account that added them', async () => {
  const { id } = await add(ownAccount, number());
  for (const client of [ownAccount, otherOwner]) {
    expect((await client.get(`${OPERATOR}/senders`)).status).toBe(404);
    expect((await decide(ownAccount, id, 'assign', client)).status).toBe(404);
  }
  expect((await decide(otherOwner, id, 'assign')).status).toBe(404);
  expect((await decide(ownAccount, encodeId('phone', 999_999), 'decline')).status).toBe(404);
  // A sender in the operator's own account needs no approval.
  expect(await add(boss, number())).toMatchObject({ missing: ['terms'] });
});

test("an account's own provider proves the account's numbers until it is deleted, and only SMS that it receives reach the account", async () => {
  const shop = await server.owner();
  const value = number();
  const waiting = await add(shop, value);
  expect(waiting.missing).toContain('owner');
  const provider = (await shop.post('/client-api/api/sms/providers', PROVIDER)).body.data;
  await accept(shop, waiting.id);
  expect(await readPhone(shop, waiting.id)).toMatchObject({ status: 'active', missing: [] });
  // An SMS received by the installation's provider is not delivered to the account.
  await receive(value, 'By the installation');
  expect(await repliesOf(shop)).toEqual([]);
  await receive(value, 'By its own', shop.accountId);
  expect(await repliesOf(shop)).toEqual(['By its own']);
  expect((await shop.delete(`/client-api/api/sms/providers/${provider.id}`)).status).toBe(200);
  expect(await readPhone(shop, waiting.id)).toMatchObject({ status: 'draft', missing: ['owner'] });
  expect(await maySendAs(server.db, shop.accountId, value)).toBe(false);
});

test("a number proven by an account's own provider can still be assigned to another account", async () => {
  const [shop, rival] = [await server.owner(), await server.owner()];
  for (const owner of [shop, rival]) {
    await owner.post('/client-api/api/sms/providers', PROVIDER);
  }
  const value = number();
  expect(await add(shop, value)).toMatchObject({ missing: ['terms'] });
  const response = await rival.post(PHONES, { kind: 'long_code', value, use_case: 'x' });
  expect(response).toMatchObject({ status: 409, body: { code: 'sender_taken' } });
  const waiting = await add(ownAccount, value);
  expect(waiting).toMatchObject({ missing: ['owner', 'terms'], is_shared: true });
  expect((await decide(ownAccount, waiting.id, 'assign')).status).toBe(200);
  await accept(ownAccount, waiting.id);
  expect(await maySendAs(server.db, ownAccount.accountId, value)).toBe(true);
  expect(await maySendAs(server.db, shop.accountId, value)).toBe(false);
});
