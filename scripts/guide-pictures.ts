// `npm run guide-pictures`: draws the pictures of docs/guide from the demo account at a fixed time.
// With names as arguments it draws only these pictures. A file is rewritten only if its picture
// looks different.
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import sharp from 'sharp';
import { newPage, openBrowser, waitUntilQuiet } from '#testing/setup/browser.ts';
import { MOVABLE, setClock } from '#testing/setup/moved-clock.ts';
import { type RunningProduct, startProduct } from '#testing/setup/product.ts';

const ROOT = join(import.meta.dirname, '..');
const FOLDER = join(ROOT, 'docs', 'guide', 'pictures');
/** A Monday morning in Dublin, the location of the demo shop. */
const NOW = new Date('2026-10-05T09:00:00Z');
const MAX_BYTES = 60_000;
const QUALITIES = [82, 70, 55, 40];
/** The share of pixels that may differ between pictures treated as equal. */
const MAX_DIFFERENT_SHARE = 0.0001;
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const API = '/client-api/api';
const HEADERS = { 'x-sendloom': '1' };
/** A visitor from another machine, who does not see the test tools. */
const VISITOR = { 'x-forwarded-for': '203.0.113.7' };

/**
 * The mail server is never called, but without one every picture would show the banner of the test
 * mode. The port appears in previews of links.
 */
const ENV = {
  ...MOVABLE,
  PORT: '28765',
  BILLING: 'off',
  SMTP_URL: 'smtp://127.0.0.1:9',
  SIGN_UP: 'open',
  TRUST_PROXY: '1',
};

interface GuidePicture {
  name: string;
  /**
   * The path of the screen; `{campaigns?status=DRAFT}` is replaced by the ID of the first object in
   * that list.
   */
  path?: string;
  options?: BrowserContextOptions;
  /** Whether the picture shows an account without the demo data. */
  isNewOwner?: boolean;
  /** Creates data that the screen needs and returns the screen's path. */
  prepare?: (page: Page, product: RunningProduct) => Promise<string>;
  interact?: (page: Page) => Promise<void>;
}

const GUIDE_PICTURES: GuidePicture[] = [
  { name: 'dashboard', path: '/' },
  { name: 'getting-started', path: '/complete-registration', isNewOwner: true },
  { name: 'import-preview', path: '/subscribers/import/text', interact: previewImport },
  { name: 'subscribers', path: '/subscribers' },
  { name: 'segment', path: '/subscribers/segments/{filters}' },
  { name: 'campaigns', path: '/campaigns' },
  { name: 'review', path: '/campaigns/{campaigns?status=DRAFT}/confirm' },
  { name: 'calendar', path: '/calendar' },
  { name: 'form-builder', path: '/forms/builder/{forms}', interact: skipTour },
  { name: 'workflow', path: '/automation/builder/{workflows}' },
  { name: 'workflow-report', path: '/automation/{workflows}/report' },
  { name: 'sms', path: '/sms/{sms/campaign?status=DRAFT}/edit' },
  { name: 'stores', path: '/settings/connected-stores' },
  { name: 'report', path: '/campaigns/{campaigns?status=SENT}/report/overview' },
  {
    name: 'report-phone',
    path: '/campaigns/{campaigns?status=SENT}/report/overview',
    options: PHONE,
  },
  // This picture must be the last because it adds a campaign to the lists.
  { name: 'editor', prepare: draftOfTemplate },
];

async function skipTour(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Skip' }).click();
}

async function draftOfTemplate(page: Page, { address }: RunningProduct): Promise<string> {
  const templateResponse = await page.request.get(`${address}${API}/templates/sale`);
  const { data: template } = (await templateResponse.json()) as { data: { document: object } };
  const { id, revision } = await post<{ id: string; revision: number }>(
    page,
    `${address}${API}/campaigns`,
    { title: 'Autumn sale', subject: 'Autumn sale' },
  );
  const response = await page.request.put(`${address}${API}/campaigns/${id}/content`, {
    headers: HEADERS,
    data: { revision, editor: 'editor', document: template.document },
  });
  if (!response.ok()) throw new Error(await response.text());
  return `/campaigns/${id}/editor`;
}

async function previewImport(page: Page): Promise<void> {
  const subscribers = [
    ['ada.byrne@post.example', 'Ada', 'Byrne', 'Galway'],
    ['new.reader@letters.example', 'Noah', 'Lind', 'Cork'],
    ['ieva.ozola@mailbox.example', 'Ieva', 'Ozola', 'Limerick'],
    ['info@inbox.example', '', '', 'Galway'],
    ['not an address', 'Finn', 'Daly', 'Sligo'],
  ];
  const rows = [['Email', 'First name', 'Last name', 'City'], ...subscribers];
  await page
    .getByLabel('Subscribers', { exact: true })
    .fill(rows.map((row) => row.join('\t')).join('\n'));
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByLabel('These people agreed to receive emails from me').check();
  await page.getByRole('button', { name: 'Preview changes' }).click();
  await page.getByRole('heading', { name: 'What will change' }).waitFor();
  await page.getByText('Rows that would not be imported').waitFor();
  await page.getByRole('heading', { name: 'What will change' }).scrollIntoViewIfNeeded();
}

async function drawAll(names: readonly string[]): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  const product = await startProduct(ENV);
  const browser = await openBrowser();
  const failures: string[] = [];
  try {
    setClock(product, NOW);
    const owner = await fillDemo(product);
    for (const picture of GUIDE_PICTURES) {
      if (names.length > 0 && !names.includes(picture.name)) continue;
      await draw(product, browser, owner, picture).catch((error: unknown) => {
        failures.push(picture.name);
        console.error(`✗ ${picture.name}: ${String(error)}`);
      });
    }
  } finally {
    await browser.close();
    await product.remove();
  }
  if (failures.length > 0) throw new Error(`Not drawn: ${failures.join(', ')}`);
}

type GuideOwner = { email: string; password: string };

/** Runs `npm run demo` on the product's data; returns the credentials that it prints. */
async function fillDemo({ dataDir, address }: RunningProduct): Promise<GuideOwner> {
  const { stdout } = await promisify(execFile)(process.execPath, ['main/demo.ts'], {
    cwd: ROOT,
    env: {
      ...process.env,
      ...ENV,
      NODE_ENV: 'development',
      DATA_DIR: dataDir,
      PUBLIC_URL: address,
    },
  });
  const [, email = '', password = ''] = /as (\S+) with the password (\S+)/.exec(stdout) ?? [];
  if (!password) throw new Error(`The demo account is not ready: ${stdout}`);
  return { email, password };
}

async function draw(
  product: RunningProduct,
  browser: Browser,
  owner: GuideOwner,
  { name, path = '', options = {}, isNewOwner = false, prepare, interact }: GuidePicture,
): Promise<void> {
  const { page } = await newPage(browser, {
    timezoneId: 'Europe/Dublin',
    extraHTTPHeaders: VISITOR,
    ...options,
  });
  try {
    setClock(product, NOW);
    await page.clock.setFixedTime(NOW);
    const action = isNewOwner ? 'sign-up' : 'sign-in';
    const credentials = isNewOwner ? { ...owner, email: `${name}@shop.example` } : owner;
    await post(page, `${product.address}/auth/api/${action}`, credentials);
    const screenPath = await (prepare ?? filledPath)(page, product, path);
    await page.goto(product.address + screenPath);
    await page.locator('h1').first().waitFor();
    await waitUntilQuiet(page);
    await interact?.(page);
    await waitUntilQuiet(page);
    // Charts are drawn, and slow counts arrive, after the network is idle.
    await page.locator('.mantine-Skeleton-root:visible').first().waitFor({ state: 'hidden' });
    await page.waitForTimeout(1500);
    await store(name, await page.screenshot());
  } finally {
    await page.context().close();
  }
}

async function post<Data>(page: Page, url: string, data: object): Promise<Data> {
  const response = await page.request.post(url, { headers: HEADERS, data });
  if (!response.ok()) throw new Error(`${url}: ${await response.text()}`);
  return ((await response.json()) as { data: Data }).data;
}

/** Replaces the path's placeholder with the ID of the first object in the list named by it. */
async function filledPath(page: Page, { address }: RunningProduct, path: string): Promise<string> {
  const [placeholder, list] = /\{([^}]+)\}/.exec(path) ?? [];
  if (!placeholder || !list) return path;
  const response = await page.request.get(`${address}${API}/${list}`);
  const { data } = (await response.json()) as { data: { id: string }[] };
  const [first] = data;
  if (!first) throw new Error(`${list} is empty`);
  return path.replace(placeholder, first.id);
}

/** Writes the picture in the best quality within the limit, unless it looks the same as before. */
async function store(name: string, screenshot: Buffer): Promise<void> {
  const file = join(FOLDER, `${name}.webp`);
  if (existsSync(file) && (await looksSame(readFileSync(file), screenshot))) {
    console.log(`= ${name}`);
    return;
  }
  for (const quality of QUALITIES) {
    const bytes = await sharp(screenshot).webp({ quality, effort: 6 }).toBuffer();
    if (bytes.length > MAX_BYTES) continue;
    writeFileSync(file, bytes);
    console.log(`✓ ${name}: ${Math.round(bytes.length / 1000)} kB, quality ${quality}`);
    return;
  }
  throw new Error(`${name} is larger than ${MAX_BYTES} bytes in every quality`);
}

/** Compares the pixels; compression alone causes smaller differences. */
async function looksSame(previousImage: Buffer, currentImage: Buffer): Promise<boolean> {
  const raw = (image: Buffer) =>
    sharp(image).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const [oldImage, newImage] = await Promise.all([raw(previousImage), raw(currentImage)]);
  if (oldImage.info.width !== newImage.info.width || oldImage.info.height !== newImage.info.height)
    return false;
  let different = 0;
  for (let index = 0; index < oldImage.data.length; index += 3) {
    if (Math.abs((oldImage.data[index] ?? 0) - (newImage.data[index] ?? 0)) > 64) different++;
  }
  return different / (oldImage.data.length / 3) < MAX_DIFFERENT_SHARE;
}

await drawAll(process.argv.slice(2));
