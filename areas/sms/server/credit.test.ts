// SMS credit is shown and checked before sending, reserved at the start, charged for each part that
// a provider accepted, and released at the end. The balance never falls below zero, no matter what
// providers and senders do.
import { writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { reserveCredit } from '#areas/billing/server/index.ts';
import { sendMany, setFreeSms, settleSms } from '#areas/delivery/server/ledger/index.ts';
import { decodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { startSmsSender, ACCEPTED, fakeSmsProvider } from '#testing/servers/fake-sms-provider.ts';
import { type TestOwner, testServer } from '#testing/setup/server.ts';
import { createAutomatedSms } from './step-message.ts';

const LIST_PATH = '/client-api/api/sms/campaign';
const CENT = 10_000;
const file = path.join(os.tmpdir(), `sendloom-test-${process.pid}-texts.json`);
writeFileSync(
  file,
  JSON.stringify({
    seller: { name: 'Loom Ltd', address: ['1 Street'], country: 'LT' },
    free: { subscribers: null, emails: null },
    plans: [],
    sms_prices: { US: 0.01, LT: 0.05, other: 0.1 },
  }),
);
const server = await testServer({ BILLING: 'test', BILLING_FILE: file });

async function addCredit(accountId: number, micros: number): Promise<void> {
  await sql`insert into credit_entries (account_id, kind, micros, source, at)
    values (${accountId}, 'bought', ${micros}, ${`test ${Math.random()}`}, ${clock.now()})`.execute(
    server.db,
  );
  await sql`insert into billing_accounts (account_id, balance_micros)
    values (${accountId}, ${micros}) on conflict (account_id)
    do update set balance_micros = billing_accounts.balance_micros + ${micros}`.execute(server.db);
}

async function addPeople(accountId: number, phones: readonly string[]): Promise<void> {
  await sql`
    insert into subscribers (account_id, phone, phone_key, firstname, sms_status, tsms_status,
      created_at, modified_at)
    select ${accountId}::bigint, p, p, 'Ann', 'active', 'active', ${clock.now()}, ${clock.now()}
    from unnest(${[...phones]}::text[]) p`.execute(server.db);
}

async function creditOf(owner: TestOwner): Promise<{ balance: number; held: number }> {
  const { balance, held: reserved } = (await owner.get('/client-api/api/billing')).body.data
    .sms_credit;
  return { balance, held: reserved };
}

/** Creates a campaign from a phone number, at an hour that is allowed in each destination of these tests. */
async function readyCampaign(recipients: readonly string[], text = 'Hello') {
  const noon = new Date();
  noon.setUTCHours(noon.getUTCHours() < 18 ? 18 : 42, 0, 0, 0);
  clock.freeze(noon);
  const owner = await server.owner();
  await addPeople(owner.accountId, recipients);
  const phone = (
    await owner.post('/client-api/api/phone', {
      kind: 'long_code',
      value: `+1512555${++numbers}`,
      use_case: 'Offers',
    })
  ).body.data;
  await owner.post(`/client-api/api/phone/${phone.id}/compliance/terms`, {
    version: '2026-11-01',
    name: 'Ada',
  });
  const response = await owner.post(LIST_PATH, {
    ...{ title: 'Spring', text, phone_id: phone.id },
    ...{ add_organization_name: 'FALSE', append_opt_out: 'FALSE' },
  });
  const url = `${LIST_PATH}/${response.body.data.id}`;
  await owner.post(`${url}/tags/set`, { tags_arr: [], send_to_all: true });
  return { owner, phone, url };
}

let numbers = 2000;
const texan = (n: number) => `+1512555${String(1000 + n)}`;
const send = (owner: TestOwner, url: string) =>
  owner.post(`${url}/schedule`, { schedule_time: null });

test('the cost is reported by country before sending, and a campaign above the credit sends nothing and reserves no credit', async () => {
  const recipients = [texan(1), texan(2), '+37061234567'];
  const { owner, url } = await readyCampaign(recipients, 'x'.repeat(161));
  const cost = (await owner.get('/client-api/api/sms/cost')).body.data;
  expect(cost).toEqual({
    recipients: 3,
    is_chosen: false,
    cost: { micros: 7 * CENT, free_micros: 0, currency: 'USD' },
  });
  await addCredit(owner.accountId, 13 * CENT);
  const checks = (await owner.get(`${url}/checks`)).body.data;
  expect(checks).toMatchObject({ parts: 6, cost: { micros: 14 * CENT, free_micros: 13 * CENT } });
  expect(checks.findings[0]).toMatchObject({
    code: 'not_enough_credit',
    severity: 'error',
    step: 'credit',
  });
  expect(await send(owner, url)).toMatchObject({
    status: 422,
    body: { code: 'not_enough_credit' },
  });
  expect(await creditOf(owner)).toEqual({ balance: 13 * CENT, held: 0 });
  await addCredit(owner.accountId, CENT);
  expect((await send(owner, url)).status).toBe(200);
  expect(await creditOf(owner)).toEqual({ balance: 14 * CENT, held: 14 * CENT });
  // Credit that is reserved for one campaign is not available to another.
  const isReserved = await inTransaction(server.db, (tx) =>
    reserveCredit(tx, { accountId: owner.accountId, messageId: 9e9, micros: 1 }),
  );
  expect(isReserved).toBe(false);
  expect((await owner.post(`${url}/cancel`)).status).toBe(200);
  expect(await creditOf(owner)).toEqual({ balance: 14 * CENT, held: 0 });
  const outsider = await server.owner();
  expect(
    (await outsider.get(`/client-api/api/sms/cost?campaign=${url.split('/').at(-1)}`)).status,
  ).toBe(404);
  clock.reset();
}, 60_000);

test('the credit reserved for copies is charged or released whatever their outcome, and accepted parts are paid', async () => {
  const outcomeArbitrary = fc.constantFrom('accepted', 'refused', 'lost');
  await fc.assert(
    fc.asyncProperty(
      fc.array(outcomeArbitrary, { minLength: 1, maxLength: 12 }),
      fc.boolean(),
      async (outcomes, isKilled) => {
        const recipients = outcomes.map((_, n) => texan(n));
        const { owner, url } = await readyCampaign(recipients);
        await addCredit(owner.accountId, outcomes.length * CENT);
        expect((await send(owner, url)).status).toBe(200);
        await server.runJobs();
        const provider = fakeSmsProvider();
        provider.script.respond = ({ to }) => {
          const outcome = outcomes[recipients.indexOf(to)];
          if (outcome === 'lost')
            return { ...ACCEPTED, outcome: 'unknown', scope: 'recipient', code: 0 };
          if (outcome === 'refused')
            return { ...ACCEPTED, outcome: 'failed', scope: 'recipient', code: 400 };
          return { ...ACCEPTED, sms: { remoteId: to } };
        };
        // A sender stops after the credit was reserved and before sending. The next one still has
        // the credit.
        if (isKilled) await startSmsSender(server.db, provider.open).close();
        const sender = startSmsSender(server.db, provider.open);
        const readState = async () => (await owner.get(url)).body.data.delivery?.state;
        await expect.poll(readState, { timeout: 20_000 }).toBe('finished');
        await sender.close();
        const acceptedCount = outcomes.filter((outcome) => outcome === 'accepted').length;
        const remainingMicros = (outcomes.length - acceptedCount) * CENT;
        expect(await creditOf(owner)).toEqual({ balance: remainingMicros, held: 0 });
        const { usage } = (await owner.get('/client-api/api/billing')).body.data;
        expect(usage.texts.used).toBe(acceptedCount);
        const usageRows = (await owner.get(`${url}/report/shares`)).body.data;
        const expectedUsage = {
          accepted: acceptedCount,
          undelivered: 0,
          parts: acceptedCount,
          micros: acceptedCount * CENT,
        };
        expect(usageRows.countries).toEqual(
          acceptedCount === 0 ? [] : [{ name: 'US', ...expectedUsage }],
        );
        expect(usageRows.providers).toMatchObject(acceptedCount === 0 ? [] : [expectedUsage]);
        // A receipt resolves a copy with an unknown outcome: the provider accepted it, so it is
        // paid once, no matter how often the receipt arrives.
        const lostSms = provider.received.find(
          ({ to }) => outcomes[recipients.indexOf(to)] === 'lost',
        );
        if (!lostSms) return;
        for (let n = 0; n < 2; n++) {
          await inTransaction(server.db, (tx) =>
            settleSms(tx, lostSms.reference, {
              isDelivered: true,
              at: clock.now(),
              remoteId: 'late',
            }),
          );
        }
        expect(await creditOf(owner)).toEqual({ balance: remainingMicros - CENT, held: 0 });
      },
    ),
    { numRuns: 8 },
  );
  clock.reset();
}, 180_000);

test('single SMS reserve and charge credit as campaigns do, and are not sent without credit', async () => {
  const { owner, phone, url } = await readyCampaign([texan(1), texan(2), texan(3)]);
  const { accountId } = owner;
  const response = await owner.post(`${url}/test`, { phones: ['+15125550199'] });
  expect(response).toMatchObject({ status: 422, body: { code: 'not_enough_credit' } });
  await addCredit(accountId, 3 * CENT);
  expect((await owner.post(`${url}/test`, { phones: ['+15125550199'] })).status).toBe(200);
  expect(await creditOf(owner)).toEqual({ balance: 3 * CENT, held: CENT });

  // The remaining credit covers two of the three recipients of a workflow step.
  const ids = (
    await sql<{ id: number }>`select id from subscribers where account_id = ${accountId}
      order by id`.execute(server.db)
  ).rows.map((row) => row.id);
  const handOff = () =>
    inTransaction(server.db, async (tx) => {
      const draft = {
        title: '',
        text: 'Hi',
        hasPrefix: false,
        hasOptOut: false,
        hasAnalytics: false,
      };
      const phoneId = decodeId('phone', phone.id) as number;
      const automatedMessage = await createAutomatedSms(
        tx,
        accountId,
        { ...draft, phoneId },
        server.config.publicUrl,
      );
      const message = {
        accountId,
        kind: 'sms_workflow',
        sourceId: null,
        ...automatedMessage,
      } as const;
      return sendMany(tx, message, ids, { pass: 1, month: '2026-11' });
    });
  expect((await handOff()).skipped).toEqual([{ subscriberId: ids[2], reason: 'no_credit' }]);
  expect(await creditOf(owner)).toEqual({ balance: 3 * CENT, held: 3 * CENT });
  const provider = fakeSmsProvider();
  startSmsSender(server.db, provider.open);
  await expect.poll(() => provider.accepted.length, { timeout: 20_000 }).toBe(3);
  await expect.poll(() => creditOf(owner), { timeout: 20_000 }).toEqual({ balance: 0, held: 0 });
  const entries = await sql<{ micros: number }>`select sum(micros)::bigint as micros
    from credit_entries where account_id = ${accountId} and kind = 'spent'`.execute(server.db);
  expect(entries.rows[0]?.micros).toBe(-3 * CENT);
  clock.reset();
}, 60_000);

test('the report shows only the paid amount of an SMS that exceeds the credit', async () => {
  const { owner, url } = await readyCampaign([texan(1)]);
  await addCredit(owner.accountId, CENT);
  expect((await send(owner, url)).status).toBe(200);
  await server.runJobs();
  const provider = fakeSmsProvider();
  provider.script.respond = () => ({
    ...ACCEPTED,
    outcome: 'unknown',
    scope: 'recipient',
    code: 0,
  });
  const sender = startSmsSender(server.db, provider.open);
  const readState = async () => (await owner.get(url)).body.data.delivery?.state;
  await expect.poll(readState, { timeout: 20_000 }).toBe('finished');
  await sender.close();
  await addCredit(owner.accountId, -CENT / 2);
  const [lostSms] = provider.received;
  await inTransaction(server.db, (tx) =>
    settleSms(tx, String(lostSms?.reference), {
      isDelivered: true,
      at: clock.now(),
      remoteId: 'late',
    }),
  );
  expect(await creditOf(owner)).toEqual({ balance: 0, held: 0 });
  const usageRows = (await owner.get(`${url}/report/shares`)).body.data;
  expect(usageRows.countries).toMatchObject([{ name: 'US', accepted: 1, micros: CENT / 2 }]);
  clock.reset();
}, 60_000);

test('SMS that reach only the built-in phone cost nothing, although prices are set', async () => {
  setFreeSms(true);
  try {
    const { owner, url } = await readyCampaign([texan(1)]);
    const { cost } = (await owner.get(`${url}/checks`)).body.data;
    expect(cost).toBeNull();
    expect((await owner.get('/client-api/api/sms/settings')).body.data).toMatchObject({
      ...{ provider: 'phone', is_free: true },
    });
    expect((await send(owner, url)).status).toBe(200);
    expect(await creditOf(owner)).toEqual({ balance: 0, held: 0 });
  } finally {
    setFreeSms(false);
    clock.reset();
  }
});
