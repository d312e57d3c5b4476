// The demo store is connected and visited. A cart is abandoned, and bought after an email about it.
// The screens of stores and the attributed revenue are checked, also in Persian.
import pg from 'pg';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { findAccessibilityViolations, newPage } from '#testing/setup/browser.ts';
import { openCustomerSite, renderShopPage } from '#testing/servers/customer-site.ts';
import {
  call,
  isTooWide,
  openSharedProduct,
  PERSIAN_PHONE,
  shoot,
  signUp,
  openScreen,
} from '#testing/setup/journeys.ts';
import stores from '../locales/fas/stores.json' with { type: 'json' };

const { product, browser } = await openSharedProduct();
const { pages, address: shop } = await openCustomerSite();
const API = '/client-api/api/connected-stores';
const PAGE = '/settings/connected-stores';

test('the demo store is connected, an order is placed and refunded, and the lists and statistics show it', async () => {
  const { page, pageErrors } = await newPage(browser);
  await signUp(page, product, 'stores@shop.example');
  await openScreen(page, PAGE);
  await page.getByText('No stores yet').waitFor();
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await shoot(page, 'stores-empty');
  await page.getByRole('button', { name: 'Connect a store' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Store address').fill('http://127.0.0.1:1');
  await dialog.getByLabel('Consumer key').fill('ck');
  await dialog.getByLabel('Consumer secret').fill('cs');
  await dialog.getByRole('button', { name: 'Connect a store' }).click();
  await dialog.getByText('https://', { exact: false }).first().waitFor();
  await shoot(page, 'stores-connect');
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await dialog.getByText('Demo shop', { exact: true }).click();
  await dialog.getByRole('button', { name: 'Connect the demo shop' }).click();
  const card = page.getByRole('region', { name: 'Harbour Tea Shop' });
  await card.getByText('Connected', { exact: true }).waitFor();

  const visitor = await newPage(browser);
  await visitor.page.goto(`${product.address}/shop`);
  await visitor.page.getByRole('heading', { level: 1, name: 'Harbour Tea Shop' }).waitFor();
  expect(await findAccessibilityViolations(visitor.page)).toEqual([]);
  await shoot(visitor.page, 'stores-demo-shelf');
  await visitor.page.getByRole('link', { name: /Sencha Spring/ }).click();
  await visitor.page.getByRole('button', { name: 'Add to cart' }).click();
  await visitor.page.getByLabel('First name').fill('Åse');
  await visitor.page.getByLabel('Email').fill('buyer@reader.example');
  await visitor.page.getByRole('button', { name: 'Save the cart and leave' }).click();
  await visitor.page.getByText('Your cart is saved').waitFor();
  await visitor.page.getByRole('link', { name: /Cart/ }).click();
  await visitor.page.getByRole('button', { name: 'Place the order' }).click();
  await visitor.page.getByText('Paid. A confirmation').waitFor();
  expect(await findAccessibilityViolations(visitor.page)).toEqual([]);
  await shoot(visitor.page, 'stores-demo-order');

  await expect
    .poll(async () => {
      const { counts } =
        (await call<{ counts: { orders: number } }[]>(page, product, 'GET', API))[0] ?? {};
      return counts?.orders;
    })
    .toBe(1);
  await visitor.page.getByRole('button', { name: 'Refund order' }).click();
  await visitor.page.getByText('Refunded to buyer@reader.example').waitFor();
  expect(visitor.pageErrors).toEqual([]);
  await visitor.page.context().close();

  await page.reload();
  await card.getByText('12', { exact: true }).waitFor();
  await shoot(page, 'stores-card');
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await checkLists(page);
  await testTools(page);
  await page.goto(product.address + PAGE);
  await card.getByRole('button', { name: 'Settings' }).click();
  await page.getByLabel('Minutes until a cart is abandoned').fill('90');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Store saved').waitFor();
  await card.getByRole('button', { name: 'Disconnect' }).click();
  await shoot(page, 'stores-disconnect');
  await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
  await page.getByText('No stores yet').waitFor();
  expect(pageErrors).toEqual([]);
  await page.context().close();
});

/** Checks the orders and products of the store, with search. */
async function checkLists(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Orders', exact: true }).click();
  const order = page.getByRole('row').filter({ hasText: 'buyer@reader.example' });
  await order.filter({ hasText: 'Sencha Spring' }).waitFor();
  // The store reports the refund in the background.
  await expect
    .poll(async () => {
      await page.reload();
      await order.waitFor();
      return order.getByText('Refunded').count();
    })
    .toBe(1);
  await shoot(page, 'stores-orders');
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await page.getByRole('link', { name: 'Products', exact: true }).click();
  const rows = page.getByRole('row').filter({ hasText: /€/ });
  await rows.nth(1).waitFor();
  await page.getByRole('searchbox').first().fill('sencha');
  await expect.poll(() => rows.count()).toBe(1);
  await rows.filter({ hasText: 'Sencha Spring' }).waitFor();
  await shoot(page, 'stores-products');
  expect(await findAccessibilityViolations(page)).toEqual([]);
}

/**
 * Checks that the menu opens the tour, and that the tool pages link to each other and back to the
 * tour.
 */
async function testTools(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Test tools' }).first().click();
  await page.getByRole('menuitem', { name: 'Take the tour' }).click();
  await page.waitForURL('**/test-tools');
  await page.getByRole('list', { name: 'Test tools' }).getByRole('listitem').nth(4).waitFor();
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await page.goto(`${product.address}/inbox`);
  for (const [tool, path] of TOOLS) {
    const links = page.getByRole('navigation', { name: 'Test tools' });
    await links.getByRole('link', { name: tool, exact: true }).click();
    await page.waitForURL(path);
    expect(await findAccessibilityViolations(page), tool).toEqual([]);
  }
}

const TOOLS = [
  ['Test phone', /\/phone$/],
  ['Test cards', /\/gateway$/],
  ['Demo shop', /\/shop/],
  ['Webhook inbox', /\/hook-box$/],
  ['Test inbox', /\/inbox$/],
  ['Take the tour', /\/test-tools$/],
] as const;

/**
 * The user agent of a real browser. Clicks of a headless browser are treated as automated and earn
 * no revenue.
 */
const READER = {
  userAgent:
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
};
const READER_EMAIL = 'returns@reader.example';
/** Makes the subscriber's row two hours older, instead of waiting. */
async function backdate(table: 'carts' | 'single_sends', email: string): Promise<void> {
  const client = new pg.Client({ connectionString: product.databaseUrl });
  const agedColumns = {
    // The cart has been abandoned for longer than the email's delay of an hour.
    carts: `update carts c set modified_at = c.modified_at - interval '2 hours' from subscribers s
      where s.account_id = c.account_id and s.id = c.subscriber_id and s.email = $1`,
    // The email was delivered long before the click, because a click at delivery is treated as
    // automated.
    single_sends: `update single_sends a set finished_at = a.finished_at - interval '2 hours'
      from subscribers s where a.account_id = s.account_id and a.subscriber_id = s.id and s.email = $1`,
  };
  await client.connect();
  try {
    expect((await client.query(agedColumns[table], [email])).rowCount).toBe(1);
  } finally {
    await client.end();
  }
}

async function linkMailed(email: string): Promise<string | undefined> {
  const inbox = `${product.address}/inbox/api/messages`;
  const { data } = (await (await fetch(`${inbox}?to=${encodeURIComponent(email)}`)).json()) as {
    data: { id: string }[];
  };
  const [newest] = data;
  if (!newest) return undefined;
  const source = await (await fetch(`${inbox}/${newest.id}`)).text();
  const text = source.replace(/=\r?\n/g, '').replaceAll('=3D', '=');
  return /http:\/\/localhost:\d+\/t\/c\/[\w-]+\/\d+/.exec(text)?.[0];
}

test('an abandoned cart is bought after an email, and its exact revenue is attributed to the workflow', async () => {
  const { page, pageErrors } = await newPage(browser);
  await signUp(page, product, 'carts@shop.example');
  await call(page, product, 'POST', `${API}/demo`);
  await call(page, product, 'PATCH', '/client-api/api/accounts', { title: 'Harbour Tea' });
  await call(page, product, 'PATCH', '/client-api/api/brand', {
    website: `${product.address}/shop`,
  });
  await call(page, product, 'PATCH', '/client-api/api/account_questionnaire', {
    ...{ address: '1 Shop Street', city: 'Galway', state: 'Galway', zip_code: 'H91 AX0K' },
    ...{ timezone: 'Europe/Dublin', country: 'IE' },
  });
  const workflows = '/client-api/api/workflows';
  const workflow = await call<{ id: string }>(
    page,
    product,
    'POST',
    '/client-api/api/workflow_recipes/cart',
    { title: 'Carts' },
  );
  await call(page, product, 'PATCH', `${workflows}/${workflow.id}/activate`);

  const { page: reader, pageErrors: readerErrors } = await newPage(browser, READER);
  await reader.goto(`${product.address}/shop`);
  await reader.getByRole('link', { name: /Sencha Spring/ }).click();
  await reader.getByRole('button', { name: 'Add to cart' }).click();
  await reader.getByLabel('First name').fill('Åse');
  await reader.getByLabel('Email').fill(READER_EMAIL);
  await reader.getByRole('checkbox').check();
  await reader.getByRole('button', { name: 'Save the cart and leave' }).click();
  await reader.getByText('Your cart is saved').waitFor();
  await backdate('carts', READER_EMAIL);
  let link: string | undefined;
  await expect
    .poll(async () => (link = await linkMailed(READER_EMAIL)), { timeout: 120_000, interval: 1000 })
    .toBeDefined();
  const report = () =>
    call<{ earned: unknown; figures: { sent: number } }>(
      page,
      product,
      'GET',
      `${workflows}/${workflow.id}/report`,
    );
  const pollOptions = { timeout: 180_000, interval: 1000 };
  await expect.poll(async () => (await report()).figures.sent, pollOptions).toBe(1);
  await backdate('single_sends', READER_EMAIL);

  await reader.goto(String(link));
  await reader.getByRole('link', { name: /Cart/ }).click();
  await reader.waitForURL(/\/cart$/);
  const total = await reader.getByRole('row').last().getByRole('columnheader').last().innerText();
  const email = reader.getByLabel('Email');
  if ((await email.inputValue()) === '') await email.fill(READER_EMAIL);
  await reader.getByRole('button', { name: 'Place the order' }).click();
  await reader.getByText('Paid. A confirmation').waitFor();

  const revenue = Number(total.replace(/[^\d.]/g, ''));
  expect(revenue).toBeGreaterThan(0);
  await expect
    .poll(async () => (await report()).earned, pollOptions)
    .toEqual([{ currency: 'EUR', orders: 1, revenue }]);

  const [person] = await call<{ id: string }[]>(
    page,
    product,
    'GET',
    '/client-api/api/subscribers?search=returns@',
  );
  const POOLS = '/client-api/api/coupon_pools';
  for (const [title, count] of [
    ['Spring thanks', 500],
    ['Left a cart', 0],
  ] as const) {
    const pool = await call<{ id: string }>(page, product, 'POST', POOLS, { title });
    const generate = `${POOLS}/${pool.id}/generate`;
    if (count > 0) await call(page, product, 'POST', generate, { count, prefix: 'SPRING-' });
  }
  const screens: [string, string][] = [
    [`/automation/${workflow.id}/report`, 'workflow-report'],
    ['/', 'dashboard'],
    [`/subscribers/${person?.id}/view`, 'person'],
    ['/settings/sales-attribution', 'attribution'],
    ['/settings/coupons', 'coupons'],
  ];
  const checkScreens = async (language: string) => {
    for (const [path, name] of screens) {
      await openScreen(page, path);
      expect(await findAccessibilityViolations(page), name).toEqual([]);
      expect(await isTooWide(page), name).toBe(false);
      await shoot(page, `stores-${name}-${language}`);
    }
  };
  await checkScreens('eng');
  await page.setViewportSize({ width: 390, height: 844 });
  const users = '/client-api/api/users';
  const { user } = await call<{ user: { id: string } }>(page, product, 'GET', users);
  await call(page, product, 'PATCH', `${users}/${user.id}`, { language: 'fas' });
  await page.reload();
  await checkScreens('fas');
  expect(readerErrors).toEqual([]);
  expect(pageErrors).toEqual([]);
});

test('connected stores work in Persian on a phone', async () => {
  const { page, pageErrors } = await newPage(browser, PERSIAN_PHONE);
  await signUp(page, product, 'foroushgah@shop.example');
  await call(page, product, 'POST', `${API}/demo`);
  await page.goto(product.address + PAGE);
  await page.getByRole('heading', { level: 1, name: stores.title }).waitFor();
  await page.getByText(stores.states.live, { exact: true }).waitFor();
  expect(await findAccessibilityViolations(page)).toEqual([]);
  expect(await isTooWide(page)).toBe(false);
  await shoot(page, 'stores-fas');
  expect(pageErrors).toEqual([]);
});

test('the tag on a store’s pages reports visitors, carts and consent', async () => {
  const site = await newPage(browser);
  const { page: owner } = await newPage(browser);
  await signUp(owner, product, 'tag@shop.example');
  const { token } = await call<{ token: string }>(
    owner,
    product,
    'POST',
    '/client-api/api/tokens',
    {
      title: 'Plugin',
      validity_days: null,
    },
  );
  const headers = { authorization: `Bearer ${token}` };
  const callApi = async (path: string, data?: object) => {
    const method = data ? 'POST' : 'GET';
    const options = { method, headers, ...(data ? { data } : {}) };
    return owner.request.fetch(product.address + path, options);
  };
  const store = await callApi('/v2/stores', { domain: shop, name: 'Tea', type: 'wordpress' });
  const store_id = ((await store.json()) as { data: { id: string } }).data.id;
  const { account } = (await (await callApi('/v2/users')).json()) as {
    account: { resource_key: string };
  };
  const payloads = {
    subscribeNewsletter: { newsletter: true, email: 'reader@tag.example', store_id },
    trackCart: {
      external_id: 'tag-cart',
      store_id,
      currency: 'EUR',
      order_total: 13.2,
      products: [{ product_id: 104, name: 'Sencha', price: 13.2, qty: 1 }],
    },
  };
  const calls = Object.entries(payloads).map(
    ([name, payload]) => `sender('${name}',${JSON.stringify(payload)});`,
  );
  pages.set('/', {
    html: renderShopPage(
      `<script>window.sender=function(){(sender.q=sender.q||[]).push(arguments)};sender('${account.resource_key}');sender('trackVisitors');${calls.join('')}</script><script async src="${product.address}/accounts_resources/universal.js"></script>`,
    ),
  });
  await site.page.goto(shop);
  const cart = async () => {
    const response = await callApi('/commerce/carts/tag-cart');
    return response.ok() ? ((await response.json()) as { data: object }).data : response.status();
  };
  await expect
    .poll(cart)
    .toMatchObject({ order_total: 13.2, products: [{ name: 'Sencha', qty: 1 }] });
  const findEmails = async () =>
    (await call<{ email: string }[]>(owner, product, 'GET', '/client-api/api/subscribers')).map(
      ({ email }) => email,
    );
  await expect.poll(findEmails).toContain('reader@tag.example');
  const cookies = await site.page.context().cookies(shop);
  expect(cookies.map(({ name }) => name)).toEqual(['sender_subscriber_id']);
  expect(site.pageErrors).toEqual([]);
});
