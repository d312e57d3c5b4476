// Measures screens in a real browser with the demo account: how they load over the network of a
// phone, and how they respond on a slow processor. The largest contentful paint of three screens
// with an empty cache is compared with an empty page of the same server in the same round. It also
// measures delays of clicks, typing and links, and the layout shift. npm run bench -- screens
// [--json] [--rounds 3]
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { openBrowser } from '#testing/setup/browser.ts';
import { type RunningProduct, startProduct } from '#testing/setup/product.ts';
import { median } from './kit/figures.ts';

const { values } = parseArgs({
  options: { json: { type: 'boolean', default: false }, rounds: { type: 'string', default: '3' } },
  allowPositionals: true,
});
const rounds = Number(values.rounds);

/** Fast 3G: 1.6 Mbit/s downstream, 750 kbit/s upstream, and a round trip of 150 ms. */
const NETWORK = {
  offline: false,
  latency: 150,
  downloadThroughput: (1.6 * 1024 * 1024) / 8,
  uploadThroughput: (750 * 1024) / 8,
};
const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true };
const DESK = { viewport: { width: 1280, height: 800 } };
const SLOWER = 4;

/** Maximum values in milliseconds; the shift has no unit. */
const MAX = {
  'dashboard, largest content': 1_500,
  'subscribers, largest content': 1_900,
  'editor, largest content': 3_000,
  'a select opens': 250,
  'a letter is shown': 150,
  'another screen is shown': 200,
  'dashboard, layout shift': 0.05,
};
type ScreenMetric = keyof typeof MAX;

const figures = new Map<string, number[]>();
const recordFigure = (name: string, value: number) =>
  figures.set(name, [...(figures.get(name) ?? []), value]);

/** Starts performance observers within the page. */
function observe(): void {
  const metrics = { largest: 0, shift: 0, longest: 0 };
  Object.assign(window, { seen: metrics });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) metrics.largest = entry.startTime;
  }).observe({ type: 'largest-contentful-paint', buffered: true });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { value, hadRecentInput } = entry as PerformanceEntry & Shift;
      if (!hadRecentInput) metrics.shift += value;
    }
  }).observe({ type: 'layout-shift', buffered: true });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries())
      metrics.longest = Math.max(metrics.longest, entry.duration);
  }).observe({ type: 'event', durationThreshold: 16, buffered: true } as PerformanceObserverInit);
}

type Shift = { value: number; hadRecentInput: boolean };
type LayoutMetrics = { largest: number; shift: number; longest: number };
const seenOf = (page: Page) =>
  page.evaluate(() => (window as unknown as { seen: LayoutMetrics }).seen);

const product = await startProduct();
const browser = await openBrowser();
try {
  const password = await fillDemo(product);
  const cookies = await signIn(browser, product, password);
  const draft = await templateDraft(browser, cookies);
  const paths = {
    'empty page': '/health',
    dashboard: '/',
    subscribers: '/subscribers',
    editor: `/campaigns/${draft}/editor`,
  };
  for (let round = 1; round <= rounds; round++) {
    for (const [name, path] of Object.entries(paths)) {
      const { largest, shift, requests, bytes } = await loadCold(cookies, path);
      recordFigure(`${name}, largest content`, largest);
      recordFigure(`${name}, requests`, requests);
      recordFigure(`${name}, kB`, bytes / 1000);
      if (name === 'dashboard') recordFigure('dashboard, layout shift', shift);
    }
    await measureResponses(cookies);
  }
  printReport();
} finally {
  await browser.close();
  await product.remove();
}

/** Creates the demo account while the product runs and returns the owner's password. */
function fillDemo({ dataDir }: RunningProduct): Promise<string> {
  const entry = join(import.meta.dirname, '..', 'main', 'demo.ts');
  const env = { ...process.env, DATA_DIR: dataDir, NODE_ENV: 'development' };
  const child = spawn(process.execPath, [entry], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (fraction) => {
    output += fraction;
  });
  return new Promise((settle, fail) => {
    child.once('exit', () => {
      const [, password] = /with the password (\S+)/.exec(output) ?? [];
      if (password) settle(password);
      else fail(new Error(`Could not create the demo account:\n${output}`));
    });
  });
}

type Cookies = Awaited<ReturnType<BrowserContext['cookies']>>;

async function signIn(
  browser: Browser,
  { address }: RunningProduct,
  password: string,
): Promise<Cookies> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(`${address}/auth`);
  await page.locator('input[type=email]').fill('owner@example.com');
  await page.locator('input[type=password]').fill(password);
  await page.locator('button[type=submit]').click();
  await page.waitForURL((url) => !url.pathname.startsWith('/auth'));
  const cookies = await context.cookies();
  await context.close();
  return cookies;
}

/** Creates a draft in the block editor from a template. */
async function templateDraft(browser: Browser, cookies: Cookies): Promise<string> {
  const context = await browser.newContext();
  await context.addCookies(cookies);
  const callApi = async <Data>(method: string, path: string, data?: object): Promise<Data> => {
    const response = await context.request.fetch(`${product.address}/client-api/api/${path}`, {
      method,
      headers: { 'x-sendloom': '1' },
      ...(data && { data }),
    });
    if (!response.ok()) throw new Error(await response.text());
    return ((await response.json()) as { data: Data }).data;
  };
  const templates = await callApi<{ id: string; purpose: string }[]>('GET', 'templates');
  const { id } = templates.find(({ purpose }) => purpose === 'newsletter') ?? { id: '' };
  const { document } = await callApi<{ document: object }>('GET', `templates/${id}`);
  const draftFields = { title: 'Spring', subject: 'Spring' };
  const draft = await callApi<{ id: string; revision: number }>('POST', 'campaigns', draftFields);
  const { revision } = draft;
  await callApi('PUT', `campaigns/${draft.id}/content`, { revision, editor: 'editor', document });
  await context.close();
  return draft.id;
}

/** Opens a page in a new profile with an empty cache. */
async function openPage(cookies: Cookies, options: object) {
  const context = await browser.newContext({ ...options, locale: 'en-GB' });
  await context.addCookies(cookies);
  const page = await context.newPage();
  await page.addInitScript(observe);
  const session = await context.newCDPSession(page);
  return { page, session, context };
}

async function loadCold(cookies: Cookies, path: string) {
  const { page, session, context } = await openPage(cookies, PHONE);
  let requests = 0;
  let bytes = 0;
  await session.send('Network.enable');
  session.on('Network.requestWillBeSent', () => requests++);
  session.on('Network.loadingFinished', (event) => (bytes += event.encodedDataLength));
  await session.send('Network.emulateNetworkConditions', NETWORK);
  await page.goto(product.address + path);
  await page.waitForTimeout(7_000);
  const { largest, shift } = await seenOf(page);
  await context.close();
  return { largest, shift, requests, bytes };
}

/** Measures responses of an idle page, with a processor at a quarter of its speed. */
async function measureResponses(cookies: Cookies): Promise<void> {
  const { page, session, context } = await openPage(cookies, DESK);
  await page.goto(`${product.address}/subscribers/segments/create`);
  await page.waitForTimeout(3_000);
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
  recordFigure(
    'a select opens',
    await longestResponseOf(page, () => page.getByRole('combobox').first().click()),
  );
  await page.keyboard.press('Escape');
  await page.goto(`${product.address}/subscribers`);
  await page.waitForTimeout(3_000);
  const search = page.locator('main input').first();
  await search.click();
  recordFigure(
    'a letter is shown',
    await longestResponseOf(page, () => page.keyboard.type('ada', { delay: 200 })),
  );
  await page.goto(`${product.address}/`);
  await page.waitForTimeout(3_000);
  for (const [link, title] of [
    ['/campaigns', 'Email campaigns'],
    ['/subscribers', 'Subscribers'],
    ['/', 'Dashboard'],
  ] as const) {
    await page.locator(`nav a[href="${link}"]`).first().hover();
    await page.waitForTimeout(500);
    recordFigure('another screen is shown', await timeTo(page, link, title));
    await page.waitForTimeout(1_500);
  }
  await context.close();
}

/** Returns the longest time from input to the next paint (Event Timing). */
async function longestResponseOf(page: Page, action: () => Promise<void>): Promise<number> {
  await page.evaluate(() => {
    (window as unknown as { seen: LayoutMetrics }).seen.longest = 0;
  });
  await action();
  await page.waitForTimeout(1_500);
  return (await seenOf(page)).longest;
}

/** Measures the time from the click on a link to the paint with the next screen's heading. */
async function timeTo(page: Page, link: string, title: string): Promise<number> {
  await page.evaluate((title) => {
    const presented = new Promise<number>((settle) => {
      addEventListener(
        'pointerdown',
        () => {
          const startedAt = performance.now();
          const checkHeading = () => {
            const heading = document.querySelector('main h1, h1');
            if (heading?.textContent?.includes(title)) {
              requestAnimationFrame(() => settle(performance.now() - startedAt));
            } else requestAnimationFrame(checkHeading);
          };
          checkHeading();
        },
        { capture: true, once: true },
      );
    });
    Object.assign(window, { shown: presented });
  }, title);
  await page.locator(`nav a[href="${link}"]`).first().click();
  return page.evaluate(() => (window as unknown as { shown: Promise<number> }).shown);
}

function printReport(): void {
  const medians = Object.fromEntries([...figures].map(([name, list]) => [name, median(list)]));
  const emptyPageMs = medians['empty page, largest content'] ?? 1;
  console.log('figure                          median   at most   each round');
  for (const [name, value] of Object.entries(medians)) {
    const limit = MAX[name as ScreenMetric];
    const digits = name.endsWith('shift') ? 3 : 0;
    const valueList = (figures.get(name) ?? []).map((value) => value.toFixed(digits)).join(', ');
    const isSlow = limit !== undefined && value > limit;
    if (isSlow) process.exitCode = 1;
    console.log(
      `${name.padEnd(30)} ${value.toFixed(digits).padStart(7)}  ${String(limit ?? '').padStart(8)}   ${valueList}${isSlow ? '   <' : ''}`,
    );
  }
  for (const screen of ['dashboard', 'subscribers', 'editor']) {
    const ratio = (medians[`${screen}, largest content`] ?? 0) / emptyPageMs;
    console.log(`${screen}: ${ratio.toFixed(1)} × an empty page of the same server`);
  }
  if (values.json) console.log(JSON.stringify({ bench: 'screens', ...medians }));
}
