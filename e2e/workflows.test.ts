// The workflow builder in a browser, from the empty list to a delivered email and its report. The
// product's clock is advanced by the days of a workflow. The screens are also used on a phone in
// Persian.
import { afterAll, expect, test } from 'vitest';
import { findAccessibilityViolations, newPage, waitUntilQuiet } from '#testing/setup/browser.ts';
import { READING_MS } from '#testing/servers/customer-site.ts';
import {
  call,
  isTooWide,
  openOwnProduct,
  PERSIAN_PHONE,
  shoot,
  signUp,
  openScreen,
} from '#testing/setup/journeys.ts';
import { MOVABLE, moveClock } from '#testing/setup/moved-clock.ts';

const { product, browser } = await openOwnProduct(MOVABLE);
const { page: owner, pageErrors } = await newPage(browser);
afterAll(() => owner.context().close());

/** Long enough for deliveries on a busy machine. */
const DELIVERY_TIMEOUT_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const button = (name: string | RegExp) => owner.getByRole('button', { name, exact: true });

async function add(delay: string, type: string): Promise<void> {
  await button(delay).click();
  await owner.getByRole('menuitem', { name: type, exact: true }).click();
  await waitUntilQuiet(owner);
}

async function checkScreen(name: string): Promise<void> {
  await waitUntilQuiet(owner);
  expect(await findAccessibilityViolations(owner), name).toEqual([]);
  expect(await isTooWide(owner), name).toBe(false);
  await shoot(owner, `workflows-${name}`);
}

const INBOX = '/inbox/api/messages';

/** Returns the emails to an address in the built-in inbox, newest first. */
async function readEmailsTo(email: string): Promise<{ id: number; subject: string }[]> {
  const list = `${product.address}${INBOX}?limit=20&to=${encodeURIComponent(email)}`;
  const { data } = (await (await fetch(list)).json()) as {
    data: { id: number; subject: string }[];
  };
  return data;
}

const subjectsTo = async (email: string) =>
  (await readEmailsTo(email)).map((email) => email.subject);

const EMAIL_CLIENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Thunderbird/140.3.0';

/** Loads the open pixel in the same way as email clients. */
async function openEmail(id: number): Promise<void> {
  const source = await (await fetch(`${product.address}${INBOX}/${id}`)).text();
  const [pixel = ''] =
    /http:\/\/localhost:\d+\/t\/o\/[\w-]+\.gif/.exec(source.replace(/=\r?\n/g, '')) ?? [];
  const response = await fetch(pixel, { headers: { 'user-agent': EMAIL_CLIENT } });
  expect(response.status).toBe(200);
}

/** Signs up on the hosted page of a form, like a visitor of a store. */
async function subscribe(hostedUrl: string, email: string): Promise<void> {
  const visitor = await newPage(browser);
  await visitor.page.goto(hostedUrl.replace(/https?:\/\/[^/]+/, product.address));
  await visitor.page.waitForTimeout(READING_MS);
  await visitor.page.getByRole('textbox', { name: 'Email' }).fill(email);
  await visitor.page.getByRole('button', { name: 'Sign up' }).click();
  await visitor.page
    .getByText('You’re on the list. Welcome!')
    .waitFor({ timeout: DELIVERY_TIMEOUT_MS });
  expect(visitor.pageErrors).toEqual([]);
  await visitor.page.context().close();
}

const ADDRESS = {
  Address: '1 Shop Street',
  City: 'Galway',
  State: 'Galway',
  'Postal/ZIP code': 'H91 AX0K',
};

async function saveAddress(): Promise<void> {
  const section = owner.getByRole('region', { name: 'Postal address' });
  for (const [name, value] of Object.entries(ADDRESS))
    await section.getByRole('textbox', { name, exact: true }).fill(value);
  await section.getByRole('combobox', { name: 'Country' }).fill('Ireland');
  await owner.getByRole('option', { name: 'Ireland', exact: true }).click();
  await section.getByRole('button', { name: 'Save' }).click();
  await owner.getByText('Saved').first().waitFor();
}

const steps = () => owner.locator('button[id^="step-"]');

/** Creates an active workflow with one subscriber in its delay. */
async function waitingWorkflow(): Promise<string> {
  const workflows = '/client-api/api/workflows';
  const { id } = await call<{ id: string }>(owner, product, 'POST', workflows, {
    title: 'Waiting',
  });
  const workflowUrl = `${workflows}/${id}`;
  type CreatedSteps = { id: string }[];
  const [trigger] = await call<CreatedSteps>(owner, product, 'POST', `${workflowUrl}/trigger`, {
    trigger_definition: { triggerType: 'API' },
  });
  const below = async (parent: string, type: string, data: object) => {
    const body = { parent_id: parent, type };
    const step = await call<{ id: string }>(owner, product, 'POST', `${workflowUrl}/steps`, body);
    await call(owner, product, 'PATCH', `${workflowUrl}/steps/${step.id}/data`, { data });
    return step.id;
  };
  const delay = await below(trigger?.id ?? '', 'delay', { delay_type: 'DAYS', amount: 3 });
  await below(delay, 'ACTION', { action: 'END' });
  await call(owner, product, 'PATCH', `${workflowUrl}/activate`);
  const response = await owner.request.post(`${product.address}${workflowUrl}/start`, {
    headers: { 'x-sendloom': '1' },
    data: { email: 'ada@home.example' },
  });
  expect(response.status()).toBe(200);
  await expect
    .poll(
      async () => {
        const stepList = await call<{ here: number }[]>(
          owner,
          product,
          'GET',
          `${workflowUrl}/steps`,
        );
        return stepList.map((step) => step.here);
      },
      { timeout: 30_000 },
    )
    .toEqual([0, 1, 0]);
  return id;
}

/** Adds a subscriber to the group by the API, because manual changes start no workflows. */
async function joinTeaLovers(email: string): Promise<void> {
  const groups = await call<{ id: string; title: string }[]>(
    owner,
    product,
    'GET',
    '/client-api/api/tags',
  );
  const token = await call<{ token: string }>(owner, product, 'POST', '/client-api/api/tokens', {
    title: 'Shop',
    validity_days: null,
  });
  const response = await fetch(`${product.address}/v2/subscribers`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ email, firstname: 'Ada', groups: groups.map((group) => group.id) }),
  });
  expect(response.status).toBe(200);
}

async function choose(label: string, option: string): Promise<void> {
  await owner.getByRole('combobox', { name: label }).click();
  await owner.getByRole('option', { name: option, exact: true }).click();
}

test('a new workflow shows the missing settings of its trigger and its email', async () => {
  await signUp(owner, product, 'owner@flows.example');
  await call(owner, product, 'POST', '/client-api/api/tags', { title: 'Tea lovers' });
  await owner.goto(`${product.address}/automation`);
  await owner.getByRole('heading', { name: 'Send the right email automatically' }).waitFor();
  await shoot(owner, 'workflows-empty');
  await owner.getByRole('link', { name: 'New workflow' }).first().click();
  await owner.getByRole('heading', { name: 'Create from scratch' }).waitFor();
  await shoot(owner, 'workflows-create');
  await button('Create automation: Subscriber joins a group').click();
  await owner.getByRole('textbox', { name: 'Name' }).fill('Welcome to the tea shop');
  await owner.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
  // The previous page has a button with the same name as the trigger. It remains for a moment after
  // the URL has changed.
  await owner.waitForURL(/\/automation\/builder\//);
  await steps().first().waitFor();

  // The trigger has no group and shows that.
  await button(/Subscriber joins a group/)
    .first()
    .click();
  await owner.getByText('Missing: group').waitFor();
  await choose('Group', 'Tea lovers');
  await owner.getByText('Missing: group').waitFor({ state: 'detached' });

  await add('Add a step after “Subscriber joins a group”', 'Email');
  await owner.getByRole('textbox', { name: 'Subject' }).fill('Welcome, have a cup');
  await owner.getByRole('textbox', { name: 'Sender name' }).fill('Tea shop');
  await owner.getByText('Missing: content').waitFor();
  await shoot(owner, 'workflows-builder');
  expect(pageErrors).toEqual([]);
}, 180_000);

test('activation lists missing settings, then the email is sent and reported', async () => {
  // In the list, activation only links to the missing settings.
  await openScreen(owner, '/automation/index');
  await owner
    .getByRole('button', { name: /Actions|More/ })
    .first()
    .click();
  await owner.getByRole('menuitem', { name: 'Activate' }).click();
  const dialog = owner.getByRole('dialog', { name: 'Not ready yet' });
  await dialog.getByText('Missing: content').waitFor();
  await checkScreen('missing');
  await dialog.getByRole('button', { name: /Missing: content/ }).click();
  await dialog.waitFor({ state: 'detached' });

  await button('Write the email').click();
  await owner.getByRole('button', { name: 'Start blank' }).click();
  await button('Done').click();
  await button('Activate').click();
  await dialog.getByText(/postal address/i).waitFor();
  await checkScreen('refused');
  await dialog.getByRole('link', { name: 'Resolve' }).click();
  await saveAddress();

  await openScreen(owner, '/automation/index');
  await owner.getByRole('link', { name: 'Welcome to the tea shop' }).first().click();
  await button('Activate').click();
  const review = owner.getByRole('dialog', { name: 'Activate “Welcome to the tea shop”?' });
  await review.getByText('Who enters').waitFor();
  await review.getByText('people would have entered in the last 30 days').waitFor();
  await review.getByText('Tea shop <owner@flows.example>').waitFor();
  await checkScreen('review');
  await review.getByRole('button', { name: 'Activate now' }).click();
  await button('Deactivate').waitFor();

  await joinTeaLovers('ada@home.example');
  await expect
    .poll(() => subjectsTo('ada@home.example'), { timeout: 60_000 })
    .toEqual(['Welcome, have a cup']);
  await openScreen(owner, '/automation/index');
  const row = owner.getByRole('row', { name: /Welcome to the tea shop/ });
  await expect.poll(() => row.getByRole('cell').nth(3).textContent()).toBe('1');
  await checkScreen('list');
  await owner
    .getByRole('button', { name: /Actions|More/ })
    .first()
    .click();
  await owner.getByRole('menuitem', { name: 'Report' }).click();
  await owner.getByRole('heading', { name: 'Steps' }).waitFor();
  await owner
    .getByRole('button', { name: 'Finished' })
    .or(owner.getByText('Finished', { exact: true }))
    .first()
    .click();
  await owner.getByText('ada@home.example').waitFor();
  await checkScreen('report');
  expect(pageErrors).toEqual([]);
}, 240_000);

test('a recipe creates a workflow that contains its emails and can be activated', async () => {
  await call(owner, product, 'PATCH', '/client-api/api/accounts', { title: 'Tea shop' });
  await openScreen(owner, '/automation/create');
  await owner.getByRole('heading', { name: 'Ready-made workflows' }).waitFor();
  await owner.getByText('It starts only once a store is connected').first().waitFor();
  await checkScreen('gallery');
  await button('Use this workflow: Welcome series').click();
  await owner.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
  await owner.waitForURL(/\/automation\/builder\//);
  await button('Activate').waitFor();
  await waitUntilQuiet(owner);
  await checkScreen('gallery-made');
  await button(/Welcome – good to have you here/)
    .first()
    .click();
  await owner.getByText('Thanks for joining us').waitFor();
  await checkScreen('gallery-email');
  await button('Activate').click();
  await button('Activate now').click();
  await button('Deactivate').waitFor();
  expect(pageErrors).toEqual([]);
}, 180_000);

test('steps can be added, undone, redone, moved, copied, and removed with the keyboard', async () => {
  const workflow = await call<{ id: string }>(owner, product, 'POST', '/client-api/api/workflows', {
    title: 'By the API',
  });
  await call(owner, product, 'POST', `/client-api/api/workflows/${workflow.id}/trigger`, {
    trigger_definition: { triggerType: 'API' },
  });
  await openScreen(owner, `/automation/builder/${workflow.id}`);
  const titles = () =>
    steps().evaluateAll((all) => all.map((element) => element.textContent ?? ''));
  const shape = async () =>
    (await titles()).map((title) => /^(An API|Delay|Notify|Action)/.exec(title)?.[0]);
  const [START, WAIT, ACT] = ['An API', 'Delay', 'Action'];
  await add('Add a step after “An API call is made”', 'Delay');
  await add('Add a step after “Delay”', 'Action');
  await expect.poll(shape).toEqual([START, WAIT, ACT]);
  await button('Undo').click();
  await button('Undo').click();
  await expect.poll(shape).toEqual([START, WAIT]);
  await button('Redo').click();
  await button('Redo').click();
  await expect.poll(shape).toEqual([START, WAIT, ACT]);

  // The action is moved above the delay, and then both are copied below.
  await button('Actions for Action').click();
  await owner.getByRole('menuitem', { name: 'Move', exact: true }).click();
  await button('Move here, after “An API call is made”').click();
  await expect.poll(shape).toEqual([START, ACT, WAIT]);
  await button('Actions for Action').click();
  await owner.getByRole('menuitem', { name: 'Copy with all below' }).click();
  await waitUntilQuiet(owner);
  await checkScreen('copying');
  await button('Paste here, after “Delay”').click();
  await expect.poll(shape).toEqual([START, ACT, WAIT, ACT, WAIT]);

  // With keys, the first action is selected and deleted. The dialog shows the consequences that the
  // server calculates.
  await steps().first().focus();
  await owner.keyboard.press('ArrowDown');
  await owner.keyboard.press('Enter');
  await owner.keyboard.press('Delete');
  const dialog = owner.getByRole('dialog', { name: 'Remove “Action”?' });
  await dialog.getByText('1 step is removed.').waitFor();
  await dialog.getByRole('radio', { name: 'Remove everything below too' }).press('Space');
  await dialog.getByText('4 steps are removed.').waitFor();
  await checkScreen('remove');
  await dialog.getByRole('radio', { name: 'The next step takes its place' }).press('Space');
  await dialog.getByText('1 step is removed.').waitFor();
  await dialog.getByRole('button', { name: 'Remove', exact: true }).press('Enter');
  await expect.poll(shape).toEqual([START, WAIT, ACT, WAIT]);
  await owner.keyboard.press('Control+z');
  await expect.poll(shape).toEqual([START, ACT, WAIT, ACT, WAIT]);
  expect(pageErrors).toEqual([]);
}, 180_000);

test('a dry run shows the path of a subscriber, and a changed delay is applied to waiting subscribers', async () => {
  await openScreen(owner, '/automation/index');
  await owner.getByRole('link', { name: 'Welcome series' }).first().click();
  await button('Try with a person').click();
  const panel = owner.getByRole('complementary', { name: 'Try with a person' });
  await panel.getByRole('combobox', { name: 'A subscriber' }).fill('ada');
  await owner.getByRole('option', { name: /ada@home.example/ }).click();
  await panel.getByText('Their reaction to the emails').click();
  await panel.getByRole('checkbox', { name: 'Opens “Welcome – good to have you here”' }).check();
  await panel.getByRole('button', { name: 'Start' }).click();
  await panel.getByText('Completed').waitFor();
  // In the dry run, the subscriber opens the first email and therefore gets the email of the path
  // for openers.
  await panel.locator('summary', { hasText: 'Where most people start' }).waitFor();
  expect(await panel.locator('summary', { hasText: 'In case you missed it' }).count()).toBe(0);
  await panel.locator('summary', { hasText: 'Welcome – good to have you here' }).click();
  const email = panel.frameLocator('iframe').first();
  await email.getByText('Hi Ada,').waitFor();
  expect(await panel.locator('iframe').first().getAttribute('sandbox')).not.toContain('scripts');
  // The path of the subscriber is highlighted on the canvas.
  await owner
    .getByText(/^Reached /)
    .first()
    .waitFor();
  await checkScreen('trial');

  const waiting = await waitingWorkflow();
  await openScreen(owner, `/automation/builder/${waiting}`);
  await owner.getByText('1 reached').first().waitFor();
  await button(/^Delay/)
    .first()
    .click();
  await owner.getByText('1 person is waiting here').waitFor();
  await checkScreen('figures');
  await button('Apply to waiting people').click();
  const question = owner.getByRole('dialog', { name: 'Recalculate the waiting time of 1 person?' });
  await question.getByRole('button', { name: 'Apply to waiting people' }).click();
  await owner.getByText('Recalculated for 1 person').waitFor();
  // An edit of an active workflow is preserved when another step is selected and is marked until it
  // is applied.
  await owner
    .getByRole('textbox', { name: 'Amount' })
    .or(owner.getByLabel('How long'))
    .first()
    .fill('1');
  await steps().first().click();
  const pending = owner.getByRole('region', { name: '1 change not applied' });
  await pending.getByRole('button', { name: /Delay: .3 days. → .1 day/ }).waitFor();
  await checkScreen('not-applied');
  // Leaving shows no prompt, and returning restores the edit with its mark.
  await owner.getByRole('link', { name: 'Automation' }).first().click();
  await owner.waitForURL('**/automation/index');
  await owner.goto(`${product.address}/automation/builder/${waiting}`);
  await owner.getByText('Not applied', { exact: true }).first().waitFor();
  await pending.getByRole('button', { name: 'Apply change' }).click();
  await pending.waitFor({ state: 'detached' });
  await owner.getByText('1 day', { exact: true }).first().waitFor();
  await steps().nth(1).focus();
  await owner.keyboard.press('Delete');
  const removal = owner.getByRole('dialog', { name: 'Remove “Delay”?' });
  await removal.getByText('1 person at this step continues at “End the workflow”.').waitFor();
  await checkScreen('remove-people');
  await removal.getByRole('button', { name: 'Cancel' }).click();
  expect(pageErrors).toEqual([]);
}, 180_000);

test('subscribers who sign up through a form get their path’s emails over several days, and the report shows them', async () => {
  const forms = '/client-api/api/forms';
  const form = await call<{ id: string }>(owner, product, 'POST', forms, {
    ...{ type: 'embed', layout: 'row', title: 'News' },
  });
  const publishedForm = await call<{ hosted_url: string }>(
    owner,
    product,
    'PATCH',
    `${forms}/${form.id}`,
    { is_active: 1 },
  );
  const [reader, nonReader] = ['reader@visitor.example', 'quiet@visitor.example'];
  await subscribe(publishedForm.hosted_url, reader);
  await subscribe(publishedForm.hosted_url, nonReader);
  const firstSubject = 'Welcome – good to have you here';
  const expectSubjects = async (email: string, subjects: string[]) => {
    await expect.poll(() => subjectsTo(email), { timeout: DELIVERY_TIMEOUT_MS }).toEqual(subjects);
  };
  await expectSubjects(reader, [firstSubject]);
  await expectSubjects(nonReader, [firstSubject]);
  const [welcome] = await readEmailsTo(reader);
  await openEmail(welcome?.id as number);
  const row = owner.getByRole('row', { name: /Welcome series/ });
  // Opens are visible after the list is loaded again.
  const opensShown = async () => {
    await owner.goto(`${product.address}/automation/index`);
    return row.getByRole('cell').nth(4).textContent();
  };
  await expect.poll(opensShown, { timeout: DELIVERY_TIMEOUT_MS }).toMatch(/1/);

  // No email is sent a day early. Later each subscriber gets the email of their path.
  moveClock(product, 2 * DAY_MS);
  await row.getByRole('button', { name: /Actions|More/ }).click();
  await owner.getByRole('menuitem', { name: 'Report' }).click();
  // The totals precede the section by day, which has the same labels.
  const figureLocator = (name: string) =>
    owner
      .locator('dl > div', { has: owner.getByText(name, { exact: true }) })
      .locator('dd')
      .first();
  await expect.poll(() => figureLocator('Inside').textContent()).toMatch(/^2/);
  moveClock(product, DAY_MS + HOUR_MS);
  await expectSubjects(reader, ['Where most people start', firstSubject]);
  await expectSubjects(nonReader, ['In case you missed it: welcome', firstSubject]);
  await owner.reload();
  await expect.poll(() => figureLocator('Completed').textContent()).toMatch(/^2/);
  await checkScreen('series-report');

  // The report lists the subscribers who opened the first email.
  await owner
    .getByRole('row', { name: /Email.*2.*50/ })
    .getByRole('link', { name: '2' })
    .click();
  await owner.getByRole('heading', { name: firstSubject }).waitFor();
  await owner.getByText(reader).waitFor();
  expect(await owner.getByText(nonReader).count()).toBe(0);
  await checkScreen('step-report');
  expect(pageErrors).toEqual([]);
}, 240_000);

test('the list, the builder and the gallery fit on a phone in Persian', async () => {
  const users = '/client-api/api/users';
  const { user } = await call<{ user: { id: string } }>(owner, product, 'GET', users);
  await call(owner, product, 'PATCH', `${users}/${user.id}`, { language: 'fas' });
  const phone = await newPage(browser, PERSIAN_PHONE);
  await phone.page.context().addCookies(await owner.context().cookies());
  await phone.page.goto(`${product.address}/automation/index`);
  await waitUntilQuiet(phone.page);
  expect(await isTooWide(phone.page)).toBe(false);
  await shoot(phone.page, 'workflows-list-fas');
  await phone.page.getByRole('link', { name: 'Welcome to the tea shop' }).first().tap();
  await phone.page.getByRole('button', { name: 'فعال‌سازی' }).waitFor();
  await waitUntilQuiet(phone.page);
  expect(await isTooWide(phone.page)).toBe(false);
  await shoot(phone.page, 'workflows-builder-fas');
  await openScreen(phone.page, '/automation/create');
  await phone.page.getByRole('heading', { name: 'گردش کارهای آماده' }).waitFor();
  await waitUntilQuiet(phone.page);
  expect(await isTooWide(phone.page)).toBe(false);
  expect(await findAccessibilityViolations(phone.page)).toEqual([]);
  await shoot(phone.page, 'workflows-gallery-fas');
  await phone.page.emulateMedia({ colorScheme: 'dark' });
  await shoot(phone.page, 'workflows-gallery-fas-dark');
  expect(phone.pageErrors).toEqual([]);
  await phone.page.context().close();
}, 120_000);
