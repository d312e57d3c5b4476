// Forms on customers' pages, each at an origin other than the product's: a plain page, a page with
// conflicting styles, a page with a strict content security policy, and a single-page app. Also
// prize wheels and hosted pages.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { renderPlainForm } from '#areas/forms/plain-form.ts';
import type { FormDocument } from '#embed/forms/shared/document.ts';
import { findAccessibilityViolations, MOVING, newPage } from '#testing/setup/browser.ts';
import {
  findConfirmLink,
  openCustomerSite,
  READING_MS,
  renderShopPage as page,
} from '#testing/servers/customer-site.ts';
import {
  call,
  isTooWide,
  openSharedProduct,
  PERSIAN_PHONE,
  shoot,
  newOwner,
} from '#testing/setup/journeys.ts';

const { product, browser } = await openSharedProduct();
const { pages, address: shopAddress } = await openCustomerSite();
const API = '/client-api/api/forms';

type FormResponse = {
  id: string;
  embed_script: string;
  hosted_url: string;
  document: FormDocument;
  published_version: number;
  settings: { embed_hash: string };
};

/**
 * Creates an owner with a published form; `arrived` waits until the subscriber exists and closes
 * the owner's browser context.
 */
async function makeForm(
  email: string,
  body: object,
  settings: object = {},
): Promise<FormResponse & { arrived(address: string): Promise<void> }> {
  const { page: owner } = await newPage(browser);
  await newOwner(owner, product, email);
  const created = await call<FormResponse>(owner, product, 'POST', API, { title: 'News', ...body });
  const form = await call<FormResponse>(owner, product, 'PATCH', `${API}/${created.id}`, {
    settings,
    is_active: 1,
  });
  return {
    ...form,
    async arrived(address) {
      const list = `/client-api/api/subscribers?search=${encodeURIComponent(address)}`;
      const find = () => call<{ email: string }[]>(owner, product, 'GET', list);
      await expect
        .poll(async () => (await find()).map((subscriber) => subscriber.email))
        .toEqual([address]);
      await owner.context().close();
    },
  };
}

const scriptOf = (form: FormResponse) =>
  form.embed_script.replace(/https?:\/\/[^/]+/, product.address);

async function fill(visitor: Page, email: string): Promise<void> {
  await visitor.waitForTimeout(READING_MS);
  await visitor.getByRole('textbox', { name: 'Email' }).fill(email);
}

test('a popup on a plain page appears after its delay, refuses invalid input, thanks the visitor, and is not shown again', async () => {
  const form = await makeForm(
    'plain@forms.example',
    { type: 'popup', layout: 'card' },
    { delay_amount: 1 },
  );
  pages.set('/plain', { html: page('', scriptOf(form)) });
  const { page: visitor, pageErrors } = await newPage(browser, MOVING);
  await visitor.goto(`${shopAddress}/plain`);
  const dialog = visitor.getByRole('dialog');
  expect(await dialog.count()).toBe(0);
  await visitor.getByRole('heading', { name: 'Be the first to know' }).waitFor();
  expect(await visitor.evaluate(() => Object.keys(localStorage))).toEqual([]);
  expect(await findAccessibilityViolations(visitor)).toEqual([]);
  await shoot(visitor, 'forms-popup');
  await fill(visitor, 'nonsense');
  await visitor.getByRole('button', { name: 'Sign up' }).click();
  await visitor.getByText('Please enter a valid email address').waitFor();
  await fill(visitor, 'ada@visitor.example');
  await visitor.keyboard.press('Enter');
  await visitor.getByText('You’re on the list. Welcome!').waitFor({ timeout: 60_000 });
  await visitor.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await visitor.reload();
  await visitor.waitForTimeout(2_500);
  expect(await dialog.count()).toBe(0);
  await form.arrived('ada@visitor.example');
  expect(pageErrors).toEqual([]);
  await visitor.context().close();
});

test('an embedded form works with conflicting styles, a strict policy and single-page navigation', async () => {
  const form = await makeForm('strict@forms.example', { type: 'embed', layout: 'stacked' });
  const embedCode = `<div class="sender-form-field" data-sender-form-id="${form.settings.embed_hash}"></div>`;
  pages.set('/strict', {
    html: page(
      embedCode,
      `<style>*{color:red!important;font-size:40px!important;display:block}input{display:none!important}</style>${scriptOf(form)}${scriptOf(form)}`,
    ),
    policy: `default-src 'none'; script-src ${product.address}; connect-src ${product.address}; style-src 'unsafe-inline'; base-uri 'none'; require-trusted-types-for 'script'`,
  });
  const { page: visitor, pageErrors } = await newPage(browser, MOVING);
  await visitor.goto(`${shopAddress}/strict`);
  const field = visitor.getByRole('textbox', { name: 'Email' });
  await field.waitFor();
  expect(await field.count()).toBe(1);
  expect(await field.evaluate((input) => getComputedStyle(input).fontSize)).toBe('16px');
  // A single-page app replaces its screen, and the form gets a new container.
  await visitor.evaluate((hash) => {
    const next = document.createElement('div');
    next.className = 'sender-form-field';
    next.dataset.senderFormId = hash;
    document.querySelector('main')?.replaceChildren();
    history.pushState({}, '', '/strict?screen=2');
    document.querySelector('main')?.append(next);
  }, form.settings.embed_hash);
  await field.waitFor();
  await shoot(visitor, 'forms-embed');
  await fill(visitor, 'bo@visitor.example');
  await visitor.getByRole('button', { name: 'Sign up' }).click();
  await visitor.getByText('You’re on the list. Welcome!').waitFor({ timeout: 60_000 });
  await form.arrived('bo@visitor.example');
  expect(pageErrors).toEqual([]);
  await visitor.context().close();
});

/** The changes that Prototype, MooTools and similar libraries make to built-ins. */
const PATCHES = `<script>
Array.prototype.toJSON = function () { return '[' + this.map((x) => JSON.stringify(x)).join() + ']'; };
String.prototype.toJSON = function () { return '"' + this + '"'; };
Array.prototype.entries = function () { return this.slice(); };
Array.prototype.reduce = function () { return this; };
Array.from = function (of) { return [].slice.call(of); };
Element.prototype.remove = function () { this.parentNode.removeChild(this); return this; };
window.Event = function () {};
</script>`;

test('forms work on pages that patch globals, intercept keys, scroll an element, never become idle or replace their URL', async () => {
  const { page: owner } = await newPage(browser);
  await newOwner(owner, product, 'hostile@forms.example');
  const publish = async (body: object, settings: object = {}) => {
    const created = await call<FormResponse>(owner, product, 'POST', API, {
      title: 'News',
      ...body,
    });
    return call<FormResponse>(owner, product, 'PATCH', `${API}/${created.id}`, {
      settings,
      is_active: 1,
    });
  };
  const onlyOn = (path: string) => ({ visibility_type: 'only', visibility_pages: [`${path}*`] });
  const embedForm = await publish({ type: 'embed' });
  const popup = { type: 'popup', layout: 'card' };
  await publish(popup, { ...onlyOn('/inner'), delay: false, scroll: true, scroll_percent: 50 });
  await publish(popup, { ...onlyOn('/late'), delay: true, delay_amount: 1 });
  await publish(
    { ...popup, layout: 'corner' },
    { ...onlyOn('/corner'), delay: true, delay_amount: 0 },
  );
  const neighborForm = await makeForm('neighbor@forms.example', { type: 'embed' });
  const placeOf = (form: FormResponse) =>
    `<div class="sender-form-field" data-sender-form-id="${form.settings.embed_hash}"></div>`;
  const tag = scriptOf(embedForm);
  const module = tag.replace('async', 'type="module"');
  const setPage = (path: string, body: string, head = '') =>
    pages.set(path, { html: page(body, head) });
  setPage('/patched', placeOf(embedForm), PATCHES + tag);
  setPage('/module', placeOf(embedForm), module);
  setPage(
    '/keys',
    placeOf(embedForm),
    `${tag}<script>document.addEventListener('keydown', (e) => { if (/^(INPUT|TEXTAREA)$/.test(e.target.tagName)) return; if ('sk/'.includes(e.key)) e.preventDefault(); });</script>`,
  );
  setPage(
    '/busy',
    placeOf(embedForm),
    `${tag}<script>(function turn() { const t = performance.now(); while (performance.now() - t < 30); requestAnimationFrame(turn); })();</script>`,
  );
  setPage('/two', placeOf(embedForm) + placeOf(neighborForm), tag + scriptOf(neighborForm));
  setPage(
    '/inner',
    '<div id="app"><div style="height:5000px"></div></div>',
    `<style>html,body,main{margin:0;height:100%;overflow:hidden}#app{height:100%;overflow:auto}</style>${tag}`,
  );
  setPage(
    '/late',
    '',
    `${tag}<script>let n = 0; setInterval(() => history.replaceState({}, '', '/late/' + ++n), 100);</script>`,
  );
  setPage(
    '/late-dialog',
    '<div role="dialog" style="position:fixed;inset:20%;background:#fff">Cookies?</div>',
    tag,
  );
  setPage('/corner', '', tag);
  const { page: visitor, pageErrors } = await newPage(browser, MOVING);
  const field = visitor.getByRole('textbox', { name: 'Email' });
  const openPage = (path: string) => visitor.goto(shopAddress + path);

  await openPage('/patched');
  await fill(visitor, 'patched@visitor.example');
  const trap = visitor.locator('.trap input');
  expect(await trap.getAttribute('readonly')).toBe('');
  await visitor.getByRole('button', { name: 'Sign up' }).click();
  await visitor.getByText('You’re on the list. Welcome!').waitFor({ timeout: 60_000 });
  const list = '/client-api/api/subscribers';
  const listAll = () => call<{ email: string }[]>(owner, product, 'GET', list);
  await expect
    .poll(async () => (await listAll()).map(({ email }) => email))
    .toEqual(['patched@visitor.example']);

  for (const path of ['/module', '/busy']) {
    await openPage(path);
    await field.waitFor({ timeout: 10_000 });
  }
  await openPage('/keys');
  await field.pressSequentially('sk/s@keys.example');
  expect(await field.inputValue()).toBe('sk/s@keys.example');

  await openPage('/two');
  await expect.poll(() => field.count()).toBe(2);
  for (const form of [embedForm, neighborForm]) {
    const { embed_hash: hash } = form.settings;
    const status = await visitor.evaluate(`senderForms.getStatus('${hash}')`);
    expect(status).toEqual({ [hash]: 'enabled' });
  }
  await visitor.evaluate(`senderForms.destroy('${embedForm.settings.embed_hash}')`);
  await expect.poll(() => field.count()).toBe(1);

  const dialog = visitor.locator('[class^=sender-subs-popup-form][role=dialog]');
  await openPage('/inner');
  await visitor.waitForFunction('window.senderFormsLoaded === true');
  expect(await dialog.count()).toBe(0);
  await visitor.locator('#app').evaluate((app) => app.scrollTo(0, 3_000));
  await dialog.waitFor();
  await openPage('/late');
  await dialog.waitFor({ timeout: 10_000 });

  await openPage('/late-dialog');
  await visitor.waitForFunction('window.senderFormsLoaded === true');
  await visitor.waitForTimeout(2_000);
  expect(await dialog.count()).toBe(0);
  await visitor.evaluate(`document.querySelector('[role=dialog]').hidden = true`);
  await dialog.waitFor();

  await visitor.setViewportSize({ width: 320, height: 256 });
  await openPage('/corner');
  const box = visitor.locator('.sender-form-box');
  await box.waitFor();
  // The position is polled until the animation has ended.
  const edges = () => box.evaluate((element) => element.getBoundingClientRect().toJSON());
  await expect.poll(edges).toMatchObject({ top: 16, bottom: 240 });
  await visitor.locator('.sender-form-button').scrollIntoViewIfNeeded();
  const button = await visitor.locator('.sender-form-button').boundingBox();
  expect((button?.y ?? 0) + (button?.height ?? 0)).toBeLessThanOrEqual(240);
  await shoot(visitor, 'forms-corner-low');
  expect(pageErrors).toEqual([]);
  await visitor.context().close();
  await owner.context().close();
}, 180_000);

/** Expects either a prize and its code, or a slice without a prize and its text. */
async function expectSpinResult(visitor: Page): Promise<void> {
  const prize = visitor.getByRole('heading', { name: 'Your prize' });
  const losingText = visitor.getByText('No prize this time. Thanks for signing up.');
  await prize.or(losingText).waitFor({ timeout: 60_000 });
  if (await prize.isVisible())
    expect(await visitor.locator('output').textContent()).toMatch(/SPIN|Free shipping/);
  else {
    expect(await visitor.locator('output').count()).toBe(0);
    await visitor.getByRole('heading', { name: 'Not this time' }).waitFor();
  }
}

const LAYOUTS = {
  popup: [
    'card',
    'picture-start',
    'picture-top',
    'picture-behind',
    'corner',
    'bar',
    'full',
    'two-steps',
  ],
  spinToWin: ['wheel-beside', 'wheel-above'],
  embed: ['stacked', 'row'],
};
const LANGUAGES = ['eng', 'lit', 'pol', 'spa'];

test('each of the twelve layouts works in one of the available languages, and one page can contain two forms twice', async () => {
  const { page: owner } = await newPage(browser);
  await newOwner(owner, product, 'layouts@forms.example');
  const publish = async (type: string, layout: string, language: string) => {
    const template = language === 'fas' ? 'eng' : language;
    const created = await call<FormResponse & { document: object }>(owner, product, 'POST', API, {
      ...{ type, layout, language: template },
      title: layout,
    });
    const form = await call<FormResponse>(owner, product, 'PATCH', `${API}/${created.id}`, {
      document: { ...created.document, language },
      is_active: 1,
    });
    return { layout, id: form.settings.embed_hash, script: scriptOf(form) };
  };
  const popups = [];
  for (const [i, layout] of [...LAYOUTS.popup, ...LAYOUTS.spinToWin].entries()) {
    const type = LAYOUTS.popup.includes(layout) ? 'popup' : 'spinToWin';
    popups.push(await publish(type, layout, LANGUAGES[i % 4] ?? 'eng'));
  }
  popups.push({ ...(await publish('popup', 'card', 'fas')), layout: 'fas' });
  const embeds = [];
  for (const layout of LAYOUTS.embed) embeds.push(await publish('embed', layout, 'eng'));
  const embedCodes = embeds.map(
    ({ id }) => `<div class="sender-form-field" data-sender-form-id="${id}"></div>`,
  );
  const script = embeds[0]?.script ?? '';
  pages.set('/popups', { html: page('', script.replace('.js"', '.js?explicit=true"')) });
  pages.set('/embeds', {
    html: page([...embedCodes, ...embedCodes].join('<p>And again</p>'), script),
  });
  const { page: visitor, pageErrors } = await newPage(browser, MOVING);
  await visitor.goto(`${shopAddress}/popups`);
  await visitor.waitForFunction('window.senderFormsLoaded === true');
  for (const { layout, id } of popups) {
    for (const width of [1280, 360]) {
      await visitor.setViewportSize({ width, height: 800 });
      await visitor.evaluate(`senderForms.enable('${id}')`);
      const box = visitor.locator('.sender-form-box');
      await box.waitFor();
      expect(await findAccessibilityViolations(visitor), `${layout} ${width}`).toEqual([]);
      expect(await isTooWide(visitor), `${layout} ${width}`).toBe(false);
      if (layout === 'fas') {
        expect(await box.evaluate((element) => getComputedStyle(element).direction)).toBe('rtl');
        await visitor.getByRole('button', { name: 'بستن' }).waitFor();
      }
      await shoot(visitor, `layout-${layout}-${width}`);
      // The validation messages must also be readable.
      await visitor.locator('.sender-form-button').click();
      await visitor.locator('[data-fault]:not(:empty)').first().waitFor();
      expect(await findAccessibilityViolations(visitor), `${layout} ${width}, with faults`).toEqual(
        [],
      );
      await shoot(visitor, `layout-${layout}-${width}-faults`);
      await visitor.evaluate(`senderForms.destroy('${id}')`);
      await box.waitFor({ state: 'detached' });
    }
  }

  await visitor.goto(`${shopAddress}/embeds`);
  // The account's popups are also triggered here.
  await visitor.waitForFunction('window.senderFormsLoaded === true');
  await visitor.evaluate(`senderForms.destroy(${JSON.stringify(popups.map(({ id }) => id))})`);
  const fields = visitor.getByRole('textbox', { name: 'Email' });
  await expect.poll(() => fields.count()).toBe(4);
  for (const width of [360, 1280]) {
    await visitor.setViewportSize({ width, height: 900 });
    expect(await findAccessibilityViolations(visitor), `embeds ${width}`).toEqual([]);
    expect(await isTooWide(visitor), `embeds ${width}`).toBe(false);
    await shoot(visitor, `layout-embeds-${width}`);
  }
  await visitor.waitForTimeout(READING_MS);
  await fields.nth(2).fill('twice@visitor.example');
  await visitor.keyboard.press('Enter');
  await visitor.getByText('You’re on the list. Welcome!').waitFor({ timeout: 60_000 });
  expect(await fields.count()).toBe(3);
  const list = '/client-api/api/subscribers';
  const listAll = () => call<{ email: string }[]>(owner, product, 'GET', list);
  await expect
    .poll(async () => (await listAll()).map(({ email }) => email))
    .toEqual(['twice@visitor.example']);
  expect(pageErrors).toEqual([]);
  await visitor.context().close();
  await owner.context().close();
}, 240_000);

test('the wheel on a phone with reduced motion spins and shows its result on the page', async () => {
  const form = await makeForm(
    'wheel@forms.example',
    { type: 'spinToWin', layout: 'wheel-above' },
    { delay_amount: 0 },
  );
  pages.set('/wheel', { html: page('', scriptOf(form)) });
  const { page: visitor, pageErrors } = await newPage(browser, {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
    reducedMotion: 'reduce',
  });
  await visitor.goto(`${shopAddress}/wheel`);
  await visitor.getByRole('heading', { name: 'Spin and win' }).waitFor();
  expect(await findAccessibilityViolations(visitor)).toEqual([]);
  expect(await isTooWide(visitor)).toBe(false);
  await shoot(visitor, 'forms-wheel');
  await fill(visitor, 'cy@visitor.example');
  await visitor.getByRole('checkbox').check();
  await visitor.getByRole('button', { name: 'Spin the wheel' }).tap();
  await expectSpinResult(visitor);
  await form.arrived('cy@visitor.example');
  expect(pageErrors).toEqual([]);
  await visitor.context().close();
});

test('the wheel on a hosted page preserves the input after an error, spins and shows its result', async () => {
  const form = await makeForm('hosted-wheel@forms.example', {
    type: 'spinToWin',
    layout: 'wheel-beside',
  });
  const { page: visitor, pageErrors } = await newPage(browser, { reducedMotion: 'reduce' });
  await visitor.goto(form.hosted_url.replace(/https?:\/\/[^/]+/, product.address));
  await visitor.locator('.wheel svg').waitFor();
  expect(await findAccessibilityViolations(visitor)).toEqual([]);
  await shoot(visitor, 'forms-hosted-wheel');
  await visitor.setViewportSize({ width: 390, height: 844 });
  expect(await isTooWide(visitor)).toBe(false);
  await shoot(visitor, 'forms-hosted-wheel-phone');
  // Errors are shown without leaving the page, and the input is preserved.
  await visitor.getByRole('textbox', { name: 'Email' }).fill('nonsense');
  await visitor.getByRole('button', { name: 'Spin the wheel' }).click();
  await visitor.getByText('Please enter a valid email address').waitFor();
  expect(await visitor.getByRole('textbox', { name: 'Email' }).inputValue()).toBe('nonsense');
  await visitor.getByRole('textbox', { name: 'Email' }).fill('el@visitor.example');
  await visitor.getByRole('checkbox').check();
  await visitor.getByRole('button', { name: 'Spin the wheel' }).click();
  await expectSpinResult(visitor);
  const rotation = await visitor.locator('.disc').evaluate((disc) => {
    const { a, b } = new DOMMatrix(getComputedStyle(disc).transform);
    return Math.abs(Math.atan2(b, a));
  });
  expect(rotation).toBeGreaterThan(0);
  await shoot(visitor, 'forms-hosted-wheel-won');
  await form.arrived('el@visitor.example');
  expect(pageErrors).toEqual([]);
  await visitor.context().close();
});

test('the hosted page computes its proof of work, pasted HTML needs no scripts, and a Persian form is right-to-left', async () => {
  const form = await makeForm('hosted@forms.example', { type: 'embed', layout: 'row' });
  const { page: visitor, pageErrors } = await newPage(browser, MOVING);
  await visitor.goto(form.hosted_url.replace(/https?:\/\/[^/]+/, product.address));
  await fill(visitor, 'di@visitor.example');
  await visitor.getByRole('button', { name: 'Sign up' }).click();
  await visitor.getByText('You’re on the list. Welcome!').waitFor({ timeout: 60_000 });
  await form.arrived('di@visitor.example');
  expect(pageErrors).toEqual([]);
  await visitor.context().close();

  // The form is pasted as plain HTML into a page for visitors without scripts.
  const pasted = await makeForm(
    'pasted@forms.example',
    { type: 'embed' },
    { use_recaptcha: false },
  );
  const action = pasted.hosted_url.replace(/https?:\/\/[^/]+/, product.address);
  const { document, published_version: version } = pasted;
  pages.set('/pasted', {
    html: page(renderPlainForm({ document, action, version, interests: [] })),
  });
  const { page: bare } = await newPage(browser, { javaScriptEnabled: false });
  await bare.goto(`${shopAddress}/pasted`);
  await bare.getByLabel('Email').fill('gus@visitor.example');
  await bare.getByRole('button', { name: 'Sign up' }).click();
  await bare.getByText('You’re on the list. Welcome!').waitFor();
  await pasted.arrived('gus@visitor.example');
  await bare.context().close();

  const { page: owner } = await newPage(browser, PERSIAN_PHONE);
  await newOwner(owner, product, 'farsi@forms.example', 'fas');
  const created = await call<FormResponse & { document: object }>(owner, product, 'POST', API, {
    type: 'embed',
    title: 'خبرنامه',
  });
  const thanks = 'به فهرست افزوده شدید. خوش آمدید.';
  const documentJson = JSON.stringify(created.document).replace(
    'You’re on the list. Welcome!',
    thanks,
  );
  const persian = await call<FormResponse>(owner, product, 'PATCH', `${API}/${created.id}`, {
    document: { ...JSON.parse(documentJson), language: 'fas' },
    is_active: 1,
  });
  await owner.goto(persian.hosted_url.replace(/https?:\/\/[^/]+/, product.address));
  expect(await owner.getAttribute('html', 'dir')).toBe('rtl');
  expect(await isTooWide(owner)).toBe(false);
  await shoot(owner, 'forms-fas');

  // On a customer's page, the visitor submits the form, sees the thanks, and confirms by the
  // confirmation email.
  await call(owner, product, 'PATCH', `${API}/${created.id}`, {
    settings: {
      double_opt_in: true,
      confirmation: { from_email: 'news@forms.example', from_name: 'فروشگاه', subject: 'تأیید' },
    },
    is_active: 1,
  });
  const embedCode = `<div class="sender-form-field" data-sender-form-id="${created.settings.embed_hash}"></div>`;
  pages.set('/fas', { html: page(embedCode, scriptOf(created)) });
  const { page: reader, pageErrors: faults } = await newPage(browser, PERSIAN_PHONE);
  await reader.goto(`${shopAddress}/fas`);
  const box = reader.locator('.sender-form-box');
  await box.waitFor();
  expect(await box.evaluate((element) => getComputedStyle(element).direction)).toBe('rtl');
  await reader.waitForTimeout(READING_MS);
  const field = box.locator('input[type=email]');
  await field.fill('هیچ');
  await field.press('Enter');
  await reader.getByText('یک نشانی ایمیل معتبر بنویسید').waitFor();
  await field.fill('mina@visitor.example');
  await field.press('Enter');
  await reader.getByText(thanks).waitFor({ timeout: 60_000 });
  await shoot(reader, 'forms-fas-foreign');
  await reader.goto(await findConfirmLink(product, 'mina@visitor.example'));
  expect(await reader.getAttribute('html', 'dir')).toBe('rtl');
  await shoot(reader, 'forms-fas-confirm');
  await reader.getByRole('main').getByRole('button').click();
  const searchUrl = '/client-api/api/subscribers?search=mina@visitor.example';
  await expect
    .poll(async () =>
      (await call<{ status: { email: string } }[]>(owner, product, 'GET', searchUrl)).map(
        ({ status }) => status.email,
      ),
    )
    .toEqual(['active']);
  await shoot(reader, 'forms-fas-confirmed');
  expect(faults).toEqual([]);
  await reader.context().close();
  await owner.context().close();
}, 120_000);
