// Emails before and after a plan's end: they contain the correct date, amount and card, in the
// reader's language.
import { sql } from 'kysely';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { clock } from '#platform/server/clock.ts';
import { NUMBERS } from '#providers/test-gateway/ledger.ts';
import { type TestOwner, type TestServer, testServer } from '#testing/setup/server.ts';
import { startTestGateway, type TestGateway } from '#testing/servers/test-gateway.ts';
import { type BillingEmailKind, billingEmailNeeded } from './events.ts';
import { renewDue } from './renewals.ts';

const DAY = 86_400_000;
const NEXT = '/client-api/api/billing/next';

let server: TestServer;
let gateway: TestGateway;
const emails: {
  kind: BillingEmailKind;
  accountId: number;
  values: Record<string, string>;
}[] = [];

beforeAll(async () => {
  gateway = await startTestGateway();
  server = await testServer({ BILLING: 'test', TEST_GATEWAY_URL: gateway.base });
  billingEmailNeeded.on(async (_, { kind, accountId, values }) => {
    emails.push({ kind, accountId, values });
  });
});
afterEach(() => clock.reset());

/** Creates an owner who has paid for a month of a plan. */
async function createBuyer(options: { save?: boolean; number?: string } = {}) {
  const owner = await server.owner();
  const created = await owner.post('/client-api/api/orders', {
    ...{ plan_id: 'professional', size: 1000, duration: 1 },
  });
  const { id, total } = created.body.data;
  const payment = await owner.post(`/client-api/api/orders/${id}/pay`, {
    ...{ card: gateway.card(options.number), total, save: options.save ?? true },
  });
  expect(payment.body.data.is, payment.text).toBe('paid');
  return owner;
}

/** Advances the clock, runs the renewals, and returns the new emails to the owner. */
async function emailsAfter(owner: TestOwner, days: number) {
  const emailsBefore = emails.length;
  clock.advance(days * DAY);
  await renewDue(server.db);
  return emails.slice(emailsBefore).filter(({ accountId }) => accountId === owner.accountId);
}

test('the email a week before renewal states the plan, amount and card', async () => {
  const [email, ...more] = await emailsAfter(await createBuyer(), 26);
  expect(more).toEqual([]);
  expect(email).toMatchObject({
    kind: 'renewalSoon',
    values: {
      plan: 'Professional',
      amount: '$19.00',
      card: '1111',
      until: expect.stringMatching(/^[A-Z][a-z]+ \d+, 20\d\d$/),
    },
  });
});

test('the renewal email names the smaller plan that the owner chose', async () => {
  const owner = await createBuyer();
  await owner.put(NEXT, { plan_id: 'standard', size: 1000, duration: 1 });
  const [email] = await emailsAfter(owner, 26);
  expect(email).toMatchObject({
    kind: 'renewalSoon',
    values: { plan: 'Standard', amount: '$9.00' },
  });
});

test('the owner of a canceled plan gets an email before its end and one after it', async () => {
  const owner = await createBuyer();
  expect((await owner.put(NEXT, { plan_id: null })).body.data.next.plan_id).toBeNull();
  const [email] = await emailsAfter(owner, 26);
  expect(email).toMatchObject({ kind: 'planEnding', values: { plan: 'Professional' } });
  const [ended] = await emailsAfter(owner, 8);
  expect(ended?.kind).toBe('planEnded');
});

test('the emails explain how to pay manually if no card is stored', async () => {
  const owner = await createBuyer({ save: false });
  const [before] = await emailsAfter(owner, 26);
  expect(before).toMatchObject({ kind: 'renewalByHand', values: { amount: '$19.00' } });
  const [due, ...more] = await emailsAfter(owner, 6);
  expect(more).toEqual([]);
  expect(due).toMatchObject({
    kind: 'renewalUnpaid',
    values: { amount: '$19.00', token: expect.stringMatching(/\w/) },
  });
});

test('the email about the last renewal attempt differs from earlier ones and is in the recipient’s language', async () => {
  const owner = await createBuyer({ number: NUMBERS.failsLater });
  await sql`update users set language = 'lit' where id = (select user_id from memberships
    where account_id = ${owner.accountId})`.execute(server.db);
  const kinds: string[] = [];
  await emailsAfter(owner, 26);
  for (const days of [6, 1, 2, 2, 2, 1]) {
    kinds.push(...(await emailsAfter(owner, days)).map(({ kind }) => kind));
  }
  expect(kinds).toEqual([...Array(4).fill('renewalFailed'), 'renewalLast']);
  expect(emails.at(-1)?.values).toMatchObject({
    until: expect.stringMatching(/^20\d\d m\. \S+ \d+ d\.$/),
    amount: expect.stringMatching(/^19,00\s/),
  });
});
