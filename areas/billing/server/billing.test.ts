// Orders, payments and coupons over HTTP, with the built-in test gateway on a real socket.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { SIGNATURE, sign } from '#providers/test-gateway/client.ts';
import { NUMBERS } from '#providers/test-gateway/ledger.ts';
import { setUpBilling, ORDERS } from '#testing/worlds/billing.ts';
import { pollDueCharges } from './charge-polling.ts';
import { settleCharge } from './settle.ts';

const { server, gateway, order, pay, buy, createLastingOwner, requireConsistentSums, emailsOf } =
  await setUpBilling();

test('a plan order has defaults, can be changed, and is paid once, with an invoice, a stored card and a receipt', async () => {
  const owner = await server.owner();
  const defaultOrder = await owner.post(ORDERS, { plan_id: 'small', size: 500 });
  expect(defaultOrder.body.data).toMatchObject({
    duration: 12,
    currency: 'usd',
    total: 5000,
    premium: false,
  });
  const { id } = defaultOrder.body.data;
  const repriced = await owner.put(`${ORDERS}/${id}`, { duration: 1, coupon_name: ' twenty ' });
  expect(repriced.body.data).toMatchObject({
    duration: 1,
    coupon_name: 'TWENTY',
    net: 400,
    total: 400,
  });
  const payment = await pay(owner, repriced.body.data);
  expect(payment.body.data).toMatchObject({ is: 'paid', order: { state: 'paid' } });
  const charges = gateway.ledger.list().length;
  const retry = await pay(owner, repriced.body.data);
  expect(retry.body.data.is).toBe('paid');
  expect(gateway.ledger.list()).toHaveLength(charges);
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
  expect(emailsOf(owner, 'receipt')).toBe(1);
  expect((await owner.put(`${ORDERS}/${id}`, { duration: 12 })).status).toBe(409);
});

test('twenty concurrent payments result in one charge and one invoice', async () => {
  const owner = await server.owner();
  const planOrder = await order(owner);
  const chargesBefore = gateway.ledger.list().length;
  const responses = await Promise.all(Array.from({ length: 20 }, () => pay(owner, planOrder)));
  const outcomes = responses.map(
    (response) => `${response.status} ${response.body.data?.is ?? response.body.code}`,
  );
  expect(outcomes.some((outcome) => outcome === '200 paid')).toBe(true);
  expect(
    outcomes.every((outcome) => /^(200 (paid|processing)|429)/.test(outcome)),
    outcomes.join(),
  ).toBe(true);
  expect(gateway.ledger.list().length - chargesBefore).toBe(1);
  expect((await owner.get('/client-api/api/invoices')).body.data).toHaveLength(1);
});

test('a declined card releases the coupon of its order, and another card can pay the order', async () => {
  const owner = await server.owner();
  const planOrder = await order(owner, { coupon_name: 'once' });
  const declinedPayment = await pay(owner, planOrder, NUMBERS.declines);
  expect(declinedPayment.body.data).toMatchObject({
    is: 'declined',
    code: 'card_declined',
    order: { state: 'failed' },
  });
  // The coupon that the order had reserved is available to other orders again.
  const otherOwner = await server.owner();
  await buy(otherOwner, { coupon_name: 'ONCE' });
  const latePayment = await pay(owner, planOrder);
  expect(latePayment.body).toMatchObject({ code: 'coupon_used_up' });
  const fullPrice = (await owner.put(`${ORDERS}/${planOrder.id}`, { coupon_name: '' })).body.data;
  expect((await pay(owner, fullPrice)).body.data.is).toBe('paid');
});

test('each invalid coupon has its own error', async () => {
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

test('an order with a 100 % coupon is paid without a charge, and a payment with another total is refused', async () => {
  const owner = await server.owner();
  const planOrder = await order(owner, { coupon_name: 'ALL' });
  const chargesBefore = gateway.ledger.list().length;
  expect((await owner.post(`${ORDERS}/${planOrder.id}/pay`, { total: 500 })).body.code).toBe(
    'order_changed',
  );
  const payment = await owner.post(`${ORDERS}/${planOrder.id}/pay`, { total: 0 });
  expect(payment.body.data.is).toBe('paid');
  expect(gateway.ledger.list().length).toBe(chargesBefore);
});

test('a charge without a response is looked up and never repeated', async () => {
  const owner = await server.owner();
  const planOrder = await order(owner);
  const lostPayment = await pay(owner, planOrder, NUMBERS.silent);
  expect(lostPayment.body.data.is).toBe('processing');
  expect((await owner.put(`${ORDERS}/${planOrder.id}`, { duration: 12 })).body.code).toBe(
    'order_being_paid',
  );
  const retry = await pay(owner, planOrder);
  expect(retry.body.data.is).toBe('processing');
  clock.advance(20_000);
  await pollDueCharges(server.db);
  const now = await owner.post(`${ORDERS}/${planOrder.id}/finish`, {});
  expect(now.body.data.is).toBe('paid');
  expect(gateway.ledger.list().filter((charge) => charge.last4 === '0119')).toHaveLength(1);
});

test("bank authentication is confirmed on the bank's page or canceled to use another card", async () => {
  const owner = await server.owner();
  const planOrder = await order(owner);
  const waits = await pay(owner, planOrder, NUMBERS.challenged);
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
  expect((await owner.get(`${ORDERS}/${planOrder.id}`)).body.data.state).toBe('paid');
  const otherOwner = await server.owner();
  const second = await order(otherOwner);
  await pay(otherOwner, second, NUMBERS.challenged);
  expect((await pay(otherOwner, second)).body.data.is).toBe('paid');
});

test('invalid orders, orders of another account, invalid cards and expired orders are refused', async () => {
  const owner = await createLastingOwner();
  const outsider = await server.owner();
  const planOrder = await order(owner);
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
  for (const response of [
    await outsider.get(`${ORDERS}/${planOrder.id}`),
    await outsider.put(`${ORDERS}/${planOrder.id}`, {}),
    await pay(outsider, planOrder),
    await outsider.post(`${ORDERS}/${planOrder.id}/finish`, {}),
  ]) {
    expect(response.status, response.text).toBe(404);
  }
  const clientToken = `${ORDERS}/client_token`;
  expect((await owner.get(clientToken)).body.data).toMatchObject({ gateway: 'test' });
  expect((await owner.get(`${clientToken}?currency=eur`)).status).toBe(200);
  expect((await owner.get(`${clientToken}?currency=gbp`)).status).toBe(422);
  const unpaid = await order(owner);
  expect((await owner.post(`${ORDERS}/${unpaid.id}/pay`, { total: unpaid.total })).body.code).toBe(
    'card_needed',
  );
  expect(
    (await owner.post(`${ORDERS}/${unpaid.id}/pay`, { total: unpaid.total, card: 'forged' })).body
      .data.is,
  ).toBe('declined');
  await owner.advanceClock(25 * 3_600_000);
  expect((await pay(owner, planOrder)).body.code).toBe('order_closed');
});

type ChargeCase = Parameters<typeof settleCharge>[3];

/**
 * The first of two attempts succeeds late and is refunded, the second is declined, and then the
 * first is reported again.
 */
const LATE_AND_AGAIN: ('pay' | { chargeIndex: number; outcome: ChargeCase })[] = [
  'pay',
  { chargeIndex: 0, outcome: { status: 'succeeded', gatewayId: 'g' } },
  { chargeIndex: 1, outcome: { status: 'declined', code: 'no', mayRetry: true } },
  { chargeIndex: 0, outcome: { status: 'succeeded', gatewayId: 'g' } },
];

test('after any sequence of gateway results, at most one charge pays the order and all other successful charges are refunded', async () => {
  const outcome = fc.constantFrom<ChargeCase>(
    { status: 'succeeded' as const, gatewayId: 'g' },
    { status: 'declined' as const, code: 'no', mayRetry: true },
    { status: 'unknown' as const },
    { status: 'none' as const },
    { status: 'cannot_tell' as const },
    { status: 'action_needed' as const, gatewayId: 'g', action: { url: '/x' } },
  );
  /** A payment attempt, or a gateway result for one of the attempts so far. */
  const step = fc.oneof(
    fc.constant('pay' as const),
    fc.record({ chargeIndex: fc.nat(), outcome }, { noNullPrototype: true }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 10 }), async (steps) => {
      // Payment attempts are rate-limited, so each order has its own account.
      const owner = await server.owner();
      const creditOrder = (await owner.post(ORDERS, { credit: 15 })).body.data;
      const id = decodeId('order', creditOrder.id) as number;
      const attempts = () =>
        server.db
          .selectFrom('charges')
          .select(['key', 'state', 'id'])
          .where('account_id', '=', owner.accountId)
          .where('order_id', '=', id)
          .orderBy('attempt')
          .execute();
      const succeeded = new Set<string>();
      for (const step of ['pay' as const, ...steps]) {
        if (step === 'pay') {
          await pay(owner, creditOrder, NUMBERS.challenged);
          continue;
        }
        const previousAttempts = await attempts();
        const { key = '' } = previousAttempts[step.chargeIndex % previousAttempts.length] ?? {};
        if (step.outcome.status === 'succeeded') succeeded.add(key);
        await inTransaction(server.db, (tx) =>
          settleCharge(tx, owner.accountId, key, step.outcome),
        );
      }
      const charges = await attempts();
      const paidCharges = charges.filter((charge) => charge.state === 'succeeded');
      const ids = charges.map((charge) => charge.id);
      const refunds = await server.db
        .selectFrom('refunds')
        .select('charge_id')
        .where('account_id', '=', owner.accountId)
        .where('charge_id', 'in', ids)
        .execute();
      const { state } = (await owner.get(`${ORDERS}/${creditOrder.id}`)).body.data;
      expect(paidCharges.length).toBeLessThanOrEqual(1);
      expect(state === 'paid').toBe(paidCharges.length === 1);
      expect(paidCharges.length + refunds.length).toBe(succeeded.size);
      await requireConsistentSums();
    }),
    { numRuns: 25, examples: [[LATE_AND_AGAIN]] },
  );
});
