// Billing disabled: usage is shown, no limit applies, and all payment calls are refused.
import { beforeAll, expect, test } from 'vitest';
import { inTransaction } from '#platform/server/database/database.ts';
import { type TestOwner, type TestServer, testServer } from '#testing/setup/server.ts';
import { readPlanCapacity } from './usage.ts';

let server: TestServer;
let owner: TestOwner;
beforeAll(async () => {
  server = await testServer({ BILLING: 'off' });
  owner = await server.owner();
});

test('usage is shown without limits or offers', async () => {
  const { data } = (await owner.get('/client-api/api/billing')).body;
  expect(data).toMatchObject({
    is_on: false,
    plan: { state: 'unlimited', plan_id: null, renewal_order: null },
    usage: { subscribers: { used: 0, limit: null }, emails: { used: 0, limit: null } },
    sms_credit: null,
  });
  const usage = await owner.get('/client-api/api/accounts/dashboard_usage');
  expect(usage.body.data).toMatchObject({ sent: 0, limit: null });
  expect((await owner.get('/client-api/api/billing/plans')).body.data.plans).toEqual([]);
  const capacity = await inTransaction(server.db, (tx) => readPlanCapacity(tx, owner.accountId));
  expect(capacity).toMatchObject({ emails: null, subscribers: null, isEnforced: false });
  const { account } = (await owner.get('/client-api/api/users')).body.data;
  expect(account).toMatchObject({ active_plan: { id: 'unlimited' }, plan_valid_to: null });
});

test('orders, payment tokens, plan changes and VAT numbers are refused', async () => {
  const orders = '/client-api/api/orders';
  for (const response of [
    await owner.post(orders, { plan_id: 'standard', size: 1000 }),
    await owner.post(orders, { credit: 15 }),
    await owner.get(`${orders}/client_token?currency=usd`),
    await owner.put('/client-api/api/billing/next', { plan_id: null }),
    await owner.put('/client-api/api/billing/vat', { vat_number: 'LT100001738313' }),
  ]) {
    expect([response.status, response.body.code]).toEqual([409, 'billing_off']);
  }
});

test('the card form, the test gateway and webhooks do not exist', async () => {
  for (const [method, url] of [
    ['GET', '/billing/card-form'],
    ['GET', '/gateway'],
    ['GET', '/gateway/api/charges/x'],
    ['POST', '/gateway/tokenize'],
    ['POST', '/hooks/billing/test'],
    ['POST', '/hooks/billing/stripe'],
    ['POST', '/hooks/billing/braintree'],
  ] as const) {
    const response = await server.client().send({ method, url });
    expect(response.status, url).toBe(404);
  }
});
