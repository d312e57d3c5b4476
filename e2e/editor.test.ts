// An email is built from a template with the mouse and with keys, is reloaded, is changed in two
// tabs, and arrives as previewed. The editor is also used in Persian, on a phone, on a slow
// machine, and offline.
import type { FrameLocator, Page } from 'playwright-core';
import PostalMime from 'postal-mime';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import { findAccessibilityViolations, findCovers, newPage } from '#testing/setup/browser.ts';
import { call, createDraft, openSharedProduct, shoot, signUp } from '#testing/setup/journeys.ts';
import type { EmailDocument } from '../areas/content/document.ts';
import content from '../locales/fas/content.json' with { type: 'json' };
import editing from '../locales/fas/editing.json' with { type: 'json' };
import platform from '../locales/fas/platform.json' with { type: 'json' };

const OWNER = 'owner@garden.example';

const { product, browser } = await openSharedProduct();

test('an email based on a template and edited by mouse and keyboard arrives as previewed', async () => {
  const { page, pageErrors } = await newPage(browser);
  await signUp(page, product, OWNER);
  await createCampaign(page);
  await chooseTemplate(page);
  await writeHeading(page);
  await dragBlock(page);
  await workByKeys(page);
  await addImage(page);
  await addMergeTag(page);
  await stepBackAndForth(page);
  await waitUntilSaved(page);
  await page.reload();
  await page.getByText('Spring is here').waitFor();
  await page.locator('.merge-tag', { hasText: 'Last name' }).waitFor();
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await saveInTwoTabs(page);
  const text = await previewEverywhere(page);
  expect(await arrivedText(page)).toBe(text);
  expect(pageErrors).toEqual([]);
  await page.context().close();
});

test('the editor works in Persian and on a phone', async () => {
  const { page, pageErrors } = await newPage(browser, { locale: 'fa-IR' });
  await signUp(page, product, 'malek@bagh.example');
  const id = await templateDraft(page, 'newsletter');
  await page.goto(`${product.address}/campaigns/${id}/editor`);
  const palette = page.getByRole('complementary', { name: content.palette.title });
  await palette.getByRole('button', { name: content.kinds.heading, exact: true }).waitFor();
  expect(await page.evaluate(() => document.documentElement.dir)).toBe('rtl');
  const [start, end] = await Promise.all([
    palette.boundingBox(),
    page.getByRole('complementary', { name: content.mail.inspector }).boundingBox(),
  ]);
  expect(start?.x ?? 0).toBeGreaterThan(end?.x ?? 0);
  await page.locator('[data-words]').first().click();
  await page.getByRole('toolbar', { name: editing.words.tools }).waitFor();
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await checkTextIsUncovered(page);
  expect(pageErrors).toEqual([]);

  const phone = await newPage(browser, {
    locale: 'fa-IR',
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
    storageState: await page.context().storageState(),
  });
  await phone.page.goto(`${product.address}/campaigns/${id}/editor`);
  await checkBlocksAreUncovered(phone.page);
  await phone.page.locator('[data-words]').nth(1).tap();
  await phone.page.locator('[contenteditable=true]').waitFor();
  await phone.page.keyboard.type('لاله‌ها');
  await phone.page.getByText('لاله‌ها').waitFor();
  await checkSheets(phone.page);
  await phone.page.keyboard.press('Escape');
  const order = () =>
    phone.page.locator('[data-node]').evaluateAll((nodes) => nodes.map(({ id: node }) => node));
  const orderBefore = await order();
  await phone.page.getByRole('button', { name: content.tools.down }).tap();
  await expect.poll(order).not.toEqual(orderBefore);
  await phone.page.getByRole('button', { name: content.tools.form }).last().tap();
  await phone.page.getByRole('dialog').getByText(content.style.title, { exact: true }).waitFor();
  expect(await findAccessibilityViolations(phone.page)).toEqual([]);
  expect(phone.pageErrors).toEqual([]);
});

/** Checks that the toolbar of the selected text does not cover text of the email. */
async function checkTextIsUncovered(page: Page): Promise<void> {
  const textBlocks = page.locator('[data-mail] [data-words]');
  await page.keyboard.press('Escape');
  const count = await textBlocks.count();
  expect(count).toBeGreaterThan(3);
  for (let i = 0; i < count; i++) {
    await page.keyboard.press('Escape');
    await textBlocks.nth(i).click({ position: { x: 4, y: 4 } });
    await page.locator('[data-mail] [contenteditable=true]').waitFor();
    const coveredTexts = await page.evaluate(() => {
      const tools = document.querySelector('[data-mail] [role=toolbar]');
      const { left, right, top, bottom } = tools?.getBoundingClientRect() ?? new DOMRect();
      if (right - left === 0) return ['There are no tools.'];
      return Array.from(document.querySelectorAll('[data-mail] [data-words], [contenteditable]'))
        .map((text) => ({ text, box: text.getBoundingClientRect() }))
        .filter(({ box }) => box.left < right && left < box.right)
        .filter(({ box }) => box.top < bottom && top < box.bottom)
        .map(({ text }) => text.textContent);
    });
    expect(coveredTexts).toEqual([]);
  }
}

/** Checks that the popovers of the text tools open as bottom sheets on a touch screen. */
async function checkSheets(page: Page): Promise<void> {
  const sheet = page.getByRole('dialog');
  for (const tool of ['link', 'colours', 'tag'] as const) {
    await page.getByRole('button', { name: editing.words[tool], exact: true }).tap();
    await sheet.waitFor();
    await expect.poll(async () => (await sheet.boundingBox())?.width).toBe(390);
    await shoot(page, `editor-phone-${tool}`);
    await sheet.getByRole('button').first().tap();
    await sheet.waitFor({ state: 'hidden' });
  }
}

test('text typed offline, or before a slow editor is ready, is stored completely', async () => {
  const { page } = await newPage(browser);
  await signUp(page, product, 'quick@garden.example');
  const id = await templateDraft(page, 'newsletter');
  const cdpSession = await page.context().newCDPSession(page);
  await cdpSession.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  const fast3G = { latency: 150, downloadThroughput: 200_000, uploadThroughput: 90_000 };
  await cdpSession.send('Network.emulateNetworkConditions', { offline: false, ...fast3G });
  await page.goto(`${product.address}/campaigns/${id}/editor`);
  const textBlocks = page.locator('[data-words]', { hasText: /\w{4}/ });
  await textBlocks.first().waitFor();
  const count = (await blocks(page)).length;
  // The text is typed immediately after the click.
  const box = await textBlocks.first().boundingBox();
  await page.mouse.click((box?.x ?? 0) + 4, (box?.y ?? 0) + 4);
  await page.keyboard.type('ABCDEFGHIJ');
  await page.keyboard.press('Backspace');
  await page.keyboard.press('Backspace');
  await page.locator('[contenteditable=true]', { hasText: 'ABCDEFGH' }).waitFor();
  expect(await page.getByText('ABCDEFGHI').count()).toBe(0);
  expect((await blocks(page)).length).toBe(count);

  await cdpSession.send('Emulation.setCPUThrottlingRate', { rate: 1 });
  await cdpSession.detach();
  await page.locator('[data-words], [contenteditable=true]', { hasText: 'ABCDEFGH' }).waitFor();
  await waitUntilSaved(page);
  await page.reload();
  await textBlocks.first().waitFor();
  await page.context().setOffline(true);
  await textBlocks.first().click();
  await page.keyboard.type('Written offline ');
  await page.locator('[contenteditable=true]', { hasText: 'Written offline' }).waitFor();
  await page.context().setOffline(false);
  // The toolbar loads after the first words, and the typed text is saved.
  await page.getByRole('toolbar', { name: 'Text tools' }).waitFor();
  await expect
    .poll(
      async () =>
        JSON.stringify(await call(page, product, 'GET', `/client-api/api/campaigns/${id}/content`)),
      {
        timeout: 40_000,
      },
    )
    .toContain('Written offline');
  expect((await blocks(page)).length).toBe(count);
  await page.context().close();
});

async function createCampaign(page: Page): Promise<void> {
  await page.goto(`${product.address}/campaigns/create`);
  await page.getByLabel('Campaign name').fill('Spring letter');
  await page.getByLabel('Subject line').fill('Spring for {{firstname | default: "you"}}');
  await page.getByLabel("Sender's email address").fill('letters@garden.example');
  await page.getByRole('button', { name: 'Save and continue' }).click();
}

async function chooseTemplate(page: Page): Promise<void> {
  const card = page.getByRole('button', { name: /^Monthly newsletter/ });
  await card.waitFor();
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await card.click();
  const dialog = page.getByRole('dialog');
  await dialog.frameLocator('iframe').getByText('Small steps', { exact: false }).waitFor();
  await dialog.getByRole('button', { name: 'Use this template' }).click();
  await page.getByRole('button', { name: 'Undo' }).waitFor();
}

async function writeHeading(page: Page): Promise<void> {
  await page.locator('[data-words]', { hasText: 'Small steps' }).click();
  await page.locator('[contenteditable=true]').waitFor();
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await page.keyboard.press('Control+A');
  await page.keyboard.type('Spring is here');
  await page.keyboard.press('Escape');
  await page.locator('[data-words]', { hasText: 'Spring is here' }).waitFor();
}

const blocks = (page: Page) =>
  page
    .locator('[role=group][data-node]')
    .evaluateAll((nodes) => nodes.map((node) => node.getAttribute('aria-label') ?? ''));

/** Drags a block from the palette to below the heading. An indicator shows the drop position. */
async function dragBlock(page: Page): Promise<void> {
  const tile = await page.getByRole('button', { name: 'Button', exact: true }).boundingBox();
  const target = page.locator('[role=group][data-node]', { hasText: 'Spring is here' });
  await target.scrollIntoViewIfNeeded();
  const box = await target.boundingBox();
  if (!tile || !box) throw new Error('There is nothing to drag');
  await page.mouse.move(tile.x + 20, tile.y + 20);
  await page.mouse.down();
  await page.mouse.move(tile.x + 40, tile.y + 40, { steps: 4 });
  await page.mouse.move(box.x + 100, box.y + box.height - 3, { steps: 8 });
  await page.locator('[data-drop=bottom]').waitFor();
  await page.mouse.up();
  await page.locator('[data-drop]').waitFor({ state: 'detached' });
  const names = await blocks(page);
  const index = names.findIndex((name) => name.includes('Spring is here'));
  expect(names[index + 1]).toBe('Button: Button');
}

async function workByKeys(page: Page): Promise<void> {
  const indexOfBlock = async (name: string) => (await blocks(page)).indexOf(name);
  const blocksBefore = await blocks(page);
  await page.keyboard.press('/');
  await page.getByRole('combobox', { name: 'Find a block' }).fill('divi');
  await page.keyboard.press('Enter');
  const button = blocksBefore.indexOf('Button: Button');
  await expect.poll(() => blocks(page)).toEqual(blocksBefore.toSpliced(button + 1, 0, 'Divider'));
  await page.keyboard.press('Alt+ArrowUp');
  await expect.poll(() => indexOfBlock('Divider')).toBe(button);
  await page
    .getByRole('status')
    .getByText(/^Divider is now in section/)
    .waitFor();
  await page.keyboard.press('Control+d');
  await expect.poll(() => blocks(page)).toHaveLength(blocksBefore.length + 2);
  await page.keyboard.press('Delete');
  await expect.poll(() => blocks(page)).toHaveLength(blocksBefore.length + 1);
  await page.keyboard.press('ArrowUp');
  const focusedLabel = () =>
    page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
  await expect.poll(focusedLabel).toBe('Divider');
  await page.keyboard.press('Delete');
  await expect.poll(() => blocks(page)).toEqual(blocksBefore);
}

async function addImage(page: Page): Promise<void> {
  const image = sharp({
    create: { width: 640, height: 320, channels: 3, background: '#2a8fa8' },
  });
  await page.getByRole('button', { name: 'Image', exact: true }).click();
  const chooser = page.waitForEvent('filechooser');
  await page.locator('#mail-canvas').getByRole('button', { name: 'Upload' }).click();
  const file = {
    name: 'tulips.png',
    mimeType: 'image/png',
    buffer: await image.png().toBuffer(),
  };
  await (await chooser).setFiles(file);
  await page.locator('[data-node][data-selected] img').waitFor();
  await page.getByLabel('Alternative text').fill('Tulips in a row');
  await page.getByRole('img', { name: 'Tulips in a row' }).first().waitFor();
}

async function addMergeTag(page: Page): Promise<void> {
  await page.locator('[data-words]', { hasText: 'This month' }).first().click();
  await page.locator('[contenteditable=true]').waitFor();
  await page.keyboard.press('Control+End');
  await page.keyboard.type(' Yours, ');
  await page.getByRole('button', { name: 'Merge tag' }).click();
  await page.getByRole('menuitem', { name: 'Last name' }).click();
  await page.getByLabel('Fallback', { exact: true }).fill('reader');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Escape');
  await page.locator('.merge-tag', { hasText: 'Last name' }).waitFor();
}

async function stepBackAndForth(page: Page): Promise<void> {
  const tag = page.locator('.merge-tag', { hasText: 'Last name' });
  const undo = page.getByRole('button', { name: 'Undo' });
  while ((await tag.count()) > 0) await undo.click();
  const redo = page.getByRole('button', { name: 'Redo' });
  while (await redo.isEnabled()) await redo.click();
  await tag.waitFor();
}

async function waitUntilSaved(page: Page): Promise<void> {
  await page.getByText(/^Saved at/).waitFor();
}

/** The second tab saves first. The first tab is notified and loads the newer version. */
async function saveInTwoTabs(page: Page): Promise<void> {
  const secondPage = await page.context().newPage();
  await secondPage.goto(page.url());
  await addTitle(secondPage, 'From the other tab');
  await waitUntilSaved(secondPage);
  await page.bringToFront();
  await addTitle(page, 'From this tab');
  await page.getByText('Changed elsewhere').waitFor();
  await page.getByRole('button', { name: 'Use the newer version' }).click();
  await page.locator('[data-words]', { hasText: 'From the other tab' }).waitFor();
  await page.getByText('From this tab').waitFor({ state: 'detached' });
  await secondPage.close();
}

async function addTitle(page: Page, title: string): Promise<void> {
  await page.getByRole('button', { name: 'Heading', exact: true }).click();
  const selectedText = page.locator('[data-node][data-selected] [data-words]');
  await selectedText.click();
  await page.locator('[contenteditable=true]').waitFor();
  await page.keyboard.press('Control+A');
  await page.keyboard.type(title);
  await page.keyboard.press('Escape');
  await page.locator('[data-words]', { hasText: title }).waitFor();
}

const textOf = async (frame: FrameLocator | Page) =>
  (await frame.locator('body').innerText()).replace(/\s+/g, ' ').trim();

/**
 * Previews the email on desktop and mobile, in dark mode, without images and as plain text.
 * @returns the text of the email
 */
async function previewEverywhere(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Preview' }).click();
  const frame = page.frameLocator('iframe[title=Preview]');
  await frame.getByText('Yours, reader').waitFor();
  const shownText = await textOf(frame);
  const ground = () =>
    frame.locator('body').evaluate((body) => getComputedStyle(body).backgroundColor);
  const day = await ground();
  await page.getByRole('button', { name: 'Dark mode' }).click();
  await expect.poll(ground).not.toBe(day);
  await page.getByText('Mobile', { exact: true }).click();
  await expect.poll(() => frame.locator('body').evaluate(() => window.innerWidth)).toBe(375);
  await page.getByRole('button', { name: 'Images off' }).click();
  await expect
    .poll(() =>
      frame
        .locator('img[alt="Tulips in a row"]')
        .evaluate((image) => (image as HTMLImageElement).naturalWidth),
    )
    .toBe(0);
  await page.getByText('Plain text', { exact: true }).click();
  await page.locator('pre', { hasText: 'Yours, reader' }).waitFor();
  await page.getByText('Desktop', { exact: true }).click();
  expect(await findAccessibilityViolations(page)).toEqual([]);
  // The new button has no URL, and the list of findings links to it.
  const finding = page.getByRole('listitem').filter({ hasText: 'leads nowhere' }).first();
  await finding.getByRole('button', { name: 'Resolve' }).click();
  await page.locator('[data-node][data-selected]').waitFor();
  return shownText;
}

async function arrivedText(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Test email' }).click();
  await page.getByRole('button', { name: /^Send/ }).click();
  await page.getByText(/^Test email sent/).waitFor();
  const find = async () => {
    const list = await fetch(
      `${product.address}/inbox/api/messages?limit=5&offset=0&subject=Spring&to=${OWNER}`,
    );
    return ((await list.json()) as { data: { id: string }[] }).data[0]?.id;
  };
  await expect.poll(find, { timeout: 30_000 }).toBeTruthy();
  const source = await fetch(`${product.address}/inbox/api/messages/${await find()}`);
  const email = await PostalMime.parse(await source.text());
  const reader = await page.context().newPage();
  await reader.setContent(email.html ?? '');
  const text = await textOf(reader);
  await reader.close();
  return text;
}

/**
 * Checks on a phone, online and offline, that nothing covers the first and the last block while
 * they are edited.
 */
async function checkBlocksAreUncovered(page: Page): Promise<void> {
  const foot = page.locator('[data-foot]');
  for (const isOffline of [false, true]) {
    await page.context().setOffline(isOffline);
    if (isOffline) await page.getByText(platform.connection.offline).waitFor();
    for (const position of ['first', 'last'] as const) {
      const text = page.locator('[data-words]')[position]();
      const enclosingNode = text.locator('xpath=ancestor::*[@data-node][1]');
      const block = page.locator(`#${await enclosingNode.getAttribute('id')}`);
      // The tap is not in the center of the text, where there may be a link.
      await text.tap({ position: { x: 4, y: 4 } });
      await block.locator('[contenteditable=true]').waitFor();
      await page.getByRole('toolbar', { name: editing.words.tools }).waitFor();
      await page.locator('#mail-canvas').evaluate((canvas, isFirst) => {
        canvas.parentElement?.scrollTo(0, isFirst ? 0 : canvas.scrollHeight);
      }, position === 'first');
      expect(await findCovers(block), position).toEqual([]);
      expect(await findCovers(foot), position).toEqual([]);
      await page.keyboard.press('Escape');
    }
  }
  // No part of the editor is below the edge of the window.
  const main = await page
    .locator('main')
    .evaluate((element) => element.scrollHeight - element.clientHeight);
  expect(main).toBe(0);
  await page.context().setOffline(false);
  await page.getByText(platform.connection.offline).waitFor({ state: 'detached' });
}

async function templateDraft(page: Page, purpose: string): Promise<string> {
  const path = '/client-api/api/templates';
  const templates = await call<{ id: string; purpose: string }[]>(page, product, 'GET', path);
  const template = templates.find((template) => template.purpose === purpose);
  const { document } = await call<{ document: EmailDocument }>(
    page,
    product,
    'GET',
    `${path}/${template?.id}`,
  );
  return createDraft(page, product, document);
}
