// Queries for an account's plan, credit, invoices, payment methods and usage.
import { type Selectable, sql } from 'kysely';
import { accountTable } from '#platform/server/database/account-table.sql.ts';
import { acrossAccounts } from '#platform/server/database/across-accounts.sql.ts';
import type { DB } from '#platform/server/database/database.generated.ts';
import type { Db, Reader, Tx } from '#platform/server/database/database.ts';
import type { Slice } from '#platform/server/database/lists.ts';
import { createTextRewriter } from '#platform/server/erasure/texts.sql.ts';

/** Removes the addresses of erased subscribers from titles of campaigns in the usage log. */
export const rewriteUsageLabels = createTextRewriter('email_usage', { columns: ['label'] });

/** Removes the addresses of erased subscribers from the operator's reason for a suspension. */
export const rewriteSuspensions = createTextRewriter('billing_accounts', {
  columns: ['suspended_reason'],
  keys: [],
});

export type SubscriptionRow = Selectable<DB['subscriptions']>;
export type MethodRow = Selectable<DB['payment_methods']>;
export type InvoiceRow = Selectable<DB['invoices']>;
export type BillingAccountRow = Selectable<DB['billing_accounts']>;

/**
 * Locks the account's billing row, which guards credit and invoice numbers; inserts it if needed.
 */
export async function lockBilling(tx: Tx, accountId: number): Promise<BillingAccountRow> {
  await sql`
    insert into billing_accounts (account_id) values (${accountId})
    on conflict do nothing`.execute(tx);
  return tx
    .selectFrom('billing_accounts')
    .selectAll()
    .where('account_id', '=', accountId)
    .forUpdate()
    .executeTakeFirstOrThrow();
}

export const { find: findBilling, update: saveBilling } = accountTable('billing_accounts');

export const { find: findSubscription, lock: lockSubscription } = accountTable('subscriptions');

/** Finds the subscriptions of several accounts, for the operator. */
export function listSubscriptions(
  db: Reader,
  accountIds: readonly number[],
): Promise<SubscriptionRow[]> {
  return db
    .selectFrom('subscriptions')
    .selectAll()
    .where('account_id', '=', sql<number>`any(${[...accountIds]}::bigint[])`)
    .execute();
}

export function listBillingAccounts(
  db: Reader,
  accountIds: readonly number[],
): Promise<BillingAccountRow[]> {
  return db
    .selectFrom('billing_accounts')
    .selectAll()
    .where('account_id', '=', sql<number>`any(${[...accountIds]}::bigint[])`)
    .execute();
}

type NewSubscription = {
  order_id: number;
  plan_key: string;
  plan: string;
  size: number;
  months: number;
  currency: string;
  premium: boolean;
  paid_net_minor: number;
  period_start: Date;
  period_end: Date;
  anchor_at: Date;
  method_id: number | null;
  renew_at: Date;
  modified_at: Date;
};

/** Returns the start of the plan's first period, where the counting of its months begins. */
export const getPlanStart = (subscription: SubscriptionRow): Date =>
  subscription.anchor_at ?? subscription.period_start;

/** Starts a new period, which clears notices and attempts of the previous one. */
export async function putSubscription(
  tx: Tx,
  accountId: number,
  row: NewSubscription,
): Promise<void> {
  const newState = {
    ...row,
    state: 'active',
    next: null,
    is_cancelled: false,
    tries: 0,
    sent_notices: sql<string[]>`'{}'`,
  };
  await tx
    .insertInto('subscriptions')
    .values({ account_id: accountId, ...newState })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet(newState))
    .execute();
}

export async function saveSubscription(
  tx: Tx,
  accountId: number,
  change: {
    state?: 'active' | 'past_due' | 'ended';
    next?: string | null;
    is_cancelled?: boolean;
    renew_at?: Date | null;
    tries?: number;
    sent_notices?: string[];
    method_id?: number | null;
    modified_at: Date;
  },
): Promise<void> {
  await tx.updateTable('subscriptions').set(change).where('account_id', '=', accountId).execute();
}

export async function listAccountsToRenew(db: Db, now: Date, limit: number): Promise<number[]> {
  const rows = await acrossAccounts(
    db,
    (scope) => sql<{ account_id: number }>`
      select account_id from subscriptions where renew_at <= ${now} and ${scope(sql`account_id`)}
      order by renew_at limit ${limit}`,
  );
  return rows.map((row) => row.account_id);
}

/** Adds to the credit once per source; returns false for a repeat. */
export async function addCredit(
  tx: Tx,
  entry: { accountId: number; kind: string; micros: number; source: string; at: Date },
): Promise<boolean> {
  const { rows } = await sql`
    insert into credit_entries (account_id, kind, micros, source, at)
    values (${entry.accountId}, ${entry.kind}, ${entry.micros}, ${entry.source}, ${entry.at})
    on conflict (account_id, source) do nothing returning id`.execute(tx);
  if (rows.length === 0) return false;
  await sql`
    update billing_accounts set balance_micros = balance_micros + ${entry.micros}
    where account_id = ${entry.accountId}`.execute(tx);
  return true;
}

/** Returns the amount of the entry with this source, or undefined if there is none. */
export async function findCredit(
  db: Reader,
  accountId: number,
  source: string,
): Promise<number | undefined> {
  const { rows } = await sql<{ micros: number }>`
    select micros from credit_entries
    where account_id = ${accountId} and source = ${source}`.execute(db);
  return rows[0]?.micros;
}

/** Changes the amount held for a message, and the account's total. */
export async function changeReservation(
  tx: Tx,
  reservation: { accountId: number; messageId: number; micros: number; at: Date },
): Promise<void> {
  // A decrease always updates an existing row; an upsert would violate the check on insert.
  if (reservation.micros < 0) {
    await sql`
      update credit_holds set micros = micros + ${reservation.micros}
      where account_id = ${reservation.accountId} and message_id = ${reservation.messageId}`.execute(
      tx,
    );
  } else {
    await sql`
      insert into credit_holds as held (account_id, message_id, micros, at)
      values (${reservation.accountId}, ${reservation.messageId}, ${reservation.micros}, ${reservation.at})
      on conflict (account_id, message_id) do update set micros = held.micros + ${reservation.micros}`.execute(
      tx,
    );
  }
  await sql`
    update billing_accounts set held_micros = held_micros + ${reservation.micros}
    where account_id = ${reservation.accountId}`.execute(tx);
}

export async function sumReserved(
  tx: Reader,
  accountId: number,
  messageId: number,
): Promise<number> {
  const { rows } = await sql<{ micros: number }>`
    select micros from credit_holds
    where account_id = ${accountId} and message_id = ${messageId}`.execute(tx);
  return rows[0]?.micros ?? 0;
}

export async function insertInvoice(
  tx: Tx,
  row: {
    accountId: number;
    serial: number;
    number: string;
    kind: 'invoice' | 'credit_note';
    orderId: number;
    corrects: number | null;
    language: string;
    seller: unknown;
    buyer: unknown;
    lines: unknown;
    net: number;
    tax: number;
    total: number;
    currency: string;
    paidBy: string | null;
    at: Date;
  },
): Promise<void> {
  await tx
    .insertInto('invoices')
    .values({
      account_id: row.accountId,
      serial: row.serial,
      number: row.number,
      kind: row.kind,
      order_id: row.orderId,
      corrects: row.corrects,
      language: row.language,
      seller: JSON.stringify(row.seller),
      buyer: JSON.stringify(row.buyer),
      lines: JSON.stringify(row.lines),
      net_minor: row.net,
      tax_minor: row.tax,
      total_minor: row.total,
      currency: row.currency,
      paid_by: row.paidBy,
      issued_at: row.at,
    })
    .execute();
}

export const { find: findInvoice } = accountTable('invoices', 'serial');

export function findInvoiceOfOrder(
  db: Reader,
  accountId: number,
  orderId: number,
): Promise<InvoiceRow | undefined> {
  return db
    .selectFrom('invoices')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('order_id', '=', orderId)
    .where('kind', '=', 'invoice')
    .executeTakeFirst();
}

export function listInvoices(
  db: Reader,
  accountId: number,
  direction: 'asc' | 'desc',
  slice: Slice,
): Promise<InvoiceRow[]> {
  return db
    .selectFrom('invoices')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('serial', direction)
    .limit(slice.limit)
    .offset(slice.offset)
    .execute();
}

export async function countInvoices(db: Reader, accountId: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from invoices where account_id = ${accountId}`.execute(db);
  return rows[0]?.count ?? 0;
}

export async function insertMethod(
  tx: Tx,
  row: {
    accountId: number;
    gateway: string;
    sealed: Buffer;
    brand: string;
    last4: string;
    expMonth: number;
    expYear: number;
    at: Date;
  },
): Promise<number> {
  await clearDefault(tx, row.accountId);
  const { id } = await tx
    .insertInto('payment_methods')
    .values({
      account_id: row.accountId,
      gateway: row.gateway,
      sealed_token: row.sealed,
      brand: row.brand,
      last4: row.last4,
      exp_month: row.expMonth,
      exp_year: row.expYear,
      is_default: true,
      created_at: row.at,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

async function clearDefault(tx: Tx, accountId: number): Promise<void> {
  await tx
    .updateTable('payment_methods')
    .set({ is_default: false })
    .where('account_id', '=', accountId)
    .where('is_default', '=', true)
    .execute();
}

export async function setDefaultMethod(tx: Tx, accountId: number, id: number): Promise<boolean> {
  await clearDefault(tx, accountId);
  const { numUpdatedRows } = await tx
    .updateTable('payment_methods')
    .set({ is_default: true })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('removed_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export function listMethods(db: Reader, accountId: number): Promise<MethodRow[]> {
  return db
    .selectFrom('payment_methods')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('removed_at', 'is', null)
    .orderBy('is_default', 'desc')
    .orderBy('id', 'desc')
    .execute();
}

export async function removeMethod(
  db: Reader,
  accountId: number,
  id: number,
  at: Date,
): Promise<MethodRow | undefined> {
  return db
    .updateTable('payment_methods')
    .set({ removed_at: at, is_default: false })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('removed_at', 'is', null)
    .returningAll()
    .executeTakeFirst();
}

/** Records the entry once per source. */
export async function insertUsage(
  tx: Tx,
  entry: {
    accountId: number;
    kind: string;
    emails: number;
    label: string;
    source: string;
    at: Date;
  },
): Promise<void> {
  await sql`
    insert into email_usage (account_id, kind, emails, label, source, at)
    values (${entry.accountId}, ${entry.kind}, ${entry.emails}, ${entry.label}, ${entry.source}, ${entry.at})
    on conflict (account_id, source) do nothing`.execute(tx);
}

/** Records the usage of a campaign, which retries may increase. */
export async function saveUsage(
  tx: Tx,
  entry: { accountId: number; emails: number; label: string; source: string; at: Date },
): Promise<void> {
  await sql`
    insert into email_usage (account_id, kind, emails, label, source, at)
    values (${entry.accountId}, 'campaign', ${entry.emails}, ${entry.label}, ${entry.source}, ${entry.at})
    on conflict (account_id, source) do update set emails = excluded.emails`.execute(tx);
}

export async function listUsage(
  db: Reader,
  accountId: number,
  direction: 'asc' | 'desc',
  slice: Slice,
): Promise<Selectable<DB['email_usage']>[]> {
  return db
    .selectFrom('email_usage')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('at', direction)
    .orderBy('id', direction)
    .limit(slice.limit)
    .offset(slice.offset)
    .execute();
}

export async function countUsage(db: Reader, accountId: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from email_usage where account_id = ${accountId}`.execute(db);
  return rows[0]?.count ?? 0;
}
