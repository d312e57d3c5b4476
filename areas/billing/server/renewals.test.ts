// Scheduled work on plans: renewal, upgrade, failure, recovery and end.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { NUMBERS } from '#providers/test-gateway/ledger.ts';
import { setUpBilling, DAY, ORDERS } from '#testing/worlds/billing.ts';
import { renewDue } from './renewals.ts';
import { settleCharge } from './settle.ts';

const { server, gateway, order, pay, buy, createLastingOwner, emailsOf, tokenOf } =
  await setUpBilling();

test('an upgrade credits unused days and starts immediately, while a downgrade waits for the end of the period', async () => {
  const owner = await createLastingOwner();
  await buy(owner, { size: 500 });
  const { plan } = (await owner.get('/client-api/api/billing')).body.data;
  const half = (new Date(plan.valid_to).getTime() - clock.now().getTime()) / 2;
  await owner.advanceClock(half);
  const upgrade = await order(owner, { plan_id: 'large', size: 1000 });
  expect(upgrade.lines.map((line: { kind: string }) => line.kind)).toEqual(['plan', 'unused']);
  expect(upgrade.lines[1].net).toBeGreaterThanOrEqual(-250);
  expect(upgrade.lines[1].net).toBeLessThanOrEqual(-248);
  await pay(owner, upgrade);
  const now = (await owner.get('/client-api/api/billing')).body.data;
  expect(now.plan).toMatchObject({ plan_id: 'large', size: 1000 });
  expect(now.sms_credit.balance).toBe(upgrade.net * 10_000);
  const next = '/client-api/api/billing/next';
  expect((await owner.put(next, { plan_id: 'large', size: 5 })).status).toBe(422);
  const downgrade = await owner.put(next, { plan_id: 'small', size: 500, duration: 1 });
  expect(downgrade.body.data).toMatchObject({
    plan_id: 'large',
    next: { plan_id: 'small', size: 500 },
  });
  await owner.advanceClock(32 * DAY);
  await renewDue(server.db);
  await renewDue(server.db);
  expect((await owner.get('/client-api/api/billing')).body.data.plan).toMatchObject({
    plan_id: 'small',
    size: 500,
  });
});

test('renewals over two years charge each month once until the plan is canceled', async () => {
  const owner = await createLastingOwner();
  await buy(owner);
  for (let day = 0; day < 730; day += 5) {
    clock.advance(5 * DAY);
    await renewDue(server.db);
    await renewDue(server.db);
  }
  await owner.advanceClock(0);
  const { meta } = (await owner.get('/client-api/api/invoices')).body;
  expect(meta.total).toBeGreaterThanOrEqual(23);
  expect(meta.total).toBeLessThanOrEqual(25);
  await owner.put('/client-api/api/billing/next', { plan_id: null });
  await owner.advanceClock(40 * DAY);
  await renewDue(server.db);
  await renewDue(server.db);
  expect((await owner.get('/client-api/api/billing')).body.data.plan.state).toBe('free');
  expect((await owner.get('/client-api/api/users')).body.data.account.active_plan).toEqual({
    id: 'free',
  });
});

test('a plan bought on January 31 renews on the 31st, or on the last day of a shorter month', async () => {
  const owner = await createLastingOwner();
  const year = clock.now().getUTCFullYear() + 1;
  await owner.advanceClock(Date.UTC(year, 0, 31, 10) - clock.now().getTime());
  await buy(owner);
  const read = async () => (await owner.get('/client-api/api/billing')).body.data;
  const renewUntil = async (end: string, monthEnd = end) => {
    await owner.advanceClock(Date.parse((await read()).plan.valid_to) - clock.now().getTime() + 1);
    // The first run sends the notice, the second one renews.
    await renewDue(server.db);
    await renewDue(server.db);
    const { plan, month } = await read();
    expect(plan.valid_to.slice(0, 10)).toBe(end);
    expect(month.to.slice(0, 10)).toBe(monthEnd);
  };
  const february = new Date(Date.UTC(year, 2, 0)).toISOString().slice(0, 10);
  expect((await read()).plan.valid_to.slice(0, 10)).toBe(february);
  await renewUntil(`${year}-03-31`);
  await owner.put('/client-api/api/billing/next', { plan_id: 'small', size: 500, duration: 12 });
  await renewUntil(`${year + 1}-03-31`, `${year}-04-30`);
  await owner.put('/client-api/api/billing/next', { plan_id: 'small', size: 500, duration: 1 });
  await renewUntil(`${year + 1}-04-30`);
  await renewUntil(`${year + 1}-05-31`);
});

test('a failed renewal is retried with an email after each attempt and ends in the free plan', async () => {
  const owner = await createLastingOwner();
  await buy(owner, {}, NUMBERS.failsLater);
  await owner.advanceClock(31 * DAY + 3_600_000);
  await renewDue(server.db);
  await renewDue(server.db);
  expect((await owner.get('/client-api/api/billing')).body.data.plan.state).toBe('past_due');
  for (let day = 0; day < 8; day += 1) {
    clock.advance(DAY);
    await renewDue(server.db);
  }
  expect(emailsOf(owner, 'renewalFailed')).toBe(4);
  expect(emailsOf(owner, 'renewalLast')).toBe(1);
  const charges = gateway.ledger.list().filter((charge) => charge.last4 === '0341');
  expect(charges.filter((charge) => charge.state === 'declined')).toHaveLength(5);
  await owner.advanceClock(8 * DAY);
  await renewDue(server.db);
  expect((await owner.get('/client-api/api/billing')).body.data.plan.state).toBe('free');
  expect(emailsOf(owner, 'planEnded')).toBe(1);
});

test('a failed renewal is paid at the checkout linked in the email', async () => {
  const owner = await createLastingOwner();
  await buy(owner, {}, NUMBERS.failsLater);
  await owner.advanceClock(31 * DAY + 3_600_000);
  await renewDue(server.db);
  await renewDue(server.db);
  const failedPlan = (await owner.get('/client-api/api/billing')).body.data.plan;
  expect(failedPlan).toMatchObject({ state: 'past_due', renewal_order: expect.any(String) });
  expect(tokenOf(owner, 'renewalFailed')).toBe(failedPlan.renewal_order);
  const dueOrder = (await owner.get(`${ORDERS}/${failedPlan.renewal_order}`)).body.data;
  expect((await pay(owner, dueOrder)).body.data.is).toBe('paid');
  const restoredPlan = (await owner.get('/client-api/api/billing')).body.data.plan;
  expect(restoredPlan).toMatchObject({ state: 'active', renewal_order: null });
  expect(Date.parse(restoredPlan.valid_to)).toBeGreaterThan(
    Date.parse(failedPlan.valid_to) + 27 * DAY,
  );
  // The new card pays future renewals.
  await owner.advanceClock(31 * DAY);
  await renewDue(server.db);
  await renewDue(server.db);
  expect((await owner.get('/client-api/api/billing')).body.data.plan.state).toBe('active');
});

test('the renewal of an ended plan cannot be paid', async () => {
  const owner = await createLastingOwner();
  await buy(owner, {}, NUMBERS.failsLater);
  await owner.advanceClock(31 * DAY + 3_600_000);
  await renewDue(server.db);
  await renewDue(server.db);
  const { renewal_order: id } = (await owner.get('/client-api/api/billing')).body.data.plan;
  const dueOrder = (await owner.get(`${ORDERS}/${id}`)).body.data;
  await owner.advanceClock(15 * DAY);
  await renewDue(server.db);
  expect((await owner.get('/client-api/api/billing')).body.data.plan.state).toBe('free');
  expect((await pay(owner, dueOrder)).body.code).toBe('order_closed');
});

test('a late success of a renewal does not replace a plan bought before it', async () => {
  const owner = await createLastingOwner();
  await buy(owner, {}, NUMBERS.failsLater);
  await owner.advanceClock(31 * DAY + 3_600_000);
  await renewDue(server.db);
  await renewDue(server.db);
  const { accountId } = owner;
  // Simulates a response that never arrived.
  await sql`update plan_orders set state = 'paying' where account_id = ${accountId}
    and origin = 'renewal'`.execute(server.db);
  const { rows } = await sql<{ key: string }>`
    update charges set state = 'unknown' where account_id = ${accountId} and id = (
      select max(c.id) from charges c join plan_orders o on o.account_id = ${accountId} and o.id = c.order_id
      where c.account_id = ${accountId} and o.origin = 'renewal') returning key`.execute(server.db);
  const key = rows[0]?.key ?? expect.fail('The renewal has no charge');
  await buy(owner, { plan_id: 'large', size: 1000 });
  const plan = (await owner.get('/client-api/api/billing')).body.data.plan;
  await inTransaction(server.db, (tx) =>
    settleCharge(tx, accountId, key, { status: 'succeeded', gatewayId: 'late' }),
  );
  expect((await owner.get('/client-api/api/billing')).body.data.plan).toEqual(plan);
  const orders = await sql<{ state: string; refunds: number }>`
    select o.state, (select count(*) from refunds r join charges c on c.account_id = r.account_id
      and c.id = r.charge_id where r.account_id = ${accountId} and c.key = ${key}) as refunds
    from plan_orders o where o.account_id = ${accountId} and o.origin = 'renewal'`.execute(
    server.db,
  );
  expect(orders.rows).toEqual([{ state: 'expired', refunds: 1 }]);
});
