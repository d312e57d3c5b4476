// The effects of form settings on a customer's site in a real browser: where, when, how often
// and to whom a popup is shown, the result of a sign-up, the data in the visitor's browser, and a
// deleted form. The browser's own clock is advanced.
import type { BrowserContextOptions, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { MOVING, newPage } from '#testing/setup/browser.ts';
import {
  findConfirmLink,
  openCustomerSite,
  READING_MS,
  renderShopPage,
} from '#testing/servers/customer-site.ts';
import { call, openSharedProduct, shoot, newOwner } from '#testing/setup/journeys.ts';

const { product, browser } = await openSharedProduct();
const { pages, address: shop } = await openCustomerSite();
const API = '/client-api/api/forms';
const HEADING = 'Be the first to know';
const DAY = 86_400_000;

type FormResponse = {
  id: string;
  embed_script: string;
  document: object;
  settings: { embed_hash: string };
};

/** Creates a popup; `publish` changes its settings and publishes it. */
async function makePopup(email: string, layout = 'card') {
  const { page: owner } = await newPage(browser);
  await newOwner(owner, product, email);
  const form = await call<FormResponse>(owner, product, 'POST', API, {
    type: 'popup',
    title: 'News',
    layout,
  });
  const publish = (settings: object, document: object = {}) =>
    call<FormResponse>(owner, product, 'PATCH', `${API}/${form.id}`, {
      settings: { ...NEVER, ...settings },
      document: { ...form.document, ...document },
      is_active: 1,
    });
  const tag = form.embed_script.replace(/https?:\/\/[^/]+/, product.address);
  return { owner, id: form.id, hash: form.settings.embed_hash, publish, tag };
}

/**
 * Settings that allow all pages and times but have no trigger, so that no popup appears. Each step
 * adds the setting that it tests.
 */
const NEVER = {
  delay: false,
  delay_amount: 5,
  scroll: false,
  show_on_leave: false,
  show_on_click: '',
  popup_frequency_amount: 0,
  visibility_type: 'all',
  visibility_pages: [],
  schedule_type: 'always',
  schedule_start: null,
  schedule_end: null,
  hide_on_mobile: false,
  hide_on_tablet: false,
  hide_on_desktop: false,
};

type FormVisit = { at?: Date; path?: string; options?: BrowserContextOptions };

/** Visits a page as a new visitor. `action` runs as soon as the tag has loaded. */
async function visit<T>(
  { at = new Date(), path = '/', options = {} }: FormVisit,
  action: (visitor: Page) => Promise<T>,
): Promise<T> {
  const { page: visitor, pageErrors } = await newPage(browser, options);
  await visitor.clock.install({ time: at });
  await visitor.goto(shop + path);
  await visitor.waitForFunction('window.senderFormsLoaded === true');
  const result = await action(visitor);
  expect(pageErrors).toEqual([]);
  await visitor.context().close();
  return result;
}

const popup = (visitor: Page) => visitor.getByRole('heading', { name: HEADING });

async function appears(visitor: Page): Promise<void> {
  await popup(visitor).waitFor({ timeout: 15_000 });
}

/**
 * Presses Escape until the popup is closed. The popup takes the focus a frame after rendering, so
 * an earlier key goes to the page.
 */
async function closeByKey(visitor: Page): Promise<void> {
  const pressEscape = async () => {
    await visitor.keyboard.press('Escape');
    return popup(visitor).count();
  };
  await expect.poll(pressEscape).toBe(0);
}

/** Checks that the popup does not appear within fifteen seconds of the visitor's clock. */
async function neverAppears(visitor: Page): Promise<void> {
  await visitor.clock.runFor(15_000);
  await visitor.waitForTimeout(250);
  expect(await popup(visitor).count()).toBe(0);
}

async function appearsIn(visitor: Page, seconds: number): Promise<void> {
  await visitor.clock.fastForward(seconds * 1000);
  await appears(visitor);
}

test('a popup follows rules for URLs, dates and devices, even after single-page navigation', async () => {
  const { owner, publish, tag } = await makePopup('where@settings.example');
  for (const path of ['/', '/sale/tea', '/cart'])
    pages.set(path, { html: renderShopPage('', tag) });
  const delay = { delay: true, delay_amount: 5 };

  await publish(delay);
  await visit({}, async (visitor) => {
    await visitor.clock.runFor(3_000);
    expect(await popup(visitor).count()).toBe(0);
    await appearsIn(visitor, 3);
  });
  // Two popups with the same trigger are not shown on top of each other.
  const { id: second } = await call<FormResponse>(owner, product, 'POST', API, {
    type: 'popup',
    title: 'Another',
  });
  await call(owner, product, 'PATCH', `${API}/${second}`, { is_active: 1 });
  await visit({}, async (visitor) => {
    await appearsIn(visitor, 6);
    await visitor.waitForTimeout(500);
    expect(await visitor.locator('[class^=sender-subs-popup]').count()).toBe(1);
  });
  await call(owner, product, 'PATCH', `${API}/${second}`, { is_active: 0 });

  await publish({ ...delay, visibility_type: 'only', visibility_pages: ['/sale/*'] });
  await visit({ path: '/cart' }, async (visitor) => {
    await neverAppears(visitor);
    // The page navigates to a different URL and back without loading.
    await visitor.evaluate("history.pushState({}, '', '/sale/tea')");
    await visitor.clock.runFor(2_000);
    await appearsIn(visitor, 6);
    await visitor.evaluate("history.pushState({}, '', '/cart')");
    await visitor.clock.runFor(2_000);
    await popup(visitor).waitFor({ state: 'detached' });
  });
  await publish({ ...delay, visibility_type: 'except', visibility_pages: [`${shop}/cart`] });
  await visit({ path: '/cart?step=2' }, neverAppears);
  await visit({ path: '/sale/tea' }, (visitor) => appearsIn(visitor, 6));

  const [start, end] = [new Date(Date.now() + 10 * DAY), new Date(Date.now() + 20 * DAY)];
  await publish({
    ...delay,
    schedule_type: 'between',
    schedule_start: start.toISOString(),
    schedule_end: end.toISOString(),
  });
  await visit({}, neverAppears);
  await visit({ at: new Date(start.getTime() + DAY) }, (visitor) => appearsIn(visitor, 6));
  await visit({ at: new Date(end.getTime() + DAY) }, neverAppears);

  const sizes = {
    mobile: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
    tablet: { viewport: { width: 820, height: 1180 }, hasTouch: true, isMobile: true },
    desktop: { viewport: { width: 1280, height: 800 } },
  };
  for (const [device, options] of Object.entries(sizes)) {
    await publish({ ...delay, [`hide_on_${device}`]: true });
    await visit({ options }, neverAppears);
  }
  await visit({ options: sizes.tablet }, (visitor) => appearsIn(visitor, 6));
  await owner.context().close();
}, 120_000);

test('a popup follows its scroll, exit and click triggers and its frequency, and collapses to a tab', async () => {
  const { owner, publish, tag } = await makePopup('moment@settings.example');
  const tall = '<button id="open" type="button">Offers</button><p style="height:4000px">Long</p>';
  pages.set('/', { html: renderShopPage(tall, tag) });

  await publish({ scroll: true, scroll_percent: 50 });
  await visit({}, async (visitor) => {
    const scrollBy = (fraction: number): Promise<void> =>
      visitor.evaluate((ratio) => {
        window.scrollTo(0, ratio * (document.documentElement.scrollHeight - innerHeight));
      }, fraction);
    await scrollBy(0.4);
    await neverAppears(visitor);
    await scrollBy(0.6);
    await appears(visitor);
  });

  await publish({ show_on_leave: 10 });
  await visit({}, async (visitor) => {
    const leave = () =>
      visitor.evaluate(() =>
        document.documentElement.dispatchEvent(
          new MouseEvent('mouseout', { bubbles: true, clientY: -2, relatedTarget: null }),
        ),
      );
    await neverAppears(visitor);
    await leave();
    await appears(visitor);
    await closeByKey(visitor);
    // The popup appears at most every ten minutes, at any URL.
    await visitor.clock.fastForward(5 * 60_000);
    await visitor.evaluate("history.pushState({}, '', '/?again')");
    await visitor.clock.runFor(1_500);
    await leave();
    await neverAppears(visitor);
    await visitor.clock.fastForward(6 * 60_000);
    await leave();
    await appears(visitor);
  });

  await publish({ show_on_click: '#open', popup_frequency_amount: 30 });
  await visit({}, async (visitor) => {
    await neverAppears(visitor);
    for (let times = 0; times < 2; times++) {
      // A click on the trigger shows the popup, even if it was closed before.
      await visitor.locator('#open').click();
      await appears(visitor);
      await visitor.getByRole('button', { name: 'Close' }).click();
      await popup(visitor).waitFor({ state: 'detached' });
      // The focus returns to its previous element.
      expect(await visitor.evaluate(() => document.activeElement?.id)).toBe('open');
    }
  });

  await publish({ delay: true, delay_amount: 0, popup_frequency_amount: 30 });
  await visit({}, async (visitor) => {
    await appears(visitor);
    expect(await visitor.evaluate(() => Object.keys(localStorage))).toEqual([]);
    await closeByKey(visitor);
    for (const [days, isThere] of [
      [0, false],
      [29, false],
      [2, true],
    ] as const) {
      // The stored times are moved back by this many days.
      await visitor.evaluate((ms) => {
        const memory = JSON.parse(localStorage.getItem('sendloom') ?? '{}') as Record<
          string,
          { at: number }
        >;
        for (const entry of Object.values(memory)) entry.at -= ms;
        localStorage.setItem('sendloom', JSON.stringify(memory));
      }, days * DAY);
      await visitor.reload();
      await visitor.waitForFunction('window.senderFormsLoaded === true');
      if (isThere) await appears(visitor);
      else await neverAppears(visitor);
    }
    expect(await visitor.evaluate(() => Object.keys(localStorage))).toEqual(['sendloom']);
    expect(await visitor.context().cookies()).toEqual([]);
  });

  await publish(
    { delay: true, delay_amount: 0, popup_frequency_amount: 30 },
    { teaser: '10% off' },
  );
  await visit({}, async (visitor) => {
    await appears(visitor);
    await closeByKey(visitor);
    const tab = visitor.getByRole('button', { name: '10% off' });
    await tab.waitFor();
    await shoot(visitor, 'settings-teaser');
    expect(await visitor.evaluate(() => Object.keys(localStorage))).toEqual([]);
    await tab.click();
    await appears(visitor);
    await closeByKey(visitor);
    await visitor.getByRole('button', { name: 'Close' }).click();
    await tab.waitFor({ state: 'detached' });
    expect(await visitor.evaluate(() => Object.keys(localStorage))).toEqual(['sendloom']);
  });
  await owner.context().close();
}, 120_000);

test('the tag respects consent, calls from the page, and the deletion of a form while the page is open', async () => {
  const { owner, id, hash, publish, tag } = await makePopup('consent@settings.example');
  await publish({ delay: true, delay_amount: 0, popup_frequency_amount: 30 });
  const tagWithConsent = (consent: string) =>
    tag.replace('<script', `<script data-consent="${consent}"`);
  pages.set('/ask', { html: renderShopPage('', tagWithConsent('ask')) });
  pages.set('/never', { html: renderShopPage('', tagWithConsent('never')) });
  const listStoredKeys = (visitor: Page) =>
    visitor.evaluate(() => [...Object.keys(localStorage), ...Object.keys(sessionStorage)]);
  await visit({ path: '/ask' }, async (visitor) => {
    await neverAppears(visitor);
    expect(await listStoredKeys(visitor)).toEqual([]);
    await visitor.evaluate('senderForms.consent(true)');
    await appears(visitor);
    await closeByKey(visitor);
    await expect.poll(() => listStoredKeys(visitor)).toEqual(['sendloom']);
  });
  await visit({ path: '/never' }, async (visitor) => {
    await appears(visitor);
    await closeByKey(visitor);
    expect(await listStoredKeys(visitor)).toEqual([]);
    expect(await visitor.context().cookies()).toEqual([]);
  });

  // The page uses the stub of the tag, and the popup is not rendered before the page's own call.
  const account = /\/f\/([\w-]+)\.js/.exec(tag)?.[1] ?? '';
  const stub = `<script>window.received=[];window.sender=function(){(sender.q=sender.q||[]).push(arguments)};addEventListener('onSenderFormsLoaded',()=>received.push('ready'));addEventListener('sendloom',({detail})=>received.push(detail.is));sender('${account}')</script><script async src="${product.address}/accounts_resources/universal.js?explicit=true"></script>`;
  pages.set('/explicit', { html: renderShopPage('', stub) });
  await visit({ path: '/explicit' }, async (visitor) => {
    await neverAppears(visitor);
    const status = () => visitor.evaluate(`senderForms.getStatus('${hash}')`);
    expect(await status()).toEqual({ [hash]: 'disabled' });
    await visitor.evaluate(`senderForms.render('${hash}')`);
    await visitor.clock.runFor(100);
    await appears(visitor);
    expect(await status()).toEqual({ [hash]: 'enabled' });
    await visitor.evaluate(`senderForms.destroy('${hash}')`);
    await popup(visitor).waitFor({ state: 'detached' });
    await visitor.clock.runFor(5_000);
    expect(await popup(visitor).count()).toBe(0);
    await visitor.evaluate(`senderForms.enable(['${id}'])`);
    await appears(visitor);
    expect(await visitor.evaluate('received')).toEqual(['ready', 'show', 'show']);
  });

  // The page loaded the form before it was deleted.
  pages.set('/gone', {
    html: renderShopPage(
      `<div class="sender-form-field" data-sender-form-id="nobody"></div>`,
      tag.replace('<script', '<script data-consent="ask"'),
    ),
  });
  const { page: visitor, pageErrors } = await newPage(browser, MOVING);
  const consoleMessages: string[] = [];
  visitor.on('console', (message) => consoleMessages.push(message.text()));
  await visitor.goto(`${shop}/gone`);
  await visitor.waitForFunction('window.senderFormsLoaded === true');
  const deletion = await owner.request.delete(`${product.address}${API}/${id}`, {
    headers: { 'x-sendloom': '1' },
  });
  expect(deletion.status()).toBe(200);
  await visitor.evaluate('senderForms.consent(true)');
  await visitor.waitForResponse((response) => response.url().includes('/f/s/'));
  await visitor.waitForTimeout(300);
  expect(await popup(visitor).count()).toBe(0);
  expect(await visitor.locator('[class^=sender-subs]').count()).toBe(0);
  expect([...pageErrors, ...consoleMessages]).toEqual([]);
  await visitor.context().close();
  await owner.context().close();
}, 120_000);

test('a visitor who signs up consents, is redirected, confirms by email, and joins the group', async () => {
  const { owner, id, publish, tag } = await makePopup('after@settings.example');
  const group = await call<{ id: string }>(owner, product, 'POST', '/client-api/api/tags', {
    title: 'Readers',
  });
  await call(owner, product, 'POST', `${API}/${id}/tags`, { tags_ids: [group.id] });
  await publish({
    delay: true,
    delay_amount: 0,
    show_gdpr: true,
    redirect_after: true,
    redirect_url: `${shop}/thanks`,
    double_opt_in: true,
    confirmation: {
      from_email: 'news@settings.example',
      from_name: 'Tea shop',
      subject: 'One more click',
    },
    validation_messages: { required: 'Tick me, please' },
  });
  pages.set('/', { html: renderShopPage('', tag) });
  pages.set('/thanks', { html: renderShopPage('<p>Look into your inbox.</p>') });
  const { page: visitor, pageErrors } = await newPage(browser, MOVING);
  await visitor.goto(shop);
  await appears(visitor);
  await visitor.waitForTimeout(READING_MS);
  await visitor.getByRole('textbox', { name: 'Email' }).fill('fay@visitor.example');
  await visitor.getByRole('button', { name: 'Sign up' }).click();
  await visitor.getByText('Tick me, please').waitFor();
  await shoot(visitor, 'settings-gdpr');
  await visitor.getByRole('checkbox').check();
  await visitor.getByRole('button', { name: 'Sign up' }).click();
  await visitor.getByText('Look into your inbox.').waitFor({ timeout: 60_000 });
  const readSubscriber = async () => {
    const [found] = await call<{ status: { email: string }; subscriber_tags: { id: string }[] }[]>(
      owner,
      product,
      'GET',
      '/client-api/api/subscribers?search=fay@visitor.example',
    );
    return found && [found.status.email, ...found.subscriber_tags.map((tag) => tag.id)];
  };
  await expect.poll(readSubscriber).toEqual(['non-subscribed', group.id]);
  await visitor.goto(await findConfirmLink(product, 'fay@visitor.example'));
  await shoot(visitor, 'settings-confirm');
  const button = visitor.getByRole('main').getByRole('button');
  if ((await button.count()) > 0) await button.click();
  await expect.poll(readSubscriber).toEqual(['active', group.id]);
  await shoot(visitor, 'settings-confirmed');
  expect(pageErrors).toEqual([]);
  await visitor.context().close();
  await owner.context().close();
}, 120_000);
