// Sign-ups with forged requests: they cannot bypass the rules of the published form, see a prize
// without a proof, draw twice, or use an invalid address. Also who may sign up again, schedules,
// and the rate limit of reported counts.
import { afterEach, beforeAll, expect, test } from 'vitest';
import PostalMime from 'postal-mime';
import { decodePublicId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { FORMS, publishForm, listSettledSubscribers, signUp } from '#testing/servers/form-site.ts';
import { startTestSender } from '#testing/worlds/sender.ts';
import { startSmtpServer, type TestSmtpServer } from '#testing/servers/smtp-server.ts';
import { type TestOwner, type TestServer, testServer } from '#testing/setup/server.ts';
import { createSubmissionWriter } from './submission-writer.ts';

let server: TestServer;
let relay: TestSmtpServer;
beforeAll(async () => {
  server = await testServer({ SIGN_UP: 'open' });
  relay = await startSmtpServer();
  return () => relay.close();
});
afterEach(() => clock.reset());

const WITHOUT_CAPTCHA = { use_recaptcha: false };
const SENDER = { from_email: 'news@shop.example', from_name: 'Shop' };
const HOUR_MS = 3_600_000;
type PublishedForm = Awaited<ReturnType<typeof publishForm>>;

const republish = async (owner: TestOwner, form: PublishedForm, settings: object) =>
  (await owner.patch(`${FORMS}/${form.id}`, { settings, is_active: 1 })).body.data;

const emailsTo = (email: string) => relay.accepted.filter(({ to }) => to[0] === email);
async function lastEmailTo(email: string): Promise<string> {
  while (emailsTo(email).length === 0) await relay.waitForMessages(relay.accepted.length + 1);
  return (await PostalMime.parse(emailsTo(email).at(-1)?.source ?? '')).text ?? '';
}

let visitors = 0;
const postHosted = (form: PublishedForm, payload: string) =>
  server.client().send({
    remoteAddress: `10.8.0.${++visitors}`,
    method: 'POST',
    url: `/f/${form.settings.embed_hash}/view`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload,
  });

const wheelForm = (owner: TestOwner, settings: object) =>
  publishForm(
    owner,
    { type: 'spinToWin' },
    {
      confirmation: SENDER,
      wheel_config: {
        setup: [
          { label: 'Ten', coupon_code: '', uses_stock: true, is_losing: false, weight: 1 },
          { label: 'None', coupon_code: '', is_losing: true, weight: 0 },
        ],
      },
      ...settings,
    },
  );

test('a sign-up with an older version of the form must meet the current captcha and double opt-in', async () => {
  startTestSender(server.db, relay.url);
  const owner = await server.owner();
  const form = await publishForm(owner, {}, WITHOUT_CAPTCHA);
  const securedForm = await republish(owner, form, {
    use_recaptcha: true,
    double_opt_in: true,
    confirmation: SENDER,
  });
  const { published_version: current } = securedForm;
  const data = { email: 'old@version.example' };
  const withoutProof = { settings: { ...form.settings, use_recaptcha: false } };
  for (const version of [current - 1, 1, current, current + 1, 0, 2 ** 31])
    expect((await signUp(server, withoutProof, data, { version })).status, `${version}`).toBe(422);
  const proven = await signUp(server, securedForm, data, { version: current - 1 });
  expect(proven.status, proven.text).toBe(200);
  expect(await listSettledSubscribers(server, owner)).toMatchObject([
    { email: 'old@version.example', status: { email: 'non-subscribed' } },
  ]);
  expect(await lastEmailTo('old@version.example')).toContain('/f/confirm/');
});

test('a sign-up without a proof draws a prize only after its confirmation by email, and gets the prize by email', async () => {
  startTestSender(server.db, relay.url);
  const owner = await server.owner();
  const form = await wheelForm(owner, {});
  await owner.post(`${FORMS}/${form.id}/codes`, { slice: 0, codes: ['TEN-1', 'TEN-2'] });
  await owner.post('/client-api/api/subscribers', { email: 'known@unproven.example' });
  const post = (email: string) =>
    postHosted(form, `email=${email}&consent_terms=1&__key=key-of-${email.slice(0, 5)}`);
  const issuedCount = async () => (await owner.get(`${FORMS}/${form.id}/codes`)).body.data[0].given;
  for (const [i, email] of ['fresh@unproven.example', 'known@unproven.example'].entries()) {
    const submission = await post(email);
    expect(submission.text).toContain('Check your inbox');
    expect(submission.text).not.toContain('TEN-');
    expect(await issuedCount()).toBe(i);
    await listSettledSubscribers(server, owner);
    const link = /\/f\/confirm\/[\w.-]+/.exec(await lastEmailTo(email))?.[0] ?? '';
    await server.client().post(link);
    await expect.poll(() => emailsTo(email).length).toBe(2);
    expect(await lastEmailTo(email)).toMatch(/TEN-[12]/);
    // The original request had no proof, so its repeat still does not reveal the prize.
    expect((await post(email)).text).not.toContain('TEN-');
  }
}, 60_000);

test('all spellings of one mailbox can draw only once', async () => {
  const owner = await server.owner();
  const form = await wheelForm(owner, WITHOUT_CAPTCHA);
  form.settings.use_recaptcha = false;
  await owner.post(`${FORMS}/${form.id}/codes`, { slice: 0, codes: ['A', 'B', 'C', 'D'] });
  const spin = async (email: string) =>
    (await signUp(server, form, { email, consent_terms: '1' })).body.prize?.code;
  expect(await spin('ann.lee@gmail.com')).toBe('A');
  for (const email of ['AnnLee@gmail.com', 'ann.lee+1@gmail.com', 'a.n.n.lee@googlemail.com'])
    expect(await spin(email), email).toBeUndefined();
  expect(await spin('annlee@gmail.example')).toBe('B');
});

const INVALID_ADDRESSES = [
  'jose@exa_mple.com',
  'uma@-dash.example',
  'uma@dash-.example',
  'user..dots@home.example',
  '.lead@home.example',
  'trail.@home.example',
  'uma@123.45',
  'uma@home.123',
  'uma@home.c',
  // The last letter of the name is Cyrillic.
  'um\u0430@home.example',
  'emoji😀@home.example',
  `${'x'.repeat(65)}@home.example`,
  `uma@${'d'.repeat(64)}.example`,
  'uma@xn--.example',
  'uma@home.example/path',
  'uma@hömé.example/path',
  'uma@hömé.example:25',
  'Uma <uma@home.example>',
  'mailto:uma@home.example',
  '\ud83d@home.example',
  '\u200b',
  '',
  ' ',
];

test('an invalid address is refused with a message and does not spin the wheel', async () => {
  const owner = await server.owner();
  const form = await wheelForm(owner, WITHOUT_CAPTCHA);
  form.settings.use_recaptcha = false;
  await owner.post(`${FORMS}/${form.id}/codes`, { slice: 0, codes: ['A'] });
  for (const email of INVALID_ADDRESSES) {
    const response = await signUp(server, form, { email, consent_terms: '1' });
    expect(response.status, email).toBe(422);
    expect(response.body.errors.email, email).toBeTruthy();
  }
  expect((await owner.get(`${FORMS}/${form.id}/chart`)).body.data.totals.sign_ups).toBe(0);
  const acceptance = await signUp(server, form, {
    email: '\u200bZoë+1@münchen.example ',
    consent_terms: '1',
  });
  expect(acceptance.body.prize?.code).toBe('A');
  expect(await listSettledSubscribers(server, owner)).toMatchObject([
    { email: 'Zoë+1@xn--mnchen-3ya.example' },
  ]);
});

test('an unsubscribed visitor must confirm by email even without double opt-in, and is active afterwards', async () => {
  startTestSender(server.db, relay.url);
  const owner = await server.owner();
  const form = await publishForm(owner, {}, WITHOUT_CAPTCHA);
  const created = await owner.post('/client-api/api/subscribers', { email: 'back@left.example' });
  const unsubscription = { subscribers: [created.body.data.id] };
  expect((await owner.post('/client-api/api/unsubscribes', unsubscription)).status).toBe(200);
  expect((await signUp(server, form, { email: 'back@left.example' })).status).toBe(200);
  expect((await listSettledSubscribers(server, owner))[0].status.email).toBe('unsubscribed');
  const link = /\/f\/confirm\/[\w.-]+/.exec(await lastEmailTo('back@left.example'))?.[0] ?? '';
  expect((await server.client().post(link)).status).toBe(200);
  expect((await listSettledSubscribers(server, owner))[0].status.email).toBe('active');
});

test('lone surrogates are replaced, NULs are removed, and a row that the database refuses does not affect other rows', async () => {
  const owner = await server.owner();
  const form = await publishForm(owner, {}, WITHOUT_CAPTCHA);
  const names = ['Eli \ud83d', '\udc00Eli', 'E\0li'];
  const submissions = await Promise.all([
    ...names.map((firstname, i) =>
      signUp(server, form, { email: `half${i}@emoji.example`, firstname }),
    ),
    signUp(server, form, { email: 'whole@emoji.example', firstname: 'Eli 😀' }),
  ]);
  expect(submissions.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  const subscribers = await listSettledSubscribers(server, owner);
  expect(subscribers.map(({ firstname }: { firstname: string }) => firstname).toSorted()).toEqual([
    'Eli',
    'Eli 😀',
    'Eli �',
    '�Eli',
  ]);
  const formId = decodePublicId('form', form.settings.embed_hash)?.id ?? 0;
  const writer = createSubmissionWriter(server.db);
  const failures = await Promise.all(
    Array.from({ length: 60 }, (_, i) =>
      writer.add({
        ...{ accountId: owner.accountId, formId, key: `batch-row-${i}`, version: 1 },
        answers: { email: `row${i}@emoji.example`, firstname: i % 29 === 7 ? '\ud83d' : 'Eli' },
        ...{ page: '', ip: null, device: 'desktop', isTrapped: true, at: clock.now() },
      }),
    ),
  );
  expect(failures.flatMap((failure, i) => (failure ? [i] : []))).toEqual([7, 36]);
  const { count } = await server.db
    .selectFrom('form_submissions')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('account_id', '=', owner.accountId)
    .where('key', 'like', 'batch-row-%')
    .executeTakeFirstOrThrow();
  expect(Number(count)).toBe(58);
});

test('a sign-up without a newly required field is accepted for twelve hours after the field was published', async () => {
  const owner = await server.owner();
  const form = await publishForm(owner, { type: 'embed' }, WITHOUT_CAPTCHA);
  const [step] = form.document.steps;
  const field = {
    ...{ id: 'last', kind: 'field', field: 'lastname', as: 'text', label: 'Last name' },
    ...{ placeholder: '', required: true, options: [], value: '', half: false },
  };
  const document = { ...form.document, steps: [{ ...step, blocks: [...step.blocks, field] }] };
  await owner.patch(`${FORMS}/${form.id}`, { document, is_active: 1 });
  const send = (email: string) =>
    signUp(server, form, { email }, { version: form.published_version });
  expect((await send('soon@version.example')).status).toBe(200);
  clock.advance(13 * HOUR_MS);
  const lateSubmission = await send('late@version.example');
  expect(lateSubmission.body.errors).toEqual({ lastname: 'This field is required' });
});

test('a form accepts no sign-ups before its scheduled start and after its end', async () => {
  const owner = await server.owner();
  const start = new Date(clock.now().getTime() + HOUR_MS);
  const end = new Date(start.getTime() + HOUR_MS);
  const form = await publishForm(
    owner,
    {},
    {
      ...WITHOUT_CAPTCHA,
      schedule_type: 'between',
      schedule_start: start.toISOString(),
      schedule_end: end.toISOString(),
    },
  );
  const send = async (email: string) => [
    (await signUp(server, form, { email })).status,
    (await postHosted(form, `email=hosted-${email}`)).status,
    (await server.client().get(`/f/${form.settings.embed_hash}/view`)).status,
  ];
  expect(await send('early@schedule.example')).toEqual([410, 410, 410]);
  clock.advance(1.5 * HOUR_MS);
  expect(await send('open@schedule.example')).toEqual([200, 200, 200]);
  clock.advance(HOUR_MS);
  expect(await send('late@schedule.example')).toEqual([410, 410, 410]);
  // At the advanced time, the owner's session has expired.
  clock.reset();
  expect(await listSettledSubscribers(server, owner)).toHaveLength(2);
});

test('reports of views are rate limited per network', async () => {
  const owner = await server.owner();
  const form = await publishForm(owner, {}, WITHOUT_CAPTCHA);
  const report = (remoteAddress: string) =>
    server.client().send({
      method: 'POST',
      url: '/f/count',
      headers: { 'content-type': 'text/plain', 'user-agent': 'Mozilla/5.0 Firefox/140.0' },
      payload: JSON.stringify({ forms: { [form.settings.embed_hash]: { view: 1 } } }),
      remoteAddress,
    });
  clock.freeze(new Date('2026-03-01T12:00:00Z'));
  const responses = await Promise.all(
    Array.from({ length: 130 }, (_, i) => report(`2001:db8:7:7::${i.toString(16)}`)),
  );
  expect(responses.filter(({ status }) => status === 429)).toHaveLength(30);
  expect((await report('2001:db8:7:8::1')).status).toBe(204);
  const readViews = async () =>
    (await owner.get(`${FORMS}/${form.id}/chart`)).body.data.totals.views;
  await expect.poll(readViews, { timeout: 10_000 }).toBe(101);
});
