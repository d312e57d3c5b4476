// Runs every example from the public API page against the product, with curl and the official
// client. Each example gets new resources for the IDs that it contains.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { proveDomain } from '#testing/worlds/sending-helpers.ts';
import { type PublicClient, publicClient } from '#testing/setup/public-client.ts';
import { type TestOwner, type TestServer, testServer } from '#testing/setup/server.ts';
import { workflowBuilder } from '#testing/worlds/workflow-builder.ts';
import { Sendloom } from '../clients/node/index.ts';

type RequestExample = { name: string; curl: string; client: string };

let server: TestServer;
let owner: TestOwner;
let api: PublicClient;
let baseUrl: string;
let examples: RequestExample[];

beforeAll(async () => {
  server = await testServer({ PRIVATE_HOSTS: 'yes' });
  owner = await server.owner();
  api = await publicClient(server, owner);
  await owner.patch('/client-api/api/account_questionnaire', {
    ...{ address: 'Storgata 1', city: 'Oslo', state: 'Oslo', country: 'NO', zip_code: '0155' },
    timezone: 'Europe/Oslo',
  });
  await proveDomain(server.db, owner.accountId);
  const name = { kind: 'alphanumeric', value: 'Tea shop', use_case: 'Orders' };
  const { id: sender } = (await owner.post('/client-api/api/phone', name)).body.data;
  await owner.post(`/client-api/api/phone/${sender}/compliance/terms`, {
    ...{ version: '2026-11-01', name: 'Ada' },
  });
  await server.app.listen({ port: 0, host: '127.0.0.1' });
  baseUrl = `http://127.0.0.1:${(server.app.server.address() as AddressInfo).port}`;
  const document = (await (await fetch(`${baseUrl}/docs/v2.json`)).json()) as DescribedSpec;
  examples = Object.entries(document.paths).flatMap(([path, calls]) =>
    Object.entries(calls).map(([method, { description }]) => {
      const [, curl = '', client = ''] =
        /```sh\n([\s\S]*?)\n```\s+```js\n([\s\S]*?)\n```/.exec(description) ?? [];
      return { name: `${method.toUpperCase()} ${path}`, curl, client };
    }),
  );
}, 120_000);

type DescribedSpec = { paths: Record<string, Record<string, { description: string }>> };

const create = async (path: string, body: object): Promise<string> => {
  const response = await api.post(path, body);
  expect(response.status, response.text).toBe(200);
  return response.body.data.id as string;
};
let count = 0;
const title = (label: string) => `${label} ${++count}`;

/** Each function creates one resource and returns its ID. */
const MAKE: Record<string, () => Promise<string>> = {
  GROUP_ID: () => create('/groups', { title: title('Customers') }),
  TAG_ID: () => create('/tags', { title: title('Customers') }),
  FIELD_ID: () => create('/fields', { title: title('Size'), type: 'text' }),
  SEGMENT_ID: async () => {
    const conditions = [{ type: 'email', operator: 'ends', operand: '.example' }];
    return (await owner.post('/client-api/api/filters', { conditions })).body.data.id;
  },
  CAMPAIGN_ID: async () => {
    const group = await create('/groups', { title: title('Readers of one') });
    await api.post('/subscribers', { email: 'reader@home.example', groups: [group] });
    return create('/campaigns', {
      ...{ subject: title('News'), from: 'Tea', reply_to: 'news@tea.example', groups: [group] },
      ...{ content_type: 'html', content: '<p>Tea. <a href="{{unsubscribe_link}}">Leave</a></p>' },
      ...{ auto_followup_active: true, auto_followup_subject: 'Again', auto_followup_delay: 12 },
    });
  },
  TRANSACTIONAL_ID: () =>
    create('/transactional', {
      ...{ subject: 'Order {{ number }}', from: 'Tea', reply_to: 'news@tea.example' },
      ...{ editor: 'html', content: '<p>Order {{ number }}</p>' },
    }),
  SMS_ID: async () =>
    (await api.post('/sms/send', { to: '+37060000001', text: title('Order') })).body.smsId,
  WEBHOOK_ID: () => create('/account/webhooks', { url: `${baseUrl}/hooks`, topic: 'groups/new' }),
  STORE_ID: () => create('/stores', { domain: `${title('shop').replace(' ', '')}.example` }),
  FORM_ID: async () =>
    (await owner.post('/client-api/api/forms', { title: title('Sign up'), type: 'embed' })).body
      .data.id,
  WORKFLOW_ID: async () => {
    const w = workflowBuilder(server, owner);
    const workflow = await w.workflow({ triggerType: 'API' }, title('Welcome'));
    const { id } = await w.group(title('Started'));
    await workflow.add(workflow.trigger, 'ACTION', { action: 'COPY', group: id });
    await workflow.activate();
    return workflow.id;
  },
};

/** Preconditions of individual calls, besides the resources with the IDs in the example. */
const PREPARATIONS: Record<string, (ids: Record<string, string>) => Promise<unknown>> = {
  'DELETE /v2/campaigns/{id}/schedule': ({ CAMPAIGN_ID }) =>
    api.post(`/campaigns/${CAMPAIGN_ID}/schedule`, { schedule_time: '2030-05-01 09:00:00' }),
  'DELETE /v2/subscribers/groups/{group}': ({ GROUP_ID }) =>
    api.post(`/subscribers/groups/${GROUP_ID}`, { subscribers: ['ada@home.example'] }),
};

/**
 * Creates the subscriber and the suppression that an example names and deletes conflicting results
 * of earlier examples.
 */
async function prepare({ name, curl }: RequestExample): Promise<void> {
  const phone = '+4791234567';
  if (curl.includes('ada@home.example'))
    await api.post('/subscribers', { email: 'ada@home.example', firstname: 'Ada', phone });
  if (curl.includes('left@home.example'))
    await api.post('/suppressions', { addresses: ['left@home.example'] });
  if (/^(POST|PATCH) \/v2\/(groups|tags|fields)/.test(name))
    for (const path of ['/groups', '/fields'])
      for (const item of (await api.get(`${path}?limit=100`)).body.data)
        if (/^(Readers( of the news)?|Favorite .*)$/.test(item.title))
          await api.delete(`${path}/${item.id}`);
  if (name === 'POST /v2/stores')
    for (const { id, domain } of (await api.get('/stores')).body.data)
      if (domain === 'shop.example') await api.delete(`/stores/${id}`);
}

async function idsFor(label: string): Promise<Record<string, string>> {
  const ids: Record<string, string> = {};
  for (const [name, make] of Object.entries(MAKE))
    if (label.includes(name)) ids[name] = await make();
  return ids;
}

const quoteForShell = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** One shell runs all examples, because a process of this size is slow to start others. */
const shell = spawn('bash', { stdio: ['pipe', 'pipe', 'pipe'] });
afterAll(() => shell.stdin.end());
let output = '';
let errorOutput = '';
shell.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
shell.stderr.setEncoding('utf8').on('data', (text: string) => (errorOutput += text));

/** Returns the script's output; throws if the script fails. */
async function run(script: string, env: Record<string, string>): Promise<string> {
  output = '';
  errorOutput = '';
  const names = Object.entries(env).map(([name, value]) => `${name}=${quoteForShell(value)}`);
  shell.stdin.write(`(export ${names.join(' ')}; eval ${quoteForShell(script)})\n`);
  shell.stdin.write(`printf '\\nended with %s\\n' $?\n`);
  for (;;) {
    const [end, code] = /\nended with (\d+)\n$/.exec(output) ?? [];
    if (end && code === '0') return output.slice(0, -end.length);
    if (end) throw new Error(`ended with ${code}: ${errorOutput}`);
    await once(shell.stdout, 'data');
  }
}

const byCurl = async ({ curl }: RequestExample, env: Record<string, string>) =>
  JSON.parse(await run(curl.replaceAll(server.config.publicUrl, baseUrl), env));

const byClient = async ({ client }: RequestExample, env: Record<string, string>) => {
  const { SENDLOOM_TOKEN: token = '' } = env;
  const sendloom = new Sendloom({ token, baseUrl, retries: 0 });
  const body = `return (async () => {\n return ${client}\n})()`;
  // oxlint-disable-next-line typescript/no-implied-eval
  return new Function('sendloom', 'process', body)(sendloom, { env });
};

test('every call on the API page has examples', () => {
  expect(examples.length).toBeGreaterThan(80);
  expect(examples.filter(({ curl, client }) => !curl || !client)).toEqual([]);
});

test.each([
  ['curl', byCurl],
  ['the official client', byClient],
])('each example of %s succeeds', { timeout: 600_000 }, async (_, callExample) => {
  const failures: unknown[] = [];
  let token = '';
  for (const [index, example] of examples.entries()) {
    // A token may make 300 calls a minute, so the preparations get a new token every 25 examples,
    // and the examples a new token every 50.
    if (index % 25 === 0) api = await publicClient(server, owner);
    if (index % 50 === 0) ({ token } = await publicClient(server, owner));
    await prepare(example);
    const ids = await idsFor(example.curl);
    await PREPARATIONS[example.name]?.(ids);
    const answer = await callExample(example, { ...ids, SENDLOOM_TOKEN: token }).catch(
      (error: Error) => error,
    );
    const isRefused = answer instanceof Error || answer.success === false;
    if (isRefused) failures.push([example.name, answer instanceof Error ? answer.message : answer]);
  }
  expect(failures).toEqual([]);
});
