// Orders, payments, plans, invoices and credit over HTTP, with the built-in test gateway on a real socket.
// After each test one query says that money in is what invoices say, and credit is never below nothing.
import { writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { decodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database.ts';
import { SIGNATURE, sign } from '#providers/test-gateway/client.ts';
import { NUMBERS } from '#providers/test-gateway/ledger.ts';
import { type TestClient, type TestServer, testServer } from '#testing/server.ts';
import { startTestGateway, type TestGateway } from '#testing/test-gateway.ts';
import { holdCredit, releaseCredit, spendCredit } from './credit.ts';
import { billingLetterNeeded, usageAsked } from './events.ts';
import { lookAtDue } from './looks.ts';
import { untrueSums } from './orders.sql.ts';
import { refundOrder } from './refunds.ts';
import { renewDue } from './renewals.ts';
import { settleCharge } from './settle.ts';
import { roomOf } from './usage.ts';

let server: TestServer;
let gateway: TestGateway;
const letters: { kind: string; accountId: number; token: string | undefined }[] = [];
const used = new Map<number, number>();

const DAY = 86_400_000;
const CATALOGUE = {
  limits: 'enforced',
  seller: { name: 'Loom Ltd', address: ['1 Street'], country: 'LT', invoice_prefix: 'L-' },
  free: { subscribers: 100, emails: 1000 },
  plans: ['small', 'large'].map((key, i) => ({
    key,
    title: key,
    emails_per_subscriber: 12,
    features: i === 1 ? ['sms_credit'] : [],
    sizes: [500, 1000].map((subscribers) => ({
      subscribers,
      monthly: { usd: (subscribers / 100) * (i + 1), eur: (subscribers / 100) * (i + 1) },
      annual: { usd: (subscribers / 10) * (i + 1), eur: (subscribers / 10) * (i + 1) },
    })),
  })),
  coupons: [
    { code: 'TWENTY', percent: 20 },
    { code: 'ALL', percent: 100 },
    { code: 'ONCE', percent: 10, most_uses: 1 },
    { code: 'OVER', percent: 10, until: '2026-01-01' },
    { code: 'LATER', percent: 10, from: '2099-01-01' },
    { code: 'LARGE', percent: 10, plans: ['large'] },
  ],
  taxes: [{ country: 'LT', name: 'PVM', percent: 21 }],
};

beforeAll(async () => {
  const file = path.join(os.tmpdir(), `sendloom-test-${process.pid}-plans.json`);
  writeFileSync(file, JSON.stringify(CATALOGUE));
  gateway = await startTestGateway();
  server = await testServer({
    BILLING: 'test',
    BILLING_FILE: file,
    TEST_GATEWAY_URL: gateway.base,
  });
  billingLetterNeeded.on(async (_, { kind, accountId, values }) => {
    letters.push({ kind, accountId, token: values.token });
  });
  usageAsked.answer(async (_, { accountId }) => [
    { of: 'subscribers', count: used.get(accountId) ?? 0 },
  ]);
});
/** Fails the test before it where money in and invoices differ. */
async function requireTrueSums(): Promise<void> {
  const untrue = await untrueSums(server.db);
  if (untrue.length > 0) throw new Error(`Sums that are not true: ${JSON.stringify(untrue)}`);
}
afterEach(async () => {
  clock.reset();
  await requireTrueSums();
});

const ORDERS = '/client-api/api/orders';
type Owner = Awaited<ReturnType<TestServer['owner']>>;

async function order(owner: TestClient, body: object = {}) {
  const made = await owner.post(ORDERS, { plan_id: 'small', size: 500, duration: 1, ...body });
  expect(made.status, made.text).toBe(200);
  return made.body.data;
}

const pay = (owner: TestClient, of: { id: string; total: number }, number?: string) =>
  owner.post(`${ORDERS}/${of.id}/pay`, { card: gateway.card(number), total: of.total });

async function buy(owner: TestClient, body: object = {}, number?: string) {
  const made = await order(owner, body);
  const paid = await pay(owner, made, number);
  expect(paid.status, paid.text).toBe(200);
  expect(paid.body.data.is).toBe('paid');
  return paid.body.data.order;
}

let people = 0;

/** An owner who signs in again after the clock was moved past the session. */
async function lasting() {
  people += 1;
  const email = `lasting${people}@billing.example`;
  const owner = await server.owner(email);
  const pass = (ms: number) => {
    clock.advance(ms);
    return owner.post('/auth/api/sign-in', { email, password: 'correct horse battery' });
  };
  return Object.assign(owner, { pass });
}

const told = (owner: Owner, kind: string) =>
  letters.filter((one) => one.accountId === owner.accountId && one.kind === kind).length;

const tokenOf = (owner: Owner, kind: string) =>
  letters.findLast((one) => one.accountId === owner.accountId && one.kind === kind)?.token;

test('a plan is ordered, changed, paid and told: defaults, coupon, invoice, card, account', async () => {
  const owner = await server.owner();
  const plain = await owner.post(ORDERS, { plan_id: 'small', size: 500 });
  expect(plain.body.data).toMatchObject({
    duration: 12,
    currency: 'usd',
    total: 5000,
    premium: false,
  });
  const { id } = plain.body.data;
  const changed = await owner.put(`${ORDERS}/${id}`, { duration: 1, coupon_name: ' twenty ' });
  expect(changed.body.data).toMatchObject({
    duration: 1,
    coupon_name: 'TWENTY',
    net: 400,
    total: 400,
  });
  const paid = await pay(owner, changed.body.data);
  expect(paid.body.data).toMatchObject({ is: 'paid', order: { state: 'paid' } });
  const again = await pay(owner, changed.body.data);
  expect(again.body.data.is).toBe('paid');
  expect(gateway.ledger.list().filter((one) => one.key.includes(paid.body.data.order.id))).toEqual(
    [],
  );
  const billing = (await owner.get('/client-api/api/billing')).body.data;
  expect(billing.plan).toMatchObject({ plan_id: 'small', size: 500, state: 'active', duration: 1 });
  expect(billing.usage.emails.limit).toBe(6000);
  const users = (await owner.get('/client-api/api/users')).body.data;
  expect(users.account.active_plan.id).toBe(id);
  expect(users.account.plan_valid_to).toBe(billing.plan.valid_to);
  const invoices = (await owner.get('/client-api/api/invoices')).body.data;
  expect(invoices).toMatchObject([
    { kind: 'invoice', total: 400, number: expect.stringMatching(/^L-\d+-0001$/) },
  ]);
  const pdf = await owner.get(`/client-api/api/invoices/${invoices[0].id}/pdf`);
  expect(pdf.headers['content-type']).toBe('application/pdf');
  expect(pdf.text.startsWith('%PDF')).toBe(true);
  const methods = (await owner.get('/client-api/api/payment-methods')).body.data;
  expect(methods).toMatchObject([{ brand: 'Visa', last4: '1111', is_default: true }]);
  expect((await owner.get('/client-api/api/billing/email-usage')).body.data).toMatchObject([
    { kind: 'allowance', emails: 6000 },
  ]);
  expect(told(owner, 'receipt')).toBe(1);
  expect((await owner.put(`${ORDERS}/${id}`, { duration: 12 })).status).toBe(409);
});

test('paid from twenty connections at once, there is one charge and one invoice', async () => {
  const owner = await server.owner();
  const made = await order(owner);
  const before = gateway.ledger.list().length;
  const answers = await Promise.all(Array.from({ length: 20 }, () => pay(owner, made)));
  const words = answers.map((one) => `${one.status} ${one.body.data?.is ?? one.body.code}`);
  expect(words.some((word) => word === '200 paid')).toBe(true);
  expect(
    words.every((word) => /^(200 (paid|processing)|429)/.test(word)),
    words.join(),
  ).toBe(true);
  expect(gateway.ledger.list().length - before).toBe(1);
  expect((await owner.get('/client-api/api/invoices')).body.data).toHaveLength(1);
});

test('a declined card leaves nothing behind, and the order can be paid by another', async () => {
  const owner = await server.owner();
  const made = await order(owner, { coupon_name: 'once' });
  const declined = await pay(owner, made, NUMBERS.declines);
  expect(declined.body.data).toMatchObject({
    is: 'declined',
    code: 'card_declined',
    order: { state: 'failed' },
  });
  // The coupon that it had taken is free again for others.
  const other = await server.owner();
  await buy(other, { coupon_name: 'ONCE' });
  const late = await pay(owner, made);
  expect(late.body).toMatchObject({ code: 'coupon_used_up' });
  const plain = (await owner.put(`${ORDERS}/${made.id}`, { coupon_name: '' })).body.data;
  expect((await pay(owner, plain)).body.data.is).toBe('paid');
});

test('each wrong coupon is told what is wrong with it', async () => {
  const owner = await server.owner();
  const code = async (coupon_name: string) =>
    (await owner.post(ORDERS, { plan_id: 'small', size: 500, coupon_name })).body.code;
  expect(await code('nonsense')).toBe('coupon_unknown');
  expect(await code('constructor')).toBe('coupon_unknown');
  expect(await code('OVER')).toBe('coupon_over');
  expect(await code('LATER')).toBe('coupon_not_yet');
  expect(await code('LARGE')).toBe('coupon_other_plan');
  await buy(owner, { coupon_name: 'TWENTY' });
  expect(await code('TWENTY')).toBe('coupon_used');
});

test('a whole coupon pays without a charge, and is refused beside another total', async () => {
  const owner = await server.owner();
  const made = await order(owner, { coupon_name: 'ALL' });
  const before = gateway.ledger.list().length;
  expect((await owner.post(`${ORDERS}/${made.id}/pay`, { total: 500 })).body.code).toBe(
    'order_changed',
  );
  const paid = await owner.post(`${ORDERS}/${made.id}/pay`, { total: 0 });
  expect(paid.body.data.is).toBe('paid');
  expect(gateway.ledger.list().length).toBe(before);
});

test('a charge that is not answered is asked for and found, never made again', async () => {
  const owner = await server.owner();
  const made = await order(owner);
  const lost = await pay(owner, made, NUMBERS.silent);
  expect(lost.body.data.is).toBe('processing');
  expect((await owner.put(`${ORDERS}/${made.id}`, { duration: 12 })).body.code).toBe(
    'order_being_paid',
  );
  const again = await pay(owner, made);
  expect(again.body.data.is).toBe('processing');
  clock.advance(20_000);
  await lookAtDue(server.db);
  const now = await owner.post(`${ORDERS}/${made.id}/finish`, {});
  expect(now.body.data.is).toBe('paid');
  expect(gateway.ledger.list().filter((one) => one.last4 === '0119')).toHaveLength(1);
});

test('a bank that asks for more: confirmed on its page, or given up for another card', async () => {
  const owner = await server.owner();
  const made = await order(owner);
  const waits = await pay(owner, made, NUMBERS.asks);
  expect(waits.body.data).toMatchObject({
    is: 'action_needed',
    action: { url: expect.stringMatching(/^\/gateway\/bank\//) },
  });
  const charge = gateway.ledger.findById(waits.body.data.action.url.split('/').at(-1));
  if (!charge) throw new Error('The test gateway does not know the charge');
  await gateway.ledger.decide(charge, 'succeeded');
  const body = JSON.stringify({ key: 'event 1', kind: 'charge', chargeKey: charge.key });
  const hook = (signature: string) =>
    server.client().send({
      method: 'POST',
      url: '/hooks/billing/test',
      headers: { 'content-type': 'application/json', [SIGNATURE]: signature },
      payload: body,
    });
  expect((await hook('forged')).status).toBe(400);
  expect((await hook(sign(body))).status).toBe(200);
  expect((await hook(sign(body))).status).toBe(200);
  expect((await owner.get(`${ORDERS}/${made.id}`)).body.data.state).toBe('paid');
  const other = await server.owner();
  const second = await order(other);
  await pay(other, second, NUMBERS.asks);
  expect((await pay(other, second)).body.data.is).toBe('paid');
});

test('an upgrade credits the unused days and starts at once; a smaller plan waits for the end', async () => {
  const owner = await lasting();
  await buy(owner, { size: 500 });
  const { plan } = (await owner.get('/client-api/api/billing')).body.data;
  const half = (new Date(plan.valid_to).getTime() - clock.now().getTime()) / 2;
  await owner.pass(half);
  const up = await order(owner, { plan_id: 'large', size: 1000 });
  expect(up.lines.map((line: { kind: string }) => line.kind)).toEqual(['plan', 'unused']);
  expect(up.lines[1].net).toBeGreaterThanOrEqual(-250);
  expect(up.lines[1].net).toBeLessThanOrEqual(-248);
  await pay(owner, up);
  const now = (await owner.get('/client-api/api/billing')).body.data;
  expect(now.plan).toMatchObject({ plan_id: 'large', size: 1000 });
  expect(now.sms_credit.balance).toBe(up.net * 10_000);
  const next = '/client-api/api/billing/next';
  expect((await owner.put(next, { plan_id: 'large', size: 5 })).status).toBe(422);
  const down = await owner.put(next, { plan_id: 'small', size: 500, duration: 1 });
  expect(down.body.data).toMatchObject({ plan_id: 'large', next: { plan_id: 'small', size: 500 } });
  await owner.pass(32 * DAY);
  await renewDue(server.db);
  await renewDue(server.db);
  expect((await owner.get('/client-api/api/billing')).body.data.plan).toMatchObject({
    plan_id: 'small',
    size: 500,
  });
});

test('two years of renewals by the clock: each month once, and a plan that was cancelled ends', async () => {
  const owner = await lasting();
  await buy(owner);
  for (let day = 0; day < 730; day += 5) {
    clock.advance(5 * DAY);
    await renewDue(server.db);
    await renewDue(server.db);
  }
  await owner.pass(0);
  const { meta } = (await owner.get('/client-api/api/invoices')).body;
  expect(meta.total).toBeGreaterThanOrEqual(23);
  expect(meta.total).toBeLessThanOrEqual(25);
  await owner.put('/client-api/api/billing/next', { plan_id: null });
  await owner.pass(40 * DAY);
  await renewDue(server.db);
  await renewDue(server.db);
  expect((await owner.get('/client-api/api/billing')).body.data.plan.state).toBe('free');
  expect((await owner.get('/client-api/api/users')).body.data.account.active_plan).toBeNull();
});

test('a renewal that fails is tried on its days, told each time, and ends in the free plan', async () => {
  const owner = await lasting();
  await buy(owner, {}, NUMBERS.failsLater);
  await owner.pass(31 * DAY + 3_600_000);
  await renewDue(server.db);
  await renewDue(server.db);
  expect((await owner.get('/client-api/api/billing')).body.data.plan.state).toBe('past_due');
  for (let day = 0; day < 8; day += 1) {
    clock.advance(DAY);
    await renewDue(server.db);
  }
  expect(told(owner, 'renewalFailed')).toBe(5);
  const charges = gateway.ledger.list().filter((one) => one.last4 === '0341');
  expect(charges.filter((one) => one.state === 'declined')).toHaveLength(5);
  await owner.pass(8 * DAY);
  await renewDue(server.db);
  expect((await owner.get('/client-api/api/billing')).body.data.plan.state).toBe('free');
  expect(told(owner, 'planEnded')).toBe(1);
});

test('SMS credit is bought, held, spent once per source, and never falls below nothing', async () => {
  const owner = await server.owner();
  const credit = await owner.post(ORDERS, { credit: 15 });
  expect(credit.body.data).toMatchObject({ kind: 'sms_credit', total: 1500, plan_id: null });
  await pay(owner, credit.body.data);
  const { accountId } = owner;
  await inTransaction(server.db, async (tx) => {
    expect(await holdCredit(tx, { accountId, messageId: 1, micros: 10_000_000 })).toBe(true);
    expect(await holdCredit(tx, { accountId, messageId: 2, micros: 6_000_000 })).toBe(false);
    for (let i = 0; i < 2; i++)
      await spendCredit(tx, { accountId, messageId: 1, micros: 4_000_000, source: 'copy 1' });
    await releaseCredit(tx, accountId, 1);
  });
  expect((await owner.get('/client-api/api/billing')).body.data.sms_credit).toMatchObject({
    balance: 11_000_000,
    held: 0,
  });
});

test('limits: only what the plan holds, and the free plan where there is none', async () => {
  const owner = await server.owner();
  const { accountId } = owner;
  const room = () => inTransaction(server.db, (tx) => roomOf(tx, accountId));
  expect(await room()).toMatchObject({
    emails: { limit: 1000, used: 0 },
    people: { limit: 100, used: 0 },
    isEnforced: true,
  });
  used.set(accountId, 600);
  expect((await room()).people).toEqual({ limit: 100, used: 600 });
  expect((await owner.post(ORDERS, { plan_id: 'small', size: 500 })).body.code).toBe(
    'size_too_small',
  );
  await buy(owner, { size: 1000 });
  expect(await room()).toMatchObject({ emails: { limit: 12_000 }, people: { limit: 1000 } });
});

test('the operator gives an order back: money, credit note, and what is left of the credit', async () => {
  const owner = await server.owner();
  const credit = (await owner.post(ORDERS, { credit: 15 })).body.data;
  await pay(owner, credit);
  const id = decodeId('order', credit.id) as number;
  await inTransaction(server.db, (tx) => refundOrder(tx, owner.accountId, id));
  await lookAtDue(server.db);
  const charge = gateway.ledger.list().find((one) => one.amount === 1500 && one.refunded === 1500);
  expect(charge).toBeDefined();
  expect((await owner.get('/client-api/api/billing')).body.data.sms_credit.balance).toBe(0);
  const { data } = (await owner.get('/client-api/api/invoices')).body;
  expect(data.map((one: { kind: string }) => one.kind)).toEqual(['credit_note', 'invoice']);
  expect(told(owner, 'refunded')).toBe(1);
});

test('bad input: amounts, ids and choices of every wrong kind are refused, and nobody pays with a token', async () => {
  const owner = await lasting();
  const stranger = await server.owner();
  const made = await order(owner);
  for (const body of [
    {},
    { credit: 0 },
    { credit: -5 },
    { credit: 1e15 },
    { credit: 7.5 },
    { plan_id: 'x'.repeat(40), size: 500 },
    { plan_id: 'small', size: 1e9 },
    { plan_id: 'small', size: 500, currency: 'gbp' },
    { plan_id: 'small', size: 500, duration: 7 },
    { plan_id: 'toString', size: 500 },
  ]) {
    expect((await owner.post(ORDERS, body)).status, JSON.stringify(body)).toBe(422);
  }
  for (const answer of [
    await stranger.get(`${ORDERS}/${made.id}`),
    await stranger.put(`${ORDERS}/${made.id}`, {}),
    await pay(stranger, made),
    await stranger.post(`${ORDERS}/${made.id}/finish`, {}),
  ]) {
    expect(answer.status, answer.text).toBe(404);
  }
  const methods = await order(owner);
  expect(
    (await owner.post(`${ORDERS}/${methods.id}/pay`, { total: methods.total })).body.code,
  ).toBe('card_needed');
  expect(
    (await owner.post(`${ORDERS}/${methods.id}/pay`, { total: methods.total, card: 'forged' })).body
      .data.is,
  ).toBe('declined');
  await owner.pass(25 * 3_600_000);
  expect((await pay(owner, made)).body.code).toBe('order_closed');
});

test('whatever a gateway says of whichever attempt, in any order: one payment, the rest goes back', async () => {
  const { settleCharge } = await import('./settle.ts');
  const outcome = fc.constantFrom(
    { is: 'succeeded' as const, gatewayId: 'g' },
    { is: 'declined' as const, code: 'no', mayRetry: true },
    { is: 'unknown' as const },
    { is: 'none' as const },
    { is: 'cannot_tell' as const },
    { is: 'action_needed' as const, gatewayId: 'g', action: { url: '/x' } },
  );
  /** Somebody pays, or the gateway says something of one of the attempts so far. */
  const step = fc.oneof(
    fc.constant('pay' as const),
    fc.record({ of: fc.nat(), outcome }, { noNullPrototype: true }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 10 }), async (steps) => {
      // Nobody may try cards without end: each order has an owner of its own.
      const owner = await server.owner();
      const made = (await owner.post(ORDERS, { credit: 15 })).body.data;
      const id = decodeId('order', made.id) as number;
      const attempts = () =>
        server.db
          .selectFrom('charges')
          .select(['key', 'state', 'id'])
          .where('account_id', '=', owner.accountId)
          .where('order_id', '=', id)
          .orderBy('attempt')
          .execute();
      const succeeded = new Set<string>();
      for (const one of ['pay' as const, ...steps]) {
        if (one === 'pay') {
          await pay(owner, made, NUMBERS.asks);
          continue;
        }
        const known = await attempts();
        const { key = '' } = known[one.of % known.length] ?? {};
        if (one.outcome.is === 'succeeded') succeeded.add(key);
        await inTransaction(server.db, (tx) => settleCharge(tx, owner.accountId, key, one.outcome));
      }
      const charges = await attempts();
      const paid = charges.filter((one) => one.state === 'succeeded');
      const ids = charges.map((one) => one.id);
      const back = await server.db
        .selectFrom('refunds')
        .select('charge_id')
        .where('account_id', '=', owner.accountId)
        .where('charge_id', 'in', ids)
        .execute();
      const { state } = (await owner.get(`${ORDERS}/${made.id}`)).body.data;
      expect(paid.length).toBeLessThanOrEqual(1);
      expect(state === 'paid').toBe(paid.length === 1);
      expect(paid.length + back.length).toBe(succeeded.size);
      await requireTrueSums();
    }),
    { numRuns: 25 },
  );
});

test('a renewal that failed is mended at its own checkout, where the letter leads', async () => {
  const owner = await lasting();
  await buy(owner, {}, NUMBERS.failsLater);
  await owner.pass(31 * DAY + 3_600_000);
  await renewDue(server.db);
  await renewDue(server.db);
  const failed = (await owner.get('/client-api/api/billing')).body.data.plan;
  expect(failed).toMatchObject({ state: 'past_due', renewal_order: expect.any(String) });
  expect(tokenOf(owner, 'renewalFailed')).toBe(failed.renewal_order);
  const due = (await owner.get(`${ORDERS}/${failed.renewal_order}`)).body.data;
  expect((await pay(owner, due)).body.data.is).toBe('paid');
  const mended = (await owner.get('/client-api/api/billing')).body.data.plan;
  expect(mended).toMatchObject({ state: 'active', renewal_order: null });
  expect(Date.parse(mended.valid_to)).toBeGreaterThan(Date.parse(failed.valid_to) + 27 * DAY);
  // The new card renews it from now on.
  await owner.pass(31 * DAY);
  await renewDue(server.db);
  await renewDue(server.db);
  expect((await owner.get('/client-api/api/billing')).body.data.plan.state).toBe('active');
});

test('nobody pays for the renewal of a plan that is over', async () => {
  const owner = await lasting();
  await buy(owner, {}, NUMBERS.failsLater);
  await owner.pass(31 * DAY + 3_600_000);
  await renewDue(server.db);
  await renewDue(server.db);
  const { renewal_order: id } = (await owner.get('/client-api/api/billing')).body.data.plan;
  const due = (await owner.get(`${ORDERS}/${id}`)).body.data;
  await owner.pass(15 * DAY);
  await renewDue(server.db);
  expect((await owner.get('/client-api/api/billing')).body.data.plan.state).toBe('free');
  expect((await pay(owner, due)).body.code).toBe('order_closed');
});

test('a renewal whose success is told late does not take the place of a plan bought meanwhile', async () => {
  const owner = await lasting();
  await buy(owner, {}, NUMBERS.failsLater);
  await owner.pass(31 * DAY + 3_600_000);
  await renewDue(server.db);
  await renewDue(server.db);
  const { accountId } = owner;
  // As if its answer had never come.
  await sql`update plan_orders set state = 'paying' where account_id = ${accountId}
    and origin = 'renewal'`.execute(server.db);
  const { rows } = await sql<{ key: string }>`
    update charges set state = 'unknown' where account_id = ${accountId} and id = (
      select max(c.id) from charges c join plan_orders o on o.account_id = ${accountId} and o.id = c.order_id
      where c.account_id = ${accountId} and o.origin = 'renewal') returning key`.execute(server.db);
  const key = rows[0]?.key ?? expect.fail('There is no charge of the renewal');
  await buy(owner, { plan_id: 'large', size: 1000 });
  const bought = (await owner.get('/client-api/api/billing')).body.data.plan;
  await inTransaction(server.db, (tx) =>
    settleCharge(tx, accountId, key, { is: 'succeeded', gatewayId: 'late' }),
  );
  expect((await owner.get('/client-api/api/billing')).body.data.plan).toEqual(bought);
  const after = await sql<{ state: string; refunds: number }>`
    select o.state, (select count(*) from refunds r join charges c on c.account_id = r.account_id
      and c.id = r.charge_id where r.account_id = ${accountId} and c.key = ${key}) as refunds
    from plan_orders o where o.account_id = ${accountId} and o.origin = 'renewal'`.execute(
    server.db,
  );
  expect(after.rows).toEqual([{ state: 'expired', refunds: 1 }]);
});
