// A campaign at each subscriber's local time, which is scheduled by keyboard and sent in three time
// zones as the clock advances.
import type { Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { wallTimeToInstant, toWallTime } from '#platform/server/zoned-time.ts';
import {
  findAccessibilityViolationsInBothThemes,
  newPage,
  waitUntilQuiet,
} from '#testing/setup/browser.ts';
import {
  call,
  isTooWide,
  newOwner,
  openOwnProduct,
  PERSIAN_PHONE,
  pressButton,
  shoot,
  tabTo,
} from '#testing/setup/journeys.ts';
import { MOVABLE, moveClock } from '#testing/setup/moved-clock.ts';
import fas from '../locales/fas/broadcasts.json' with { type: 'json' };
import fasCampaigns from '../locales/fas/campaigns.json' with { type: 'json' };

const { product, browser } = await openOwnProduct(MOVABLE);
const { page: owner, pageErrors } = await newPage(browser);
afterAll(() => owner.context().close());

const DAY_MS = 86_400_000;
const CAMPAIGNS = '/client-api/api/campaigns';
/** The phone numbers are from Japan, Nepal and Norway. */
const SUBSCRIBERS = [
  { email: 'tokyo@people.example', phone: '+81312345678' },
  { email: 'kathmandu@people.example', phone: '+97714123456' },
  { email: 'oslo@people.example', phone: '+4722123456' },
];

let clockOffset = 0;
const advanceTo = (at: Date) => {
  const shiftMs = at.getTime() + 5_000 - (Date.now() + clockOffset);
  clockOffset += shiftMs;
  moveClock(product, shiftMs);
};

async function recipients(): Promise<string[]> {
  const url = `${product.address}/inbox/api/messages?limit=50&subject=Tea`;
  const { data } = (await (await fetch(url)).json()) as { data: { to: string }[] };
  return data.map(({ to }) => to).sort();
}

/** Creates a draft to all subscribers of a new account. */
async function readyDraft(page: Page, email: string, language?: string): Promise<string> {
  const api = <Data>(method: 'POST' | 'PUT' | 'PATCH', path: string, data: object) =>
    call<Data>(page, product, method, path, data);
  await newOwner(page, product, email, language);
  await api('PATCH', '/client-api/api/account_questionnaire', {
    ...{ address: 'Storgata 1', city: 'Oslo', state: 'Oslo', country: 'NO', zip_code: '0155' },
    timezone: 'Europe/Oslo',
  });
  for (const subscriber of SUBSCRIBERS) {
    await api('POST', '/client-api/api/subscribers', subscriber);
  }
  const draft = await api<{ id: string; revision: number }>('POST', CAMPAIGNS, {
    ...{ title: 'Morning tea', subject: 'Tea', from_email: 'letters@tearoom.example' },
  });
  await api('PUT', `${CAMPAIGNS}/${draft.id}/content`, {
    ...{ revision: draft.revision, editor: 'html' },
    html: '<html><body><p>Good morning</p></body></html>',
  });
  await api('POST', `${CAMPAIGNS}/${draft.id}/tags/set`, { tags_arr: [], send_to_all: true });
  return draft.id;
}

/** Selects an option of a select by keyboard. */
async function choose(name: string, option: string): Promise<void> {
  await tabTo(owner, 'combobox', name);
  await owner.keyboard.press('ArrowDown');
  const target = owner.getByRole('option', { name: option, exact: true });
  await target.waitFor();
  for (let presses = 0; presses < 12; presses++) {
    if (await owner.locator('[data-combobox-selected]').getByText(option, { exact: true }).count())
      break;
    await owner.keyboard.press('ArrowDown');
  }
  await owner.keyboard.press('Enter');
}

test('a campaign sent at local times reaches three time zones in sequence', async () => {
  const id = await readyDraft(owner, 'owner@tearoom.example');
  await owner.goto(`${product.address}/campaigns/${id}/confirm`);
  await owner.getByRole('button', { name: /^Send now to 3/ }).waitFor();
  await pressButton(owner, 'button', 'Schedule');
  const dialog = owner.getByRole('dialog', { name: 'Schedule campaign' });
  await dialog.getByText(/Goes to 3 people/).waitFor();
  const day = new Date(Date.now() + DAY_MS);
  const date = toWallTime(day, 'Europe/Oslo').slice(0, 10);
  const label = new Intl.DateTimeFormat('en', { dateStyle: 'long', timeZone: 'UTC' });
  await dialog.getByRole('button', { name: label.format(new Date(date)), exact: true }).click();
  await choose('When', 'At each person’s own time');
  await tabTo(owner, 'combobox', 'Time');
  await owner.keyboard.type('10:00');
  await owner.keyboard.press('Enter');
  await dialog.getByText(/The first emails leave on .*2:00.*, the last on .*10:00/).waitFor();
  await waitUntilQuiet(owner);
  expect(await findAccessibilityViolationsInBothThemes(owner)).toEqual([]);
  await shoot(owner, 'timing-own-time');
  await pressButton(owner, 'button', 'Schedule for 3 people');
  await owner.waitForURL(/\/campaigns$/);

  const localInstant = (zone: string) => wallTimeToInstant(`${date} 10:00:00`, zone);
  // The campaign starts with the easternmost time zone. Its recipients are selected then.
  advanceTo(localInstant('Pacific/Kiritimati'));
  const pending = async () =>
    (
      await call<{ delivery: { remaining: number } | null }>(
        owner,
        product,
        'GET',
        `${CAMPAIGNS}/${id}`,
      )
    ).delivery?.remaining;
  await expect.poll(pending, { timeout: 60_000 }).toBe(3);
  const reachedZones: string[] = [];
  for (const [person, zone] of [
    ['tokyo@people.example', 'Asia/Tokyo'],
    ['kathmandu@people.example', 'Asia/Kathmandu'],
    ['oslo@people.example', 'Europe/Oslo'],
  ] as const) {
    advanceTo(localInstant(zone));
    reachedZones.push(person);
    await expect.poll(recipients, { timeout: 60_000 }).toEqual([...reachedZones].sort());
    if (zone !== 'Asia/Tokyo') continue;
    await owner.goto(`${product.address}/campaigns/${id}/confirm`);
    await owner.getByText(/^Next: .*5:15.*, 1 person$/).waitFor();
    expect(await findAccessibilityViolationsInBothThemes(owner)).toEqual([]);
    await shoot(owner, 'timing-sending');
  }
  await owner.getByRole('heading', { name: 'Sent', exact: true }).waitFor();
  expect(await recipients()).toHaveLength(3);
  expect(pageErrors).toEqual([]);
});

test('the schedule dialog with a custom sending window fits on a phone in Persian', async () => {
  const { page, pageErrors: faults } = await newPage(browser, PERSIAN_PHONE);
  const id = await readyDraft(page, 'sahib@tearoom.example', 'fas');
  await page.goto(`${product.address}/campaigns/${id}/confirm`);
  await page.getByRole('button', { name: fasCampaigns.schedule.open }).click();
  await page.getByRole('combobox', { name: fas.timing.when, exact: true }).waitFor();
  await page.getByRole('combobox', { name: fas.timing.window }).click();
  await page.getByRole('option', { name: fas.timing.windows.own, exact: true }).click();
  await page.getByText(fas.timing.forAll).waitFor();
  await waitUntilQuiet(page);
  expect(await findAccessibilityViolationsInBothThemes(page)).toEqual([]);
  expect(await isTooWide(page)).toBe(false);
  await shoot(page, 'timing-fas');
  expect(faults).toEqual([]);
  await page.context().close();
});
