// The deliverability screens: a report is uploaded and leads to a result for its domain, and the
// server of a seed mailbox does not answer. Then the screens are shown in Persian on a phone.
import { afterAll, expect, test } from 'vitest';
import { findAccessibilityViolations, newPage } from '#testing/setup/browser.ts';
import {
  call,
  isTooWide,
  newOwner,
  openSharedProduct,
  PERSIAN_PHONE,
  shoot,
} from '#testing/setup/journeys.ts';
import { renderDmarcXml } from '#testing/worlds/dmarc-reports.ts';
import texts from '../locales/fas/deliverability.json' with { type: 'json' };
import signals from '../locales/fas/signals.json' with { type: 'json' };

const { product, browser } = await openSharedProduct();
const { page, pageErrors } = await newPage(browser);
afterAll(() => page.context().close());
const SCREEN = `${product.address}/settings/deliverability`;
const DOMAIN = 'cockpit-tea.example';

test('an uploaded report leads to the sources and the next step of its domain', async () => {
  await newOwner(page, product, 'reader@cockpit.example');
  await page.goto(SCREEN);
  await page.getByText('No sending domains yet').waitFor();
  await call(page, product, 'POST', '/client-api/api/domains', { email: `info@${DOMAIN}` });
  await page.reload();
  const end = Math.floor(Date.now() / 1000) - 3_600;
  const google = { domain: DOMAIN, selector: 'google' };
  const row = { headerFrom: DOMAIN, count: 1200, dkim: [google], spf: [] };
  const report = renderDmarcXml({ domain: DOMAIN, begin: end - 86_400, end, rows: [row] });
  const chooser = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Upload report' }).click();
  await (await chooser).setFiles({
    ...{ name: 'report.xml', mimeType: 'application/xml', buffer: Buffer.from(report) },
  });
  await page.getByText('Counted', { exact: true }).waitFor();
  await page.getByRole('link', { name: DOMAIN }).click();
  // Without its email, a report does not prove who sent it.
  await page.getByText('In reports without a signature: 1,200').waitFor();
  await page.getByRole('heading', { name: 'Requirements for bulk senders' }).waitFor();
  await page.getByText('Encryption (TLS)').waitFor();
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await shoot(page, 'deliverability-domain');
});

test('a seed mailbox with an unresponsive server is not added', async () => {
  await page.goto(`${SCREEN}/signals`);
  await page.getByRole('button', { name: 'Add mailbox' }).click();
  await page.getByLabel(/^Email address/).fill('seed@gmx.de');
  expect(await page.getByLabel(/^IMAP server/).inputValue()).toBe('imap.gmx.net');
  await page.getByLabel(/^IMAP server/).fill('no-server.invalid');
  await page.getByLabel(/^App password/).fill('secret');
  await page.getByRole('button', { name: 'Check and add' }).click();
  await page.getByText('The IMAP server does not respond').waitFor();
  expect(await findAccessibilityViolations(page)).toEqual([]);
  expect(pageErrors).toEqual([]);
});

test('the screens work in Persian on a phone', async () => {
  const { page: phone, pageErrors: faults } = await newPage(browser, PERSIAN_PHONE);
  await newOwner(phone, product, 'khanande@cockpit.example', 'fas');
  for (const [path, title] of [
    ['', texts.title],
    ['/signals', signals.title],
  ] as const) {
    await phone.goto(SCREEN + path);
    await phone.getByRole('heading', { level: 1, name: title }).waitFor();
    expect(await phone.getAttribute('html', 'dir')).toBe('rtl');
    expect(await findAccessibilityViolations(phone), path).toEqual([]);
    expect(await isTooWide(phone), path).toBe(false);
    await shoot(phone, `deliverability${path.replace('/', '-')}-fas`);
  }
  const domain = await call<{ id: string }>(phone, product, 'POST', '/client-api/api/domains', {
    email: 'info@phone-tea.example',
  });
  // The test supplies Google's data, with the requirement that has the longest sentence.
  await phone.route('**/client-api/api/deliverability/domains/*', async (route) => {
    const response = await route.fetch();
    const { data } = await response.json();
    const verdict = { requirement: 'honor_unsubscribe', is_met: false };
    const unmet = {
      ...verdict,
      reason: 'not_honoring_too_few_campaigns',
      since: '2026-06-01T10:00:00Z',
      as_of: '2026-06-02T10:00:00Z',
    };
    await route.fulfill({ response, json: { data: { ...data, compliance: [unmet] } } });
  });
  await phone.goto(`${SCREEN}/${domain.id}`);
  await phone.getByText(texts.compliance.unmet).waitFor();
  expect(await findAccessibilityViolations(phone)).toEqual([]);
  expect(await isTooWide(phone)).toBe(false);
  await shoot(phone, 'deliverability-gmail-fas');
  expect(faults).toEqual([]);
  await phone.context().close();
});
