// Names of the store values in a copy: coupon codes, products picked for the recipient, and the
// recipient's cart. They contain hyphens, so they never collide with names of fields, which cannot
// contain any.

/** How a product block picks products; if unset, the product is entered manually. */
export const PICKS = [
  'newest',
  'best_selling',
  'cart',
  'viewed',
  'ordered',
  'recommended',
] as const;
export type Pick = (typeof PICKS)[number];
/** Personal picks, evaluated per recipient when the copy is sent. */
export const OWN_PICKS = ['cart', 'viewed', 'ordered', 'recommended'] as const;
export type OwnPick = (typeof OWN_PICKS)[number];
/** Fallback for recipients without a matching product. */
export const PICK_FALLBACKS = ['hide', 'best_selling'] as const;
export type PickFallback = (typeof PICK_FALLBACKS)[number];

export const isOwnPick = (pick: Pick): pick is OwnPick =>
  (OWN_PICKS as readonly Pick[]).includes(pick);

/** `id`: the public id in the URLs of the product and its image. */
export const PICK_PARTS = ['name', 'price', 'id'] as const;
export type PickPart = (typeof PICK_PARTS)[number];

export const toCouponName = (poolId: number) => `coupon-${poolId}`;
export const toPickName = (pick: OwnPick, rank: number, part: PickPart) =>
  `pick-${pick}-${rank}-${part}`;

/** Id of the recipient's cart in the URL that opens it. */
export const CART_NAME = 'cart-id';
/** Tag of a link to the recipient's cart in an email's source. */
export const CART_TAG = 'cart_link';
export const CART_LINK = `{{${CART_TAG}}}`;

const COUPON = /^coupon-(\d{1,15})$/;
const PICKED = /^pick-(cart|viewed|ordered|recommended)-(\d{1,2})-(?:name|price|id)$/;
const ANY_SHOP_NAME =
  /\b(?:cart-id|coupon-\d{1,15}|pick-(?:cart|viewed|ordered|recommended)-\d{1,2}-(?:name|price|id))\b/g;

export const isShopName = (name: string) =>
  name === CART_NAME || COUPON.test(name) || PICKED.test(name);

/**
 * Derives from the names that a compiled message uses: the coupon pools, the number of products per
 * personal pick, and whether the cart is used.
 */
export function collectShopNeeds(names: readonly string[]) {
  const pools = new Set<number>();
  const picks = new Map<OwnPick, number>();
  for (const name of names) {
    const pool = COUPON.exec(name)?.[1];
    if (pool !== undefined) pools.add(Number(pool));
    const [, pick, rank] = PICKED.exec(name) ?? [];
    if (pick === undefined) continue;
    const ownPick = pick as OwnPick;
    picks.set(ownPick, Math.max(picks.get(ownPick) ?? 0, Number(rank)));
  }
  return { pools: [...pools], picks, hasCart: names.includes(CART_NAME) };
}

/** Names of store values anywhere in a message's content. */
export function listShopNames(...texts: (string | null)[]): string[] {
  return [...new Set(texts.flatMap((text) => text?.match(ANY_SHOP_NAME) ?? []))];
}
