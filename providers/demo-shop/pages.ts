// Pages of the demo shop as HTML, without scripts.
import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { DIRECTION, type Language, LOCALE } from '#platform/languages.ts';
import { setPagePolicy } from '#platform/server/http/page-policy.ts';
import { escapeHtml as e } from '#platform/server/http/public-page.ts';
import { TEST_TOOL_LINKS_STYLE, testToolLinks } from '#platform/server/http/test-tool-links.ts';
import { serverTexts } from '#platform/server/texts.ts';
import { DEMO_CATALOG, type DemoProduct } from './catalog.ts';

const STYLE = `${TEST_TOOL_LINKS_STYLE}
:root { color-scheme: light dark; --canvas: #faf8f4; --surface: #fff; --text: #221d18; --muted: #6b6258;
  --line: #e6dfd5; --accent: #8a3b12; --on-accent: #fff; }
@media (prefers-color-scheme: dark) { :root { --canvas: #171411; --surface: #201c18; --text: #f1ebe4;
  --muted: #b0a598; --line: #3a332c; --accent: #f0a878; --on-accent: #2a1204; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--canvas); color: var(--text);
  font: 16px/1.5 Inter, 'Segoe UI', Vazirmatn, Tahoma, system-ui, sans-serif; }
header, main { max-width: 1040px; margin: 0 auto; padding: 16px 20px; }
header { display: flex; gap: 16px; align-items: baseline; justify-content: space-between; flex-wrap: wrap; }
header a { color: inherit; text-decoration: none; font-weight: 600; }
.note { color: var(--muted); font-size: 14px; margin: 0 0 16px; }
.shelf { display: grid; gap: 20px; grid-template-columns: repeat(auto-fill, minmax(210px, 1fr)); padding: 0; list-style: none; }
.shelf li, .box { background: var(--surface); border: 1px solid var(--line); border-radius: 10px; overflow: hidden; }
.shelf a { color: inherit; text-decoration: none; display: block; }
.shelf img, .one img { width: 100%; height: auto; display: block; }
.shelf div { padding: 12px 14px 16px; }
h1 { font-size: 24px; line-height: 1.3; margin: 8px 0 12px; } h2 { font-size: 16px; margin: 0 0 4px; }
.price { font-weight: 600; } s { color: var(--muted); font-weight: 400; }
.one { display: grid; gap: 28px; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); }
.box { padding: 20px; } table { width: 100%; border-collapse: collapse; margin-bottom: 16px; }
th, td { text-align: start; padding: 8px 0; border-bottom: 1px solid var(--line); } td:last-child, th:last-child { text-align: end; }
label { display: block; margin-bottom: 12px; } label.tick { display: flex; gap: 10px; align-items: center; min-height: 44px; }
input:not([type=checkbox]) { width: 100%; font: inherit; padding: 9px 12px; border-radius: 8px; border: 1px solid var(--muted);
  background: var(--surface); color: inherit; margin-top: 4px; } input[type=checkbox] { width: 20px; height: 20px; accent-color: var(--accent); }
button, .button { font: inherit; font-weight: 600; min-height: 44px; padding: 9px 20px; border-radius: 8px; cursor: pointer;
  border: 1px solid var(--accent); background: var(--accent); color: var(--on-accent); text-decoration: none; display: inline-block; }
button.quiet { background: none; color: var(--accent); }
.row { display: flex; gap: 12px; flex-wrap: wrap; align-items: center; } form { margin: 0; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
@media (max-width: 640px) { .one { grid-template-columns: 1fr; } .shelf { grid-template-columns: 1fr 1fr; gap: 12px; } }
@media (max-width: 400px) { .shelf div { padding: 10px; } }
`;
const HASH = createHash('sha256').update(STYLE).digest('base64');

export type ShopLine = { product: DemoProduct; quantity: number };
export type DemoOrder = {
  id: string;
  lines: readonly ShopLine[];
  email: string;
  state: 'processing' | 'completed' | 'refunded';
};

const STATE_TEXTS = {
  processing: 'is_processing',
  completed: 'is_completed',
  refunded: 'is_refunded',
} as const;

export class ShopPages {
  readonly t: ReturnType<typeof serverTexts>;
  readonly #language: Language;
  readonly #base: string;

  constructor(language: Language, store: string) {
    this.#language = language;
    this.#base = `/shop/${store}`;
    this.t = serverTexts('demo-shop', language);
  }

  formatMoney(amount: number): string {
    return new Intl.NumberFormat(LOCALE[this.#language], {
      style: 'currency',
      currency: DEMO_CATALOG.currency,
    }).format(amount);
  }

  send(reply: FastifyReply, title: string, body: string, itemCount = 0): FastifyReply {
    setPagePolicy(reply, {
      styles: [`'sha256-${HASH}'`],
      images: ["'self'"],
      hasForms: true,
      framing: 'none',
    });
    return reply
      .header('cache-control', 'no-store')
      .type('text/html; charset=utf-8')
      .send(`<!doctype html>
<html lang="${LOCALE[this.#language]}" dir="${DIRECTION[this.#language]}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">
<title>${e(title)}</title><style>${STYLE}</style></head><body>
${testToolLinks(this.#language, 'shop')}
<header><a href="${this.#base}">${e(DEMO_CATALOG.title)}</a>
<a href="${this.#base}/cart">${e(this.t('cart'))} (${itemCount})</a></header>
<main>${body}</main></body></html>`);
  }

  #price({ price, oldPrice }: DemoProduct): string {
    const oldPriceHtml = oldPrice === undefined ? '' : ` <s>${e(this.formatMoney(oldPrice))}</s>`;
    return `<span class="price">${e(this.formatMoney(price))}</span>${oldPriceHtml}`;
  }

  renderCatalog(): string {
    const items = DEMO_CATALOG.products.map(
      (product) => `<li><a href="${this.#base}/products/${product.id}">
<img src="/shop/pictures/${product.id}.svg" alt="" width="400" height="300">
<div><h2>${e(product.title)}</h2>${this.#price(product)}</div></a></li>`,
    );
    return `<h1>${e(DEMO_CATALOG.title)}</h1><p class="note">${e(this.t('note'))}</p>
<ul class="shelf">${items.join('')}</ul>`;
  }

  renderProduct(demoProduct: DemoProduct): string {
    return `<div class="one"><img src="/shop/pictures/${demoProduct.id}.svg" alt="" width="400" height="300"><div>
<h1>${e(demoProduct.title)}</h1><p>${e(demoProduct.description)}</p><p>${this.#price(demoProduct)}</p>
<form method="post" action="${this.#base}/cart"><input type="hidden" name="product" value="${demoProduct.id}">
<button>${e(this.t('add'))}</button></form></div></div>`;
  }

  #table(lines: readonly ShopLine[]): string {
    const rows = lines.map(
      ({ product, quantity }) =>
        `<tr><td>${e(product.title)}</td><td>${quantity}</td><td>${e(this.formatMoney(product.price * quantity))}</td></tr>`,
    );
    return `<table><thead><tr><th>${e(this.t('product'))}</th><th>${e(this.t('quantity'))}</th><th>${e(this.t('price'))}</th></tr></thead>
<tbody>${rows.join('')}<tr><th colspan="2">${e(this.t('total'))}</th><th>${e(this.formatMoney(sumLines(lines)))}</th></tr></tbody></table>`;
  }

  renderCart(lines: readonly ShopLine[], email: string, error = ''): string {
    if (lines.length === 0)
      return `<h1>${e(this.t('cart'))}</h1><p>${e(this.t('empty'))}</p>
<a class="button" href="${this.#base}">${e(this.t('look'))}</a>`;
    return `<h1>${e(this.t('cart'))}</h1><div class="box">${this.#table(lines)}
<form method="post" action="${this.#base}/checkout">
<label>${e(this.t('name'))}<input name="name" maxlength="100" autocomplete="given-name"></label>
<label>${e(this.t('email'))}<input name="email" type="email" required maxlength="320" autocomplete="email" value="${e(email)}"></label>
${error ? `<p role="alert">${e(error)}</p>` : ''}
<label class="tick"><input type="checkbox" name="newsletter" value="1"> ${e(this.t('newsletter'))}</label>
<div class="row"><button name="act" value="buy">${e(this.t('buy'))}</button>
<button class="quiet" name="act" value="later">${e(this.t('later'))}</button>
<button class="quiet" name="act" value="drop" formnovalidate>${e(this.t('drop'))}</button></div></form></div>`;
  }

  renderSaved(): string {
    return `<h1>${e(this.t('savedTitle'))}</h1><p>${e(this.t('saved'))}</p>
<a class="button" href="${this.#base}">${e(this.t('look'))}</a>`;
  }

  renderOrder({ id, lines, state, email }: DemoOrder): string {
    const renderActionButton = (name: string) =>
      `<form method="post" action="${this.#base}/orders/${id}"><button class="quiet" name="act" value="${name}">${e(this.t(name))}</button></form>`;
    const actions =
      state === 'refunded'
        ? ''
        : `${state === 'processing' ? renderActionButton('ship') : ''}${renderActionButton('refund')}`;
    return `<h1>${e(this.t('thanks', { number: id }))}</h1><p>${e(this.t(STATE_TEXTS[state], { email }))}</p>
<div class="box">${this.#table(lines)}<p class="note">${e(this.t('keeper'))}</p><div class="row">${actions}</div></div>`;
  }

  renderUnconnected(): string {
    return `<h1>${e(DEMO_CATALOG.title)}</h1><p>${e(this.t('noAccount'))}</p>
<a class="button" href="/settings/connected-stores">${e(this.t('connect'))}</a>`;
  }
}

export function sumLines(lines: readonly ShopLine[]): number {
  const cents = lines.reduce(
    (sum, { product, quantity }) => sum + Math.round(product.price * 100) * quantity,
    0,
  );
  return cents / 100;
}

/** Draws a labeled tin, or a teapot for teaware, in the product's two colors. */
export function renderProductImage({
  colors: [dark, light],
  title,
  category,
}: DemoProduct): string {
  const name = e(title.split(',')[0] ?? title);
  const shape =
    category === 'Teaware'
      ? `<ellipse cx="200" cy="170" rx="80" ry="62" fill="${dark}"/><rect x="150" y="92" width="100" height="22" rx="11" fill="${dark}"/><path d="M278 150q52-8 40 44q-8 30-46 18" fill="none" stroke="${dark}" stroke-width="16"/>`
      : `<rect x="130" y="64" width="140" height="180" rx="14" fill="${dark}"/><rect x="122" y="48" width="156" height="34" rx="10" fill="${dark}"/><rect x="146" y="118" width="108" height="76" rx="8" fill="${light}"/>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 400 300" width="400" height="300"><rect width="400" height="300" fill="${light}"/>${shape}<text x="200" y="282" text-anchor="middle" font-family="Georgia, serif" font-size="18" fill="${dark}">${name}</text></svg>`;
}
