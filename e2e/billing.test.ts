// An owner's first card is declined; a second card, confirmed with the bank, pays for a plan. The
// owner downloads the invoice, then buys SMS credit and spends it. Further tests cover a failed
// renewal with a downgrade, and billing in Persian on a phone.
import pg from 'pg';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { findAccessibilityViolations, newPage } from '#testing/setup/browser.ts';
import {
  call,
  isTooWide,
  openSharedProduct,
  PERSIAN_PHONE,
  shoot,
  newOwner,
  openScreen,
} from '#testing/setup/journeys.ts';
import { addSmsPeople, daytimeNumbers } from '#testing/worlds/sms-people.ts';
import billing from '../locales/fas/billing.json' with { type: 'json' };

const { product, browser } = await openSharedProduct();

async function fillCard(page: Page, number: string): Promise<void> {
  const form = page.frameLocator('iframe[title="Card form"]');
  await form.getByLabel('Card number').fill(number);
  await form.getByLabel('Valid to (MM/YY)').fill('1235');
  await form.getByLabel('Security code').fill('123');
}

/**
 * Creates an SMS campaign and sends it to twenty subscribers from its confirm screen. @returns the
 * expected remaining credit as displayed, such as `$14.20`
 */
async function sendTwentySms(page: Page, email: string, credit: number): Promise<string> {
  const { country, numbers } = daytimeNumbers(20);
  await addSmsPeople(product, email, numbers);
  const api = <Data>(method: 'GET' | 'POST', path: string, body?: object) =>
    call<Data>(page, product, method, `/client-api/api${path}`, body);
  const sender = { kind: 'long_code', value: '+15125550188', use_case: 'Offers' };
  const { id: phone } = await api<{ id: string }>('POST', '/phone', sender);
  await page.goto(`${product.address}/sms/phone/${phone}/tcpa_and_ctia_compliance`);
  await page.getByLabel('Your full name').fill('Ada Bloom');
  await page.getByRole('button', { name: 'I accept' }).click();
  await page.getByText(/Accepted by Ada Bloom/).waitFor();
  const draft = { title: 'Tulips', text: 'Tulips are in', phone_id: phone };
  const { id } = await api<{ id: string }>('POST', '/sms/campaign', draft);
  await page.goto(`${product.address}/sms/${id}/subscribers`);
  await page.getByRole('switch', { name: /everyone/i }).check({ force: true });
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.waitForURL(/\/confirm$/);
  await page.getByRole('button', { name: 'Send now' }).click();
  await shoot(page, 'billing-text-confirm');
  await page.getByRole('button', { name: 'Send to 20 people' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  const { sms_prices: prices } = await api<{ sms_prices: Record<string, number> }>(
    'GET',
    '/billing/plans',
  );
  const price = (prices[country] ?? prices.other ?? 0) / 1_000_000;
  expect(price).toBeGreaterThan(0);
  return `$${(credit - 20 * price).toFixed(2)}`;
}

test('a plan is bought after a declined card and a bank confirmation, and SMS credit is bought and spent', async () => {
  const { page, pageErrors } = await newPage(browser);
  await newOwner(page, product, 'payer@shop.example');
  await page.goto(`${product.address}/settings/billing`);
  await page.getByText('Free Forever').waitFor();
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await shoot(page, 'billing');
  await page.getByRole('link', { name: 'Choose a plan' }).click();
  await page.getByRole('heading', { name: 'Professional' }).waitFor();
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await shoot(page, 'billing-plans');
  await page.getByRole('button', { name: 'Choose Standard' }).click();
  await page.waitForURL(/\/checkout\//);
  await page.getByLabel('Coupon').fill('nonsense');
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByText('There is no such coupon').waitFor();
  await page.getByLabel('Coupon').fill('TRYIT');
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByText('Coupon TRYIT applied').waitFor();
  await fillCard(page, '1234');
  await page.getByRole('button', { name: /^Pay / }).click();
  await page.frameLocator('iframe').getByText('This is not a card number').waitFor();
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await shoot(page, 'billing-checkout');
  await fillCard(page, '4000 0000 0000 0002');
  await page.getByRole('button', { name: /^Pay / }).click();
  // The form shows the reason, and the order remains open.
  await page.getByRole('alert').getByText('Your bank declined the card.').waitFor();
  await page.getByText('Coupon TRYIT').first().waitFor();
  expect(page.url()).toContain('/checkout/');
  await fillCard(page, '4000000000003220');
  await page.getByRole('button', { name: /^Pay / }).click();
  const bank = page.waitForEvent('popup');
  await page.getByRole('link', { name: 'Open the bank’s page' }).click();
  await (await bank).getByRole('button', { name: 'Confirm' }).click();
  await page.waitForURL(/\/thank-you\//);
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: /Download the invoice/ }).click();
  expect((await download).suggestedFilename()).toMatch(/^TEST-\d+-0001\.pdf$/);
  await page.getByRole('link', { name: 'To billing' }).click();
  await page.getByText(/Valid until/).waitFor();
  await page.getByText('•••• 3220').waitFor();
  await page.getByRole('link', { name: 'Buy SMS credit' }).click();
  await page.getByRole('button', { name: '$15.00' }).click();
  await page.getByRole('button', { name: 'Continue to payment' }).click();
  await page.getByRole('radio', { name: 'Another card' }).check();
  await fillCard(page, '4111 1111 1111 1111');
  await page.getByRole('button', { name: 'Pay $15.00' }).click();
  await page.getByText('Your SMS credit is ready.').waitFor();
  await page.goBack();
  await page.waitForURL(/\/(thank-you|sms-credits-purchase)/);
  await page.goto(`${product.address}/settings/billing`);
  await page.getByText('$15.00').waitFor();
  await shoot(page, 'billing-paid');
  const remainingCredit = await sendTwentySms(page, 'payer@shop.example', 15);
  await expect
    .poll(
      async () => {
        await page.goto(`${product.address}/settings/billing`);
        await page.getByText(/Valid until/).waitFor();
        return page.getByText(remainingCredit, { exact: true }).isVisible();
      },
      { timeout: 60_000, interval: 1_000 },
    )
    .toBe(true);
  await page.getByText('20', { exact: true }).first().waitFor();
  await shoot(page, 'billing-credit-spent');
  expect(pageErrors).toEqual([]);
  await page.context().close();
});

/**
 * Moves the end of the plan's period into the past, so that the renewals poller charges the card
 * within a minute.
 */
async function expirePeriod(email: string): Promise<void> {
  const client = new pg.Client({ connectionString: product.databaseUrl });
  await client.connect();
  try {
    await client.query(
      `update subscriptions s set period_start = s.period_start - interval '32 days',
         period_end = now() - interval '1 minute', renew_at = now() - interval '1 minute'
       from memberships m join users u on u.id = m.user_id
       where m.account_id = s.account_id and u.email = $1`,
      [email],
    );
  } finally {
    await client.end();
  }
}

test('a failed renewal is paid with another card, and the plan can be downgraded afterwards', async () => {
  const { page, pageErrors } = await newPage(browser);
  const email = 'renewer@shop.example';
  await newOwner(page, product, email);
  await page.goto(`${product.address}/settings/billing/upgrade`);
  await page.getByText('Monthly').click();
  await page.getByRole('button', { name: 'Choose Professional' }).click();
  await page.waitForURL(/\/checkout\//);
  await fillCard(page, '4000 0000 0000 0341');
  await page.getByRole('button', { name: /^Pay / }).click();
  await page.waitForURL(/\/thank-you\//);
  await expirePeriod(email);
  await expect
    .poll(
      async () => {
        await page.goto(`${product.address}/settings/billing`);
        await page.getByText(/Valid until/).waitFor();
        return page.getByRole('link', { name: 'Pay now' }).isVisible();
      },
      { timeout: 120_000, interval: 2_000 },
    )
    .toBe(true);
  await page.getByText('Payment failed', { exact: true }).waitFor();
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await shoot(page, 'billing-past-due');
  await page.getByRole('link', { name: 'Pay now' }).click();
  await page.getByRole('radio', { name: 'Another card' }).check();
  await fillCard(page, '4111 1111 1111 1111');
  await page.getByRole('button', { name: /^Pay / }).click();
  await page.waitForURL(/\/thank-you\//);
  await page.goto(`${product.address}/settings/billing/upgrade`);
  await page.getByRole('button', { name: 'Downgrade to Standard' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText(/Standard does not include: .*SMS credit/).waitFor();
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await shoot(page, 'billing-downgrade');
  await dialog.getByRole('button', { name: 'Downgrade to Standard' }).click();
  await page.getByText('Becomes Standard after that.').waitFor();
  await page.getByText('Active', { exact: true }).waitFor();
  // A cancellation is scheduled for the end of the period and then revoked.
  await page.goto(`${product.address}/settings/billing/upgrade`);
  await page.getByRole('button', { name: 'Downgrade to Free Forever' }).click();
  await dialog.getByText(/the limits are 2,500 subscribers and 15,000 emails a month/).waitFor();
  await dialog.getByRole('button', { name: 'Stick with Professional' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Downgrade to Free Forever' }).click();
  await dialog.getByRole('button', { name: 'Downgrade to Free Forever' }).click();
  await page.getByText('Becomes Free Forever after that.').waitFor();
  await page.getByRole('button', { name: 'Keep the plan' }).click();
  await page.getByText('Becomes Free Forever after that.').waitFor({ state: 'detached' });
  expect(pageErrors).toEqual([]);
  await page.context().close();
});

test('billing works in Persian on a phone', async () => {
  const { page, pageErrors } = await newPage(browser, PERSIAN_PHONE);
  await newOwner(page, product, 'pardakht@forushgah.example', 'fas');
  await page.goto(`${product.address}/settings/billing`);
  for (const [path, title] of [
    ['/settings/billing', billing.title],
    ['/settings/billing/upgrade', billing.upgrade.title],
    ['/sms-credits-purchase', billing.credit.title],
    ['/thank-you', billing.thanks.title],
    ['/payment-failed', billing.failed.title],
  ] as const) {
    await openScreen(page, path);
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
    expect(await findAccessibilityViolations(page), path).toEqual([]);
    expect(await isTooWide(page), path).toBe(false);
    await shoot(page, `billing-fas${path.replaceAll('/', '-')}`);
  }
  expect(pageErrors).toEqual([]);
  await page.context().close();
});
