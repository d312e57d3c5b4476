// Transactional email over HTTP: templates, one recipient per call, refusals, results.
import { sql } from 'kysely';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { settleTracking } from '#areas/tracking/server/index.ts';
import { suppress } from '#areas/subscribers/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { type PublicClient, publicClient } from '#testing/setup/public-client.ts';
import { startTestSender } from '#testing/worlds/sender.ts';
import { type TestOwner, type TestServer, testServer } from '#testing/setup/server.ts';
import { startSmtpServer, type TestSmtpServer } from '#testing/servers/smtp-server.ts';

const API = '/client-api/api/transactional';
const FROM = { email: 'shop@shop.example', name: 'Shop' };
const CHROME = {
  'user-agent': 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/126.0.0.0',
};
let server: TestServer;
let owner: TestOwner;
let api: PublicClient;
let otherApi: PublicClient;
let relay: TestSmtpServer;

beforeAll(async () => {
  server = await testServer();
  owner = await server.owner();
  api = await publicClient(server, owner);
  otherApi = await publicClient(server, await server.owner());
  await sql`delete from single_sends`.execute(server.db);
});
beforeEach(async () => {
  relay = await startSmtpServer();
  return () => relay.close();
});

const body = (changes: object = {}) => ({
  from: FROM,
  to: { email: 'buyer@home.example', name: 'Ada Lovelace' },
  subject: 'Order {{ number }}',
  html: '<p>Dear {{firstname}}, <a href="https://shop.example/orders">order {{ number }}</a></p>',
  variables: { number: 7 },
  ...changes,
});
const template = async (content = '<p>Code {{ code }}</p>') => {
  const created = await api.post('/transactional', {
    subject: 'Your code',
    from: 'Shop',
    reply_to: 'shop@shop.example',
    editor: 'html',
    content,
  });
  expect(created.status).toBe(200);
  return created.body.data.id as string;
};
/** Removes quoted-printable line breaks and escapes from the source. */
const plainOf = (source: string) =>
  source
    .replace(/=\r?\n/g, '')
    .replaceAll('=20', ' ')
    .replaceAll('=3D', '=')
    .replaceAll('=2E', '.');
/** Starts the sender; returns the sources of all received emails. */
const waitForEmails = async (count: number) => {
  startTestSender(server.db, relay.url);
  await expect.poll(() => relay.accepted.length, { timeout: 10_000 }).toBe(count);
  return relay.accepted.map((receivedMessage) => plainOf(receivedMessage.source));
};

describe('sending', () => {
  test('a call sends an email with its own content, headers and attachments', async () => {
    const response = await api.post(
      '/message/send',
      body({
        headers: { 'X-Order': '7', References: '<a@shop.example>' },
        reply_to: { email: 'help@shop.example' },
        attachments: { 'terms.txt': `base64://${Buffer.from('Be kind').toString('base64')}` },
      }),
    );
    expect(response.body).toEqual({
      success: true,
      message: 'Email sent',
      emailId: expect.any(String),
    });
    expect(response.headers['x-message-id']).toBe(response.body.emailId);
    const [source = ''] = await waitForEmails(1);
    expect(source).toContain('Subject: Order 7');
    expect(source).toContain('X-Order: 7');
    expect(source).toContain('References: <a@shop.example>');
    expect(source).toContain('Reply-To: <help@shop.example>');
    expect(source).toContain('Dear Ada');
    expect(source).toMatch(/filename="terms.txt"[\s\S]*QmUga2luZA=/);
    expect(source).not.toContain('List-Unsubscribe');
  });

  test('another template language’s braces are sent unchanged unless variables are strict', async () => {
    const html =
      '<p>{{firstname}} {{ number }} {{ stock }} {{#if a}} {{{ raw }}} {$user} {{ note | default: "none" }}</p>';
    const content = body({ subject: 'Order {{ number }} of {{ shop.name }}', html });
    const unknown = { ...content, html: '<p>{{ stock }}</p>', strict_variables: true };
    const strict = await api.post('/message/send', unknown);
    expect([strict.status, Object.keys(strict.body.errors)]).toEqual([
      ...[422, expect.arrayContaining(['variables.stock'])],
    ]);
    expect((await api.post('/message/send', content)).status).toBe(200);
    const [source = ''] = await waitForEmails(1);
    expect(source).toContain('Subject: Order 7 of {{ shop.name }}');
    expect(source).toContain('Ada 7 {{ stock }} {{#if a}} {{{ raw }}} {$user} none');
  });

  test('a template is sent to the address in recipient_email, with escaped values', async () => {
    const id = await template();
    const response = await api.post(`/message/${id}/send`, {
      recipient_email: 'buyer@home.example',
      variables: { code: '<b>1</b>' },
      headers: [{ name: 'X-Sendloom-Track', value: 'no' }],
    });
    expect(response.status).toBe(200);
    const [source = ''] = await waitForEmails(1);
    expect(source).toContain('Code &lt;b&gt;1&lt;/b&gt;');
    expect(source).not.toContain('/t/o/');
  });

  test('a loop over order lines is rendered with escaped values', async () => {
    const html = '<ul>{% for item in items %}<li>{{ item.name }}</li>{% endfor %}</ul>';
    const items = [{ name: 'Tea' }, { name: '{{ html }} <i>' }];
    const response = await api.post(
      '/message/send',
      body({ html, variables: { items, number: 1 } }),
    );
    expect(response.status).toBe(200);
    const [source = ''] = await waitForEmails(1);
    expect(source).toContain('<li>Tea</li>');
    expect(source).toContain('&#60;i&#62;');
  });

  test('two calls with one idempotency key send once, even concurrently, and different content with that key is refused', async () => {
    const key = { 'idempotency-key': 'order 7' };
    const responses = await Promise.all([
      api.post('/message/send', body(), key),
      api.post('/message/send', body(), key),
    ]);
    expect(responses[0]?.body).toEqual(responses[1]?.body);
    expect(responses[0]?.headers['x-message-id']).toBe(responses[1]?.headers['x-message-id']);
    expect(responses.map((response) => response.headers['idempotency-replayed'])).toContain('true');
    expect((await api.post('/message/send', body({ subject: 'x' }), key)).status).toBe(422);
    await waitForEmails(1);
  });

  test('forty concurrent calls with thirty keys create thirty emails, and an error affects only its own call', async () => {
    const call = (n: number, key: string, changes: object = {}) =>
      api.post('/message/send', body({ to: { email: `at-once-${n}@home.example` }, ...changes }), {
        'idempotency-key': key,
      });
    const responses = await Promise.all([
      ...Array.from({ length: 30 }, (_, n) => call(n, `at once ${n}`)),
      ...Array.from({ length: 10 }, (_, n) => call(n, `at once ${n}`)),
      // PostgreSQL cannot store NUL, so it is removed on input.
      call(99, 'at once 99', { variables: { number: '\u0000' } }),
      call(1, 'at once 2'),
    ]);
    const [cleaned, conflicting] = responses.splice(-2);
    expect(responses.map(({ status }) => status)).toEqual(Array.from({ length: 40 }, () => 200));
    expect(cleaned?.status).toBe(200);
    expect([conflicting?.status, conflicting?.body.code]).toEqual([422, 'idempotency_conflict']);
    const ids = responses.map(({ body: { emailId } }) => emailId);
    expect(ids.slice(30)).toEqual(ids.slice(0, 10));
    const { rows } = await sql<{ count: number }>`select count(*)::int as count from single_sends
      where recipient like 'at-once-%'`.execute(server.db);
    expect(rows[0]?.count).toBe(31);
    await sql`delete from single_sends where recipient like 'at-once-%'`.execute(server.db);
  });

  test('a suppressed recipient is accepted and skipped', async () => {
    await inTransaction(server.db, (tx) =>
      suppress(tx, owner.accountId, ['left@home.example'], {
        channel: 'temail',
        reason: 'unsubscribed',
      }),
    );
    const id = await template();
    for (const email of ['left@home.example', 'stays@home.example'])
      await api.post(`/message/${id}/send`, { to: { email }, variables: { code: 1 } });
    await waitForEmails(1);
    const readSkipped = async () =>
      (await owner.get(`${API}/${id}/activity?kind=not_sent`)).body.data;
    await expect
      .poll(readSkipped)
      .toMatchObject([{ email: 'left@home.example', reason: 'suppressed' }]);
  });
});

describe('refusals', () => {
  const refusals: [string, object, string][] = [
    ['no recipient', { to: undefined }, 'to'],
    ['a thousand recipients', { to: Array.from({ length: 1000 }, () => FROM) }, 'to'],
    ['a line break in the subject', { subject: 'a\r\nBcc: x@x.example' }, 'subject'],
    ['a line break in a header', { headers: { 'X-A': 'a\r\nBcc: x@x.example' } }, 'headers.X-A'],
    ['a reserved header', { headers: { Bcc: 'x@x.example' } }, 'headers.Bcc'],
    ['a missing value', { variables: {}, strict_variables: true }, 'variables.number'],
    ['an unclosed loop', { html: '{% for a in b %}' }, 'html'],
    [
      'a filter that evaluates expressions',
      { html: '{% if a %}{% endif %}{{ items | has_exp: "x", "x" }}' },
      'html',
    ],
    [
      'a template named like a property of every object',
      { html: '{% render constructor %}' },
      'html',
    ],
    [
      'a tag named like a property of every object',
      { html: '{{ constructor }}', strict_variables: true },
      'variables.constructor',
    ],
    [
      'an executable attachment',
      { attachments: { 'a.exe': 'base64://TVqQ' } },
      'attachments.a.exe',
    ],
    [
      'an attachment at a private address',
      { attachments: { 'a.txt': 'http://10.0.0.1/a.txt' } },
      'attachments.a.txt',
    ],
    ['no content', { html: undefined }, 'html'],
  ];
  test.each(refusals)('%s is refused with an error for its field', async (_, changes, field) => {
    const response = await api.post('/message/send', body(changes));
    expect(response.status).toBe(422);
    expect(response.body.success).toBe(false);
    expect(Object.keys(response.body.errors)).toContain(field);
  });

  test('a body of 25 MB, another account’s template and a template without content are refused', async () => {
    const response = await api.post('/message/send', body({ html: 'x'.repeat(25_000_000) }));
    expect(response.status).toBe(413);
    const id = await template();
    const recipient = { to: { email: 'x@home.example' } };
    expect((await otherApi.post(`/message/${id}/send`, recipient)).status).toBe(404);
    const emptyTemplate = await owner.post(API, { title: 'Empty', subject: 'x' });
    const emptyResponse = await api.post(`/message/${emptyTemplate.body.data.id}/send`, recipient);
    expect([emptyResponse.status, emptyResponse.body.code]).toEqual([422, 'template_empty']);
    const { rows } = await sql`select 1 from single_sends where account_id = ${otherApi.accountId}
      and recipient = 'x@home.example'`.execute(server.db);
    expect(rows).toEqual([]);
  });
});

test('slow Liquid is refused while other calls are served', async () => {
  const loops = '{% for a in (1..9000) %}{% for b in (1..9000) %}{% endfor %}{% endfor %}';
  const request = api.post('/message/send', body({ html: loops.repeat(20) }));
  const startedAt = performance.now();
  expect((await otherApi.get('/transactional')).status).toBe(200);
  expect(performance.now() - startedAt).toBeLessThan(1_000);
  expect((await request).status).toBe(422);
});

test('the public API creates, lists, changes, previews and deletes templates', async () => {
  const id = await template('<p>Hello {{ name }}</p>');
  const publicTemplate = (await api.get(`/transactional/${id}`)).body.data;
  expect(publicTemplate).toMatchObject({
    id,
    from: 'Shop',
    reply_to: 'shop@shop.example',
    type: 'API',
    editor: 'html',
    html: { has_preview: true, has_snapshots: false },
    purchaseCount: 0,
  });
  expect((await api.get('/transactional?limit=100')).body.data).toContainEqual(publicTemplate);
  const preview = await api.post(`/message/${id}/preview`, { variables: { name: 'Ada' } });
  expect(preview.body.data.html).toContain('Hello Ada');
  await api.patch(`/transactional/${id}`, { subject: 'New', content: '<p>Bye</p>' });
  expect((await api.get(`/transactional/${id}`)).body.data.subject).toBe('New');
  for (const call of [
    otherApi.get(`/transactional/${id}`),
    otherApi.delete(`/transactional/${id}`),
  ])
    expect((await call).status).toBe(404);
  expect((await api.delete(`/transactional/${id}`)).status).toBe(200);
  expect((await api.get(`/transactional/${id}`)).status).toBe(404);
});

test('the web app saves, previews and duplicates templates and shows their setup, per account', async () => {
  const created = await owner.post(API, {
    title: 'Receipt',
    subject: 'Thanks',
    from_email: FROM.email,
  });
  const { id, revision } = created.body.data;
  const content = { revision, editor: 'text', plain_text: 'Thank you {{ firstname }}' };
  expect((await owner.put(`${API}/${id}/content`, content)).status).toBe(200);
  expect((await owner.get(`${API}/${id}/plain_preview`)).body.data.text).toContain('Thank you');
  expect((await owner.get(`${API}/${id}/preview`)).status).toBe(200);
  expect((await owner.patch(`${API}/${id}`, { subject: 'x', revision })).body.code).toBe(
    'stale_revision',
  );
  const copy = await owner.post(`${API}/${id}/duplicate`);
  expect(copy.body.data).toMatchObject({ title: 'Receipt', editor: 'text', is_ready: true });
  const list = await owner.get(`${API}?search=receipt&order=title&direction=asc`);
  expect(list.body.meta.total).toBe(2);
  const setup = (await owner.get(`${API}/${id}/setup`)).body.data;
  expect(setup.map((record: { way: string }) => record.way)).toEqual([
    'curl',
    'node',
    'php',
    'python',
    'smtp',
  ]);
  for (const record of setup.slice(0, 4)) expect(record.code).toContain(`/v2/message/${id}/send`);
  const outsider = await server.owner();
  for (const path of [
    '',
    '/content',
    '/setup',
    '/activity?kind=sent',
    '/activity/export?kind=sent',
    '/heatmap',
  ])
    expect((await outsider.get(`${API}/${id}${path}`)).status, path).toBe(404);
  expect((await owner.delete(`${API}/${id}`)).status).toBe(200);
  expect((await owner.get(`${API}/${id}`)).status).toBe(404);
});

test('engagement is reported by kind, by period and as a heat map of the email', async () => {
  const id = await template('<a href="https://shop.example/code">Code {{ code }}</a>');
  expect((await owner.get(`${API}/${id}/heatmap`)).body.code).toBe('not_sent_yet');
  const call = { to: { email: 'reader@home.example' }, variables: { code: 1 } };
  const { emailId } = (await api.post(`/message/${id}/send`, call)).body;
  startTestSender(server.db, relay.url);
  const code = () =>
    relay.accepted
      .map((receivedMessage) => plainOf(receivedMessage.source))
      .find((record) => record.includes('<reader@'));
  await expect.poll(code, { timeout: 10_000 }).toBeDefined();
  const link = /(\/t\/c\/[\w-]+\/\d+)/.exec(code() ?? '')?.[1] ?? '';
  const report = async () => (await owner.get(`${API}/${id}`)).body.data.figures.sent;
  await expect.poll(report).toBe(1);
  clock.advance(60_000);
  await server.client().get(link, CHROME);
  await settleTracking(server.db);
  clock.advance(60_000);
  const readFigures = async () => {
    await settleTracking(server.db);
    return (await owner.get(`${API}/${id}`)).body.data.figures;
  };
  await expect.poll(readFigures, { timeout: 10_000 }).toMatchObject({ sent: 1, clicks: 1 });
  const clicks = (await owner.get(`${API}/${id}/activity?kind=clicks&search=READER`)).body.data;
  expect(clicks).toMatchObject([
    { id: emailId, email: 'reader@home.example', url: 'https://shop.example/code' },
  ]);
  const file = await owner.get(`${API}/${id}/activity/export?kind=clicks`);
  expect(file.headers['content-disposition']).toBe('attachment; filename="clicks.csv"');
  expect(file.text.split('\r\n')[1]).toMatch(
    /^reader@home\.example,.*,https:\/\/shop\.example\/code,,$/,
  );
  const today = clock.now().toISOString().slice(0, 10);
  const span = `from=${today}&to=${today}&period=day`;
  expect((await api.get(`/transactional/${id}/report?${span}`)).body.data).toMatchObject({
    sent: 1,
    clicks: 1,
    periods: [{ date: today, sent: 1 }],
  });
  const heat = (await owner.get(`${API}/${id}/heatmap`)).body.data;
  expect(heat.html).toContain('#link-');
  expect(heat.links).toContainEqual(
    expect.objectContaining({ url: 'https://shop.example/code', human_clicks: 1 }),
  );
});
