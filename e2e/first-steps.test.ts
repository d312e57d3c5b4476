// An owner signs up on an empty installation, remains signed in after a crash of the product, and
// signs in again. The sign-up also works in Persian on a phone.
import { expect, test } from 'vitest';
import { findAccessibilityViolations, newPage } from '#testing/setup/browser.ts';
import { isTooWide, openWholeProduct, PASSWORD, signIn } from '#testing/setup/journeys.ts';
import accounts from '../locales/fas/accounts.json' with { type: 'json' };
import platform from '../locales/fas/platform.json' with { type: 'json' };

const EMAIL = 'owner@shop.example';

const { product, browser } = await openWholeProduct();

test('an owner signs up, stays signed in after a server crash, and signs out and in again', async () => {
  const { page, pageErrors } = await newPage(browser);
  // There is no owner yet, so the first page is the sign-up.
  await page.goto(product.address);
  await page.waitForURL('**/auth/sign-up');
  await page.getByRole('heading', { name: 'Create an account' }).waitFor();
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await signIn(page, EMAIL, 'Create account');
  const menu = page.getByRole('button', { name: EMAIL });
  expect(await findAccessibilityViolations(page)).toEqual([]);

  await product.kill('SIGKILL');
  await product.start();
  await page.reload();
  await menu.click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();

  await page.getByLabel('Email address').fill(EMAIL);
  await page.getByLabel('Password', { exact: true }).fill('not this one at all');
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByText('The email address or the password is wrong').waitFor();
  await signIn(page, EMAIL, 'Sign in');
  expect(pageErrors).toEqual([]);
  await page.context().close();
});

test('sign-up works right-to-left in Persian on a phone', async () => {
  const { page, pageErrors } = await newPage(browser, {
    locale: 'fa-IR',
    viewport: { width: 360, height: 740 },
    hasTouch: true,
    isMobile: true,
  });
  await page.goto(`${product.address}/auth/sign-up`);
  await page.getByRole('heading', { name: accounts.signUp.title }).waitFor();
  expect(await page.getAttribute('html', 'dir')).toBe('rtl');
  expect(await findAccessibilityViolations(page)).toEqual([]);
  expect(await isTooWide(page)).toBe(false);
  await page.getByLabel(accounts.fields.email).fill('malek@forushgah.example');
  await page.getByLabel(accounts.fields.password, { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: accounts.signUp.submit }).click();
  await page.getByRole('button', { name: platform.shell.openNavigation }).waitFor();
  expect(await page.getAttribute('html', 'dir')).toBe('rtl');
  expect(await findAccessibilityViolations(page)).toEqual([]);
  expect(await isTooWide(page)).toBe(false);
  expect(pageErrors).toEqual([]);
  await page.context().close();
});
