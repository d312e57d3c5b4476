// Blocks with store data, prepared before a document is rendered. Products that are the same for
// all recipients are inserted with their current data. Personal products become merge tags with the
// best-selling products as a fallback. Coupon codes and cart links become merge tags as well.
import { type CatalogProduct, pickCatalogProducts } from '#areas/stores/server/index.ts';
import { decodeId, encodePublicId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader } from '#platform/server/database/database.ts';
import type { BlockOf, SectionCondition, EmailDocument, Section } from '../../document.ts';
import { forEachBlock } from '../../document.ts';
import {
  CART_LINK,
  CART_NAME,
  toCouponName,
  isOwnPick,
  type OwnPick,
  type Pick,
  toPickName,
} from '../../shop-names.ts';
import { toProductValues, formatPrice } from './shop-values.ts';

type ShopContext = {
  accountId: number;
  publicUrl: string;
  locale: string;
  catalog: Map<string, CatalogProduct[]>;
  ranks: Map<string, number>;
};
/** One list of the catalog; `store` limits it to a store, '' means all stores. */
type CatalogList = { pick: 'newest' | 'best_selling'; store: string };
const toKey = ({ pick, store }: { pick: Pick; store: string }) => `${pick} ${store}`;
/** Fallback of personal products. */
const FALLBACK: CatalogList = { pick: 'best_selling', store: '' };

/** Returns the document itself if no block uses store data. */
export async function fillShopBlocks(
  db: Reader,
  document: EmailDocument,
  { accountId, publicUrl, locale }: ShopAccount,
): Promise<EmailDocument> {
  const picks = listPicks(document);
  const hasCart = JSON.stringify(document).includes(CART_LINK);
  if (picks.length === 0 && !hasCart && !hasPool(document)) return document;
  const now = clock.now();
  const catalog: ShopContext['catalog'] = new Map();
  for (const { pick, store } of picks) {
    if (catalog.has(toKey({ pick, store }))) continue;
    const storeId = store === '' ? undefined : (decodeId('store', store) ?? 0);
    const query = { storeId, limit: picks.length, now };
    catalog.set(toKey({ pick, store }), await pickCatalogProducts(db, accountId, pick, query));
  }
  const context = {
    accountId,
    publicUrl,
    locale,
    catalog,
    ranks: new Map<string, number>(),
  };
  const filledDocument = {
    ...document,
    sections: document.sections.map((section) => fillSection(context, section)),
  };
  return hasCart ? replaceCartLinks(context, filledDocument) : filledDocument;
}

/**
 * Links to the cart by its id, so that no recipient value decides the host. For recipients without
 * a cart, the link opens the account's website.
 */
function replaceCartLinks(
  { accountId, publicUrl }: ShopContext,
  document: EmailDocument,
): EmailDocument {
  const link = createCartLink(accountId, publicUrl);
  return JSON.parse(JSON.stringify(document).replaceAll(CART_LINK, link)) as EmailDocument;
}

/** Quotes in the link are single ones, because it is inserted into JSON and into attributes. */
function createCartLink(accountId: number, publicUrl: string): string {
  const placeholderId = encodePublicId('account', accountId, accountId);
  return `${publicUrl}${cartPath(`{{ ${CART_NAME} | default: '${placeholderId}' }}`)}`;
}

/** Links to the cart in custom HTML and plain text. */
export const replaceCartLink = <T extends string | null>(
  source: T,
  { accountId, publicUrl }: { accountId: number; publicUrl: string },
): T => (source?.replaceAll(CART_LINK, createCartLink(accountId, publicUrl)) ?? source) as T;

type ShopAccount = { accountId: number; publicUrl: string; locale: string };

function listPicks(document: EmailDocument): CatalogList[] {
  const picks: CatalogList[] = [];
  forEachBlock(document, (block) => {
    if (block.type !== 'product' || !block.pick) return;
    const { pick, store = '' } = block;
    picks.push(isOwnPick(pick) ? FALLBACK : { pick: pick as CatalogList['pick'], store });
  });
  return picks;
}

function hasPool(document: EmailDocument): boolean {
  let hasCouponPool = false;
  forEachBlock(document, (block) => {
    hasCouponPool ||= block.type === 'coupon' && Boolean(block.pool);
  });
  return hasCouponPool;
}

/** Names of values that a section requires; recipients without them do not see the section. */
type NeededValues = Set<string>;

function fillSection(context: ShopContext, section: Section): Section {
  const neededValues: NeededValues = new Set();
  const picks = new Set<Pick>();
  const columns = section.columns.map((column) => ({
    ...column,
    blocks: column.blocks.map((block) => {
      if (block.type === 'product' && block.pick) {
        const isFirst = !picks.has(block.pick);
        picks.add(block.pick);
        return fillProduct(context, block, { pick: block.pick, isFirst }, neededValues);
      }
      return block.type === 'coupon' && block.pool ? fillCoupon(block, neededValues) : block;
    }),
  }));
  return { ...section, columns, condition: combineCondition(section.condition, neededValues) };
}

/**
 * Adds the required values to the section's condition. An "any" condition of several rules cannot
 * be combined with them and remains unchanged.
 */
function combineCondition(
  condition: SectionCondition | null,
  neededValues: NeededValues,
): SectionCondition | null {
  if (neededValues.size === 0) return condition;
  if (condition && condition.match === 'any' && condition.rules.length > 1) return condition;
  const rules = [...neededValues].map((name) => ({
    kind: 'field' as const,
    field: name,
    operator: 'not_blank' as const,
    value: '',
  }));
  return { match: 'all', rules: [...(condition?.rules ?? []), ...rules] };
}

function fillCoupon(block: BlockOf<'coupon'>, neededValues: NeededValues): BlockOf<'coupon'> {
  const pool = decodeId('coupon_pool', block.pool ?? '');
  if (pool === undefined) return block;
  const name = toCouponName(pool);
  if (block.code.trim() === '') neededValues.add(name);
  return { ...block, code: createTag(name, block.code.trim()) };
}

/** `isFirst`: whether the block is the first one of its section with this pick. */
function fillProduct(
  context: ShopContext,
  block: BlockOf<'product'>,
  { pick, isFirst }: { pick: Pick; isFirst: boolean },
  neededValues: NeededValues,
): BlockOf<'product'> {
  const key = toKey({ pick, store: isOwnPick(pick) ? '' : (block.store ?? '') });
  const rank = (context.ranks.get(key) ?? 0) + 1;
  context.ranks.set(key, rank);
  if (!isOwnPick(pick)) {
    const product = context.catalog.get(key)?.[rank - 1];
    return product ? applyProduct(context, block, product) : clearProduct(block);
  }
  const subscriberProduct = fillPickedProduct(context, block, pick, rank);
  if ((isFirst && block.if_none === 'hide') || !subscriberProduct.hasFallback) {
    neededValues.add(toPickName(pick, rank, 'name'));
  }
  return subscriberProduct.block;
}

const clearProduct = (block: BlockOf<'product'>): BlockOf<'product'> => ({
  ...block,
  ...{ name: '', price: '', old_price: '', html: '', href: '', label: '' },
  image: { ...block.image, src: '' },
});

/** Returns the block with the store's current data. */
function applyProduct(
  { locale }: ShopContext,
  block: BlockOf<'product'>,
  product: CatalogProduct,
): BlockOf<'product'> {
  const { title, price, old_price: old, currency, image_url: src, url } = product;
  const isDiscounted = old !== null && price !== null && old > price;
  return {
    ...block,
    name: escapeTags(title),
    price: formatPrice(price, currency, locale),
    old_price: isDiscounted ? formatPrice(old, currency, locale) : '',
    image: { src, alt: escapeTags(title), width: null, height: null },
    href: url,
  };
}

/** Paths of a product, a cart and the image of a product in emails. */
export const productPath = (id: string) => `/shop-product/${id}`;
export const cartPath = (id: string) => `/shop-cart/${id}`;
export const imagePath = (id: string) => `/shop-picture/${id}`;

function fillPickedProduct(
  context: ShopContext,
  block: BlockOf<'product'>,
  pick: OwnPick,
  rank: number,
): { block: BlockOf<'product'>; hasFallback: boolean } {
  const bestSeller = context.catalog.get(toKey(FALLBACK))?.[rank - 1];
  const productTexts = bestSeller
    ? toProductValues(bestSeller, context)
    : { name: '', price: '', id: '' };
  const createPickTag = (part: 'name' | 'price' | 'id') =>
    createTag(toPickName(pick, rank, part), productTexts[part]);
  const pickedBlock = {
    ...block,
    ...{ name: createPickTag('name'), price: createPickTag('price'), old_price: '' },
    image: {
      ...{ src: context.publicUrl + imagePath(createPickTag('id')), alt: createPickTag('name') },
      ...{ width: null, height: null },
    },
    href: context.publicUrl + productPath(createPickTag('id')),
  };
  return { block: pickedBlock, hasFallback: bestSeller !== undefined };
}

/** Text from a store must not be parsed as merge tags. */
const escapeTags = (text: string) => text.replace(/\{\{|\{%|\{\$/g, '{ ');

/**
 * Creates a tag. Quotation marks would end the fallback and braces the tag, so the fallback
 * contains neither.
 */
function createTag(name: string, fallback: string): string {
  const text = fallback.replace(/["“”]/g, '″').replace(/[{}]/g, '');
  return text === '' ? `{{ ${name} }}` : `{{ ${name} | default: "${text}" }}`;
}
