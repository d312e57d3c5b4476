// Forms over HTTP: made, published, loaded by sites, filled, confirmed by the mailed link, drawn.
import { afterEach, beforeAll, expect, test } from 'vitest';
import { createHash } from 'node:crypto';
import { sql } from 'kysely';
import PostalMime from 'postal-mime';
import { joinedGroup } from '#areas/groups/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import { startTestSender } from '#testing/sender.ts';
import { startSmtpServer, type TestSmtpServer } from '#testing/smtp-server.ts';
import { type TestServer, testServer } from '#testing/server.ts';
import { pickSlice } from './wheel.ts';
import { formSubmitted } from './events.ts';
import { settleAccount } from './settle.ts';

let server: TestServer;
let relay: TestSmtpServer;
beforeAll(async () => {
  server = await testServer({ SIGN_UP: 'open' });
  relay = await startSmtpServer();
  return () => relay.close();
});

/** The text of the first mail to an address. */
async function mailTo(email: string): Promise<string> {
  const found = () => relay.accepted.find((one) => one.to[0] === email);
  while (!found()) await relay.got(relay.accepted.length + 1);
  const { text = '' } = await PostalMime.parse(found()?.source ?? '');
  return text;
}
afterEach(() => clock.reset());

const API = '/client-api/api/forms';
type Owner = Awaited<ReturnType<TestServer['owner']>>;

async function published(owner: Owner, body: object, settings: object = {}) {
  const made = await owner.post(API, { type: 'popup', title: 'News', ...body });
  expect(made.status, made.text).toBe(200);
  const { id } = made.body.data;
  const saved = await owner.patch(`${API}/${id}`, { settings, is_active: 1 });
  expect(saved.status, saved.text).toBe(200);
  return saved.body.data;
}

async function proofOf(form: { settings: { embed_hash: string } }): Promise<string> {
  const { body } = await server.client().get(`/f/${form.settings.embed_hash}/challenge`);
  const { challenge, salt, algorithm, maxnumber, signature } = body;
  let number = 0;
  const hashOf = (n: number) => createHash('sha256').update(`${salt}${n}`).digest('hex');
  while (number <= maxnumber && hashOf(number) !== challenge) number += 1;
  return Buffer.from(JSON.stringify({ algorithm, challenge, number, salt, signature })).toString(
    'base64',
  );
}

let keys = 0;
async function signUp(
  form: { settings: { embed_hash: string; use_recaptcha?: boolean } },
  data: object,
  more: object = {},
) {
  keys += 1;
  const proof = form.settings.use_recaptcha === false ? '' : await proofOf(form);
  return server.client().send({
    method: 'POST',
    url: `/f/${form.settings.embed_hash}`,
    headers: { 'content-type': 'text/plain', origin: 'https://shop.example' },
    payload: JSON.stringify({
      key: `key-${keys}-0000`,
      version: 1,
      data,
      proof,
      ms: 9000,
      trap: '',
      url: 'https://shop.example/p?q=1',
      ...more,
    }),
    remoteAddress: `10.9.${Math.floor(keys / 200)}.${(keys % 200) + 1}`,
  });
}

/** The people, once all that was sent is settled: also by whoever began with it already. */
async function people(owner: Owner) {
  await expect
    .poll(
      async () => {
        await settleAccount(server.db, owner.accountId);
        const { rows } = await sql`select 1 from form_submissions
          where account_id = ${owner.accountId} and settled_at is null`.execute(server.db);
        return rows.length;
      },
      { timeout: 20_000 },
    )
    .toBe(0);
  return (await owner.get('/client-api/api/subscribers')).body.data;
}

test('a form is made, published, loaded by a site, filled, and its people are in the group', async () => {
  const owner = await server.owner();
  const group = (await owner.post('/client-api/api/tags', { title: 'Readers' })).body.data;
  const form = await published(owner, { layout: 'card', language: 'lit' });
  await owner.post(`${API}/${form.id}/tags`, { tags_ids: [group.id] });
  const read = (await owner.get(`${API}/${form.id}`)).body.data;
  expect(read).toMatchObject({
    is_active: true,
    published_version: 2,
    has_unpublished: false,
    mandatory_tags: [group.id],
  });
  expect(read.settings).toMatchObject({
    delay_amount: 5,
    scroll_percent: 50,
    popup_frequency_minutes: 43_200,
  });
  const account = /\/f\/([\w-]+)\.js/.exec(read.embed_script)?.[1];
  const index = await server.client().get(`/f/${account}.json`);
  expect(index.headers['access-control-allow-origin']).toBe('*');
  expect(index.body.forms).toMatchObject([
    { id: form.settings.embed_hash, show: { delay: 5, every: 43_200 } },
  ]);
  const snapshot = await server.client().get(`/f/s/${form.settings.embed_hash}.2.json`);
  expect(snapshot.body.words.email).toBe('Įveskite teisingą el. pašto adresą');
  const wrong = await signUp(form, { email: 'nonsense' }, { version: 2 });
  expect(wrong.status).toBe(422);
  expect(wrong.body.errors).toEqual({ email: 'Įveskite teisingą el. pašto adresą' });
  const sent = await signUp(form, { email: 'ona@shop.example', firstname: 'Ona', hacked: 'x' });
  expect(sent.status, sent.text).toBe(200);
  expect(await people(owner)).toMatchObject([{ email: 'ona@shop.example', firstname: 'Ona' }]);
  const [{ id }] = await people(owner);
  expect((await owner.get(`/client-api/api/tags/${group.id}`)).body.data.recipient_count).toBe(1);
  expect((await owner.get(`/client-api/api/subscribers/${id}`)).status).toBe(200);
  const chart = (await owner.get(`${API}/${form.id}/chart`)).body.data;
  expect(chart.totals).toMatchObject({ sign_ups: 1, trapped: 0 });
  expect(chart.pages).toEqual([{ page: 'https://shop.example/p', sign_ups: 1, views: 0 }]);
  expect(chart.days).toHaveLength(30);
});

test('a setting that is changed changes no other', async () => {
  const owner = await server.owner();
  const form = await published(
    owner,
    { type: 'spinToWin' },
    { delay_amount: 9, visibility_type: 'only', visibility_pages: ['/tea*'] },
  );
  const changed = await owner.patch(`${API}/${form.id}`, { settings: { scroll: true } });
  expect(changed.body.data.settings).toMatchObject({
    scroll: true,
    delay_amount: 9,
    visibility_type: 'only',
    visibility_pages: ['/tea*'],
    wheel_config: { setup: expect.arrayContaining([expect.objectContaining({ weight: 30 })]) },
  });
  expect((await owner.patch(`${API}/${form.id}`, { settings: { nonsense: 1 } })).status).toBe(422);
});

test('a proof counts once, a repeat of the same key is the same sign-up, a trap is told nothing', async () => {
  const owner = await server.owner();
  const form = await published(owner, {});
  expect((await signUp(form, { email: 'a@shop.example' }, { proof: '' })).status).toBe(422);
  const proof = await proofOf(form);
  const once = { proof, key: 'the-same-key' };
  expect((await signUp(form, { email: 'a@shop.example' }, once)).status).toBe(200);
  expect((await signUp(form, { email: 'a@shop.example' }, once)).status).toBe(200);
  expect((await signUp(form, { email: 'b@shop.example' }, { proof })).status).toBe(422);
  // The same work written differently is the same work.
  const solved = JSON.parse(Buffer.from(proof, 'base64').toString());
  for (const other of [
    { ...solved, took: 7 },
    { ...solved, number: String(solved.number) },
    {
      ...solved,
      salt: `${solved.salt}${String(solved.number)[0]}`,
      number: Number(String(solved.number).slice(1)),
    },
  ]) {
    const rewritten = Buffer.from(JSON.stringify(other)).toString('base64');
    const answer = await signUp(form, { email: 'c@shop.example' }, { proof: rewritten });
    expect(answer.status, JSON.stringify(other)).toBe(422);
  }
  expect((await signUp(form, { email: 'bot@shop.example' }, { trap: 'x' })).status).toBe(200);
  expect((await signUp(form, { email: 'quick@shop.example' }, { ms: 10 })).status).toBe(200);
  expect(await people(owner)).toHaveLength(1);
});

test('double opt-in: not subscribed until the link is confirmed; a GET confirms nothing', async () => {
  const owner = await server.owner();
  const form = await published(
    owner,
    {},
    { double_opt_in: true, confirmation: { from_email: 'news@shop.example', from_name: 'Shop' } },
  );
  const group = (await owner.post('/client-api/api/tags', { title: 'Confirmed' })).body.data;
  await owner.post(`${API}/${form.id}/tags`, { tags_ids: [group.id] });
  startTestSender(server.db, relay.url);
  await signUp(form, { email: 'new@shop.example', firstname: 'Buy now http://spam.example' });
  expect(await people(owner)).toMatchObject([
    { email: 'new@shop.example', status: { email: 'non-subscribed' } },
  ]);
  const mail = await mailTo('new@shop.example');
  expect(mail).not.toContain('spam.example');
  const joined: object[] = [];
  const stop = joinedGroup.on(async (_, facts) => {
    joined.push(facts);
  });
  const link = /\/f\/confirm\/[\w.-]+/.exec(mail)?.[0] ?? '';
  expect((await server.client().get(link)).status).toBe(200);
  expect((await people(owner))[0].status.email).toBe('non-subscribed');
  expect((await server.client().post(link)).status).toBe(200);
  expect((await people(owner))[0].status.email).toBe('active');
  expect((await server.client().post(link)).status).toBe(200);
  stop();
  expect(joined).toMatchObject([{ origin: 'form', subscriberIds: [expect.any(Number)] }]);
  expect((await server.client().post(`${link}x`)).status).toBe(410);
  // A stranger's second try tells nothing, changes no name, and asks nobody again.
  const again = await signUp(form, { email: 'new@shop.example', firstname: 'Other' });
  expect(again.status).toBe(200);
  expect((await people(owner))[0].firstname).toBe('Buy now http://spam.example');
});

test('the wheel: 200 spins for three codes, each code once, one spin per address', async () => {
  const owner = await server.owner();
  const slice = (label: string, weight: number, more: object = {}) => ({
    label,
    coupon_code: '',
    is_losing: false,
    weight,
    colour: '#3b4fe4',
    ...more,
  });
  const form = await published(
    owner,
    { type: 'spinToWin' },
    {
      use_recaptcha: false,
      wheel_config: {
        setup: [
          slice('Prize', 90, { uses_stock: true }),
          slice('Nothing', 10, { is_losing: true }),
        ],
      },
    },
  );
  form.settings.use_recaptcha = false;
  await owner.post(`${API}/${form.id}/codes`, { slice: 0, codes: ['A1', 'B2', 'C3', 'A1'] });
  const spins = await Promise.all(
    Array.from({ length: 60 }, (_, i) =>
      signUp(form, { email: `spin${i}@shop.example`, consent_terms: '1' }),
    ),
  );
  const codes = spins.map((one) => one.body.prize?.code).filter(Boolean);
  expect(codes.sort()).toEqual(['A1', 'B2', 'C3']);
  expect(spins.every((one) => one.status === 200)).toBe(true);
  const again = await signUp(form, { email: 'SPIN1@shop.example', consent_terms: '1' });
  expect(again.body.prize).toBeUndefined();
  const record = await owner.get(`${API}/${form.id}/spins`);
  expect(record.text.trim().split('\n')).toHaveLength(61);
  expect((await owner.get(`${API}/${form.id}/codes`)).body.data).toEqual([
    { slice: 0, left: 0, given: 3 },
  ]);
});

test('a wheel without losing slices whose codes are all given out is closed, and promises nobody anything', async () => {
  const owner = await server.owner();
  const slice = { label: 'Prize', coupon_code: '', is_losing: false, uses_stock: true };
  const form = await published(
    owner,
    { type: 'spinToWin' },
    { use_recaptcha: false, wheel_config: { setup: [slice, slice] } },
  );
  form.settings.use_recaptcha = false;
  await owner.post(`${API}/${form.id}/codes`, { slice: 1, codes: ['LAST'] });
  const spin = (email: string) => signUp(form, { email, consent_terms: '1' });
  expect((await spin('first@shop.example')).body.prize?.code).toBe('LAST');
  expect((await spin('second@shop.example')).status).toBe(410);
  expect(await people(owner)).toMatchObject([{ email: 'first@shop.example' }]);
});

test('what is switched off, deleted or another account’s is gone, and nonsense is refused', async () => {
  const owner = await server.owner();
  const stranger = await server.owner();
  const form = await published(owner, {});
  for (const answer of [
    await stranger.get(`${API}/${form.id}`),
    await stranger.patch(`${API}/${form.id}`, { is_active: 0 }),
    await stranger.delete(`${API}/${form.id}`, {}),
    await stranger.get(`${API}/${form.id}/chart`),
  ]) {
    expect(answer.status).toBe(404);
  }
  const own = (await stranger.post('/client-api/api/tags', { title: 'Theirs' })).body.data;
  expect((await owner.post(`${API}/${form.id}/tags`, { tags_ids: [own.id] })).status).toBe(404);
  for (const body of ['', '[]', '{', '{"key":"x"}', '{"__proto__":{},"key":"12345678"}']) {
    const answer = await server.client().send({
      method: 'POST',
      url: `/f/${form.settings.embed_hash}`,
      headers: { 'content-type': 'text/plain' },
      payload: body,
    });
    expect(answer.status, body).toBe(422);
  }
  const document = {
    ...form.document,
    styles: { ...form.document.styles, button: 'red;}*{display:none' },
  };
  expect((await owner.patch(`${API}/${form.id}`, { document })).status).toBe(422);
  const teaser = (words: string) => ({
    document: { ...form.document, teaser: words },
    revision: form.revision,
  });
  const path = `${API}/${form.id}`;
  const kept = await owner.patch(path, teaser('Hello'));
  expect(kept.status).toBe(200);
  // Its answer was lost: the same again changes nothing, anything else is another tab's.
  const again = await owner.patch(path, teaser('Hello'));
  expect(again.body.data.revision).toBe(kept.body.data.revision);
  const stale = await owner.patch(path, teaser('Goodbye'));
  expect(stale.status).toBe(409);
  const without = { ...form.document, steps: [{ id: 'one', blocks: [] }] };
  await owner.patch(`${API}/${form.id}`, { document: without });
  expect((await owner.post(`${API}/${form.id}/publish`, {})).body.code).toBe('email_missing');
  await owner.patch(`${API}/${form.id}`, { is_active: 0 });
  expect(
    (
      await signUp(
        { settings: { ...form.settings, use_recaptcha: false } },
        { email: 'x@y.example' },
      )
    ).status,
  ).toBe(410);
  expect((await owner.delete(`${API}/${form.id}`, {})).status).toBe(200);
  expect((await server.client().get(`/f/${form.settings.embed_hash}/view`)).status).toBe(410);
});

test('without script the hosted page takes the form, says what is wrong, and thanks', async () => {
  const owner = await server.owner();
  const form = await published(owner, { type: 'embed' }, { use_recaptcha: false });
  const url = `/f/${form.settings.embed_hash}/view`;
  const shown = await server.client().get(url);
  expect(shown.text).toContain('Be the first to know');
  expect(shown.headers['content-security-policy']).toContain("default-src 'none'");
  const post = (payload: string) =>
    server.client().send({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload,
    });
  const refused = await post('email=nonsense%22');
  expect(refused.text).toContain('Please enter a valid email address');
  // What was written stays.
  expect(refused.text).toContain('value="nonsense&quot;"');
  const key = /name="__key" value="([\w-]+)"/.exec(refused.text)?.[1] ?? '';
  for (let times = 0; times < 2; times++)
    expect((await post(`email=plain%40shop.example&__key=${key}`)).text).toContain('Thank you!');
  const chart = await owner.get(`${API}/${form.id}/chart`);
  expect(chart.body.data.totals.sign_ups).toBe(1);
  expect(await people(owner)).toMatchObject([{ email: 'plain@shop.example' }]);
});

test('the hosted page of a popup of two steps asks all at once, and goes where its owner says', async () => {
  const owner = await server.owner();
  const form = await published(
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
  const saved = await owner.patch(`${API}/${form.id}`, {
    document: { ...form.document, steps },
    is_active: 1,
  });
  expect(saved.status, saved.text).toBe(200);
  const url = `/f/${form.settings.embed_hash}/view`;
  const shown = await server.client().get(`${url}?from=%22spring%22`);
  expect(shown.text.match(/type="submit"/g)).toHaveLength(1);
  expect(shown.text).not.toContain('data-act="close"');
  expect(shown.text).toMatch(/<input[^>]*name="lastname"[^>]*value="&quot;spring&quot;"/);
  expect(shown.headers['content-security-policy']).toContain(
    "form-action 'self' https://shop.example",
  );
  const sent = await server.client().send({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: 'email=go%40shop.example&lastname=spring',
  });
  expect(sent.status).toBe(303);
  expect(sent.headers.location).toBe('https://shop.example/thanks');
});

test('a wheel’s hosted page shows it turned to what was drawn, without script too', async () => {
  const owner = await server.owner();
  const form = await published(
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
  const shown = await server.client().get(url);
  expect(shown.text).toContain('class="wheel"');
  expect(shown.text).toContain('Ten &lt;b&gt;off');
  expect(shown.text).not.toContain('TEA<');
  const sent = await server.client().send({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: 'email=spin%40shop.example&consent_terms=1',
  });
  expect(sent.text).toContain('data-slice="1"');
  expect(sent.text).toContain('rotate(-270)');
  expect(sent.text).toMatch(/<output[^>]*>TEA<\/output>/);
});

test('the hosted page at its usual settings: proven by its script, or asked by mail; else refused', async () => {
  const owner = await server.owner();
  const post = (form: { settings: { embed_hash: string } }, payload: string) =>
    server.client().send({
      method: 'POST',
      url: `/f/${form.settings.embed_hash}/view`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload,
    });
  const plain = await published(owner, { type: 'embed' });
  const shown = await server.client().get(`/f/${plain.settings.embed_hash}/view`);
  expect(shown.text).toContain('src="/f/r/hosted.js"');
  expect(shown.headers['content-security-policy']).toContain("script-src 'self'");
  expect((await post(plain, 'email=a%40hosted.example')).text).toContain('Please complete captcha');
  const proof = encodeURIComponent(await proofOf(plain));
  const sent = await post(plain, `email=a%40hosted.example&__proof=${proof}`);
  expect(sent.text).toContain('Thank you!');
  const asking = await published(
    owner,
    { type: 'embed' },
    { confirmation: { from_email: 'news@shop.example', from_name: 'Shop' } },
  );
  expect((await post(asking, 'email=b%40hosted.example')).text).toContain('Thank you!');
  const all = await people(owner);
  const statusOf = (email: string) =>
    all.find((one: { email: string }) => one.email === email)?.status.email;
  expect(statusOf('a@hosted.example')).toBe('active');
  expect(statusOf('b@hosted.example')).toBe('non-subscribed');
});

test('who had left stays out where nobody can ask them, and starts no automation', async () => {
  const owner = await server.owner();
  const group = (await owner.post('/client-api/api/tags', { title: 'Again' })).body.data;
  const form = await published(owner, {});
  await owner.post(`${API}/${form.id}/tags`, { tags_ids: [group.id] });
  const made = await owner.post('/client-api/api/subscribers', { email: 'left@shop.example' });
  const { id } = made.body.data;
  const gone = await owner.post('/client-api/api/unsubscribes', { subscribers: [id] });
  expect(gone.status, gone.text).toBe(200);
  const told: { origin: string }[] = [];
  const stops = [
    joinedGroup.on(async (_, facts) => void told.push(facts)),
    formSubmitted.on(async (_, { isConfirmed }) => expect(isConfirmed).toBe(false)),
  ];
  await signUp(form, { email: 'left@shop.example' });
  const [person] = await people(owner);
  for (const stop of stops) stop();
  expect(person.status.email).toBe('unsubscribed');
  expect(told.map(({ origin }) => origin)).toEqual(['bulk']);
});

test('each weight comes up as often as it says', () => {
  const seen = [0, 0, 0];
  for (let i = 0; i < 10; i++) {
    const slice = pickSlice([5, 0, 5], () => i);
    seen[slice] = (seen[slice] ?? 0) + 1;
  }
  expect(seen).toEqual([5, 0, 5]);
  expect(pickSlice([0, 0], () => 0)).toBe(-1);
});

test('enormity and trickery are refused or kept as plain words: nothing is lost, nothing runs', async () => {
  const owner = await server.owner();
  const stranger = await server.owner();
  const made = (await owner.post(API, { type: 'embed', title: 'News' })).body.data;
  const { id, document } = made;
  const huge = { ...document, teaser: 'x'.repeat(5_000_000) };
  expect((await owner.patch(`${API}/${id}`, { document: huge })).status).toBe(413);
  for (const bad of [
    { ...document, styles: { ...document.styles, width: 1e9 } },
    { ...document, steps: [] },
    { ...document, picture: { url: 'javascript:alert(1)', alt: '' } },
    JSON.parse(JSON.stringify(document).replace('{', '{"__proto__":{"isAdmin":true},')),
  ]) {
    const answer = await owner.patch(`${API}/${id}`, { document: bad });
    expect([400, 422], answer.text).toContain(answer.status);
  }
  expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
  const html = '<img src=x onerror=alert(1)>';
  const blocks = document.steps[0].blocks.map((block: { kind: string }) => ({
    ...block,
    ...('text' in block ? { text: html } : {}),
    ...('label' in block ? { label: html, placeholder: html } : {}),
  }));
  const theirs = (await stranger.post('/client-api/api/tags', { title: 'Theirs' })).body.data;
  expect((await owner.post(`${API}/${id}/tags`, { tags_ids: [theirs.id] })).status).toBe(404);
  const shown = await owner.patch(`${API}/${id}`, {
    document: { ...document, teaser: html, steps: [{ id: 'one', blocks }] },
    settings: { use_recaptcha: false, validation_messages: { email: html } },
    is_active: 1,
  });
  expect(shown.status, shown.text).toBe(200);
  const form = shown.body.data;
  const page = await server.client().get(`/f/${form.settings.embed_hash}/view`);
  expect(page.text).not.toContain('<img src=x');
  expect(page.text).toContain('&lt;img src=x');
  const told = await signUp(form, { email: 'a@b.example', firstname: 'x'.repeat(10_001) });
  expect(told.status).toBe(422);
  expect((await signUp(form, { email: 'a@b.example', firstname: html })).status).toBe(200);
  // Open pages that know it say nothing in their console.
  expect((await server.client().get('/f/s/unknown.1.json')).status).toBe(204);
  for (const path of ['/f/unknown/view', '/f/unknown']) {
    const answer = await (path === '/f/unknown'
      ? server.client().send({
          method: 'POST',
          url: path,
          headers: { 'content-type': 'text/plain' },
          payload: JSON.stringify({ key: 'unknown-key', version: 1, data: {}, ms: 9_000 }),
        })
      : server.client().get(path));
    expect([404, 410], path).toContain(answer.status);
  }
});

test('the setting show_gdpr and the box of consent are one thing; digits of Persian keyboards count', async () => {
  const owner = await server.owner();
  const { id, ...form } = await published(owner, {}, { use_recaptcha: false, show_gdpr: true });
  type Blocks = { steps: { blocks: { kind: string; text: string; required: boolean }[] }[] };
  const boxes = ({ steps }: Blocks) =>
    steps.flatMap(({ blocks }) => blocks.filter(({ kind }) => kind === 'consent'));
  const [box] = boxes(form.document);
  expect(box).toMatchObject({ as: 'email', required: true });
  const without = await signUp(form, { email: 'no@consent.example' });
  expect(without.body.errors.consent_email).toBeTruthy();
  expect((await signUp(form, { email: 'a@consent.example', consent_email: '1' })).status).toBe(200);
  const path = `${API}/${id}`;
  // Taken out of the form, it turns the setting off.
  const kept = form.document.steps.map((step: { blocks: { kind: string }[] }) => ({
    ...step,
    blocks: step.blocks.filter(({ kind }) => kind !== 'consent'),
  }));
  const saved = await owner.patch(path, { document: { ...form.document, steps: kept } });
  expect(saved.body.data.settings.show_gdpr).toBe(false);
  const again = await owner.patch(path, { settings: { show_gdpr: true } });
  expect(boxes(again.body.data.document)).toHaveLength(1);
  const off = await owner.patch(path, { settings: { show_gdpr: false } });
  expect(boxes(off.body.data.document)).toHaveLength(0);

  const wheel = await published(owner, { layout: 'two-steps' }, { use_recaptcha: false });
  const answer = await signUp(wheel, { email: 'fa@consent.example', phone: '+۳۷۰۶۱۲۳۴۵۶۷' });
  expect(answer.status).toBe(200);
  const found = (await people(owner)).find(
    ({ email }: { email: string }) => email === 'fa@consent.example',
  );
  expect(found.phone).toBe('+37061234567');
});

test('double opt-in is set at once, the draft stays a draft, and the mail is the one that its author wrote', async () => {
  const owner = await server.owner();
  const form = await published(owner, {}, { use_recaptcha: false });
  const path = `${API}/${form.id}`;
  await owner.patch(path, { document: { ...form.document, teaser: 'Not yet' } });
  const missing = await owner.put(`${path}/double_opt_in`, { double_opt_in: true });
  expect(missing.body.code).toBe('sender_missing');
  const set = await owner.put(`${path}/double_opt_in`, {
    double_opt_in: true,
    subject: 'One click left',
    from_name: 'Tea shop',
    from_email: 'news@shop.example',
  });
  expect(set.status, set.text).toBe(200);
  expect(set.body.data).toMatchObject({ has_unpublished: true, published_version: 2 });
  const snapshot = (await server.client().get(`/f/s/${form.settings.embed_hash}.2.json`)).body;
  expect(snapshot.teaser).toBe('');
  const mails = `/client-api/api/confirmation-emails/${form.id}`;
  const html = '<p>Tea, {{ firstname }}? <a href="{{ confirm_link }}">Yes, please</a></p>';
  const kept = await owner.put(`${mails}/content`, { revision: 1, editor: 'html', html });
  expect(kept.status, kept.text).toBe(200);
  expect((await owner.get(path)).body.data.mail_editor).toBe('html');
  const stranger = await server.owner();
  expect((await stranger.get(`${mails}/content`)).status).toBe(404);
  expect((await stranger.put(`${path}/double_opt_in`, { double_opt_in: false })).status).toBe(404);
});

test('what the wheel gave comes by mail too, once, from whom the form names', async () => {
  const owner = await server.owner();
  const form = await published(
    owner,
    { type: 'spinToWin' },
    {
      use_recaptcha: false,
      confirmation: { from_email: 'news@shop.example', from_name: 'Shop' },
      wheel_config: {
        setup: [
          { label: 'Ten', coupon_code: 'TEN-10', is_losing: false, weight: 1 },
          { label: 'None', coupon_code: '', is_losing: true, weight: 0 },
        ],
      },
    },
  );
  const data = { email: 'winner@shop.example', consent_terms: '1' };
  const spun = await signUp(form, data);
  expect(spun.body.prize, spun.text).toMatchObject({ code: 'TEN-10' });
  // From elsewhere: the same answer as anybody's, without the code.
  expect((await signUp(form, data)).text).not.toContain('TEN-10');
  await people(owner);
  startTestSender(server.db, relay.url);
  expect(await mailTo('winner@shop.example')).toContain('TEN-10');
  expect(relay.accepted.filter(({ to }) => to[0] === 'winner@shop.example')).toHaveLength(1);
});
