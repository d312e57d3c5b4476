// A session in a browser: input survives the end of the session, and the app handles a lost
// connection, keyboard shortcuts, a new version and a missing page.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { findAccessibilityViolations, newPage } from '#testing/setup/browser.ts';
import { openSharedProduct, signIn } from '#testing/setup/journeys.ts';

const EMAIL = 'owner@session.example';
const PASTED = 'ada@example.com\nbob@example.com';

const { product, browser } = await openSharedProduct();

test('input is restored for the same user after a forced sign-out', async () => {
  const { page, pageErrors } = await newPage(browser);
  await page.goto(`${product.address}/auth/sign-up`);
  await signIn(page, EMAIL, 'Create account');
  await page.goto(`${product.address}/subscribers/import/text`);
  await page.getByLabel('Subscribers', { exact: true }).fill(PASTED);
  await endSession(page);
  await page.getByRole('button', { name: 'Continue' }).click();

  await page.getByText('Error occurred: Unauthorized. Please log in or contact support.').waitFor();
  const cookies = await page.context().cookies();
  const reason = cookies.find((cookie) => cookie.name === 'logout_reason');
  expect(reason?.expires).toBeLessThanOrEqual(Date.now() / 1000 + 120);
  expect(cookies.map((cookie) => cookie.name)).not.toContain('token_set_time');
  expect(await findAccessibilityViolations(page)).toEqual([]);

  await page.unrouteAll();
  await signIn(page, EMAIL, 'Sign in');
  await page.waitForURL('**/subscribers/import/text');
  await page.getByText('Your unsaved changes are back.').waitFor();
  expect(await page.getByLabel('Subscribers', { exact: true }).inputValue()).toBe(PASTED);

  // A page whose URL contains `code` does not sign the user out when the server refuses a call.
  await page.goto(`${product.address}/subscribers/import/text?code=abc`);
  await page.getByRole('button', { name: 'Continue' }).waitFor();
  await endSession(page);
  await page.getByLabel('Subscribers', { exact: true }).fill(PASTED);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.waitForResponse('**/auth/api/refresh');
  expect(new URL(page.url()).pathname).toBe('/subscribers/import/text');
  await page.unrouteAll();
  expect(pageErrors).toEqual([]);
  await page.context().close();
});

test('the app handles a lost connection, keyboard shortcuts, a new version and a missing page', async () => {
  const { page, pageErrors } = await newPage(browser);
  await page.goto(`${product.address}/auth`);
  await signIn(page, EMAIL, 'Sign in');
  await page.getByRole('heading', { level: 1 }).waitFor();

  await page.context().setOffline(true);
  await page.getByText('You are offline.').waitFor();
  await page.context().setOffline(false);
  await page.getByText('You are offline.').waitFor({ state: 'detached' });

  // The command palette finds a screen by a part of its name, and Enter opens it.
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search and commands' }).fill('fields');
  await page.locator('[role=option]').first().waitFor();
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await page.waitForURL('**/subscribers/fields');
  await page.getByRole('combobox', { name: 'Search and commands' }).waitFor({ state: 'detached' });
  await page.keyboard.press('?');
  await page.getByRole('table', { name: 'Keyboard shortcuts' }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });

  // A chunk of the app is missing, so a notice counts down and the page reloads automatically.
  await page.clock.install();
  await page.route('**/assets/**', (route) => route.abort());
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByText('The app has been updated. Will reload in').first().waitFor();
  await page.unrouteAll();
  const reload = page.waitForEvent('load', { timeout: 20_000 });
  // The page may unload during the call.
  await Promise.all([reload, page.clock.runFor(12_000).catch(() => undefined)]);
  await page.getByRole('heading', { level: 1 }).waitFor();

  await page.goto(`${product.address}/no/such/page`);
  await page.getByRole('heading', { name: 'Page not found' }).waitFor();
  expect(await page.title()).toBe('Page not found · Sendloom');
  expect(await findAccessibilityViolations(page)).toEqual([]);
  // Errors that the test has provoked are ignored.
  const unexpectedErrors = pageErrors.filter(
    (line) => !/dynamically imported module|ERR_FAILED/.test(line),
  );
  expect(unexpectedErrors).toEqual([]);
  await page.context().close();
});

/** Refuses all calls with 401, as the server does after the end of the session. */
async function endSession(page: Page): Promise<void> {
  const unauthorized = {
    status: 401,
    contentType: 'application/json',
    body: '{"code":"unauthorized"}',
  };
  await page.route(/\/(client-api|auth\/api\/refresh)/, (route) => route.fulfill(unauthorized));
}
