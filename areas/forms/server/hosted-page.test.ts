// The hosted page of a form over HTTP: without script, for a popup with steps, with a wheel, with a
// proof or a confirmation email, and with a link to the test inbox.
import { afterEach, beforeAll, expect, test } from 'vitest';
import { clock } from '#platform/server/clock.ts';
import {
  FORMS,
  solveProof,
  publishForm,
  listSettledSubscribers,
} from '#testing/servers/form-site.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await testServer({ SIGN_UP: 'open' });
});
afterEach(() => clock.reset());

test('the hosted page works without scripts: it shows errors, accepts the form once, and shows the success message', async () => {
  const owner = await server.owner();
  const form = await publishForm(owner, { type: 'embed' }, { use_recaptcha: false });
  const url = `/f/${form.settings.embed_hash}/view`;
  const page = await server.client().get(url);
  expect(page.text).toContain('Be the first to know');
  expect(page.headers['content-security-policy']).toContain("default-src 'none'");
  const post = (payload: string) =>
    server.client().send({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload,
    });
  const rejection = await post('email=nonsense%22');
  expect(rejection.text).toContain('Please enter a valid email address');
  // The page still contains the typed values.
  expect(rejection.text).toContain('value="nonsense&quot;"');
  const key = /name="__key" value="([\w-]+)"/.exec(rejection.text)?.[1] ?? '';
  for (let times = 0; times < 2; times++)
    expect((await post(`email=plain%40shop.example&__key=${key}`)).text).toContain('Thank you!');
  const chart = await owner.get(`${FORMS}/${form.id}/chart`);
  expect(chart.body.data.totals.sign_ups).toBe(1);
  expect(await listSettledSubscribers(server, owner)).toMatchObject([
    { email: 'plain@shop.example' },
  ]);
});

test('the hosted page of a popup with two steps shows all fields on one page and redirects as configured', async () => {
  const owner = await server.owner();
  const form = await publishForm(
    owner,
    { type: 'popup', layout: 'two-steps' },
    { use_recaptcha: false, redirect_after: true, redirect_url: 'https://shop.example/thanks' },
  );
  const hidden = { id: 'h', kind: 'field', field: 'lastname', as: 'hidden', label: '' };
  const [first, ...others] = form.document.steps;
  const hiddenField = {
    ...hidden,
    placeholder: '',
    required: false,
    options: [],
    value: '{{ from }}',
    half: false,
  };
  const steps = [{ ...first, blocks: [...first.blocks, hiddenField] }, ...others];
  const update = await owner.patch(`${FORMS}/${form.id}`, {
    document: { ...form.document, steps },
    is_active: 1,
  });
  expect(update.status, update.text).toBe(200);
  const url = `/f/${form.settings.embed_hash}/view`;
  const page = await server.client().get(`${url}?from=%22spring%22`);
  expect(page.text.match(/type="submit"/g)).toHaveLength(1);
  expect(page.text).not.toContain('data-act="close"');
  expect(page.text).toMatch(/<input[^>]*name="lastname"[^>]*value="&quot;spring&quot;"/);
  expect(page.headers['content-security-policy']).toContain(
    "form-action 'self' https://shop.example",
  );
  const submission = await server.client().send({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: 'email=go%40shop.example&lastname=spring',
  });
  expect(submission.status).toBe(303);
  expect(submission.headers.location).toBe('https://shop.example/thanks');
});

test("a wheel's hosted page shows the drawn slice and its code without scripts, once for each address", async () => {
  const owner = await server.owner();
  const form = await publishForm(
    owner,
    { type: 'spinToWin' },
    {
      use_recaptcha: false,
      wheel_config: {
        setup: [
          { label: 'Ten <b>off', coupon_code: 'TEN', is_losing: false, weight: 0 },
          { label: 'Free tea', coupon_code: 'TEA', is_losing: false, weight: 1 },
        ],
        losing_slice_val: '',
        custom_field: '',
      },
    },
  );
  const url = `/f/${form.settings.embed_hash}/view`;
  const page = await server.client().get(url);
  expect(page.text).toContain('class="wheel"');
  expect(page.text).toContain('Ten &lt;b&gt;off');
  expect(page.text).not.toContain('TEA<');
  const submission = await server.client().send({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: 'email=spin%40shop.example&consent_terms=1',
  });
  expect(submission.text).toContain('data-slice="1"');
  expect(submission.text).toContain('rotate(-270)');
  expect(submission.text).toMatch(/<output[^>]*>TEA<\/output>/);
  const repeatedSubmission = await server.client().send({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: 'email=spin%40shop.example&consent_terms=1',
  });
  expect(repeatedSubmission.text).toContain('already spun the wheel');
  expect(repeatedSubmission.text).not.toContain('<output');
});

test('the hosted page with default settings requires a proof of work or a confirmation by email', async () => {
  const owner = await server.owner();
  const post = (form: { settings: { embed_hash: string } }, payload: string) =>
    server.client().send({
      method: 'POST',
      url: `/f/${form.settings.embed_hash}/view`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload,
    });
  const plainForm = await publishForm(owner, { type: 'embed' });
  const page = await server.client().get(`/f/${plainForm.settings.embed_hash}/view`);
  expect(page.text).toContain('src="/f/r/hosted.js"');
  expect(page.headers['content-security-policy']).toContain("script-src 'self'");
  expect((await post(plainForm, 'email=a%40hosted.example')).text).toContain(
    'Please complete captcha',
  );
  const proof = encodeURIComponent(await solveProof(server, plainForm));
  const submission = await post(plainForm, `email=a%40hosted.example&__proof=${proof}`);
  expect(submission.text).toContain('Thank you!');
  const optInForm = await publishForm(
    owner,
    { type: 'embed' },
    { confirmation: { from_email: 'news@shop.example', from_name: 'Shop' } },
  );
  const optIn = (await post(optInForm, 'email=b%40hosted.example')).text;
  expect(optIn).toContain('Thank you!');
  expect(optIn).toMatch(
    /<a href="http:\/\/localhost[:\d]*\/inbox" target="_blank">Open the test inbox/,
  );
  expect(submission.text).not.toContain('/inbox');
  const subscribers = await listSettledSubscribers(server, owner);
  const statusOf = (email: string) =>
    subscribers.find((subscriber: { email: string }) => subscriber.email === email)?.status.email;
  expect(statusOf('a@hosted.example')).toBe('active');
  expect(statusOf('b@hosted.example')).toBe('non-subscribed');
});

test("the response to the site script links to the test inbox only if the page and the visitor are on the server's machine", async () => {
  const owner = await server.owner();
  const form = await publishForm(
    owner,
    { type: 'embed', language: 'spa' },
    {
      use_recaptcha: false,
      double_opt_in: true,
      confirmation: { from_email: 'news@shop.example', from_name: 'Shop' },
    },
  );
  const post = (email: string, headers: Record<string, string>) =>
    server.client().send({
      method: 'POST',
      url: `/f/${form.settings.embed_hash}`,
      headers: { 'content-type': 'text/plain', ...headers },
      payload: JSON.stringify({
        key: `key-${email}`,
        version: 2 ** 30,
        data: { email },
        ms: 9_000,
      }),
    });
  const near = await post('near@hosted.example', { origin: 'http://localhost:3000' });
  expect(near.body).toEqual({
    inbox: {
      href: expect.stringMatching(/^http:\/\/localhost[:\d]*\/inbox$/),
      label: 'Abrir la bandeja de prueba',
    },
  });
  expect((await post('site@hosted.example', { origin: 'https://shop.example' })).body).toEqual({});
  expect((await post('far@hosted.example', { 'x-forwarded-for': '10.1.1.1' })).body).toEqual({});
});
