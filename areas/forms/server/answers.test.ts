// Visitors' answers are recorded or refused with a message: numbers, dates, phone numbers, and
// consents of new and existing subscribers. Also form statistics, and forms pasted as HTML.
import { sql } from 'kysely';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { readConsentDates } from '#areas/subscribers/server/index.ts';
import { decodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { FORMS, publishForm, listSettledSubscribers, signUp } from '#testing/servers/form-site.ts';
import { type TestOwner, type TestServer, testServer } from '#testing/setup/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await testServer({ SIGN_UP: 'open' });
});
afterEach(() => clock.reset());

const WITHOUT_CAPTCHA = { use_recaptcha: false };

/** Publishes an embedded form with additional fields. */
async function formWith(owner: TestOwner, fields: object[]) {
  const form = await publishForm(owner, { type: 'embed' }, WITHOUT_CAPTCHA);
  const [step] = form.document.steps;
  const extraFields = fields.map((field, i) => ({
    ...{ id: `more-${i}`, kind: 'field', label: 'More', placeholder: '', required: false },
    ...{ options: [], value: '', half: false, ...field },
  }));
  const document = {
    ...form.document,
    steps: [{ ...step, blocks: [...step.blocks, ...extraFields] }],
  };
  const update = await owner.patch(`${FORMS}/${form.id}`, { document, is_active: 1 });
  expect(update.status, update.text).toBe(200);
  return update.body.data;
}

const fieldOf = async (owner: TestOwner, title: string, type: string) =>
  (await owner.post('/client-api/api/fields', { title, type })).body.data.id as string;

test('numbers, dates and text are stored if valid and within their limits, and otherwise refused with a message', async () => {
  const owner = await server.owner();
  const cups = await fieldOf(owner, 'Cups', 'number');
  const born = await fieldOf(owner, 'Born', 'datetime');
  const form = await formWith(owner, [
    { field: cups, as: 'number', min: 1, max: 20 },
    { field: born, as: 'datetime' },
    { field: 'lastname', as: 'text', minLength: 2, maxLength: 5 },
  ]);
  const send = (data: object) =>
    signUp(server, form, { email: 'kept@answers.example', ...data }, { version: 2 });
  const errorsOf = async (data: object) => (await send(data)).body.errors;
  expect(await errorsOf({ [cups]: '21' })).toEqual({
    [cups]: 'Please enter a value no more than 20',
  });
  expect(await errorsOf({ [cups]: '0,5' })).toEqual({
    [cups]: 'Please enter a value no less than 1',
  });
  expect(await errorsOf({ [born]: '2026-02-30' })).toEqual({
    [born]: 'Please use the YYYY-MM-DD format',
  });
  expect(await errorsOf({ lastname: 'X' })).toEqual({
    lastname: 'Please lengthen this text to at least 2 characters',
  });
  expect(await errorsOf({ lastname: 'Xavier' })).toEqual({
    lastname:
      'Please shorten this text to no more than 5 characters. You are currently using 6 characters',
  });
  expect((await errorsOf({ firstname: 'x'.repeat(256) })).firstname).toMatch(/no more than 255/);
  const submission = await send({ [cups]: '۱۲,۵', [born]: '2024-02-29', lastname: 'Li' });
  expect(submission.status, submission.text).toBe(200);
  const [{ id }] = await listSettledSubscribers(server, owner);
  const subscriber = await owner.get(`/client-api/api/subscribers/${id}`);
  expect(subscriber.text).toContain('12.5');
  expect(subscriber.text).toContain('2024-02-29');
  expect(subscriber.body.data.lastname).toBe('Li');
});

test("a phone number without a country code uses the account's country; invalid numbers are refused, and taken ones omitted", async () => {
  const owner = await server.owner();
  const form = await formWith(owner, [{ field: 'phone', as: 'phone' }]);
  const send = (email: string, phone: string) =>
    signUp(server, form, { email, phone }, { version: 2 });
  expect((await send('a@phones.example', '612 34567')).body.errors).toEqual({
    phone: 'The country code is not valid',
  });
  expect((await send('a@phones.example', '+370 111 11111')).body.errors).toEqual({
    phone: 'The phone number format is wrong',
  });
  await sql`update accounts set country = 'LT' where id = ${owner.accountId}`.execute(server.db);
  for (const [email, phone] of [
    ['a@phones.example', '612 34567'],
    // Another subscriber's number does not prevent the sign-up.
    ['b@phones.example', '+37061234567'],
  ] as const) {
    const submission = await send(email, phone);
    expect(submission.status, submission.text).toBe(200);
  }
  const subscribers = await listSettledSubscribers(server, owner);
  const phones = subscribers.map((subscriber: { email: string; phone: string | null }) => [
    subscriber.email,
    subscriber.phone,
  ]);
  expect(phones.toSorted()).toEqual([
    ['a@phones.example', '+37061234567'],
    ['b@phones.example', null],
  ]);
});

test('an existing subscriber can add a phone number and agree to SMS, and a stored number is not replaced', async () => {
  const owner = await server.owner();
  await owner.post('/client-api/api/subscribers', { email: 'known@texts.example' });
  const form = await publishForm(owner, { layout: 'two-steps' }, WITHOUT_CAPTCHA);
  const send = (data: object) => signUp(server, form, { email: 'known@texts.example', ...data });
  const readSubscriber = async () => {
    const [subscriber] = await listSettledSubscribers(server, owner);
    return [subscriber.phone, subscriber.status.sms, subscriber.status.email];
  };
  expect((await send({ phone: '+37061234567' })).status).toBe(200);
  expect(await readSubscriber()).toEqual(['+37061234567', 'non-subscribed', 'active']);
  expect((await send({ phone: '+37061234567', consent_sms: '1' })).status).toBe(200);
  expect(await readSubscriber()).toEqual(['+37061234567', 'active', 'active']);
  // Any visitor can type any email address, so stored values remain unchanged.
  expect((await send({ phone: '+37069999999', consent_sms: '1' })).status).toBe(200);
  expect(await readSubscriber()).toEqual(['+37061234567', 'active', 'active']);
});

test('terms accepted by an existing subscriber are not consent to emails', async () => {
  const owner = await server.owner();
  const created = await owner.post('/client-api/api/subscribers', { email: 'known@terms.example' });
  const id = decodeId('subscriber', created.body.data.id) ?? 0;
  const wheel = await publishForm(owner, { type: 'spinToWin' }, WITHOUT_CAPTCHA);
  const datesBefore = await readConsentDates(server.db, owner.accountId, [id]);
  const submission = await signUp(server, wheel, {
    email: 'known@terms.example',
    consent_terms: '1',
  });
  expect(submission.status, submission.text).toBe(200);
  await listSettledSubscribers(server, owner);
  const { consents } = (await owner.get(`/client-api/api/subscribers/${created.body.data.id}`)).body
    .data;
  expect(consents.filter(({ source }: { source: string }) => source === 'form')).toMatchObject([
    { channel: 'terms', kind: 'given' },
  ]);
  expect(await readConsentDates(server.db, owner.accountId, [id])).toEqual(datesBefore);
});

test('neither a sign-up without a ticked email consent nor one with only a phone number subscribes to emails', async () => {
  const owner = await server.owner();
  const form = await publishForm(owner, { layout: 'card' }, WITHOUT_CAPTCHA);
  const { document } = form;
  const [step] = document.steps;
  const phone = { as: 'phone', label: 'Phone', placeholder: '', required: false };
  const blocks = [
    ...step.blocks.map((block: { field?: string }) =>
      block.field === 'email' ? { ...block, required: false } : block,
    ),
    {
      ...step.blocks.find(({ kind }: { kind: string }) => kind === 'field'),
      ...phone,
      id: 'p',
      field: 'phone',
      required: true,
    },
    { id: 'c', kind: 'consent', as: 'email', text: 'Send me emails.', required: false },
  ];
  const changedDocument = { ...document, steps: [{ ...step, blocks }] };
  const update = await owner.patch(`${FORMS}/${form.id}`, {
    document: changedDocument,
    is_active: 1,
  });
  expect(update.status, update.text).toBe(200);
  const version = update.body.data.published_version;
  update.body.data.settings.use_recaptcha = false;
  const send = (data: object) => signUp(server, update.body.data, data, { version });
  await send({ email: 'no@consent.example', phone: '+37061234567' });
  await send({ email: 'yes@consent.example', phone: '+37061234568', consent_email: '1' });
  await send({ phone: '+37061234569' });
  const subscribers = await listSettledSubscribers(server, owner);
  const subscriberOf = async (phone: string) => {
    const { id } =
      subscribers.find((subscriber: { phone: string }) => subscriber.phone === phone) ?? {};
    const { status, consents } = (await owner.get(`/client-api/api/subscribers/${id}`)).body.data;
    const channels = consents.map(({ channel }: { channel: string }) => channel);
    return { email: status.email, kinds: [...new Set(channels)] };
  };
  expect(await subscriberOf('+37061234567')).toEqual({ email: 'non-subscribed', kinds: [] });
  expect(await subscriberOf('+37061234568')).toEqual({ email: 'active', kinds: ['email'] });
  expect((await subscriberOf('+37061234569')).kinds).toEqual([]);
});

test('views, starts, closes and sign-ups are counted by day, page and device, including on the hosted page but not for bots', async () => {
  const owner = await server.owner();
  const form = await publishForm(owner, { type: 'embed' }, WITHOUT_CAPTCHA);
  const { embed_hash: hash } = form.settings;
  const phone = 'Mozilla/5.0 (iPhone) AppleWebKit/605 Mobile/15E148 Safari/604.1';
  const postCounts = (body: object, agent = 'Mozilla/5.0 (X11) Firefox/140.0') =>
    server.client().send({
      method: 'POST',
      url: '/f/count',
      headers: { 'content-type': 'text/plain', 'user-agent': agent },
      payload: JSON.stringify(body),
    });
  const viewForm = (headers: object) =>
    server.client().send({ method: 'GET', url: `/f/${hash}/view`, headers: { ...headers } });
  const page = 'https://shop.example/p?who=ada@private.example#x';
  await postCounts({
    device: 'tablet',
    url: page,
    forms: { [hash]: { view: 3, start: 2, close: 1 } },
  });
  await postCounts({ forms: { [hash]: { start: 1 } }, url: `${form.hosted_url}` }, phone);
  await postCounts({ forms: { [hash]: { view: 50 } } }, 'Googlebot/2.1');
  await viewForm({ 'user-agent': phone });
  await viewForm({ 'user-agent': phone, 'sec-purpose': 'prefetch' });
  await viewForm({ 'user-agent': 'Googlebot/2.1' });
  await signUp(server, form, { email: 'a@figures.example' });
  const chart = async () => (await owner.get(`${FORMS}/${form.id}/chart`)).body.data;
  // The counts by page are stored separately from the totals, and may be stored later.
  const countViews = async () => {
    const { totals, pages: pageCounts } = await chart();
    const pageViews = pageCounts.map(({ views }: { views: number }) => views);
    return [totals.views, pageViews.reduce((sum: number, views: number) => sum + views, 0)];
  };
  await expect.poll(countViews, { timeout: 10_000 }).toEqual([4, 4]);
  const { totals, days, pages, devices } = await chart();
  const sums = { views: 4, starts: 3, closes: 1, sign_ups: 1 };
  expect(totals).toMatchObject(sums);
  expect(days.filter((day: { views: number }) => day.views > 0)).toMatchObject([sums]);
  expect(pages).toMatchObject([
    { page: 'https://shop.example/p', views: 3, starts: 2, closes: 1, sign_ups: 1 },
    { page: form.hosted_url, views: 1, starts: 1, closes: 0, sign_ups: 0 },
  ]);
  expect(devices).toMatchObject([
    { device: 'tablet', views: 3, starts: 2, closes: 1 },
    { device: 'mobile', views: 1, starts: 1, closes: 0 },
    { device: 'desktop', views: 0, sign_ups: 1 },
  ]);
  // Addresses of pages are stored without a query, which may contain personal data.
  const pageRows = await sql<{ page: string }>`
    select page from form_pages where account_id = ${owner.accountId}`.execute(server.db);
  expect(JSON.stringify(pageRows.rows)).not.toContain('private');
});

test('the hosted page accepts a submission of a form that was pasted as plain HTML', async () => {
  const owner = await server.owner();
  const form = await publishForm(owner, { type: 'embed' }, WITHOUT_CAPTCHA);
  const { embed_hash: hash } = form.settings;
  const response = await server.client().send({
    method: 'POST',
    url: `/f/${hash}/view`,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      origin: 'https://shop.example',
    },
    payload: 'email=pasted%40plain.example&website_2=&__version=1',
  });
  expect(response.text).toContain('Thank you!');
  expect(await listSettledSubscribers(server, owner)).toMatchObject([
    { email: 'pasted@plain.example' },
  ]);
});
