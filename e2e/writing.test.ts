// Every screen that one writes a mail in, in Persian and in both themes: the templates, the question
// before another editor's work is left, custom HTML, plain text, the forms and the library of images.
// And a product that comes out of a connected store.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { accessFaultsInBothThemes, newPage } from '#testing/browser.ts';
import { draftOf, openStage, signUp } from '#testing/journeys.ts';
import { newBlock, newDocument, newSection } from '../areas/content/document-factory.ts';
import type { EmailDocument } from '../areas/content/document.ts';
import composing from '../locales/fas/composing.json' with { type: 'json' };
import content from '../locales/fas/content.json' with { type: 'json' };

const WORDS = 'سلام {{firstname}}';

const { product, browser } = await openStage();

test('every screen that one writes in is clean, in Persian and in both themes', async () => {
  const { page, wrong } = await newPage(browser, { locale: 'fa-IR' });
  await signUp(page, product, 'soheila@forushgah.example');
  const blocks = await draftOf(page, product, sample());
  const html = await draftOf(page, product, sample());
  const letter = await draftOf(page, product, sample());

  await page.goto(`${product.address}/campaigns/${blocks}/editor?choose=1`);
  await page.locator('iframe').first().waitFor();
  await clean(page, 'the templates');
  await writeOwn(page, html, 'custom_html', composing.editor.html);
  await writeOwn(page, letter, 'plain_text', composing.editor.text);
  await lookAtForms(page, blocks);
  expect(wrong).toEqual([]);
  await page.context().close();
});

test('a product of a connected store brings price, picture and address along', async () => {
  const { page, wrong } = await newPage(browser);
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
  // Stores bring their products themselves: here is what the call answers once one has.
  await page.route('**/client-api/api/stores-advanced-filter**', (route) =>
    route.fulfill({ json: { data: { stores: [], products: [tea] } } }),
  );
  await page.route('https://potter.example/**', (route) => route.fulfill({ status: 204 }));
  const id = await draftOf(
    page,
    product,
    newDocument([newSection([[newBlock('product', { name: 'New' })]])]),
  );
  await page.goto(`${product.address}/campaigns/${id}/editor`);
  await page.locator('[role=group][data-node]').click();
  // Until the products are known it is a field like any other.
  await page
    .getByText('Type to find one in your store: price, image and address come along.')
    .waitFor();
  const name = page.getByRole('textbox', { name: 'Product name' });
  await name.fill('gre');
  await page.getByRole('option', { name: 'Green tea €12.50' }).click();
  await page.getByText(/^Saved at/).waitFor();
  const answer = await page.request.get(
    `${product.address}/client-api/api/campaigns/${id}/content`,
  );
  const { document } = (await answer.json()).data as { document: EmailDocument };
  expect(document.sections[0]?.columns[0]?.blocks[0]).toMatchObject({
    name: 'Green tea',
    price: '€12.50',
    href: 'https://potter.example/tea',
    image: { src: 'https://potter.example/tea.png', alt: 'Green tea' },
  });
  expect(wrong).toEqual([]);
  await page.context().close();
});

async function clean(page: Page, what: string): Promise<void> {
  expect(await accessFaultsInBothThemes(page), what).toEqual([]);
}

/** Asks once; from the first save on the campaign is this editor's own. */
async function writeOwn(page: Page, id: string, path: string, kind: string): Promise<void> {
  const field = page.getByRole('textbox', { name: kind });
  const begin = page.getByRole('button', {
    name: composing.switch.begin.replace('{{editor}}', kind),
  });
  await page.goto(`${product.address}/html/${id}/${path}`);
  await begin.waitFor();
  await clean(page, `the question before ${path}`);
  await begin.click();
  await field.click();
  await page.keyboard.press('Control+A');
  await page.keyboard.type(WORDS);
  await expect.poll(() => contentOf(page, id)).toContain('سلام');
  await page.reload();
  await begin.or(field).first().waitFor();
  expect(await begin.count()).toBe(0);
  await clean(page, path);
}

async function lookAtForms(page: Page, id: string): Promise<void> {
  await page.goto(`${product.address}/campaigns/${id}/editor`);
  await page.locator('[role=group][data-node]').first().focus();
  await page
    .locator('[role=group][data-node]')
    .first()
    .click({ position: { x: 5, y: 5 } });
  const form = page.getByRole('complementary', { name: content.mail.inspector });
  for (const tab of [content.style.mobile, content.style.dark]) {
    await form.getByRole('tab', { name: tab, exact: true }).click();
    await clean(page, `the form of a picture: ${tab}`);
  }
  await form.getByRole('button', { name: content.images.choose }).click();
  await page.getByRole('dialog').getByText(content.images.none).waitFor();
  await clean(page, 'the library of images');
}

async function contentOf(page: Page, id: string): Promise<string> {
  const path = `${product.address}/client-api/api/campaigns/${id}/content`;
  const { data } = await (await page.request.get(path)).json();
  return `${data.editor === 'editor' ? '' : (data.html ?? '')}${data.plain_text ?? ''}`;
}

const sample = () =>
  newDocument([
    newSection([[newBlock('image'), newBlock('text', { html: '<p>سلام</p>' })]]),
    newSection([[newBlock('footer')]]),
  ]);
