// What each copy of a batch says beyond its person's columns and fields: what sections ask for, and what shops give.
import type { Reader } from '#platform/server/database.ts';
import { isShopName } from '../shop-names.ts';
import { readsMemberships } from './conditions.ts';
import { type Memberships, readMemberships } from './memberships.ts';
import type { Value } from './merge-tags.ts';
import { type CopiesOf, type ShopMode, shopValues } from './shop-values.ts';

/** Whether a message's copies have to be asked for at all. */
export function readsCopyValues(compiled: { names: readonly string[] }): boolean {
  return readsMemberships(compiled) || compiled.names.some(isShopName);
}

/** By person; `give` is for copies that leave now, and belongs into the transaction that begins them. */
export async function copyValues(
  db: Reader,
  copies: CopiesOf,
  people: readonly number[],
  mode: ShopMode,
): Promise<Memberships> {
  const { accountId, names } = copies;
  const memberships = await readMemberships(
    db,
    accountId,
    names,
    people.filter((id) => id > 0),
  );
  const shop = await shopValues(db, copies, people, mode);
  if (shop.size === 0) return memberships;
  const all = new Map<number, Record<string, Value>>();
  for (const one of people) all.set(one, { ...memberships.get(one), ...shop.get(one) });
  return all;
}
