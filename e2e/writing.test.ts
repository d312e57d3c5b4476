// The screens for writing an email, in Persian and in both themes: templates, the confirmation
// before replacing another editor's content, custom HTML, plain text, the forms of blocks and the
// image library. A product block is filled from a connected store.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { findAccessibilityViolationsInBothThemes, newPage } from '#testing/setup/browser.ts';
import {
  createDraft,
  isTooWide,
  openSharedProduct,
  shoot,
  signUp,
} from '#testing/setup/journeys.ts';
import {
  createBlock,
  createEmailDocument,
  createSection,
} from '../areas/content/document-factory.ts';
import type { EmailDocument } from '../areas/content/document.ts';
import composing from '../locales/fas/composing.json' with { type: 'json' };
import content from '../locales/fas/content.json' with { type: 'json' };
import server from '../locales/fas/content.server.json' with { type: 'json' };
import platform from '../locales/fas/platform.json' with { type: 'json' };

const GREETING = 'سلام {{firstname}}';

const { product, browser } = await openSharedProduct();

test('the writing screens have no accessibility violations in Persian and in both themes', async () => {
  const { page, pageErrors } = await newPage(browser, { locale: 'fa-IR' });
  await signUp(page, product, 'soheila@forushgah.example');
  const blocks = await createDraft(page, product, sample());
  const html = await createDraft(page, product, sample());
  const emailDraft = await createDraft(page, product, sample());

  await page.goto(`${product.address}/campaigns/${blocks}/editor?choose=1`);
  await page.locator('iframe').first().waitFor();
  await expectAccessible(page, 'the templates');
  await saveAsTemplate(page, blocks);
  await writeContent(page, html, 'custom_html', composing.editor.html);
  await importContent(page, html);
  await attachFile(page);
  await writeContent(page, emailDraft, 'plain_text', composing.editor.text);
  await checkForms(page, blocks);
  expect(pageErrors).toEqual([]);
  await page.context().close();
});

test('a product block shows the price, image and URL of a product from a connected store', async () => {
  const { page, pageErrors } = await newPage(browser);
  await signUp(page, product, 'owner@potter.example');
  const tea = {
    id: 'p',
    title: 'Green tea',
    store_id: 's',
    sku: null,
    price: 12.5,
    currency: 'EUR',
    image_url: 'https://potter.example/tea.png',
    url: 'https://potter.example/tea',
  };
  // Stores sync their products by themselves. This response simulates a completed sync.
  await page.route('**/client-api/api/stores-advanced-filter**', (route) =>
    route.fulfill({ json: { data: { stores: [], products: [tea] } } }),
  );
  await page.route('https://potter.example/**', (route) => route.fulfill({ status: 204 }));
  const id = await createDraft(
    page,
    product,
    createEmailDocument([createSection([[createBlock('product', { name: 'New' })]])]),
  );
  await page.goto(`${product.address}/campaigns/${id}/editor`);
  await page.locator('[role=group][data-node]').click();
  // The field is a plain field until the products are loaded.
  await page
    .getByText('Type to find a product in your store. Price, image and link are filled in.')
    .waitFor();
  const name = page.getByRole('textbox', { name: 'Product name' });
  await name.fill('gre');
  await page.getByRole('option', { name: 'Green tea €12.50' }).click();
  await page.getByText(/^Saved at/).waitFor();
  const response = await page.request.get(
    `${product.address}/client-api/api/campaigns/${id}/content`,
  );
  const { document } = (await response.json()).data as { document: EmailDocument };
  expect(document.sections[0]?.columns[0]?.blocks[0]).toMatchObject({
    name: 'Green tea',
    price: '€12.50',
    href: 'https://potter.example/tea',
    image: { src: 'https://potter.example/tea.png', alt: 'Green tea' },
  });
  expect(pageErrors).toEqual([]);
  await page.context().close();
});

async function expectAccessible(page: Page, label: string): Promise<void> {
  expect(await findAccessibilityViolationsInBothThemes(page), label).toEqual([]);
}

/** Saves a campaign's email as a template, then finds and previews it in the gallery. */
async function saveAsTemplate(page: Page, id: string): Promise<void> {
  const { ownTemplates: own } = content;
  await page.goto(`${product.address}/campaigns/${id}/editor`);
  await page.getByRole('button', { name: own.save }).click();
  const dialog = page.getByRole('dialog', { name: own.saveTitle });
  await dialog.getByRole('textbox').fill('نامهٔ بهار');
  await expectAccessible(page, 'keeping a template');
  await shoot(page, 'template-save-fas');
  await dialog.getByRole('button', { name: content.saved.save }).click();
  await dialog.waitFor({ state: 'hidden' });
  for (const [width, height] of [
    [390, 844],
    [1280, 900],
  ] as const) {
    await page.setViewportSize({ width, height });
    await page.goto(`${product.address}/campaigns/${id}/editor?choose=1`);
    const list = page.getByRole('region', { name: own.title });
    await list.getByText('نامهٔ بهار').waitFor();
    await expectAccessible(page, `own templates, ${width}`);
    expect(await isTooWide(page), `own templates, ${width}`).toBe(false);
    await shoot(page, `own-templates-fas-${width}`);
  }
  const list = page.getByRole('region', { name: own.title });
  await list
    .getByRole('button', { name: /^نامهٔ بهار/ })
    .first()
    .click();
  await page.getByRole('dialog').locator('iframe').waitFor();
  await expectAccessible(page, 'an own template in large');
  await shoot(page, 'own-template-large-fas');
  await page.keyboard.press('Escape');
}

/** Replaces the content in another editor, which is confirmed once, before the first save. */
async function writeContent(page: Page, id: string, path: string, kind: string): Promise<void> {
  const field = page.getByRole('textbox', { name: kind });
  const startButton = page.getByRole('button', {
    name: composing.switch.begin.replace('{{editor}}', kind),
  });
  await page.goto(`${product.address}/html/${id}/${path}`);
  await startButton.waitFor();
  await expectAccessible(page, `the question before ${path}`);
  await startButton.click();
  await field.click();
  await page.keyboard.press('Control+A');
  await page.keyboard.type(GREETING);
  await expect.poll(() => contentOf(page, id)).toContain('سلام');
  await page.reload();
  await startButton.or(field).first().waitFor();
  expect(await startButton.count()).toBe(0);
  await expectAccessible(page, path);
}

/** Replaces the content with a file after a confirmation. An invalid URL is reported. */
async function importContent(page: Page, id: string): Promise<void> {
  const { bring: importTexts } = composing;
  await page.getByRole('button', { name: importTexts.title }).click();
  await page.getByRole('menuitem', { name: importTexts.address }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel(importTexts.addressLabel).fill('no address');
  await dialog.getByRole('button', { name: importTexts.act }).click();
  await dialog.getByText(platform.fields.url).waitFor();
  await expectAccessible(page, 'the address of a page');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
  const buffer = Buffer.from('<!DOCTYPE html><p>آورده {{email}}</p>');
  const file = { name: 'mail.html', mimeType: 'text/html', buffer };
  await page.locator('input[type=file]').setInputFiles(file);
  await page.getByRole('dialog').getByRole('button', { name: importTexts.replace }).click();
  await expect.poll(() => contentOf(page, id)).toContain('<!DOCTYPE html><p>آورده {{email}}</p>');
  await shoot(page, 'bring-html');
}

/** Attaches a file and removes it again. An executable is refused. */
async function attachFile(page: Page): Promise<void> {
  const { attachments } = composing;
  await page.getByRole('button', { name: attachments.title }).click();
  const input = page.locator(`input[type=file][aria-label="${attachments.add}"]`);
  const buffer = Buffer.from('%PDF-1.7 قیمت‌ها');
  await input.setInputFiles({ name: 'run.exe', mimeType: 'application/pdf', buffer });
  await page.getByText(server.errors.attachment_refused).waitFor();
  await input.setInputFiles({ name: 'قیمت‌ها.pdf', mimeType: 'application/pdf', buffer });
  const list = page.getByRole('list', { name: attachments.title });
  await list.getByText('قیمت‌ها.pdf').waitFor();
  await expectAccessible(page, 'the files of an email');
  await shoot(page, 'attachments');
  await list.getByRole('button').click();
  await list.waitFor({ state: 'detached' });
  await page.keyboard.press('Escape');
}

async function checkForms(page: Page, id: string): Promise<void> {
  await page.goto(`${product.address}/campaigns/${id}/editor`);
  await page.locator('[role=group][data-node]').first().focus();
  await page
    .locator('[role=group][data-node]')
    .first()
    .click({ position: { x: 5, y: 5 } });
  const form = page.getByRole('complementary', { name: content.mail.inspector });
  for (const tab of [content.style.mobile, content.style.dark]) {
    await form.getByRole('tab', { name: tab, exact: true }).click();
    await expectAccessible(page, `the form of a picture: ${tab}`);
  }
  await page.getByText('چشیدن چای').click();
  await form.getByLabel(content.event.starts, { exact: true }).waitFor();
  await expectAccessible(page, 'the form of an event');
  await shoot(page, 'event-form');
  await page
    .locator('[role=group][data-node]')
    .first()
    .click({ position: { x: 5, y: 5 } });
  await form.getByRole('button', { name: content.images.choose }).click();
  await page.getByRole('dialog').getByText(content.images.none).waitFor();
  await expectAccessible(page, 'the library of images');
}

async function contentOf(page: Page, id: string): Promise<string> {
  const path = `${product.address}/client-api/api/campaigns/${id}/content`;
  const { data } = await (await page.request.get(path)).json();
  return `${data.editor === 'editor' ? '' : (data.html ?? '')}${data.plain_text ?? ''}`;
}

const EVENT = {
  ...{ title: 'چشیدن چای', starts: '2027-03-05T18:00', ends: '', zone: 'Asia/Tehran' },
  place: 'تهران',
};

const sample = () =>
  createEmailDocument([
    createSection([
      [
        createBlock('image'),
        createBlock('text', { html: '<p>سلام</p>' }),
        createBlock('event', EVENT),
      ],
    ]),
    createSection([[createBlock('footer')]]),
  ]);
