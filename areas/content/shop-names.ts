// Names of values that shops give to copies: a code of a pool, products of a person's cart. No field is called
// like them, since fields have no hyphens.

/** Where a product block's product comes from: typed by hand, or picked of the catalogue. */
export const PICKS = ['newest', 'best_selling', 'cart', 'recommended'] as const;
export type Pick = (typeof PICKS)[number];
/** Of these each person sees their own, as the shop is when their copy leaves. */
export const OWN_PICKS = ['cart', 'recommended'] as const;
export type OwnPick = (typeof OWN_PICKS)[number];
/** What stands there for whom nothing can be picked. */
export const PICK_FALLBACKS = ['hide', 'best_selling'] as const;
export type PickFallback = (typeof PICK_FALLBACKS)[number];

export const isOwnPick = (pick: Pick): pick is OwnPick =>
  (OWN_PICKS as readonly Pick[]).includes(pick);

/** `id`: its public one, by which its address and its picture are asked for. */
export const PICK_PARTS = ['name', 'price', 'id'] as const;
export type PickPart = (typeof PICK_PARTS)[number];

export const couponName = (poolId: number) => `coupon-${poolId}`;
export const pickName = (pick: OwnPick, rank: number, part: PickPart) =>
  `pick-${pick}-${rank}-${part}`;

const COUPON = /^coupon-(\d{1,15})$/;
const PICKED = /^pick-(cart|recommended)-(\d{1,2})-(?:name|price|id)$/;
const ANY = /\b(?:coupon-\d{1,15}|pick-(?:cart|recommended)-\d{1,2}-(?:name|price|id))\b/g;

export const isShopName = (name: string) => COUPON.test(name) || PICKED.test(name);

/** Of a compiled message's names: which pools it draws of, and how many products of each kind it shows. */
export function shopNeeds(names: readonly string[]) {
  const pools = new Set<number>();
  const picks = new Map<OwnPick, number>();
  for (const name of names) {
    const pool = COUPON.exec(name)?.[1];
    if (pool !== undefined) pools.add(Number(pool));
    const [, pick, rank] = PICKED.exec(name) ?? [];
    if (pick === undefined) continue;
    const own = pick as OwnPick;
    picks.set(own, Math.max(picks.get(own) ?? 0, Number(rank)));
  }
  return { pools: [...pools], picks };
}

/** Those that stand anywhere in a message's words. */
export function shopNamesIn(...words: (string | null)[]): string[] {
  return [...new Set(words.flatMap((one) => one?.match(ANY) ?? []))];
}
