// A marketer builds a segment with the keyboard only: previews its size, saves it, lists its
// subscribers, changes it, selects it as recipients, and deletes it. A segment is also built in
// Persian on a phone.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { findAccessibilityViolations, newPage, waitUntilQuiet } from '#testing/setup/browser.ts';
import {
  PERSIAN_PHONE,
  call,
  isTooWide,
  openSharedProduct,
  signUp,
  openScreen,
} from '#testing/setup/journeys.ts';
import segments from '../locales/fas/segments.json' with { type: 'json' };

const NAMES = ['Ann', 'Anna', 'Hannah', 'Bo', 'Cleo', 'Susanna'];

const { product, browser } = await openSharedProduct();

test('a segment is created, used and deleted by keyboard', async () => {
  const { page, pageErrors } = await newPage(browser);
  await signUp(page, product, 'owner@bakery.example');
  await fillAudience(page);
  await build(page);
  await saveAndView(page);
  await editFilter(page);
  await edit(page);
  const campaign = await selectAsRecipients(page);
  await remove(page, campaign);
  expect(pageErrors).toEqual([]);
  await page.context().close();
});

test('a segment is built in Persian on a phone', async () => {
  const { page, pageErrors } = await newPage(browser, PERSIAN_PHONE);
  await signUp(page, product, 'malek@nanva.example');
  await fillAudience(page);
  await page.goto(`${product.address}/subscribers/segments`);
  await page.getByRole('heading', { name: segments.empty.title }).waitFor();
  expect(await page.getAttribute('html', 'dir')).toBe('rtl');
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await page.getByRole('link', { name: segments.create.action }).first().tap();
  const typeField = page.getByRole('combobox', { name: segments.about });
  await typeField.tap();
  await page.getByRole('option', { name: segments.types.firstname, exact: true }).tap();
  await page.getByRole('combobox', { name: segments.operator }).tap();
  await page.getByRole('option', { name: segments.operators.plain.includes, exact: true }).tap();
  await page.getByRole('textbox', { name: segments.value }).fill('ann');
  await page.getByText('۴ مشترک', { exact: true }).waitFor();
  await page.getByText('hannah@people.example').waitFor();
  expect(await isTooWide(page)).toBe(false);
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await page.getByRole('button', { name: segments.save.confirm }).tap();
  await page.waitForURL(/segments\/[A-Za-z0-9]{4,}$/);
  await page.getByRole('link', { name: segments.acts.open }).tap();
  // The list of subscribers, filtered by the segment, shows the same subscribers.
  await page.waitForURL(/\/subscribers\?/);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.getByRole('link', { name: 'susanna@people.example' }).waitFor();
  await waitUntilQuiet(page);
  await page.getByRole('heading', { level: 1 }).waitFor();
  expect(await page.getByRole('link', { name: 'bo@people.example' }).count()).toBe(0);
  expect(await isTooWide(page)).toBe(false);
  expect(await findAccessibilityViolations(page)).toEqual([]);
  expect(pageErrors).toEqual([]);
  await page.context().close();
});

/** Creates a group with four subscribers and two more outside it, using the session of the page. */
async function fillAudience(page: Page): Promise<void> {
  const group = await post(page, 'tags', { title: 'Tea drinkers' });
  for (const [index, firstname] of NAMES.entries()) {
    const email = `${firstname.toLowerCase()}@people.example`;
    await post(page, 'subscribers', { email, firstname, groups: index < 4 ? [group] : [] });
  }
}

async function post(page: Page, path: string, data: object): Promise<string> {
  return (await call<{ id: string }>(page, product, 'POST', `/client-api/api/${path}`, data)).id;
}

/**
 * Builds the conditions that the first name contains "ann" and the subscriber is in the group, with
 * keys only.
 */
async function build(page: Page): Promise<void> {
  await openScreen(page, '/subscribers/segments');
  await page.getByRole('heading', { name: 'Find people by what they do' }).waitFor();
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await page.getByRole('link', { name: 'Create segment' }).first().press('Enter');
  await page.getByText('Choose a condition to see who matches.').waitFor();
  await page.getByLabel('Name', { exact: true }).focus();
  await page.keyboard.press('Tab');
  await typeAndTake(page, 'first na', 'First name');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  const contains = page.getByRole('option', { name: 'contains', exact: true });
  await contains.waitFor();
  const selectedOption = () =>
    page.evaluate(
      () => document.querySelector('[role=option][data-combobox-selected]')?.textContent ?? '',
    );
  // The arrow key is pressed until the option is highlighted.
  await expect
    .poll(
      async () => {
        if ((await selectedOption()) !== 'contains') await page.keyboard.press('ArrowDown');
        return selectedOption();
      },
      { timeout: 20_000 },
    )
    .toBe('contains');
  expect(await selectedOption()).toBe('contains');
  await page.keyboard.press('Enter');
  await contains.waitFor({ state: 'hidden' });
  const value = page.getByRole('textbox', { name: 'Value', exact: true });
  await value.waitFor();
  await page.keyboard.press('Tab');
  const isFocused = () => value.evaluate((field) => field === document.activeElement);
  await expect.poll(isFocused, { timeout: 10_000 }).toBe(true);
  await page.keyboard.type('ann');
  expect(await value.inputValue()).toBe('ann');
  await page.getByText('4 subscribers', { exact: true }).waitFor();
  await page.getByText('First name contains “ann”').waitFor();
  for (const email of ['ann', 'anna', 'hannah', 'susanna']) {
    await page.getByRole('link', { name: `${email}@people.example`, exact: true }).waitFor();
  }
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  expect(await focusedText(page)).toBe('Add condition');
  await page.keyboard.press('Enter');
  await typeAndTake(page, 'group', 'Group');
  await page.getByText('1 condition is incomplete and ignored for now.').waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await typeAndTake(page, 'tea', 'Tea drinkers');
  await page.keyboard.press('Escape');
  await page.getByText('3 subscribers', { exact: true }).waitFor();
  expect(await findAccessibilityViolations(page)).toEqual([]);
}

/** Types a term and selects the first match with Enter. */
async function typeAndTake(page: Page, term: string, option: string): Promise<void> {
  await page.keyboard.type(term);
  // The option that Enter selects is highlighted.
  const firstOption = page.locator('[role=option][data-combobox-selected]');
  await firstOption.getByText(option, { exact: true }).waitFor();
  await page.keyboard.press('Enter');
}

async function saveAndView(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Save segment' }).press('Enter');
  await page.waitForURL(/segments\/[A-Za-z0-9]{4,}$/);
  await page.getByRole('link', { name: 'View subscribers' }).press('Enter');
  await page.waitForURL(/\/subscribers\?filter=/);
  await page.getByText('1–3 of 3').waitFor();
  const chips = page.getByRole('list', { name: 'Active conditions' });
  await chips.getByText('First name contains “ann”').waitFor();
  expect(await findAccessibilityViolations(page)).toEqual([]);
}

/**
 * Edits the filter above the list with the same builder. The filter is in the URL and is preserved
 * by a reload.
 */
async function editFilter(page: Page): Promise<void> {
  await page.getByRole('button', { name: '2 conditions' }).press('Enter');
  const panel = page.getByRole('region', { name: 'Show subscribers who match' });
  await panel.getByText('3 subscribers', { exact: true }).waitFor();
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await panel.getByRole('button', { name: 'Remove condition 1' }).press('Enter');
  await page.getByText('1–4 of 4').waitFor();
  expect(new URL(page.url()).searchParams.get('filter')).toMatch(/^tag,have,\w+,1,and,and,$/);
  await page.reload();
  await page.getByText('1–4 of 4').waitFor();
  expect(await page.getByLabel('Filter by group').first().inputValue()).toBe('Tea drinkers');
}

async function edit(page: Page): Promise<void> {
  await openScreen(page, '/subscribers/segments');
  const title = 'First name contains “ann” and in the group “Tea drinkers”';
  await page.getByRole('button', { name: new RegExp(title) }).press('Enter');
  await page.getByRole('menuitem', { name: 'Edit' }).press('Enter');
  await page.getByLabel('Name', { exact: true }).fill('Annas with tea');
  await page.getByRole('textbox', { name: 'Value' }).fill('anna');
  await page.getByText('2 subscribers', { exact: true }).waitFor();
  await page.getByRole('radio', { name: 'Any of these' }).press('Space');
  await page.getByText('5 subscribers', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Save segment' }).press('Enter');
  await page.getByRole('heading', { level: 1, name: 'Annas with tea' }).waitFor();
  await openScreen(page, '/subscribers/segments');
  const row = page.getByRole('row', { name: /Annas with tea/ });
  await row.getByText('5', { exact: true }).first().waitFor();
  expect(await findAccessibilityViolations(page)).toEqual([]);
}

async function selectAsRecipients(page: Page): Promise<string> {
  const id = await post(page, 'campaigns', { title: 'Tea week', subject: 'Tea' });
  await openScreen(page, `/campaigns/${id}/subscribers`);
  await page.getByRole('checkbox', { name: /Annas with tea/ }).press('Space');
  await page.getByText('of 5 selected will receive this').waitFor();
  await page.getByRole('button', { name: 'Exclude groups or segments' }).press('Enter');
  await page
    .getByRole('group', { name: 'Exclude groups or segments: Groups' })
    .getByRole('checkbox', { name: /Tea drinkers/ })
    .press('Space');
  await page.getByText('In an excluded group').waitFor();
  expect(await findAccessibilityViolations(page)).toEqual([]);
  return id;
}

/** Deletes the segment. The draft that used it then has no recipients. */
async function remove(page: Page, campaign: string): Promise<void> {
  await openScreen(page, '/subscribers/segments');
  await page.getByRole('button', { name: /Annas with tea/ }).press('Enter');
  await page.getByRole('menuitem', { name: 'Delete' }).press('Enter');
  await page.getByRole('button', { name: 'Delete segment' }).press('Enter');
  await page.getByText('Segment “Annas with tea” deleted').waitFor();
  await page.getByRole('heading', { name: 'Find people by what they do' }).waitFor();
  await page.goto(`${product.address}/campaigns/${campaign}/subscribers`);
  await page.getByText('No recipients yet').waitFor();
}

const focusedText = (page: Page) => page.evaluate(() => document.activeElement?.textContent);
