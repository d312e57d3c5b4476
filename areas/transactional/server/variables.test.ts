// Variables of a template over HTTP: found in its content, with samples in previews, tests, checks
// and the code samples; reports on single emails and on emails without a template.
import { sql } from 'kysely';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import {
  createBlock,
  createEmailDocument,
  createSection,
} from '#areas/content/document-factory.ts';
import { type PublicClient, publicClient } from '#testing/setup/public-client.ts';
import { startTestSender } from '#testing/worlds/sender.ts';
import { type TestOwner, type TestServer, testServer } from '#testing/setup/server.ts';
import { startSmtpServer, type TestSmtpServer } from '#testing/servers/smtp-server.ts';
import { listTemplateTexts, createSampleValues, findVariables, addSamples } from './variables.ts';

const API = '/client-api/api/transactional';
let server: TestServer;
let owner: TestOwner;
let api: PublicClient;
let relay: TestSmtpServer;

beforeAll(async () => {
  server = await testServer();
  owner = await server.owner();
  api = await publicClient(server, owner);
  await sql`delete from single_sends`.execute(server.db);
});
beforeEach(async () => {
  relay = await startSmtpServer();
  return () => relay.close();
});

const receipt = createEmailDocument([
  createSection([
    [
      createBlock('text', { html: '<p>Total: {{total}} for {{ customer.name }}</p>' }),
      createBlock('table', {
        rows: [
          ['Item', 'Price'],
          ['{{ item.title }}', '{{ item.price }}'],
        ],
        each: 'items',
      }),
    ],
  ]),
]);

async function template() {
  const created = await owner.post(API, {
    title: 'Receipt',
    subject: 'Order {{ order_number }}',
    from_email: 'shop@shop.example',
  });
  const { id, revision } = created.body.data;
  const contentResponse = await owner.put(`${API}/${id}/content`, {
    revision,
    editor: 'editor',
    document: receipt,
  });
  expect(contentResponse.status).toBe(200);
  return id as string;
}

test('variables are found in tags, loops, conditions and repeated rows, and get sample values', () => {
  const variableEntries = (...texts: string[]) => [...findVariables(texts, ['city']).entries()];
  expect(
    variableEntries('{{ total }} {{- order.number | upcase }} {{firstname}} {{city}} {{company}}'),
  ).toEqual([
    ['total', undefined],
    ['order.number', undefined],
  ]);
  expect(
    variableEntries(
      '{% if paid and note != "no" %}{% for i in items %}{{ i.name }}{% endfor %}{% endif %}',
    ),
  ).toEqual([
    ['items', new Set(['name'])],
    ['paid', undefined],
    ['note', undefined],
  ]);
  expect([...findVariables(listTemplateTexts(receipt)).keys()]).toEqual([
    'items',
    'total',
    'customer.name',
  ]);
  const samples = addSamples(
    findVariables(['{{ order.number }} {{ __proto__ }}']),
    [{ name: 'later', sample: 1 }],
    { order_number: '10482' },
  );
  expect(JSON.stringify(createSampleValues(samples))).toBe(
    '{"order":{"number":"10482"},"__proto__":"__proto__","later":1}',
  );
});

test('samples fill previews, test emails and the code sample, and variables cause no findings', async () => {
  const id = await template();
  const path = `${API}/${id}`;
  const { variables, revision } = (await owner.get(path)).body.data;
  const names = variables.map((variable: { name: string }) => variable.name);
  expect(names.toSorted()).toEqual(['customer.name', 'items', 'order_number', 'total']);
  const checks = (await owner.get(`${path}/checks`)).body.data as { code: string }[];
  expect(checks.filter(({ code }) => code.startsWith('tag_'))).toEqual([]);

  const accountVariables = [{ name: 'total', sample: '€12.00' }];
  expect((await owner.patch(path, { variables: accountVariables, revision })).status).toBe(200);
  const { html, subject } = (await owner.get(`${path}/preview`)).body.data;
  expect(subject).toBe('Order 10482');
  expect(html).toContain('Total: €12.00');
  expect(html.match(/<td[^>]*>(?:<[^>]*>)*Scented candle/g)).toHaveLength(1);
  const draft = { editor: 'html', html: '<p>{% for x in things %}{{ x.name }}!{% endfor %}</p>' };
  const preview = (await owner.post(`${path}/preview`, draft)).body.data;
  expect(preview.html).toContain('name!');
  const broken = { editor: 'html', html: '<p>{% for x in %}{% endfor %}</p>' };
  const findings = (await owner.post(`${path}/preview`, broken)).body.data.findings;
  expect(findings).toMatchObject([{ code: 'logic_invalid', severity: 'error' }]);
  const tags = (await owner.get(`${path}/merge_tags`)).body.data;
  expect(tags).toContainEqual({
    name: 'total',
    title: 'total',
    kind: 'variable',
    is_required: true,
  });
  expect(tags).toContainEqual({ name: 'items', title: 'items', kind: 'list' });

  const [{ code }] = (await owner.get(`${path}/setup`)).body.data;
  const body = /-d '([\s\S]*)'$/.exec(code)?.[1] ?? '';
  expect((await api.post(`/message/${id}/send`, JSON.parse(body))).status).toBe(200);
  expect((await owner.post(`${path}/test`, { emails: ['me@shop.example'] })).status).toBe(200);
  startTestSender(server.db, relay.url);
  await expect.poll(() => relay.accepted.length, { timeout: 10_000 }).toBe(2);
  for (const { source } of relay.accepted) expect(source).toContain('Scented candle');
  const badName = { variables: [{ name: '1 x', sample: 1 }], revision: revision + 1 };
  expect((await owner.patch(path, badName)).status).toBe(422);
});

test('each built-in template has a thumbnail, no errors, and can be sent unchanged', async () => {
  const templates = (await owner.get('/client-api/api/templates')).body.data as {
    id: string;
    purpose: string;
    thumbnail_url: string;
  }[];
  const galleryTemplates = templates.filter(({ purpose }) => purpose === 'transactional');
  expect(galleryTemplates).toHaveLength(8);
  for (const { id: name, thumbnail_url: thumbnail } of galleryTemplates) {
    const image = await owner.get(thumbnail);
    expect(image.status, name).toBe(200);
    expect(image.text).not.toContain('Unsubscribe');
    const { document, subject, title } = (await owner.get(`/client-api/api/templates/${name}`)).body
      .data;
    const created = await owner.post(API, { title, subject, from_email: 'shop@shop.example' });
    const { id, revision } = created.body.data;
    await owner.put(`${API}/${id}/content`, { revision, editor: 'editor', document });
    const checks = (await owner.get(`${API}/${id}/checks`)).body.data as { severity: string }[];
    expect(
      checks.filter(({ severity }) => severity === 'error'),
      name,
    ).toEqual([]);
    const [{ code }] = (await owner.get(`${API}/${id}/setup`)).body.data;
    const body = JSON.parse(/-d '([\s\S]*)'$/.exec(code)?.[1] ?? '');
    const response = await api.post(`/message/${id}/send`, body);
    expect([name, response.status, response.body.errors]).toEqual([name, 200, undefined]);
  }
  await sql`delete from single_sends`.execute(server.db);
});

test('a report row opens the email as its recipient received it', async () => {
  const id = await template();
  const variables = { order_number: 7, total: '€9', items: [{ title: 'Tea', price: 9 }] };
  const call = {
    to: { email: 'buyer@home.example' },
    variables: { ...variables, customer: { name: 'Ada' } },
  };
  const { emailId } = (await api.post(`/message/${id}/send`, call)).body;
  startTestSender(server.db, relay.url);
  await expect.poll(() => relay.accepted.length, { timeout: 10_000 }).toBe(1);
  const path = `${API}/${id}/emails/${emailId}`;
  await expect
    .poll(async () =>
      (await owner.get(path)).body.data.steps.map((step: { kind: string }) => step.kind),
    )
    .toEqual(['created', 'accepted']);
  const { data } = (await owner.get(path)).body;
  expect(data.content).toMatchObject({ subject: 'Order 7', from: 'shop@shop.example' });
  expect(data.content.html).toContain('Total: €9 for Ada');
  expect(data.content.html).toContain('Tea');
  const otherOwner = await server.owner();
  expect((await otherOwner.get(path)).status).toBe(404);
  const elsewhere = await template();
  expect((await owner.get(`${API}/${elsewhere}/emails/${emailId}`)).status).toBe(404);
});

test('emails without a template share one report', async () => {
  const newOwner = await server.owner();
  const freshApi = await publicClient(server, newOwner);
  expect((await newOwner.get(API)).body.other).toBeNull();
  await freshApi.post('/message/send', {
    from: { email: 'shop@shop.example', name: 'Shop' },
    to: { email: 'own@home.example' },
    subject: 'Own content',
    html: '<p>Hello</p>',
  });
  startTestSender(server.db, relay.url);
  const readOther = async () => (await newOwner.get(API)).body.other;
  await expect.poll(async () => (await readOther()).figures.sent, { timeout: 10_000 }).toBe(1);
  const { id } = await readOther();
  const rows = (await newOwner.get(`${API}/${id}/activity?kind=sent`)).body.data;
  expect(rows).toMatchObject([{ email: 'own@home.example' }]);
  const email = (await newOwner.get(`${API}/${id}/emails/${rows[0].id}`)).body.data;
  expect(email.content).toMatchObject({ subject: 'Own content' });
  expect(
    (await newOwner.get(`${API}/${id}/report?from=2020-01-01&to=2040-01-01&period=year`)).body.data
      .total.sent,
  ).toBe(1);
  expect((await newOwner.patch(`${API}/${id}`, { title: 'x', revision: 1 })).status).toBe(404);
  await sql`delete from single_sends where account_id = ${newOwner.accountId}`.execute(server.db);
});
