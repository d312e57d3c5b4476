// An owner creates their first popup in Persian, with a new group, a code and double opt-in, in at
// most 20 clicks. A visitor confirms and gets the code.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import {
  findAccessibilityViolations,
  MOVING,
  newPage,
  waitUntilQuiet,
} from '#testing/setup/browser.ts';
import {
  findConfirmLink,
  openCustomerSite,
  READING_MS,
  renderShopPage,
} from '#testing/servers/customer-site.ts';
import { call, openSharedProduct, shoot, signUp, openScreen } from '#testing/setup/journeys.ts';
import fas from '../locales/fas/forms.json' with { type: 'json' };
import builder from '../locales/fas/forms-builder.json' with { type: 'json' };
import platform from '../locales/fas/platform.json' with { type: 'json' };

const { product, browser } = await openSharedProduct();
const { pages, address: shop } = await openCustomerSite();
const API = '/client-api/api/forms';
const MAX_CLICKS = 20;

type FormResponse = {
  id: string;
  is_active: boolean;
  embed_script: string;
  preview_key: string;
  settings: object;
  groups: { title: string }[];
};

/** Counts the clicks of the pointer on all pages of the tab, including frames. */
async function countClicks(page: Page): Promise<() => Promise<number>> {
  let clicks = 0;
  await page.exposeFunction('countClick', () => {
    clicks += 1;
  });
  await page.addInitScript(() => {
    addEventListener(
      'click',
      ({ detail }) => {
        if (detail > 0) (top as unknown as { countClick(): void }).countClick();
      },
      true,
    );
  });
  return async () => clicks;
}

/** Waits for an email with the code. @returns its source */
async function codeEmailTo(email: string): Promise<string> {
  const box = `${product.address}/inbox/api/messages`;
  let link = '';
  const readInbox = async () => {
    const list = await fetch(`${box}?limit=5&to=${encodeURIComponent(email)}`);
    const { data } = (await list.json()) as { data: { id: number }[] };
    for (const { id } of data) {
      const source = await (await fetch(`${box}/${id}`)).text();
      if (source.includes('TEA10')) link = source;
    }
    return link;
  };
  await expect.poll(readInbox, { timeout: 60_000, interval: 500 }).toContain('TEA10');
  return link;
}

test('the first popup with a new group, a code and double opt-in takes at most 20 clicks', async () => {
  const { page, pageErrors } = await newPage(browser, {
    locale: 'fa-IR',
    viewport: { width: 1280, height: 900 },
  });
  await signUp(page, product, 'owner@first-popup.example');
  const clicks = await countClicks(page);
  await page.goto(`${product.address}/dashboard`);
  const press = (name: string) => page.getByRole('button', { name, exact: true }).first().click();
  await page.getByRole('link', { name: fas.title, exact: true }).first().click();
  await page.getByRole('link', { name: fas.create.title }).first().click();
  await page.getByRole('button', { name: new RegExp(`^${fas.types.popup}`) }).click();
  await press(fas.layouts['picture-top']);
  await press(fas.create.confirm);
  await page.waitForURL(/\/forms\/builder\/[\w-]+/);
  await press(builder.tour.skip);
  await page.getByText(builder.advice.code).waitFor();
  await page.getByRole('tab', { name: builder.tabs.settings }).click();
  await page.getByRole('combobox', { name: builder.settings.groupsLabel }).click();
  await page.keyboard.type('خوانندگان');
  const create = platform.selects.create.replace('{{text}}', 'خوانندگان');
  await page.getByRole('option', { name: create }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByText('خوانندگان', { exact: true }).first().waitFor();
  await page.getByRole('switch', { name: builder.settings.doubleOptIn }).click();
  const sender = page.getByRole('textbox', { name: builder.settings.fromEmail });
  expect(await sender.inputValue()).toBe('owner@first-popup.example');
  await page.getByRole('tab', { name: builder.tabs.success }).click();
  await page.getByRole('button', { name: 'Use it at checkout:' }).first().click();
  await page.getByRole('textbox', { name: builder.coupon.prize }).click();
  await page.keyboard.type('10% off');
  await page.keyboard.press('Tab');
  await page.getByRole('textbox', { name: builder.coupon.code }).click();
  await page.keyboard.type('TEA10');
  await waitUntilQuiet(page);
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await shoot(page, 'first-popup-success');
  await page.getByRole('switch', { name: builder.on, exact: true }).click();
  await page.getByText(builder.turned.on).waitFor({ timeout: 30_000 });
  const count = await clicks();
  expect(count).toBeLessThanOrEqual(MAX_CLICKS);
  expect(count).toBeGreaterThan(10);

  const [{ id } = { id: '' }] = await call<FormResponse[]>(page, product, 'GET', API);
  const form = await call<FormResponse>(page, product, 'GET', `${API}/${id}`);
  expect(form.groups).toMatchObject([{ title: 'خوانندگان' }]);
  const tag = form.embed_script.replace(/https?:\/\/[^/]+/, product.address);
  pages.set('/', { html: renderShopPage('', `<style>body{font-family:Georgia}</style>${tag}`) });
  const { page: visitor, pageErrors: visitorErrors } = await newPage(browser, MOVING);
  const join = async (email: string) => {
    await visitor.getByRole('heading', { name: '10% off your first order' }).waitFor({
      timeout: 30_000,
    });
    await visitor.waitForTimeout(READING_MS);
    await visitor.getByRole('textbox', { name: 'Email' }).fill(email);
    await visitor.getByRole('button', { name: 'Sign up' }).click();
  };
  await visitor.goto(shop);
  await join('ann@first-popup.example');
  await visitor.getByRole('heading', { name: 'Check your inbox' }).waitFor();
  const font = await visitor
    .getByRole('heading', { name: 'Check your inbox' })
    .evaluate((heading) => getComputedStyle(heading).fontFamily);
  expect(font).toBe('Georgia');
  expect(await visitor.getByText('TEA10').count()).toBe(0);
  await shoot(visitor, 'first-popup-inbox');
  await visitor.goto(await findConfirmLink(product, 'ann@first-popup.example'));
  const button = visitor.getByRole('main').getByRole('button');
  if ((await button.count()) > 0) await button.click();
  await visitor.getByRole('heading', { name: /on the list/ }).waitFor();
  await shoot(visitor, 'first-popup-confirmed');
  expect(await codeEmailTo('ann@first-popup.example')).toContain('10% off');

  // Without double opt-in, the site shows the code, which can be copied.
  await call(page, product, 'PATCH', `${API}/${id}`, {
    settings: { double_opt_in: false },
    is_active: 1,
  });
  await visitor.evaluate('localStorage.clear()').catch(() => undefined);
  await visitor.context().clearCookies();
  const { preview_key: key } = await call<FormResponse>(page, product, 'GET', `${API}/${id}`);
  await visitor.goto(`${shop}/?sendloom_preview=${key}`);
  await join('ben@first-popup.example');
  await visitor.getByText('10% off', { exact: true }).waitFor();
  expect(await visitor.locator('output').textContent()).toBe('TEA10');
  await visitor.getByRole('button', { name: 'Copy' }).click();
  await visitor.getByRole('button', { name: 'Copied' }).waitFor();
  await shoot(visitor, 'first-popup-code');

  await page.goto(`${product.address}/forms/${id}/view`);
  await page.getByText(new URL(shop).host).first().waitFor();
  await waitUntilQuiet(page);
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await shoot(page, 'first-popup-view');
  await openScreen(page, '/forms');
  await page.getByRole('row').nth(1).waitFor();
  await waitUntilQuiet(page);
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await shoot(page, 'first-popup-list');
  expect([...pageErrors, ...visitorErrors]).toEqual([]);
}, 240_000);
