// What journeys share: the way in, a phone in Persian, and the keyboard alone.
import type { BrowserContextOptions, Page } from 'playwright-core';
import type { Product } from './product.ts';

export const PASSWORD = 'a tall glass of cold water';

export const PERSIAN_PHONE: BrowserContextOptions = {
  locale: 'fa-IR',
  viewport: { width: 390, height: 844 },
  hasTouch: true,
  isMobile: true,
};

/** A new owner, in whatever language the page speaks. */
export async function signUp(page: Page, product: Product, email: string): Promise<void> {
  await page.goto(`${product.address}/auth/sign-up`);
  await page.locator('input[type=email]').fill(email);
  await page.locator('input[type=password]').fill(PASSWORD);
  await page.locator('button[type=submit]').click();
  await page.waitForURL((url) => !url.pathname.startsWith('/auth'));
}

type Role = 'button' | 'link' | 'textbox' | 'combobox';
const MOST_PRESSES = 120;

/** Goes on by Tab until the thing with this name has the focus. */
export async function tabTo(page: Page, role: Role, name: string): Promise<void> {
  const wanted = page.getByRole(role, { name, exact: true }).first();
  await wanted.waitFor();
  for (let presses = 0; presses < MOST_PRESSES; presses++) {
    if (await wanted.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`${name} is not reached by Tab`);
}

export async function press(page: Page, role: 'button' | 'link', name: string): Promise<void> {
  await tabTo(page, role, name);
  await page.keyboard.press('Enter');
}

export async function typeInto(page: Page, name: string, text: string): Promise<void> {
  await tabTo(page, 'textbox', name);
  await page.keyboard.press('Control+a');
  await page.keyboard.type(text);
}
