// Credit of SMS that the operator sells: it is reserved before sending, charged for each part that
// the provider accepted, and the rest is released at the end. The account's billing row is locked
// last, to avoid deadlocks.
import {
  readFreeCredit,
  reserveCredit,
  releaseCredit,
  spendCredit,
  type SmsPrices,
  listSmsPrices,
} from '#areas/billing/server/index.ts';
import { findPhoneCountry } from '#areas/subscribers/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { AppError } from '#platform/server/errors.ts';
import { accountHasOwnSenders } from '../channels/own-senders.sql.ts';
import { type Audience, countByPlace, type PlaceCount } from './audience.sql.ts';
import * as store from './sms-credit.sql.ts';
import type { SmsCopyKey } from './sms.sql.ts';

/**
 * Frozen with an SMS because prices may change while it is sent. `most` is the number of parts per
 * copy for which credit is reserved; 0 if the message states no maximum.
 */
export type SmsCredit = { prices: SmsPrices; most: number };

let areSmsFree = false;

/** Sets whether all SMS are free, because the built-in provider stores them instead of sending. */
export function setFreeSms(areFree: boolean): void {
  areSmsFree = areFree;
}

/**
 * Returns the prices of the account's SMS. Undefined if they are free: the operator has no price
 * list, the built-in provider is used, or the account has its own provider.
 */
export async function pricesFor(db: Reader, accountId: number): Promise<SmsPrices | undefined> {
  const prices = areSmsFree ? undefined : listSmsPrices();
  return prices && !(await accountHasOwnSenders(db, 'sms', accountId)) ? prices : undefined;
}

export function priceOfSms(prices: SmsPrices, phone: string): number {
  return prices[findPhoneCountry(phone) ?? 'other'] ?? prices.other ?? 0;
}

const sumPrices = (list: readonly number[]) => list.reduce((total, price) => total + price, 0);

/** Computes the total cost if each copy has this number of parts. */
export const computeCost = (
  prices: SmsPrices,
  prefixCounts: readonly { phone: string; count: number }[],
  parts: number,
) => sumPrices(prefixCounts.map(({ phone, count }) => priceOfSms(prices, phone) * count * parts));

/**
 * Counts recipients of an SMS by number prefix, time zone and country, as prices and sending hours
 * need them.
 */
export const countAudienceByPlace = (
  db: Reader,
  accountId: number,
  audience: Audience,
): Promise<PlaceCount[]> => countByPlace(db, accountId, audience, clock.now());

/** @throws `not_enough_credit` */
async function reserve(
  tx: Tx,
  accountId: number,
  messageId: number,
  micros: number,
): Promise<void> {
  if (micros === 0) return;
  if (!(await reserveCredit(tx, { accountId, messageId, micros }))) {
    throw new AppError('not_enough_credit');
  }
}

/**
 * Reserves the maximum cost of sending to the audience.
 * @throws `not_enough_credit`
 */
export async function reserveForAudience(
  tx: Tx,
  message: { accountId: number; messageId: number; audience: Audience },
  { prices, most: maxParts }: SmsCredit,
): Promise<void> {
  const { accountId, messageId, audience } = message;
  const prefixCounts = await countAudienceByPlace(tx, accountId, audience);
  await reserve(tx, accountId, messageId, computeCost(prices, prefixCounts, maxParts));
}

/**
 * Reserves the maximum cost of sending to the deferred recipients, for a retry.
 * @throws `not_enough_credit`
 */
export async function reserveForWaiting(
  tx: Tx,
  accountId: number,
  messageId: number,
  { prices, most: maxParts }: SmsCredit,
): Promise<void> {
  const prefixCounts = await store.countDeferredByPrefix(tx, accountId, messageId);
  await reserve(tx, accountId, messageId, computeCost(prices, prefixCounts, maxParts));
}

/**
 * Goes through the recipients in order and reserves the maximum cost of each one for whom the
 * remaining credit is sufficient. Returns these recipients with their cost (`paidById`), and the
 * IDs of all other recipients, who get no SMS (`unpaidIds`).
 */
export async function reserveForRecipients(
  tx: Tx,
  accountId: number,
  messageId: number,
  ids: readonly number[],
  { prices, most: maxParts }: SmsCredit,
): Promise<{ paidById: ReadonlyMap<number, number>; unpaidIds: number[] }> {
  const phones = new Map(
    (await store.findPhones(tx, accountId, ids)).map((phone) => [phone.id, phone]),
  );
  // A subscriber without a number costs nothing and is excluded later.
  const costs = ids.map((id) => {
    const phone = phones.get(id)?.phone;
    return { id, micros: phone === undefined ? 0 : priceOfSms(prices, phone) * maxParts };
  });
  const totalMicros = sumPrices(costs.map((cost) => cost.micros));
  if (
    totalMicros === 0 ||
    (await reserveCredit(tx, { accountId, messageId, micros: totalMicros }))
  ) {
    return { paidById: new Map(costs.map(({ id, micros }) => [id, micros])), unpaidIds: [] };
  }
  // The failed reservation has locked the account's row, so its free credit cannot change.
  let free = await readFreeCredit(tx, accountId);
  const coveredCosts = costs.filter(({ micros }) => {
    if (micros > free) return false;
    free -= micros;
    return true;
  });
  const micros = sumPrices(coveredCosts.map((price) => price.micros));
  if (micros > 0) await reserveCredit(tx, { accountId, messageId, micros });
  const paidById = new Map(coveredCosts.map(({ id, micros }) => [id, micros]));
  return { paidById, unpaidIds: ids.filter((id) => !paidById.has(id)) };
}

/**
 * Reserves the cost of a single send.
 * @throws `not_enough_credit`
 */
export async function reserveForSingle(
  tx: Tx,
  single: { accountId: number; messageId: number; key: string; phone: string; parts: number },
  { prices }: SmsCredit,
): Promise<void> {
  const { accountId, messageId, key, phone, parts } = single;
  const micros = priceOfSms(prices, phone) * parts;
  await reserve(tx, accountId, messageId, micros);
  await store.saveReserved(tx, accountId, messageId, [{ key, micros }]);
}

type AcceptedCopy = SmsCopyKey & { to: string; parts: number };

/** Charges accepted SMS, each only once. */
export async function chargeSms(
  tx: Tx,
  accountId: number,
  messageId: number,
  acceptedCopies: readonly AcceptedCopy[],
  prices: SmsPrices,
): Promise<void> {
  const charges = acceptedCopies.map(({ to, parts, ...place }) => ({
    ...place,
    micros: priceOfSms(prices, to) * parts,
  }));
  const newCharges = await store.markCharged(tx, accountId, messageId, charges);
  const [first] = newCharges;
  const micros = sumPrices(newCharges.map((price) => price.micros));
  if (!first || micros === 0) return;
  const source = `text ${messageId}/${first.lane}/${first.ordinal}/${first.attempt}`;
  let remaining = await spendCredit(tx, { accountId, messageId, micros, source });
  if (remaining === micros) return;
  // The credit was smaller than the price; reports show the amount that was paid.
  const paidCharges = newCharges.map((price) => {
    const paidMicros = Math.min(price.micros, remaining);
    remaining -= paidMicros;
    return { ...price, micros: paidMicros };
  });
  await store.correctCharged(tx, accountId, messageId, paidCharges);
}

/**
 * Charges a copy of unknown outcome that a receipt shows as accepted. The number of parts was lost
 * with the provider's reply, so one part is charged.
 */
export async function chargeSettled(
  tx: Tx,
  accountId: number,
  messageId: number,
  place: SmsCopyKey,
  { prices }: SmsCredit,
): Promise<void> {
  const phone = await store.findPhoneOfSms(tx, accountId, messageId, place);
  if (phone) await chargeSms(tx, accountId, messageId, [{ ...place, to: phone, parts: 1 }], prices);
}

/** Releases credit that was reserved for single sends which now have a final result. */
export async function releaseAnswered(tx: Tx, accountId: number, messageId: number): Promise<void> {
  const reservedMicros = await store.sumReservedBySingles(tx, accountId, messageId);
  await releaseCredit(tx, accountId, messageId, reservedMicros);
}

export const releaseSms = (tx: Tx, accountId: number, messageId: number): Promise<void> =>
  releaseCredit(tx, accountId, messageId);
