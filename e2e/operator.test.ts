// The operator sees the state of the installation, finds an account and suspends it. Then the page
// is shown in Persian on a phone.
import { expect, test } from 'vitest';
import { findAccessibilityViolations, newPage } from '#testing/setup/browser.ts';
import {
  isTooWide,
  findLinkMailedTo,
  openSharedProduct,
  PERSIAN_PHONE,
  shoot,
  signUp,
} from '#testing/setup/journeys.ts';
import operator from '../locales/fas/operator.json' with { type: 'json' };

const { product, browser } = await openSharedProduct();
const OPERATOR = 'operator@shop.example';
const PERSIAN_OPERATOR = 'gardanande@forushgah.example';

test('the operator sees the processes and the disk, suspends an account and reactivates it', async () => {
  const watched = await newPage(browser);
  await signUp(watched.page, product, 'watched@shop.example');
  await watched.page.goto(`${product.address}/operator`);
  await watched.page.getByRole('heading', { name: 'Page not found' }).waitFor();

  const { page, pageErrors } = await newPage(browser);
  await signUp(page, product, OPERATOR);
  await page.goto(await findLinkMailedTo(product, OPERATOR, 'verify-email'));
  await page.waitForLoadState('networkidle');
  await page.goto(`${product.address}/operator`);
  const roles = page.getByRole('region', { name: 'Processes' });
  for (const name of ['Web', 'Worker', 'Sender']) {
    await roles.getByText(name, { exact: true }).first().waitFor();
  }
  await page.getByText('Disk space left').waitFor();
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await shoot(page, 'operator');

  await page.getByRole('link', { name: 'Accounts' }).click();
  await page.getByRole('searchbox').fill('watched@');
  await page.getByRole('link', { name: /watched@shop/ }).click();
  await page.getByRole('button', { name: 'Suspend' }).click();
  await page.getByLabel('Reason').fill('Bought lists');
  await page.getByRole('dialog').getByRole('button', { name: 'Suspend' }).click();
  await page.getByText('Bought lists').waitFor();
  await shoot(page, 'operator-account');
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await watched.page.goto(`${product.address}/settings/billing`);
  await watched.page.getByText('This account is suspended', { exact: false }).waitFor();
  await page.getByRole('button', { name: 'End suspension' }).click();
  await page.getByRole('button', { name: 'Suspend' }).waitFor();
  expect(pageErrors).toEqual([]);
  await page.context().close();
  await watched.page.context().close();
});

test('the operator’s page works in Persian on a phone', async () => {
  const { page, pageErrors } = await newPage(browser, PERSIAN_PHONE);
  await signUp(page, product, PERSIAN_OPERATOR);
  await page.goto(await findLinkMailedTo(product, PERSIAN_OPERATOR, 'verify-email'));
  await page.waitForLoadState('networkidle');
  for (const [path, name] of [
    ['/operator', operator.title],
    ['/operator/accounts', operator.title],
  ] as const) {
    await page.goto(product.address + path);
    await page.getByRole('heading', { level: 1, name }).waitFor();
    await page.waitForLoadState('networkidle');
    expect(await findAccessibilityViolations(page), path).toEqual([]);
    expect(await isTooWide(page), path).toBe(false);
    await shoot(page, `operator-fas${path.replaceAll('/', '-')}`);
  }
  expect(pageErrors).toEqual([]);
  await page.context().close();
});
