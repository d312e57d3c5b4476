// An experiment with two subjects by keyboard: the owner sets it up and sends it, recipients open
// it, the product decides it, and the owner reads the result. Then the result is shown in Persian
// on a phone.
import pg from 'pg';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import {
  createBlock,
  createEmailDocument,
  createSection,
} from '../areas/content/document-factory.ts';
import {
  findAccessibilityViolationsInBothThemes,
  newPage,
  waitUntilQuiet,
} from '#testing/setup/browser.ts';
import {
  call,
  createDraft,
  isTooWide,
  newOwner,
  openSharedProduct,
  pressButton,
  shoot,
  typeInto,
  openScreen,
} from '#testing/setup/journeys.ts';

const SUBSCRIBERS = 260;
/**
 * The user agent with which Gmail loads images when a person opens an email. Opens by unknown
 * programs are not counted.
 */
const GMAIL =
  'Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com GoogleImageProxy)';
const CAMPAIGNS = '/client-api/api/campaigns';
const USERS = '/client-api/api/users';

const { product, browser } = await openSharedProduct();

type InboxEmail = { id: string; to: string; subject: string };

async function inbox(subject: string): Promise<InboxEmail[]> {
  const query = `limit=5000&subject=${encodeURIComponent(subject)}`;
  const response = await fetch(`${product.address}/inbox/api/messages?${query}`);
  const { data } = (await response.json()) as { data: InboxEmail[] };
  return data.filter((email) => email.to.endsWith('@experiment.example'));
}

async function openEmails(emails: readonly InboxEmail[]): Promise<void> {
  for (const { id } of emails) {
    const raw = await (await fetch(`${product.address}/inbox/api/messages/${id}`)).text();
    const [image = ''] =
      /http:\/\/localhost:\d+\/t\/o\/[\w-]+\.gif/.exec(raw.replace(/=\r?\n/g, '')) ?? [];
    expect((await fetch(image, { headers: { 'user-agent': GMAIL } })).status).toBe(200);
  }
}

/** Creates a draft that can be sent: with recipients and a postal address. */
async function readyDraft(page: Page): Promise<string> {
  await call(page, product, 'PATCH', '/client-api/api/account_questionnaire', {
    ...{ address: '12 Quay Street', city: 'Galway', state: 'Connacht', country: 'IE' },
    ...{ timezone: 'Europe/Dublin', zip_code: 'H91 AX0K' },
  });
  const client = await connect();
  await client.query(
    `insert into subscribers (account_id, email, email_key, mailbox, created_at, modified_at)
     select m.account_id, e, e, 0, now(), now()
     from users u join memberships m on m.user_id = u.id,
       lateral (select 'p' || n || '@experiment.example' as e from generate_series(1, $1::int) n) p
     where u.email = 'tester@tearoom.example'`,
    [SUBSCRIBERS],
  );
  await client.end();
  const text = createBlock('text', { html: '<p>The first leaves of spring.</p>' });
  const id = await createDraft(page, product, createEmailDocument([createSection([[text]])]));
  await call(page, product, 'POST', `${CAMPAIGNS}/${id}/tags/set`, {
    tags_arr: [],
    send_to_all: true,
  });
  return id;
}

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: product.databaseUrl });
  await client.connect();
  return client;
}

async function setUp(page: Page, id: string): Promise<void> {
  await page.goto(`${product.address}/campaigns/${id}/edit`);
  await pressButton(page, 'link', 'Run an experiment');
  await page.waitForURL(/\/experiment$/);
  await typeInto(page, 'Subject', 'Fresh leaves');
  await typeInto(page, 'Test share', '80');
  await page.getByText(/differences of/).waitFor();
  await shoot(page, 'experiment-setup');
  expect(await findAccessibilityViolationsInBothThemes(page)).toEqual([]);
  await pressButton(page, 'button', 'Save experiment');
  await page.getByText('Experiment saved').first().waitFor();
  await openScreen(page, `/campaigns/${id}/confirm`);
  await page.getByRole('radio', { name: 'B', exact: true }).waitFor({ state: 'attached' });
  await page.getByRole('button', { name: `Send now to ${SUBSCRIBERS}` }).waitFor();
  await waitUntilQuiet(page);
  await shoot(page, 'experiment-review');
  expect(await findAccessibilityViolationsInBothThemes(page)).toEqual([]);
}

/** Makes the next check due. */
async function makeCheckDue(): Promise<void> {
  const client = await connect();
  await client.query(
    `update campaign_experiments e set next_look_at = now()
     from users u join memberships m on m.user_id = u.id
     where u.email = 'tester@tearoom.example' and e.account_id = m.account_id`,
  );
  await client.end();
}

type ExperimentResponse = {
  state: string;
  variants: { figures: { opens: number; accepted: number } }[];
};

test('an owner tests two subjects, and the remaining recipients get the better subject', async () => {
  const { page, pageErrors } = await newPage(browser);
  await newOwner(page, product, 'tester@tearoom.example');
  const id = await readyDraft(page);
  await setUp(page, id);
  await pressButton(page, 'button', `Send now to ${SUBSCRIBERS}`);
  await page.getByRole('dialog').getByRole('button', { name: /Send/ }).click();
  await page.getByText('These figures still change', { exact: false }).waitFor();

  const experiment = () =>
    call<ExperimentResponse>(page, product, 'GET', `${CAMPAIGNS}/${id}/experiment`);
  const countTested = async () =>
    (await experiment()).variants.reduce((sum, { figures }) => sum + figures.accepted, 0);
  await expect
    .poll(async () => (await inbox('e')).length - (await countTested()), { timeout: 60_000 })
    .toBe(0);
  const [plain, fresh] = [await inbox('Tea'), await inbox('Fresh leaves')];
  expect(plain.length + fresh.length).toBeLessThan(SUBSCRIBERS);
  await openEmails(plain.slice(0, 8));
  await openEmails(fresh.slice(0, 60));
  await expect
    .poll(async () => (await experiment()).variants.map(({ figures }) => figures.opens), {
      timeout: 60_000,
    })
    .toEqual([8, 60]);
  await shoot(page, 'experiment-testing');
  expect(await findAccessibilityViolationsInBothThemes(page)).toEqual([]);
  await makeCheckDue();
  await page.getByText(/^B won: /).waitFor({ timeout: 60_000 });
  await expect
    .poll(async () => (await inbox('Fresh leaves')).length, { timeout: 60_000 })
    .toBe(SUBSCRIBERS - plain.length);
  expect(new Set([...(await inbox('Fresh leaves')), ...plain].map(({ to }) => to)).size).toBe(
    SUBSCRIBERS,
  );

  await openScreen(page, `/campaigns/${id}/report/overview`);
  await pressButton(page, 'link', 'Experiment');
  await page.getByText(/The rest received B\.$/).waitFor();
  await shoot(page, 'experiment-report');
  expect(await findAccessibilityViolationsInBothThemes(page)).toEqual([]);
  const { user } = await call<{ user: { id: string } }>(page, product, 'GET', USERS);
  await call(page, product, 'PATCH', `${USERS}/${user.id}`, { language: 'fas' });
  await page.setViewportSize({ width: 390, height: 844 });
  await page.reload();
  await waitUntilQuiet(page);
  expect(await page.evaluate(() => document.documentElement.dir)).toBe('rtl');
  expect(await isTooWide(page)).toBe(false);
  await shoot(page, 'experiment-report-persian');
  expect(await findAccessibilityViolationsInBothThemes(page)).toEqual([]);
  expect(pageErrors).toEqual([]);
});
