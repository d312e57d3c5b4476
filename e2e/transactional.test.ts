// A transactional email is written in the block editor, set up, sent through the API, and shown in
// its report and heatmap. The screens of webhooks, suppressed addresses, custom events and segments
// are used as well.
import { spawn, spawnSync } from 'node:child_process';
import PostalMime from 'postal-mime';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { findAccessibilityViolations, newPage, waitUntilQuiet } from '#testing/setup/browser.ts';
import {
  call,
  isTooWide,
  openSharedProduct,
  PERSIAN_PHONE,
  shoot,
  signUp,
} from '#testing/setup/journeys.ts';

const { product, browser } = await openSharedProduct();
const API = '/client-api/api/transactional';
const AGENT = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/126.0.0.0';

async function checkScreen(page: Page, name: string): Promise<void> {
  await waitUntilQuiet(page);
  expect(await findAccessibilityViolations(page), name).toEqual([]);
  expect(await isTooWide(page), name).toBe(false);
  await shoot(page, `transactional-${name}`);
}

const api = (token: string, path: string, body: object) =>
  fetch(`${product.address}/v2${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

/** Returns the newest emails to an address in the built-in inbox. */
async function readEmailsTo(email: string) {
  const list = `${product.address}/inbox/api/messages`;
  const response = await fetch(`${list}?limit=20&to=${encodeURIComponent(email)}`, signal());
  const { data } = (await response.json()) as { data: { id: number }[] };
  return Promise.all(
    data.map(async ({ id }) =>
      PostalMime.parse(await (await fetch(`${list}/${id}`, signal())).text()),
    ),
  );
}

/** A hanging call fails after this time, before the whole test does. */
const MAX_WAIT_MS = 30_000;
const signal = () => ({ signal: AbortSignal.timeout(MAX_WAIT_MS) });

const hasPhp = spawnSync('php', ['-m']).stdout?.includes('curl') ?? false;

/** Runs the shown code with the token in the environment. @returns the exit code */
function paste(method: string, code: string, token: string): Promise<number | null> {
  const [command, args] =
    method === 'curl'
      ? ['bash', ['-c', code]]
      : method === 'python'
        ? ['python3', ['-c', code]]
        : method === 'php'
          ? ['php', ['-r', code.replace(/^<\?php\s/, '')]]
          : [process.execPath, ['--input-type=module', '-e', code]];
  const run = spawn(command as string, args as string[], {
    env: { ...process.env, SENDLOOM_TOKEN: token },
    stdio: 'ignore',
    timeout: MAX_WAIT_MS,
  });
  return new Promise((resolve) => run.on('close', resolve));
}

test('an owner writes a template, sends it with the displayed calls, reads its report, and uses webhooks, suppressions and events', async () => {
  const { page, pageErrors } = await newPage(browser);
  const owner = 'owner@receipts.example';
  await signUp(page, product, owner);
  await page.goto(`${product.address}/transactional`);
  await page.getByText('Send receipts, codes and notices').waitFor();
  await checkScreen(page, 'empty');
  await page.getByRole('link', { name: 'New transactional email' }).first().click();
  await page.getByRole('heading', { name: 'New transactional email' }).waitFor();
  await page.locator('iframe[title="Receipt"]').waitFor({ state: 'attached' });
  await checkScreen(page, 'choice');
  await page.getByRole('button', { name: 'Start blank' }).click();
  await page.waitForURL(/\/editor/);
  const id = /transactional\/([^/]+)\//.exec(page.url())?.[1] ?? '';
  await page.getByRole('button', { name: 'Done', exact: true }).waitFor();
  await checkScreen(page, 'editor');
  // A transactional email has no unsubscribe link.
  expect(await page.getByText('Unsubscribe', { exact: true }).count()).toBe(0);
  await page.getByRole('button', { name: 'Done', exact: true }).click();
  await page.waitForURL(/\/overview/);
  await page.getByRole('link', { name: 'Set subject and sender' }).click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Receipt');
  await page.getByLabel('Subject').fill('Your order {{ number | default: "1" }}');
  await checkScreen(page, 'settings');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.waitForURL(/\/overview/);
  await page.getByRole('tab', { name: 'curl' }).waitFor();
  await checkScreen(page, 'overview');

  // The calls contain the email's own ID, and work as shown.
  const { token } = await call<{ token: string }>(page, product, 'POST', '/client-api/api/tokens', {
    title: 'Shop',
    validity_days: null,
  });
  const setup = `${API}/${id}/setup`;
  const snippets = await call<{ way: string; code: string }[]>(page, product, 'GET', setup);
  for (const { way: method, code } of snippets) {
    // SMTP has a separate test, and PHP is not installed on every machine.
    if (method === 'smtp' || (method === 'php' && !hasPhp)) continue;
    expect(code).toContain(id);
    expect(await paste(method, code, token), method).toBe(0);
  }

  // The built-in receiver gets the deliveries of a webhook.
  await page.goto(`${product.address}/settings/webhooks`);
  await page.getByText('No webhooks yet').waitFor();
  await checkScreen(page, 'webhooks-empty');
  await page.getByRole('button', { name: 'Add webhook' }).first().click();
  await page.getByLabel('Address').fill(`${product.address}/hook-box/in`);
  await checkScreen(page, 'webhooks-create');
  await page.getByRole('dialog').getByRole('button', { name: 'Add webhook' }).click();
  await page.getByRole('link', { name: 'New subscriber' }).waitFor();
  await checkScreen(page, 'webhooks');
  await page.getByRole('link', { name: 'New subscriber' }).click();
  await page.getByRole('button', { name: 'Send a test' }).click();
  const subscriber = await api(token, '/subscribers', {
    email: 'buyer@home.example',
    firstname: 'Ada',
  });
  expect(subscriber.status).toBe(200);
  await expect.poll(() => page.getByText('Delivered').count(), { timeout: 20_000 }).toBe(3);
  await checkScreen(page, 'webhook');
  const hooks = await fetch(`${product.address}/hook-box/api/deliveries`, signal());
  const { data: boxed } = (await hooks.json()) as { data: { signature: string; body: string }[] };
  expect(boxed.map(({ signature }) => signature)).toEqual(['valid', 'valid']);
  expect(boxed.some(({ body }) => JSON.parse(body).email === 'buyer@home.example')).toBe(true);
  await page.getByRole('row').nth(1).click();
  await page.getByText('Request', { exact: true }).first().waitFor();
  await checkScreen(page, 'webhook-attempts');

  // The email is sent, and its link is clicked.
  const sendResponse = await api(token, `/message/${id}/send`, {
    to: { email: 'buyer@home.example' },
    html: '<p>Thank you. <a href="https://shop.example/orders">Your order</a></p>',
  });
  expect(sendResponse.status).toBe(200);
  await expect.poll(async () => (await readEmailsTo('buyer@home.example')).length).toBe(1);
  const [email] = await readEmailsTo('buyer@home.example');
  const link = /href="([^"]*\/[^"]+)"/.exec(email?.html ?? '')?.[1]?.replaceAll('&amp;', '&') ?? '';
  await fetch(link, {
    redirect: 'manual',
    headers: { 'user-agent': AGENT },
    ...signal(),
  });
  const clicks = async () => {
    const heat = `${API}/${id}/heatmap`;
    type LinkReport = { links: { human_clicks: number }[] };
    return (await call<LinkReport>(page, product, 'GET', heat)).links[0]?.human_clicks;
  };
  await expect.poll(clicks, { timeout: 30_000 }).toBe(1);
  await page.goto(`${product.address}/transactional/${id}/report/activity`);
  await page.getByRole('button', { name: 'buyer@home.example' }).click();
  await page.getByRole('dialog').getByText('Accepted by the mail server').waitFor();
  await checkScreen(page, 'sent-email');
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  await checkScreen(page, 'activity');
  await page.goto(`${product.address}/transactional/${id}/report/heatmap`);
  await page.locator('iframe, table').first().waitFor();
  await checkScreen(page, 'heatmap');
  await page.goto(`${product.address}/transactional/${id}/edit`);
  await page.getByRole('button', { name: 'Save' }).waitFor();
  await checkScreen(page, 'edit');
  await page.goto(`${product.address}/transactional/suppression-list`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await checkScreen(page, 'suppression');

  // Suppressed addresses are entered and uploaded, found by the full address, and removed.
  await page.getByRole('button', { name: 'Add addresses' }).click();
  await page.getByRole('textbox', { name: 'Addresses' }).fill('left@home.example\nnobody');
  await checkScreen(page, 'suppression-add');
  await page.getByRole('button', { name: 'Add to the list' }).click();
  await page.getByText('1 line is not an address').waitFor();
  await checkScreen(page, 'suppression-added');
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click();
  await page.getByRole('button', { name: 'Add addresses' }).click();
  await page.locator('input[type=file]').setInputFiles({
    name: 'gone.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from('Email,Name\ngone@home.example,Gone\n'),
  });
  await page.getByRole('button', { name: 'Add to the list' }).click();
  await page.getByText('1 address was added to the list.').waitFor();
  await page.getByPlaceholder('Find a complete address').fill('gone@home.example');
  await page.getByRole('row').nth(1).getByRole('button').click();
  await page.getByRole('menuitem', { name: 'Allow again' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Allow again' }).click();
  await page.getByText('The address is allowed again.').waitFor();

  // Custom events of a subscriber are added.
  for (const price of [4.5, 12])
    await api(token, '/events', {
      subscriber: { email: 'buyer@home.example' },
      type: 'product_viewed',
      value: price,
      value_currency: 'EUR',
      properties: { title: 'Green tea' },
    });
  await page.goto(`${product.address}/subscribers/events`);
  await page.getByRole('link', { name: 'product_viewed' }).waitFor();
  await checkScreen(page, 'events');
  await page.getByRole('link', { name: 'product_viewed' }).click();
  await page.getByText('buyer@home.example').first().waitFor();
  await checkScreen(page, 'event');

  // A segment uses the event.
  await page.goto(`${product.address}/subscribers/segments/create`);
  const typeField = page.getByRole('combobox', { name: 'Condition type' });
  await typeField.fill('product_viewed');
  await page.getByRole('option', { name: 'Event product_viewed', exact: true }).click();
  await page.getByText('1 subscriber', { exact: true }).waitFor();
  await checkScreen(page, 'segment');
  expect(pageErrors).toEqual([]);

  // The screens are also shown on a phone in Persian in the dark theme.
  const phone = await newPage(browser, { ...PERSIAN_PHONE, colorScheme: 'dark' });
  await phone.page.context().addCookies(await page.context().cookies());
  const users = '/client-api/api/users';
  const { user } = await call<{ user: { id: string } }>(page, product, 'GET', users);
  await call(page, product, 'PATCH', `${users}/${user.id}`, { language: 'fas' });
  for (const [path, name] of [
    ['/transactional/transactional-emails', 'list'],
    [`/transactional/${id}/overview`, 'overview'],
    [`/transactional/${id}/report/activity`, 'activity'],
    [`/transactional/${id}/report/heatmap`, 'heatmap'],
    ['/transactional/smtp', 'smtp'],
    ['/transactional/suppression-list', 'suppression'],
    ['/settings/webhooks', 'webhooks'],
    ['/subscribers/events', 'events'],
  ] as const) {
    await phone.page.goto(product.address + path);
    await phone.page.getByRole('heading', { level: 1 }).waitFor();
    await checkScreen(phone.page, `phone-${name}`);
  }
  expect(phone.pageErrors).toEqual([]);
});

test('a template becomes an email in six clicks, and the displayed call succeeds', async () => {
  const { page, pageErrors } = await newPage(browser);
  const owner = 'owner@six-clicks.example';
  await signUp(page, product, owner);
  await page.goto(`${product.address}/transactional/transactional-emails`);
  let clicks = 0;
  const click = async (role: 'link' | 'button', name: string | RegExp) => {
    await page.getByRole(role, { name }).first().click();
    clicks += 1;
  };
  await click('link', 'New transactional email');
  await click('button', /^Receipt/);
  await click('button', 'Use this template');
  await page.waitForURL(/\/editor/);
  await click('button', 'Done');
  await page.waitForURL(/\/overview/);
  await page.getByLabel('Sample value of total').waitFor();
  await click('button', 'Create a token and insert it');
  await page.getByText('The code for the API contains a new token').waitFor();
  const code = await page.getByRole('tabpanel').locator('pre').innerText();
  await click('button', 'Copy');
  expect(clicks).toBeLessThanOrEqual(6);
  await checkScreen(page, 'six-clicks');

  expect(await paste('curl', code, '')).toBe(0);
  await expect
    .poll(async () => (await readEmailsTo(owner)).map(({ subject }) => subject), {
      timeout: 20_000,
    })
    .toContain('Your receipt for order 10482');
  const mail = (await readEmailsTo(owner)).find(({ subject }) => subject?.includes('10482'));
  expect(mail?.html).toContain('Stoneware mug');
  expect(mail?.html).toContain('€66.00');
  expect(pageErrors).toEqual([]);
});
