// A real browser for the journeys: the system's Chromium if there is one, else the one from npm. Each page
// keeps what went wrong in it, so that a journey can say at its end that nothing did.
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const SYSTEM = [
  process.env.CHROMIUM_PATH ?? '',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

export async function openBrowser(): Promise<Browser> {
  // Chromium leaves folders behind in what it takes for the temporary one.
  const folder = mkdtempSync(join(tmpdir(), 'sendloom-browser-'));
  const remove = () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  try {
    const browser = await launch({ ...process.env, TMPDIR: folder });
    browser.on('disconnected', remove);
    return browser;
  } catch (error) {
    remove();
    throw error;
  }
}

async function launch(env: NodeJS.ProcessEnv): Promise<Browser> {
  const system = SYSTEM.find((path) => path !== '' && existsSync(path));
  if (system) {
    const args = ['--no-sandbox', '--disable-gpu'];
    return chromium.launch({ executablePath: system, args, env });
  }
  const { default: packed } = await import('@sparticuz/chromium');
  const executablePath = await inOwnFolder(() => packed.executablePath());
  return chromium.launch({ executablePath, args: packed.args, env });
}

/** It unpacks itself into the temporary folder under one name, where another user may have been. */
async function inOwnFolder<T>(unpack: () => Promise<T>): Promise<T> {
  const before = process.env.TMPDIR;
  process.env.TMPDIR = join(tmpdir(), `sendloom-chromium-${process.getuid?.() ?? 0}`);
  mkdirSync(process.env.TMPDIR, { recursive: true });
  try {
    return await unpack();
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
}

export interface WatchedPage {
  page: Page;
  /** Console errors, uncaught errors and answers of 500 and above. */
  wrong: string[];
}

/** A page of a fresh profile. An answer of 401 or 422 is a part of life, not an error here. */
export async function newPage(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    locale: 'en-GB',
    ...options,
  });
  const page = await context.newPage();
  const wrong: string[] = [];
  page.on('pageerror', (error) => wrong.push(`uncaught: ${error.message}`));
  page.on('console', (message) => {
    const isAnswer = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isAnswer) wrong.push(`console: ${message.text()}`);
  });
  page.on('response', (response) => {
    if (response.status() >= 500) wrong.push(`${response.status()} ${response.url()}`);
  });
  return { page, wrong };
}

/** What axe finds wrong for people who see, hear or point in another way. */
export async function accessFaults(page: Page): Promise<string[]> {
  await settle(page);
  // Legacy mode stays out of frames: a mail's preview is sandboxed and would complain of the script.
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} ${target.join(' ')} ${failureSummary ?? ''}`),
  );
}

/** The same in the light and in the dark, each fault with its theme; the page stays light. */
export async function accessFaultsInBothThemes(page: Page): Promise<string[]> {
  const faults: string[] = [];
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    faults.push(...(await accessFaults(page)).map((fault) => `${colorScheme}: ${fault}`));
  }
  return faults;
}

/** Colours in the middle of a fade are nobody's colours. */
async function settle(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const isEndless = (animation: Animation) =>
      animation.effect?.getComputedTiming().iterations === Number.POSITIVE_INFINITY;
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    for (;;) {
      // What has just been changed (the theme, too) begins to fade with the next frames.
      await frame();
      await frame();
      const ending = document.getAnimations().filter((animation) => !isEndless(animation));
      if (ending.length === 0) return;
      await Promise.allSettled(ending.map((animation) => animation.finished));
    }
  });
}
