// An owner's screens in both themes and directions have no axe violations and no horizontal
// overflow. In Persian, a user gets from sign-up to the dashboard with the keyboard only.
import { expect, test } from 'vitest';
import {
  findAccessibilityViolations,
  newPage,
  listPrimaryButtons,
  waitUntilQuiet,
} from '#testing/setup/browser.ts';
import {
  PASSWORD,
  call,
  isTooWide,
  openScreen,
  openSharedProduct,
  pressButton,
  shoot,
  typeInto,
} from '#testing/setup/journeys.ts';
import accounts from '../locales/fas/accounts.json' with { type: 'json' };
import dashboard from '../locales/fas/dashboard.json' with { type: 'json' };
import onboarding from '../locales/fas/onboarding.json' with { type: 'json' };

const { product, browser } = await openSharedProduct();

const GUEST_PATHS = ['/auth', '/auth/sign-up', '/auth/forgot-password', '/verify-email?token=x'];
const OWNER_PATHS = [
  '/complete-registration',
  '/complete-registration/introduce',
  '/complete-registration/address',
  '/',
  '/?range=chosen&from=2026-01-01&to=2026-01-31',
  '/settings/account',
  '/settings/user',
  '/settings/users',
  '/settings/tokens',
  '/settings/domains',
  '/subscribers/suppressions',
  '/404',
];

type AppearanceView = {
  colorScheme: 'dark' | 'light';
  viewport: { width: number; height: number };
};

const WIDE = { width: 1280, height: 900 };
const NARROW = { width: 390, height: 844 };

test.each<[string, string, AppearanceView[]]>([
  [
    ...(['eng', 'ltr'] as const),
    [
      { colorScheme: 'dark', viewport: WIDE },
      { colorScheme: 'light', viewport: NARROW },
    ],
  ],
  [
    ...(['fas', 'rtl'] as const),
    [
      { colorScheme: 'light', viewport: WIDE },
      { colorScheme: 'dark', viewport: NARROW },
    ],
  ],
])('screens in %s (%s) work in both themes and widths', async (language, direction, views) => {
  const { page, pageErrors } = await newPage(browser, {
    locale: language === 'fas' ? 'fa-IR' : 'en-GB',
    ...views[0],
  });
  const inViews = async (check: (view: string) => Promise<void>) => {
    for (const view of views) {
      await page.emulateMedia({ colorScheme: view.colorScheme });
      await page.setViewportSize(view.viewport);
      await check(`${view.colorScheme} ${view.viewport.width}`);
    }
  };
  const checkPage = async (path: string) => {
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await page.getAttribute('html', 'dir'), path).toBe(direction);
    await inViews(async (view) => {
      await waitUntilQuiet(page);
      expect(await findAccessibilityViolations(page), `${path} ${view}`).toEqual([]);
      expect(await isTooWide(page), `${path} ${view}`).toBe(false);
      expect((await listPrimaryButtons(page)).slice(1), `${path} ${view}`).toEqual([]);
    });
  };
  const checkPages = async ([first = '', ...others]: string[]) => {
    await page.goto(product.address + first);
    await checkPage(first);
    for (const path of others) {
      await openScreen(page, path);
      await checkPage(path);
    }
  };
  await checkPages(GUEST_PATHS);
  await call(page, product, 'POST', '/auth/api/sign-up', {
    email: `${language}@looks.example`,
    password: PASSWORD,
    language,
  });
  await call(page, product, 'POST', '/client-api/api/tokens', {
    title: 'Shop',
    validity_days: 7,
  });
  await call(page, product, 'POST', '/client-api/api/subscribers', { email: 'gone@x.example' });
  await call(page, product, 'POST', '/client-api/api/unsubscribes', { all: true });
  await checkPages(OWNER_PATHS);

  // The overlays of a screen: the menu of a row, a select and a dialog.
  await inViews(async (view) => {
    await openScreen(page, '/settings/tokens');
    await page.locator('table button[aria-haspopup="menu"]').click();
    await page.getByRole('menuitem').first().waitFor();
    expect(await findAccessibilityViolations(page), view).toEqual([]);
    await openScreen(page, '/settings/account');
    await page.locator('input[autocomplete="country-name"]').click();
    await page.locator('[role="option"]:visible').first().waitFor();
    expect(await findAccessibilityViolations(page), view).toEqual([]);
    await openScreen(page, '/settings/domains');
    await page.getByRole('main').getByRole('button').first().click();
    await page.getByRole('dialog').getByRole('textbox').waitFor();
    expect(await findAccessibilityViolations(page), view).toEqual([]);
    expect(await isTooWide(page), view).toBe(false);
  });
  expect(pageErrors).toEqual([]);
  await page.context().close();
});

/** Other screens, which are empty at first or contain several forms. */
const MORE_PATHS = [
  ...['/campaigns', '/sms', '/subscribers', '/subscribers/segments', '/subscribers/events'],
  ...[
    '/automation',
    '/forms',
    '/transactional',
    '/transactional/smtp',
    '/settings/billing/upgrade',
  ],
  ...['/settings/coupons', '/settings/phone', '/settings/relays', '/settings/webhooks'],
];

test('each screen has one primary button', async () => {
  const { page, pageErrors } = await newPage(browser);
  await page.goto(`${product.address}/auth`);
  const email = 'one.button@looks.example';
  const newUser = { email, password: PASSWORD, language: 'eng' };
  await call(page, product, 'POST', '/auth/api/sign-up', newUser);
  await page.goto(product.address);
  for (const path of MORE_PATHS) {
    await openScreen(page, path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect((await listPrimaryButtons(page)).length, path).toBe(1);
  }
  // Of several forms, the changed one has the primary button.
  await openScreen(page, '/settings/account');
  await page.getByLabel('Company name').fill('Tea');
  await expect.poll(() => listPrimaryButtons(page)).toEqual(['Save']);
  expect(pageErrors).toEqual([]);
  await page.context().close();
});

test('an owner gets from sign-up to the dashboard in Persian using only the keyboard', async () => {
  const { page, pageErrors } = await newPage(browser, { locale: 'fa-IR' });
  await page.goto(`${product.address}/auth/sign-up`);
  await typeInto(page, accounts.fields.email, 'sara@forushgah.example');
  await page.keyboard.press('Tab');
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press('Enter');
  await page.waitForURL('**/complete-registration');
  await pressButton(page, 'link', onboarding.steps.register.action);
  await page.waitForURL('**/introduce');
  await typeInto(page, onboarding.introduce.name, 'سارا');
  await typeInto(page, onboarding.introduce.surname, 'احمدی');
  await typeInto(page, onboarding.introduce.website, 'https://forushgah.example');
  await shoot(page, 'keys-introduce-fas');
  await page.keyboard.press('Enter');

  // The address is typed in Persian; its suggestion also fills in the city, the region and the time
  // zone.
  await page.waitForURL('**/address');
  await typeInto(page, accounts.address.address, 'خیابان ولیعصر ۱۲، تهران');
  await page.getByRole('option', { name: /تهران/ }).first().waitFor();
  await shoot(page, 'keys-address-suggested-fas');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  const field = (name: string) => page.getByRole('textbox', { name, exact: true });
  await expect.poll(() => field(accounts.address.city).inputValue()).toBe('تهران');
  expect(await field(accounts.address.state).inputValue()).toBe('تهران');
  expect(await field(accounts.address.address).inputValue()).toBe('خیابان ولیعصر ۱۲');
  await expect
    .poll(() => page.getByLabel(accounts.account.zone, { exact: true }).first().inputValue())
    .toContain('Asia/Tehran');
  await typeInto(page, accounts.address.zip, '1969833313');
  await shoot(page, 'keys-address-fas');
  await pressButton(page, 'button', onboarding.address.submit);
  await page.waitForURL('**/complete-registration');
  await page.getByText('۱ گام از ۶ گام').waitFor();
  await shoot(page, 'keys-checklist-fas');

  await page.goto(`${product.address}/`);
  await page.getByRole('heading', { level: 1, name: dashboard.title }).waitFor();
  await page.getByRole('link', { name: dashboard.start.goOn }).waitFor();
  await shoot(page, 'keys-dashboard-fas');
  expect(pageErrors).toEqual([]);
  await page.context().close();
});
