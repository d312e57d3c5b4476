// The page with the card form, shown in a frame. It is a separate page because a single-page app
// keeps the content security policy of its first page. Card numbers go from the form directly to
// the gateway; the parent page gets only a token for the charge.
import type { FastifyInstance, FastifyPluginAsync } from 'fastify';
import { DIRECTION, isLanguage, type Language, LOCALE } from '#platform/languages.ts';
import { serverTexts } from '#platform/server/texts.ts';
import type { CardForm, Gateway } from './gateway-provider.ts';

export const CARD_FORM = '/billing/card-form';

type Query = { language?: string; scheme?: string };

export function cardFormPlugin(gateway: Gateway): FastifyPluginAsync {
  return async (app) => {
    const form = gateway.getCardForm();
    app.get<{ Querystring: Query }>(CARD_FORM, async (request, reply) => {
      const language = isLanguage(request.query.language) ? request.query.language : 'eng';
      const isDark = request.query.scheme === 'dark';
      return reply
        .header('content-security-policy', policyOf(form))
        .header('cache-control', 'no-store')
        .header('referrer-policy', 'no-referrer')
        .type('text/html; charset=utf-8')
        .send(page(form, language, isDark));
    });
    addFile(app, `${CARD_FORM}/form.js`, 'text/javascript', `${FRAME_SCRIPT}\n${form.script}`);
    addFile(app, `${CARD_FORM}/form.css`, 'text/css', `${STYLES}\n${form.styles ?? ''}`);
  };
}

function addFile(app: FastifyInstance, path: string, type: string, content: string): void {
  app.get(path, async (_, reply) =>
    reply.type(`${type}; charset=utf-8`).header('cache-control', 'no-cache').send(content),
  );
}

function policyOf({ hosts }: CardForm): string {
  return [
    "default-src 'none'",
    `script-src 'self' ${hosts.script.join(' ')}`,
    "style-src 'self' 'unsafe-inline'",
    `connect-src 'self' ${hosts.connect.join(' ')}`,
    `frame-src ${hosts.frame.join(' ') || "'none'"}`,
    "img-src 'self' data: https:",
    "font-src 'self' data:",
    `form-action ${hosts.form?.join(' ') || "'none'"}`,
    "base-uri 'none'",
    "frame-ancestors 'self'",
  ].join('; ');
}

const TEXT_KEYS = [
  'number',
  'expiry',
  'code',
  'numberInvalid',
  'expiryInvalid',
  'codeInvalid',
  'unreachable',
  'unconfirmed',
] as const;

function page(form: CardForm, language: Language, isDark: boolean): string {
  const t = serverTexts('billing', language);
  const labels = Object.fromEntries(TEXT_KEYS.map((key) => [key, t(`card.${key}`)]));
  const data = JSON.stringify({ words: labels }).replace(/</g, '\\u003c');
  const scripts = form.hosts.script
    .filter((address) => address.endsWith('.js'))
    .map((address) => `<script src="${address}"></script>`)
    .join('');
  const field = (name: string) =>
    `<label for="${name}">${labels[name]}</label><div class="field" id="${name}-field"></div><p class="error" id="${name}-error" role="alert"></p>`;
  return `<!doctype html>
<html lang="${LOCALE[language]}" dir="${DIRECTION[language]}" class="${isDark ? 'dark' : 'light'}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>${t('card.title')}</title>
<link rel="stylesheet" href="${CARD_FORM}/form.css"></head>
<body><form id="card" novalidate><div class="wide">${field('number')}</div><div>${field('expiry')}</div><div>${field('code')}</div>
<p class="error wide" id="form-error" role="alert"></p></form>
<script type="application/json" id="data">${data}</script>${scripts}<script src="${CARD_FORM}/form.js"></script></body></html>`;
}

const STYLES = `:root{font-family:Inter,Vazirmatn,system-ui,sans-serif;font-size:15px;color:#1b1d22;color-scheme:light}
.dark{color:#e9e9ec;color-scheme:dark}
body{margin:0;padding:2px}
form{display:grid;grid-template-columns:1fr 1fr;gap:4px 12px}
.wide{grid-column:1/-1}
label{display:block;font-weight:500;margin-block-end:4px}
.field{border:1px solid #c9cad0;border-radius:6px;height:40px;box-sizing:border-box;background:#fff;direction:ltr}
.dark .field{background:#1c1e24;border-color:#4a4d57}
.field:focus-within{border-color:#3b4fe4;outline:1px solid #3b4fe4}
.field input{border:0;outline:0;background:none;color:inherit;font:inherit;inline-size:100%;block-size:100%;padding:0 12px;box-sizing:border-box}
.error{color:#c4261d;margin:4px 0 0;min-height:1.2em;font-size:13px}
.dark .error{color:#ff8a80}`;

/**
 * Script that the card forms of all gateways share. It defines `cardForm`, with which a gateway's
 * script mounts its fields, and exchanges messages with the parent page.
 */
const FRAME_SCRIPT = `'use strict';
window.cardForm = (() => {
  const { words } = JSON.parse(document.getElementById('data').textContent);
  const post = (message) => parent.postMessage({ from: 'card-form', ...message }, location.origin);
  const showError = (name, text) => { document.getElementById(name + '-error').textContent = text || ''; };
  let submit;
  let room = 0;
  const height = () => post({ is: 'height', height: Math.max(room, document.body.offsetHeight) });
  addEventListener('message', (event) => {
    if (event.origin !== location.origin || event.source !== parent) return;
    if (event.data?.is === 'begin') start(event.data);
    if (event.data?.is === 'submit') void send(event.data);
  });
  const send = async (data) => {
    for (const name of ['number', 'expiry', 'code', 'form']) showError(name);
    try {
      const card = await submit(data);
      if (card) post({ is: 'card', card });
      else { post({ is: 'invalid' }); height(); }
    } catch { showError('form', words.unreachable); post({ is: 'invalid' }); height(); }
  };
  let start = () => {};
  document.getElementById('card').addEventListener('submit', (event) => { event.preventDefault(); post({ is: 'enter' }); });
  return {
    words, showError, height,
    /** Sets a minimum height for dialogs that cover the form. */
    makeRoom(least) { room = least; height(); },
    /** begin({token}) mounts the fields and returns the function submit({amount, email}). */
    mount(begin) {
      start = async (data) => {
        try { submit = await begin(data); post({ is: 'ready' }); height(); }
        catch { showError('form', words.unreachable); post({ is: 'failed' }); height(); }
      };
      new ResizeObserver(height).observe(document.body);
      post({ is: 'loaded' });
    },
  };
})();`;
