// Passkeys with an authenticator in the browser are added, used to sign in, and removed. They are
// also added and used in Persian on a phone.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { findAccessibilityViolationsInBothThemes, newPage } from '#testing/setup/browser.ts';
import {
  isTooWide,
  openSharedProduct,
  PASSWORD,
  PERSIAN_PHONE,
  shoot,
  signUp,
} from '#testing/setup/journeys.ts';
import accounts from '../locales/fas/accounts.json' with { type: 'json' };

const { product, browser } = await openSharedProduct();

/**
 * Adds a platform authenticator with user verification; `list` makes autofill offer its passkeys.
 */
async function withAuthenticator(page: Page) {
  // The authenticator confirms the first request, so the browser's autofill is enabled only if a
  // test needs it. Otherwise it would race with the button.
  await page.addInitScript(() => {
    const isListed = () => sessionStorage.getItem('has list') !== null;
    PublicKeyCredential.isConditionalMediationAvailable = async () => isListed();
  });
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('WebAuthn.enable');
  const { authenticatorId } = await cdp.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  return {
    verify: (isUserVerified: boolean) =>
      cdp.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
    /** Sets whether autofill offers passkeys, for the pages that are opened next. */
    list: (isListed: boolean) =>
      page.evaluate(
        (isOn) =>
          isOn ? sessionStorage.setItem('has list', '') : sessionStorage.removeItem('has list'),
        isListed,
      ),
  };
}

async function addPasskey(page: Page, labels: { add: string; go: string; kept: string }) {
  await page.goto(`${product.address}/settings/user`);
  await page.getByRole('button', { name: labels.add }).click();
  const dialog = page.getByRole('dialog');
  await dialog.locator('input').fill(PASSWORD);
  await dialog.getByRole('button', { name: labels.go }).click();
  await dialog.getByRole('button', { name: labels.kept }).waitFor();
  expect(await dialog.locator('li').count()).toBe(10);
  expect(await findAccessibilityViolationsInBothThemes(page)).toEqual([]);
  await dialog.getByRole('button', { name: labels.kept }).click();
}

async function signOut(page: Page): Promise<void> {
  // An open page reacts to the end of its session automatically, so a different page is opened
  // first.
  await page.goto(`${product.address}/health`);
  await page.request.post(`${product.address}/auth/api/sign-out`, {
    headers: { 'x-sendloom': '1' },
  });
  await page.goto(`${product.address}/auth`);
}

test('a passkey is added, signs in without typing, coexists with the password, and is removed', async () => {
  const { page, pageErrors } = await newPage(browser);
  const device = await withAuthenticator(page);
  const email = 'owner@finger.example';
  await signUp(page, product, email);
  await addPasskey(page, { add: 'Add a passkey', go: 'Continue', kept: 'I have stored them' });
  const passkeyList = page.getByRole('list', { name: 'Passkeys' });
  await passkeyList.getByText('Chrome on Linux').waitFor();
  await page.getByText('Recovery codes left: 10').waitFor();
  expect(await findAccessibilityViolationsInBothThemes(page)).toEqual([]);
  await passkeyList.scrollIntoViewIfNeeded();
  await shoot(page, 'passkeys-1280');

  await signOut(page);
  await device.verify(false);
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await page.getByText('The passkey was not used').waitFor();
  expect(await findAccessibilityViolationsInBothThemes(page)).toEqual([]);
  await shoot(page, 'sign-in-passkey');
  await device.verify(true);
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await page.getByRole('button', { name: email }).waitFor();

  // The passkey is selected in the browser's autofill of the address, without a button.
  await device.list(true);
  await signOut(page);
  await page.getByRole('button', { name: email }).waitFor();
  await device.list(false);

  // The password alone requires a second factor, but the passkey does not.
  await signOut(page);
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByLabel('Code').waitFor();
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await page.getByRole('button', { name: email }).waitFor();

  await page.goto(`${product.address}/settings/user`);
  await passkeyList.getByRole('button').click();
  await page.getByRole('menuitem', { name: 'Rename' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('My laptop');
  await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
  await passkeyList.getByText('My laptop').waitFor();
  await passkeyList.getByRole('button').click();
  await page.getByRole('menuitem', { name: 'Remove passkey' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.locator('input').fill(PASSWORD);
  await dialog.getByRole('button', { name: 'Remove passkey' }).click();
  await passkeyList.waitFor({ state: 'detached' });
  await signOut(page);
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('button', { name: email }).waitFor();
  expect(pageErrors).toEqual([]);
  await page.context().close();
});

test('passkeys work in Persian on a phone', async () => {
  const { page, pageErrors } = await newPage(browser, PERSIAN_PHONE);
  await withAuthenticator(page);
  await signUp(page, product, 'malek@angosht.example');
  const { passkeys, twoFactor } = accounts;
  await addPasskey(page, { add: passkeys.add, go: twoFactor.go, kept: twoFactor.kept });
  const passkeyList = page.getByRole('list', { name: passkeys.title });
  await passkeyList.scrollIntoViewIfNeeded();
  expect(await findAccessibilityViolationsInBothThemes(page)).toEqual([]);
  expect(await isTooWide(page)).toBe(false);
  await shoot(page, 'passkeys-390-fas');
  await signOut(page);
  await page.getByRole('button', { name: passkeys.signIn }).waitFor();
  expect(await findAccessibilityViolationsInBothThemes(page)).toEqual([]);
  await shoot(page, 'sign-in-390-fas');
  await page.getByRole('button', { name: passkeys.signIn }).click();
  await page.waitForURL((url) => !url.pathname.startsWith('/auth'));
  expect(pageErrors).toEqual([]);
  await page.context().close();
});
