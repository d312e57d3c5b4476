// Cost of SMS for an account, on installations that sell them.
import { creditCurrency, freeCredit } from '#areas/billing/server/index.ts';
import {
  type Audience,
  audienceByPlace,
  costOf,
  pricesFor,
} from '#areas/delivery/server/ledger/index.ts';
import type { Reader } from '#platform/server/database/database.ts';

/** In millionths of the currency; `free_micros`: the credit that is not on hold. */
export type Cost = { micros: number; free_micros: number; currency: string };

export type Places = readonly { phone: string; count: number }[];

/** The cost of SMS for the account; null if SMS are free on this installation. */
export async function costFor(
  db: Reader,
  accountId: number,
  places: Places,
  parts: number,
): Promise<Cost | null> {
  const prices = await pricesFor(db, accountId);
  if (!prices) return null;
  return {
    micros: costOf(prices, places, parts),
    free_micros: await freeCredit(db, accountId),
    currency: (await creditCurrency(db, accountId)).toUpperCase(),
  };
}

/** The cost of one part to the whole audience; without an audience, to all SMS subscribers. */
export async function partCost(db: Reader, accountId: number, audience: Audience | undefined) {
  const isChosen =
    audience !== undefined &&
    (audience.all || audience.groups.length > 0 || (audience.segments ?? []).length > 0);
  const places = await audienceByPlace(db, accountId, isChosen ? audience : ALL_SUBSCRIBERS);
  const recipients = places.reduce((sum, place) => sum + place.count, 0);
  return { recipients, is_chosen: isChosen, cost: await costFor(db, accountId, places, 1) };
}

const ALL_SUBSCRIBERS: Audience = { all: true, groups: [], excluded: [] };
