// Store data for a batch of copies of a message: single-use coupon codes, personal products, and
// carts. For copies that are being sent, it is read in the transaction that starts the batch, so a
// code is reserved before a byte is sent; later views of a copy show the stored values.
import {
  type CatalogProduct,
  findCarts,
  type PickedProduct,
  findProductsById,
  pickSubscriberProducts,
} from '#areas/stores/server/index.ts';
import { encodePublicId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader } from '#platform/server/database/database.ts';
import {
  CART_NAME,
  toCouponName,
  type OwnPick,
  toPickName,
  collectShopNeeds,
} from '../../shop-names.ts';
import { assignCodes } from './coupons.ts';
import { listDrawnCodes } from './coupons.sql.ts';
import type { MergeValue, MergeValues } from './merge-tags.ts';
import { listSavedPicks, savePicks, type StoredPick } from './picks.sql.ts';

export type ShopMessage = {
  accountId: number;
  messageId: number;
  /** Names in the message's tags and conditions. */
  names: readonly string[];
  /** Locale of prices. */
  locale: string;
};

/**
 * `send` is for copies being sent, `sent` for copies already sent, and `preview` for previews and
 * tests, which draw no code.
 */
export type ShopMode = 'send' | 'sent' | 'preview';

/** Code shown in previews. */
export const SAMPLE_CODE = 'SAMPLE-CODE';

export async function readShopValues(
  db: Reader,
  copies: ShopMessage,
  subscriberIds: readonly number[],
  mode: ShopMode,
): Promise<Map<number, MergeValues>> {
  const values = new Map<number, Record<string, MergeValue>>();
  const { pools, picks, hasCart } = collectShopNeeds(copies.names);
  if (subscriberIds.length === 0 || (pools.length + picks.size === 0 && !hasCart)) return values;
  const setValue = (subscriberId: number, name: string, value: string) => {
    const valuesOfSubscriber = values.get(subscriberId) ?? {};
    values.set(subscriberId, valuesOfSubscriber);
    valuesOfSubscriber[name] = value;
  };
  for (const pool of pools) {
    const codes = await readCodes(db, copies, pool, subscriberIds, mode);
    for (const [person, code] of codes) setValue(person, toCouponName(pool), code);
  }
  for (const [person, [cart]] of hasCart ? await readCarts(db, copies, subscriberIds, mode) : [])
    if (cart !== undefined)
      setValue(person, CART_NAME, encodePublicId('cart', copies.accountId, cart.id));
  for (const [pick, max] of picks) {
    const picksBySubscriber = await readProducts(db, copies, pick, {
      subscriberIds,
      limit: max,
      mode,
    });
    const ids = [
      ...new Set(
        [...picksBySubscriber.values()].flatMap((pickedProducts) =>
          pickedProducts.map(({ id }) => id),
        ),
      ),
    ];
    const products = await findProductsById(db, copies.accountId, ids);
    const byId = new Map(products.map((product) => [product.id, product]));
    for (const [person, own] of picksBySubscriber) {
      const visibleProducts = own.flatMap(({ id, quantity }) => {
        const product = byId.get(id);
        return product ? [toProductValues(product, copies, quantity)] : [];
      });
      for (const [i, parts] of visibleProducts.slice(0, max).entries()) {
        for (const part of ['name', 'price', 'id'] as const) {
          setValue(person, toPickName(pick, i + 1, part), parts[part]);
        }
      }
    }
  }
  return values;
}

async function readCodes(
  db: Reader,
  { accountId, messageId }: ShopMessage,
  pool: number,
  subscriberIds: readonly number[],
  mode: ShopMode,
): Promise<Map<number, string>> {
  if (mode === 'preview')
    return new Map(subscriberIds.map((subscriberId) => [subscriberId, SAMPLE_CODE]));
  if (mode === 'send') return assignCodes(db, accountId, pool, messageId, subscriberIds);
  const drawnCodes = await listDrawnCodes(db, accountId, pool, messageId, subscriberIds);
  return new Map(drawnCodes.map((coupon) => [coupon.subscriber_id, coupon.code]));
}

const readProducts = (
  db: Reader,
  copies: ShopMessage,
  pick: OwnPick,
  {
    subscriberIds,
    limit,
    mode,
  }: { subscriberIds: readonly number[]; limit: number; mode: ShopMode },
) =>
  readStoredPicks(db, copies, pick, { subscriberIds, mode }, (missingIds) =>
    pickSubscriberProducts(db, copies.accountId, pick, { limit, subscriberIds: missingIds }),
  );

const readCarts = (
  db: Reader,
  copies: ShopMessage,
  subscriberIds: readonly number[],
  mode: ShopMode,
) =>
  readStoredPicks(db, copies, 'cart_link', { subscriberIds, mode }, async (missingIds) => {
    const carts = await findCarts(db, copies.accountId, missingIds);
    return new Map([...carts].map(([person, id]) => [person, [{ id, quantity: 1 }]]));
  });

/**
 * Returns the products or the cart of each copy. The mode `send` stores them, so that a repeated
 * copy shows the same ones; the mode `sent` only returns what is stored. The mode `preview` neither
 * reads nor stores anything for the copy.
 */
async function readStoredPicks(
  db: Reader,
  { accountId, messageId }: ShopMessage,
  kind: StoredPick,
  { subscriberIds, mode }: { subscriberIds: readonly number[]; mode: ShopMode },
  find: (subscriberIds: readonly number[]) => Promise<Map<number, PickedProduct[]>>,
): Promise<Map<number, PickedProduct[]>> {
  if (mode === 'preview') return find(subscriberIds);
  const savedPicks = await listSavedPicks(db, accountId, messageId, kind, subscriberIds);
  if (mode === 'sent') return savedPicks;
  const missingIds = subscriberIds.filter((subscriberId) => !savedPicks.has(subscriberId));
  if (missingIds.length === 0) return savedPicks;
  const newPicks = await find(missingIds);
  await savePicks(db, accountId, messageId, kind, newPicks, clock.now());
  return new Map([...savedPicks, ...newPicks]);
}

/**
 * Returns a product's values in an email. For a quantity above one, the name includes the quantity
 * and the price is the total, as on a receipt.
 */
export function toProductValues(
  { id, title, price, currency }: CatalogProduct,
  format: { accountId: number; locale: string },
  quantity = 1,
) {
  const isOne = quantity <= 1;
  return {
    name: isOne ? title : `${title} × ${getCurrencyFormat(format.locale, '').format(quantity)}`,
    // An empty value would be replaced by the fallback's price.
    price:
      formatPrice(price && !isOne ? price * quantity : price, currency, format.locale) || '\u00a0',
    id: encodePublicId('product', format.accountId, id),
  };
}

/**
 * Formatters by locale and currency. They are cached, because every copy has its own prices but
 * there are few combinations.
 */
const formats = new Map<string, Intl.NumberFormat>();
const MAX_FORMATS = 500;

function getCurrencyFormat(locale: string, currency: string): Intl.NumberFormat {
  const key = `${locale} ${currency}`;
  let format = formats.get(key);
  if (!format) {
    if (formats.size >= MAX_FORMATS) formats.clear();
    const options = currency === '' ? {} : ({ style: 'currency', currency } as const);
    format = new Intl.NumberFormat(locale, options);
    formats.set(key, format);
  }
  return format;
}

/** Formats a price in the email's language; '' if there is none. */
export function formatPrice(price: number | null, currency: string, locale: string): string {
  if (price === null) return '';
  const isKnown = /^[A-Z]{3}$/.test(currency);
  return getCurrencyFormat(locale, isKnown ? currency : '').format(price);
}
