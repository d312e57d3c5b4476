// Braintree's card form in a checkout. Braintree's browser library shows the bank's challenge (3-D
// Secure), and the adapter charges the card once, and not without the bank's confirmation.
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newPage } from '#testing/setup/browser.ts';
import { atTheEnd } from '#testing/setup/at-the-end.ts';
import { BRAINTREE_CARDS, routeBraintree } from '#testing/gateways/braintree-browser.ts';
import { BRAINTREE_KEYS, startBraintreeServer } from '#testing/gateways/braintree-server.ts';
import { openOwnProduct, shoot, signUp } from '#testing/setup/journeys.ts';

const braintree = await startBraintreeServer();
atTheEnd(() => braintree.close());
const file = join(tmpdir(), `sendloom-card-form-${process.pid}.json`);
writeFileSync(
  file,
  JSON.stringify({
    limits: 'enforced',
    seller: { name: 'Loom Ltd', address: ['1 Street'], country: 'US' },
    free: { subscribers: 100, emails: 1000 },
    plans: [],
  }),
);
const { product, browser } = await openOwnProduct({
  BILLING: 'braintree',
  BILLING_FILE: file,
  BRAINTREE_URL: braintree.base,
  BRAINTREE_ENVIRONMENT: 'sandbox',
  BRAINTREE_MERCHANT_ID: BRAINTREE_KEYS.merchantId,
  BRAINTREE_PUBLIC_KEY: BRAINTREE_KEYS.publicKey,
  BRAINTREE_PRIVATE_KEY: BRAINTREE_KEYS.privateKey,
});

test("a card is not charged before the bank's challenge over the card form is confirmed", async () => {
  const { page } = await newPage(browser);
  await routeBraintree(page, braintree);
  await signUp(page, product, 'confirmer@shop.example');
  await page.goto(`${product.address}/sms-credits-purchase`);
  await page.getByRole('button', { name: '$15.00' }).click();
  await page.getByRole('button', { name: 'Continue to payment' }).click();
  const form = page.frameLocator('iframe[title="Card form"]');
  const pay = page.getByRole('button', { name: 'Pay $15.00' });
  await pay.click();
  await form.getByText('This is not a card number').waitFor();
  await form.getByLabel('Card number').fill(BRAINTREE_CARDS.asks);
  await form.getByLabel('Valid to (MM/YY)').fill('12/35');
  await form.getByLabel('Security code').fill('123');
  await pay.click();
  const bank = form.frameLocator('iframe[title="Bank"]');
  await bank.getByRole('button', { name: 'Refuse' }).waitFor();
  await shoot(page, 'billing-card-form-bank');
  const frame = page.locator('iframe[title="Card form"]');
  await expect.poll(async () => (await frame.boundingBox())?.height).toBe(600);
  await bank.getByRole('button', { name: 'Refuse' }).click();
  await form.getByText('Your bank did not confirm the payment').waitFor();
  await expect.poll(async () => (await frame.boundingBox())?.height).toBeLessThan(300);
  expect(braintree.transactions).toEqual([]);
  await pay.click();
  await bank.getByRole('button', { name: 'Confirm' }).click();
  await page.getByText('Your SMS credit is ready.').waitFor();
  expect(braintree.transactions).toMatchObject([
    { amount: '15.00', status: 'submitted_for_settlement' },
  ]);
  // A card without a challenge is charged immediately. The first card is already stored.
  await page.goto(`${product.address}/sms-credits-purchase`);
  await page.getByRole('button', { name: '$15.00' }).click();
  await page.getByRole('button', { name: 'Continue to payment' }).click();
  await page.getByRole('radio', { name: 'Another card' }).check();
  await form.getByLabel('Card number').fill(BRAINTREE_CARDS.pays);
  await form.getByLabel('Valid to (MM/YY)').fill('12/35');
  await form.getByLabel('Security code').fill('123');
  await pay.click();
  await page.getByText('Your SMS credit is ready.').waitFor();
  expect(braintree.transactions).toHaveLength(2);
  await page.context().close();
});
