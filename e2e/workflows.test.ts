// The builder of workflows in a browser: from the empty list to a trigger and an email, and on a phone in Persian.
import { afterAll, expect, test } from 'vitest';
import { newPage, quiet } from '#testing/browser.ts';
import { call, isTooWide, openStage, PERSIAN_PHONE, shoot, signUp } from '#testing/journeys.ts';

const { product, browser } = await openStage();
const { page: owner, wrong } = await newPage(browser);
afterAll(() => owner.context().close());

const button = (name: string | RegExp) => owner.getByRole('button', { name, exact: true });

async function add(after: string, type: string): Promise<void> {
  await button(after).click();
  await owner.getByRole('menuitem', { name: type, exact: true }).click();
  await quiet(owner);
}

async function choose(label: string, option: string): Promise<void> {
  await owner.getByRole('combobox', { name: label }).click();
  await owner.getByRole('option', { name: option, exact: true }).click();
}

test('a workflow is begun from scratch: its trigger and its email say what they lack', async () => {
  await signUp(owner, product, 'owner@flows.example');
  await call(owner, product, 'POST', '/client-api/api/tags', { title: 'Tea lovers' });
  await owner.goto(`${product.address}/automation`);
  await owner.getByRole('heading', { name: 'Let the right email go out by itself' }).waitFor();
  await shoot(owner, 'workflows-empty');
  await owner.getByRole('link', { name: 'New workflow' }).first().click();
  await owner.getByRole('heading', { name: 'Create from scratch' }).waitFor();
  await shoot(owner, 'workflows-create');
  await button('Create automation: Subscriber joins a group').click();
  await owner.getByRole('textbox', { name: 'Name' }).fill('Welcome to the tea shop');
  await owner.getByRole('dialog').getByRole('button', { name: 'Create' }).click();

  // The trigger lacks its group, and says so.
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
  expect(wrong).toEqual([]);
}, 180_000);

test('on a phone in Persian the builder reads from the right', async () => {
  const users = '/client-api/api/users';
  const { user } = await call<{ user: { id: string } }>(owner, product, 'GET', users);
  await call(owner, product, 'PATCH', `${users}/${user.id}`, { language: 'fas' });
  const phone = await newPage(browser, PERSIAN_PHONE);
  await phone.page.context().addCookies(await owner.context().cookies());
  await phone.page.goto(`${product.address}/automation/index`);
  await quiet(phone.page);
  expect(await isTooWide(phone.page)).toBe(false);
  await shoot(phone.page, 'workflows-list-fas');
  await phone.page.getByRole('link', { name: 'Welcome to the tea shop' }).first().tap();
  await phone.page.getByRole('button', { name: 'فعال‌سازی' }).waitFor();
  await quiet(phone.page);
  expect(await isTooWide(phone.page)).toBe(false);
  await shoot(phone.page, 'workflows-builder-fas');
  expect(phone.wrong).toEqual([]);
  await phone.page.context().close();
}, 120_000);
