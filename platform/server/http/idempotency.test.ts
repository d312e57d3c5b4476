// Every call that sends, creates or pays accepts an Idempotency-Key. A repeat gets the first
// response, a different request under the key is refused, and of two concurrent calls one runs.
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { allRoutes } from '#main/wiring.ts';
import { defineCalls, acceptsIdempotencyKey } from '#platform/contract.ts';
import { type TestOwner, type TestServer, testServer } from '#testing/setup/server.ts';
import { publicClient } from '#testing/setup/public-client.ts';
import { AppError } from '../errors.ts';
import { createRoutes } from './serve.ts';

const calls = defineCalls({
  within: {
    method: 'POST',
    path: '/client-api/api/try_within',
    caller: 'account',
    summary: 'One transaction',
    body: z.object({ fails: z.boolean().optional(), words: z.string().optional() }),
    response: z.object({ run: z.number() }),
  },
  around: {
    method: 'POST',
    path: '/client-api/api/try_around',
    caller: 'account',
    summary: 'Transactions of its own',
    body: z.object({ fails: z.boolean().optional(), words: z.string().optional() }),
    response: z.object({ run: z.number() }),
    transaction: 'own',
  },
});

let runs = 0;
let release: (() => void) | undefined;
/** A promise that blocks the call until the test resolves it. */
let gate: Promise<void> | undefined;
const runTry = async ({ body }: { body: { fails?: boolean | undefined } }) => {
  runs += 1;
  const run = runs;
  await gate;
  if (body.fails) throw new AppError('not_found');
  return { run };
};
const closeGate = () => {
  gate = new Promise((resolve) => {
    release = () => {
      gate = undefined;
      resolve();
    };
  });
};

let server: TestServer;
let owner: TestOwner;
beforeAll(async () => {
  const area = {
    name: 'keyed',
    description: 'Calls of these tests.',
    routes: createRoutes('platform', calls, { within: runTry, around: runTry }),
  };
  server = await testServer({}, [area]);
  owner = await server.owner();
});
const callTry = (name: string, key: string, body: object = {}, client = owner) =>
  client.post(`/client-api/api/try_${name}`, body, { 'idempotency-key': key });

const ageKeys = (by: string) =>
  // In UTC: a cluster cannot compute timestamptz minus interval.
  sql`update idempotency_keys
    set created_at = (created_at at time zone 'UTC' - ${by}::interval) at time zone 'UTC'`.execute(
    server.db,
  );

/** Calls that create nothing when repeated, or return a response for one browser only. */
const WITHOUT_KEY = [
  '/client-api/api/images/alt_text',
  '/client-api/api/assistance/test',
  '/client-api/api/assistance/texts',
  '/client-api/api/assistants/requests/{request}',
  '/client-api/api/campaigns/{id}/forecast',
  '/client-api/api/campaigns/{id}/report/summary',
  '/client-api/api/campaigns/{id}/report/summary/stream',
  '/client-api/api/deliverability/postmaster/consent/finish',
  // A mailbox exists once, and a key would store a digest of its password.
  '/client-api/api/deliverability/seeds',
  '/client-api/api/deliverability/seeds/consent/finish',
  '/client-api/api/filters/from_words',
  '/client-api/api/identities',
];
const UPLOADS = [
  '/client-api/api/campaign-variants/{id}/attachments',
  '/client-api/api/campaigns/{id}/attachments',
  '/client-api/api/confirmation-emails/{id}/attachments',
  '/client-api/api/content/html_file',
  '/client-api/api/deliverability/files',
  '/client-api/api/images',
  '/client-api/api/saved_templates/html_file',
  '/client-api/api/subscribers/import_file',
  '/client-api/api/suppressions/import',
  '/client-api/api/transactional/{id}/attachments',
  '/client-api/api/workflow_steps/{id}/attachments',
];

test('every POST of an account accepts a key, except uploads and calls that create nothing', () => {
  const unkeyedCalls = allRoutes(server.config)
    .filter(
      ({ call }) =>
        call.method === 'POST' && call.caller === 'account' && !acceptsIdempotencyKey(call),
    )
    .map(({ call }) => call.path);
  expect(unkeyedCalls.toSorted()).toEqual([...UPLOADS, ...WITHOUT_KEY].toSorted());
});

test.each(['within', 'around'])(
  'a repeated call gets the first response, and a refused call frees its key: try_%s',
  async (name) => {
    runs = 0;
    expect((await callTry(name, 'one')).body).toEqual({ run: 1 });
    const repeated = await callTry(name, 'one');
    expect(repeated.body).toEqual({ run: 1 });
    expect(repeated.headers['idempotency-replayed']).toBe('true');
    const otherResponse = await callTry(name, 'one', { words: 'others' });
    expect([otherResponse.status, otherResponse.body.code]).toEqual([422, 'idempotency_conflict']);
    expect((await callTry(name, 'one', {}, await server.owner())).body).toEqual({ run: 2 });
    expect((await callTry(name, 'two', { fails: true })).status).toBe(404);
    expect((await callTry(name, 'two', { fails: true })).status).toBe(404);
    expect(runs).toBe(4);
    for (const key of ['', 'x'.repeat(256)])
      expect((await callTry(name, key)).status, key).toBe(422);
    await ageKeys('25 hours');
    expect((await callTry(name, 'one')).body).toEqual({ run: 5 });
  },
);

test('of eight concurrent calls that run in a single transaction, one runs and all get its response', async () => {
  runs = 0;
  const all = await Promise.all(Array.from({ length: 8 }, () => callTry('within', 'at once')));
  expect(all.map(({ body }) => body)).toEqual(Array.from({ length: 8 }, () => ({ run: 1 })));
});

test('of two concurrent calls that open their own transactions, one runs; a call from a killed process runs again', async () => {
  runs = 0;
  closeGate();
  const first = callTry('around', 'slow');
  await expect.poll(() => runs).toBe(1);
  const second = await callTry('around', 'slow');
  expect([second.status, second.body.code]).toEqual([409, 'in_progress']);
  expect(second.headers['retry-after']).toBe('1');
  // The first call's process is treated as dead: a later attempt gets the key, and the first
  // response is no longer stored.
  await ageKeys('121 seconds');
  const third = callTry('around', 'slow');
  await expect.poll(() => runs).toBe(2);
  release?.();
  expect([(await first).body, (await third).body]).toEqual([{ run: 1 }, { run: 2 }]);
  expect((await callTry('around', 'slow')).body).toEqual({ run: 2 });
});

test('a secret shown once is returned to a repeat and never stored in plain text', async () => {
  const key = { 'idempotency-key': 'token' };
  const body = { title: 'Shop', validity_days: null };
  const create = () => owner.post('/client-api/api/tokens', body, key);
  const [first, second] = [await create(), await create()];
  expect(second.body).toEqual(first.body);
  const { token } = first.body.data;
  const { rows } = await sql<{ text: string }>`
    select k::text as text from idempotency_keys k where account_id = ${owner.accountId}`.execute(
    server.db,
  );
  expect(rows.filter(({ text }) => text.includes(token))).toEqual([]);
});

test('a key used for one call of the public API is refused for other calls of the account', async () => {
  const api = await publicClient(server, owner);
  const key = { 'idempotency-key': 'across calls' };
  expect((await api.post('/groups', { title: 'A' }, key)).status).toBe(200);
  expect((await api.post('/fields', { title: 'A', type: 'text' }, key)).status).toBe(422);
});
