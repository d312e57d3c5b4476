// The preference page fits on a phone in every language. A subscriber sets preferences without
// scripts, and the owner sees them.
import { expect, test } from 'vitest';
import { getInstallationTokens } from '#areas/tracking/server/index.ts';
import { decodeId } from '#platform/ids.ts';
import { DIRECTION, LANGUAGES, LOCALE } from '#platform/languages.ts';
import { configureSecrets } from '#platform/server/secrets.ts';
import { findAccessibilityViolations, newPage } from '#testing/setup/browser.ts';
import { openSharedProduct } from '#testing/setup/journeys.ts';

const headers = { 'x-sendloom': '1' };

const { product, browser } = await openSharedProduct();
configureSecrets(product.secret);

test('preferences that a subscriber sets without scripts are shown to the owner', async () => {
  const owner = (await browser.newContext({ baseURL: product.address })).request;
  const call = async (method: 'post' | 'patch' | 'get', url: string, data?: object) => {
    const response = await owner[method](url, { headers, ...(data ? { data } : {}) });
    expect(response.ok(), `${method} ${url}: ${response.status()}`).toBe(true);
    return (await response.json()).data;
  };
  const signUp = await call('post', '/auth/api/sign-up', {
    email: 'owner@club.example',
    password: 'a tall glass of cold water',
  });
  const account = decodeId('account', signUp.account.id) as number;
  const tag = await call('post', '/client-api/api/tags', { title: 'Tea & cakes' });
  await call('patch', `/client-api/api/tags/${tag.id}`, { is_public: true });
  const createdSubscriber = await call('post', '/client-api/api/subscribers', {
    email: 'ada@x.example',
  });
  const subscriber = decodeId('subscriber', createdSubscriber.id) as number;
  const token = getInstallationTokens().make({
    account,
    message: 1_000_000,
    subscriber,
    ordinal: 1,
  });

  for (const language of LANGUAGES) {
    await call('patch', '/client-api/api/accounts', { language });
    const { page, pageErrors } = await newPage(browser, {
      viewport: { width: 390, height: 844 },
      colorScheme: language === 'fas' ? 'dark' : 'light',
    });
    for (const path of [`/u/${token}`, `/u/${token}/preferences`]) {
      await page.goto(product.address + path);
      expect(await page.getAttribute('html', 'dir')).toBe(DIRECTION[language]);
      expect(await page.getAttribute('html', 'lang')).toBe(LOCALE[language]);
      expect(await findAccessibilityViolations(page)).toEqual([]);
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      expect(width, `${language} ${path} is wider than the phone`).toBeLessThanOrEqual(390);
    }
    expect(pageErrors).toEqual([]);
    await page.context().close();
  }

  await call('patch', '/client-api/api/accounts', { language: 'eng' });
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`${product.address}/u/${token}`);
  await page.getByRole('link', { name: 'Choose what you receive instead' }).click();
  await page.getByLabel('Tea & cakes').check();
  await page.getByLabel('Send me no news for 30 days').check();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { name: 'Your choice is saved' }).waitFor();
  expect(await page.getByLabel(/Send me no news until/).isChecked()).toBe(true);
  const group = await call('get', `/client-api/api/tags/${tag.id}`);
  expect(group.recipient_count).toBe(1);
  await page.getByRole('link', { name: 'Unsubscribe from all news' }).click();
  await page.getByRole('button', { name: 'Unsubscribe' }).click();
  await page.getByRole('heading', { name: 'You are unsubscribed' }).waitFor();
  const updatedSubscriber = await call(
    'get',
    `/client-api/api/subscribers/${createdSubscriber.id}`,
  );
  expect(updatedSubscriber.status.email).toBe('unsubscribed');
  await context.close();
});
