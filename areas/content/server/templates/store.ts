// Templates of a store with products chosen for each recipient: those in the cart, viewed, ordered
// or recommended.
import type { Block, EmailDocument, Section } from '../../document.ts';
import { CART_LINK } from '../../shop-names.ts';
import type { TemplateMaker } from './all.ts';
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

const centered = { align: 'center' } as const;

/** An email about a cart, an order or viewed products; all share one look. */
function shopEmail(
  w: TemplateTexts,
  { scene, alt, why = w.why }: { scene: string; alt: string; why?: string },
  body: Section[],
): EmailDocument {
  const [background, accent, heading] = SHOP_PALETTE;
  return composeEmail(
    templateSettings({ background, accent, heading }, { text: 'Karla', heading: 'Karla' }),
    [
      section([logo()], { background, padding: pad(0) }),
      section([wide(scene, alt)], { padding: pad(0) }),
      ...body,
      ending(why, w, { background }),
    ],
  );
}

export const STORE: TemplateMaker[] = [
  {
    id: 'abandoned-cart',
    purpose: 'store',
    make: (w) =>
      shopEmail(w, { scene: 'cart', alt: w.cart.alt }, [
        section([h1(w.cart.heading), text(w.cart.body)], { padding: pad(20, 0, 4) }),
        ...pickedProducts('cart'),
        section(
          [
            { ...button(w.cart.button, centered, { is_wide: true }), href: CART_LINK } as Block,
            text(list(w.cart.points), { size: 14 }),
          ],
          { padding: pad(4, 0, 20) },
        ),
      ]),
  },
  {
    id: 'browse-abandonment',
    purpose: 'store',
    make: (w) =>
      shopEmail(w, { scene: 'shelf', alt: w.browse.alt }, [
        section([h1(w.browse.heading), text(w.browse.body)], { padding: pad(20, 0, 4) }),
        ...pickedProducts('viewed'),
        section([button(w.browse.button, centered, { is_wide: true })], {
          padding: pad(4, 0, 28),
        }),
      ]),
  },
  {
    id: 'order-thanks',
    purpose: 'store',
    make: (w) =>
      shopEmail(w, { scene: 'gift', alt: w.order.alt, why: w.whyOrder }, [
        section([h1(w.order.heading), text(w.order.body)], { padding: pad(20, 0, 4) }),
        ...pickedProducts('ordered'),
        section([button(w.order.button), text(w.order.help, { size: 14 })], {
          padding: pad(4, 0, 28),
        }),
      ]),
  },
  {
    id: 'win-back',
    purpose: 'store',
    make: (w) =>
      shopEmail(w, { scene: 'shelf', alt: w.winback.alt }, [
        section([h1(w.winback.heading), text(w.winback.body)], { padding: pad(20, 0, 4) }),
        ...pickedProducts('recommended'),
        section([button(w.winback.button, centered, { is_wide: true })], {
          padding: pad(4, 0, 28),
        }),
      ]),
  },
  {
    id: 'review-request',
    purpose: 'feedback',
    make: (w) =>
      shopEmail(w, { scene: 'stars', alt: w.review.alt, why: w.whyOrder }, [
        section([h1(w.review.heading), text(w.review.body)], { padding: pad(20, 0, 4) }),
        ...pickedProducts('ordered'),
        section(
          [
            text(`<a href="${SITE}">★ ★ ★ ★ ★</a>`, { ...centered, size: 34, line_height: 1.2 }),
            button(w.review.button, centered),
            text(w.review.note, { ...centered, size: 14 }),
          ],
          { padding: pad(4, 0, 28) },
        ),
      ]),
  },
];
