// SMS credit, plan limits, the single currency of an account, and refunds.
import { expect, test } from 'vitest';
import { decodeId } from '#platform/ids.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { setUpBilling, ORDERS } from '#testing/worlds/billing.ts';
import { reserveCredit, releaseCredit, spendCredit } from './credit.ts';
import { pollDueCharges } from './charge-polling.ts';
import { refundOrder } from './refunds.ts';
import { readPlanCapacity } from './usage.ts';

const { server, gateway, usageByAccount, pay, buy, emailsOf } = await setUpBilling();

test('SMS credit is bought, reserved up to the balance and spent once per source', async () => {
  const owner = await server.owner();
  const credit = await owner.post(ORDERS, { credit: 15 });
  expect(credit.body.data).toMatchObject({ kind: 'sms_credit', total: 1500, plan_id: null });
  await pay(owner, credit.body.data);
  const { accountId } = owner;
  await inTransaction(server.db, async (tx) => {
    expect(await reserveCredit(tx, { accountId, messageId: 1, micros: 10_000_000 })).toBe(true);
    expect(await reserveCredit(tx, { accountId, messageId: 2, micros: 6_000_000 })).toBe(false);
    for (let i = 0; i < 2; i++)
      await spendCredit(tx, { accountId, messageId: 1, micros: 4_000_000, source: 'copy 1' });
    await releaseCredit(tx, accountId, 1);
  });
  expect((await owner.get('/client-api/api/billing')).body.data.sms_credit).toMatchObject({
    balance: 11_000_000,
    held: 0,
  });
});

test('an account must pay in the currency of its plan or of its remaining credit', async () => {
  const owner = await server.owner();
  const code = async (body: object) => (await owner.post(ORDERS, body)).body.code;
  expect((await owner.get('/client-api/api/billing')).body.data.currency).toBeNull();
  const credit = (await owner.post(ORDERS, { credit: 15, currency: 'eur' })).body.data;
  const unpaidOrder = (await owner.post(ORDERS, { credit: 20 })).body.data;
  await pay(owner, credit);
  expect((await owner.get('/client-api/api/billing')).body.data).toMatchObject({
    currency: 'eur',
    sms_credit: { balance: 15_000_000, currency: 'eur' },
  });
  expect(await code({ credit: 15, currency: 'usd' })).toBe('currency_fixed');
  expect(await code({ plan_id: 'small', size: 500, currency: 'usd' })).toBe('currency_fixed');
  // An order created earlier in another currency cannot be paid either.
  expect((await pay(owner, unpaidOrder)).body.code).toBe('currency_fixed');
  await buy(owner, { currency: 'eur' });
  expect(await code({ credit: 15, currency: 'usd' })).toBe('currency_fixed');
});

test('an account has the limits of its plan, or of the free plan if it has none', async () => {
  const owner = await server.owner();
  const { accountId } = owner;
  const capacity = () => inTransaction(server.db, (tx) => readPlanCapacity(tx, accountId));
  expect(await capacity()).toMatchObject({
    emails: { limit: 1000, used: 0 },
    subscribers: { limit: 100, used: 0 },
    isEnforced: true,
  });
  usageByAccount.set(accountId, 600);
  expect((await capacity()).subscribers).toEqual({ limit: 100, used: 600 });
  expect((await owner.post(ORDERS, { plan_id: 'small', size: 500 })).body.code).toBe(
    'size_too_small',
  );
  await buy(owner, { size: 1000 });
  expect(await capacity()).toMatchObject({
    emails: { limit: 12_000 },
    subscribers: { limit: 1000 },
  });
});

test('a refund by the operator returns the money, issues a credit note and removes unused credit', async () => {
  const owner = await server.owner();
  const credit = (await owner.post(ORDERS, { credit: 15 })).body.data;
  await pay(owner, credit);
  const id = decodeId('order', credit.id) as number;
  await inTransaction(server.db, (tx) => refundOrder(tx, owner.accountId, id));
  await pollDueCharges(server.db);
  const charge = gateway.ledger
    .list()
    .find((charge) => charge.amount === 1500 && charge.refunded === 1500);
  expect(charge).toBeDefined();
  expect((await owner.get('/client-api/api/billing')).body.data.sms_credit.balance).toBe(0);
  const { data } = (await owner.get('/client-api/api/invoices')).body;
  expect(data.map((row: { kind: string }) => row.kind)).toEqual(['credit_note', 'invoice']);
  expect(emailsOf(owner, 'refunded')).toBe(1);
});
