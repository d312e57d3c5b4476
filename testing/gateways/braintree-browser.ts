// Simulates Braintree in the browser: its own browser library (the card form's version, from npm)
// with substitutes for the hosted fields, the card network and a bank.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Page, Route } from 'playwright-core';
import type { BraintreeServer } from './braintree-server.ts';

const LIBRARY = join(
  dirname(createRequire(import.meta.url).resolve('braintree-web/package.json')),
  'dist/browser',
);

/** A card that requires a challenge by the bank, and one that does not. */
export const BRAINTREE_CARDS = { asks: '4000000000001091', pays: '4000000000001000' };

/**
 * Redirects a page's requests for Braintree's API to the test server. Answers requests for the
 * scripts of Braintree and of the card network, and for the bank's page. Other https requests are
 * refused.
 */
export async function routeBraintree(page: Page, server: BraintreeServer): Promise<void> {
  const script = (route: Route, body: string) =>
    route.fulfill({ contentType: 'text/javascript', body });
  await page.route(/^https:/, (route) => route.abort());
  await page.route('https://js.braintreegateway.com/web/*/js/*.min.js', async (route) => {
    const { pathname } = new URL(route.request().url());
    const moduleName = pathname.split('/').at(-1)?.replace('.min.js', '.js') ?? '';
    if (moduleName === 'hosted-fields.js') return script(route, FIELDS);
    return script(route, await readFile(join(LIBRARY, moduleName), 'utf8'));
  });
  await page.route('https://cas.static.client.cardinaltrusted.com/**', (route) =>
    script(route, NETWORK),
  );
  await page.route('https://bank.example/ask', (route) =>
    route.fulfill({ contentType: 'text/html', body: BANK }),
  );
  await page.route('https://api.sandbox.braintreegateway.com/**', async (route) => {
    const cors = { 'access-control-allow-origin': '*', 'access-control-allow-headers': '*' };
    const request = route.request();
    if (request.method() === 'OPTIONS') return route.fulfill({ status: 200, headers: cors });
    const { pathname, search } = new URL(request.url());
    const body = request.postData();
    const response = await fetch(server.base + pathname + search, {
      method: request.method(),
      ...(body === null ? {} : { body }),
    });
    await route.fulfill({
      status: response.status,
      headers: cors,
      contentType: 'application/json',
      body: await response.text(),
    });
  });
}

/**
 * A substitute for `braintree.hostedFields`; the first word of a nonce is the behavior of its card.
 */
const FIELDS = `
window.braintree = window.braintree || {};
let typed = 0;
braintree.hostedFields = {
  async create({ client, fields }) {
    if (!client) throw new Error('no client');
    const inputs = Object.entries(fields).map(([name, { container }]) => {
      const input = document.createElement('input');
      input.id = container.slice(1).replace('-field', '');
      document.querySelector(container).replaceChildren(input);
      return [name, input];
    });
    return {
      getState: () => ({ fields: Object.fromEntries(inputs.map(([name, { value }]) => [name, { isValid: value.length > 2 }])) }),
      async tokenize() {
        const number = inputs.find(([name]) => name === 'number')[1].value;
        const word = number === '${BRAINTREE_CARDS.asks}' ? 'asks' : 'pays';
        return { nonce: word + '-t' + (typed += 1), details: { bin: number.slice(0, 6) } };
      },
    };
  },
};`;

/**
 * A substitute for the card network's script, limited to the functions that the library calls: it
 * shows the bank's page and returns the bank's result.
 */
const NETWORK = `
window.Cardinal = (() => {
  const listeners = {};
  const emit = (event, ...args) => listeners[event]?.(...args);
  return {
    configure() {},
    on: (event, listener) => { listeners[event] = listener; },
    off: (event) => { delete listeners[event]; },
    setup: () => setTimeout(() => emit('payments.setupComplete', { sessionId: 'session' })),
    trigger: async () => ({ Status: true }),
    continue(_, { AcsUrl, Payload }) {
      const over = document.createElement('div');
      over.style = 'position:fixed;inset:0;background:#fff';
      over.innerHTML = '<iframe name="bank" title="Bank" style="border:0;width:100%;height:100%"></iframe>' +
        '<form method="post" target="bank"><input type="hidden" name="creq"></form>';
      document.body.append(over);
      const form = over.querySelector('form');
      form.action = AcsUrl;
      form.elements.creq.value = Payload;
      form.submit();
      emit('ui.render');
      addEventListener('message', function listen({ data }) {
        if (!data.bank) return;
        removeEventListener('message', listen);
        over.remove();
        emit('ui.close');
        emit('payments.validated', { ActionCode: data.bank === 'confirmed' ? 'SUCCESS' : 'FAILURE', ErrorNumber: 0 }, data.bank);
      });
    },
  };
})();`;

const BANK = `<!doctype html><title>Bank</title><p>Is it you who pays?</p>
<button onclick="parent.postMessage({bank:'confirmed'},'*')">Confirm</button>
<button onclick="parent.postMessage({bank:'refused'},'*')">Refuse</button>`;
