// Calculates the cost of SMS for an account on installations that sell SMS.
import { findCreditCurrency, readFreeCredit } from '#areas/billing/server/index.ts';
import {
  type Audience,
  countAudienceByPlace,
  computeCost,
  pricesFor,
} from '#areas/delivery/server/ledger/index.ts';
import type { Reader } from '#platform/server/database/database.ts';

/** Amounts in millionths of the currency; `free_micros` is the credit that is not reserved. */
export type Cost = { micros: number; free_micros: number; currency: string };

export type PlaceCounts = readonly { phone: string; count: number }[];

/**
 * Returns the cost of one SMS with `partCount` parts to each recipient, or null if the account's
 * SMS are free.
 */
export async function estimateCost(
  db: Reader,
  accountId: number,
  placeCounts: PlaceCounts,
  partCount: number,
): Promise<Cost | null> {
  const prices = await pricesFor(db, accountId);
  if (!prices) return null;
  return {
    micros: computeCost(prices, placeCounts, partCount),
    free_micros: await readFreeCredit(db, accountId),
    currency: (await findCreditCurrency(db, accountId)).toUpperCase(),
  };
}

/**
 * Returns the number of recipients and the cost of one part to each of them. Recipients are the
 * audience or, if nothing is selected, all SMS subscribers.
 */
export async function readPartCost(db: Reader, accountId: number, audience: Audience | undefined) {
  const isChosen =
    audience !== undefined &&
    (audience.all || audience.groups.length > 0 || (audience.segments ?? []).length > 0);
  const placeCounts = await countAudienceByPlace(
    db,
    accountId,
    isChosen ? audience : ALL_SUBSCRIBERS,
  );
  const recipients = placeCounts.reduce((total, placeCount) => total + placeCount.count, 0);
  return {
    recipients,
    is_chosen: isChosen,
    cost: await estimateCost(db, accountId, placeCounts, 1),
  };
}

const ALL_SUBSCRIBERS: Audience = { all: true, groups: [], excluded: [] };
