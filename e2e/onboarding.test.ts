// A new owner gets from sign-up to the dashboard with the keyboard only, through every step of the
// checklist. Then the registration is completed in Persian from right to left.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { findAccessibilityViolations, newPage } from '#testing/setup/browser.ts';
import {
  PASSWORD,
  PERSIAN_PHONE,
  call,
  isTooWide,
  findLinkMailedTo,
  openSharedProduct,
  pressButton,
  shoot,
  signUp,
  typeInto,
} from '#testing/setup/journeys.ts';
import accounts from '../locales/fas/accounts.json' with { type: 'json' };
import dashboard from '../locales/fas/dashboard.json' with { type: 'json' };
import onboarding from '../locales/fas/onboarding.json' with { type: 'json' };

const { product, browser } = await openSharedProduct();

const step = (page: Page, name: string) =>
  page
    .getByRole('list', { name: 'Getting started' })
    .getByRole('listitem')
    .filter({
      has: page.getByRole('heading', { name }),
    });

test('a new owner gets from sign-up to the dashboard using only the keyboard', async () => {
  const { page, pageErrors } = await newPage(browser);
  await page.goto(`${product.address}/auth/sign-up`);
  await typeInto(page, 'Email address', 'owner@shop.example');
  await page.keyboard.press('Tab');
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press('Enter');
  const signedUp = performance.now();

  // Each step of the checklist links to its screen. No report is available before an email is sent.
  await page.waitForURL('**/complete-registration');
  await step(page, 'Complete registration').getByRole('link').waitFor();
  expect(await page.title()).toBe('Getting started · Sendloom');
  expect(await page.getByRole('heading', { level: 2 }).allTextContents()).toEqual([
    'Complete registration',
    'Verify email address',
    'Confirm your sending domain',
    'Import your contacts',
    'Create and send your first campaign',
    'View a reportnot available yet',
  ]);
  expect(await step(page, 'View a report').getAttribute('aria-disabled')).toBe('true');
  expect(await page.getByRole('main').getByRole('link').allTextContents()).toEqual([
    'Complete registration',
    'Import contacts',
    'Create campaign',
    'Send yourself an email',
    'Set up SMS',
  ]);
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await sendToOwner(page, signedUp);
  await pressButton(page, 'link', 'Complete registration');
  await introduce(page);
  await completeProfile(page);
  await verifyEmail(page);
  await confirmDomain(page);
  await importAndSend(page);

  // The report completes the checklist, so the user is updated and the dashboard opens.
  await page.goto(`${product.address}/complete-registration`);
  await pressButton(page, 'link', 'View report');
  await page.waitForURL('**/report/overview');
  await expect.poll(() => flagsOf(page)).toMatchObject({ report_viewed: true });
  const patchResponse = page.waitForResponse(
    (response) => response.request().method() === 'PATCH' && /\/api\/users\//.test(response.url()),
  );
  await page.goto(`${product.address}/complete-registration`);
  expect((await patchResponse).request().postDataJSON()).toEqual({ tour: 2 });
  await page.waitForURL(`${product.address}/`);
  await page.getByRole('heading', { level: 1, name: 'Dashboard' }).waitFor();
  await page.getByRole('heading', { name: 'Latest sent' }).first().waitFor();
  expect(await page.title()).toBe('Dashboard · Sendloom');
  await page.getByRole('link', { name: 'Spring offer' }).waitFor();
  expect(await page.getByRole('heading', { name: 'Getting started' }).count()).toBe(0);
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await shoot(page, 'dashboard');

  // A user who has completed onboarding is not redirected to it.
  await page.goto(`${product.address}/complete-registration`);
  await page.waitForURL(`${product.address}/`);
  expect(pageErrors).toEqual([]);
  await page.context().close();
});

/** Checks that an email is shown within a minute of sign-up, even if the website cannot be read. */
async function sendToOwner(page: Page, signedUp: number): Promise<void> {
  await pressButton(page, 'link', 'Send yourself an email');
  await page.getByRole('heading', { level: 2, name: 'Send yourself an email' }).waitFor();
  await typeInto(page, 'Your website', 'nothing');
  await page.keyboard.press('Enter');
  await page.getByText('Enter a valid website address.').waitFor();
  // No server answers at this address, but the email is sent anyway.
  await typeInto(page, 'Your website', 'shop.example');
  await page.keyboard.press('Enter');
  await page.getByText('https://shop.example could not be read').waitFor();
  const email = page.frameLocator('iframe[title="Hello from Sendloom"]');
  await email.getByRole('heading', { name: 'Hello from Sendloom' }).waitFor();
  expect(performance.now() - signedUp).toBeLessThan(60_000);
  await page.getByRole('link', { name: 'Open in the test inbox' }).waitFor();
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await shoot(page, 'first-email');
  await page.goto(`${product.address}/complete-registration`);
}

async function introduce(page: Page): Promise<void> {
  await page.waitForURL('**/introduce');
  await page.getByRole('heading', { level: 1, name: 'Introduce yourself' }).waitFor();
  const steps = page.getByRole('list', { name: 'Your registration' }).getByRole('listitem');
  expect(await steps.allTextContents()).toEqual([
    'Sign Updone',
    '2Introduce yourself',
    '3Complete Your Profile',
  ]);
  // Errors are shown at their fields, and the first of them gets the focus.
  await pressButton(page, 'button', 'Next');
  await page.getByText('First name is required').waitFor();
  await page.getByText('Last name is required').waitFor();
  await page.getByText('Website URL is required').waitFor();
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await typeInto(page, 'First name', 'A');
  await typeInto(page, 'Last name', 'Lovelace');
  await page.getByText('First name must be at least 2 characters').waitFor();
  await typeInto(page, 'Website URL', 'http://192.168.1.1');
  await page.keyboard.press('Tab');
  await page.getByText('Please provide valid URL with https or http protocol').waitFor();
  // Navigation is blocked until the form is saved, and the input is preserved.
  await page.goBack();
  await page.getByText('Finish this step first.').waitFor();
  expect(new URL(page.url()).pathname).toBe('/complete-registration/introduce');
  // Closing or reloading a tab shows no prompt because the input is restored.
  await page.reload();
  await expect
    .poll(() => page.getByRole('textbox', { name: 'Last name' }).inputValue())
    .toBe('Lovelace');
  await typeInto(page, 'First name', 'Ada');
  await typeInto(page, 'Website URL', 'shop.example');
  const saveResponse = page.waitForResponse('**/api/user_questionnaire');
  await page.keyboard.press('Enter');
  expect((await saveResponse).request().postDataJSON()).toEqual({
    name: 'Ada',
    surname: 'Lovelace',
    website: 'https://shop.example',
  });
}

async function completeProfile(page: Page): Promise<void> {
  await page.waitForURL('**/address');
  await page.getByRole('heading', { level: 1, name: 'Complete Your Profile' }).waitFor();
  await page.getByText('Introduce yourselfdone').waitFor();
  await pressButton(page, 'link', 'Go back');
  await page.waitForURL('**/introduce');
  // Without unsaved changes, navigation works again.
  await page.getByRole('textbox', { name: 'First name' }).waitFor();
  await pressButton(page, 'button', 'Next');
  await page.waitForURL('**/address');
  await pressButton(page, 'button', 'Complete registration');
  await page.getByText('Address is required').waitFor();
  await page.getByText('Please select country to validate Postal/ZIP code').waitFor();

  await typeInto(page, 'Address', 'Storgata 1, Tromsø');
  await page
    .getByRole('option', { name: /Tromsø/ })
    .first()
    .waitFor();
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect
    .poll(() => page.getByRole('textbox', { name: 'City', exact: true }).inputValue())
    .toBe('Tromsø');
  expect(await page.getByRole('textbox', { name: 'Address', exact: true }).inputValue()).toBe(
    'Storgata 1',
  );
  await expect
    .poll(() => page.getByLabel('Time zone', { exact: true }).first().inputValue())
    .toContain('Europe/Oslo');
  await typeInto(page, 'State', 'Troms');
  await typeInto(page, 'Postal/ZIP code', '90');
  await page.keyboard.press('Tab');
  await page.getByText('Invalid Postal/ZIP code').waitFor();
  await typeInto(page, 'Postal/ZIP code', '9008');
  const saveResponse = page.waitForResponse('**/api/account_questionnaire');
  await pressButton(page, 'button', 'Complete registration');
  expect((await saveResponse).request().postDataJSON()).toEqual({
    address: 'Storgata 1',
    city: 'Tromsø',
    state: 'Troms',
    zip_code: '9008',
    country: 'NO',
    timezone: 'Europe/Oslo',
  });
  await page.waitForURL('**/complete-registration');
}

async function verifyEmail(page: Page): Promise<void> {
  await pressButton(page, 'button', 'Verify email address');
  await page.getByRole('dialog', { name: 'Resend the verification link' }).waitFor();
  expect(await findAccessibilityViolations(page)).toEqual([]);
  // For the same address, only the email is sent again. A different address is saved first.
  await pressButton(page, 'button', 'Resend the link');
  await page.getByText('Verification email has been sent to owner@shop.example').waitFor();
  await pressButton(page, 'button', 'Verify email address');
  await typeInto(page, 'Email address', 'ada@shop.example');
  const changeRequest = page.waitForRequest(
    (request) => request.method() === 'PATCH' && request.url().includes('/api/users/'),
  );
  await page.keyboard.press('Enter');
  expect((await changeRequest).postDataJSON()).toEqual({ email: 'ada@shop.example' });
  await page.getByText('Verification email has been sent to ada@shop.example').waitFor();

  const verify = await findLinkMailedTo(product, 'ada@shop.example', 'verify-email');
  const secondPage = await page.context().newPage();
  await secondPage.goto(verify);
  await secondPage.getByText('Email address verified').waitFor();
  await secondPage.close();
  // The first tab may still show the step. Its button first checks the state and then reports that
  // the step is completed.
  let sendResponse = () => {};
  const requestReceived = new Promise<void>((resolve) => {
    sendResponse = resolve;
  });
  await page.route('**/api/users/onboard', async (route) => {
    await requestReceived;
    await route.continue();
  });
  const button = page.getByRole('button', { name: 'Verify email address' });
  if ((await button.count()) > 0) {
    await button.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Checking...' }).waitFor();
    sendResponse();
    await page.getByText('Email already verified!').waitFor();
  }
  sendResponse();
  await page.unrouteAll({ behavior: 'wait' });
  await step(page, 'Confirm your sending domain').getByRole('button').waitFor();
}

async function confirmDomain(page: Page): Promise<void> {
  await pressButton(page, 'button', 'Add domain');
  const dialog = page.getByRole('dialog', { name: 'Add a sending domain' });
  await dialog.waitFor();
  await page.keyboard.type('gmail.com');
  await page.getByText('addresses are not allowed due to DMARC rules').waitFor();
  expect(await dialog.getByRole('button', { name: 'Next' }).isDisabled()).toBe(true);
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await page.keyboard.press('Control+a');
  await page.keyboard.type('shop.example');
  await expect.poll(() => dialog.getByRole('button', { name: 'Next' }).isEnabled()).toBe(true);
  await page.keyboard.press('Enter');
  await page.getByRole('textbox', { name: 'Address for the email' }).waitFor();
  await page.keyboard.type('ada');
  await page.keyboard.press('Enter');
  await page
    .getByText('Domain successfully added. Verification email sent to ada@shop.example.')
    .waitFor();
  await page.getByRole('link', { name: 'Continue with shop.example' }).waitFor();
}

/**
 * Imports a contact and sends a campaign by API calls. The domain is only marked as verified,
 * because DNS records of a nonexistent domain cannot be published.
 */
async function importAndSend(page: Page): Promise<void> {
  const callApi = <Data>(method: 'POST' | 'PUT', path: string, data: object) =>
    call<Data>(page, product, method, `/client-api/api${path}`, data);
  await markDomainVerified(page);
  await page.goto(`${product.address}/complete-registration`);
  await page.getByRole('link', { name: 'Import contacts' }).waitFor();
  await callApi('POST', '/subscribers', { email: 'ben@people.example' });
  const { id, revision } = await callApi<{ id: string; revision: number }>('POST', '/campaigns', {
    title: 'Spring offer',
    subject: 'Spring',
    from_name: 'Ada',
    from_email: 'ada@shop.example',
    reply_to: 'ada@shop.example',
  });

  // The link opens the draft at its next step.
  await page.goto(`${product.address}/complete-registration`);
  await pressButton(page, 'link', 'Continue your draft');
  await page.waitForURL(`**/campaigns/${id}/editor`);
  await callApi('PUT', `/campaigns/${id}/content`, {
    revision,
    editor: 'html',
    html: '<p>Spring is here.</p><a href="{{ unsubscribe_link }}">Unsubscribe</a>',
  });
  await callApi('POST', `/campaigns/${id}/tags/set`, { tags_arr: [], send_to_all: true });
  await callApi('POST', `/campaigns/${id}/schedule`, { schedule_time: null });
  await expect
    .poll(() => flagsOf(page), { timeout: 30_000 })
    .toMatchObject({
      email_sent: true,
      report_viewed: false,
    });
}

function flagsOf(page: Page): Promise<Record<string, boolean>> {
  return call(page, product, 'GET', '/client-api/api/users/onboard');
}

/** Lets the checklist show the domain as verified, because this test has no DNS server. */
async function markDomainVerified(page: Page): Promise<void> {
  await page.route('**/api/users/onboard', async (route) => {
    const response = await route.fetch();
    const body = (await response.json()) as { data: Record<string, boolean> };
    await route.fulfill({
      response: response,
      json: { data: { ...body.data, domain_verified: true } },
    });
  });
}

test('the checklist and the registration forms work in Persian, from right to left, on a phone', async () => {
  const { page, pageErrors } = await newPage(browser, { ...PERSIAN_PHONE, colorScheme: 'dark' });
  await signUp(page, product, 'malek@forushgah.example');
  await page.waitForURL('**/complete-registration');
  const firstLink = page.getByRole('main').getByRole('link', {
    name: onboarding.steps.register.action,
  });
  await firstLink.waitFor();
  expect(await page.getAttribute('html', 'dir')).toBe('rtl');
  await page.getByText('۰ گام از ۶ گام').waitFor();
  expect(await findAccessibilityViolations(page)).toEqual([]);
  expect(await isTooWide(page)).toBe(false);
  await shoot(page, 'checklist-fas');
  await firstLink.click();

  await page.getByRole('button', { name: onboarding.introduce.next }).click();
  await page.getByText(onboarding.introduce.issues.name.required).waitFor();
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await page.getByLabel(onboarding.introduce.name, { exact: true }).fill('سارا');
  await page.getByLabel(onboarding.introduce.surname).fill('احمدی');
  await page.getByLabel(onboarding.introduce.website).fill('https://forushgah.example');
  await shoot(page, 'introduce-fas');
  expect(await isTooWide(page)).toBe(false);
  await page.getByRole('button', { name: onboarding.introduce.next }).click();

  await page.waitForURL('**/address');
  const address = page.getByRole('textbox', { name: accounts.address.address, exact: true });
  await page.getByRole('heading', { level: 1, name: onboarding.address.title }).waitFor();
  await address.pressSequentially('Tehran');
  await page.getByRole('option', { name: /ایران/ }).first().click();
  await expect.poll(() => page.getByLabel(accounts.address.city).inputValue()).toBe('Tehran');
  await address.fill('خیابان ولیعصر ۱۲');
  await page.getByRole('textbox', { name: accounts.address.zip }).fill('1969833313');
  expect(await findAccessibilityViolations(page)).toEqual([]);
  expect(await isTooWide(page)).toBe(false);
  await shoot(page, 'address-fas');
  await page.getByRole('button', { name: onboarding.address.submit }).click();
  await page.waitForURL('**/complete-registration');
  await page.getByText('۱ گام از ۶ گام').waitFor();

  await page.goto(`${product.address}/`);
  await page.getByRole('heading', { level: 1, name: dashboard.title }).waitFor();
  await page.getByRole('link', { name: dashboard.start.goOn }).waitFor();
  expect(await findAccessibilityViolations(page)).toEqual([]);
  expect(await isTooWide(page)).toBe(false);
  await shoot(page, 'dashboard-fas');
  expect(pageErrors).toEqual([]);
  await page.context().close();
});
