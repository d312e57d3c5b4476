// Calculates the cost of SMS for an account, on installations whose operator sells them.
import { findCreditCurrency, readFreeCredit } from '#areas/billing/server/index.ts';
import {
  type Audience,
  audienceByPlace,
  costOf,
  pricesFor,
} from '#areas/delivery/server/ledger/index.ts';
import type { Reader } from '#platform/server/database/database.ts';

/** Amounts in millionths of the currency; `free_micros` is the credit that is not reserved. */
export type Cost = { micros: number; free_micros: number; currency: string };

export type Places = readonly { phone: string; count: number }[];

/** Returns the cost of one SMS with `parts` parts to each recipient; null if the account's SMS are free. */
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
    free_micros: await readFreeCredit(db, accountId),
    currency: (await findCreditCurrency(db, accountId)).toUpperCase(),
  };
}

/** Returns the cost of one part to the audience or, if nothing is selected, to all SMS subscribers. */
export async function partCost(db: Reader, accountId: number, audience: Audience | undefined) {
  const isChosen =
    audience !== undefined &&
    (audience.all || audience.groups.length > 0 || (audience.segments ?? []).length > 0);
  const places = await audienceByPlace(db, accountId, isChosen ? audience : ALL_SUBSCRIBERS);
  const recipients = places.reduce((sum, place) => sum + place.count, 0);
  return { recipients, is_chosen: isChosen, cost: await costFor(db, accountId, places, 1) };
}

const ALL_SUBSCRIBERS: Audience = { all: true, groups: [], excluded: [] };
