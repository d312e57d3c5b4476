// Requirements that every gateway meets: one charge per key, a definite result or 'unknown',
// idempotent refunds, and signed webhooks only. Also payments through the product when responses
// are lost.
import fastify from 'fastify';
import { sql } from 'kysely';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { decodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { configureSecrets } from '#platform/server/secrets.ts';
import type { Trouble } from '#testing/gateways/proxy.ts';
import { GATEWAY_SETUPS, type GatewaySetup } from '#testing/gateways/fixtures.ts';
import {
  TEST_SECRET,
  type TestClient,
  type TestOwner,
  type TestServer,
  testServer,
} from '#testing/setup/server.ts';
import type { ChargeOutcome, ChargeRequest, GatewayWebhookRequest } from './gateway-provider.ts';
import { billingHooks } from './hooks-plugin.ts';
import { pollDueCharges } from './charge-polling.ts';
import { listInconsistentTotals } from './orders.sql.ts';
import { refundOrder } from './refunds.ts';
import { billingSettings, configureBilling } from './settings.ts';

const TROUBLES: Trouble[] = ['never sent', 'lost', 'late', 'page', 'page with status 200'];
const NAMES = Object.keys(GATEWAY_SETUPS) as (keyof typeof GATEWAY_SETUPS)[];
const MINUTE = 60_000;

let keys = 0;
const newKey = () => `order${process.pid}x${(keys += 1)}-1`;

describe.each(NAMES)('%s', (name) => {
  let fixture: GatewaySetup;
  beforeAll(async () => {
    configureSecrets(TEST_SECRET);
    fixture = await GATEWAY_SETUPS[name]();
  });
  afterEach(() => {
    fixture.proxy.trouble = undefined;
    fixture.proxy.isTotal = false;
  });

  const request = (key: string, card: ChargeRequest['card'], more = {}): ChargeRequest => ({
    key,
    order: key.slice(0, -2),
    amount: 1250,
    currency: 'eur',
    card,
    isOffSession: false,
    customer: { id: `customer of ${key}`, email: 'buyer@shop.example' },
    ...more,
  });
  const charge = (chargeRequest: ChargeRequest): Promise<ChargeOutcome> =>
    fixture.gateway
      .charge(chargeRequest, async (id) => {
        gatewayIds.set(chargeRequest.key, id);
      })
      .catch((): ChargeOutcome => ({ status: 'unknown' }));
  const gatewayIds = new Map<string, string>();
  const find = (key: string) =>
    fixture.gateway
      .find({ key, order: key.slice(0, -2), gatewayId: gatewayIds.get(key) ?? null })
      .catch(() => ({ status: 'cannot_tell' as const }));
  const pay = async (key: string) => {
    const payment = await charge(request(key, { nonce: fixture.card(), save: true }));
    if (payment.status !== 'succeeded') throw new Error(JSON.stringify(payment));
    return payment;
  };

  test('charges once per key, stores the card, charges it off session and deletes it', async () => {
    const key = newKey();
    const chargeRequest = request(key, { nonce: fixture.card(), save: true });
    const payment = await charge(chargeRequest);
    expect(payment).toMatchObject({
      status: 'succeeded',
      method: { brand: 'Visa', expMonth: 12, expYear: 2035, token: expect.any(String) },
    });
    expect(await charge(chargeRequest)).toEqual(payment);
    expect(await find(key)).toEqual(payment);
    expect(fixture.chargedAmounts(key)).toEqual([1250]);
    const laterKey = newKey();
    const token = (payment as { method: { token: string } }).method.token;
    const repeated = await charge(request(laterKey, { token }, { isOffSession: true }));
    expect(repeated.status).toBe('succeeded');
    expect(fixture.chargedAmounts(laterKey)).toEqual([1250]);
    await fixture.gateway.deleteMethod(token);
  });

  test('returns the reason of a decline and whether a retry is allowed', async () => {
    for (const [cardKind, mayRetry] of [
      ['declines', true],
      ['lost', false],
    ] as const) {
      const key = newKey();
      const outcome = await charge(request(key, { nonce: fixture.card(cardKind), save: false }));
      expect(outcome).toMatchObject({
        status: 'declined',
        mayRetry,
        code: expect.stringMatching(/\w/),
      });
      expect((await find(key)).status).toBe('declined');
      expect(fixture.chargedAmounts(key)).toEqual([]);
    }
    const firstOutcome = await charge(
      request(newKey(), { nonce: fixture.card('failsLater'), save: true }),
    );
    const token = (firstOutcome as { method: { token: string } }).method.token;
    const laterOutcome = await charge(request(newKey(), { token }, { isOffSession: true }));
    expect(laterOutcome).toMatchObject({ status: 'declined', mayRetry: true });
  });

  test('waits for bank authentication until it is confirmed, refused or canceled', async () => {
    if (!fixture.decide) {
      // The form requires authentication before the charge; without it, nothing is charged.
      const key = newKey();
      const outcome = await charge(request(key, { nonce: fixture.card('asks'), save: true }));
      expect(outcome).toMatchObject({
        status: 'declined',
        code: 'not_authenticated',
        mayRetry: true,
      });
      expect(fixture.chargedAmounts(key)).toEqual([]);
      return;
    }
    for (const [end, is] of [
      ['confirm', 'succeeded'],
      ['refuse', 'declined'],
      ['cancel', 'declined'],
    ] as const) {
      const key = newKey();
      const waits = await charge(request(key, { nonce: fixture.card('asks'), save: false }));
      if (waits.status !== 'action_needed') throw new Error(JSON.stringify(waits));
      expect(waits.action.url).toMatch(/^(https:|\/)/);
      expect((await find(key)).status).toBe('action_needed');
      if (end === 'cancel') {
        const canceled = await fixture.gateway.cancel({ key, gatewayId: waits.gatewayId });
        expect(canceled.status).toBe('declined');
      } else await fixture.decide(key, end === 'confirm');
      expect((await find(key)).status).toBe(is);
      expect(fixture.chargedAmounts(key)).toEqual(is === 'succeeded' ? [1250] : []);
    }
  });

  test.each(TROUBLES)(
    'returns a definite result or “unknown” despite the trouble “%s”',
    async (trouble) => {
      const key = newKey();
      const chargeRequest = request(key, { nonce: fixture.card(), save: false });
      fixture.proxy.trouble = trouble;
      const outcome = await charge(chargeRequest);
      expect(['unknown', 'declined']).toContain(outcome.status);
      fixture.proxy.isTotal = true;
      expect((await find(key)).status).toMatch(/^(cannot_tell|unknown)$/);
      fixture.proxy.trouble = undefined;
      const amounts = fixture.chargedAmounts(key).length;
      if (outcome.status === 'declined') expect(amounts).toBe(0);
      const foundCharge = await find(key);
      if (amounts === 1) expect(foundCharge.status).toBe('succeeded');
      else expect(foundCharge.status).toMatch(/^(none|declined|cannot_tell|unknown)$/);
      // Repeating a key after any result makes at most one charge.
      await charge(chargeRequest);
      expect(fixture.chargedAmounts(key).length).toBeLessThanOrEqual(1);
    },
  );

  test('refunds once per key and never more than was charged', async () => {
    for (const [trouble, isSettled] of [
      [undefined, false],
      [undefined, true],
      ['lost', false],
      ['lost', true],
      ['page', true],
      ['page with status 200', true],
    ] as const) {
      const key = newKey();
      const { gatewayId } = await pay(key);
      if (isSettled) fixture.settle?.();
      const refundRequest = {
        key: `${key}-back`,
        gatewayId,
        amount: 1250,
        currency: 'eur' as const,
      };
      fixture.proxy.trouble = trouble;
      const refund = await fixture.gateway
        .refund(refundRequest)
        .catch(() => ({ status: 'unknown' as const }));
      expect(refund.status).toBe(trouble === undefined ? 'succeeded' : 'unknown');
      fixture.proxy.trouble = undefined;
      expect((await fixture.gateway.refund(refundRequest)).status).toBe('succeeded');
      expect(fixture.refundedAmount(key)).toBe(1250);
      const excessRefund = await fixture.gateway.refund({
        ...refundRequest,
        key: `${key}-more`,
        amount: 1,
      });
      expect(excessRefund.status).toBe('failed');
      expect(fixture.refundedAmount(key)).toBe(1250);
    }
  });

  test('accepts only signed webhooks and reads a repeated one as the same event', async () => {
    const key = newKey();
    await pay(key);
    const call = fixture.hook('charge', key);
    const events = await fixture.gateway.parseWebhook(call);
    expect(events).toMatchObject([{ kind: 'charge', chargeKey: key }]);
    expect(await fixture.gateway.parseWebhook(fixture.hook('charge', key))).toEqual(events);
    expect(await fixture.gateway.parseWebhook(fixture.forgeSignature(call))).toBeUndefined();
    expect(await fixture.gateway.parseWebhook({ headers: {}, body: '' })).toBeUndefined();
    expect(await fixture.gateway.parseWebhook({ ...call, body: '<html></html>' })).toBeUndefined();
    const dispute = await fixture.gateway.parseWebhook(fixture.hook('dispute', key));
    expect(dispute).toMatchObject([{ kind: 'dispute', chargeKey: key }]);
  });
});

describe.each(NAMES)('payments through the product by %s', (name) => {
  let server: TestServer;
  let fixture: GatewaySetup;
  let deliverHook: (call: {
    headers: Record<string, string | undefined>;
    body: string;
  }) => Promise<number>;

  beforeAll(async () => {
    server = await testServer({ BILLING: 'test' });
    fixture = await GATEWAY_SETUPS[name]();
    configureBilling({ ...billingSettings(), gateway: fixture.gateway });
    const hooks = fastify();
    hooks.decorate('db', server.db);
    await hooks.register(billingHooks(fixture.gateway));
    deliverHook = async ({ headers, body }) =>
      (
        await hooks.inject({
          method: 'POST',
          url: `/hooks/billing/${name}`,
          headers: { 'content-type': 'application/json', ...headers } as Record<string, string>,
          payload: body,
        })
      ).statusCode;
  });
  afterEach(async () => {
    clock.reset();
    fixture.proxy.trouble = undefined;
    const inconsistencies = await listInconsistentTotals(server.db);
    if (inconsistencies.length > 0)
      throw new Error(`Inconsistent sums: ${JSON.stringify(inconsistencies)}`);
  });

  const ORDERS = '/client-api/api/orders';
  const newOrder = async (owner: TestClient) =>
    (await owner.post(ORDERS, { credit: 15 })).body.data as { id: string; total: number };
  const pay = (owner: TestClient, { id, total }: { id: string; total: number }) =>
    owner.post(`${ORDERS}/${id}/pay`, { card: fixture.card(), total });
  const stateOf = async (owner: TestClient, { id }: { id: string }) =>
    (await owner.get(`${ORDERS}/${id}`)).body.data.state as string;
  const chargesOf = (owner: { accountId: number }) =>
    server.db
      .selectFrom('charges')
      .selectAll()
      .where('account_id', '=', owner.accountId)
      .orderBy('id')
      .execute();
  const chargedOf = async (owner: { accountId: number }) =>
    (await chargesOf(owner)).flatMap((charge) => fixture.chargedAmounts(charge.key));
  const expectOnePayment = async (owner: TestOwner) => {
    expect(await chargedOf(owner)).toEqual([1500]);
    expect((await owner.get('/client-api/api/invoices')).body.data).toHaveLength(1);
    expect((await owner.get('/client-api/api/billing')).body.data.sms_credit.balance).toBe(15e6);
  };

  test.each(['lost', 'late', 'page', 'page with status 200'] as const)(
    'a charge whose response is “%s” is found without a webhook and made once',
    async (trouble) => {
      const owner = await server.owner();
      const order = await newOrder(owner);
      fixture.proxy.trouble = trouble;
      expect((await pay(owner, order)).body.data.is).toBe('processing');
      fixture.proxy.trouble = undefined;
      expect((await pay(owner, order)).body.data.is).toBe('processing');
      clock.advance(MINUTE);
      await pollDueCharges(server.db);
      expect(await stateOf(owner, order)).toBe('paid');
      await expectOnePayment(owner);
    },
  );

  test('webhooks of a charge without a response, three at once and one a day later, result in one payment', async () => {
    const owner = await server.owner();
    const order = await newOrder(owner);
    fixture.proxy.trouble = 'lost';
    await pay(owner, order);
    fixture.proxy.trouble = undefined;
    const [charge] = await chargesOf(owner);
    const key = charge?.key ?? '';
    expect(await deliverHook(fixture.forgeSignature(fixture.hook('charge', key)))).toBe(400);
    expect(await stateOf(owner, order)).toBe('paying');
    const events = await Promise.all([1, 2, 3].map(() => deliverHook(fixture.hook('charge', key))));
    expect(events).toEqual([200, 200, 200]);
    expect(await stateOf(owner, order)).toBe('paid');
    clock.advance(MINUTE);
    await pollDueCharges(server.db);
    clock.advance(24 * 60 * MINUTE);
    expect(await deliverHook(fixture.hook('charge', key))).toBe(200);
    clock.reset();
    await expectOnePayment(owner);
  });

  test('a charge that never reached the gateway is canceled, and a second card is charged once', async () => {
    const owner = await server.owner();
    const order = await newOrder(owner);
    fixture.proxy.trouble = 'never sent';
    await pay(owner, order);
    fixture.proxy.trouble = undefined;
    for (let minutes = 0; minutes < 12; minutes += 1) {
      clock.advance(MINUTE);
      await pollDueCharges(server.db);
    }
    expect(await stateOf(owner, order)).toBe('failed');
    expect((await pay(owner, order)).body.data.is).toBe('paid');
    clock.reset();
    await expectOnePayment(owner);
  });

  /** Pays an order; the returned functions read its SMS credit and deliver webhooks of Stripe. */
  const paidOrder = async () => {
    const owner = await server.owner();
    const order = await newOrder(owner);
    expect((await pay(owner, order)).body.data.is).toBe('paid');
    const key = (await chargesOf(owner))[0]?.key ?? '';
    const balance = async () =>
      (await owner.get('/client-api/api/billing')).body.data.sms_credit.balance / 1e6;
    const deliverEvent = async (type: string, details: object) =>
      expect(
        await deliverHook(fixture.chargeHook?.(type, key, details) as GatewayWebhookRequest),
        type,
      ).toBe(200);
    return { owner, order, balance, deliverEvent };
  };

  test.runIf(name === 'stripe')(
    'a dispute freezes its amount, and a won dispute releases it, in any order of the events',
    async () => {
      const { owner, order, balance, deliverEvent } = await paidOrder();
      await deliverEvent('charge.dispute.created', { id: 'dp_1', amount: 500 });
      expect(await balance()).toBe(10);
      await deliverEvent('charge.dispute.created', { id: 'dp_2', amount: 100 });
      expect(await balance()).toBe(9);
      await deliverEvent('charge.dispute.closed', { id: 'dp_2', amount: 100, status: 'lost' });
      expect(await balance()).toBe(9);
      await deliverEvent('charge.dispute.closed', { id: 'dp_1', amount: 500, status: 'won' });
      await deliverEvent('charge.dispute.funds_reinstated', {
        id: 'dp_1',
        amount: 500,
        status: 'won',
      });
      expect(await balance()).toBe(14);
      await deliverEvent('charge.dispute.funds_reinstated', { id: 'dp_3', amount: 1500 });
      await deliverEvent('charge.dispute.created', { id: 'dp_3', amount: 1500 });
      expect(await balance()).toBe(14);
      expect(await stateOf(owner, order)).toBe('paid');
    },
  );

  test.runIf(name === 'stripe')(
    'partial and full refunds made at the gateway are recorded once each',
    async () => {
      const { owner, order, balance, deliverEvent } = await paidOrder();
      const invoices = async () => (await owner.get('/client-api/api/invoices')).body.data.length;
      await deliverEvent('refund.created', { id: 're_1', amount: 300, status: 'pending' });
      expect([await balance(), await invoices()]).toEqual([15, 1]);
      await deliverEvent('refund.updated', { id: 're_1', amount: 300, status: 'succeeded' });
      await deliverEvent('charge.refunded', { amount: 1500, amount_refunded: 300 });
      expect([await balance(), await invoices(), await stateOf(owner, order)]).toEqual([
        12,
        2,
        'paid',
      ]);
      await deliverEvent('charge.refunded', { amount: 1500, amount_refunded: 1500 });
      await deliverEvent('refund.created', { id: 're_2', amount: 1200, status: 'succeeded' });
      expect([await balance(), await invoices(), await stateOf(owner, order)]).toEqual([
        0,
        3,
        'refunded',
      ]);
      await pollDueCharges(server.db);
      const { rows } = await sql<{
        amount_minor: number;
        state: string;
      }>`select amount_minor, state from refunds
        where account_id = ${owner.accountId} order by id`.execute(server.db);
      expect(rows).toMatchObject([
        { amount_minor: 300, state: 'succeeded' },
        { amount_minor: 1200, state: 'succeeded' },
      ]);
    },
  );

  test.runIf(name === 'stripe')(
    'a webhook about a refund by the product has no further effect',
    async () => {
      const { owner, order, balance, deliverEvent } = await paidOrder();
      await deliverEvent('charge.refunded', { amount: 1500, amount_refunded: 500 });
      const id = decodeId('order', order.id) as number;
      await inTransaction(server.db, (tx) => refundOrder(tx, owner.accountId, id));
      clock.advance(MINUTE);
      await pollDueCharges(server.db);
      await deliverEvent('charge.refunded', { amount: 1500, amount_refunded: 1500 });
      expect([await balance(), await stateOf(owner, order)]).toEqual([0, 'refunded']);
      expect(fixture.refundedAmount((await chargesOf(owner))[0]?.key ?? '')).toBe(1000);
    },
  );

  test('a refund by the operator happens once even when a response is lost', async () => {
    const owner = await server.owner();
    const order = await newOrder(owner);
    expect((await pay(owner, order)).body.data.is).toBe('paid');
    const id = decodeId('order', order.id) as number;
    await inTransaction(server.db, (tx) => refundOrder(tx, owner.accountId, id));
    fixture.proxy.trouble = 'lost';
    await pollDueCharges(server.db);
    fixture.proxy.trouble = undefined;
    clock.advance(2 * MINUTE);
    await pollDueCharges(server.db);
    const [charge] = await chargesOf(owner);
    expect(fixture.refundedAmount(charge?.key ?? '')).toBe(1500);
    const refunds = await server.db
      .selectFrom('refunds')
      .selectAll()
      .where('account_id', '=', owner.accountId)
      .execute();
    expect(refunds).toMatchObject([{ state: 'succeeded' }]);
  });
});
