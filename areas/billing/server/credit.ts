// SMS credit: bought, held for a message before it leaves, spent by what providers took, given back at
// its end. All of it under the account's one row, so that it never falls below what is held.
import { clock } from '#platform/server/clock.ts';
import type { Reader, Tx } from '#platform/server/database.ts';
import { type Currency, DEFAULT_CURRENCY } from '../limits.ts';
import * as store from './billing.sql.ts';
import type { Catalogue } from './catalogue.ts';
import { lastPaidCurrency } from './orders.sql.ts';
import { billingSettings, isOn } from './settings.ts';

/**
 * Holds so much more for a message; false, and nothing held, where the credit does not reach. Where limits are only
 * shown it holds what is there.
 */
export async function holdCredit(
  tx: Tx,
  hold: { accountId: number; messageId: number; micros: number },
): Promise<boolean> {
  const { balance_micros, held_micros } = await store.lockBilling(tx, hold.accountId);
  const free = Math.max(0, balance_micros - held_micros);
  if (free < hold.micros && isCreditEnforced()) return false;
  const micros = Math.min(free, hold.micros);
  if (micros > 0) await store.changeHold(tx, { ...hold, micros, at: clock.now() });
  return true;
}

/**
 * What a provider took is charged, out of what the message holds and else out of what is free; each source once.
 * Answers what was charged: less than asked where there is no more.
 */
export async function spendCredit(
  tx: Tx,
  spent: { accountId: number; messageId: number; micros: number; source: string },
): Promise<number> {
  const at = clock.now();
  const { accountId, messageId, source } = spent;
  const { balance_micros, held_micros } = await store.lockBilling(tx, accountId);
  const held = await store.holdOf(tx, accountId, messageId);
  const free = Math.max(0, balance_micros - held_micros);
  const micros = Math.min(spent.micros, held + free);
  if (micros === 0) return 0;
  const entry = { accountId, kind: 'spent', micros: -micros, source, at };
  if (!(await store.addCredit(tx, entry))) return 0;
  const ofHold = Math.min(micros, held);
  if (ofHold > 0) await store.changeHold(tx, { accountId, messageId, micros: -ofHold, at });
  return micros;
}

/** The message is over, or needs no more than `keep` from now on: the rest is free again. */
export async function releaseCredit(
  tx: Tx,
  accountId: number,
  messageId: number,
  keep = 0,
): Promise<void> {
  // Most messages hold nothing: theirs need no lock.
  if ((await store.holdOf(tx, accountId, messageId)) <= keep) return;
  await store.lockBilling(tx, accountId);
  const held = await store.holdOf(tx, accountId, messageId);
  const micros = keep - held;
  if (micros < 0) await store.changeHold(tx, { accountId, messageId, micros, at: clock.now() });
}

/** What may still be held for a message. */
export async function freeCredit(db: Reader, accountId: number): Promise<number> {
  const row = await store.findBilling(db, accountId);
  return Math.max(0, (row?.balance_micros ?? 0) - (row?.held_micros ?? 0));
}

/** Millionths for one part of a text, by country; `other` for all that are not named. */
export type TextPrices = Readonly<Record<string, number>>;

/** Undefined where nothing is sold: texts are counted then, and cost the account nothing here. */
export function textPrices(): TextPrices | undefined {
  if (!isOn()) return undefined;
  const prices = pricesOf(billingSettings().catalogue);
  // Where the operator names no price for the rest, it is the dearest that stands there.
  return { other: Math.max(0, ...Object.values(prices)), ...prices };
}

export function pricesOf({ sms_prices: prices }: Pick<Catalogue, 'sms_prices'>): TextPrices {
  return Object.fromEntries(
    Object.entries(prices).map(([country, price]) => [country, Math.round(price * 1_000_000)]),
  );
}

/** Nothing leaves that the credit does not reach for. */
export function isCreditEnforced(): boolean {
  return isOn() && billingSettings().catalogue.limits === 'enforced';
}

/** Plan and credit are in one currency: the plan's, else that of the credit that is left. Undefined: any. */
export async function fixedCurrency(db: Reader, accountId: number): Promise<Currency | undefined> {
  const subscription = await store.findSubscription(db, accountId);
  if (subscription && subscription.state !== 'ended') return subscription.currency as Currency;
  const billing = await store.findBilling(db, accountId);
  return billing?.balance_micros ? lastPaidCurrency(db, accountId) : undefined;
}

/** What credit is shown in. */
export async function creditCurrency(db: Reader, accountId: number): Promise<Currency> {
  return (await fixedCurrency(db, accountId)) ?? DEFAULT_CURRENCY;
}
