// The demo shop is connected, looked around in, left with a full cart, bought from; then the page in Persian.
import { expect, test } from 'vitest';
import { accessFaults, newPage } from '#testing/browser.ts';
import { call, isTooWide, openStage, PERSIAN_PHONE, shoot, signUp } from '#testing/journeys.ts';
import stores from '../locales/fas/stores.json' with { type: 'json' };

const { product, browser } = await openStage();
const API = '/client-api/api/connected-stores';
const PAGE = '/settings/connected-stores';

test('connected, browsed, a cart kept, bought, refunded; its figures are true', async () => {
  const { page, wrong } = await newPage(browser);
  await signUp(page, product, 'stores@shop.example');
  await page.goto(product.address + PAGE);
  await page.getByText('No store yet').waitFor();
  expect(await accessFaults(page)).toEqual([]);
  await shoot(page, 'stores-empty');
  await page.getByRole('button', { name: 'Connect a store' }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Store address').fill('http://127.0.0.1:1');
  await dialog.getByLabel('Consumer key').fill('ck');
  await dialog.getByLabel('Consumer secret').fill('cs');
  await dialog.getByRole('button', { name: 'Connect a store' }).click();
  await dialog.getByText('https://', { exact: false }).first().waitFor();
  await shoot(page, 'stores-connect');
  expect(await accessFaults(page)).toEqual([]);
  await dialog.getByText('Demo shop', { exact: true }).click();
  await dialog.getByRole('button', { name: 'Connect the demo shop' }).click();
  const card = page.getByRole('region', { name: 'Harbour Tea Shop' });
  await card.getByText('Connected', { exact: true }).waitFor();

  const shop = await newPage(browser);
  await shop.page.goto(`${product.address}/shop`);
  await shop.page.getByRole('heading', { level: 1, name: 'Harbour Tea Shop' }).waitFor();
  expect(await accessFaults(shop.page)).toEqual([]);
  await shoot(shop.page, 'stores-demo-shelf');
  await shop.page.getByRole('link', { name: /Sencha Spring/ }).click();
  await shop.page.getByRole('button', { name: 'Add to cart' }).click();
  await shop.page.getByLabel('First name').fill('Åse');
  await shop.page.getByLabel('Email').fill('buyer@reader.example');
  await shop.page.getByRole('button', { name: 'Save the cart and leave' }).click();
  await shop.page.getByText('Your cart is saved').waitFor();
  await shop.page.getByRole('link', { name: /Cart/ }).click();
  await shop.page.getByRole('button', { name: 'Place the order' }).click();
  await shop.page.getByText('Paid. A confirmation').waitFor();
  expect(await accessFaults(shop.page)).toEqual([]);
  await shoot(shop.page, 'stores-demo-order');

  await expect
    .poll(async () => {
      const { counts } =
        (await call<{ counts: { orders: number } }[]>(page, product, 'GET', API))[0] ?? {};
      return counts?.orders;
    })
    .toBe(1);
  await shop.page.getByRole('button', { name: 'Refund it' }).click();
  await shop.page.getByText('Refunded to buyer@reader.example').waitFor();
  expect(shop.wrong).toEqual([]);
  await shop.page.context().close();

  await page.reload();
  await card.getByText('12', { exact: true }).waitFor();
  await shoot(page, 'stores-card');
  expect(await accessFaults(page)).toEqual([]);
  await card.getByRole('button', { name: 'Settings' }).click();
  await page.getByLabel('Minutes until a cart is abandoned').fill('90');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Store saved').waitFor();
  await card.getByRole('button', { name: 'Disconnect' }).click();
  await shoot(page, 'stores-disconnect');
  await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
  await page.getByText('No store yet').waitFor();
  // The refusal of the wrong address, which the dialog told.
  expect(wrong.filter((one) => !one.includes('422'))).toEqual([]);
  await page.context().close();
});

test('connected stores in Persian on a phone', async () => {
  const { page, wrong } = await newPage(browser, PERSIAN_PHONE);
  await signUp(page, product, 'foroushgah@shop.example');
  await call(page, product, 'POST', `${API}/demo`);
  await page.goto(product.address + PAGE);
  await page.getByRole('heading', { level: 1, name: stores.title }).waitFor();
  await page.getByText(stores.states.live, { exact: true }).waitFor();
  expect(await accessFaults(page)).toEqual([]);
  expect(await isTooWide(page)).toBe(false);
  await shoot(page, 'stores-fas');
  expect(wrong).toEqual([]);
});
