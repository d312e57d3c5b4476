// The layout shared by the hook box and test gateway pages, in light and dark colors and both
// writing directions.
import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { DIRECTION, type Language, LOCALE } from '#platform/languages.ts';
import { setPagePolicy } from '#platform/server/http/page-policy.ts';
import { escapeHtml } from '#platform/server/http/public-page.ts';
import {
  type LinkedTool,
  TEST_TOOL_LINKS_STYLE,
  testToolLinks,
} from '#platform/server/http/test-tool-links.ts';

const STYLE = `:root{color-scheme:light dark;--canvas:#f7f7f5;--surface:#fff;--sunken:#f1f1ee;--text:#1b1d22;--muted:#5b606b;--hairline:#e4e4e0;--primary:#3b4fe4;--on-primary:#fff;--bad:#b42318;--good:#1c7a3f}
@media(prefers-color-scheme:dark){:root{--canvas:#131416;--surface:#1a1b1e;--sunken:#131416;--text:#ecedef;--muted:#9ba1ac;--hairline:#2c2f35;--primary:#8c9aff;--on-primary:#10122b;--bad:#ff9b8f;--good:#7fd69b}}
*{box-sizing:border-box}
body{margin:0;background:var(--canvas);color:var(--text);font:16px/1.5 Inter,'Segoe UI',Vazirmatn,Tahoma,system-ui,sans-serif;overflow-wrap:anywhere}
main{max-width:900px;margin:auto;padding:16px 24px 48px}main.narrow{max-width:460px;padding-block:48px}
h1{font-size:24px;line-height:1.3;margin:8px 0}h2{font-size:16px;line-height:1.4;margin:0}p{margin:0 0 12px}.muted{color:var(--muted)}
.box{background:var(--surface);border:1px solid var(--hairline);border-radius:8px;padding:16px;margin:0 0 16px}
a{color:var(--primary)}code{font-size:14px;background:var(--sunken);border-radius:4px;padding:1px 5px;unicode-bidi:isolate;direction:ltr}
pre{overflow:auto;max-height:320px;background:var(--sunken);padding:12px;border-radius:6px;font-size:13px;line-height:1.5;margin:12px 0 0;overflow-wrap:normal}
.good{color:var(--good)}.bad{color:var(--bad);font-weight:600}
dl{display:grid;grid-template-columns:max-content 1fr;gap:6px 16px;margin:0}dt,dd{margin:0}
.wide{overflow-x:auto}table{border-collapse:collapse;inline-size:100%}th,td{text-align:start;padding:10px 16px 10px 0;border-block-end:1px solid var(--hairline);white-space:nowrap}
[dir=rtl] th,[dir=rtl] td{padding:10px 0 10px 16px}tr:last-child td{border-block-end:0}th{font-weight:600;font-size:14px;color:var(--muted)}
.row{display:flex;flex-wrap:wrap;gap:8px}form{margin:0}
button{font:inherit;font-weight:600;font-size:14px;min-height:36px;padding:6px 14px;border-radius:6px;border:1px solid var(--primary);background:none;color:var(--primary);cursor:pointer}
button.main{background:var(--primary);color:var(--on-primary)}.narrow button{min-height:44px;font-size:16px;padding:8px 20px}
:focus-visible{outline:3px solid var(--primary);outline-offset:2px}
@media(max-width:640px){main{padding:12px 16px 32px}.narrow{padding-block:32px}thead{display:none}table,tbody,tr,td{display:block}tr{padding:12px 0;border-block-end:1px solid var(--hairline)}tr:last-child{border-block-end:0;padding-block-end:0}td,[dir=rtl] td{padding:2px 0;border:0;white-space:normal}td:has(form){padding-block-start:8px}dl{grid-template-columns:1fr;gap:0}dd+dt{margin-block-start:10px}}${TEST_TOOL_LINKS_STYLE}.tools{max-width:900px;margin:auto}`;
const HASH = createHash('sha256').update(STYLE).digest('base64');

export type ToolPage = {
  language: Language;
  title: string;
  /** HTML. */
  mainHtml: string;
  /** The page's tool; if unset, the page has no links to the other tools. */
  tool?: LinkedTool;
};

export function sendToolPage(reply: FastifyReply, { language, title, mainHtml, tool }: ToolPage) {
  setPagePolicy(reply, { styles: [`'sha256-${HASH}'`], hasForms: true, framing: 'none' });
  return reply
    .header('cache-control', 'no-store')
    .type('text/html; charset=utf-8')
    .send(`<!doctype html>
<html lang="${LOCALE[language]}" dir="${DIRECTION[language]}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title><style>${STYLE}</style></head><body>
${tool === undefined ? '' : testToolLinks(language, tool)}
<main${tool === undefined ? ' class="narrow"' : ''}><h1>${escapeHtml(title)}</h1>${mainHtml}</main></body></html>`);
}

/** Formats the time in this machine's time zone, which is also the reader's. */
export function toolTime(language: Language, instant: Date): string {
  const format = new Intl.DateTimeFormat(LOCALE[language], {
    dateStyle: 'medium',
    timeStyle: 'medium',
  });
  return `<time datetime="${instant.toISOString()}">${format.format(instant)}</time>`;
}
