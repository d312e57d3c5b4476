// The form builder in a real browser: its tour, building with the mouse and with keys only, its
// tabs, failed and conflicting saves, and its preview. It is also used on a phone in Persian.
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { findAccessibilityViolations, newPage, waitUntilQuiet } from '#testing/setup/browser.ts';
import { openCustomerSite, renderShopPage } from '#testing/servers/customer-site.ts';
import {
  call,
  isTooWide,
  openSharedProduct,
  PERSIAN_PHONE,
  pressButton,
  shoot,
  signUp,
  tabTo,
  typeInto,
} from '#testing/setup/journeys.ts';
import fas from '../locales/fas/forms-builder.json' with { type: 'json' };

const { product, browser } = await openSharedProduct();
const { pages, address: shop } = await openCustomerSite();
const API = '/client-api/api/forms';
type FormResponse = {
  id: string;
  revision: number;
  published_version: number | null;
  is_active: boolean;
  document: {
    steps: { blocks: { kind: string; label?: string }[] }[];
    teaser: string;
    styles: { button: string };
  };
  groups: { title: string }[];
};

async function openBuilder(page: Page, body: object): Promise<string> {
  const { id } = await call<{ id: string }>(page, product, 'POST', API, {
    title: 'Spring news',
    ...body,
  });
  await page.goto(`${product.address}/forms/builder/${id}`);
  return id;
}

/** Takes the tour, which explains content, design, settings, behavior, success and save. */
async function takeTour(page: Page): Promise<void> {
  const tour = page.getByRole('dialog', { name: 'Tour' });
  for (const stop of ['Content', 'Design', 'Settings', 'Behavior', 'Success', 'Save']) {
    await tour.getByText(stop, { exact: true }).waitFor();
    await shoot(page, `builder-tour-${stop}`);
    await page.keyboard.press('Enter');
  }
  await tour.waitFor({ state: 'detached' });
}

const form = (page: Page) => page.frameLocator('iframe[title="The form"]');
const readForm = (page: Page, id: string) =>
  call<FormResponse>(page, product, 'GET', `${API}/${id}`);

test('an owner builds and previews a popup with fields, inline text, styles, undo, phone view and shortcuts', async () => {
  const { page, pageErrors } = await newPage(browser, { viewport: { width: 1280, height: 900 } });
  await signUp(page, product, 'owner@builder.example');
  const id = await openBuilder(page, { type: 'popup', layout: 'card' });
  await takeTour(page);
  // The tour is shown once per user, and again on request.
  await page.reload();
  await form(page).locator('h2').waitFor();
  expect(await page.getByRole('dialog', { name: 'Tour' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Take the tour' }).click();
  await takeTour(page);
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await shoot(page, 'builder-content');

  // A required field with a label and a placeholder is added, and then moved by keys.
  const inspector = page.getByRole('complementary').or(page.locator('body')).first();
  await inspector.getByRole('button', { name: 'Last name', exact: true }).click();
  await page.getByRole('textbox', { name: 'Label' }).fill('Family name');
  await page.getByRole('textbox', { name: 'Placeholder' }).fill('As on your passport');
  await page.getByRole('switch', { name: 'Required' }).press('Space');
  const familyName = form(page).getByRole('textbox', { name: /Family name/ });
  await familyName.waitFor();
  expect(await familyName.getAttribute('placeholder')).toBe('As on your passport');
  expect(await familyName.getAttribute('aria-required')).toBe('true');
  await shoot(page, 'builder-field');
  const order = () => form(page).locator('.label').allTextContents();
  const orderBefore = await order();
  await form(page).locator('[data-block]', { has: familyName }).focus();
  await page.keyboard.press('Alt+ArrowUp');
  await expect.poll(order).not.toEqual(orderBefore);
  await page.keyboard.press('Control+z');
  await expect.poll(order).toEqual(orderBefore);
  await page.keyboard.press('Control+Shift+z');
  await expect.poll(order).not.toEqual(orderBefore);

  // Text is edited in the form itself.
  const heading = form(page).locator('h2');
  await heading.click();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('News of <b>tea</b>');
  await page.keyboard.press('Escape');
  expect(await heading.textContent()).toBe('News of <b>tea</b>');

  await page.getByRole('tab', { name: 'Design' }).click();
  const box = form(page).locator('.sender-form-box');
  const style = (name: string) =>
    box.evaluate((element, property) => getComputedStyle(element).getPropertyValue(property), name);
  expect([
    await style('width'),
    await style('border-radius'),
    await style('border-top-width'),
  ]).toEqual(['450px', '5px', '2px']);
  // A color scheme is applied immediately.
  await page.getByRole('button', { name: 'Dark', exact: true }).click();
  await expect.poll(() => style('background-color')).toBe('rgb(27, 29, 34)');
  await shoot(page, 'builder-dark');
  await page.getByRole('button', { name: 'Light', exact: true }).click();
  await expect.poll(() => style('background-color')).toBe('rgb(255, 255, 255)');
  await page.getByRole('textbox', { name: 'Corners', exact: true }).fill('24');
  await expect.poll(() => style('border-radius')).toBe('24px');
  await page.getByRole('combobox', { name: 'Font', exact: true }).fill('Georg');
  await page.getByRole('option', { name: 'Georgia' }).click();
  await expect.poll(() => style('font-family')).toMatch(/Georgia/);
  await page.getByRole('switch', { name: 'Shadow', exact: true }).press('Space');
  await expect.poll(() => style('box-shadow')).toBe('none');

  await page.getByText('Phone', { exact: true }).click();
  await expect.poll(async () => (await box.boundingBox())?.width ?? 999).toBeLessThan(400);
  await shoot(page, 'builder-phone-view');
  await page.getByText('Desktop', { exact: true }).click();

  for (const tab of ['Design', 'Settings', 'Behavior', 'Success']) {
    await page.getByRole('tab', { name: tab }).click();
    await page.waitForTimeout(300);
    expect(await findAccessibilityViolations(page), tab).toEqual([]);
    await shoot(page, `builder-${tab}`);
  }
  await page.getByRole('tab', { name: 'Behavior' }).click();
  await page.getByRole('textbox', { name: 'Tab after closing' }).fill('10% off');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  // The teaser tab promises a discount that the form does not provide.
  await page.getByRole('button', { name: 'Publish anyway' }).click();
  await page.getByText('Saved. Turn the form on to show it.').waitFor();
  const savedForm = await readForm(page, id);
  expect(savedForm.published_version).toBe(1);
  expect(savedForm.document.teaser).toBe('10% off');
  expect(savedForm.document.steps[0]?.blocks.map(({ label }) => label)).toContain('Family name');

  await preview(page);
  expect(pageErrors).toEqual([]);
  await page.context().close();
}, 120_000);

/** Previews the real form in a frame: on three visitor actions, and after it is closed. */
async function preview(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Preview', exact: true }).click();
  const previewFrame = page.frameLocator('iframe[title="Preview"]');
  const heading = previewFrame.getByRole('heading', { name: 'News of' });
  await heading.waitFor();
  await shoot(page, 'builder-preview');
  const moment = page.getByRole('combobox', { name: 'Visitor action' });
  await moment.selectOption('leave');
  await page.getByText('The form does not open for this action.').waitFor();
  await heading.waitFor({ state: 'detached' });
  await shoot(page, 'builder-preview-off');
  await moment.selectOption('sent');
  await previewFrame.getByText('You’re on the list. Welcome!').waitFor();
  await moment.selectOption('now');
  await heading.waitFor();
  await previewFrame.getByRole('button', { name: 'Close' }).click();
  await previewFrame.getByRole('button', { name: '10% off' }).waitFor();
  await page.getByRole('button', { name: 'Back to editing' }).click();
}

/** Returns the position and size of each block in its form, in whole pixels. */
const boxesIn = (box: Locator) =>
  box.evaluate((element) => {
    const elements = [element, ...element.querySelectorAll<HTMLElement>('[data-block]')];
    const bounds = element.getBoundingClientRect();
    return elements.map((element) => {
      const { left, top, width, height } = element.getBoundingClientRect();
      const name = element.dataset.block ?? 'form';
      return [name, ...[left - bounds.left, top - bounds.top, width, height].map(Math.round)];
    });
  });

// The window is high enough for the whole form. Otherwise the canvas, the preview and the site
// would scroll by different heights.
const TALL = { width: 1280, height: 1200 };

test('the canvas, its preview and a customer’s page show all boxes of a form in the same places', async () => {
  const { page: owner, pageErrors } = await newPage(browser, { viewport: TALL });
  await signUp(owner, product, 'boxes@builder.example');
  for (const [type, layout] of [
    ['embed', 'stacked'],
    ['popup', 'card'],
    ['spinToWin', 'wheel-above'],
  ]) {
    const createdForm = await call<
      FormResponse & { embed_script: string; settings: { embed_hash: string } }
    >(owner, product, 'POST', API, { title: 'Boxes', type, layout });
    await call(owner, product, 'PATCH', `${API}/${createdForm.id}`, { is_active: 1 });
    await owner.goto(`${product.address}/forms/builder/${createdForm.id}`);
    const onCanvas = form(owner).locator('.sender-form-box');
    await onCanvas.waitFor();
    if (type === 'embed') await takeTour(owner);
    const canvas = await boxesIn(onCanvas);
    expect(canvas.length).toBeGreaterThan(3);
    await owner.getByRole('button', { name: 'Preview', exact: true }).click();
    const previewBox = owner.frameLocator('iframe[title="Preview"]').locator('.sender-form-box');
    await previewBox.waitFor();
    await expect.poll(() => boxesIn(previewBox), { message: `${layout}, preview` }).toEqual(canvas);
    const embedCode = `<div class="sender-form-field" data-sender-form-id="${createdForm.settings.embed_hash}"></div>`;
    const tag = createdForm.embed_script
      .replace(/https?:\/\/[^/]+/, product.address)
      .replace('.js"', type === 'embed' ? '.js"' : '.js?explicit=true"');
    // The builder's simulated page uses the same font.
    const font = '<style>body{font-family:system-ui}</style>';
    pages.set(`/${layout}`, {
      html: renderShopPage(type === 'embed' ? embedCode : '', font + tag),
    });
    const { page: visitor } = await newPage(browser, { viewport: TALL });
    await visitor.goto(`${shop}/${layout}`);
    await visitor.waitForFunction('window.senderFormsLoaded === true');
    if (type !== 'embed')
      await visitor.evaluate(`senderForms.enable('${createdForm.settings.embed_hash}')`);
    const formBox = visitor.locator('.sender-form-box');
    await formBox.waitFor();
    await expect.poll(() => boxesIn(formBox), { message: `${layout}, site` }).toEqual(canvas);
    await visitor.context().close();
  }
  expect(pageErrors).toEqual([]);
  await owner.context().close();
}, 120_000);

test('failed saves are shown and retried, and another tab’s change is reported', async () => {
  const { page } = await newPage(browser, { viewport: { width: 1280, height: 900 } });
  await signUp(page, product, 'saving@builder.example');
  await call(page, product, 'POST', '/client-api/api/tags', { title: 'Readers' });
  const id = await openBuilder(page, { type: 'embed', layout: 'stacked' });
  await page.keyboard.press('Escape');
  const heading = form(page).locator('h2');
  const write = async (value: string) => {
    await heading.click();
    await page.keyboard.press('Control+a');
    await page.keyboard.type(value);
    await page.keyboard.press('Escape');
  };
  const fails = { general: false, groups: false };
  await page.route(`**${API}/${id}`, (route) =>
    fails.general && route.request().method() === 'PATCH'
      ? route.fulfill({ status: 503, json: { code: 'unavailable', message: 'Away' } })
      : route.fallback(),
  );
  await page.route(`**${API}/${id}/tags`, (route) =>
    fails.groups
      ? route.fulfill({ status: 503, json: { code: 'unavailable', message: 'Away' } })
      : route.fallback(),
  );
  const save = page.getByRole('button', { name: 'Save', exact: true });

  const savedNotice = page.getByText('Saved. Turn the form on to show it.');
  fails.general = true;
  await write('Tea news');
  await save.click();
  await page.getByText('Error: failed to save general form data').waitFor();
  await shoot(page, 'builder-failed');
  fails.general = false;
  await save.click();
  await savedNotice.waitFor();
  await page.getByRole('tab', { name: 'Settings' }).click();
  await page.getByRole('combobox', { name: 'People who sign up join' }).click();
  await page.getByRole('option', { name: 'Readers' }).click();
  await page.keyboard.press('Escape');
  await write('Kept words');
  Object.assign(fails, { general: true, groups: true });
  await save.click();
  await page.getByText('Error: failed to save all changes').waitFor();
  // The text remains and is sent again.
  expect(await heading.textContent()).toBe('Kept words');
  fails.general = false;
  await save.click();
  await page.getByText('Error: failed to save interest groups').waitFor();
  fails.groups = false;
  await save.click();
  await savedNotice.waitFor();
  await expect
    .poll(async () => (await readForm(page, id)).groups.map(({ title }) => title))
    .toEqual(['Readers']);
  const { document } = await readForm(page, id);
  expect(JSON.stringify(document)).toContain('Kept words');

  // The form is saved automatically eight seconds after the last change.
  const patchResponse = page.waitForResponse(
    (response) => response.request().method() === 'PATCH' && response.url().endsWith(id),
  );
  const changedAt = Date.now();
  await write('By itself');
  expect((await patchResponse).ok()).toBe(true);
  expect(Date.now() - changedAt).toBeGreaterThan(7_000);

  const now = await readForm(page, id);
  await call(page, product, 'PATCH', `${API}/${id}`, {
    document: { ...now.document, teaser: 'Of another tab' },
    revision: now.revision,
  });
  await write('Mine');
  await save.click();
  await page.getByText('A newer version was saved by someone else').waitFor();
  await shoot(page, 'builder-stale');
  await page.getByRole('button', { name: 'Use the newer version' }).click();
  await expect.poll(() => heading.textContent()).toBe('By itself');
  expect((await readForm(page, id)).document.teaser).toBe('Of another tab');
  await page.context().close();
}, 120_000);

test('unsaved changes remain on the device after reloads and after another tab’s change', async () => {
  const { page } = await newPage(browser, { viewport: { width: 1280, height: 900 } });
  // Requests that are sent while the page unloads sometimes bypass its routes, and would reach the
  // server.
  await page.addInitScript(() => {
    document.addEventListener('visibilitychange', (event) => event.stopImmediatePropagation());
  });
  await signUp(page, product, 'device@builder.example');
  await call(page, product, 'POST', '/client-api/api/tags', { title: 'Readers' });
  const id = await openBuilder(page, { type: 'embed', layout: 'stacked' });
  await page.keyboard.press('Escape');
  let isUnavailable = true;
  const answer = { status: 503, json: { code: 'unavailable', message: 'Away' } };
  await page.route(new RegExp(`${API}/${id}(/tags)?$`), (route) =>
    isUnavailable && route.request().method() !== 'GET' ? route.fulfill(answer) : route.fallback(),
  );
  const heading = form(page).locator('h2');
  await heading.click();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('Kept on the device');
  await page.keyboard.press('Escape');
  await page.getByRole('tab', { name: 'Settings' }).click();
  await page.getByRole('combobox', { name: 'People who sign up join' }).click();
  await page.getByRole('option', { name: 'Readers' }).click();
  const save = page.getByRole('button', { name: 'Save', exact: true });
  await save.click();
  await page.getByText('Error: failed to save all changes').waitFor();

  await page.reload();
  await expect.poll(() => heading.textContent()).toBe('Kept on the device');
  const formBefore = await readForm(page, id);
  expect(JSON.stringify(formBefore.document)).not.toContain('Kept on the device');
  // Another tab saves first, so the stored change is based on the earlier version.
  isUnavailable = false;
  await call(page, product, 'PATCH', `${API}/${id}`, {
    document: { ...formBefore.document, teaser: 'Of another tab' },
    revision: formBefore.revision,
  });
  isUnavailable = true;
  await page.reload();
  await expect.poll(() => heading.textContent()).toBe('Kept on the device');
  isUnavailable = false;
  await save.click();
  await page.getByText('A newer version was saved by someone else').waitFor();
  expect((await readForm(page, id)).document.teaser).toBe('Of another tab');
  await page.getByRole('button', { name: 'Keep mine' }).click();
  await expect
    .poll(async () => {
      const { document, groups } = await readForm(page, id);
      return [JSON.stringify(document).includes('Kept on the device'), groups[0]?.title];
    })
    .toEqual([true, 'Readers']);
  await page.context().close();
}, 120_000);

test('a keyboard user adds, changes, moves and removes blocks, changes a color and publishes the form', async () => {
  const { page, pageErrors } = await newPage(browser, { viewport: { width: 1280, height: 900 } });
  await signUp(page, product, 'keys@builder.example');
  const id = await openBuilder(page, { type: 'popup', layout: 'card' });
  await page.getByRole('dialog', { name: 'Tour' }).waitFor();
  await page.keyboard.press('Escape');
  // The Tab key moves the focus into the form, which selects a block.
  const isOnForm = () => page.evaluate(() => window.document.activeElement?.localName === 'iframe');
  while (!(await isOnForm())) await page.keyboard.press('Tab');
  await pressButton(page, 'button', 'All blocks');
  await pressButton(page, 'button', 'Last name');
  const inspector = page.getByRole('region', { name: 'Properties' });
  // The tile disappears with the panel, so the focus moves to the panel that replaces it.
  await expect
    .poll(() => inspector.evaluate((element) => element.contains(window.document.activeElement)))
    .toBe(true);
  await pressButton(page, 'button', 'Move up');
  await typeInto(page, 'Label', 'Family name');
  await pressButton(page, 'button', 'All blocks');
  await pressButton(
    page,
    'button',
    'New arrivals, offers and stories. One email a week. Unsubscribe anytime.',
  );
  await pressButton(page, 'button', 'Delete');
  await tabTo(page, 'tab', 'Content');
  await page.keyboard.press('ArrowRight');
  await typeInto(page, 'Button color', '#aa2200');
  const button = form(page).locator('.sender-form-button');
  const buttonColor = () => button.evaluate((element) => getComputedStyle(element).backgroundColor);
  await expect.poll(buttonColor).toBe('rgb(170, 34, 0)');
  await page.keyboard.press('Escape');
  await pressButton(page, 'button', 'Save');
  await page.getByText('Saved. Turn the form on to show it.').waitFor();
  await tabTo(page, 'switch', 'On');
  await page.keyboard.press('Space');
  await page.getByText('The form is on.').waitFor();
  const { is_active, published_version, document } = await readForm(page, id);
  // Save published version 1, and the switch published version 2.
  expect([is_active, published_version, document.styles.button]).toEqual([true, 2, '#aa2200']);
  expect(document.steps[0]?.blocks.map(({ kind, label }) => label ?? kind)).toEqual([
    'heading',
    'First name',
    'Family name',
    'Email',
    'button',
  ]);
  expect(pageErrors).toEqual([]);
  await page.context().close();
}, 120_000);

test('blocks are dragged into the form and within it; fifty steps are undone and redone', async () => {
  const { page, pageErrors } = await newPage(browser, { viewport: { width: 1280, height: 900 } });
  await signUp(page, product, 'drag@builder.example');
  await openBuilder(page, { type: 'popup', layout: 'card' });
  await page.keyboard.press('Escape');
  const names = () =>
    form(page)
      .locator('[data-block]')
      .evaluateAll((labels) => labels.map((element) => element.textContent?.trim()));
  await expect.poll(async () => (await names()).length).toBe(5);
  const namesBefore = await names();
  // A block is dragged from the palette into the frame, above the email field.
  const email = form(page).locator('label[data-block]', { hasText: 'Email' });
  await drag(page, page.getByRole('button', { name: 'Last name', exact: true }), email);
  await expect.poll(async () => (await names())[3]).toMatch(/^Last name/);
  // Within the frame, the heading is dragged above the email field.
  await drag(page, form(page).locator('h2'), email);
  await expect.poll(async () => (await names()).indexOf(namesBefore[0] ?? '')).toBeGreaterThan(0);
  await page.keyboard.press('Control+z');
  await page.keyboard.press('Control+z');
  await expect.poll(names).toEqual(namesBefore);

  await page.getByRole('tab', { name: 'Design' }).click();
  const shadow = page.getByRole('switch', { name: 'Shadow', exact: true });
  for (let i = 0; i < 55; i++) await shadow.press('Space');
  const steps = async (name: 'Undo' | 'Redo') => {
    const button = page.getByRole('button', { name, exact: true });
    let count = 0;
    while ((await button.isEnabled()) && count < 60) {
      await button.click();
      count++;
    }
    return count;
  };
  expect(await steps('Undo')).toBe(50);
  expect(await shadow.isChecked()).toBe(false);
  expect(await steps('Redo')).toBe(50);
  expect(pageErrors).toEqual([]);
  await page.context().close();
}, 120_000);

/** Drags with the mouse, in steps, and releases it in the upper half of the target. */
async function drag(page: Page, from: Locator, to: Locator): Promise<void> {
  const [start, end] = [await from.boundingBox(), await to.boundingBox()];
  if (!start || !end) throw new Error('There is nothing to drag');
  await page.mouse.move(start.x + start.width / 2, start.y + start.height / 2);
  await page.mouse.down();
  await page.mouse.move(end.x + end.width / 2, end.y + 40, { steps: 6 });
  await page.mouse.move(end.x + end.width / 2, end.y + 4, { steps: 4 });
  await page.mouse.up();
}

test('the builder works on a phone in Persian, with the Persian calendar', async () => {
  const { page, pageErrors } = await newPage(browser, PERSIAN_PHONE);
  await signUp(page, product, 'fas@builder.example');
  await openBuilder(page, { type: 'popup', layout: 'card' });
  await page.getByRole('dialog').waitFor();
  await waitUntilQuiet(page);
  await shoot(page, 'builder-fas-tour');
  await page.keyboard.press('Escape');
  expect(await page.getAttribute('html', 'dir')).toBe('rtl');
  expect(await findAccessibilityViolations(page)).toEqual([]);
  expect(await isTooWide(page)).toBe(false);
  await shoot(page, 'builder-fas');
  for (const tab of ['content', 'design', 'behaviour'] as const) {
    await page.getByRole('tab', { name: fas.tabs[tab] }).click();
    await waitUntilQuiet(page);
    await shoot(page, `builder-fas-${tab}`);
    if (tab !== 'behaviour') await page.keyboard.press('Escape');
  }
  await page.getByRole('combobox', { name: fas.behaviour.schedule }).click();
  await page.getByRole('option', { name: fas.schedules.between }).click();
  const from = page.getByRole('group', { name: fas.behaviour.from });
  const [day, month, year] = [0, 1, 2].map((index) => from.getByRole('combobox').nth(index));
  await year?.selectOption('1406');
  await month?.selectOption('1');
  await day?.selectOption('1');
  const time = page.getByLabel(fas.behaviour.timeOf.replace('{{name}}', fas.behaviour.from));
  await expect.poll(() => time.inputValue()).toBe('00:00');
  await time.fill('08:30');
  await time.scrollIntoViewIfNeeded();
  await shoot(page, 'builder-fas-schedule');
  expect(await findAccessibilityViolations(page)).toEqual([]);
  expect(await isTooWide(page)).toBe(false);
  expect(pageErrors).toEqual([]);
  await page.context().close();
}, 120_000);
