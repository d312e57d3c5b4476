// On a phone, the product can be installed and shows notifications. A campaign is paused and
// resumed in the list, paused in its report, and resumed from a notification.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CDPSession, Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { createDatabase } from '#platform/server/database/database.ts';
import {
  findAccessibilityViolations,
  findAccessibilityViolationsInBothThemes,
  newPage,
  NO_OPTIMIZATION,
  openBrowser,
} from '#testing/setup/browser.ts';
import { testCertificate } from '#testing/servers/certificate.ts';
import { createTestDatabase } from '#testing/setup/database.ts';
import {
  call,
  isTooWide,
  PERSIAN_PHONE,
  shoot,
  signUp,
  openScreen,
} from '#testing/setup/journeys.ts';
import { addPeople, proveDomain } from '#testing/worlds/sending-helpers.ts';
import { startProduct } from '#testing/setup/product.ts';
import { startPushService } from '#testing/servers/push-service.ts';
import { startSmtpServer } from '#testing/servers/smtp-server.ts';
import {
  createBlock,
  createEmailDocument,
  createSection,
} from '../areas/content/document-factory.ts';
import accounts from '../locales/fas/accounts.json' with { type: 'json' };

const SUBSCRIBERS = 300;
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

const folder = mkdtempSync(join(tmpdir(), 'sendloom-phone-'));
const authority = join(folder, 'authority.pem');
writeFileSync(authority, testCertificate.cert);
const DATABASE_URL = await createTestDatabase();
const db = createDatabase(DATABASE_URL, 2);
const relay = await startSmtpServer();
const [product, browser] = await Promise.all([
  startProduct({
    DATABASE_URL,
    SMTP_URL: relay.url,
    PRIVATE_HOSTS: 'yes',
    NODE_EXTRA_CA_CERTS: authority,
  }),
  openBrowser(NO_OPTIMIZATION),
]);
let key = '';
const service = await startPushService(async () => key);
afterAll(async () => {
  await browser.close();
  await product.remove();
  await Promise.all([relay.close(), service.close(), db.destroy()]);
  rmSync(folder, { recursive: true });
});

async function openPhone(persian = false) {
  const phonePage = await newPage(browser, persian ? PERSIAN_PHONE : PHONE);
  const cdp = await phonePage.page.context().newCDPSession(phonePage.page);
  return { ...phonePage, cdp };
}

test('the app is installable, and its service worker does not handle requests', async () => {
  const { page, pageErrors, cdp } = await openPhone();
  await page.goto(`${product.address}/auth/sign-up`);
  const { errors, data } = await cdp.send('Page.getAppManifest');
  expect(errors).toEqual([]);
  expect(JSON.parse(data ?? '')).toMatchObject({ display: 'standalone', start_url: '/' });
  const { installabilityErrors } = await cdp.send('Page.getInstallabilityErrors');
  // The pages of this test are in private mode, which does not allow installation.
  expect(installabilityErrors.map(({ errorId }) => errorId)).toEqual(
    installabilityErrors.length > 0 ? ['in-incognito'] : [],
  );
  for (const [path, type] of [
    ['/sw.js', /javascript/],
    ['/icons/app-512.png', /^image\/png/],
    ['/icons/app.svg', /^image\/svg\+xml/],
  ] as const) {
    const response = await page.request.get(product.address + path);
    expect([response.status(), response.headers()['cache-control']]).toEqual([
      200,
      expect.stringContaining('max-age=0'),
    ]);
    expect(response.headers()['content-type']).toMatch(type);
  }
  expect(await (await page.request.get(`${product.address}/sw.js`)).text()).not.toMatch(
    /addEventListener\('fetch'|caches/,
  );
  expect(pageErrors).toEqual([]);
  await page.context().close();
});

/**
 * Supplies the subscription, because test browsers reach no push service, and the permission,
 * because headless browsers report notifications as denied even after they were granted.
 */
async function withPushService(page: Page) {
  const pushBrowser = service.browser();
  await page.addInitScript((subscription) => {
    const name = 'test.subscribed';
    Object.defineProperty(Notification, 'permission', {
      get: () => (localStorage.getItem(name) ? 'granted' : 'default'),
    });
    const fakeSubscription = {
      endpoint: subscription.endpoint,
      toJSON: () => subscription,
      unsubscribe: async () => (localStorage.removeItem(name), true),
    };
    PushManager.prototype.getSubscription = async () =>
      (localStorage.getItem(name) ? fakeSubscription : null) as PushSubscription | null;
    PushManager.prototype.subscribe = async () => {
      localStorage.setItem(name, 'yes');
      return fakeSubscription as unknown as PushSubscription;
    };
  }, pushBrowser.subscription);
  return pushBrowser;
}

async function turnOnNotices(page: Page): Promise<void> {
  await page.goto(`${product.address}/settings/user`);
  const toggle = page.getByRole('switch', { name: 'In this browser' });
  await toggle.waitFor();
  expect(await toggle.isChecked()).toBe(false);
  await toggle.click({ force: true });
  await expect.poll(() => service.requests.length, { timeout: 30_000 }).toBe(1);
  await page.reload();
  await expect.poll(() => toggle.isChecked()).toBe(true);
  await toggle.scrollIntoViewIfNeeded();
  expect(await findAccessibilityViolationsInBothThemes(page)).toEqual([]);
  expect(await isTooWide(page)).toBe(false);
  await shoot(page, 'notifications-390');
}

type Notice = { title: string; body: string; tag: string; dir: string; data: { path: string } };
/** The part of the service worker's global scope that this test uses. */
type Worker = {
  notices: Notice[];
  registration: { showNotification(title: string, notice: Omit<Notice, 'title'>): Promise<void> };
  clients: { openWindow(url: string): Promise<null> };
  dispatchEvent(event: Event): boolean;
};

/**
 * Returns the notification that the worker shows for a push message. Headless browsers store no
 * notifications, so they are intercepted.
 */
async function notificationsFor(page: Page, cdp: CDPSession, data: object): Promise<Notice[]> {
  const [worker] = page.context().serviceWorkers();
  if (!worker) throw new Error('There is no service worker.');
  await worker.evaluate(() => {
    const scope = globalThis as unknown as Worker;
    scope.notices = [];
    scope.registration.showNotification = async (title, notice) =>
      void scope.notices.push({ title, ...notice });
  });
  const registrationId = new Promise<string>((resolve) => {
    cdp.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const [first] = registrations.filter(({ isDeleted }) => !isDeleted);
      if (first) resolve(first.registrationId);
    });
  });
  await cdp.send('ServiceWorker.enable');
  const target = { origin: product.address, registrationId: await registrationId };
  await cdp.send('ServiceWorker.deliverPushMessage', { ...target, data: JSON.stringify(data) });
  const readNotices = () => worker.evaluate(() => (globalThis as unknown as Worker).notices);
  await expect.poll(async () => (await readNotices()).length).toBe(1);
  return readNotices();
}

/** Returns the URL that a tap on the notification opens. */
async function tapNotice(page: Page, notice: Notice | undefined): Promise<string> {
  const [worker] = page.context().serviceWorkers();
  if (!worker) throw new Error('There is no service worker.');
  return await worker.evaluate((notification) => {
    const scope = globalThis as unknown as Worker;
    return new Promise<string>((resolve) => {
      scope.clients.openWindow = async (url) => (resolve(url), null);
      const tap = Object.assign(new Event('notificationclick'), {
        notification: { ...notification, close: () => undefined },
        waitUntil: () => undefined,
      });
      scope.dispatchEvent(tap);
    });
  }, notice);
}

/** Adds subscribers and starts to send them a campaign slowly. @returns the ID of the campaign */
async function sendSlowly(page: Page, email: string): Promise<string> {
  const { account_id: accountId } = await db
    .selectFrom('memberships')
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select('memberships.account_id')
    .where('users.email', '=', email)
    .executeTakeFirstOrThrow();
  await addPeople(db, accountId, SUBSCRIBERS);
  await proveDomain(db, accountId);
  const post = <Data>(path: string, data: object, method: 'POST' | 'PUT' | 'PATCH' = 'POST') =>
    call<Data>(page, product, method, `/client-api/api/${path}`, data);
  await post(
    'account_questionnaire',
    {
      address: '12 Quay Street',
      city: 'Galway',
      state: 'Connacht',
      timezone: 'Europe/Dublin',
      country: 'IE',
      zip_code: 'H91 AX0K',
    },
    'PATCH',
  );
  const draftFields = {
    title: 'Spring tea',
    subject: 'Spring tea',
    from_email: 'news@tea.example',
  };
  const { id, revision } = await post<{ id: string; revision: number }>('campaigns', draftFields);
  const text = createBlock('text', { html: '<p>The first leaves of spring are here.</p>' });
  const document = createEmailDocument([createSection([[text]])]);
  const content = { revision, editor: 'editor', document };
  await post(`campaigns/${id}/content`, content, 'PUT');
  await post(`campaigns/${id}/tags/set`, { tags_arr: [], send_to_all: true });
  relay.script.dot = ({ message }) =>
    message.includes('Spring tea') && relay.accepted.length > 8 ? { delayMs: 4_000 } : undefined;
  await post(`campaigns/${id}/schedule`, { schedule_time: null });
  return id;
}

test('the owner pauses and resumes a campaign in the list, pauses it in its report, resumes it from a notification, and is notified once it is sent', async () => {
  const { page, pageErrors, cdp } = await openPhone();
  const context = page.context();
  await context.grantPermissions(['notifications'], { origin: product.address });
  const pushBrowser = await withPushService(page);
  const email = 'owner@tea.example';
  await signUp(page, product, email);
  key = (await call<{ key: string }>(page, product, 'GET', '/client-api/api/push_subscriptions'))
    .key;
  await turnOnNotices(page);

  const id = await sendSlowly(page, email);
  await openScreen(page, '/campaigns');
  await page.getByText('Sending', { exact: true }).waitFor({ timeout: 60_000 });
  await expect.poll(() => relay.accepted.length, { timeout: 60_000 }).toBeGreaterThan(8);
  // In the list, the campaign is paused by the menu of its row.
  await page.getByRole('button', { name: /Spring tea/ }).tap();
  await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).waitFor();
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await shoot(page, 'list-pause-390');
  await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).tap();
  await page.getByText('Paused', { exact: true }).waitFor();
  await shoot(page, 'list-paused-390');
  await page.getByRole('button', { name: /Spring tea/ }).tap();
  await page.getByRole('dialog').getByRole('button', { name: 'Resume' }).tap();
  await page.getByText('Sending', { exact: true }).waitFor();

  // In the report, a pause takes one tap.
  await openScreen(page, `/campaigns/${id}/report/overview`);
  await page.getByRole('button', { name: 'Pause' }).tap();
  await page.getByRole('button', { name: 'Resume' }).waitFor();
  expect(await findAccessibilityViolationsInBothThemes(page)).toEqual([]);
  expect(await isTooWide(page)).toBe(false);
  await shoot(page, 'report-paused-390');

  // The notification opens the screen with the resume button.
  await openScreen(page, '/settings/user');
  const path = `/campaigns/${id}`;
  const notification = { title: 'Stopped', body: 'Why', tag: path, lang: 'en', dir: 'ltr' };
  const [notice] = await notificationsFor(page, cdp, { ...notification, path });
  expect(notice).toMatchObject({ ...notification, data: { path } });
  const openedPage = await tapNotice(page, notice);
  expect(openedPage).toBe(product.address + path);
  await page.goto(openedPage);
  relay.script.dot = undefined;
  await page.getByRole('button', { name: 'Resume' }).tap();

  // Once the campaign is finished, the push service has the notification, encrypted and signed, and
  // this browser can decrypt it.
  await expect
    .poll(async () => (await pushBrowser.readNotices()).map(({ title }) => title), {
      timeout: 120_000,
    })
    .toEqual(['Notifications are on', '“Spring tea” was sent']);
  const [, finished] = await pushBrowser.readNotices();
  expect(finished).toMatchObject({ path, tag: path, body: expect.stringContaining('300') });
  // After signing out, no notification is sent to this browser.
  await page.request.post(`${product.address}/auth/api/sign-out`, {
    headers: { 'x-sendloom': '1' },
  });
  expect(await db.selectFrom('push_subscriptions').select('user_id').execute()).toEqual([]);
  expect(pageErrors).toEqual([]);
  await context.close();
});

test('a browser that blocks notifications gets an explanation, in Persian', async () => {
  const { page, pageErrors } = await openPhone(true);
  await page.addInitScript(() => {
    Object.defineProperty(Notification, 'permission', { get: () => 'denied' });
  });
  await signUp(page, product, 'malek@forushgah.example');
  await page.goto(`${product.address}/settings/user`);
  const toggle = page.getByRole('switch', { name: accounts.notifications.push.label });
  await toggle.waitFor();
  expect(await toggle.isDisabled()).toBe(true);
  await page.getByText(accounts.notifications.push.denied).scrollIntoViewIfNeeded();
  expect(await findAccessibilityViolationsInBothThemes(page)).toEqual([]);
  await shoot(page, 'notifications-denied-fas');
  expect(pageErrors).toEqual([]);
  await page.context().close();
});
