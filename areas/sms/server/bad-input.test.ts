// Malformed bodies of SMS calls, and numbers in unusual formats.
import { expect, test } from 'vitest';
import { testServer } from '#testing/setup/server.ts';

const LIST_PATH = '/client-api/api/sms/campaign';
const server = await testServer();

test('unusual values in SMS calls, such as NUL, lone surrogates or 10,000 characters, cause no server error', async () => {
  const owner = await server.owner();
  const { data: campaign } = (await owner.post(LIST_PATH, { title: 'Spring', text: 'Hi' })).body;
  const { data: phone } = (
    await owner.post('/client-api/api/phone', {
      ...{ kind: 'long_code', value: '+15125550177', use_case: 'Offers' },
    })
  ).body;
  const unusual = [
    '',
    ' ',
    'x'.repeat(10_000),
    'a\u0000b',
    '\ud800',
    '{{',
    '{{firstname|}}',
    null,
    7,
    [],
  ];
  const bodies: [string, (value: unknown) => object][] = [
    [LIST_PATH, (title) => ({ title })],
    [LIST_PATH, (text) => ({ title: 'One', text })],
    [LIST_PATH, (phone_id) => ({ title: 'One', phone_id })],
    [LIST_PATH, (append_opt_out) => ({ title: 'One', append_opt_out })],
    [`${LIST_PATH}/${campaign.id}/test`, (value) => ({ phones: [value] })],
    [`${LIST_PATH}/${campaign.id}/test`, (phones) => ({ phones })],
    ['/client-api/api/sms/preview', (text) => ({ text })],
    ['/client-api/api/sms/preview', (subscriber) => ({ text: 'Hi', subscriber })],
    ['/client-api/api/phone', (value) => ({ kind: 'long_code', value, use_case: 'Offers' })],
    ['/client-api/api/phone', (value) => ({ kind: 'alphanumeric', value, use_case: 'Offers' })],
    ['/client-api/api/phone', (use_case) => ({ kind: 'short_code', value: '12345', use_case })],
    [
      `/client-api/api/phone/${phone.id}/compliance/terms`,
      (name) => ({ version: '2026-11-01', name }),
    ],
  ];
  for (const [url, body] of bodies) {
    for (const value of unusual) {
      const { status } = await owner.post(url, body(value));
      expect([url, JSON.stringify(body(value)).slice(0, 80), status]).toEqual([
        ...[url, JSON.stringify(body(value)).slice(0, 80)],
        expect.toSatisfy((value: number) => value < 500),
      ]);
    }
  }
  for (const search of ['%00', '%25%25', '%ED%A0%80', 'x'.repeat(65), '\\_', "'"]) {
    expect((await owner.get(`/client-api/api/sms/people?search=${search}`)).status).toBeLessThan(
      500,
    );
  }
});

test('a number is accepted in the formats people write, and an invalid one is refused with a reason', async () => {
  const owner = await server.owner();
  const add = (value: string) =>
    owner.post('/client-api/api/phone', { kind: 'long_code', value, use_case: 'Offers' });
  for (const [written, number] of [
    ['+1 (512) 555-0123', '+15125550123'],
    ['0047 900 12 345', '+4790012345'],
    ['+44 (0)20 7946 0958', '+442079460958'],
    ['+۳۷۰۶۱۲۳۴۵۶۷', '+37061234567'],
    ['+39 06 6982', '+39066982'],
  ] as const) {
    const { status, body } = await add(written);
    expect([written, status, body.data?.value]).toEqual([written, 200, number]);
  }
  for (const invalid of ['+1512', '+9999999999999999', '12345', '+1 555 CALL NOW', 'tel:+', '+']) {
    expect(await add(invalid)).toMatchObject({ status: 422, body: { code: 'invalid' } });
  }
});
