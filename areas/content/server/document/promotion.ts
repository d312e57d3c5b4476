// Annotations for Gmail's Promotions tab (schema.org: DiscountOffer, PromotionCard) from the
// document's coupons and products. Uses microdata because emails cannot contain scripts.
import type { Block, BlockOf, EmailDocument } from '../../document.ts';
import { resolveAddress, type DocumentContext } from './frame.ts';
import { escapeLine } from './slots.ts';

/** Gmail's carousel shows ten cards. */
const MAX_CARDS = 10;

type Property = readonly [name: string, value: string];

/** Returns '' if no coupon or product of the document can be annotated. */
export function renderPromotion(document: EmailDocument, context: DocumentContext): string {
  const blocks = document.sections
    // Conditional sections are omitted because not all recipients see them.
    .filter(({ condition }) => condition === null)
    .flatMap(({ columns }) => columns.flatMap((column) => column.blocks));
  const coupon = blocks.find((block) => isBlockOf(block, 'coupon') && isPlain(block.code));
  const products = blocks.filter((block) => isBlockOf(block, 'product')).filter(isCard);
  return [
    coupon && isBlockOf(coupon, 'coupon') ? createItem('DiscountOffer', createOffer(coupon)) : '',
    ...products
      .slice(0, MAX_CARDS)
      .map((block, index) => createItem('PromotionCard', createCard(block, index, context))),
  ].join('');
}

const isBlockOf = <T extends Block['type']>(block: Block, type: T): block is BlockOf<T> =>
  block.type === type;

/** Returns true for non-empty text without merge tags. */
const isPlain = (text: string) => text.trim() !== '' && !/[{}]/.test(text);

const isCard = ({ image, href, name }: BlockOf<'product'>) =>
  image.src !== '' && /^https?:\/\//.test(href) && isPlain(href) && isPlain(name);

function createOffer({ title, code }: BlockOf<'coupon'>): Property[] {
  return [
    ...(isPlain(title) ? [['description', title] as const] : []),
    ['discountCode', code.trim()],
  ];
}

function createCard(
  block: BlockOf<'product'>,
  index: number,
  context: DocumentContext,
): Property[] {
  const now = parseMoney(block.price);
  const oldPrice = parseMoney(block.old_price);
  const discount = now && oldPrice?.currency === now.currency ? oldPrice.amount - now.amount : 0;
  return [
    ['image', resolveAddress(context, block.image.src)],
    ['url', block.href],
    ['headline', block.name],
    ...(now
      ? ([
          ['price', now.amount.toFixed(2)],
          ['priceCurrency', now.currency],
        ] as const)
      : []),
    ...(discount > 0 ? [['discountValue', discount.toFixed(2)] as const] : []),
    ['position', String(index + 1)],
  ];
}

/** Symbols that each denote one currency. Dollar and krone signs are ambiguous, so not listed. */
const SIGNS: Record<string, string> = {
  '€': 'EUR',
  '£': 'GBP',
  '₹': 'INR',
  '₺': 'TRY',
  '₴': 'UAH',
};
const MONEY =
  /^(?:(?<sign>[€£₹₺₴])|(?<code>[A-Z]{3}))?\s?(?<digits>\d[\d.,  ’']*)\s?(?:(?<sign2>[€£₹₺₴])|(?<code2>[A-Z]{3}))?$/;

/** Returns the amount and currency of a price, or undefined if either is unclear. */
export function parseMoney(text: string): { amount: number; currency: string } | undefined {
  const { sign, code, digits = '', sign2, code2 } = MONEY.exec(text.trim())?.groups ?? {};
  const symbol = sign ?? sign2;
  const currency = symbol ? SIGNS[symbol] : (code ?? code2);
  if (!currency) return undefined;
  // Two digits after the last point or comma are cents. All other separators group thousands, so
  // three digits must follow the last of them: 12.5 is unclear.
  const [, whole = '', cents = '00'] = /^(.*?)(?:[.,](\d\d))?$/.exec(digits.trim()) ?? [];
  const amount = Number(`${whole.replace(/[^\d]/g, '')}.${cents}`);
  const isClear = Number.isFinite(amount) && /^\d+$|\D\d{3}$/.test(whole);
  return isClear ? { amount, currency } : undefined;
}

function createItem(type: string, properties: readonly Property[]): string {
  const metas = properties.map(
    ([name, value]) => `<meta itemprop="${name}" content="${escapeLine(value)}">`,
  );
  return `<div itemscope itemtype="http://schema.org/${type}" style="display:none;mso-hide:all">${metas.join('')}</div>`;
}
