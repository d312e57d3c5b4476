// Payloads of WooCommerce's REST API and webhooks are mapped to products and orders.
import { expect, test } from 'vitest';
import { readRows, readStoreWebhook } from './payloads.ts';

const moment = { now: new Date('2026-11-28T20:00:00Z') };

test('names are decoded once, in every field', () => {
  const product = {
    ...{ id: 21, name: 'Tom &amp; Jerry&#8217;s &#8211; Tea', price: '9.90', status: 'publish' },
    categories: [{ id: 1, name: 'Cups &amp; Pots' }],
    short_description: '<p>Fish&nbsp;&amp; chips, a &lt;b&gt; and &amp;lt;</p>',
  };
  expect(readRows('products', [product])).toMatchObject({
    products: [
      {
        title: 'Tom & Jerry’s – Tea',
        categories: ['Cups & Pots'],
        description: 'Fish & chips, a <b> and &lt;',
      },
    ],
  });
  const order = { id: 1, line_items: [{ product_id: 21, name: 'Tom &amp; Jerry &amp;amp;' }] };
  expect(readStoreWebhook('order.updated', order, moment)?.orders?.[0]?.lines).toMatchObject([
    { title: 'Tom & Jerry &amp;' },
  ]);
});

test.each([
  ['checkout-draft', false],
  ['auto-draft', false],
  ['draft', false],
  ['wc-quote', false],
  ['request-quote', false],
  ['quotation-sent', false],
  ['ywraq-new', false],
  ['pending', false],
  ['failed', false],
  ['processing', true],
  ['completed', true],
  ['drafting-table-sent', true],
])('an order in the state %s counts as paid: %s', (status, isPaid) => {
  const webhook = readStoreWebhook('order.updated', { id: 1, status, total: '10' }, moment);
  expect(webhook?.orders?.[0]?.isPaid).toBe(isPaid);
});

test('an order deletion has its arrival time, because it contains only the order ID', () => {
  expect(readStoreWebhook('order.deleted', { id: 701 }, moment)?.orders).toMatchObject([
    { aliases: ['order:701'], isCancelled: true, reportedAt: moment.now, total: null, lines: null },
  ]);
});

test('a phone number gets the country of its address', () => {
  const billing = { email: 'rasa@home.example', phone: '8 612 34567', country: 'LT' };
  expect(
    readStoreWebhook('order.updated', { id: 1, billing }, moment)?.orders?.[0]?.customer,
  ).toMatchObject({ phone: '8 612 34567', country: 'LT' });
});
