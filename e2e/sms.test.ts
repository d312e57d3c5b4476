// SMS for a new owner: a number with its compliance data, a campaign to two hundred subscribers on
// the built-in phone, their replies, and the report. A second test opens the SMS screens in Persian
// on a phone-sized display.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import {
  findAccessibilityViolations,
  findAccessibilityViolationsInBothThemes,
  newPage,
  waitUntilQuiet,
} from '#testing/setup/browser.ts';
import {
  call,
  isTooWide,
  openSharedProduct,
  PERSIAN_PHONE,
  shoot,
  signUp,
  openScreen,
} from '#testing/setup/journeys.ts';
import { addSmsPeople, daytimeNumbers } from '#testing/worlds/sms-people.ts';
import words from '../locales/fas/sms.json' with { type: 'json' };
import transactional from '../locales/fas/transactional.json' with { type: 'json' };

const SUBSCRIBERS = 200;
const OUR_NUMBER = '+15125550177';

const { product, browser } = await openSharedProduct();

type PhoneMessage = { direction: 'in' | 'out'; from: string; to: string; text: string };

async function messagesOf(number: string): Promise<PhoneMessage[]> {
  const url = `${product.address}/phone/api/messages?to=${encodeURIComponent(number)}`;
  return ((await (await fetch(url)).json()) as { data: PhoneMessage[] }).data;
}

async function addTollFree(page: Page): Promise<void> {
  await openScreen(page, '/settings/phone');
  await page.getByText('No senders yet').waitFor();
  expect(await findAccessibilityViolationsInBothThemes(page)).toEqual([]);
  await shoot(page, 'phones-empty');
  await page.getByRole('link', { name: 'Add sender' }).first().click();
  await page.getByRole('radio', { name: 'Toll-free number' }).check();
  await page.getByRole('combobox', { name: 'Number or sender' }).click();
  await page.getByRole('option').first().click();
  await page.getByLabel('Use case').fill('Offers to customers');
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await shoot(page, 'sender');
  await page.getByRole('button', { name: 'Add sender' }).click();
  await page.waitForURL(/tcpa_and_ctia_compliance$/);
  await page.getByText('Mobile carriers require this').waitFor();
  expect(await findAccessibilityViolationsInBothThemes(page)).toEqual([]);
  await shoot(page, 'compliance');
  await agree(page);
  await page.getByRole('link', { name: 'Fill in the form' }).click();
  await page.getByRole('button', { name: 'Submit' }).click();
  await page.getByText('This field is required').first().waitFor();
  await fillVerification(page);
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await shoot(page, 'verification');
  await page.getByRole('button', { name: 'Submit' }).click();
  await page.getByText(/\+1833\d+ is ready to send/).waitFor();
  await shoot(page, 'compliance-done');
}

/**
 * Adds a provider of the account and leaves it disabled: the following SMS are still sent through
 * the built-in phone.
 */
async function addProvider(page: Page): Promise<void> {
  await openScreen(page, '/settings/sms-providers');
  await page.getByText('Send through your own provider').waitFor();
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await shoot(page, 'providers-empty');
  await page.getByRole('link', { name: 'Add a provider' }).first().click();
  await page.getByLabel('Name').fill('Our Twilio');
  await page.getByLabel('Account SID').fill('AC123');
  await page.getByLabel('Auth token').fill('a-secret-token');
  await page.getByRole('button', { name: 'Limit a number' }).click();
  await page.getByLabel('Number or sender').fill(OUR_NUMBER);
  await waitUntilQuiet(page);
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await shoot(page, 'provider');
  await page.getByRole('button', { name: 'Add a provider' }).click();
  await page.getByText(/\/hooks\/sms\/inbound\/[\w-]{36}/).waitFor();
  await page.getByText(`${OUR_NUMBER}`).waitFor();
  expect(await page.content()).not.toContain('a-secret-token');
  expect(await findAccessibilityViolationsInBothThemes(page)).toEqual([]);
  await shoot(page, 'providers');
}

/** A store's program sends a shipping notice by SMS. The owner finds this SMS by its title. */
async function sendByProgram(page: Page, to: string): Promise<void> {
  await openScreen(page, '/transactional/sms');
  await page.getByText('POST /v2/sms/send').waitFor();
  expect(await findAccessibilityViolationsInBothThemes(page)).toEqual([]);
  await shoot(page, 'transactional-empty');
  const tokenOptions = { title: 'Shop', validity_days: null };
  const { token } = await call<{ token: string }>(
    ...([page, product, 'POST', '/client-api/api/tokens', tokenOptions] as const),
  );
  const response = await fetch(`${product.address}/v2/sms/send`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      ...{ to, from: OUR_NUMBER, title: 'Order shipped', variables: { number: 7 } },
      text: 'Order {{ number }} is on its way: https://bloom.example/orders/{{ number }}',
    }),
  });
  expect(response.status, await response.clone().text()).toBe(200);
  await expect
    .poll(async () => (await messagesOf(to)).map(({ text }) => text).join(' '), { timeout: 30_000 })
    .toContain('Order 7 is on its way');
  await page.reload();
  await page.getByRole('link', { name: 'Order shipped' }).waitFor();
  await waitUntilQuiet(page);
  expect(await findAccessibilityViolationsInBothThemes(page)).toEqual([]);
  await shoot(page, 'transactional');
  await page.getByRole('link', { name: 'Order shipped' }).click();
  await page.getByText('https://bloom.example/orders/{{ number }}', { exact: true }).waitFor();
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await shoot(page, 'transactional-report');
}

async function agree(page: Page): Promise<void> {
  await page.getByLabel('Your full name').fill('Ada Bloom');
  await page.getByRole('button', { name: 'I accept' }).click();
  await page.getByText(/Accepted by Ada Bloom/).waitFor();
}

async function fillVerification(page: Page): Promise<void> {
  const fields = {
    'Legal business name': 'Bloom Ltd',
    'Registration number': '12-3456789',
    Website: 'https://bloom.example',
    Street: '1 Main Street',
    City: 'Austin',
    'State or region': 'Texas',
    'Postal code': '73301',
    'Contact person': 'Ada Bloom',
    'Contact email': 'ada@bloom.example',
    'Contact phone': '+15125550100',
    'Use case': 'Offers',
    'Image of the opt-in (URL)': 'https://bloom.example/form.png',
    'Privacy policy (URL)': 'https://bloom.example/privacy',
    'Terms (URL)': 'https://bloom.example/terms',
    'What you send, and to whom': 'Offers of the week to customers who asked for them',
    'Sample message': 'Bloom: tulips today. Reply STOP to opt out',
  };
  for (const [label, value] of Object.entries(fields)) {
    await page.getByLabel(label).first().fill(value);
  }
  for (const [label, option] of [
    ['Type of registration', 'EIN'],
    ['Country of registration', 'United States'],
    ['Messages per month', '1,000'],
    ['How people opt in', 'Form on a website'],
  ] as const) {
    await page.getByRole('combobox', { name: label }).fill(option);
    await page.getByRole('option', { name: option, exact: true }).first().click();
  }
  await page.getByRole('combobox', { name: 'Country', exact: true }).fill('United States');
  await page.getByRole('option', { name: 'United States', exact: true }).first().click();
}

async function writeCampaign(page: Page): Promise<string> {
  await openScreen(page, '/sms');
  await page.getByText('No SMS campaigns yet').waitFor();
  expect(await findAccessibilityViolationsInBothThemes(page)).toEqual([]);
  await shoot(page, 'list-empty');
  await page.getByRole('link', { name: 'New SMS campaign' }).first().click();
  await page.getByLabel('Campaign name').fill('Tulips');
  await page.getByRole('combobox', { name: 'Sender' }).click();
  await page.getByRole('option', { name: OUR_NUMBER }).click();
  await page
    .getByRole('textbox', { name: 'Message', exact: true })
    .fill('Hi {{firstname}}, tulips are in: https://bloom.example/tulips');
  await page.getByText('Reply STOP to opt out').waitFor();
  await page.getByText(/\d+\/\d+ characters/).waitFor();
  expect(await findAccessibilityViolationsInBothThemes(page)).toEqual([]);
  await shoot(page, 'settings');
  await page.getByRole('button', { name: 'Save and continue' }).click();
  await page.waitForURL(/\/subscribers$/);
  await page.getByRole('switch', { name: /everyone/i }).check({ force: true });
  await page.getByText(/200/).first().waitFor();
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await shoot(page, 'recipients');
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.waitForURL(/\/confirm$/);
  return /sms\/(\w+)\//.exec(page.url())?.[1] ?? '';
}

test('a number passes compliance, subscribers of a campaign reply STOP and START, and the report is correct', async () => {
  const { page, pageErrors } = await newPage(browser);
  const email = 'texts@shop.example';
  await signUp(page, product, email);
  const { numbers } = daytimeNumbers(SUBSCRIBERS);
  await addSmsPeople(product, email, numbers);
  await addProvider(page);
  await addTollFree(page);
  const { id: phone } = await call<{ id: string }>(page, product, 'POST', '/client-api/api/phone', {
    kind: 'long_code',
    value: OUR_NUMBER,
    use_case: 'Offers',
  });
  await openScreen(page, `/sms/phone/${phone}/tcpa_and_ctia_compliance`);
  await agree(page);
  await openScreen(page, '/settings/phone');
  await page.getByText(OUR_NUMBER).waitFor();
  await waitUntilQuiet(page);
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await shoot(page, 'phones');
  const id = await writeCampaign(page);
  await page.getByText('Checks').waitFor();
  await page.getByRole('button', { name: 'Send test' }).click();
  const dialog = page.getByRole('dialog', { name: 'Test message' });
  await dialog.getByLabel('Phone number').fill('+370 612 99999');
  await dialog.getByRole('button', { name: 'Send test' }).click();
  await dialog.waitFor({ state: 'hidden' });
  await expect.poll(() => messagesOf('+37061299999'), { timeout: 30_000 }).toHaveLength(1);
  expect(await findAccessibilityViolationsInBothThemes(page)).toEqual([]);
  await shoot(page, 'confirm');
  await page.getByRole('button', { name: 'Send now' }).click();
  await page.getByRole('button', { name: 'Send to 200 people' }).click();
  await expect
    .poll(
      async () => {
        const { data } = (await (await fetch(`${product.address}/phone/api/messages`)).json()) as {
          data: PhoneMessage[];
        };
        // Other tests send SMS to some of the same numbers.
        const campaignSms = data.filter(({ text }) => text.includes('tulips are in'));
        const recipients = campaignSms.map(({ to }) => to).filter((to) => numbers.includes(to));
        return [recipients.length, new Set(recipients).size];
      },
      { timeout: 60_000, interval: 500 },
    )
    .toEqual([SUBSCRIBERS, SUBSCRIBERS]);
  const deliveredAt = Date.now();
  await openScreen(page, `/sms/${id}/report/overview`);
  await page.getByText('200', { exact: true }).first().waitFor();
  const [stopper = '', returner = '', clicker = ''] = numbers;
  // The subscribers reply on the built-in phone.
  await page.goto(`${product.address}/phone`);
  await shoot(page, 'phone');
  expect(await findAccessibilityViolations(page)).toEqual([]);
  const reply = async (from: string, text: string) => {
    await page.goto(`${product.address}/phone?with=${encodeURIComponent(from)}`);
    await page.getByRole('textbox', { name: 'Reply' }).fill(text);
    await page.getByRole('button', { name: 'Reply' }).click();
  };
  await reply(stopper, 'Stop, please');
  await page
    .getByRole('log')
    .getByText(/You are unsubscribed/)
    .waitFor();
  await reply(returner, 'STOP');
  await reply(returner, 'Start');
  await page
    .getByRole('log')
    .getByText(/You are subscribed again/)
    .waitFor();
  await reply(clicker, 'Which colours?');
  // A click within 5 s of delivery would be classified as a link scanner's.
  await page.waitForTimeout(Math.max(0, deliveredAt + 6_000 - Date.now()));
  const smsTexts = (await messagesOf(clicker)).map(({ text }) => text).join(' ');
  const link = /https?:\/\/\S+\/s\/[\w-]+/.exec(smsTexts)?.[0];
  const linkResponse = await fetch(link ?? '', {
    redirect: 'manual',
    headers: {
      'user-agent': 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Safari/605.1',
    },
  });
  expect(linkResponse.headers.get('location')).toBe('https://bloom.example/tulips');
  await shoot(page, 'phone-conversation');
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await page.goto(`${product.address}/sms/${id}/report/overview`);
  const clicks = page.getByText('0.5%').first();
  await clicks.waitFor({ timeout: 30_000 });
  await waitUntilQuiet(page);
  expect(await findAccessibilityViolationsInBothThemes(page)).toEqual([]);
  await shoot(page, 'report');
  type SmsCampaignResponse = { figures: Record<string, number | null> };
  const { figures } = await call<SmsCampaignResponse>(
    page,
    product,
    'GET',
    `/client-api/api/sms/campaign/${id}`,
  );
  expect(figures).toMatchObject({
    ...{ sent: SUBSCRIBERS, accepted: SUBSCRIBERS, delivered: SUBSCRIBERS, clicks: 1, failed: 0 },
    ...{ unsubscribes: 2, replies: 4, parts: SUBSCRIBERS },
  });
  for (const [view, text] of [
    ['clicks', 'https://bloom.example/tulips'],
    ['unsubscribes', 'Name 1'],
    ['delivery-failed', 'Nobody yet'],
    ['replies', 'Which colours?'],
  ] as const) {
    await openScreen(page, `/sms/${id}/report/${view}`);
    await page.getByText(text).first().waitFor();
    expect(await findAccessibilityViolations(page), view).toEqual([]);
    await shoot(page, `report-${view}`);
  }
  await openScreen(page, '/sms');
  await page.getByText('Tulips', { exact: true }).waitFor();
  await shoot(page, 'list');
  await sendByProgram(page, clicker);
  await openScreen(page, '/users/sms_onboard');
  await page.getByText('Set up SMS').first().waitFor();
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await shoot(page, 'onboard');
  expect(pageErrors).toEqual([]);
  await page.context().close();
});

test('the SMS screens work in Persian on a phone-sized display', async () => {
  const { page, pageErrors } = await newPage(browser, PERSIAN_PHONE);
  const email = 'payamak@forushgah.example';
  await signUp(page, product, email);
  const { numbers } = daytimeNumbers(SUBSCRIBERS);
  await addSmsPeople(product, email, numbers);
  const post = <Data>(path: string, body: object) => call<Data>(page, product, 'POST', path, body);
  const name = { kind: 'alphanumeric', value: 'Forushgah', use_case: 'Offers' };
  const { id: phone } = await post<{ id: string }>('/client-api/api/phone', name);
  await post(`/client-api/api/phone/${phone}/compliance/terms`, {
    version: '2026-11-01',
    name: 'Ada',
  });
  const toll = { kind: 'toll_free', value: '+18335550108', use_case: 'Offers' };
  const { id: number } = await post<{ id: string }>('/client-api/api/phone', toll);
  const text = 'سلام {{firstname}}، لاله‌ها رسیدند: https://bloom.example/tulips';
  const draft = { title: 'لاله', text, phone_id: phone };
  const { id } = await post<{ id: string }>('/client-api/api/sms/campaign', draft);
  const compliance = `/sms/phone/${number}/tcpa_and_ctia_compliance`;
  for (const [path, title] of [
    ['/sms', words.title],
    ['/sms/create', words.create],
    ['/sms/create-sender', words.phones.add],
    ['/settings/phone', words.phones.title],
    [compliance, words.compliance.title],
    [`${compliance}/terms-of-service`, words.compliance.terms],
    [`${compliance}/toll-free-number-verification`, words.compliance.verification],
    ['/settings/sms-providers', words.providers.title],
    ['/settings/sms-providers/new', words.providers.add],
    ['/transactional/sms', transactional.title],
    ['/users/sms_onboard', words.onboard.title],
    [`/sms/${id}/edit`, 'لاله'],
    [`/sms/${id}/subscribers`, 'لاله'],
  ] as const) {
    await openScreen(page, path);
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
    await waitUntilQuiet(page);
    expect(await findAccessibilityViolations(page), path).toEqual([]);
    expect(await isTooWide(page), path).toBe(false);
    await shoot(page, `fas${path.replaceAll('/', '-')}`);
  }
  // Long text does not make the table wider than the screen, so the menu of each row is visible.
  await openScreen(page, '/sms');
  await page.getByRole('table').getByRole('button').last().waitFor();
  const list = page.getByRole('table').locator('..');
  expect(await list.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
  await openScreen(page, `/sms/${id}/subscribers`);
  await page.getByRole('switch').first().check({ force: true });
  await page.getByRole('button', { name: 'ادامه' }).click();
  await page.waitForURL(/\/confirm$/);
  await waitUntilQuiet(page);
  expect(await findAccessibilityViolations(page)).toEqual([]);
  expect(await isTooWide(page)).toBe(false);
  await shoot(page, 'fas-confirm');
  await page.getByRole('button', { name: words.send.now }).click();
  await page.getByRole('dialog').getByRole('button').last().click();
  const [first = ''] = numbers;
  await expect
    .poll(async () => (await messagesOf(first)).at(0)?.from, { timeout: 60_000 })
    .toBe('Forushgah');
  const leave = /\S+: (https?:\/\/\S+\/s\/[\w-]+)$/.exec((await messagesOf(first))[0]?.text ?? '');
  await page.goto(leave?.[1] ?? '');
  await shoot(page, 'fas-leave');
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await page.getByRole('button').click();
  await waitUntilQuiet(page);
  await shoot(page, 'fas-left');
  await page.goto(`${product.address}/sms/${id}/report/overview`);
  for (const view of [
    'overview',
    'clicks',
    'unsubscribes',
    'delivery-failed',
    'replies',
  ] as const) {
    await openScreen(page, `/sms/${id}/report/${view}`);
    await page.getByRole('heading', { level: 1, name: 'لاله' }).waitFor();
    await waitUntilQuiet(page);
    expect(await findAccessibilityViolations(page), view).toEqual([]);
    expect(await isTooWide(page), view).toBe(false);
    await shoot(page, `fas-report-${view}`);
  }
  expect(pageErrors).toEqual([]);
  await page.context().close();
});
