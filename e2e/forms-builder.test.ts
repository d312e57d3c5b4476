// The form builder in a real browser.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { accessFaults, newPage } from '#testing/browser.ts';
import { call, openStage, shoot, signUp } from '#testing/journeys.ts';

const { product, browser } = await openStage();
const API = '/client-api/api/forms';

async function openBuilder(page: Page, body: object): Promise<string> {
  const { id } = await call<{ id: string }>(page, product, 'POST', API, {
    title: 'Spring news',
    ...body,
  });
  await page.goto(`${product.address}/forms/builder/${id}`);
  return id;
}

test('a popup in the builder, after the tour', async () => {
  const { page, wrong } = await newPage(browser);
  await signUp(page, product, 'owner@builder.example');
  await openBuilder(page, { type: 'popup', layout: 'card' });
  await takeTour(page);
  expect(await accessFaults(page)).toEqual([]);
  await shoot(page, 'builder-content');
  for (const tab of ['Design', 'Settings', 'Behaviour', 'Success']) {
    await page.getByRole('tab', { name: tab }).click();
    await page.waitForTimeout(300);
    expect(await accessFaults(page), tab).toEqual([]);
    await shoot(page, `builder-${tab}`);
  }
  expect(wrong).toEqual([]);
  await page.context().close();
});

/** Once for each user: content, design, settings, behaviour, success, save. */
async function takeTour(page: Page): Promise<void> {
  const tour = page.getByRole('dialog', { name: 'A look around' });
  for (const stop of ['Content', 'Design', 'Settings', 'Behaviour', 'Success', 'Save']) {
    await tour.getByText(stop, { exact: true }).waitFor();
    await shoot(page, `builder-tour-${stop}`);
    await page.keyboard.press('Enter');
  }
  await tour.waitFor({ state: 'detached' });
}
