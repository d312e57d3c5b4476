// Assistance with a local model server: settings, both protocols, requests, and accepted responses.
import { sql } from 'kysely';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { clock } from '#platform/server/clock.ts';
import { loadConfig } from '#platform/server/config.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { type ModelServer, startModelServer } from '#testing/servers/model-server.ts';
import { runDuringChange } from '#testing/setup/lock-waiters.ts';
import { listening } from '#testing/setup/mcp.ts';
import { type TestClient, type TestServer, testServer } from '#testing/setup/server.ts';
import { reserveTokens, settleTokens } from './models.sql.ts';
import { isListed, readPrivateHosts } from './private-hosts.ts';
import { findQueryModel, queryModel } from './query-model.ts';
import { listFixedParts } from './texts.ts';

let server: TestServer;
let model: ModelServer;
const API = '/client-api/api';
const PATH = `${API}/assistance`;

beforeAll(async () => {
  model = await startModelServer();
  server = await testServer({ MODEL_HOSTS: '127.0.0.1' });
});
beforeEach(() => {
  model.requests.length = 0;
  model.responses = ['ready'];
  model.usage = undefined;
  model.responseGate = undefined;
});

const settings = (overrides: object = {}) => ({
  ...{ protocol: 'openai', address: `${model.address}/v1`, model: 'llama', monthly_tokens: null },
  ...overrides,
});

async function createOwnerWithModel(overrides: object = {}) {
  const owner = await server.owner();
  const response = await owner.put(PATH, settings(overrides));
  expect(response.status, response.text).toBe(200);
  return owner;
}

const suggest = (owner: TestClient, overrides: object) =>
  owner.post(`${PATH}/texts`, {
    task: 'rewrite',
    language: 'eng',
    is_confirmed: true,
    ...overrides,
  });
const createTextsReply = (...list: string[]) => JSON.stringify({ texts: list });

test('assistance is off until an administrator chooses a model', async () => {
  const owner = await server.owner();
  expect((await owner.get(PATH)).body.data).toMatchObject({ is_on: false, used_tokens: 0 });
  const rejection = await suggest(owner, { texts: ['Tea'] });
  expect([rejection.status, rejection.body.code]).toEqual([409, 'model_off']);
  expect(model.requests).toEqual([]);
});

test.each([
  ['openai', '/v1', '/v1/chat/completions', 'authorization', 'Bearer secret-key'],
  ['anthropic', '', '/v1/messages', 'x-api-key', 'secret-key'],
] as const)(
  'a request of the protocol %s has its path, model and key',
  async (protocol, base, path, header, value) => {
    const owner = await createOwnerWithModel({
      protocol,
      address: `${model.address}${base}`,
      key: 'secret-key',
    });
    const testResponse = await owner.post(`${PATH}/test`, {});
    expect(testResponse.body.data).toMatchObject({ answer: 'ready' });
    const [request] = model.requests;
    expect(request).toMatchObject({ path, headers: { [header]: value }, body: { model: 'llama' } });
    const storedSettings = await owner.get(PATH);
    expect(storedSettings.body.data).toMatchObject({ has_key: true, used_tokens: 120 });
    expect(storedSettings.text).not.toContain('secret-key');
  },
);

test('the exact request is shown before anything is sent', async () => {
  const owner = await createOwnerWithModel();
  const input = { texts: ['Write to ada@tea.example or +47 22 33 44 55'] };
  const preview = await suggest(owner, { ...input, is_confirmed: false });
  expect(preview.body.data.texts).toBeNull();
  expect(model.requests).toEqual([]);
  expect(preview.body.data.request.personal).toEqual(['ada@tea.example', '+47 22 33 44 55']);
  model.responses = [createTextsReply(input.texts[0] ?? '')];
  await suggest(owner, input);
  expect(JSON.parse(preview.body.data.request.body)).toEqual(model.requests[0]?.body);
});

test('subject lines are returned as single lines without markup', async () => {
  const owner = await createOwnerWithModel();
  model.responses = [
    `Sure!\n\`\`\`json\n${createTextsReply('One', '<b>Two</b>\nlines', '', 'Three')}\n\`\`\``,
  ];
  const response = await suggest(owner, { task: 'subject_lines', texts: ['Fresh tea'] });
  expect(response.body.data.texts).toEqual(['One', 'Two lines', 'Three']);
});

test('a response that changes merge tags or links is requested once more, then refused', async () => {
  const owner = await createOwnerWithModel();
  const source = 'Hi {{ firstname }}, see https://tea.example/new';
  model.responses = [
    createTextsReply('Hi there'),
    createTextsReply('Hello {{firstname}}: https://tea.example/new'),
  ];
  const response = await suggest(owner, { texts: [source] });
  expect(response.body.data.texts).toEqual(['Hello {{firstname}}: https://tea.example/new']);
  expect(model.requests).toHaveLength(2);
  for (const invalidResponse of [
    createTextsReply('Hello'),
    createTextsReply('Hi {{firstname}} https://evil.example'),
    createTextsReply('Hi {{firstname}}{{email}} https://tea.example/new'),
    createTextsReply('a', 'b'),
    'no JSON',
  ]) {
    model.responses = [invalidResponse];
    const rejection = await suggest(owner, { task: 'translate', texts: [source] });
    expect([rejection.status, rejection.body.code], invalidResponse).toEqual([
      422,
      'model_changed_tags',
    ]);
  }
});

test('a second attempt replaces only unusable suggestions', async () => {
  const owner = await createOwnerWithModel();
  const sources = ['Hi {{firstname}}', '[[1]]Tea[[/1]]'];
  model.responses = [
    createTextsReply('Hei {{firstname}}', 'Te'),
    createTextsReply('Hallo', '[[1]]Te[[/1]]'),
  ];
  const response = await suggest(owner, { task: 'translate', texts: sources });
  expect(response.body.data.texts).toEqual(['Hei {{firstname}}', '[[1]]Te[[/1]]']);
  expect(model.requests).toHaveLength(2);
});

test('model failures are explained, and redirects are not followed', async () => {
  const owner = await createOwnerWithModel();
  for (const [status, code] of [
    [401, 'model_refused'],
    [302, 'model_refused'],
    [500, 'model_refused'],
  ] as const) {
    model.responses = [status];
    expect((await owner.post(`${PATH}/test`, {})).body.code).toBe(code);
  }
  await owner.put(PATH, settings({ address: 'http://127.0.0.1:1/v1' }));
  expect((await owner.post(`${PATH}/test`, {})).body.code).toBe('model_unreachable');
});

test('the monthly limit stops further requests', async () => {
  const owner = await createOwnerWithModel({ monthly_tokens: 1000 });
  model.responses = [createTextsReply('Tea')];
  for (let request = 0; request < 9; request++)
    expect((await suggest(owner, { texts: ['Tea'] })).status).toBe(200);
  const rejection = await suggest(owner, { texts: ['Tea'] });
  expect([rejection.status, rejection.body.code]).toEqual([429, 'model_limit']);
});

test("a request shows its cost at the model's prices, and the month shows the total", async () => {
  const prices = { input: 3, output: 15.5, currency: 'USD' };
  const owner = await createOwnerWithModel({ prices });
  expect((await owner.get(PATH)).body.data).toMatchObject({ prices, cost: null });
  model.responses = [createTextsReply('Tea {{x}}'), createTextsReply('Tea')];
  const input = { texts: ['Tea'] };
  const { request } = (await suggest(owner, { ...input, is_confirmed: false })).body.data;
  const { max_tokens: maxTokens } = JSON.parse(request.body);
  expect(request.cost.currency).toBe('USD');
  // The shown cost includes a second attempt, in case a response is unusable.
  expect(request.cost.amount).toBeGreaterThan((2 * maxTokens * 15.5) / 1e6);
  expect(request.cost.amount).toBeLessThan((2 * (maxTokens + 300) * 15.5) / 1e6);
  const cost = (await suggest(owner, input)).body.data.request.cost;
  // Each of the two attempts used 100 and 20 tokens.
  expect(cost.amount).toBeCloseTo((2 * (100 * 3 + 20 * 15.5)) / 1e6, 10);
  const readMonthCost = async () => (await owner.get(PATH)).body.data.cost;
  expect(await readMonthCost()).toEqual(cost);
  const newPrices = { input: 1, output: 0, currency: 'EUR' };
  await owner.put(PATH, settings({ prices: newPrices }));
  expect(await readMonthCost()).toEqual(cost);
  await suggest(owner, input);
  expect(await readMonthCost()).toEqual({ amount: 0.0001, currency: 'EUR' });
  await owner.put(PATH, settings());
  expect((await suggest(owner, input)).body.data.request.cost).toBeNull();
  expect(await readMonthCost()).toEqual({ amount: 0.0001, currency: 'EUR' });
  for (const invalidPrices of [
    { input: 3, output: 15 },
    { ...prices, input: -1 },
    { ...prices, currency: 'dollar' },
    { ...prices, output: 1e9 },
  ])
    expect((await owner.put(PATH, settings({ prices: invalidPrices }))).status).toBe(422);
});

test('a request that its client aborts is stopped at the model, and its tokens count', async () => {
  const owner = await createOwnerWithModel();
  const input = { title: 'Program', validity_days: null, scopes: null };
  const { token } = (await owner.post(`${API}/tokens`, input)).body.data;
  const { promise, resolve: release } = Promise.withResolvers<void>();
  model.responseGate = promise;
  model.droppedCount = 0;
  const client = new AbortController();
  const running = fetch(`${await listening(server)}${PATH}/texts`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ task: 'rewrite', texts: ['Tea'], language: 'eng', is_confirmed: true }),
    signal: client.signal,
  });
  await expect.poll(() => model.requests.length).toBe(1);
  client.abort();
  await expect(running).rejects.toThrow();
  await expect.poll(() => model.droppedCount).toBe(1);
  release();
  const readUsedTokens = async () => (await owner.get(PATH)).body.data.used_tokens;
  await expect.poll(readUsedTokens).toBeGreaterThan(20);
  expect(await readUsedTokens()).toBeLessThan(200);
});

test('a response that is stopped while it arrives is also stopped at the model, and its tokens count', async () => {
  const owner = await createOwnerWithModel();
  const row = await findQueryModel(server.db, owner.accountId);
  const { promise, resolve: release } = Promise.withResolvers<void>();
  model.responseGate = promise;
  model.droppedCount = 0;
  model.responses = ['Good results.'];
  const stop = new AbortController();
  const chunks: string[] = [];
  const onText = (text: string) => {
    chunks.push(text);
    stop.abort();
  };
  const prompt = { system: 'Answer', text: 'Tea?', maxTokens: 1000, isStreamed: true };
  await expect(
    queryModel(server.db, row, prompt, { signal: stop.signal, onText }),
  ).rejects.toMatchObject({ code: 'model_unreachable' });
  expect(chunks).toEqual(['Good re']);
  await expect.poll(() => model.droppedCount).toBe(1);
  release();
  const { used_tokens: usedTokens } = (await owner.get(PATH)).body.data;
  expect(usedTokens).toBeGreaterThan(3);
  expect(usedTokens).toBeLessThan(20);
});

test('concurrent requests share the monthly limit', async () => {
  const owner = await createOwnerWithModel({ monthly_tokens: 1000 });
  const row = await findQueryModel(server.db, owner.accountId);
  const { promise, resolve: release } = Promise.withResolvers<void>();
  model.responseGate = promise;
  const outcomes: string[] = [];
  const query = () =>
    queryModel(server.db, row, { system: 'Answer', text: 'Tea?', maxTokens: 1000 }).then(
      ({ text }) => outcomes.push(text),
      (error) => outcomes.push(error.code),
    );
  const parallel = Array.from({ length: 8 }, query);
  await expect.poll(() => outcomes.length).toBe(7);
  release();
  await Promise.all(parallel);
  expect(outcomes).toEqual([...Array(7).fill('model_limit'), 'ready']);
  expect(model.requests).toHaveLength(1);
  // The reservation is settled, so the rest of the month's tokens is available.
  expect((await owner.get(PATH)).body.data).toMatchObject({ used_tokens: 120 });
  expect((await owner.post(`${PATH}/test`, {})).status).toBe(200);
});

test('a failed request uses no tokens, and an expired reservation does not block requests', async () => {
  const owner = await createOwnerWithModel({ monthly_tokens: 1000 });
  model.responses = [500];
  for (let request = 0; request < 3; request++)
    expect((await owner.post(`${PATH}/test`, {})).body.code).toBe('model_refused');
  // The reservation of a process that ended during its request lasts for a minute.
  await sql`insert into model_reservations (account_id, tokens, until)
    values (${owner.accountId}, 5000, now() + interval '1 minute')`.execute(server.db);
  expect((await owner.post(`${PATH}/test`, {})).body.code).toBe('model_limit');
  await sql`insert into model_reservations (account_id, tokens, until)
    values (${owner.accountId}, 100, now() + interval '1 hour')`.execute(server.db);
  await sql`update model_reservations set until = now() - interval '1 second'
    where account_id = ${owner.accountId} and tokens = 5000`.execute(server.db);
  model.responses = ['ready'];
  expect((await owner.post(`${PATH}/test`, {})).status).toBe(200);
  expect((await owner.get(PATH)).body.data).toMatchObject({ used_tokens: 120 });
});

test('settling the tokens of a request waits while another request deletes the expired reservation of the first', async () => {
  const { accountId } = await createOwnerWithModel();
  const { db } = server;
  const at = clock.now();
  const reservedUntil = new Date(at.getTime() + 60_000);
  const reservation = { tokens: 10, maxTokens: null, at, expiresAt: reservedUntil };
  const id = await inTransaction(db, (tx) => reserveTokens(tx, accountId, reservation));
  if (id === undefined) throw new Error('Nothing reserved');
  // A transaction that a deadlock ended would start again, and be listed twice.
  const log: string[] = [];
  await runDuringChange(
    db,
    (tx) => {
      log.push('reserve');
      return reserveTokens(tx, accountId, reservation);
    },
    () =>
      inTransaction(db, (tx) => {
        log.push('settle');
        return settleTokens(tx, accountId, { id, at }, undefined);
      }),
    // This deletes the reservation that is being settled, while the month is locked.
    (tx) => reserveTokens(tx, accountId, { ...reservation, at: reservedUntil }),
  );
  expect(log).toEqual(['reserve', 'settle']);
  const { rows } = await sql`select from model_reservations
    where account_id = ${accountId} and id = ${id}`.execute(db);
  expect(rows).toEqual([]);
});

test.each([
  ['openai', '/v1', null],
  ['openai', '/v1', {}],
  ['anthropic', '', null],
  ['anthropic', '', 'none'],
] as const)(
  'the tokens of an answer of %s without usage figures are estimated from its text',
  async (protocol, base, usage) => {
    const owner = await createOwnerWithModel({ protocol, address: `${model.address}${base}` });
    model.usage = usage;
    const testResponse = await owner.post(`${PATH}/test`, {});
    expect(testResponse.body.data).toMatchObject({ answer: 'ready' });
    const { used_tokens: usedTokens } = (await owner.get(PATH)).body.data;
    // The prompt has 54 bytes and the response 5.
    expect(usedTokens).toBeGreaterThan(10);
    expect(usedTokens).toBeLessThan(40);
  },
);

test.each([
  ['localhost', 'http://localhost:11434/v1', true],
  ['localhost:11434', 'http://localhost:11434/v1', true],
  ['localhost:11434', 'http://localhost:5432/v1', false],
  ['localhost:80', 'http://localhost/v1', true],
  ['localhost:443', 'https://localhost/v1', true],
  ['localhost:443', 'http://localhost/v1', false],
  ['10.0.0.5:8000', 'http://10.0.0.5:8000/v1', true],
  ['10.0.0.5:8000', 'http://10.0.0.5:8001/v1', false],
  ['[::1]:11434', 'http://[::1]:11434/v1', true],
  ['[::1]:11434', 'http://[::1]:80/v1', false],
  ['::1', 'http://[::1]:11434/v1', true],
  ['LocalHost:11434', 'http://localhost:11434/v1', true],
  ['localhost:11434', 'http://localhost.evil.example:11434/v1', false],
])('with the listed host %s, the URL %s is allowed: %s', (entry, address, isAllowed) => {
  expect(isListed(readPrivateHosts([entry]), new URL(address))).toBe(isAllowed);
});

test.each(['http://localhost:11434', 'localhost/v1', 'localhost:port', 'a b host:1:2'])(
  'MODEL_HOSTS=%s is refused at startup',
  (MODEL_HOSTS) => {
    expect(() => loadConfig({ MODEL_HOSTS })).toThrow(/MODEL_HOSTS/);
  },
);

test('private hosts are refused unless the operator lists them', async () => {
  const owner = await server.owner();
  for (const address of [
    'http://localhost:11434/v1',
    'http://10.0.0.5/v1',
    'http://[::1]/v1',
    'http://169.254.169.254/latest',
    'file:///etc/passwd',
  ]) {
    const response = await owner.put(PATH, settings({ address }));
    expect(response.status, address).toBe(422);
  }
});

test("changing the model's URL deletes the key, and only administrators can change the model", async () => {
  const owner = await createOwnerWithModel({ key: 'secret-key' });
  const modelResponse = await owner.put(PATH, settings({ model: 'other' }));
  expect(modelResponse.body.data).toMatchObject({ has_key: true, model: 'other' });
  const addressResponse = await owner.put(PATH, settings({ address: 'https://models.example/v1' }));
  expect(addressResponse.body.data.has_key).toBe(false);
  const input = { title: 'Program', validity_days: 1, scopes: ['read', 'drafts'] };
  const { token } = (await owner.post(`${API}/tokens`, input)).body.data;
  const program = server.client();
  const authorization = `Bearer ${token}`;
  expect((await program.put(PATH, settings(), { authorization })).status).toBe(403);
  expect((await owner.delete(PATH)).status).toBe(200);
  expect((await owner.get(PATH)).body.data.is_on).toBe(false);
});

test('comparing the merge tags and links of two texts ignores their order and spaces', () => {
  expect(listFixedParts('{{ b }} https://a.example/x, {{a}}')).toEqual(
    listFixedParts('{{a}} and {{b}} https://a.example/x,'),
  );
  expect(listFixedParts('{{a}}')).not.toEqual(listFixedParts('{{a}} {{a}}'));
  expect(listFixedParts('[[1]]https://a.example/x[[/1]]')).toEqual([
    '[[/1]]',
    '[[1]]',
    'https://a.example/x',
  ]);
});
