// Values of a copy in addition to the subscriber's columns and fields: memberships for section
// conditions, and store data.
import type { Reader } from '#platform/server/database/database.ts';
import { isShopName } from '../../shop-names.ts';
import { usesMemberships } from './conditions.ts';
import { type Memberships, readMemberships } from './memberships.ts';
import type { MergeValue } from './merge-tags.ts';
import { type ShopMessage, type ShopMode, readShopValues } from './shop-values.ts';

/** Returns true if the copies of a message need their own values. */
export function usesCopyValues(compiled: { names: readonly string[] }): boolean {
  return usesMemberships(compiled) || compiled.names.some(isShopName);
}

/**
 * Returns values by subscriber. The mode `send` is for copies that are being sent; it requires the
 * transaction that starts their batch.
 */
export async function copyValues(
  db: Reader,
  copies: ShopMessage,
  subscriberIds: readonly number[],
  mode: ShopMode,
): Promise<Memberships> {
  const { accountId, names } = copies;
  const memberships = await readMemberships(
    db,
    accountId,
    names,
    subscriberIds.filter((id) => id > 0),
  );
  const shop = await readShopValues(db, copies, subscriberIds, mode);
  if (shop.size === 0) return memberships;
  const valuesBySubscriber = new Map<number, Record<string, MergeValue>>();
  for (const subscriberId of subscriberIds)
    valuesBySubscriber.set(subscriberId, {
      ...memberships.get(subscriberId),
      ...shop.get(subscriberId),
    });
  return valuesBySubscriber;
}
