// The error catalog in a real browser. Every entry is provoked and shows
// its text, and the durations of two of them are measured. Signing out in one tab also signs out
// the other tabs.
import type { Locator, Page, Route } from 'playwright-core';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { findAccessibilityViolationsInBothThemes, newPage } from '#testing/setup/browser.ts';
import { openSharedProduct, signIn } from '#testing/setup/journeys.ts';

const EMAIL = 'owner@errors.example';
const GENERIC =
  'An error has occurred. Please try again later. If the error persists, please contact support.';

const { product, browser } = await openSharedProduct();
let page: Page;

beforeAll(async () => {
  ({ page } = await newPage(browser, { permissions: ['clipboard-read', 'clipboard-write'] }));
  page.setDefaultTimeout(20_000);
  await page.goto(`${product.address}/auth/sign-up`);
  await signIn(page, EMAIL, 'Create account');
  await page.waitForURL('**/complete-registration');
});

beforeEach(async () => {
  await page.unrouteAll({ behavior: 'ignoreErrors' });
});

const respondWith = (status: number, body: unknown) => (route: Route) =>
  route.fulfill({ status, contentType: 'application/json', body: JSON.stringify(body) });

/** Fills in the form of a new group; its submission will get this response. */
async function fillGroup(status: number, body: unknown, inPage = page): Promise<void> {
  await inPage.goto(`${product.address}/subscribers/tags`);
  await inPage.route('**/client-api/api/tags', (route) =>
    route.request().method() === 'POST' ? respondWith(status, body)(route) : route.fallback(),
  );
  await inPage.getByRole('main').getByRole('button', { name: 'Create group' }).first().click();
  await inPage.getByRole('dialog').getByRole('textbox').fill('Spring');
}

async function provoke(status: number, body: unknown): Promise<void> {
  await fillGroup(status, body);
  await page.keyboard.press('Enter');
}

const notice = (text: string | RegExp, inPage = page) =>
  inPage.getByRole('alert').filter({ hasText: text });

/** Expects the element to become visible before the timeout. */
async function expectShown(element: Locator, timeout = 20_000): Promise<void> {
  await element.first().waitFor({ timeout });
  expect(await element.first().isVisible()).toBe(true);
}

/** Opens a page of the same session with a clock that the test controls. */
async function clockedPage(): Promise<Page> {
  const storageState = await page.context().storageState();
  const { page: clocked } = await newPage(browser, { storageState });
  await clocked.clock.install();
  return clocked;
}

/** Stops the clock, which then advances only by `advanceUntil`. */
async function stopClock(clockedTab: Page): Promise<void> {
  await clockedTab.clock.pauseAt((await clockedTab.evaluate(() => Date.now())) + 30_000);
}

const STEP_MS = 100;

/** Advances the page's clock until the condition is true. @returns the seconds that passed */
async function advanceUntil(clockedTab: Page, condition: () => Promise<boolean>): Promise<number> {
  const deadline = Date.now() + 30_000;
  for (let ms = 0; ; ms += STEP_MS) {
    if (await condition()) return ms / 1000;
    if (Date.now() > deadline)
      throw new Error(`The condition did not hold after ${ms} ms of the page's time`);
    await clockedTab.clock.runFor(STEP_MS);
  }
}

/** Expects the text to be shown, and to be removed after about this many seconds. */
async function expectFor(clockedTab: Page, text: string, seconds: number): Promise<void> {
  const firstNotice = notice(text, clockedTab).first();
  await advanceUntil(clockedTab, () => firstNotice.isVisible());
  const shownSeconds = await advanceUntil(
    clockedTab,
    async () => (await firstNotice.count()) === 0,
  );
  expect(shownSeconds).toBeGreaterThan(seconds - 0.5);
  expect(shownSeconds).toBeLessThan(seconds + 1.5);
}

describe('a failed call', () => {
  test('a 429 error is shown for five seconds', async () => {
    const clockedTab = await clockedPage();
    await fillGroup(429, { message: 'slow down', code: 'too_many_requests' }, clockedTab);
    await stopClock(clockedTab);
    await clockedTab.keyboard.press('Enter');
    await expectFor(clockedTab, 'Too many requests. Please try again later.', 5);
    await clockedTab.context().close();
  });

  test.each([
    ['no message', 400, {}, GENERIC],
    ['no message and status 500', 500, {}, `${GENERIC} Reason: server error.`],
    [
      'no message and status 404',
      404,
      {},
      `${GENERIC} Reason: resource not found or you don't have permission.`,
    ],
    ['a string as message', 409, { message: 'The group is busy.' }, 'The group is busy.'],
    [
      'an object with a string as message',
      409,
      { message: { title: 'Taken already.' } },
      'Taken already.',
    ],
    [
      'an object with a list as message',
      409,
      { message: { title: ['One.', 'Two.'] } },
      'One. Two.',
    ],
    ['a list as message', 409, { message: ['First.', 'Second.'] }, 'First. Second.'],
    ['a body that is not an object', 502, 'not an object', `${GENERIC} Reason: server error.`],
  ])('a response with %s is shown', async (_, status, body, message) => {
    await provoke(status, body);
    await expectShown(notice(message));
  });

  test('a message is accessible in both themes and remains while the pointer is over it', async () => {
    await provoke(409, { message: ['First.', 'Second.'] });
    await notice('First. Second.').first().hover();
    expect(await findAccessibilityViolationsInBothThemes(page)).toEqual([]);
    expect(await notice('First. Second.').count()).toBe(1);
    await page.mouse.move(0, 0);
  });

  test('a raw message is shown as text, never as markup', async () => {
    const message = 'Exactly <b id="planted">this</b>.';
    await provoke(500, { message, raw_message: true });
    await notice(message).first().waitFor();
    expect(await notice(message).first().innerText()).not.toContain('An error has occurred');
    expect(await page.locator('#planted').count()).toBe(0);
  });

  test('a 422 error is shown next to its field, or as `field: messages` if there is no such field', async () => {
    const errors = { title: ['Taken.', 'Too short.'] };
    await provoke(422, { message: 'Some of this is not valid.', errors });
    await page.getByRole('dialog').getByText('Taken. Too short.').waitFor();

    await page.goto(`${product.address}/settings/users`);
    await page.route('**/client-api/api/invitations', (route) =>
      route.request().method() === 'POST'
        ? respondWith(422, {
            errors: { seats: ['No seat is free.', 'Ask.'], plan: ['Too small.'] },
          })(route)
        : route.fallback(),
    );
    await page.getByRole('button', { name: 'Invite a user' }).first().click();
    await page.getByRole('dialog').getByRole('textbox').fill('ben@errors.example');
    await page.keyboard.press('Enter');
    const messages = page
      .getByText(/seats: No seat is free\. Ask\./)
      .or(page.getByText('No seat is free. Ask. Too small.'));
    await expectShown(messages);
  });

  test('a call without a response offers a reload', async () => {
    await page.goto(`${product.address}/subscribers/tags`);
    await page.getByRole('main').getByRole('button', { name: 'Create group' }).first().click();
    const title = page.getByRole('dialog').getByRole('textbox');
    await title.fill('Spring');
    await page.route('**/client-api/**', (route) => route.abort('connectionrefused'));
    const sentRequest = page.waitForRequest(
      (request) => request.method() === 'POST' && request.url().endsWith('/client-api/api/tags'),
    );
    await title.press('Enter');
    await sentRequest;
    await notice('The server could not be reached.').first().waitFor();
    await expectShown(page.getByText('The connection was interrupted.'));
    await page.keyboard.press('Escape');
    const reload = page.waitForEvent('load');
    await page.getByRole('button', { name: 'Reload' }).first().click();
    await reload;
  });

  test('the screen of a missing resource redirects to /404', async () => {
    await page.goto(`${product.address}/campaigns/zzzzzz/edit`);
    await page.waitForURL('**/404');
    await expectShown(page.getByRole('heading', { name: 'Page not found' }));
  });
});

describe('onboarding', () => {
  const open = async (path: string) => {
    await page.goto(`${product.address}/complete-registration${path}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
  };

  test('a questionnaire that cannot be saved shows an error and can be sent again', async () => {
    await open('/introduce');
    await page.route('**/api/user_questionnaire', respondWith(500, {}));
    await page.getByLabel('First name').fill('Ada');
    await page.getByLabel('Last name').fill('Lovelace');
    await page.getByLabel('Website URL').fill('https://shop.example');
    await page.getByRole('button', { name: 'Next' }).click();
    await notice('Error: failed to save questionnaire info').first().waitFor();
    expect(new URL(page.url()).pathname).toBe('/complete-registration/introduce');
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.getByRole('button', { name: 'Next' }).click();
    await page.waitForURL('**/address');
  });

  test('a checklist that cannot be loaded shows an error', async () => {
    await open('');
    await page.getByRole('main').getByRole('link').first().waitFor();
    await page.route('**/api/users/onboard', respondWith(500, {}));
    await page.reload();
    await expectShown(page.getByText('Error: failed to fetch new data'), 20_000);
  });

  test('an onboarding status that cannot be updated shows an error', async () => {
    const completedSteps = Object.fromEntries(
      [
        'email_verified',
        'registration_completed',
        'introduce_completed',
        'email_sent',
        'report_viewed',
        'subscriber_added',
        'campaign_created',
        'domain_verified',
      ].map((flag) => [flag, true]),
    );
    await page.route('**/api/users/onboard', respondWith(200, { data: completedSteps }));
    await page.route('**/api/users/*', (route) =>
      route.request().method() === 'PATCH' ? respondWith(500, {})(route) : route.fallback(),
    );
    await open('');
    await notice('Error: could not update onboarding status').first().waitFor();
    await expectShown(page.getByRole('button', { name: 'Go to the dashboard' }));
  });
});

test('each dashboard panel fails separately while the others work', async () => {
  for (const [path, status, message] of [
    ['campaigns', 'SENT', 'Error: could not fetch sent email campaigns'],
    ['campaigns', 'SCHEDULED', 'Error: could not fetch scheduled email campaigns'],
    ['sms/campaign', 'SENT', 'Error: could not fetch sent SMS campaigns'],
    ['sms/campaign', 'SCHEDULED', 'Error: could not fetch scheduled SMS campaigns'],
  ] as const) {
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.route(
      (url) => url.pathname.endsWith(`/api/${path}`) && url.searchParams.get('status') === status,
      respondWith(500, {}),
    );
    await page.goto(`${product.address}/`);
    const alert = page.getByRole('alert').filter({ hasText: message });
    await alert.waitFor({ timeout: 20_000 });
    expect(await page.getByText(/^Error: could not fetch/).count()).toBe(1);
    await page.getByText('No drafts.').waitFor();
    await page.getByRole('heading', { name: 'Subscriber growth' }).waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await alert.getByRole('button', { name: 'Try again' }).click();
    await alert.waitFor({ state: 'detached' });
  }
});

describe('an uncaught error', () => {
  test('an uncaught error is shown for eight seconds', async () => {
    const clockedTab = await clockedPage();
    await clockedTab.goto(`${product.address}/`);
    await clockedTab.getByRole('heading', { level: 1 }).waitFor();
    await stopClock(clockedTab);
    await clockedTab.evaluate(() =>
      queueMicrotask(() => {
        throw new Error('The loom has stopped');
      }),
    );
    const firstNotice = notice('The loom has stopped', clockedTab).first();
    await advanceUntil(clockedTab, () => firstNotice.isVisible());
    const message = await firstNotice.innerText();
    expect(message).toContain('An error has occurred');
    expect(message).toContain('Please try again later');
    expect(message).toContain('please contact support');
    await expectFor(clockedTab, 'The loom has stopped', 8);
    await clockedTab.evaluate(() => void Promise.reject(new Error('A thread broke')));
    await advanceUntil(clockedTab, () => notice('A thread broke', clockedTab).first().isVisible());
    await clockedTab.context().close();
  });

  test('a ResizeObserver error is not shown', async () => {
    await page.goto(`${product.address}/`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.evaluate(() => {
      const message = 'ResizeObserver loop completed with undelivered notifications.';
      window.dispatchEvent(new ErrorEvent('error', { message }));
      window.dispatchEvent(new ErrorEvent('error', { message: 'Heard after it' }));
    });
    await notice('Heard after it').first().waitFor();
    expect(await page.getByText('ResizeObserver').count()).toBe(0);
  });

  test('no error is shown while offline, and shown errors disappear', async () => {
    await page.evaluate(() =>
      window.dispatchEvent(new ErrorEvent('error', { message: 'Before the tunnel' })),
    );
    await notice('Before the tunnel').first().waitFor();
    await page.context().setOffline(true);
    await page.getByText('You are offline.').waitFor();
    await notice('Before the tunnel').first().waitFor({ state: 'detached' });
    await page.evaluate(() =>
      window.dispatchEvent(new ErrorEvent('error', { message: 'In the tunnel' })),
    );
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(await page.getByText('In the tunnel').count()).toBe(0);
    await page.context().setOffline(false);
    await page.getByText('You are offline.').waitFor({ state: 'detached' });
  });
});

test('copying reports success or failure', async () => {
  await page.goto(`${product.address}/settings/tokens`);
  await page.getByRole('button', { name: 'Create token' }).first().click();
  await page.getByRole('dialog').getByRole('textbox').first().fill('Shop');
  await page.getByRole('dialog').getByRole('button', { name: 'Create token' }).click();
  const copy = page.getByRole('dialog').getByRole('button', { name: /Copy/ }).first();
  await copy.click();
  await page.getByText('Text successfully copied to clipboard').waitFor();
  await page.evaluate(() => {
    navigator.clipboard.writeText = () => Promise.reject(new Error('denied'));
  });
  await copy.click();
  await expectShown(page.getByText('Failed to copy text'));
});

describe('the end of a session', () => {
  test('signing out in one tab signs out the other tabs immediately', async () => {
    const secondPage = await page.context().newPage();
    await secondPage.goto(`${product.address}/subscribers/tags`);
    await secondPage.getByRole('heading', { level: 1 }).waitFor();
    await page.goto(`${product.address}/`);
    await page.getByRole('button', { name: EMAIL }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.waitForURL('**/auth');
    await secondPage.waitForURL('**/auth?next=%2Fsubscribers%2Ftags', { timeout: 5000 });
    expect(await secondPage.getByText('Unauthorized').count()).toBe(0);
    await secondPage.close();
    await signIn(page, EMAIL, 'Sign in');
  });

  test('a failed request for the current user ends the session with an explanation', async () => {
    await page.route(/\/client-api\/api\/users$/, respondWith(500, {}));
    // The page usually contains the response about the user, which is removed here.
    await page.route('**/subscribers/tags', async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replace(
        /<script [^>]*id="early-answers".*<\/script>/,
        '',
      );
      await route.fulfill({ response, body });
    });
    await page.goto(`${product.address}/subscribers/tags`);
    await page
      .getByText('An error occurred while retrieving your data. Please log in again.')
      .waitFor({ timeout: 20_000 });
    const cookies = await page.context().cookies();
    const reason = cookies.find((cookie) => cookie.name === 'logout_reason');
    expect(reason?.expires).toBeLessThanOrEqual(Date.now() / 1000 + 121);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await signIn(page, EMAIL, 'Sign in');
  });

  test('a 401 response ends the session with an explanation, except on a page with a code in its URL', async () => {
    const refuse = respondWith(401, { code: 'unauthorized' });
    // GET requests, such as background requests of the screen, are not refused.
    const refuseWrites = (route: Route) =>
      route.request().method() === 'GET' ? route.continue() : refuse(route);
    await page.goto(`${product.address}/subscribers/tags?code=abc`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.route(/\/(client-api|auth\/api\/refresh)/, refuseWrites);
    const refreshResponse = page.waitForResponse('**/auth/api/refresh');
    await page.getByRole('main').getByRole('button', { name: 'Create group' }).first().click();
    await page.getByRole('dialog').getByRole('textbox').fill('Spring');
    await page.keyboard.press('Enter');
    await refreshResponse;
    expect(new URL(page.url()).pathname).toBe('/subscribers/tags');
    await page.unrouteAll({ behavior: 'ignoreErrors' });

    await page.goto(`${product.address}/subscribers/tags`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.route(/\/(client-api|auth\/api\/refresh)/, refuseWrites);
    await page.getByRole('main').getByRole('button', { name: 'Create group' }).first().click();
    await page.getByRole('dialog').getByRole('textbox').fill('Spring');
    await page.keyboard.press('Enter');
    await page
      .getByText('Error occurred: Unauthorized. Please log in or contact support.')
      .waitFor();
  });
});
