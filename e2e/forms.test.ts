// Forms on pages of others: a plain one, one with hostile styles, one with a strict policy, one that changes
// its address by script; a wheel; the hosted page. Each on an origin that is not the product's.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { accessFaults, newPage } from '#testing/browser.ts';
import { openCustomerSite, shopPage as page } from '#testing/customer-site.ts';
import { call, isTooWide, openStage, PERSIAN_PHONE, shoot, signUp } from '#testing/journeys.ts';

const { product, browser } = await openStage();
const { pages, address: shopAddress } = await openCustomerSite();
const API = '/client-api/api/forms';

type Form = {
  id: string;
  embed_script: string;
  hosted_url: string;
  settings: { embed_hash: string };
};

/** An owner's form, published; `arrived` waits until somebody is among the owner's people. */
async function makeForm(
  email: string,
  body: object,
  settings: object = {},
): Promise<Form & { arrived(address: string): Promise<void> }> {
  const { page: owner } = await newPage(browser);
  await signUp(owner, product, email);
  const made = await call<Form>(owner, product, 'POST', API, { title: 'News', ...body });
  const form = await call<Form>(owner, product, 'PATCH', `${API}/${made.id}`, {
    settings,
    is_active: 1,
  });
  return {
    ...form,
    async arrived(address) {
      const list = `/client-api/api/subscribers?search=${encodeURIComponent(address)}`;
      const find = () => call<{ email: string }[]>(owner, product, 'GET', list);
      await expect.poll(async () => (await find()).map((one) => one.email)).toEqual([address]);
      await owner.context().close();
    },
  };
}

/** People take their time; whoever is quicker than them is taken for a program. */
const READING_MS = 2_000;

const scriptOf = (form: Form) => form.embed_script.replace(/https?:\/\/[^/]+/, product.address);

async function fill(visitor: Page, email: string): Promise<void> {
  await visitor.waitForTimeout(READING_MS);
  await visitor.getByRole('textbox', { name: 'Email' }).fill(email);
}

test('a popup on a plain page: waits, refuses nonsense, thanks, and comes no more', async () => {
  const form = await makeForm(
    'plain@forms.example',
    { type: 'popup', layout: 'card' },
    { delay_amount: 1 },
  );
  pages.set('/plain', { html: page('', scriptOf(form)) });
  const { page: visitor, wrong } = await newPage(browser);
  await visitor.goto(`${shopAddress}/plain`);
  const dialog = visitor.getByRole('dialog');
  expect(await dialog.count()).toBe(0);
  await visitor.getByRole('heading', { name: 'Be the first to know' }).waitFor();
  expect(await visitor.evaluate(() => Object.keys(localStorage))).toEqual([]);
  expect(await accessFaults(visitor)).toEqual([]);
  await shoot(visitor, 'forms-popup');
  await fill(visitor, 'nonsense');
  await visitor.getByRole('button', { name: 'Sign up' }).click();
  await visitor.getByText('Please enter a valid email address').waitFor();
  await fill(visitor, 'ada@visitor.example');
  await visitor.keyboard.press('Enter');
  await visitor.getByText('You are on the list. Welcome.').waitFor({ timeout: 60_000 });
  await visitor.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await visitor.reload();
  await visitor.waitForTimeout(2_500);
  expect(await dialog.count()).toBe(0);
  await form.arrived('ada@visitor.example');
  expect(wrong).toEqual([]);
  await visitor.context().close();
});

test('two embeds under hostile styles and a strict policy, on a page that changes its address', async () => {
  const form = await makeForm('strict@forms.example', { type: 'embed', layout: 'stacked' });
  const place = `<div class="sender-form-field" data-sender-form-id="${form.settings.embed_hash}"></div>`;
  pages.set('/strict', {
    html: page(
      place,
      `<style>*{color:red!important;font-size:40px!important;display:block}input{display:none!important}</style>${scriptOf(form)}${scriptOf(form)}`,
    ),
    policy: `default-src 'none'; script-src ${product.address}; connect-src ${product.address}; style-src 'unsafe-inline'; base-uri 'none'`,
  });
  const { page: visitor, wrong } = await newPage(browser);
  await visitor.goto(`${shopAddress}/strict`);
  const field = visitor.getByRole('textbox', { name: 'Email' });
  await field.waitFor();
  expect(await field.count()).toBe(1);
  expect(await field.evaluate((input) => getComputedStyle(input).fontSize)).toBe('16px');
  // The place goes with its screen, and another comes.
  await visitor.evaluate((html) => {
    document.querySelector('main')?.replaceChildren();
    history.pushState({}, '', '/strict?screen=2');
    document.querySelector('main')?.insertAdjacentHTML('beforeend', html);
  }, place);
  await field.waitFor();
  await shoot(visitor, 'forms-embed');
  await fill(visitor, 'bo@visitor.example');
  await visitor.getByRole('button', { name: 'Sign up' }).click();
  await visitor.getByText('You are on the list. Welcome.').waitFor({ timeout: 60_000 });
  await form.arrived('bo@visitor.example');
  expect(wrong).toEqual([]);
  await visitor.context().close();
});

test('the wheel on a phone with little motion: spun once, its code stands on the page', async () => {
  const form = await makeForm(
    'wheel@forms.example',
    { type: 'spinToWin', layout: 'wheel-above' },
    { delay_amount: 0 },
  );
  pages.set('/wheel', { html: page('', scriptOf(form)) });
  const { page: visitor, wrong } = await newPage(browser, {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
    reducedMotion: 'reduce',
  });
  await visitor.goto(`${shopAddress}/wheel`);
  await visitor.getByRole('heading', { name: 'Spin and win' }).waitFor();
  expect(await accessFaults(visitor)).toEqual([]);
  expect(await isTooWide(visitor)).toBe(false);
  await shoot(visitor, 'forms-wheel');
  await fill(visitor, 'cy@visitor.example');
  await visitor.getByRole('checkbox').check();
  await visitor.getByRole('button', { name: 'Spin the wheel' }).tap();
  await visitor.getByRole('heading', { name: 'Your prize' }).waitFor({ timeout: 60_000 });
  expect(await visitor.locator('output').textContent()).toMatch(/SPIN|Not this time/);
  await form.arrived('cy@visitor.example');
  expect(wrong).toEqual([]);
  await visitor.context().close();
});

test('a wheel’s hosted page turns, shows what was won, and says so to screen readers', async () => {
  const form = await makeForm('hosted-wheel@forms.example', {
    type: 'spinToWin',
    layout: 'wheel-beside',
  });
  const { page: visitor, wrong } = await newPage(browser, { reducedMotion: 'reduce' });
  await visitor.goto(form.hosted_url.replace(/https?:\/\/[^/]+/, product.address));
  await visitor.locator('.wheel svg').waitFor();
  expect(await accessFaults(visitor)).toEqual([]);
  await shoot(visitor, 'forms-hosted-wheel');
  await visitor.setViewportSize({ width: 390, height: 844 });
  expect(await isTooWide(visitor)).toBe(false);
  await shoot(visitor, 'forms-hosted-wheel-phone');
  // What is wrong is said without leaving the page, and what was written stays.
  await visitor.getByRole('textbox', { name: 'Email' }).fill('nonsense');
  await visitor.getByRole('button', { name: 'Spin the wheel' }).click();
  await visitor.getByText('Please enter a valid email address').waitFor();
  expect(await visitor.getByRole('textbox', { name: 'Email' }).inputValue()).toBe('nonsense');
  await visitor.getByRole('textbox', { name: 'Email' }).fill('el@visitor.example');
  await visitor.getByRole('checkbox').check();
  await visitor.getByRole('button', { name: 'Spin the wheel' }).click();
  await visitor.getByRole('heading', { name: 'Your prize' }).waitFor({ timeout: 60_000 });
  expect(await visitor.locator('output').textContent()).toMatch(/SPIN|Not this time/);
  const turned = await visitor.locator('.disc').evaluate((disc) => {
    const { a, b } = new DOMMatrix(getComputedStyle(disc).transform);
    return Math.abs(Math.atan2(b, a));
  });
  expect(turned).toBeGreaterThan(0);
  await shoot(visitor, 'forms-hosted-wheel-won');
  await form.arrived('el@visitor.example');
  expect(wrong).toEqual([]);
  await visitor.context().close();
});

test('the hosted page proves by itself, and a form in Persian words reads from the right', async () => {
  const form = await makeForm('hosted@forms.example', { type: 'embed', layout: 'row' });
  const { page: visitor, wrong } = await newPage(browser);
  await visitor.goto(form.hosted_url.replace(/https?:\/\/[^/]+/, product.address));
  await fill(visitor, 'di@visitor.example');
  await visitor.getByRole('button', { name: 'Sign up' }).click();
  await visitor.getByText('You are on the list. Welcome.').waitFor({ timeout: 60_000 });
  await form.arrived('di@visitor.example');
  expect(wrong).toEqual([]);
  await visitor.context().close();

  const { page: owner } = await newPage(browser, PERSIAN_PHONE);
  await signUp(owner, product, 'farsi@forms.example');
  const made = await call<Form & { document: object }>(owner, product, 'POST', API, {
    type: 'embed',
    title: 'خبرنامه',
  });
  const persian = await call<Form>(owner, product, 'PATCH', `${API}/${made.id}`, {
    document: { ...made.document, language: 'fas' },
    is_active: 1,
  });
  await owner.goto(persian.hosted_url.replace(/https?:\/\/[^/]+/, product.address));
  expect(await owner.getAttribute('html', 'dir')).toBe('rtl');
  expect(await isTooWide(owner)).toBe(false);
  await shoot(owner, 'forms-fas');
  await owner.context().close();
});
