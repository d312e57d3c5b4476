// SMS credit is bought, held for a message before sending, charged for accepted parts, and released
// when the message ends. Each step locks the account's billing row, so the balance never falls
// below the held amount.
import { clock } from '#platform/server/clock.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { type Currency, DEFAULT_CURRENCY } from '../shared.ts';
import * as store from './billing.sql.ts';
import type { BillingCatalog } from './catalog.ts';
import { findLastPaidCurrency } from './orders.sql.ts';
import { billingSettings, isOn } from './settings.ts';

/**
 * Holds an additional amount for a message and returns true. If the credit is insufficient, the
 * result depends on whether limits are enforced: if so, holds nothing and returns false; if not,
 * holds the available credit and returns true.
 */
export async function reserveCredit(
  tx: Tx,
  reservation: { accountId: number; messageId: number; micros: number },
): Promise<boolean> {
  const { balance_micros, held_micros } = await store.lockBilling(tx, reservation.accountId);
  const free = Math.max(0, balance_micros - held_micros);
  if (free < reservation.micros && isCreditEnforced()) return false;
  const micros = Math.min(free, reservation.micros);
  if (micros > 0) await store.changeReservation(tx, { ...reservation, micros, at: clock.now() });
  return true;
}

/**
 * Charges accepted parts from the amount held for the message, then from the free credit; each
 * `source` is charged once. Returns the amount charged, which is less than requested if the credit
 * is insufficient.
 */
export async function spendCredit(
  tx: Tx,
  spending: { accountId: number; messageId: number; micros: number; source: string },
): Promise<number> {
  const at = clock.now();
  const { accountId, messageId, source } = spending;
  const { balance_micros, held_micros } = await store.lockBilling(tx, accountId);
  const reserved = await store.sumReserved(tx, accountId, messageId);
  const free = Math.max(0, balance_micros - held_micros);
  const micros = Math.min(spending.micros, reserved + free);
  if (micros === 0) return 0;
  const entry = { accountId, kind: 'spent', micros: -micros, source, at };
  if (!(await store.addCredit(tx, entry))) return 0;
  const fromReservation = Math.min(micros, reserved);
  if (fromReservation > 0)
    await store.changeReservation(tx, { accountId, messageId, micros: -fromReservation, at });
  return micros;
}

/** Reduces the amount held for a message to `retained`. */
export async function releaseCredit(
  tx: Tx,
  accountId: number,
  messageId: number,
  retained = 0,
): Promise<void> {
  // Most messages hold nothing and need no lock.
  if ((await store.sumReserved(tx, accountId, messageId)) <= retained) return;
  await store.lockBilling(tx, accountId);
  const reserved = await store.sumReserved(tx, accountId, messageId);
  const micros = retained - reserved;
  if (micros < 0)
    await store.changeReservation(tx, { accountId, messageId, micros, at: clock.now() });
}

/** Returns the credit that is not reserved for messages. */
export async function readFreeCredit(db: Reader, accountId: number): Promise<number> {
  const row = await store.findBilling(db, accountId);
  return Math.max(0, (row?.balance_micros ?? 0) - (row?.held_micros ?? 0));
}

/**
 * Prices of an SMS part in millionths of a currency unit, by country; `other` is the price for all
 * countries without their own.
 */
export type SmsPrices = Readonly<Record<string, number>>;

/** Returns undefined if billing is disabled: SMS are then counted but free of charge. */
export function listSmsPrices(): SmsPrices | undefined {
  if (!isOn()) return undefined;
  const prices = toMicroPrices(billingSettings().catalog);
  // If there is no price for other countries, the highest price applies to them.
  return { other: Math.max(0, ...Object.values(prices)), ...prices };
}

export function toMicroPrices({
  sms_prices: prices,
}: Pick<BillingCatalog, 'sms_prices'>): SmsPrices {
  return Object.fromEntries(
    Object.entries(prices).map(([country, price]) => [country, Math.round(price * 1_000_000)]),
  );
}

/** Returns whether messages without sufficient credit are refused. */
export function isCreditEnforced(): boolean {
  if (!isOn()) return false;
  const { limits, sms_credit: credit = limits } = billingSettings().catalog;
  return credit === 'enforced';
}

/**
 * Returns the currency that plan and credit share: the plan's, or else the remaining credit's.
 * Undefined means any currency.
 */
export async function findFixedCurrency(
  db: Reader,
  accountId: number,
): Promise<Currency | undefined> {
  const subscription = await store.findSubscription(db, accountId);
  if (subscription && subscription.state !== 'ended') return subscription.currency as Currency;
  const billing = await store.findBilling(db, accountId);
  return billing?.balance_micros ? findLastPaidCurrency(db, accountId) : undefined;
}

/** Returns the currency that credit is shown in. */
export async function findCreditCurrency(db: Reader, accountId: number): Promise<Currency> {
  return (await findFixedCurrency(db, accountId)) ?? DEFAULT_CURRENCY;
}
