// A new owner creates objects in Persian and in Lithuanian, with text outside Latin-1. The sender,
// the SMS, the campaign and the workflow are created on screens, the other objects through the API.
// The first SMS takes at most 14 clicks, and text that was typed before a sender was added is
// preserved.
import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { createEmailDocument } from '#areas/content/document-factory.ts';
import { findAccessibilityViolations, newPage } from '#testing/setup/browser.ts';
import { call, openSharedProduct, shoot, signUp, openScreen } from '#testing/setup/journeys.ts';
import { addSmsPeople, daytimeNumbers } from '#testing/worlds/sms-people.ts';
import fasBroadcasts from '../locales/fas/broadcasts.json' with { type: 'json' };
import fasCampaigns from '../locales/fas/campaigns.json' with { type: 'json' };
import fasContent from '../locales/fas/composing.json' with { type: 'json' };
import fasSms from '../locales/fas/sms.json' with { type: 'json' };
import fasWorkflows from '../locales/fas/workflows.json' with { type: 'json' };
import litBroadcasts from '../locales/lit/broadcasts.json' with { type: 'json' };
import litCampaigns from '../locales/lit/campaigns.json' with { type: 'json' };
import litContent from '../locales/lit/composing.json' with { type: 'json' };
import litSms from '../locales/lit/sms.json' with { type: 'json' };
import litWorkflows from '../locales/lit/workflows.json' with { type: 'json' };

const MAX_CLICKS = 14;
const SUBSCRIBERS = 5;

const { product, browser } = await openSharedProduct();

const LANGUAGES = [
  {
    ...{ name: 'fas', locale: 'fa-IR', email: 'avvalin@forushgah.example', sender: 'Golestan' },
    ...{ title: 'لاله‌های بهاری', text: 'لاله‌ها رسیدند، همین امروز بیایید' },
    ...{ sms: fasSms, broadcasts: fasBroadcasts, campaigns: fasCampaigns },
    ...{ content: fasContent, workflows: fasWorkflows },
  },
  {
    ...{ name: 'lit', locale: 'lt-LT', email: 'pirmoji@parduotuve.example', sender: 'Tulpes' },
    ...{ title: 'Žydinčios tulpės', text: 'Šviežios tulpės jau čia, užsukite šiandien' },
    ...{ sms: litSms, broadcasts: litBroadcasts, campaigns: litCampaigns },
    ...{ content: litContent, workflows: litWorkflows },
  },
];
type Words = (typeof LANGUAGES)[number];

/** Clicks and types like a user and counts the clicks. A focused field needs no click. */
class Clicks {
  count = 0;
  private readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  async on(target: Locator): Promise<void> {
    this.count++;
    await target.click();
  }

  async type(field: Locator, text: string): Promise<void> {
    await field.waitFor();
    const element = await field.elementHandle();
    // A screen focuses its first field.
    const isFocused = await this.page
      .waitForFunction((node) => node === document.activeElement, element, { timeout: 500 })
      .catch(() => undefined);
    if (!isFocused) await this.on(field);
    await this.page.keyboard.insertText(text);
  }
}

/**
 * Creates and sends an SMS campaign from the dashboard, without an existing sender.
 * @returns the number of clicks
 */
async function sendFirstSms(page: Page, texts: Words): Promise<number> {
  const { sms, broadcasts, title, text } = texts;
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const clicks = new Clicks(page);
  await clicks.on(page.getByRole('link', { name: sms.navigation, exact: true }).first());
  await clicks.on(page.getByRole('link', { name: sms.create, exact: true }).first());
  const titleField = page.getByLabel(sms.fields.title);
  await clicks.type(titleField, title);
  const message = page.getByRole('textbox', { name: sms.fields.text, exact: true });
  await clicks.type(message, text);
  await clicks.on(page.getByRole('link', { name: sms.phones.add, exact: true }).first());
  const name = page.getByRole('combobox', { name: sms.phones.sender });
  await name.waitFor();
  if ((await name.inputValue()) === '') await clicks.type(name, texts.sender);
  await clicks.type(page.getByLabel(sms.phones.useCase), title);
  await clicks.on(button(sms.phones.add));
  await page.waitForURL(/tcpa_and_ctia_compliance$/);
  const owner = page.getByLabel(sms.terms.name);
  await owner.waitFor();
  if ((await owner.inputValue()) === '') await clicks.type(owner, title);
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await shoot(page, `creating-terms-${texts.name}`);
  await clicks.on(button(sms.terms.accept));
  await clicks.on(page.getByRole('link', { name: sms.return.campaign, exact: true }));
  await expect.poll(() => titleField.inputValue()).toBe(title);
  expect(await message.inputValue()).toBe(text);
  await shoot(page, `creating-sms-${texts.name}`);
  await clicks.on(button(sms.saveAndContinue));
  await page.waitForURL(/\/subscribers$/);
  clicks.count++;
  // The visible part of the switch covers its input, so the click needs `force`.
  const everyone = page.getByRole('switch', { name: broadcasts.recipients.everybody });
  await everyone.check({ force: true });
  await clicks.on(button(broadcasts.recipients.next));
  await page.waitForURL(/\/confirm$/);
  await page.getByText(sms.testMode.paid).first().waitFor();
  expect(await findAccessibilityViolations(page)).toEqual([]);
  await shoot(page, `creating-confirm-${texts.name}`);
  await clicks.on(button(sms.send.now));
  await clicks.on(page.getByRole('dialog').locator('button[type=submit]'));
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  return clicks.count;
}

async function createCampaign(page: Page, { title, campaigns, content }: Words): Promise<void> {
  await openScreen(page, '/campaigns/create');
  await page.getByRole('textbox', { name: campaigns.fields.title }).first().fill(title);
  await page.getByRole('textbox', { name: content.envelope.subject }).first().fill(title);
  await page.getByRole('button', { name: campaigns.saveAndContinue, exact: true }).click();
  await page.waitForURL(/\/campaigns\/(?!create)/);
}

async function createWorkflow(page: Page, { title, workflows }: Words): Promise<void> {
  await openScreen(page, '/automation/create');
  await page.getByText(workflows.create.use, { exact: true }).first().click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel(workflows.rename.label).fill(title);
  await dialog.getByRole('button', { name: workflows.create.confirm, exact: true }).click();
  await page.waitForURL(/\/automation\/builder\//);
}

test.for(LANGUAGES)(
  'a sender, an SMS, a campaign, a workflow and other objects are created in $name',
  async (texts) => {
    const { page, pageErrors } = await newPage(browser, { locale: texts.locale });
    await signUp(page, product, texts.email);
    const { numbers } = daytimeNumbers(SUBSCRIBERS);
    await addSmsPeople(product, texts.email, numbers);
    await page.goto(`${product.address}/dashboard`);
    expect(await sendFirstSms(page, texts)).toBeLessThanOrEqual(MAX_CLICKS);
    const api = <Data>(method: 'GET' | 'POST', path: string, body?: object) =>
      call<Data>(page, product, method, `/client-api/api${path}`, body);
    const [sent] = await api<{ id: string; title: string; text: string }[]>(
      ...(['GET', '/sms/campaign'] as const),
    );
    expect(sent).toMatchObject({ title: texts.title, text: texts.text });
    const countDelivered = async () =>
      (await api<{ figures: { sent: number } | null }>('GET', `/sms/campaign/${sent?.id}`)).figures
        ?.sent;
    await expect.poll(countDelivered, { timeout: 60_000 }).toBe(SUBSCRIBERS);
    await openScreen(page, `/sms/${sent?.id}/report/overview`);
    await page.getByText(texts.text).first().waitFor();
    expect(await findAccessibilityViolations(page)).toEqual([]);
    await shoot(page, `creating-report-${texts.name}`);
    await createCampaign(page, texts);
    await createWorkflow(page, texts);
    // The API creates the remaining objects; this test does not cover their screens.
    const { title } = texts;
    const condition = { type: 'email_status', operator: 'is', operand: 'active' };
    const expectedObjects = [
      await api<{ title: string }>('POST', '/tags', { title }),
      await api<{ title: string }>('POST', '/fields', { title, type: 'text' }),
      await api<{ title: string }>('POST', '/filters', { title, conditions: [condition] }),
      await api<{ title: string }>('POST', '/saved_templates', {
        title,
        document: createEmailDocument(),
      }),
      await api<{ title: string }>('POST', '/forms', {
        ...{ type: 'popup', title, layout: 'picture-start', language: 'eng' },
      }),
    ];
    expect(expectedObjects.map((item) => item.title)).toEqual(Array(5).fill(title));
    expect(pageErrors).toEqual([]);
    await page.context().close();
  },
);
