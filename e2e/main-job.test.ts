// The main job of a new owner: importing a file, writing a campaign, sending it, and watching
// opens, clicks and unsubscribes. Every email is personal, no subscriber gets two emails, and the
// report is correct.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import {
  findAccessibilityViolations,
  findAccessibilityViolationsInBothThemes,
  MOVING,
  newPage,
  waitUntilQuiet,
} from '#testing/setup/browser.ts';
import { call, isTooWide, openSharedProduct, shoot, signUp } from '#testing/setup/journeys.ts';

// PEOPLE=100000 is for manual runs.
const SUBSCRIBERS = Number(process.env.PEOPLE ?? 250);

const { product, browser } = await openSharedProduct();

type InboxEmail = { id: string; to: string; subject: string };
type OverviewResponse = { figures: Record<string, { count: number }> };

const addressOf = (n: number) => `person${n}@people.example`;

/** Writes a typical office file with semicolons, a byte order mark, quotes and two invalid rows. */
async function contactsFile(): Promise<string> {
  const rows = Array.from(
    { length: SUBSCRIBERS },
    (_, n) => `"${addressOf(n)}";"Name ${n}";"Šimkus; ${n}";${n % 7}`,
  );
  const text = [
    'E-mail;First name;Last name;Cups a week',
    ...rows,
    'not an address;X;Y;1',
    `${addressOf(0)};Again;Y;1`,
  ];
  const file = join(product.dataDir, 'contacts.csv');
  await writeFile(file, `\uFEFF${text.join('\r\n')}\r\n`);
  return file;
}

const inboxUrl = (subject: string, limit: number, offset: number) =>
  `${product.address}/inbox/api/messages?limit=${limit}&offset=${offset}&subject=${encodeURIComponent(subject)}`;

async function countInbox(subject: string): Promise<number> {
  const page = (await (await fetch(inboxUrl(subject, 1, 0))).json()) as { total: number };
  return page.total;
}

async function readInbox(subject: string): Promise<InboxEmail[]> {
  const emails: InboxEmail[] = [];
  for (;;) {
    const response = await fetch(inboxUrl(subject, 5000, emails.length));
    const page = (await response.json()) as { data: InboxEmail[]; total: number };
    emails.push(...page.data);
    if (page.data.length === 0 || emails.length >= page.total) return emails;
  }
}

/** Returns the source with quoted-printable decoded. */
async function readSource(email: InboxEmail): Promise<string> {
  const raw = await (await fetch(`${product.address}/inbox/api/messages/${email.id}`)).text();
  return raw
    .replace(/=\r?\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

const linkIn = (source: string, pattern: RegExp) => {
  const [found] = pattern.exec(source) ?? [];
  if (!found) throw new Error(`The email does not contain ${pattern}`);
  return found.replaceAll('&amp;', '&');
};

async function importContacts(page: Page): Promise<void> {
  await page.goto(`${product.address}/subscribers/import`);
  await page.waitForURL(/\/subscribers\/import\/file$/);
  await page
    .locator('input[type=file]')
    .first()
    .setInputFiles(await contactsFile());
  await page.getByText('Match the columns').waitFor({ timeout: 120_000 });
  const groups = page.getByPlaceholder('Choose groups or type a new name');
  await groups.fill('Tea drinkers');
  await groups.press('Enter');
  await page.getByLabel('These people agreed to receive emails from me').check();
  await page.getByRole('button', { name: /^Import [\d,]+ rows$/ }).click();
  await page.getByText('Finished').first().waitFor({ timeout: 240_000 });
  await page.getByRole('link', { name: /Download 2 rows/ }).waitFor();
  expect(await findAccessibilityViolations(page)).toEqual([]);
}

async function writeCampaign(page: Page): Promise<string> {
  await page.goto(`${product.address}/campaigns/create`);
  await page.getByLabel('Campaign name').fill('First letter');
  await page.getByLabel('Subject line').fill('Tea for {{firstname | default: "you"}}');
  await page.getByLabel("Sender's email address").fill('letters@tearoom.example');
  await page.getByRole('button', { name: 'Save and continue' }).click();
  await page.getByText('Custom HTML email').first().click();
  const editor = page.locator('.cm-content');
  await editor.waitFor();
  await editor.click();
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText(
    '<html><body><h1>Dear {{firstname | default: "friend"}} {{lastname}}</h1><p><a href="https://tearoom.example/tea?for={{email}}">The new tea</a></p></body></html>',
  );
  await page
    .frameLocator('iframe')
    .getByText(/Dear Name \d+ Šimkus; \d+/)
    .waitFor();
  expect(await findAccessibilityViolationsInBothThemes(page)).toEqual([]);
  await page.getByRole('button', { name: 'Save and continue' }).click();
  await page.waitForURL(/\/subscribers$/);
  await page.getByRole('checkbox', { name: /Tea drinkers/ }).check();
  await page.getByText('will receive this', { exact: false }).waitFor();
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.waitForURL(/\/confirm$/);
  return /campaigns\/(\w+)\//.exec(page.url())?.[1] ?? '';
}

/** Resolves the finding that the postal address is missing. */
async function addPostalAddress(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Resolve' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Address').first().fill('12 Quay Street');
  await dialog.getByLabel(/Postal|ZIP/).fill('H91 AX0K');
  await dialog.getByLabel('City').fill('Galway');
  await dialog.getByLabel(/State/).fill('Connacht');
  await dialog.getByRole('combobox', { name: 'Country' }).fill('Ireland');
  await page.getByRole('option', { name: 'Ireland', exact: true }).click();
  await dialog.getByRole('button', { name: /Save/ }).click();
  await dialog.waitFor({ state: 'hidden' });
}

async function sendNow(page: Page): Promise<void> {
  await page
    .getByRole('button', { name: new RegExp(`^Send now to ${SUBSCRIBERS.toLocaleString('en')}$`) })
    .click();
  await page.getByRole('dialog').getByRole('button', { name: /Send/ }).click();
}

/**
 * Creates a report link for readers without an account, opens it on a desktop and on a phone, and
 * revokes it.
 */
async function shareReport(page: Page, reader: Page, campaign: string): Promise<void> {
  await page.goto(`${product.address}/campaigns/${campaign}/report/overview`);
  await page.getByRole('button', { name: 'Share' }).click();
  await page.getByRole('menuitem', { name: 'Public link' }).waitFor();
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await shoot(page, 'share-menu');
  await page.getByRole('menuitem', { name: 'Public link' }).click();
  const dialog = page.getByRole('dialog', { name: 'Public link' });
  await dialog.getByRole('button', { name: 'Create link' }).click();
  const link = dialog.getByRole('textbox', { name: 'Public link' });
  await link.waitFor();
  expect(await findAccessibilityViolationsInBothThemes(page)).toEqual([]);
  await shoot(page, 'share-dialog');
  const address = await link.inputValue();
  for (const [width, height] of [
    [1280, 900],
    [390, 844],
  ] as const) {
    await reader.setViewportSize({ width, height });
    await reader.goto(address);
    await reader.getByRole('heading', { level: 1 }).waitFor();
    expect(await findAccessibilityViolationsInBothThemes(reader), `shared, ${width}`).toEqual([]);
    expect(await isTooWide(reader), `shared, ${width}`).toBe(false);
    await shoot(reader, `shared-report-${width}`);
  }
  expect(await reader.content()).not.toContain('@people.example');
  await dialog.getByRole('button', { name: 'End link' }).click();
  await link.waitFor({ state: 'detached' });
  expect((await reader.request.get(address)).status()).toBe(404);
  await page.keyboard.press('Escape');
}

/** Checks all screens of a sent campaign in both themes, in English and in Persian. */
async function checkAllScreens(page: Page, campaign: string): Promise<void> {
  const paths = [
    'confirm',
    'report/overview',
    'report/clicks',
    'report/clicks?view=mail',
    'report/actions',
    'report/actions?action=unopens',
    'report/groups',
  ];
  const checkPaths = async () => {
    for (const path of paths) {
      await page.goto(`${product.address}/campaigns/${campaign}/${path}`);
      await waitUntilQuiet(page);
      expect(await findAccessibilityViolationsInBothThemes(page), path).toEqual([]);
    }
  };
  await checkPaths();
  const users = '/client-api/api/users';
  const { user } = await call<{ user: { id: string } }>(page, product, 'GET', users);
  await call(page, product, 'PATCH', `${users}/${user.id}`, { language: 'fas' });
  await checkPaths();
  expect(await page.evaluate(() => document.documentElement.dir)).toBe('rtl');
}

test('an owner imports subscribers, writes and sends a campaign, and reads its report', async () => {
  const { page, pageErrors } = await newPage(browser, MOVING);
  await signUp(page, product, 'owner@tearoom.example');
  await importContacts(page);
  const campaign = await writeCampaign(page);
  await addPostalAddress(page);
  expect(await findAccessibilityViolationsInBothThemes(page)).toEqual([]);
  await sendNow(page);

  await expect
    .poll(() => countInbox('Tea for'), { timeout: 240_000, interval: 1000 })
    .toBe(SUBSCRIBERS);
  const emails = await readInbox('Tea for');
  expect(new Set(emails.map((email) => email.to)).size).toBe(SUBSCRIBERS);
  expect(emails.map((email) => email.subject).sort()).toEqual(
    Array.from({ length: SUBSCRIBERS }, (_, n) => `Tea for Name ${n}`).sort(),
  );
  const sources = await Promise.all(emails.slice(0, 20).map(readSource));
  const unsubscribes = new Set(
    sources.map((source) => linkIn(source, /http:\/\/localhost:\d+\/u\/[\w-]+/)),
  );
  expect(unsubscribes.size).toBe(sources.length);
  for (const source of sources) {
    expect(source).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click');
    expect(source).toMatch(/12 Quay Street/);
  }

  // Three recipients open the email. Two of them click. The first recipient unsubscribes by the
  // button, and the fourth by the email client.
  const [first = '', second = '', third = '', fourth = ''] = sources;
  for (const source of [first, second, third]) {
    expect((await fetch(linkIn(source, /http:\/\/localhost:\d+\/t\/o\/[\w-]+\.gif/))).status).toBe(
      200,
    );
  }
  for (const source of [first, second]) {
    const click = await fetch(linkIn(source, /http:\/\/localhost:\d+\/t\/c\/[\w-]+\/\d+/), {
      redirect: 'manual',
    });
    expect(click.status).toBe(302);
    expect(click.headers.get('location')).toMatch(
      /^https:\/\/tearoom\.example\/tea\?for=person\d+(%40|@)people\.example$/,
    );
  }
  const reader = await newPage(browser);
  await reader.page.goto(linkIn(first, /http:\/\/localhost:\d+\/u\/[\w-]+/));
  await reader.page.getByRole('button').first().click();
  await reader.page.waitForLoadState('networkidle');
  const oneClick = await fetch(linkIn(fourth, /http:\/\/localhost:\d+\/u\/[\w-]+/), {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'List-Unsubscribe=One-Click',
  });
  expect(oneClick.status).toBe(200);

  const readFigures = async () => {
    const path = `/client-api/api/campaigns/${campaign}/report/overview`;
    const { figures } = await call<OverviewResponse>(page, product, 'GET', path);
    return Object.fromEntries(Object.entries(figures).map(([name, { count }]) => [name, count]));
  };
  await expect.poll(readFigures, { timeout: 30_000 }).toMatchObject({
    sent: SUBSCRIBERS,
    delivered: SUBSCRIBERS,
    opens: 3,
    clicks: 2,
    unsubscribes: 2,
    hard_bounces: 0,
  });
  await page.goto(`${product.address}/campaigns/${campaign}/report`);
  await page.getByText('Total emails sent').waitFor();
  await page.waitForURL(/\/report\/overview$/);
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await page
    .getByRole('link', { name: 'Links' })
    .or(page.getByRole('tab', { name: 'Links' }))
    .first()
    .click();
  await page.getByText('https://tearoom.example/tea', { exact: false }).first().waitFor();
  await shareReport(page, reader.page, campaign);
  await checkAllScreens(page, campaign);
  expect(pageErrors).toEqual([]);
  expect(reader.pageErrors).toEqual([]);
});
