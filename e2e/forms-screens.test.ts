// The screens of forms on a desktop: the empty list, the gallery of types and layouts, the list,
// and a form's page with statistics, tag, groups and confirmation email. They are also shown on a
// phone in Persian.
import { expect, test } from 'vitest';
import { findAccessibilityViolations, newPage, waitUntilQuiet } from '#testing/setup/browser.ts';
import {
  call,
  isTooWide,
  openSharedProduct,
  PERSIAN_PHONE,
  shoot,
  newOwner,
  openScreen,
} from '#testing/setup/journeys.ts';
import fas from '../locales/fas/forms.json' with { type: 'json' };

const { product, browser } = await openSharedProduct();
const API = '/client-api/api/forms';
type FormResponse = { id: string; settings: { embed_hash: string } };

test('a popup is created in the gallery, listed, activated, viewed, and set to double opt-in', async () => {
  const { page, pageErrors } = await newPage(browser, { viewport: { width: 1280, height: 900 } });
  await newOwner(page, product, 'list@screens.example');
  await page.goto(`${product.address}/forms`);
  await page.getByRole('heading', { name: 'Turn visitors into subscribers' }).waitFor();
  await shoot(page, 'forms-empty');
  await page.getByRole('link', { name: 'New form' }).first().click();
  await page.getByRole('button', { name: /^Popup/ }).waitFor();
  await waitUntilQuiet(page);
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await shoot(page, 'forms-types');
  await page.getByRole('button', { name: /^Popup/ }).click();
  await page.getByRole('combobox', { name: 'Language of the layout' }).selectOption('spa');
  await page.getByRole('button', { name: 'Bar at the bottom' }).waitFor();
  expect(await page.getByRole('main').getByRole('listitem').count()).toBe(8);
  await waitUntilQuiet(page);
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await shoot(page, 'forms-layouts');
  await page.getByRole('button', { name: 'Image on top' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('textbox').fill('Autumn offer');
  await dialog.getByRole('button', { name: 'Continue to the builder' }).click();
  await page.waitForURL(/\/forms\/builder\/[\w-]+$/);

  await openScreen(page, '/forms');
  const row = page.getByRole('row', { name: /Autumn offer/ });
  await row.locator('.mantine-Switch-track').click();
  // The text of the form promises a discount, which has no code yet.
  const question = page.getByRole('dialog', { name: 'People would get no code' });
  await question.getByRole('button', { name: 'Publish anyway' }).click();
  await page.getByText('“Autumn offer” is on.').waitFor();
  await waitUntilQuiet(page);
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await shoot(page, 'forms-list');
  expect(new URL(page.url()).pathname).toBe('/forms');
  await row.getByRole('link', { name: 'Autumn offer' }).first().click();
  await page.getByRole('heading', { level: 1, name: 'Autumn offer' }).waitFor();
  const [form] = await call<FormResponse[]>(page, product, 'GET', API);
  if (!form) throw new Error('no form');
  await page.getByText(`[sender-form id="${form.settings.embed_hash}"]`).waitFor();
  await page.getByText(`/f/${form.settings.embed_hash}/view" method="post">`).waitFor();
  await page.getByText('For developers').click();
  await page.getByText(`senderForms.enable('${form.settings.embed_hash}')`).waitFor();
  await page.getByRole('switch', { name: 'Ask people to confirm' }).press('Space');
  await page.getByRole('textbox', { name: 'Subject line' }).fill('One click left');
  await page
    .getByRole('region', { name: 'Double opt-in' })
    .getByRole('button', { name: 'Save' })
    .click();
  await page.getByText('Double opt-in saved.').waitFor();
  await page.getByRole('button', { name: 'Show as table' }).click();
  await page.getByRole('group', { name: 'By day' }).waitFor();
  await page.getByRole('button', { name: 'Show as chart' }).click();
  await waitUntilQuiet(page);
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await shoot(page, 'forms-view');
  await page.getByRole('link', { name: 'Edit the email' }).click();
  await page.getByText('{{ confirm_link }}').waitFor();
  expect(pageErrors).toEqual([]);
  await page.context().close();
});

test('the gallery, the list and a wheel’s page are right-to-left on a phone in Persian', async () => {
  const { page, pageErrors } = await newPage(browser, PERSIAN_PHONE);
  await newOwner(page, product, 'fas@screens.example', 'fas');
  const form = await call<FormResponse>(page, product, 'POST', API, {
    type: 'spinToWin',
    title: 'گردونه',
  });
  await call(page, product, 'PATCH', `${API}/${form.id}`, { is_active: 1 });
  const checkPage = async (path: string, name: string) => {
    await openScreen(page, path);
    expect(await page.getAttribute('html', 'dir'), path).toBe('rtl');
    expect(await findAccessibilityViolations(page), path).toEqual([]);
    expect(await isTooWide(page), path).toBe(false);
    const summaries = page.locator('details summary');
    if ((await summaries.count()) > 0) {
      await summaries.click();
      expect(await findAccessibilityViolations(page), path).toEqual([]);
      expect(await isTooWide(page), path).toBe(false);
      await summaries.scrollIntoViewIfNeeded();
    }
    await shoot(page, name);
  };
  await page.goto(`${product.address}/forms`);
  await checkPage('/forms', 'forms-list-fas');
  await checkPage('/forms/create', 'forms-types-fas');
  await checkPage('/forms/create?type=spinToWin', 'forms-layouts-fas');
  await checkPage(`/forms/${form.id}/view`, 'forms-view-fas');
  await page.getByRole('link', { name: fas.view.spins }).waitFor();
  expect(pageErrors).toEqual([]);
  await page.context().close();
});
