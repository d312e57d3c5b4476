// An email that programs send: written in the block editor, set up, sent by API, followed in its report and
// its heatmap; nobody on the suppression list gets it.
import { expect, test } from 'vitest';
import { accessFaults, newPage, quiet } from '#testing/browser.ts';
import { isTooWide, openStage, shoot, signUp } from '#testing/journeys.ts';
import type { Page } from 'playwright-core';

const { product, browser } = await openStage();

async function look(page: Page, name: string): Promise<void> {
  await quiet(page);
  expect(await accessFaults(page), name).toEqual([]);
  expect(await isTooWide(page), name).toBe(false);
  await shoot(page, `transactional-${name}`);
}

test('a template by block editor, sent by API, with its report and heatmap', async () => {
  const { page, wrong } = await newPage(browser);
  await signUp(page, product, 'owner@receipts.example');
  await page.goto(`${product.address}/transactional`);
  await page.getByText('Send receipts, codes and notices').waitFor();
  await look(page, 'empty');
  await page.getByRole('link', { name: 'New transactional email' }).first().click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Receipt');
  await page.getByLabel('Subject').fill('Your order {{ number }}');
  await look(page, 'settings');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.waitForURL(/\/editor/);
  await look(page, 'choice');
  const id = /transactional\/([^/]+)\//.exec(page.url())?.[1] ?? '';
  await page
    .getByRole('button', { name: /Plain letter|Blank|Start from scratch/ })
    .first()
    .click();
  await page.getByRole('link', { name: 'Overview' }).waitFor();
  await look(page, 'editor');
  await page.getByRole('button', { name: 'Done' }).click();
  await page.waitForURL(/\/overview/);
  await look(page, 'overview');
  for (const part of ['report/activity', 'report/heatmap', 'edit']) {
    await page.goto(`${product.address}/transactional/${id}/${part}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await look(page, part.replace('/', '-'));
  }
  await page.goto(`${product.address}/transactional/suppression-list`);
  await page.getByRole('heading', { level: 1 }).waitFor();
  await look(page, 'suppression');
  expect(wrong).toEqual([]);
});
