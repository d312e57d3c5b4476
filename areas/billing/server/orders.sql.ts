// Queries for orders, charges, coupons, refunds and reported events of gateways.
import { type Selectable, sql } from 'kysely';
import { accountTable } from '#platform/server/database/account-table.sql.ts';
import { acrossAccounts } from '#platform/server/database/across-accounts.sql.ts';
import type { DB } from '#platform/server/database/database.generated.ts';
import type { Db, Reader, Tx } from '#platform/server/database/database.ts';
import type { Currency } from '../shared.ts';
import { createTextRewriter } from '#platform/server/erasure/texts.sql.ts';

/** Removes the addresses of erased subscribers from reasons of refunds. */
export const rewriteRefunds = createTextRewriter('refunds', { columns: ['reason'] });

export type BillingOrderRow = Selectable<DB['plan_orders']>;
export type ChargeRow = Selectable<DB['charges']>;

export function insertOrder(
  tx: Tx,
  row: {
    accountId: number;
    kind: 'plan' | 'sms_credit';
    origin: 'checkout' | 'renewal';
    planKey: string | null;
    size: number | null;
    months: number | null;
    premium: boolean;
    currency: Currency;
    coupon: string | null;
    creditMicros: number | null;
    at: Date;
  },
): Promise<BillingOrderRow> {
  return tx
    .insertInto('plan_orders')
    .values({
      account_id: row.accountId,
      kind: row.kind,
      origin: row.origin,
      plan_key: row.planKey,
      size: row.size,
      months: row.months,
      premium: row.premium,
      currency: row.currency,
      coupon: row.coupon,
      credit_micros: row.creditMicros,
      created_at: row.at,
      modified_at: row.at,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export const { find: findOrder, lock: lockOrder } = accountTable('plan_orders', 'id');

/** Lists paid orders, including refunded ones, newest first. */
export function listPaidOrderRows(
  db: Reader,
  accountId: number,
  limit: number,
): Promise<BillingOrderRow[]> {
  return db
    .selectFrom('plan_orders')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('state', 'in', ['paid', 'refunded'])
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

export function saveOrder(
  tx: Tx,
  accountId: number,
  id: number,
  change: {
    state?: string;
    failure?: string | null;
    months?: number | null;
    currency?: Currency;
    coupon?: string | null;
    premium?: boolean;
    plan?: string | null;
    lines?: string;
    net_minor?: number;
    tax_minor?: number;
    total_minor?: number;
    period_start?: Date | null;
    period_end?: Date | null;
    paid_at?: Date;
    modified_at: Date;
  },
): Promise<BillingOrderRow> {
  return tx
    .updateTable('plan_orders')
    .set({ ...change, revision: sql<number>`revision + 1` })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Counts the orders created since an instant, for rate limiting. */
export async function countOrdersSince(
  db: Reader,
  accountId: number,
  since: Date,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from plan_orders
    where account_id = ${accountId} and created_at >= ${since}`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Finds the pending or successful charge of an order; at most one exists. */
export function findOpenCharge(
  db: Reader,
  accountId: number,
  orderId: number,
): Promise<ChargeRow | undefined> {
  return db
    .selectFrom('charges')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('order_id', '=', orderId)
    .where('state', 'in', ['pending', 'action_needed', 'unknown', 'succeeded'])
    .executeTakeFirst();
}

export const { find: findCharge } = accountTable('charges', 'key');

export async function insertCharge(
  tx: Tx,
  row: {
    accountId: number;
    orderId: number;
    keyBase: string;
    gateway: string;
    methodId: number | null;
    amount: number;
    currency: string;
    saveMethod: boolean;
    pollAt: Date;
    at: Date;
  },
): Promise<ChargeRow> {
  const { rows } = await sql<{ attempt: number }>`
    select coalesce(max(attempt), 0) + 1 as attempt from charges
    where account_id = ${row.accountId} and order_id = ${row.orderId}`.execute(tx);
  const attempt = rows[0]?.attempt ?? 1;
  return tx
    .insertInto('charges')
    .values({
      account_id: row.accountId,
      order_id: row.orderId,
      attempt,
      key: `${row.keyBase}-${attempt}`,
      gateway: row.gateway,
      method_id: row.methodId,
      amount_minor: row.amount,
      currency: row.currency,
      is_method_saved: row.saveMethod,
      poll_at: row.pollAt,
      created_at: row.at,
      modified_at: row.at,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Stores the gateway's id of a pending attempt. */
export async function saveGatewayId(
  db: Reader,
  accountId: number,
  id: number,
  gatewayId: string,
): Promise<void> {
  await db
    .updateTable('charges')
    .set({ gateway_id: gatewayId })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('gateway_id', 'is', null)
    .execute();
}

export async function saveCharge(
  tx: Reader,
  accountId: number,
  id: number,
  change: {
    state: 'pending' | 'succeeded' | 'declined' | 'action_needed' | 'unknown';
    gateway_id?: string | null;
    code?: string | null;
    action?: string | null;
    method_id?: number | null;
    poll_count?: number;
    poll_at: Date | null;
    modified_at: Date;
  },
): Promise<void> {
  await tx
    .updateTable('charges')
    .set(change)
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .execute();
}

/** Finds accounts with a charge due for lookup. */
export async function listAccountsWithDueCharges(
  db: Db,
  now: Date,
  limit: number,
): Promise<number[]> {
  const rows = await acrossAccounts(
    db,
    (scope) => sql<{ account_id: number }>`
      select account_id from charges where poll_at <= ${now} and ${scope(sql`account_id`)}
      group by account_id order by min(poll_at) limit ${limit}`,
  );
  return rows.map((row) => row.account_id);
}

export function listDueCharges(db: Reader, accountId: number, now: Date): Promise<ChargeRow[]> {
  return db
    .selectFrom('charges')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('poll_at', '<=', now)
    .orderBy('poll_at')
    .limit(100)
    .execute();
}

/** Takes one use of a coupon; returns false if none is left. A `max` of null means unlimited. */
export async function claimCoupon(tx: Tx, code: string, max: number | null): Promise<boolean> {
  const { rows } = await sql<{ taken: number }>`
    insert into coupon_counts as known (code, taken) values (${code}, 1)
    on conflict (code) do update set taken = known.taken + 1
      where ${max}::bigint is null or known.taken < ${max}::bigint
    returning taken`.execute(tx);
  return rows.length > 0;
}

export async function releaseUse(tx: Tx, code: string): Promise<void> {
  await sql`update coupon_counts set taken = greatest(0, taken - 1) where code = ${code}`.execute(
    tx,
  );
}

/**
 * Reserves the account's use of a coupon for an order. `had`: the order reserved it before; `used`:
 * another order has it.
 */
export async function reserveCoupon(
  tx: Tx,
  use: { accountId: number; code: string; orderId: number; at: Date },
): Promise<'reserved' | 'had' | 'used'> {
  const insertion = await sql`
    insert into coupon_uses (account_id, code, order_id, state, at)
    values (${use.accountId}, ${use.code}, ${use.orderId}, 'reserved', ${use.at})
    on conflict (account_id, code) do nothing returning code`.execute(tx);
  if (insertion.rows.length > 0) return 'reserved';
  const { rows } = await sql<{ order_id: number }>`
    select order_id from coupon_uses
    where account_id = ${use.accountId} and code = ${use.code}`.execute(tx);
  return rows[0]?.order_id === use.orderId ? 'had' : 'used';
}

export async function findCouponUse(
  db: Reader,
  accountId: number,
  code: string,
): Promise<{ order_id: number } | undefined> {
  return db
    .selectFrom('coupon_uses')
    .select('order_id')
    .where('account_id', '=', accountId)
    .where('code', '=', code)
    .executeTakeFirst();
}

export async function spendCoupon(tx: Tx, accountId: number, orderId: number): Promise<void> {
  await sql`
    update coupon_uses set state = 'spent'
    where account_id = ${accountId} and order_id = ${orderId}`.execute(tx);
}

/** Releases the reservation of an order; returns the coupon's code, if there was one. */
export async function releaseCoupon(
  tx: Tx,
  accountId: number,
  orderId: number,
): Promise<string | undefined> {
  const { rows } = await sql<{ code: string }>`
    delete from coupon_uses
    where account_id = ${accountId} and order_id = ${orderId} and state = 'reserved'
    returning code`.execute(tx);
  return rows[0]?.code;
}

export async function insertRefund(
  tx: Tx,
  row: {
    accountId: number;
    chargeId: number;
    key: string;
    amount: number;
    reason: string;
    at: Date;
  },
): Promise<{ id: number } | undefined> {
  return tx
    .insertInto('refunds')
    .values({
      account_id: row.accountId,
      charge_id: row.chargeId,
      key: row.key,
      amount_minor: row.amount,
      reason: row.reason,
      created_at: row.at,
      modified_at: row.at,
    })
    .onConflict((conflict) => conflict.columns(['account_id', 'key']).doNothing())
    .returning('id')
    .executeTakeFirst();
}

export async function saveRefund(
  db: Reader,
  accountId: number,
  id: number,
  state: 'pending' | 'succeeded' | 'failed',
  at: Date,
): Promise<void> {
  await db
    .updateTable('refunds')
    .set({ state, modified_at: at })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .execute();
}

/** Sums the succeeded and pending refunds of a charge, in minor units. */
export async function sumRefunds(db: Reader, accountId: number, chargeId: number): Promise<number> {
  const { rows } = await sql<{ amount: number }>`
    select coalesce(sum(amount_minor), 0)::bigint as amount from refunds
    where account_id = ${accountId} and charge_id = ${chargeId} and state <> 'failed'`.execute(db);
  return Number(rows[0]?.amount ?? 0);
}

/** Lists up to 100 requested refunds without a result that were last changed before an instant. */
export async function listPendingRefunds(
  db: Db,
  before: Date,
): Promise<
  {
    account_id: number;
    id: number;
    key: string;
    amount_minor: number;
    gateway_id: string | null;
    currency: string;
  }[]
> {
  return acrossAccounts(
    db,
    (scope) => sql<{
      account_id: number;
      id: number;
      key: string;
      amount_minor: number;
      gateway_id: string | null;
      currency: string;
    }>`
    select r.account_id, r.id, r.key, r.amount_minor, c.gateway_id, c.currency
    from refunds r join charges c on c.account_id = r.account_id and c.id = r.charge_id
    where r.state = 'pending' and r.modified_at <= ${before}
      and ${scope(sql`r.account_id`)} and ${scope(sql`c.account_id`)} limit 100`,
  );
}

/** Records an event of a gateway. Returns true if it is the first report of this event. */
export async function recordEvent(
  db: Reader,
  gateway: string,
  key: string,
  at: Date,
): Promise<boolean> {
  const { rows } = await sql`
    insert into gateway_events (gateway, key, received_at) values (${gateway}, ${key}, ${at})
    on conflict do nothing returning key`.execute(db);
  return rows.length > 0;
}

/**
 * Consistency check: payments minus refunds equal invoices minus credit notes, credit equals the
 * sum of its entries and covers the held amounts, and the numbers of invoices have no gaps. Returns
 * the rows that violate it.
 */
export async function listInconsistentTotals(db: Db): Promise<unknown[]> {
  const { rows } = await sql`
    select account_id, id, money, invoiced from (
      select o.account_id, o.id,
        coalesce((select sum(c.amount_minor) from charges c
          where c.account_id = o.account_id and c.order_id = o.id and c.state = 'succeeded'), 0)
        - coalesce((select sum(r.amount_minor) from refunds r join charges c on c.account_id = r.account_id and c.id = r.charge_id
          where c.account_id = o.account_id and c.order_id = o.id and c.state = 'succeeded' and r.state <> 'failed'), 0) as money,
        coalesce((select sum(case when i.kind = 'invoice' then i.total_minor else -i.total_minor end) from invoices i
          where i.account_id = o.account_id and i.order_id = o.id), 0) as invoiced
      from plan_orders o where o.state in ('paid', 'refunded', 'failed', 'expired', 'draft')) as known
    where money <> invoiced
    union all
    select b.account_id, null, b.balance_micros, b.held_micros from billing_accounts b
    where b.balance_micros < b.held_micros or b.held_micros < 0
      or b.balance_micros <> coalesce((select sum(e.micros) from credit_entries e where e.account_id = b.account_id), 0)
    union all
    select i.account_id, null, max(i.serial), count(*) from invoices i
    group by i.account_id having max(i.serial) <> count(*) or min(i.serial) <> 1
  `.execute(db);
  return rows;
}

/** Finds the open order that can still pay an overdue renewal. */
export async function findUnpaidRenewal(
  db: Reader,
  accountId: number,
  start: Date,
): Promise<number | undefined> {
  const row = await db
    .selectFrom('plan_orders')
    .select('id')
    .where('account_id', '=', accountId)
    .where('origin', '=', 'renewal')
    .where('period_start', '=', start)
    .where('state', 'in', ['draft', 'failed', 'paying'])
    .executeTakeFirst();
  return row?.id;
}

/** Finds the currency of the account's last payment. */
export async function findLastPaidCurrency(
  db: Reader,
  accountId: number,
): Promise<Currency | undefined> {
  const row = await db
    .selectFrom('plan_orders')
    .select('currency')
    .where('account_id', '=', accountId)
    .where('paid_at', 'is not', null)
    .orderBy('paid_at', 'desc')
    .executeTakeFirst();
  return row?.currency as Currency | undefined;
}

/** Closes renewal orders so that ended periods and replaced plans cannot be paid. */
export async function closeRenewals(tx: Tx, accountId: number, at: Date): Promise<void> {
  await tx
    .updateTable('plan_orders')
    .set({ state: 'expired', modified_at: at })
    .where('account_id', '=', accountId)
    .where('origin', '=', 'renewal')
    .where('state', 'in', ['draft', 'failed'])
    .execute();
}

/** Finds the open order of the renewal that starts at an instant. */
export function findRenewal(
  tx: Tx,
  accountId: number,
  start: Date,
): Promise<BillingOrderRow | undefined> {
  return tx
    .selectFrom('plan_orders')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('origin', '=', 'renewal')
    .where('period_start', '=', start)
    .where('state', 'in', ['draft', 'failed'])
    .forUpdate()
    .executeTakeFirst();
}
