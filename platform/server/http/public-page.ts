// Small pages for visitors without an account, light and dark, left-to-right and right-to-left.
// They show the account's name, not the product's. They contain only constant first-party scripts,
// and load nothing except the account's logo.
import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { DIRECTION, type Language, LOCALE } from '../../languages.ts';
import { type PagePolicy, setPagePolicy } from './page-policy.ts';

/** Repeats the theme of platform/web, because these pages load no stylesheet. */
const STYLE = `
:root { color-scheme: light dark; --canvas: #f7f7f5; --surface: #fff; --text: #1b1d22; --muted: #5b606b;
  --hairline: #e4e4e0; --primary: #3b4fe4; --hover: #3043cc; --on-primary: #fff; }
@media (prefers-color-scheme: dark) { :root { --canvas: #131416; --surface: #1a1b1e; --text: #ecedef;
  --muted: #9ba1ac; --hairline: #2c2f35; --primary: #8c9aff; --hover: #a3aeff; --on-primary: #10122b; } }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 24px;
  background: var(--canvas); color: var(--text); overflow-wrap: anywhere;
  font: 16px/1.5 Inter, 'Segoe UI', Vazirmatn, Tahoma, system-ui, sans-serif; }
main { width: 100%; max-width: 460px; padding: 32px; background: var(--surface);
  border: 1px solid var(--hairline); border-radius: 8px; }
h1 { margin: 0 0 8px; font-size: 20px; line-height: 1.35; font-weight: 600; }
p { margin: 0 0 16px; } p:last-child { margin-bottom: 0; }
.name, .note { color: var(--muted); font-size: 14px; } .name { margin-bottom: 16px; }
form { margin: 24px 0 0; }
fieldset { margin: 0 0 24px; padding: 0; border: 0; min-width: 0; }
legend { padding: 0; margin-bottom: 4px; font-weight: 600; }
fieldset .note { margin-bottom: 4px; }
label { display: flex; gap: 12px; align-items: flex-start; padding: 10px 0; min-height: 44px; cursor: pointer; }
label + label { border-top: 1px solid var(--hairline); }
input { width: 20px; height: 20px; margin: 2px 0 0; flex: none; accent-color: var(--primary); cursor: pointer; }
.link { margin-top: 24px; } .logo img { display: block; max-width: 220px; max-height: 72px; } a { color: var(--primary); }
button { font: inherit; font-weight: 600; min-height: 44px; padding: 8px 20px; border-radius: 6px;
  border: 1px solid var(--primary); background: var(--primary); color: var(--on-primary); cursor: pointer; }
button:hover { background: var(--hover); border-color: var(--hover); }
button.quiet { background: none; color: var(--primary); }
button:focus-visible, input:focus-visible, a:focus-visible { outline: 3px solid var(--primary); outline-offset: 2px; }
@media (max-width: 480px) { body { padding: 12px; } main { padding: 24px 20px; } button { width: 100%; } }
`;

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');
const POLICY: PagePolicy = {
  styles: [`'sha256-${STYLE_HASH}'`],
  hasForms: true,
  framing: 'none',
};

export type PublicPage = {
  language: Language;
  /** BCP 47 code of a language the interface does not support. */
  lang?: string | undefined;
  /** The account's name, above the heading; none if the account is unknown. */
  name?: string | undefined;
  heading: string;
  /** Paragraphs of plain text. */
  text: readonly string[];
  /** A single button that posts to `action`, a path of this server. */
  button?: { action: string; label: string; isQuiet?: boolean } | undefined;
  /** Small print above the button. */
  note?: string | undefined;
  /** Checkboxes with a button that posts them to `action`; shown instead of `button`. */
  form?: PublicPageForm | undefined;
  /** A link at the end of the page: a path of this server, or the account's website. */
  link?: { href: string; label: string } | undefined;
  brand?: PageBrand | undefined;
  /** A constant first-party script; never contains user input. */
  script?: string | undefined;
};

/** The account's logo above the heading, and the colors of its buttons. */
export type PageBrand = {
  logo: { src: string; alt: string } | null;
  button: { background: string; color: string } | null;
};

export type PublicPageForm = {
  action: string;
  /** Sets of checkboxes, each under its own name. */
  fieldsets: readonly {
    legend: string;
    note?: string | undefined;
    choices: readonly { name: string; value: string; label: string; isChosen: boolean }[];
  }[];
  label: string;
};

export function escapeHtml(text: string): string {
  return text
    .replace(/&/g, '&amp;')
    .replace(/</g, '&lt;')
    .replace(/>/g, '&gt;')
    .replace(/"/g, '&quot;')
    .replace(/'/g, '&#39;');
}

function html(page: PublicPage, brandStyle: string): string {
  const paragraphs = page.text.map((text) => `<p>${escapeHtml(text)}</p>`).join('\n');
  const noteHtml = page.note ? `<p class="note">${escapeHtml(page.note)}</p>` : '';
  const button = page.button
    ? `<form method="post" action="${escapeHtml(page.button.action)}">${noteHtml}` +
      `<button${page.button.isQuiet ? ' class="quiet"' : ''}>${escapeHtml(page.button.label)}</button></form>`
    : noteHtml;
  const link = page.link
    ? `<p class="link"><a href="${escapeHtml(page.link.href)}">${escapeHtml(page.link.label)}</a></p>`
    : '';
  return `<!doctype html>
<html lang="${page.lang ?? LOCALE[page.language]}" dir="${DIRECTION[page.language]}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<title>${escapeHtml(page.heading)}</title>
<style>${STYLE}</style>${brandStyle ? `<style>${brandStyle}</style>` : ''}
</head>
<body>
<main>
${logoHtml(page.brand?.logo)}
${page.name ? `<p class="name"><bdi>${escapeHtml(page.name)}</bdi></p>` : ''}
<h1>${escapeHtml(page.heading)}</h1>
${paragraphs}
${page.form ? formHtml(page.form) : button}
${link}
</main>
${page.script ? `<script>${page.script}</script>` : ''}
</body>
</html>
`;
}

const COLOR = /^#[0-9a-f]{3,8}$/i;
const IMAGE_URL = /^https?:\/\/[^\s"'<>]+$/i;

function brandStyleOf({ button }: PageBrand): string {
  if (!button || !COLOR.test(button.background) || !COLOR.test(button.color)) return '';
  const { background, color } = button;
  return `button:not(.quiet),button:not(.quiet):hover{background:${background};border-color:${background};color:${color}}button:hover{filter:brightness(.93)}`;
}

const logoHtml = (logo: PageBrand['logo'] | undefined): string =>
  logo && IMAGE_URL.test(logo.src)
    ? `<p class="logo"><img src="${escapeHtml(logo.src)}" alt="${escapeHtml(logo.alt)}"></p>`
    : '';

const hashOf = (text: string): string =>
  `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Returns the policy of a page for its script, brand styles and logo. */
function policyOf({ script, brand }: PublicPage, brandStyle: string): PagePolicy {
  const logo =
    brand?.logo && IMAGE_URL.test(brand.logo.src) ? [new URL(brand.logo.src).origin] : [];
  return {
    ...POLICY,
    styles: [...(POLICY.styles ?? []), ...(brandStyle ? [hashOf(brandStyle)] : [])],
    ...(script ? { scripts: [hashOf(script)] } : {}),
    ...(logo.length > 0 ? { images: logo } : {}),
  };
}

/** Renders plain checkboxes. Browsers send only checked ones, so the server treats others as unchecked. */
function formHtml({ action, fieldsets, label }: PublicPageForm): string {
  const fields = fieldsets.map(({ legend, note, choices }) => {
    const boxes = choices.map(
      (choice) =>
        `<label><input type="checkbox" name="${escapeHtml(choice.name)}" ` +
        `value="${escapeHtml(choice.value)}"${choice.isChosen ? ' checked' : ''}>` +
        `<span>${escapeHtml(choice.label)}</span></label>`,
    );
    const smallPrint = note ? `<p class="note">${escapeHtml(note)}</p>` : '';
    return `<fieldset><legend>${escapeHtml(legend)}</legend>${smallPrint}${boxes.join('')}</fieldset>`;
  });
  return (
    `<form method="post" action="${escapeHtml(action)}">${fields.join('\n')}` +
    `<button>${escapeHtml(label)}</button></form>`
  );
}

export function sendPublicPage(reply: FastifyReply, page: PublicPage, status = 200): FastifyReply {
  const brandStyle = page.brand ? brandStyleOf(page.brand) : '';
  return setPagePolicy(reply, policyOf(page, brandStyle))
    .status(status)
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'content-language': page.lang ?? LOCALE[page.language],
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex',
    })
    .send(html(page, brandStyle));
}
