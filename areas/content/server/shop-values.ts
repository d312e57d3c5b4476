// What shops give to copies of a message, for a whole batch at once: a code of a pool, which nobody else gets, and
// products of each person's own. Asked in the step that begins the batch, so that a code is theirs before a byte
// leaves; looking back, a copy has what it was given.
import {
  type CatalogueProduct,
  productsById,
  productsForPeople,
} from '#areas/stores/server/index.ts';
import { encodePublicId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader } from '#platform/server/database.ts';
import { couponName, type OwnPick, pickName, shopNeeds } from '../shop-names.ts';
import { codesFor } from './coupons.ts';
import { drawnCodes } from './coupons.sql.ts';
import type { Value, Values } from './merge-tags.ts';
import { savedPicks, savePicks } from './picks.sql.ts';

export type CopiesOf = {
  accountId: number;
  messageId: number;
  /** What the message's tags and conditions name. */
  names: readonly string[];
  /** By which prices are written. */
  locale: string;
};

/** `give`: copies that leave now. `look`: copies that left. `show`: previews and tests, which draw no code. */
export type ShopMode = 'give' | 'look' | 'show';

/** What stands in a preview in place of a code. */
export const SAMPLE_CODE = 'SAMPLE-CODE';

export async function shopValues(
  db: Reader,
  copies: CopiesOf,
  people: readonly number[],
  mode: ShopMode,
): Promise<Map<number, Values>> {
  const values = new Map<number, Record<string, Value>>();
  const { pools, picks } = shopNeeds(copies.names);
  if (people.length === 0 || pools.length + picks.size === 0) return values;
  const note = (person: number, name: string, value: string) => {
    const own = values.get(person) ?? {};
    values.set(person, own);
    own[name] = value;
  };
  for (const pool of pools) {
    const codes = await codesOf(db, copies, pool, people, mode);
    for (const [person, code] of codes) note(person, couponName(pool), code);
  }
  for (const [pick, most] of picks) {
    const found = await productsOf(db, copies, pick, { people, most, mode });
    const ids = [...new Set([...found.values()].flat())];
    const products = await productsById(db, copies.accountId, ids);
    const byId = new Map(products.map((one) => [one.id, one]));
    for (const [person, own] of found) {
      const shown = own.flatMap((id) => byId.get(id) ?? []).slice(0, most);
      for (const [i, product] of shown.entries()) {
        const parts = partsOf(product, copies);
        for (const part of ['name', 'price', 'id'] as const) {
          note(person, pickName(pick, i + 1, part), parts[part]);
        }
      }
    }
  }
  return values;
}

async function codesOf(
  db: Reader,
  { accountId, messageId }: CopiesOf,
  pool: number,
  people: readonly number[],
  mode: ShopMode,
): Promise<Map<number, string>> {
  if (mode === 'show') return new Map(people.map((person) => [person, SAMPLE_CODE]));
  if (mode === 'give') return codesFor(db, accountId, pool, messageId, people);
  const drawn = await drawnCodes(db, accountId, pool, messageId, people);
  return new Map(drawn.map((one) => [one.subscriber_id, one.code]));
}

async function productsOf(
  db: Reader,
  { accountId, messageId }: CopiesOf,
  pick: OwnPick,
  { people, most, mode }: { people: readonly number[]; most: number; mode: ShopMode },
): Promise<Map<number, number[]>> {
  const wish = { limit: most, people };
  if (mode === 'show') return productsForPeople(db, accountId, pick, wish);
  const saved = await savedPicks(db, accountId, messageId, pick, people);
  if (mode === 'look') return saved;
  const without = people.filter((person) => !saved.has(person));
  if (without.length === 0) return saved;
  const found = await productsForPeople(db, accountId, pick, { ...wish, people: without });
  await savePicks(db, accountId, messageId, pick, found, clock.now());
  return new Map([...saved, ...found]);
}

/** A product as an email names it. */
export function partsOf(product: CatalogueProduct, of: { accountId: number; locale: string }) {
  return {
    name: product.title,
    // Nothing would let the fallback's price stand in its place.
    price: priceText(product.price, product.currency, of.locale) || '\u00a0',
    id: encodePublicId('product', of.accountId, product.id),
  };
}

/** Made once: each copy has prices of its own. There are fewer than that of both. */
const formats = new Map<string, Intl.NumberFormat>();
const FORMATS_MOST = 500;

function formatOf(locale: string, currency: string): Intl.NumberFormat {
  const key = `${locale} ${currency}`;
  let format = formats.get(key);
  if (!format) {
    if (formats.size >= FORMATS_MOST) formats.clear();
    const options = currency === '' ? {} : ({ style: 'currency', currency } as const);
    format = new Intl.NumberFormat(locale, options);
    formats.set(key, format);
  }
  return format;
}

/** A price as the email's language writes it; '' where there is none. */
export function priceText(price: number | null, currency: string, locale: string): string {
  if (price === null) return '';
  const isKnown = /^[A-Z]{3}$/.test(currency);
  return formatOf(locale, isKnown ? currency : '').format(price);
}
