// Shared helpers of e2e tests: product and browser, signing in, API calls, emails, a phone in
// Persian, and keyboard navigation.
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeEach, expect, inject } from 'vitest';
import type { EmailDocument } from '#areas/content/document.ts';
import { NO_OPTIMIZATION, openBrowser, waitUntilQuiet } from './browser.ts';
import { createTestDatabase } from './database.ts';
import { type RunningProduct, startProduct } from './product.ts';
import { deleteSignUps, type SharedProduct } from './shared-product.ts';

export const PASSWORD = 'a tall glass of cold water';

type ProductAddress = Pick<RunningProduct, 'address'>;

export const PERSIAN_PHONE: BrowserContextOptions = {
  locale: 'fa-IR',
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
};

/**
 * Returns the shared product, which already runs, and starts a browser for the tests of one file.
 * The browser is closed after the last test.
 */
export async function openSharedProduct(): Promise<{ product: SharedProduct; browser: Browser }> {
  const product = inject('sharedProduct');
  const [browser] = await Promise.all([openBrowser(NO_OPTIMIZATION), deleteSignUps(product)]);
  beforeEach(() => deleteSignUps(product));
  afterAll(() => browser.close());
  return { product, browser };
}

/**
 * Starts a separate product and a browser, for tests that need a separate `env`. The product stores
 * its data on the run's database server, which saves seconds of startup.
 */
export async function openOwnProduct(
  env: NodeJS.ProcessEnv,
): Promise<{ product: RunningProduct; browser: Browser }> {
  const DATABASE_URL = await createTestDatabase();
  return closeAtEnd(startProduct({ ...env, DATABASE_URL }));
}

/**
 * Starts a complete product as users start it, including its own database server, and a browser.
 */
export function openWholeProduct(): Promise<{ product: RunningProduct; browser: Browser }> {
  return closeAtEnd(startProduct());
}

async function closeAtEnd(
  productStart: Promise<RunningProduct>,
): Promise<{ product: RunningProduct; browser: Browser }> {
  const [product, browser] = await Promise.all([productStart, openBrowser(NO_OPTIMIZATION)]);
  afterAll(async () => {
    await browser.close();
    await product.remove();
  });
  return { product, browser };
}

/** Saves a screenshot in the folder that PICTURES names, if it is set. */
export async function shoot(page: Page, name: string): Promise<void> {
  const folder = process.env.PICTURES;
  if (folder) await page.screenshot({ path: join(folder, `${name}.png`) });
}

/** Opens a screen as a link does, without loading a new document. Returns once the page is idle. */
export async function openScreen(page: Page, path: string): Promise<void> {
  await page.evaluate((to) => {
    const isOther = new URL(to, location.href).pathname !== location.pathname;
    if (isOther) document.querySelector('h1')?.setAttribute('data-left', '');
    history.pushState(null, '', to);
  }, path);
  await page.locator('h1:not([data-left])').waitFor();
  await waitUntilQuiet(page);
}

/** Signs up a new owner, in the page's language. */
export async function signUp(
  page: Page,
  { address }: ProductAddress,
  email: string,
): Promise<void> {
  await page.goto(`${address}/auth/sign-up`);
  await page.locator('input[type=email]').fill(email);
  await page.locator('input[type=password]').fill(PASSWORD);
  await page.locator('button[type=submit]').click();
  await page.waitForURL((url) => !url.pathname.startsWith('/auth'));
}

/** Signs up a new owner through the API, for tests of other screens; no page is loaded. */
export async function newOwner(
  page: Page,
  product: ProductAddress,
  email: string,
  language = 'eng',
): Promise<void> {
  const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const body = { email, password: PASSWORD, language, timezone };
  await call(page, product, 'POST', '/auth/api/sign-up', body);
}

/** Signs in or up with the page's form, in English. */
export async function signIn(
  page: Page,
  email: string,
  button: 'Create account' | 'Sign in',
): Promise<void> {
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: button, exact: true }).click();
  await page.getByRole('button', { name: email }).waitFor();
}

/** Makes an API call with the page's session; returns the response's `data`. */
export async function call<Data>(
  page: Page,
  product: ProductAddress,
  method: 'GET' | 'POST' | 'PUT' | 'PATCH',
  path: string,
  data?: object,
): Promise<Data> {
  const response = await page.request.fetch(product.address + path, {
    method,
    headers: { 'x-sendloom': '1' },
    ...(data ? { data } : {}),
  });
  // The body is read first, so that the error includes the reasons of a refusal.
  const body = await response.text();
  expect(response.status(), `${method} ${path}: ${body.slice(0, 1000)}`).toBeLessThan(300);
  return (JSON.parse(body) as { data: Data }).data;
}

/** Creates a draft with this document by API calls. */
export async function createDraft(
  page: Page,
  product: ProductAddress,
  document: EmailDocument,
): Promise<string> {
  const campaigns = '/client-api/api/campaigns';
  const campaign = { title: 'Tea', subject: 'Tea', from_email: 'letters@forushgah.example' };
  const { id, revision } = await call<{ id: string; revision: number }>(
    page,
    product,
    'POST',
    campaigns,
    campaign,
  );
  const content = { revision, editor: 'editor', document };
  await call(page, product, 'PUT', `${campaigns}/${id}/content`, content);
  return id;
}

/** Waits for an email with a link to this screen; returns the link of the newest such email. */
export async function findLinkMailedTo(
  product: ProductAddress,
  email: string,
  screen: string,
): Promise<string> {
  const emailsUrl = `${product.address}/inbox/api/messages`;
  const link = new RegExp(`https?://\\S+/${screen}\\?token=[\\w.-]+`);
  const find = async (): Promise<string | undefined> => {
    const list = await fetch(`${emailsUrl}?limit=20&to=${encodeURIComponent(email)}`);
    const { data } = (await list.json()) as { data: { id: number }[] };
    for (const { id } of data) {
      const { text } = await PostalMime.parse(await (await fetch(`${emailsUrl}/${id}`)).text());
      const [foundLink] = link.exec(text ?? '') ?? [];
      if (foundLink) return foundLink;
    }
    return undefined;
  };
  let found: string | undefined;
  await expect
    .poll(async () => (found = await find()), { timeout: 60_000, interval: 200 })
    .toBeDefined();
  return found ?? '';
}

export function isTooWide(page: Page): Promise<boolean> {
  return page.evaluate(
    () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
  );
}

type AriaRole = 'button' | 'link' | 'textbox' | 'combobox' | 'tab' | 'switch';
const MAX_PRESSES = 120;

/** Presses Tab until the element with this name has the focus. */
export async function tabTo(page: Page, role: AriaRole, name: string): Promise<void> {
  const target = page.getByRole(role, { name, exact: true }).first();
  await target.waitFor();
  let element = await target.elementHandle();
  for (let presses = 0; presses < MAX_PRESSES; presses++) {
    const position = await element?.evaluate((focusTarget) => {
      if (focusTarget === document.activeElement) return 'focused';
      return focusTarget.isConnected ? 'elsewhere' : 'gone';
    });
    if (position === 'focused') return;
    // Looking the element up again takes longer than many key presses, so it is done only after a
    // rerender.
    if (position === 'gone') element = await target.elementHandle();
    else await page.keyboard.press('Tab');
  }
  throw new Error(`${name} cannot be reached with Tab`);
}

export async function pressButton(
  page: Page,
  role: 'button' | 'link',
  name: string,
): Promise<void> {
  await tabTo(page, role, name);
  await page.keyboard.press('Enter');
}

export async function typeInto(page: Page, name: string, text: string): Promise<void> {
  await tabTo(page, 'textbox', name);
  await page.keyboard.press('Control+a');
  await page.keyboard.type(text);
}
