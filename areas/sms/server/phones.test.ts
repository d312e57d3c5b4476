// Senders, carrier compliance and the ending texts of SMS, over HTTP.
import { encodeId } from '#platform/ids.ts';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import {
  type TestResponse,
  type TestOwner,
  type TestServer,
  testServer,
} from '#testing/setup/server.ts';
import { TERMS_VERSION } from '../shared.ts';

let server: TestServer;
let owner: TestOwner;
const PHONES = '/client-api/api/phone';
const SETTINGS = '/client-api/api/sms/settings';

beforeAll(async () => {
  server = await testServer();
  owner = await server.owner();
});

const add = (body: object) => owner.post(PHONES, { use_case: 'Offers', ...body });

const FORM = {
  business_name: 'Bloom',
  registration_number: '12-3456789',
  registration_type: 'EIN',
  registration_country: 'US',
  website: 'https://bloom.example',
  street: '1 Main St',
  city: 'Austin',
  zip: '73301',
  country: 'US',
  contact_name: 'Ada',
  contact_email: 'ada@bloom.example',
  contact_phone: '+15125550100',
  use_case: 'Offers',
  use_case_summary: 'Offers to customers who asked for them',
  volume: '1000',
  opt_in_kind: 'web_form',
  opt_in_image: 'https://bloom.example/form.png',
  sample: 'Bloom: tulips today. Reply STOP to opt out',
  privacy_url: 'https://bloom.example/privacy',
  terms_url: 'https://bloom.example/terms',
};

test('a sender created before ownership was introduced becomes active once its terms are accepted', async () => {
  const lateOwner = await server.owner();
  const value = '+15125550188';
  const { rows } = await sql<{ id: number }>`
    insert into phones (account_id, kind, value, value_key, use_case, status, created_at, modified_at)
    values (${lateOwner.accountId}, 'long_code', ${value}, ${value}, 'Offers', 'draft', now(), now())
    returning id`.execute(server.db);
  const id = encodeId('phone', rows[0]?.id as number);
  expect((await lateOwner.get(`${PHONES}/${id}`)).body.data.missing).toEqual(['owner', 'terms']);
  const agreement = { version: TERMS_VERSION, name: 'Ada' };
  const { body } = await lateOwner.post(`${PHONES}/${id}/compliance/terms`, agreement);
  expect(body.data.phone).toMatchObject({ status: 'active', missing: [] });
});

test('a toll-free number becomes active only after its terms are accepted and its verification is submitted', async () => {
  const response = await owner.get(`${PHONES}/offered`);
  const { value } = response.body.data[0];
  const addResponse = await add({ kind: 'toll_free', value });
  expect(addResponse.body.data).toMatchObject({
    value,
    status: 'draft',
    missing: ['terms', 'verification'],
  });
  const complianceUrl = `${PHONES}/${addResponse.body.data.id}/compliance`;
  const earlyResponse = await owner.post(`${complianceUrl}/verification/submit`, {});
  expect(earlyResponse).toMatchObject({ status: 409, body: { code: 'terms_missing' } });
  expect(
    (await owner.post(`${complianceUrl}/terms`, { version: '1999', name: 'Ada' })).status,
  ).toBe(409);
  const termsResponse = await owner.post(`${complianceUrl}/terms`, {
    version: TERMS_VERSION,
    name: 'Ada',
  });
  expect(termsResponse.body.data.terms).toMatchObject({ name: 'Ada', is_current: true });
  // A partial form is stored; its submission is refused with each missing field.
  await owner.send({
    method: 'PUT',
    url: `${complianceUrl}/verification`,
    payload: { business_name: 'Bloom' },
  });
  const partly = await owner.post(`${complianceUrl}/verification/submit`, {});
  expect(partly.status).toBe(422);
  expect(Object.keys(partly.body.errors)).toContain('opt_in_image');
  await owner.send({ method: 'PUT', url: `${complianceUrl}/verification`, payload: FORM });
  const [first, second] = await Promise.all(
    [1, 2].map(() => owner.post(`${complianceUrl}/verification/submit`, {})),
  );
  expect([first?.status, second?.status].toSorted()).toEqual([200, 409]);
  const phone = await owner.get(`${PHONES}/${addResponse.body.data.id}`);
  expect(phone.body.data).toMatchObject({ status: 'active', missing: [] });
});

test('an invalid sender is refused, and a valid one can be added again only after it is deleted', async () => {
  for (const [kind, value] of [
    ['alphanumeric', '12345'],
    ['alphanumeric', 'TwelveLetter'],
    ['toll_free', '+15125550100'],
    ['long_code', 'call me'],
    ['long_code', '+99912345'],
    ['short_code', '12'],
    ['long_code', '1'.repeat(64)],
    ['alphanumeric', 'a\u0000b'],
  ]) {
    expect([value, (await add({ kind, value })).status]).toEqual([value, 422]);
  }
  const responses = await Promise.all(
    [1, 2].map(() => add({ kind: 'alphanumeric', value: 'Bloom' })),
  );
  expect(responses.map(({ status }: TestResponse) => status).toSorted()).toEqual([200, 409]);
  expect((await add({ kind: 'alphanumeric', value: 'BLOOM' })).status).toBe(409);
  const list = await owner.get(`${PHONES}?search=bloo`);
  expect(list.body.data).toHaveLength(1);
  const [{ id }] = list.body.data;
  expect((await owner.delete(`${PHONES}/${id}`)).status).toBe(200);
  expect((await owner.get(`${PHONES}/${id}`)).status).toBe(404);
  expect((await add({ kind: 'alphanumeric', value: 'Bloom' })).status).toBe(200);
});

test("another account's number cannot be read, deleted or verified", async () => {
  const { id } = (await add({ kind: 'short_code', value: '54321' })).body.data;
  const outsider = await server.owner();
  const phoneUrl = `${PHONES}/${id}`;
  const responses = await Promise.all([
    outsider.get(phoneUrl),
    outsider.delete(phoneUrl),
    outsider.get(`${phoneUrl}/compliance`),
    outsider.post(`${phoneUrl}/compliance/terms`, { version: TERMS_VERSION, name: 'Eve' }),
    outsider.post(`${phoneUrl}/compliance/verification/submit`, {}),
    outsider.get(`${PHONES}/${encodeId('group', 1)}`),
  ]);
  expect(responses.map(({ status }) => status)).toEqual(Array(6).fill(404));
  expect((await server.client().get(PHONES)).status).toBe(401);
});

test('an opt-out text without STOP and a link text without the link are refused', async () => {
  expect((await owner.get(SETTINGS)).body.data).toMatchObject({ prefix: null, provider: 'phone' });
  const save = (payload: object) => owner.send({ method: 'PUT', url: SETTINGS, payload });
  expect((await save({ opt_out_text: 'Tell us' })).status).toBe(422);
  expect((await save({ opt_out_text: 'Do not STOPPED' })).status).toBe(422);
  expect((await save({ link_text: 'Leave' })).status).toBe(422);
  const response = await save({ prefix: 'Bloom', opt_out_text: 'STOP to end', is_onboarded: true });
  expect(response.body.data).toMatchObject({
    prefix: 'Bloom',
    opt_out_text: 'STOP to end',
    is_onboarded: true,
  });
});
