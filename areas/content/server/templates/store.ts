// Store templates with products chosen for each recipient: in the cart, viewed, ordered or
// recommended.
import type { Block, EmailDocument, Section } from '../../document.ts';
import { CART_LINK } from '../../shop-names.ts';
import type { TemplateDefinition } from './all.ts';
import {
  button,
  composeEmail,
  ending,
  h1,
  list,
  logo,
  pad,
  pickedProducts,
  section,
  SHOP_PALETTE,
  SITE,
  templateSettings,
  text,
  wide,
} from './builders.ts';
import type { TemplateTexts } from './template-texts.ts';

const centeredStyle = { align: 'center' } as const;

/** Creates an email about a cart, an order or viewed products, all in the same style. */
function shopEmail(
  texts: TemplateTexts,
  { scene, alt, reason = texts.why }: { scene: string; alt: string; reason?: string },
  body: Section[],
): EmailDocument {
  const [background, accent, heading] = SHOP_PALETTE;
  return composeEmail(
    templateSettings({ background, accent, heading }, { text: 'Karla', heading: 'Karla' }),
    [
      section([logo()], { background, padding: pad(0) }),
      section([wide(scene, alt)], { padding: pad(0) }),
      ...body,
      ending(reason, texts, { background }),
    ],
  );
}

export const STORE: TemplateDefinition[] = [
  {
    id: 'abandoned-cart',
    purpose: 'store',
    create: (texts) =>
      shopEmail(texts, { scene: 'cart', alt: texts.cart.alt }, [
        section([h1(texts.cart.heading), text(texts.cart.body)], { padding: pad(20, 0, 4) }),
        ...pickedProducts('cart'),
        section(
          [
            {
              ...button(texts.cart.button, centeredStyle, { is_wide: true }),
              href: CART_LINK,
            } as Block,
            text(list(texts.cart.points), { size: 14 }),
          ],
          { padding: pad(4, 0, 20) },
        ),
      ]),
  },
  {
    id: 'browse-abandonment',
    purpose: 'store',
    create: (texts) =>
      shopEmail(texts, { scene: 'shelf', alt: texts.browse.alt }, [
        section([h1(texts.browse.heading), text(texts.browse.body)], { padding: pad(20, 0, 4) }),
        ...pickedProducts('viewed'),
        section([button(texts.browse.button, centeredStyle, { is_wide: true })], {
          padding: pad(4, 0, 28),
        }),
      ]),
  },
  {
    id: 'order-thanks',
    purpose: 'store',
    create: (texts) =>
      shopEmail(texts, { scene: 'gift', alt: texts.order.alt, reason: texts.whyOrder }, [
        section([h1(texts.order.heading), text(texts.order.body)], { padding: pad(20, 0, 4) }),
        ...pickedProducts('ordered'),
        section([button(texts.order.button), text(texts.order.help, { size: 14 })], {
          padding: pad(4, 0, 28),
        }),
      ]),
  },
  {
    id: 'win-back',
    purpose: 'store',
    create: (texts) =>
      shopEmail(texts, { scene: 'shelf', alt: texts.winback.alt }, [
        section([h1(texts.winback.heading), text(texts.winback.body)], { padding: pad(20, 0, 4) }),
        ...pickedProducts('recommended'),
        section([button(texts.winback.button, centeredStyle, { is_wide: true })], {
          padding: pad(4, 0, 28),
        }),
      ]),
  },
  {
    id: 'review-request',
    purpose: 'feedback',
    create: (texts) =>
      shopEmail(texts, { scene: 'stars', alt: texts.review.alt, reason: texts.whyOrder }, [
        section([h1(texts.review.heading), text(texts.review.body)], { padding: pad(20, 0, 4) }),
        ...pickedProducts('ordered'),
        section(
          [
            text(`<a href="${SITE}">★ ★ ★ ★ ★</a>`, {
              ...centeredStyle,
              size: 34,
              line_height: 1.2,
            }),
            button(texts.review.button, centeredStyle),
            text(texts.review.note, { ...centeredStyle, size: 14 }),
          ],
          { padding: pad(4, 0, 28) },
        ),
      ]),
  },
];
