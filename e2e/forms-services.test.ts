// Forms with simulated external services: a captcha in a frame of our host, and web fonts only from
// our host. The page has a strict content security policy, which is not violated.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createRequire } from 'node:module';
import { afterAll, expect, test } from 'vitest';
import { MOVING, newPage } from '#testing/setup/browser.ts';
import { openCustomerSite, shopPage } from '#testing/servers/customer-site.ts';
import { call, openOwnProduct, shoot, newOwner } from '#testing/setup/journeys.ts';

const FONT = readFileSync(
  createRequire(import.meta.url).resolve(
    '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2',
  ),
);
/** The verification requests to the captcha's service, and its next responses. */
const verified: string[] = [];
const verdicts = [false, true];
/**
 * The service's script, which renders a widget whose image challenge needs space, and returns a
 * token.
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
    verified.push(new URLSearchParams(body).get('response') ?? '');
    response.end(JSON.stringify({ success: verdicts.shift() ?? true }));
  });
  return response;
});
await new Promise<void>((settle) => service.listen(0, '127.0.0.1', settle));
afterAll(() => new Promise((settle) => service.close(settle)));
const SERVICE = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;

const { product, browser } = await openOwnProduct({
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
  type Form = {
    id: string;
    embed_script: string;
    hosted_url: string;
    document: { styles: object };
  };
  const created = await call<Form>(owner, product, 'POST', '/client-api/api/forms', {
    type: 'popup',
    title: 'News',
    layout: 'card',
  });
  const font = "'Lora',Georgia,Times,serif";
  await call(owner, product, 'PATCH', `/client-api/api/forms/${created.id}`, {
    document: { ...created.document, styles: { ...created.document.styles, font } },
    settings: { delay_amount: 0 },
    is_active: 1,
  });
  const withProductAddress = (url: string) => url.replace(/https?:\/\/[^/]+/, product.address);
  pages.set('/', {
    html: shopPage(
      '',
      withProductAddress(created.embed_script).replace(/http:\/\/[^/"]+/, product.address),
    ),
    policy: `default-src 'none'; script-src ${product.address}; connect-src ${product.address}; frame-src ${product.address}; base-uri 'none'`,
  });
  const { page: visitor, pageErrors } = await newPage(browser, MOVING);
  const hosts = new Set<string>();
  visitor.on('request', (request) => hosts.add(new URL(request.url()).origin));
  await visitor.goto(shop);
  const heading = visitor.getByRole('heading', { name: 'Be the first to know' });
  await heading.waitFor();
  const loaded = () =>
    visitor.evaluate(() =>
      [...document.fonts].map((face) => `${face.family} ${face.weight}`).sort(),
    );
  await expect
    .poll(loaded)
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
    if (answer === 'wrong') await expect.poll(() => verified.length).toBe(1);
  }
  await visitor.getByText('You’re on the list. Welcome!').waitFor({ timeout: 30_000 });
  expect(verified).toHaveLength(2);
  expect(verified[0]).toMatch(/^site-key-/);
  expect(verified[0]).not.toBe(verified[1]);
  // The captcha's script runs in the frame, and no other host is contacted.
  expect([...hosts].toSorted()).toEqual([shop, product.address, SERVICE].toSorted());
  expect(pageErrors).toEqual([]);

  await visitor.goto(withProductAddress(created.hosted_url));
  await visitor.getByRole('heading', { level: 1 }).waitFor();
  await expect
    .poll(() => visitor.evaluate(() => document.fonts.check("400 16px 'form Lora'")))
    .toBe(true);
  await shoot(visitor, 'services-hosted');
  expect(pageErrors).toEqual([]);
  await visitor.context().close();
  await owner.context().close();
}, 120_000);
