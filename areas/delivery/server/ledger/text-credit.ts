// What texts cost where the operator sells them: held before anything leaves, charged for each part that the provider
// took, given back at the end. The account's row of billing is taken last, so that nobody waits for it in a circle.
import {
  freeCredit,
  holdCredit,
  releaseCredit,
  spendCredit,
  type TextPrices,
  textPrices,
} from '#areas/billing/server/index.ts';
import { phoneCountry } from '#areas/subscribers/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader, Tx } from '#platform/server/database.ts';
import { AppError } from '#platform/server/errors.ts';
import { accountHasOwnWays } from '../channels/own-ways.sql.ts';
import { type Audience, countByPlace, type PlaceCount } from './audience.sql.ts';
import * as store from './text-credit.sql.ts';
import type { TextPlace } from './texts.sql.ts';

/**
 * Frozen with a text: prices may change while it is on its way. `most`: the parts that a copy may take; 0 where only
 * the copy itself says it.
 */
export type TextCredit = { prices: TextPrices; most: number };

/** Undefined where texts cost nothing here: nothing is sold, or they leave by the account's own provider. */
export async function pricesFor(db: Reader, accountId: number): Promise<TextPrices | undefined> {
  const prices = textPrices();
  return prices && !(await accountHasOwnWays(db, 'sms', accountId)) ? prices : undefined;
}

export function priceOfText(prices: TextPrices, phone: string): number {
  return prices[phoneCountry(phone) ?? 'other'] ?? prices.other ?? 0;
}

const sum = (list: readonly number[]) => list.reduce((all, one) => all + one, 0);

/** What so many people's copies of so many parts cost. */
export const costOf = (
  prices: TextPrices,
  people: readonly { phone: string; count: number }[],
  parts: number,
) => sum(people.map(({ phone, count }) => priceOfText(prices, phone) * count * parts));

/** Who would get a text, by where they are: the dearest place of its number tells its price and its hours. */
export const audienceByPlace = (
  db: Reader,
  accountId: number,
  audience: Audience,
): Promise<PlaceCount[]> => countByPlace(db, accountId, audience, clock.now());

/** @throws `not_enough_credit` */
async function hold(tx: Tx, accountId: number, messageId: number, micros: number): Promise<void> {
  if (micros === 0) return;
  if (!(await holdCredit(tx, { accountId, messageId, micros }))) {
    throw new AppError('not_enough_credit');
  }
}

/** For everybody whom it will go to, the dearest that it can become. @throws `not_enough_credit` */
export async function holdForAudience(
  tx: Tx,
  message: { accountId: number; messageId: number; audience: Audience },
  { prices, most }: TextCredit,
): Promise<void> {
  const { accountId, messageId, audience } = message;
  const people = await audienceByPlace(tx, accountId, audience);
  await hold(tx, accountId, messageId, costOf(prices, people, most));
}

/** For those who are handed over once more. @throws `not_enough_credit` */
export async function holdForWaiting(
  tx: Tx,
  accountId: number,
  messageId: number,
  { prices, most }: TextCredit,
): Promise<void> {
  const people = await store.phonesWaiting(tx, accountId, messageId);
  await hold(tx, accountId, messageId, costOf(prices, people, most));
}

/** Whom of these people the credit reaches for, in their order; the others get nothing. */
export async function holdForPeople(
  tx: Tx,
  accountId: number,
  messageId: number,
  ids: readonly number[],
  { prices, most }: TextCredit,
): Promise<{ paid: ReadonlyMap<number, number>; left: number[] }> {
  const phones = new Map((await store.phonesOf(tx, accountId, ids)).map((one) => [one.id, one]));
  // Who has no number costs nothing, and is left out for that.
  const costs = ids.map((id) => {
    const phone = phones.get(id)?.phone;
    return { id, micros: phone === undefined ? 0 : priceOfText(prices, phone) * most };
  });
  const whole = sum(costs.map((one) => one.micros));
  if (whole === 0 || (await holdCredit(tx, { accountId, messageId, micros: whole }))) {
    return { paid: new Map(costs.map(({ id, micros }) => [id, micros])), left: [] };
  }
  // The account's row is held: what is free stays so.
  let free = await freeCredit(tx, accountId);
  const reached = costs.filter(({ micros }) => {
    if (micros > free) return false;
    free -= micros;
    return true;
  });
  const micros = sum(reached.map((one) => one.micros));
  if (micros > 0) await holdCredit(tx, { accountId, messageId, micros });
  const paid = new Map(reached.map(({ id, micros }) => [id, micros]));
  return { paid, left: ids.filter((id) => !paid.has(id)) };
}

/** For one copy of a single send. @throws `not_enough_credit` */
export async function holdForSingle(
  tx: Tx,
  single: { accountId: number; messageId: number; key: string; phone: string; parts: number },
  { prices }: TextCredit,
): Promise<void> {
  const { accountId, messageId, key, phone, parts } = single;
  const micros = priceOfText(prices, phone) * parts;
  await hold(tx, accountId, messageId, micros);
  await store.saveHeld(tx, accountId, messageId, [{ key, micros }]);
}

type Taken = TextPlace & { to: string; parts: number };

/** What a provider took, each text once, however often it is told. */
export async function chargeTexts(
  tx: Tx,
  accountId: number,
  messageId: number,
  taken: readonly Taken[],
  prices: TextPrices,
): Promise<void> {
  const texts = taken.map(({ to, parts, ...place }) => ({
    ...place,
    micros: priceOfText(prices, to) * parts,
  }));
  const fresh = await store.markCharged(tx, accountId, messageId, texts);
  const [first] = fresh;
  const micros = sum(fresh.map((one) => one.micros));
  if (!first || micros === 0) return;
  const source = `text ${messageId}/${first.lane}/${first.ordinal}/${first.attempt}`;
  let left = await spendCredit(tx, { accountId, messageId, micros, source });
  if (left === micros) return;
  // Reports show what was paid, not what it would have cost.
  const paid = fresh.map((one) => {
    const share = Math.min(one.micros, left);
    left -= share;
    return { ...one, micros: share };
  });
  await store.correctCharged(tx, accountId, messageId, paid);
}

/** What nobody knew was taken after all. Its parts went with the answer: at least one. */
export async function chargeSettled(
  tx: Tx,
  accountId: number,
  messageId: number,
  place: TextPlace,
  { prices }: TextCredit,
): Promise<void> {
  const to = await store.phoneOfText(tx, accountId, messageId, place);
  if (to) await chargeTexts(tx, accountId, messageId, [{ ...place, to, parts: 1 }], prices);
}

/** Single copies were answered, cancelled or lost: only the others' share stays held. */
export async function releaseAnswered(tx: Tx, accountId: number, messageId: number): Promise<void> {
  const keep = await store.heldBySingles(tx, accountId, messageId);
  await releaseCredit(tx, accountId, messageId, keep);
}

/** Nothing more of it leaves. */
export const releaseText = (tx: Tx, accountId: number, messageId: number): Promise<void> =>
  releaseCredit(tx, accountId, messageId);
