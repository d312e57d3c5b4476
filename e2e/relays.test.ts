// An owner manages a relay with the keyboard only: adds it, tests it, uses it, changes it and
// removes it. The warm-up of a domain is started and ended, and BIMI is explained. Then a relay is
// added in Persian on a phone. All screens are checked in both themes.
import type { Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import type { Domain } from '#areas/domains/contract.ts';
import { findAccessibilityViolationsInBothThemes, newPage } from '#testing/setup/browser.ts';
import { publish } from '#testing/setup/shared-product.ts';
import {
  call,
  isTooWide,
  findLinkMailedTo,
  openSharedProduct,
  PERSIAN_PHONE,
  pressButton,
  shoot,
  signUp,
  tabTo,
  typeInto,
  openScreen,
} from '#testing/setup/journeys.ts';
import { startSmtpServer } from '#testing/servers/smtp-server.ts';
import delivery from '../locales/fas/delivery.json' with { type: 'json' };
import feedback from '../locales/fas/feedback.json' with { type: 'json' };

const RELAY_PASSWORD = 'steam and leaves';

const relay = await startSmtpServer({ auth: { user: 'ada', password: RELAY_PASSWORD } });
afterAll(() => relay.close());
const { product, browser } = await openSharedProduct();

/** Selects an option with the arrow keys. */
async function choose(page: Page, field: string, option: RegExp): Promise<void> {
  await tabTo(page, 'combobox', field);
  await page.keyboard.press('Enter');
  const target = page.getByRole('option', { name: option });
  await target.waitFor();
  for (let presses = 0; presses < 10; presses++) {
    if ((await target.getAttribute('data-combobox-selected')) === 'true') break;
    await page.keyboard.press('ArrowDown');
  }
  await page.keyboard.press('Enter');
  await target.waitFor({ state: 'hidden' });
}

async function expectAccessible(page: Page): Promise<void> {
  expect(await findAccessibilityViolationsInBothThemes(page), page.url()).toEqual([]);
}

test('an owner manages a relay using only the keyboard', async () => {
  const { page, pageErrors } = await newPage(browser);
  await signUp(page, product, 'owner@relay-tea.example');
  await openScreen(page, '/settings/relays');
  await page.getByRole('heading', { name: 'Send through your own server' }).waitFor();
  await expectAccessible(page);
  await seeTestMode(page);
  await addRelay(page);
  await tryRelay(page);
  // From now on, emails leave the installation.
  await page.getByRole('complementary', { name: 'Test mode' }).waitFor({ state: 'detached' });
  await changeRelay(page);
  await removeRelay(page);
  await page.getByRole('complementary', { name: 'Test mode' }).waitFor();
  expect(pageErrors).toEqual([]);
  await page.context().close();
});

/** Without a relay, no email leaves the installation, and every screen shows this. */
async function seeTestMode(page: Page): Promise<void> {
  const banner = page.getByRole('complementary', { name: 'Test mode' });
  await banner.waitFor();
  await page.getByText('emails stay in the test inbox of this installation').waitFor();
  await shoot(page, 'test-mode-relays');
  const [inbox] = await Promise.all([
    page.context().waitForEvent('page'),
    banner.getByRole('link', { name: 'Open the test inbox' }).click(),
  ]);
  await inbox.getByText('owner@relay-tea.example').first().waitFor();
  await inbox.close();
}

async function addRelay(page: Page): Promise<void> {
  await pressButton(page, 'link', 'Add a mail server');
  await page.waitForURL('**/settings/relays/new');
  await pressButton(page, 'button', 'Add a mail server');
  await page.getByText('Please enter a name').waitFor();
  await page.getByText("Please enter the server's host name").waitFor();
  await expectAccessible(page);
  await typeInto(page, 'Name', 'Our Postfix');
  await typeInto(page, 'Host', '127.0.0.1');
  await choose(page, 'Encryption', /^None/);
  await typeInto(page, 'User', 'ada');
  await typeInto(page, 'Password', RELAY_PASSWORD);
  await typeInto(page, 'Per hour', '500');
  await pressButton(page, 'button', 'Limit a domain');
  await typeInto(page, "Recipients' domain", 'gmail.com');
  // The choice of encryption changed the port, but this server uses a different port.
  await typeInto(page, 'Port', String(relay.port));
  await expectAccessible(page);
  await tryUnsaved(page);
  await pressButton(page, 'button', 'Add a mail server');
  await page.getByText('Our Postfix added').waitFor();
}

/**
 * Tests the entered settings before they are saved. Invalid settings are reported at their field.
 */
async function tryUnsaved(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Test Our Postfix' });
  await typeInto(page, 'Host', 'no.such.invalid');
  await choose(page, 'Encryption', /^STARTTLS, required/);
  await pressButton(page, 'button', 'Send a test');
  await dialog.getByText('nothing is saved').waitFor();
  await pressButton(page, 'button', 'Send');
  await dialog.waitFor({ state: 'hidden' });
  await page.getByText(/no\.such\.invalid/).waitFor();
  const isFocusInvalid = () =>
    page.evaluate(() => document.activeElement?.getAttribute('aria-invalid'));
  await expect.poll(isFocusInvalid).toBe('true');
  await expectAccessible(page);
  await shoot(page, 'relay-typed-refused');
  await typeInto(page, 'Host', '127.0.0.1');
  await choose(page, 'Encryption', /^None/);
  await typeInto(page, 'Port', String(relay.port));
  await pressButton(page, 'button', 'Send a test');
  await pressButton(page, 'button', 'Send');
  await dialog.getByText('The server accepted the email').waitFor();
  await expectAccessible(page);
  await shoot(page, 'relay-typed');
  expect(relay.accepted.map(({ to }) => to)).toEqual([['owner@relay-tea.example']]);
  relay.accepted.length = 0;
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.textContent))
    .toBe('Send a test');
}

/**
 * Tests the new relay, which is disabled. Its test dialog is already open and enables it after a
 * successful test.
 */
async function tryRelay(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Test Our Postfix' });
  await dialog.waitFor();
  relay.script.rcpt = ['550 5.1.1 No such person here'];
  await typeInto(page, 'Sender', 'news@relay-tea.example');
  await page.keyboard.press('Enter');
  await dialog.getByText('The server did not accept the email').waitFor();
  await dialog.getByText('← 550 5.1.1 No such person here').waitFor();
  await expectAccessible(page);
  await pressButton(page, 'button', 'Send');
  await dialog.getByText('The server accepted the email').waitFor();
  const transcript = (await dialog.getByRole('list').textContent()) ?? '';
  expect(transcript).toContain('MAIL FROM:<news@relay-tea.example>');
  // No line contains the password in any of its encodings.
  const forms = [RELAY_PASSWORD, `\0ada\0${RELAY_PASSWORD}`];
  for (const secret of forms.flatMap((form) => [form, Buffer.from(form).toString('base64')])) {
    expect(transcript).not.toContain(secret);
  }
  expect(relay.accepted.map(({ to }) => to)).toEqual([['owner@relay-tea.example']]);
  await expectAccessible(page);
  await pressButton(page, 'button', 'Turn it on');
  await dialog.waitFor({ state: 'hidden' });
  await page.getByText('Our Postfix turned on').waitFor();
  await page.getByText('Ready').waitFor();
  await page.getByText('500 an hour').waitFor();
  await page.getByText('gmail.com: 60 a minute').waitFor();
  await page.getByText('0 of 500 in the last hour.').waitFor();
  await expectAccessible(page);
}

async function changeRelay(page: Page): Promise<void> {
  await pressButton(page, 'link', 'Our Postfix');
  await page.getByRole('heading', { level: 1, name: 'Our Postfix' }).waitFor();
  await page.getByText('Leave it empty to keep the stored one.').waitFor();
  await typeInto(page, 'Per second', '5');
  await pressButton(page, 'button', 'Save');
  await page.getByText('Our Postfix saved').waitFor();
  await page.getByText('5 a second and').or(page.getByText('5 a second, ')).waitFor();
  await pressButton(page, 'button', 'Turn off');
  await page.getByText('Off', { exact: true }).waitFor();
  await pressButton(page, 'button', 'Turn on');
  await page.getByText('Ready').waitFor();
  // The password is unchanged, so authentication still works.
  await pressButton(page, 'button', 'Send a test');
  await typeInto(page, 'Sender', 'news@relay-tea.example');
  await page.keyboard.press('Enter');
  await page.getByText('The server accepted the email').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  await expect
    .poll(() => page.evaluate(() => document.activeElement?.textContent))
    .toBe('Send a test');
}

async function removeRelay(page: Page): Promise<void> {
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  await pressButton(page, 'button', 'Remove');
  const dialog = page.getByRole('dialog', { name: 'Remove Our Postfix?' });
  await dialog.waitFor();
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Remove' }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('Our Postfix removed').waitFor();
  await page.getByRole('heading', { name: 'Send through your own server' }).waitFor();
}

test('the warm-up of a new domain starts and can be ended', async () => {
  const { page, pageErrors } = await newPage(browser);
  await signUp(page, product, 'owner@leaf.example');
  await proveDomain(page, 'leaf.example');
  await openScreen(page, '/settings/relays');
  await page.getByText('Suggested: new domain').waitFor();
  await expectAccessible(page);
  await pressButton(page, 'button', 'Start warm-up');
  await page.getByRole('dialog', { name: 'Warm up leaf.example' }).waitFor();
  await expectAccessible(page);
  await page.getByRole('dialog').getByRole('button', { name: 'Start warm-up' }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('leaf.example is being warmed up').waitFor();
  await page.getByText(/Day 1 of \d+\. 0 of 50 sent today\./).waitFor();
  await page
    .getByRole('progressbar', { name: "Today's share of leaf.example" })
    .waitFor({ state: 'attached' });
  await expectAccessible(page);
  await pressButton(page, 'button', 'End warm-up');
  const ending = page.getByRole('dialog', { name: 'End warm-up of leaf.example?' });
  await ending.getByRole('button', { name: 'End warm-up' }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('The warm-up has ended. Emails are sent immediately.').waitFor();
  expect(pageErrors).toEqual([]);
  await page.context().close();
});

/** Verifies the domain: publishes its records and confirms it by the emailed link. */
async function proveDomain(page: Page, domain: string): Promise<void> {
  const { id, records } = await call<Domain>(page, product, 'POST', '/client-api/api/domains', {
    email: `owner@${domain}`,
  });
  for (const { type, name, value } of records) {
    if (type === 'TXT') publish(product, name, { TXT: [value] });
  }
  await page.goto(await findLinkMailedTo(product, `owner@${domain}`, 'confirm-domain'));
  await page.getByRole('heading', { name: 'Domain confirmed' }).waitFor();
  const check = `/client-api/api/domains/${id}/check`;
  expect(await call(page, product, 'POST', check)).toMatchObject({ verified: true });
}

test('a domain with a strict DMARC policy shows how to set up BIMI', async () => {
  const { page, pageErrors } = await newPage(browser);
  await signUp(page, product, 'owner@logo.example');
  await proveDomain(page, 'logo.example');
  publish(product, '_dmarc.logo.example', { TXT: ['v=DMARC1; p=reject'] });
  await openScreen(page, '/settings/domains');
  await page.getByRole('link', { name: 'logo.example' }).click();
  expect(await page.getByText('Your logo in inboxes').count()).toBe(0);
  await page.getByRole('button', { name: 'Check again' }).click();
  await page.getByRole('heading', { name: 'Your logo in inboxes (BIMI)' }).waitFor();
  await page.getByText('default._bimi.logo.example').waitFor();
  await page.getByRole('heading', { name: 'Your logo in inboxes (BIMI)' }).scrollIntoViewIfNeeded();
  await expectAccessible(page);
  await shoot(page, 'bimi');
  expect(pageErrors).toEqual([]);
  await page.context().close();
});

test('relays work in Persian on a phone', async () => {
  const { page, pageErrors } = await newPage(browser, PERSIAN_PHONE);
  await signUp(page, product, 'malek@ersal.example');
  await page.waitForURL(/\/complete-registration$/);
  await openScreen(page, '/settings/relays');
  await page.getByRole('heading', { name: delivery.empty.title }).waitFor();
  await page.getByRole('heading', { name: feedback.webhooks.title }).waitFor();
  await shoot(page, 'test-mode-persian');
  await checkPersianScreen(page);
  await page.getByRole('link', { name: delivery.add }).first().tap();
  await page.waitForURL('**/settings/relays/new');
  await page.getByRole('textbox', { name: delivery.fields.title, exact: true }).fill('پست‌فیکس ما');
  await page.getByRole('textbox', { name: delivery.fields.host }).fill('127.0.0.1');
  await page.getByRole('combobox', { name: delivery.fields.tls }).tap();
  await page.getByRole('option', { name: delivery.tls.none }).tap();
  await page
    .getByRole('textbox', { name: delivery.fields.port, exact: true })
    .fill(String(relay.port));
  await page.getByRole('textbox', { name: delivery.fields.username }).fill('ada');
  await page.getByLabel(delivery.fields.password, { exact: true }).fill(RELAY_PASSWORD);
  await checkPersianScreen(page);
  await page.getByRole('button', { name: delivery.trial.action }).tap();
  await page.getByText(delivery.trial.typed).waitFor();
  await page.getByRole('button', { name: delivery.trial.send, exact: true }).tap();
  await page.getByText(delivery.trial.accepted).waitFor();
  await checkPersianScreen(page);
  await shoot(page, 'relay-typed-fas');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'hidden' });
  await shoot(page, 'relay-form-fas');
  await page.getByRole('button', { name: delivery.add }).tap();
  await page.getByRole('dialog').waitFor();
  await checkPersianScreen(page);
  await page.getByLabel(delivery.trial.from).fill('news@forushgah.example');
  await page.getByRole('button', { name: delivery.trial.send, exact: true }).tap();
  await page.getByText(delivery.trial.accepted).waitFor();
  await checkPersianScreen(page);
  await page.getByRole('dialog').getByRole('button', { name: delivery.trial.turnOn }).tap();
  await page.getByRole('link', { name: 'پست‌فیکس ما' }).waitFor();
  await checkPersianScreen(page);
  expect(pageErrors).toEqual([]);
  await page.context().close();
});

async function checkPersianScreen(page: Page): Promise<void> {
  expect(await page.getAttribute('html', 'dir')).toBe('rtl');
  await expectAccessible(page);
  expect(await isTooWide(page), page.url()).toBe(false);
}
