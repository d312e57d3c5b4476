// Every screen that one writes a mail in, in Persian and in both themes: the templates, the question
// before another editor's work is left, custom HTML, plain text, the forms and the library of images.
// And a product that comes out of a connected store.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { accessFaults, newPage, openBrowser } from '#testing/browser.ts';
import { signUp } from '#testing/journeys.ts';
import { type Product, startProduct } from '#testing/product.ts';
import { newBlock, newDocument, newSection } from '../areas/content/document-factory.ts';
import type { EmailDocument } from '../areas/content/document.ts';
import campaigns from '../locales/fas/campaigns.json' with { type: 'json' };
import content from '../locales/fas/content.json' with { type: 'json' };

const WORDS = 'سلام {{firstname}}';

let product: Product;
let browser: Browser;

beforeAll(async () => {
  [product, browser] = await Promise.all([startProduct(), openBrowser()]);
});

afterAll(async () => {
  await browser?.close();
  await product?.remove();
});

test('every screen that one writes in is clean, in Persian and in both themes', async () => {
  const first = await newPage(browser, { locale: 'fa-IR' });
  await signUp(first.page, product, 'soheila@forushgah.example');
  const blocks = await draftOf(first.page, sample());
  const html = await draftOf(first.page, sample());
  const letter = await draftOf(first.page, sample());
  const storageState = await first.page.context().storageState();
  await first.page.context().close();
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page, wrong } = await newPage(browser, { locale: 'fa-IR', storageState, colorScheme });
    const clean = async (what: string) =>
      expect(await accessFaults(page), `${what}, ${colorScheme}`).toEqual([]);

    await page.goto(`${product.address}/campaigns/${blocks}/editor?choose=1`);
    await page.locator('iframe').first().waitFor();
    await clean('the templates');
    await writeOwn(page, html, 'custom_html', campaigns.editor.html, clean);
    await writeOwn(page, letter, 'plain_text', campaigns.editor.text, clean);
    await lookAtForms(page, blocks, clean);
    expect(wrong).toEqual([]);
    await page.context().close();
  }
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
    newDocument([newSection([[newBlock('product', { name: 'New' })]])]),
  );
  await page.goto(`${product.address}/campaigns/${id}/editor`);
  await page.locator('[role=group][data-node]').click();
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

type Clean = (what: string) => Promise<void>;

/** Asks once; from the first save on the campaign is this editor's own. */
async function writeOwn(page: Page, id: string, path: string, kind: string, clean: Clean) {
  await page.goto(`${product.address}/html/${id}/${path}`);
  const begin = page.getByRole('button', {
    name: campaigns.switch.begin.replace('{{editor}}', kind),
  });
  const field = page.getByRole('textbox', { name: kind });
  await begin.or(field).first().waitFor();
  if (await begin.isVisible()) {
    await clean(`the question before ${path}`);
    await begin.click();
  }
  await field.click();
  await page.keyboard.press('Control+A');
  await page.keyboard.type(WORDS);
  await expect.poll(async () => contentOf(page, id), { timeout: 15_000 }).toContain('سلام');
  await clean(path);
}

async function lookAtForms(page: Page, id: string, clean: Clean) {
  await page.goto(`${product.address}/campaigns/${id}/editor`);
  await page.locator('[role=group][data-node]').first().focus();
  await page
    .locator('[role=group][data-node]')
    .first()
    .click({ position: { x: 5, y: 5 } });
  const form = page.getByRole('complementary', { name: content.mail.inspector });
  for (const tab of [content.style.mobile, content.style.dark]) {
    await form.getByRole('tab', { name: tab, exact: true }).click();
    await clean(`the form of a picture: ${tab}`);
  }
  await form.getByRole('button', { name: content.images.choose }).click();
  await page.getByRole('dialog').getByText(content.images.none).waitFor();
  await clean('the library of images');
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

async function draftOf(page: Page, document: EmailDocument): Promise<string> {
  const call = async (method: string, path: string, data: object) => {
    const answer = await page.request.fetch(`${product.address}/client-api/api${path}`, {
      method,
      headers: { 'x-sendloom': '1' },
      data,
    });
    expect(answer.status(), path).toBe(200);
    return (await answer.json()).data;
  };
  const { id, revision } = await call('POST', '/campaigns', {
    title: 'Tea',
    subject: 'Tea',
    from_email: 'letters@forushgah.example',
  });
  await call('PUT', `/campaigns/${id}/content`, { revision, editor: 'editor', document });
  return id;
}
