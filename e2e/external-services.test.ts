// Simulated external services that are embedded in pages. Forms: a captcha in a frame of our host,
// and web fonts only from our host, on a page with a strict content security policy. Checkouts:
// Braintree's card form and its browser library, which shows the bank's challenge (3-D Secure).
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { MOVING, newPage } from '#testing/setup/browser.ts';
import { BRAINTREE_CARDS, routeBraintree } from '#testing/gateways/braintree-browser.ts';
import { BRAINTREE_KEYS, startBraintreeServer } from '#testing/gateways/braintree-server.ts';
import { openCustomerSite, renderShopPage } from '#testing/servers/customer-site.ts';
import { call, openOwnProduct, shoot, signUp, newOwner } from '#testing/setup/journeys.ts';

const FONT = readFileSync(
  createRequire(import.meta.url).resolve(
    '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2',
  ),
);
/** Verification requests to the captcha's service, and the service's next responses. */
const verifiedTokens: string[] = [];
const verdicts = [false, true];
/**
 * The service's script, which renders a widget with an image challenge that needs space, and
 * returns a token.
 */
const API = `const start=()=>{const box=document.querySelector('.h-captcha');const button=document.createElement('button');button.textContent='I am a person';let n=0;button.onclick=()=>{const frame=document.createElement('iframe');frame.title='pictures';frame.style.cssText='width:400px;height:520px;border:0';document.body.append(frame);setTimeout(()=>{frame.remove();window.solved(box.dataset.sitekey+'-'+Date.now())},900)};box.append(button)};document.readyState==='loading'?document.addEventListener('DOMContentLoaded',start):start()`;
const service = createServer((request, response) => {
  const { pathname } = new URL(request.url ?? '/', 'http://service');
  if (pathname === '/api.js') {
    response.setHeader('content-type', 'text/javascript');
    return response.end(API);
  }
  if (pathname === '/css') {
    const face = (weight: number) =>
      `@font-face{font-family:'Lora';font-style:normal;font-weight:${weight};src:url(http://x/lora/files/lora-latin-${weight}-normal.woff2) format('woff2');unicode-range:U+0000-00FF}`;
    return response.end([400, 500, 600, 700].map(face).join(''));
  }
  if (pathname.endsWith('.woff2')) return response.end(FONT);
  let body = '';
  request.on('data', (part) => (body += part));
  request.on('end', () => {
    verifiedTokens.push(new URLSearchParams(body).get('response') ?? '');
    response.end(JSON.stringify({ success: verdicts.shift() ?? true }));
  });
  return response;
});
await new Promise<void>((settle) => service.listen(0, '127.0.0.1', settle));
afterAll(() => new Promise((settle) => service.close(settle)));
const SERVICE = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;

const braintree = await startBraintreeServer();
const billing = join(tmpdir(), `sendloom-billing-${process.pid}.json`);
writeFileSync(
  billing,
  JSON.stringify({
    limits: 'enforced',
    seller: { name: 'Loom Ltd', address: ['1 Street'], country: 'US' },
    free: { subscribers: 100, emails: 1000 },
    plans: [],
  }),
);
afterAll(async () => {
  await braintree.close();
  rmSync(billing);
});

const { product, browser } = await openOwnProduct({
  BILLING: 'braintree',
  BILLING_FILE: billing,
  BRAINTREE_URL: braintree.base,
  BRAINTREE_ENVIRONMENT: 'sandbox',
  BRAINTREE_MERCHANT_ID: BRAINTREE_KEYS.merchantId,
  BRAINTREE_PUBLIC_KEY: BRAINTREE_KEYS.publicKey,
  BRAINTREE_PRIVATE_KEY: BRAINTREE_KEYS.privateKey,
  FONTS_URL: SERVICE,
  CAPTCHA: 'hcaptcha',
  CAPTCHA_SITE_KEY: 'site-key',
  CAPTCHA_SECRET_KEY: 'secret',
  CAPTCHA_URL: SERVICE,
});
const { pages, address: shop } = await openCustomerSite();

test('a captcha is solved in its frame, and again after a wrong answer; fonts come from our host', async () => {
  const { page: owner } = await newPage(browser);
  await newOwner(owner, product, 'owner@services.example');
  type FormResponse = {
    id: string;
    embed_script: string;
    hosted_url: string;
    document: { styles: object };
  };
  const form = await call<FormResponse>(owner, product, 'POST', '/client-api/api/forms', {
    type: 'popup',
    title: 'News',
    layout: 'card',
  });
  const font = "'Lora',Georgia,Times,serif";
  await call(owner, product, 'PATCH', `/client-api/api/forms/${form.id}`, {
    document: { ...form.document, styles: { ...form.document.styles, font } },
    settings: { delay_amount: 0 },
    is_active: 1,
  });
  const withProductAddress = (url: string) => url.replace(/https?:\/\/[^/]+/, product.address);
  pages.set('/', {
    html: renderShopPage(
      '',
      withProductAddress(form.embed_script).replace(/http:\/\/[^/"]+/, product.address),
    ),
    policy: `default-src 'none'; script-src ${product.address}; connect-src ${product.address}; frame-src ${product.address}; base-uri 'none'`,
  });
  const { page: visitor, pageErrors } = await newPage(browser, MOVING);
  const hosts = new Set<string>();
  visitor.on('request', (request) => hosts.add(new URL(request.url()).origin));
  await visitor.goto(shop);
  const heading = visitor.getByRole('heading', { name: 'Be the first to know' });
  await heading.waitFor();
  const listLoadedFonts = () =>
    visitor.evaluate(() =>
      [...document.fonts].map((face) => `${face.family} ${face.weight}`).sort(),
    );
  await expect
    .poll(listLoadedFonts)
    .toEqual(['form Lora 400', 'form Lora 500', 'form Lora 600', 'form Lora 700']);
  expect(await heading.evaluate((title) => getComputedStyle(title).fontFamily)).toMatch(
    /^"form Lora"/,
  );
  await shoot(visitor, 'services-font');
  await visitor.waitForTimeout(1_600);
  await visitor.getByRole('textbox', { name: 'Email' }).fill('gil@visitor.example');
  const send = visitor.getByRole('button', { name: 'Sign up' });
  await send.click();
  await visitor.getByText('Please complete captcha').waitFor();
  const frame = visitor.locator('iframe.sender-form-captcha');
  const box = visitor.frameLocator('iframe.sender-form-captcha');
  const height = async () => (await frame.boundingBox())?.height ?? 0;
  for (const answer of ['wrong', 'right']) {
    await box.getByRole('button', { name: 'I am a person' }).click();
    await expect.poll(height).toBeGreaterThan(400);
    if (answer === 'wrong') await shoot(visitor, 'services-captcha');
    await expect.poll(height, { timeout: 10_000 }).toBeLessThan(200);
    await send.click();
    if (answer === 'wrong') await expect.poll(() => verifiedTokens.length).toBe(1);
  }
  await visitor.getByText('You’re on the list. Welcome!').waitFor({ timeout: 30_000 });
  expect(verifiedTokens).toHaveLength(2);
  expect(verifiedTokens[0]).toMatch(/^site-key-/);
  expect(verifiedTokens[0]).not.toBe(verifiedTokens[1]);
  // The captcha's script runs in the frame, and no other host is contacted.
  expect([...hosts].toSorted()).toEqual([shop, product.address, SERVICE].toSorted());
  expect(pageErrors).toEqual([]);

  await visitor.goto(withProductAddress(form.hosted_url));
  await visitor.getByRole('heading', { level: 1 }).waitFor();
  await expect
    .poll(() => visitor.evaluate(() => document.fonts.check("400 16px 'form Lora'")))
    .toBe(true);
  await shoot(visitor, 'services-hosted');
  expect(pageErrors).toEqual([]);
  await visitor.context().close();
  await owner.context().close();
}, 120_000);

test("a card is not charged before the user confirms the bank's challenge, which covers the card form", async () => {
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
