// What Gmail shows of a mail on its tab of promotions (schema.org: DiscountOffer, PromotionCard), from the
// document's own coupons and products. As microdata: scripts are no part of a mail.
import type { Block, BlockOf, EmailDocument } from '../../document.ts';
import { address, type DocumentContext } from './frame.ts';
import { escapeLine } from './slots.ts';

/** Gmail's row of cards takes ten. */
const MOST_CARDS = 10;

type Property = readonly [name: string, value: string];

/** '' where the document offers nothing. */
export function promotionOf(document: EmailDocument, context: DocumentContext): string {
  const blocks = document.sections
    // What only some people see is not announced to all.
    .filter(({ condition }) => condition === null)
    .flatMap(({ columns }) => columns.flatMap((column) => column.blocks));
  const coupon = blocks.find((block) => isOf(block, 'coupon') && isPlain(block.code));
  const products = blocks.filter((block) => isOf(block, 'product')).filter(isCard);
  return [
    coupon && isOf(coupon, 'coupon') ? item('DiscountOffer', offer(coupon)) : '',
    ...products
      .slice(0, MOST_CARDS)
      .map((block, at) => item('PromotionCard', card(block, at, context))),
  ].join('');
}

const isOf = <T extends Block['type']>(block: Block, type: T): block is BlockOf<T> =>
  block.type === type;

/** Said to everybody alike: nobody's values stand in it. */
const isPlain = (text: string) => text.trim() !== '' && !/[{}]/.test(text);

const isCard = ({ image, href, name }: BlockOf<'product'>) =>
  image.src !== '' && /^https?:\/\//.test(href) && isPlain(href) && isPlain(name);

function offer({ title, code }: BlockOf<'coupon'>): Property[] {
  return [
    ...(isPlain(title) ? [['description', title] as const] : []),
    ['discountCode', code.trim()],
  ];
}

function card(block: BlockOf<'product'>, at: number, context: DocumentContext): Property[] {
  const now = moneyOf(block.price);
  const before = moneyOf(block.old_price);
  const saved = now && before?.currency === now.currency ? before.amount - now.amount : 0;
  return [
    ['image', address(context, block.image.src)],
    ['url', block.href],
    ['headline', block.name],
    ...(now
      ? ([
          ['price', now.amount.toFixed(2)],
          ['priceCurrency', now.currency],
        ] as const)
      : []),
    ...(saved > 0 ? [['discountValue', saved.toFixed(2)] as const] : []),
    ['position', String(at + 1)],
  ];
}

/** Signs that mean one currency alone; a dollar or a crown may be one of many. */
const SIGNS: Record<string, string> = {
  '€': 'EUR',
  '£': 'GBP',
  '₹': 'INR',
  '₺': 'TRY',
  '₴': 'UAH',
};
const MONEY =
  /^(?:(?<sign>[€£₹₺₴])|(?<code>[A-Z]{3}))?\s?(?<digits>\d[\d.,  ’']*)\s?(?:(?<sign2>[€£₹₺₴])|(?<code2>[A-Z]{3}))?$/;

/** Undefined where a price does not say clearly how much of what. */
export function moneyOf(text: string): { amount: number; currency: string } | undefined {
  const { sign, code, digits = '', sign2, code2 } = MONEY.exec(text.trim())?.groups ?? {};
  const said = sign ?? sign2;
  const currency = said ? SIGNS[said] : (code ?? code2);
  if (!currency) return undefined;
  // Two figures at the end, behind a point or a comma, are cents; whatever else stands between are thousands.
  const [, whole = '', cents = '00'] = /^(.*?)(?:[.,](\d\d))?$/.exec(digits.trim()) ?? [];
  const amount = Number(`${whole.replace(/[^\d]/g, '')}.${cents}`);
  return Number.isFinite(amount) && /\d/.test(whole) ? { amount, currency } : undefined;
}

function item(type: string, properties: readonly Property[]): string {
  const metas = properties.map(
    ([name, value]) => `<meta itemprop="${name}" content="${escapeLine(value)}">`,
  );
  return `<div itemscope itemtype="http://schema.org/${type}" style="display:none;mso-hide:all">${metas.join('')}</div>`;
}
