// An owner changes the account, invites a member, verifies a sending domain and creates a token.
// The settings are shown in Persian on a phone, and a member of two accounts switches between them.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { findAccessibilityViolations, newPage } from '#testing/setup/browser.ts';
import { publish } from '#testing/setup/shared-product.ts';
import {
  PASSWORD,
  PERSIAN_PHONE,
  call,
  isTooWide,
  findLinkMailedTo,
  openSharedProduct,
  signUp,
  openScreen,
} from '#testing/setup/journeys.ts';
import accounts from '../locales/fas/accounts.json' with { type: 'json' };
import domains from '../locales/fas/domains.json' with { type: 'json' };

const OWNER = 'settings@shop.example';
const COLLEAGUE = 'cook@shop.example';

const { product, browser } = await openSharedProduct();

test('an owner manages the account, a member, a domain and a token', async () => {
  const { page, pageErrors } = await newPage(browser);
  await signUp(page, product, OWNER);
  await settleAccount(page);
  await inviteColleague(page);
  await proveDomain(page);
  await useToken(page);
  expect(pageErrors).toEqual([]);
  await page.context().close();
});

test('the settings work in Persian on a phone', async () => {
  const { page, pageErrors } = await newPage(browser, PERSIAN_PHONE);
  await signUp(page, product, 'malek@tanzim.example');
  await page.waitForURL(/\/complete-registration$/);
  for (const [path, title] of [
    ['/settings', accounts.account.title],
    ['/settings/user', accounts.profile.title],
    ['/settings/users', accounts.users.title],
    ['/settings/tokens', accounts.tokens.title],
    ['/settings/domains', domains.title],
  ] as const) {
    await openScreen(page, path);
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
    expect(await page.getAttribute('html', 'dir')).toBe('rtl');
    expect(await findAccessibilityViolations(page), path).toEqual([]);
    expect(await isTooWide(page), path).toBe(false);
  }
  expect(pageErrors).toEqual([]);
  await page.context().close();
});

test('a member of two accounts switches between them by keyboard', async () => {
  const { page, pageErrors } = await newPage(browser);
  const bo = 'bo@cake.example';
  await signUp(page, product, bo);
  const owner = await newPage(browser);
  await signUp(owner.page, product, 'lee@cake.example');
  const api = '/client-api/api';
  await call(owner.page, product, 'PATCH', `${api}/accounts`, { title: 'Cake House' });
  await call(owner.page, product, 'POST', `${api}/invitations`, { email: bo });
  await owner.page.context().close();

  // The second tab shows the first account and reloads once the user joins the other account.
  const secondTab = await page.context().newPage();
  await secondTab.goto(`${product.address}/settings/user`);
  await secondTab.getByRole('button', { name: bo }).waitFor();
  const reload = secondTab.waitForEvent('load');

  await page.goto(await findLinkMailedTo(product, bo, 'accept-invitation'));
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Accept the invitation' }).click();
  await reload;
  await page.getByRole('button', { name: bo }).press('Enter');
  const ownAccount = page.getByRole('menuitemradio', { name: `Account of ${bo}` });
  await ownAccount.waitFor();
  const joinedAccount = page.getByRole('menuitemradio', { name: 'Cake House' });
  expect(await joinedAccount.getAttribute('aria-checked')).toBe('true');
  expect(await findAccessibilityViolations(page)).toEqual([]);
  const switchResponse = page.waitForResponse(
    (response) =>
      response.request().method() === 'POST' && response.url().endsWith('/users/accounts'),
  );
  const load = page.waitForEvent('load');
  await ownAccount.press('Enter');
  expect((await switchResponse).status()).toBe(200);
  await load;
  await openScreen(page, '/settings/account');
  await page.getByLabel('Company name').waitFor();
  expect(await page.getByLabel('Company name').inputValue()).toBe('');
  expect(pageErrors).toEqual([]);
  await page.context().close();
});

async function settleAccount(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.waitForURL(/\/settings\/account$/);
  await page.getByLabel('Company name').fill('Tea House');
  await page.getByLabel('Website').fill('http://192.168.1.1');
  await page.getByRole('button', { name: 'Save' }).first().click();
  await page.getByText('Please provide valid URL with https or http protocol').waitFor();
  await page.getByLabel('Website').fill('https://settings-tea.example');
  await page.getByRole('button', { name: 'Save' }).first().click();
  await page.getByText('Saved', { exact: true }).waitFor();
  await openZones(page);
  expect(await findAccessibilityViolations(page)).toEqual([]);
}

/**
 * Saves a time zone that is far from both ends of the list, and checks that the reopened list has
 * scrolled to it.
 */
async function openZones(page: Page): Promise<void> {
  const section = page.getByRole('region', { name: 'Time and language' });
  const field = section.getByLabel('Time zone', { exact: true }).first();
  await field.click();
  await field.fill('Brisbane');
  await field.press('Enter');
  await section.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('listbox').waitFor({ state: 'hidden' });
  await field.click();
  const option = page.getByRole('option', { name: /Brisbane/ });
  await expect.poll(() => option.evaluate(isInView)).toBe(true);
  await field.press('Escape');
  await page.getByRole('listbox').waitFor({ state: 'hidden' });
}

/**
 * Runs in the page. @returns whether the option is, to the pixel, within the visible box of its
 * scrolled list
 */
function isInView(option: Element): boolean {
  const list = option.closest('[role=listbox]');
  if (!list || list.scrollHeight <= list.clientHeight || list.scrollTop === 0) return false;
  const [box, optionBox] = [list.getBoundingClientRect(), option.getBoundingClientRect()];
  return optionBox.top >= box.top - 1 && optionBox.bottom <= box.bottom + 1;
}

async function inviteColleague(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Users', exact: true }).click();
  await page.getByRole('button', { name: 'Invite a user' }).click();
  await page.getByRole('dialog').getByLabel('Email address').fill(COLLEAGUE);
  await page.getByRole('button', { name: 'Send invitation' }).click();
  await page.getByText(`Invitation sent to ${COLLEAGUE}`).waitFor();
  await page.getByRole('heading', { name: 'Pending invitations' }).waitFor();
  expect(await findAccessibilityViolations(page)).toEqual([]);

  const guest = await newPage(browser);
  await guest.page.goto(await findLinkMailedTo(product, COLLEAGUE, 'accept-invitation'));
  await guest.page.getByRole('heading', { name: 'Join Tea House' }).waitFor();
  expect(await findAccessibilityViolations(guest.page)).toEqual([]);
  await guest.page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await guest.page.getByRole('button', { name: 'Accept the invitation' }).click();
  await guest.page.getByRole('button', { name: COLLEAGUE }).waitFor();
  expect(guest.pageErrors).toEqual([]);
  await guest.page.context().close();

  await page.reload();
  await page.getByRole('link', { name: COLLEAGUE }).waitFor();
  expect(await page.getByRole('heading', { name: 'Pending invitations' }).count()).toBe(0);
}

async function proveDomain(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Sending domains' }).click();
  await page.getByRole('button', { name: 'Add domain' }).first().click();
  const next = page.getByRole('button', { name: 'Next' });
  await page.getByLabel('Domain', { exact: true }).fill('gmail.com');
  await page.getByText('gmail.com addresses are not allowed due to DMARC rules').waitFor();
  expect(await next.isDisabled()).toBe(true);
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await page.getByLabel('Domain', { exact: true }).fill('settings-tea.example');
  await next.click();
  await page.getByLabel('Address for the email').fill('news');
  await page.getByRole('button', { name: 'Add', exact: true }).click();
  await page
    .getByText('Domain successfully added. Verification email sent to news@settings-tea.example.')
    .waitFor();

  const reader = await newPage(browser);
  await reader.page.goto(
    await findLinkMailedTo(product, 'news@settings-tea.example', 'confirm-domain'),
  );
  await reader.page.getByRole('heading', { name: 'Domain confirmed' }).waitFor();
  expect(reader.pageErrors).toEqual([]);
  await reader.page.context().close();

  await page.getByRole('heading', { name: 'DNS records to publish' }).waitFor();
  await page.getByRole('button', { name: 'Check again' }).click();
  await page.getByText('Not found').first().waitFor();
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await publishShownRecords(page);
  await page.getByRole('button', { name: 'Check again' }).click();
  await page.getByText('Verified', { exact: true }).waitFor();
  await page.getByText("The DKIM signature is your domain's").waitFor();
}

/** Copies each record from the screen to the DNS server, as an owner would. */
async function publishShownRecords(page: Page): Promise<void> {
  const names: string[] = [];
  for (const card of await page.locator('main li').filter({ hasText: 'DKIM signature' }).all()) {
    const [, name = '', value = ''] = await card.locator('code').allTextContents();
    publish(product, name, { TXT: [value] });
    names.push(name);
  }
  expect(names).toEqual([
    'sl1._domainkey.settings-tea.example',
    'sl2._domainkey.settings-tea.example',
  ]);
}

async function useToken(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'API access tokens' }).click();
  await page.getByRole('button', { name: 'Create token' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Title').fill('Shop');
  await dialog.getByLabel('7 days').check();
  await dialog.getByRole('button', { name: 'Create token' }).click();
  const token = await dialog.locator('code').textContent();
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'I have stored it' }).click();
  expect(await statusWith(token)).toBe(200);
  await page.reload();
  const row = page.getByRole('row').filter({ hasText: 'Shop' });
  await row.waitFor();
  expect(await row.textContent()).not.toContain('Never');
  await page.getByRole('button', { name: 'Actions for Shop' }).click();
  await page.getByRole('menuitem', { name: 'Revoke' }).waitFor();
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await page.getByRole('menuitem', { name: 'Revoke' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('“Shop” was revoked').waitFor();
  expect(await statusWith(token)).toBe(401);
}

async function statusWith(token: string | null): Promise<number> {
  const headers = { authorization: `Bearer ${token}` };
  return (await fetch(`${product.address}/client-api/api/users`, { headers })).status;
}
