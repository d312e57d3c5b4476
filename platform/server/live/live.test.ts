// Hints reach only the browsers of their account, after the commit; streams end with the server or
// its database connection.
import type { AddressInfo } from 'node:net';
import { beforeAll, expect, test } from 'vitest';
import { encodeId } from '#platform/ids.ts';
import { type TestClient, type TestServer, testServer } from '#testing/setup/server.ts';
import { inTransaction } from '../database/database.ts';
import { sendChangeHint } from './live.ts';

let server: TestServer;
let address: string;

beforeAll(async () => {
  server = await testServer();
  await server.app.listen({ port: 0, host: '127.0.0.1' });
  address = `http://127.0.0.1:${(server.app.server.address() as AddressInfo).port}`;
});

async function streamOf(client: TestClient) {
  const ending = new AbortController();
  const response = await fetch(`${address}/client-api/api/live`, {
    headers: { cookie: [...client.cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
    signal: ending.signal,
  });
  const hints: { topic: string; id: string }[] = [];
  const reading = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      for (const [, data] of decoder.decode(chunk).matchAll(/^data: (.*)$/gm)) {
        hints.push(JSON.parse(data as string));
      }
    }
  })().catch(() => {});
  return { response, hints, end: () => ending.abort(), reading };
}

type Stream = Awaited<ReturnType<typeof streamOf>>;

const expectedHint = (id: number) => {
  const name = encodeId('campaign', id);
  return { topic: `campaign:${name}`, id: name };
};

let markCount = 100;

/** Sends a marker and returns the hints that the stream received before it. */
async function readHints(stream: Stream | undefined, accountId: number) {
  markCount += 1;
  sendChangeHint(server.db, accountId, 'campaign', markCount);
  await expect.poll(() => stream?.hints.at(-1)).toEqual(expectedHint(markCount));
  return stream?.hints.slice(0, -1);
}

test('a hint reaches each stream of its account once and no stream of another account', async () => {
  const [mine, other] = [await server.owner(), await server.owner()];
  const streams = [await streamOf(mine), await streamOf(mine), await streamOf(other)];
  expect(streams[0]?.response.headers.get('content-type')).toContain('text/event-stream');
  await inTransaction(server.db, async (tx) => {
    for (let i = 0; i < 20; i++) sendChangeHint(tx, mine.accountId, 'campaign', 7);
  });
  await expect.poll(() => streams[0]?.hints).toEqual([expectedHint(7)]);
  expect(await readHints(streams[0], mine.accountId)).toEqual([expectedHint(7)]);
  await expect.poll(() => streams[1]?.hints).toEqual(streams[0]?.hints);
  expect(await readHints(streams[2], other.accountId)).toEqual([]);
  for (const stream of streams) stream.end();
});

test('a rolled-back transaction does not send a hint', async () => {
  const owner = await server.owner();
  const stream = await streamOf(owner);
  await inTransaction(server.db, async (tx) => {
    sendChangeHint(tx, owner.accountId, 'campaign', 8);
    throw new Error('no');
  }).catch(() => {});
  expect(await readHints(stream, owner.accountId)).toEqual([]);
  stream.end();
});

test('a stream requires a session', async () => {
  expect((await server.client().get('/client-api/api/live')).status).toBe(401);
});

test('a lost database connection ends the streams, and streams opened afterwards receive hints', async () => {
  const owner = await server.owner();
  const stream = await streamOf(owner);
  const { sql } = await import('kysely');
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and query like 'listen %'`.execute(server.db);
  await stream.reading;
  const next = await streamOf(owner);
  sendChangeHint(server.db, owner.accountId, 'campaign', 9);
  await expect.poll(() => next.hints).toEqual([expectedHint(9)]);
  next.end();
});

test('the server closes despite open streams', async () => {
  const owner = await server.owner();
  const stream = await streamOf(owner);
  await server.app.close();
  await stream.reading;
  expect(stream.hints).toEqual([]);
});
