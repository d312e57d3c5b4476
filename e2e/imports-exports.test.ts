// An import of a file is previewed, run and undone. Subscribers are exported as CSV and as a
// workbook, and the workbook is downloaded through a link. Lists are imported from Mailchimp and
// Klaviyo.
import { readFileSync } from 'node:fs';
import type { Download, Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { readWorkbookText } from '#areas/imports/server/reading/workbook.ts';
import { findAccessibilityViolations, newPage } from '#testing/setup/browser.ts';
import {
  call,
  isTooWide,
  openScreen,
  openSharedProduct,
  PERSIAN_PHONE,
  shoot,
  signUp,
} from '#testing/setup/journeys.ts';
import {
  type ListServiceSubscriber,
  MAILCHIMP_KEY,
  startListServices,
} from '#testing/worlds/list-services.ts';

const EXPORTS = '/client-api/api/exports';

const { product, browser } = await openSharedProduct();
const subscribers: ListServiceSubscriber[] = [
  {
    email: 'mona@chimp.example',
    status: 'subscribed',
    list: 'a1b2c3d4e5',
    fields: { FNAME: 'Mona' },
  },
  { email: 'gone@chimp.example', status: 'unsubscribed', list: 'a1b2c3d4e5' },
];
const services = await startListServices(subscribers, product.mailchimpPort);
afterAll(() => services.close());

test('a file is previewed, imported, undone and exported', async () => {
  const { page, pageErrors } = await newPage(browser);
  await signUp(page, product, 'importer@shop.example');
  await importFile(page, 'Email,First name\nada@x.example,Ada\nbob@x.example,Bob\n');
  await waitUntilFinished(page, 'contacts.csv');
  await checkChanges(page);
  await undo(page);
  await exportPeople(page);
  expect(pageErrors).toEqual([]);
  await page.context().close();
});

test('Mailchimp is imported with its unsubscribed members', async () => {
  const { page, pageErrors } = await newPage(browser);
  await signUp(page, product, 'chimp@shop.example');
  await page.goto(`${product.address}/subscribers/import/mailchimp`);
  const key = page.getByLabel('Mailchimp API key');
  await key.fill('nonsense-us1.evil.example');
  await page.getByRole('button', { name: 'Show the lists' }).click();
  await page.getByText('This does not look like a Mailchimp key').waitFor();
  await key.fill(MAILCHIMP_KEY);
  await page.getByRole('button', { name: 'Show the lists' }).click();
  await page.getByLabel('Newsletter').waitFor();
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Fetch subscribers' }).click();
  await page.getByText('Match the columns').waitFor();
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await start(page);
  await waitUntilFinished(page, 'Mailchimp');
  await openScreen(page, '/subscribers');
  await page.getByText('mona@chimp.example').waitFor();
  await page.getByText('gone@chimp.example').waitFor();
  await page.getByRole('table').getByText('Unsubscribed').waitFor();
  expect(pageErrors).toEqual([]);
  await page.context().close();
});

test('a Klaviyo template and export file are imported with a new field and new groups', async () => {
  const { page, pageErrors } = await newPage(browser);
  await signUp(page, product, 'switch@shop.example');
  await page.goto(`${product.address}/subscribers/import/switch`);
  await page.getByRole('radio', { name: 'Klaviyo' }).check();
  await page.getByText('Export list to CSV', { exact: false }).waitFor();
  await page.getByLabel('Choose templates').setInputFiles({
    name: 'welcome.html',
    mimeType: 'text/html',
    buffer: Buffer.from('<title>Welcome</title><p>Hi {{ first_name }} {% unsubscribe %}</p>'),
  });
  await page.getByText('Welcome: Saved').waitFor();
  await page.getByRole('list', { name: 'Results' }).scrollIntoViewIfNeeded();
  await checkSizes(page, 'switch');
  await page.getByRole('button', { name: 'Undo Welcome' }).click();
  await page.getByText('Welcome: Removed again').waitFor();
  await page.getByLabel('Choose a file').setInputFiles({
    name: 'Newsletter.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(KLAVIYO),
  });
  await page.getByText('Klaviyo export recognized').waitFor();
  await page.getByRole('button', { name: 'Create field Shoe size' }).waitFor();
  // The columns are mapped automatically: VIP is assigned to both people, and Spring to one of
  // them.
  await page.getByText('Groups that would be created').waitFor();
  await page.getByRole('listitem').filter({ hasText: 'VIP' }).getByText('2 subscribers').waitFor();
  await page
    .getByRole('listitem')
    .filter({ hasText: 'Spring' })
    .getByText('1 subscriber')
    .waitFor();
  await page.getByRole('button', { name: 'Rename group Spring' }).click();
  await page.getByRole('textbox', { name: 'Name of the group' }).fill('Spring guests');
  await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
  const renamedItem = page.getByRole('listitem').filter({ hasText: 'Spring guests' });
  await renamedItem.getByText('1 subscriber').scrollIntoViewIfNeeded();
  await checkSizes(page, 'switch-plan');
  await page.getByRole('button', { name: 'Create all' }).click();
  await page.getByRole('button', { name: 'Create all' }).waitFor({ state: 'hidden' });
  await start(page);
  await waitUntilFinished(page, 'Newsletter.csv');
  await page.getByText(/^Joined: .*Spring guests/).waitFor();
  await openScreen(page, '/subscribers');
  const rowOf = (address: string) => page.getByRole('row').filter({ hasText: address });
  await rowOf('in@k.example').getByText('Active').waitFor();
  await rowOf('hard@k.example').getByText('Bounced').waitFor();
  expect(pageErrors).toEqual([]);
  await page.context().close();
});

test('imports create groups and split full names in Persian on a phone', async () => {
  const { page, pageErrors } = await newPage(browser, PERSIAN_PHONE);
  await signUp(page, product, 'zahra@shop.example');
  await page.goto(`${product.address}/subscribers/import/file`);
  await page.locator('input[type=file]').setInputFiles({
    name: 'مشترک‌ها.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(PERSIAN_LIST),
  });
  await page.getByText('کلمهٔ اول: نام. بقیه: نام خانوادگی.').waitFor();
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await page.getByText('محمدی راد', { exact: true }).scrollIntoViewIfNeeded();
  await shoot(page, 'whole-name-fas');
  await page.getByText('گروه‌هایی که ساخته می‌شوند').scrollIntoViewIfNeeded();
  const customers = page.getByRole('listitem').filter({ hasText: 'مشتری‌ها' });
  await customers.getByText('۲ مشترک').waitFor();
  expect(await findAccessibilityViolations(page)).toEqual([]);
  expect(await isTooWide(page)).toBe(false);
  await shoot(page, 'groups-fas');
  expect(pageErrors).toEqual([]);
  await page.context().close();
});

const PERSIAN_LIST = `ایمیل,نام و نام خانوادگی,گروه‌ها
zahra@p.example,زهرا محمدی راد,"مشتری‌ها, تهران"
ali@p.example,علی,مشتری‌ها
`;

const KLAVIYO = `Email,Klaviyo ID,First Name,Email Marketing Consent,Email Suppressions,Tags,Shoe size,Member
in@k.example,01H,Ina,SUBSCRIBED,[],"VIP, Spring",38,true
hard@k.example,02H,Hard,SUBSCRIBED,"[""HARD_BOUNCE""]",VIP,44,false
`;

/**
 * Checks that the screen has no accessibility problems and is not wider than the window, on a
 * desktop and on a phone.
 */
async function checkSizes(page: Page, name: string): Promise<void> {
  for (const [width, height] of [
    [390, 844],
    [1280, 900],
  ] as const) {
    await page.setViewportSize({ width, height });
    expect(await findAccessibilityViolations(page), `${name} ${width}`).toEqual([]);
    expect(await isTooWide(page), `${name} ${width}`).toBe(false);
    await shoot(page, `${name}-${width}`);
  }
}

async function uploadCsv(page: Page, csv: string): Promise<void> {
  await page.goto(`${product.address}/subscribers/import/file`);
  await page.getByText('up to 256 MB').waitFor();
  await page.getByLabel('Choose a file').setInputFiles({
    name: 'contacts.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(csv),
  });
  await page.getByText('Match the columns').waitFor();
}

/**
 * Starts the import and checks that no request gets 409: the page must not request the saved
 * options after the start.
 */
async function start(page: Page): Promise<void> {
  const refusals: string[] = [];
  page.on('response', (answer) => {
    if (answer.status() === 409) refusals.push(answer.url());
  });
  await page.getByLabel(/These people agreed/).check();
  await page.getByRole('button', { name: /^Import \d+ rows?$/ }).click();
  await page.waitForURL(/imported_subscribers/);
  await page.waitForLoadState('networkidle');
  expect(refusals).toEqual([]);
}

/** Waits until the import is shown as finished above the history, which may list other imports. */
async function waitUntilFinished(page: Page, name: string): Promise<void> {
  await page.getByRole('region', { name }).getByText('Finished').waitFor();
}

async function importFile(page: Page, csv: string): Promise<void> {
  await uploadCsv(page, csv);
  await start(page);
}

async function checkChanges(page: Page): Promise<void> {
  await uploadCsv(page, 'Email,First name\nada@x.example,Adeline\ncyd@x.example,Cyd\nnonsense,\n');
  await page.getByRole('button', { name: 'Preview changes' }).click();
  await page.getByRole('cell', { name: 'Adeline' }).last().waitFor();
  await page.getByText('The email address has no @.').waitFor();
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await start(page);
  await waitUntilFinished(page, 'contacts.csv');
  await openScreen(page, '/subscribers');
  await page.getByText('Adeline').filter({ visible: true }).waitFor();
  await page.getByText('cyd@x.example').waitFor();
}

async function undo(page: Page): Promise<void> {
  await openScreen(page, '/subscribers/imported_subscribers');
  await page.getByText('contacts.csv').first().click();
  await page.getByRole('button', { name: 'Undo this import' }).click();
  await page.getByRole('button', { name: 'Undo import' }).click();
  await page.getByText('This import was undone').waitFor();
  await page.getByText('1 subscriber removed').waitFor();
  await page.getByText('1 subscriber restored').waitFor();
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await openScreen(page, '/subscribers');
  await page.getByText('bob@x.example').waitFor();
  expect(await page.getByText('cyd@x.example').count()).toBe(0);
  expect(await page.getByText('Adeline').count()).toBe(0);
}

async function exportPeople(page: Page): Promise<void> {
  await openScreen(page, '/subscribers?search=ada');
  await page.getByText('ada@x.example').waitFor();
  await page.getByLabel('Select all on this page').check();
  await page.getByRole('button', { name: 'Export', exact: true }).click();
  await page.getByText('File type').waitFor();
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await page.getByRole('dialog').getByRole('button', { name: 'Export', exact: true }).click();
  const csv = await downloadOf(page, () => page.getByRole('button', { name: 'Download' }).click());
  expect(csv.suggestedFilename()).toMatch(/^subscribers-[\d-]+\.csv$/);
  const text = readFileSync(await csv.path(), 'utf8');
  expect(text.split('\r\n')).toHaveLength(3);
  expect(text).toContain('ada@x.example,Ada,');

  await page.getByRole('button', { name: 'Export', exact: true }).click();
  await page.getByLabel('Excel (XLSX)').check();
  const exportStarted = page.waitForResponse(`**${EXPORTS}`);
  await page.getByRole('dialog').getByRole('button', { name: 'Export', exact: true }).click();
  // The request would be canceled if the page was left before the server received it.
  await exportStarted;
  await openScreen(page, '/subscribers/exports');
  await page.getByText('Ready').nth(1).waitFor();
  expect(await findAccessibilityViolations(page)).toEqual([]);
  const exports = await call<{ id: string; format: string }[]>(page, product, 'GET', EXPORTS);
  const workbook = exports.find((job) => job.format === 'xlsx');
  const link = `${EXPORTS}/${workbook?.id}/link`;
  const { path } = await call<{ path: string }>(page, product, 'POST', link);
  const book = await downloadOf(page, () => page.goto(product.address + path));
  await page.waitForURL(`${product.address}/subscribers`);
  let rows = '';
  for await (const lines of readWorkbookText(await book.path())) rows += lines;
  expect(rows).toContain('ada@x.example,Ada');
  await page.goto(`${product.address}/download/${'x'.repeat(43)}`);
  await page.getByText('This link no longer works').waitFor();
  await page.waitForURL(`${product.address}/subscribers`);
}

async function downloadOf(page: Page, action: () => Promise<unknown>): Promise<Download> {
  const [download] = await Promise.all([page.waitForEvent('download'), action()]);
  return download;
}
