// A weekly campaign in the calendar: an occurrence is moved and the move undone by keyboard, an
// occurrence is skipped by keyboard, and an occurrence is dragged with the mouse. Then the calendar
// is shown in Persian on a phone.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { instantToWallTime } from '#areas/broadcasts/wall-time.ts';
import {
  findAccessibilityViolations,
  findAccessibilityViolationsInBothThemes,
  newPage,
  waitUntilQuiet,
} from '#testing/setup/browser.ts';
import {
  call,
  isTooWide,
  newOwner,
  openSharedProduct,
  PERSIAN_PHONE,
  shoot,
  tabTo,
  openScreen,
} from '#testing/setup/journeys.ts';
import words from '../locales/fas/calendar.json' with { type: 'json' };

const ZONE = 'Europe/Oslo';
const CAMPAIGNS = '/client-api/api/campaigns';
const { product, browser } = await openSharedProduct();

/** Creates a campaign that is ready to be sent to one subscriber. */
async function readyCampaign(page: Page): Promise<string> {
  await call(page, product, 'PATCH', '/client-api/api/account_questionnaire', {
    address: 'Storgata 1',
    city: 'Oslo',
    state: 'Oslo',
    timezone: ZONE,
    country: 'NO',
    zip_code: '0155',
  });
  const reader = { email: 'reader@people.example' };
  await call(page, product, 'POST', '/client-api/api/subscribers', reader);
  const { id, revision } = await call<{ id: string; revision: number }>(
    ...([page, product, 'POST', CAMPAIGNS] as const),
    { title: 'Weekly tea', subject: 'New tea', from_email: 'news@tea.example' },
  );
  await call(page, product, 'PUT', `${CAMPAIGNS}/${id}/content`, {
    revision,
    editor: 'html',
    html: '<p>Fresh tea has come in from the mountains this week.</p><a href="{{unsubscribe_link}}">Unsubscribe</a>',
  });
  const everyone = { tags_arr: [], send_to_all: true };
  await call(page, product, 'POST', `${CAMPAIGNS}/${id}/tags/set`, everyone);
  return id;
}

type ShownEntry = { kind: string; title: string; at: string };

async function entries(page: Page): Promise<ShownEntry[]> {
  const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  const query = `from=${day(0)}&to=${day(29)}`;
  const path = `/client-api/api/calendar?${query}`;
  return (await call<{ entries: ShownEntry[] }>(page, product, 'GET', path)).entries;
}

/** Returns the Sunday of the week that contains this instant. */
function endOfWeek(instant: string): string {
  const weekday = new Date(
    `${instantToWallTime(new Date(instant), ZONE).slice(0, 10)}T00:00:00Z`,
  ).getUTCDay();
  const days = (7 - weekday) % 7;
  return instantToWallTime(new Date(Date.parse(instant) + days * 86_400_000), ZONE).slice(0, 10);
}

test('a weekly campaign is set up by keyboard, and its occurrences are moved and skipped', async () => {
  const { page, pageErrors } = await newPage(browser, { viewport: { width: 1280, height: 900 } });
  await newOwner(page, product, 'series@calendar.example');
  const id = await readyCampaign(page);
  await page.goto(`${product.address}/campaigns/${id}/confirm`);
  await tabTo(page, 'button', 'Repeat…');
  await page.keyboard.press('Enter');
  await page.getByText(/^Weekly on/).waitFor();
  expect(await findAccessibilityViolationsInBothThemes(page)).toEqual([]);
  await shoot(page, 'repeat-dialog');
  await tabTo(page, 'button', 'Start repeating');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Stop repeating' }).waitFor();
  // A recurring campaign is not sent itself.
  await expect.poll(() => page.getByRole('button', { name: /^Send/ }).count()).toBe(0);
  await waitUntilQuiet(page);
  await shoot(page, 'repeat-panel');
  const entriesBefore = await entries(page);
  expect(entriesBefore.length).toBeGreaterThanOrEqual(4);

  await openScreen(page, '/calendar?view=agenda');
  const entry = page.getByRole('button', { name: /Weekly tea/ });
  await entry.first().waitFor();
  expect(await findAccessibilityViolationsInBothThemes(page)).toEqual([]);
  await shoot(page, 'calendar-agenda');
  const lastEntry = entry.nth(2);
  await lastEntry.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'Move to…' }).press('Enter');
  const target = new Date(Date.parse(entriesBefore[2]?.at as string) + 86_400_000);
  await page.getByLabel('Day', { exact: true }).fill(instantToWallTime(target, ZONE).slice(0, 10));
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await shoot(page, 'calendar-move');
  await page.getByRole('button', { name: 'Move', exact: true }).press('Enter');
  await expect
    .poll(async () => (await entries(page)).map(({ kind, at }) => [kind, at]))
    .toContainEqual(['campaign', target.toISOString()]);
  await page.getByRole('button', { name: 'Undo' }).press('Enter');
  await expect
    .poll(async () => (await entries(page)).map(({ kind, at }) => [kind, at]))
    .toContainEqual(['campaign', entriesBefore[2]?.at]);

  await entry.nth(1).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: 'Skip this time' }).press('Enter');
  await expect.poll(async () => (await entries(page)).length).toBe(entriesBefore.length - 1);

  // The mouse drags the occurrence to another day of the same week.
  const next = entriesBefore[3]?.at as string;
  const day = (instant: number) => instantToWallTime(new Date(instant), ZONE).slice(0, 10);
  await openScreen(page, `/calendar?view=week&day=${day(Date.parse(next))}`);
  const otherDay =
    Date.parse(next) + (day(Date.parse(next)) < endOfWeek(next) ? 1 : -1) * 86_400_000;
  await entry.first().dragTo(page.locator(`[data-day="${day(otherDay)}"]`));
  await expect
    .poll(async () => (await entries(page)).map(({ kind, at }) => [kind, at]))
    .toContainEqual(['campaign', new Date(otherDay).toISOString()]);
  await waitUntilQuiet(page);
  await shoot(page, 'calendar-week');

  await openScreen(page, `/campaigns/${id}/confirm`);
  await page.getByRole('button', { name: 'Stop repeating' }).scrollIntoViewIfNeeded();
  await waitUntilQuiet(page);
  await shoot(page, 'repeat-dates');

  await openScreen(page, `/calendar?day=${day(otherDay)}`);
  await entry.first().waitFor();
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await shoot(page, 'calendar-month');
  expect(pageErrors).toEqual([]);
  await page.context().close();

  const { page: phone, pageErrors: phoneErrors } = await newPage(browser, PERSIAN_PHONE);
  await newOwner(phone, product, 'phone@calendar.example', 'fas');
  await readyCampaign(phone);
  await phone.goto(`${product.address}/calendar`);
  await phone.getByText(words.empty.title).waitFor();
  expect(await isTooWide(phone)).toBe(false);
  await phone.getByText(words.views.month, { exact: true }).click();
  await waitUntilQuiet(phone);
  expect([await isTooWide(phone), await findAccessibilityViolations(phone)]).toEqual([false, []]);
  await shoot(phone, 'calendar-persian');
  expect(phoneErrors).toEqual([]);
  await phone.context().close();
});
