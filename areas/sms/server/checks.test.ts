// Checks before an SMS campaign is sent: they report excluded recipients with reasons, and until
// when recipients wait.
import { sql } from 'kysely';
import { afterEach, expect, test } from 'vitest';
import { clock } from '#platform/server/clock.ts';
import { testServer } from '#testing/setup/server.ts';

const LIST_PATH = '/client-api/api/sms/campaign';
const server = await testServer();

afterEach(() => clock.reset());

test('checks report recipients without consent, unreachable countries, and the time until which recipients wait', async () => {
  // It is night in New York, before eight in Vilnius, and late morning in Kolkata. The day is
  // tomorrow because sessions would have expired at a fixed date.
  const scheduledAt = new Date(Date.now() + 86_400_000);
  scheduledAt.setUTCHours(4, 30, 0, 0);
  clock.freeze(scheduledAt);
  const hourIn = (timeZone: string, instant: string) =>
    new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' }).format(
      new Date(instant),
    );
  const owner = await server.owner();
  const numbers = [
    ['+12125550101', 'active'],
    ['+12125550102', 'active'],
    ['+37061234567', 'active'],
    ['+919812345678', 'active'],
    ['+12125550103', 'non-subscribed'],
  ];
  await sql`
    insert into subscribers (account_id, phone, phone_key, sms_status, created_at, modified_at)
    select ${owner.accountId}::bigint, p, p, s::subscription_status, ${clock.now()}, ${clock.now()}
    from unnest(${numbers.map(([p]) => p)}::text[], ${numbers.map(([, s]) => s)}::text[]) t(p, s)`.execute(
    server.db,
  );
  const add = async (kind: string, value: string) => {
    const { data } = (
      await owner.post('/client-api/api/phone', { kind, value, use_case: 'Offers' })
    ).body;
    return data.id as string;
  };
  const name = await add('alphanumeric', 'Bloom');
  const number = await add('long_code', '+15125550177');
  const response = await owner.post(LIST_PATH, {
    ...{ title: 'Spring', text: 'Tulips are in', phone_id: name, append_opt_out: 'FALSE' },
  });
  const path = `${LIST_PATH}/${response.body.data.id}`;
  await owner.post(`${path}/tags/set`, { tags_arr: [], send_to_all: true });
  const check = async () => (await owner.get(`${path}/checks`)).body.data;
  const firstCheck = await check();
  expect(firstCheck).toMatchObject({ recipients: 4, reachable: 2, parts: 4, cost: null });
  expect(firstCheck.findings).toEqual([
    { code: 'phone_not_active', severity: 'error', step: 'phone', values: { sender: 'Bloom' } },
    { code: 'no_opt_out', severity: 'warning', step: 'settings' },
    { code: 'no_consent', severity: 'warning', step: 'recipients', values: { count: 1 } },
    {
      ...{ code: 'countries_barred', severity: 'warning', step: 'settings' },
      values: { count: 2, countries: 'US' },
    },
    { code: 'quiet_hours', severity: 'tip', step: 'recipients', values: { count: 1 } },
  ]);
  // Recipients that an alphanumeric sender cannot reach are not counted as waiting.
  expect(firstCheck.waits).toEqual([{ until: expect.any(String), count: 1 }]);
  expect(hourIn('Europe/Vilnius', firstCheck.waits[0].until)).toBe('08:00');

  const { revision } = (await owner.get(path)).body.data;
  const text = 'Tulips are in. Reply STOP to leave';
  expect((await owner.patch(path, { revision, phone_id: number, text })).status).toBe(200);
  const second = await check();
  expect(second.findings.map((finding: { code: string }) => finding.code)).toEqual([
    'phone_not_active',
    'no_consent',
    'quiet_hours',
  ]);
  expect(second).toMatchObject({ recipients: 4, reachable: 4 });
  expect(second.waits).toEqual([firstCheck.waits[0], { until: expect.any(String), count: 2 }]);
  expect(hourIn('America/New_York', second.waits[1].until)).toBe('08:00');
  const otherOwner = await server.owner();
  expect((await otherOwner.get(`${path}/checks`)).status).toBe(404);
});

test('checks report an error if a toll-free number reaches none of the recipients’ countries', async () => {
  const owner = await server.owner();
  await sql`
    insert into subscribers (account_id, phone, phone_key, sms_status, created_at, modified_at)
    values (${owner.accountId}, '+37061234567', '+37061234567', 'active', ${clock.now()},
      ${clock.now()})`.execute(server.db);
  const { data: phone } = (
    await owner.post('/client-api/api/phone', {
      ...{ kind: 'toll_free', value: '+18335550101', use_case: 'Offers' },
    })
  ).body;
  const response = await owner.post(LIST_PATH, { title: 'Spring', text: 'Hi', phone_id: phone.id });
  const path = `${LIST_PATH}/${response.body.data.id}`;
  await owner.post(`${path}/tags/set`, { tags_arr: [], send_to_all: true });
  const { findings } = (await owner.get(`${path}/checks`)).body.data;
  expect(findings).toContainEqual({ code: 'countries_none', severity: 'error', step: 'settings' });
});
