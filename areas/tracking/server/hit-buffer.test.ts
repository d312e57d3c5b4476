// The buffer between web server and database loses no hit, writes no hit twice, and drops forged
// hits. Also tests how the addresses of clients behind proxies are determined.
import { sql } from 'kysely';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { clock } from '#platform/server/clock.ts';
import { createDatabase } from '#platform/server/database/database.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import { clientAddress } from './client-address.ts';
import { createHitBuffer } from './hit-buffer.ts';
import { PAGE_BYTES, type RawHit } from './hit-page.ts';
import { getInstallationTokens } from './index.ts';

let server: TestServer;
const token = (subscriber: number) =>
  getInstallationTokens().make({ account: 5, message: 6, subscriber, ordinal: 1 });
const hit = (change: Partial<RawHit> = {}): RawHit => ({
  token: token(1),
  at: clock.now(),
  kind: 'open',
  position: null,
  manner: null,
  ip: '203.0.113.9',
  userAgent: 'Mozilla/5.0 (X11)',
  ...change,
});

beforeAll(async () => {
  server = await testServer();
});

beforeEach(() => sql`truncate hits, tracked_accounts`.execute(server.db));

async function hits() {
  const { rows } = await sql<{ subscriber_id: number; user_agent: string; ip: string }>`
    select subscriber_id, user_agent, ip from hits where account_id = 5 order by sequence`.execute(
    server.db,
  );
  return rows;
}

test('hits pushed during a copy are in the next copy', async () => {
  const buffer = createHitBuffer(server.db, getInstallationTokens());
  for (let i = 0; i < 500; i++) buffer.push(hit({ token: token(i) }));
  const firstDrain = buffer.drain();
  for (let i = 500; i < 900; i++) buffer.push(hit({ token: token(i) }));
  await Promise.all([firstDrain, buffer.drain()]);
  expect(buffer.size()).toBe(0);
  expect(new Set((await hits()).map((row) => row.subscriber_id)).size).toBe(900);
});

test('the buffer writes hits without a `drain` call and marks the account for the recorder', async () => {
  const buffer = createHitBuffer(server.db, getInstallationTokens());
  buffer.push(hit());
  await expect.poll(async () => (await hits()).length).toBe(1);
  const { rows } = await sql`select account_id from tracked_accounts`.execute(server.db);
  expect(rows).toEqual([{ account_id: 5 }]);
});

test('hits with forged tokens are dropped, and hostile headers are stored as text', async () => {
  const buffer = createHitBuffer(server.db, getInstallationTokens());
  const agents = ['a\tb', 'a\\nb', '\\.', 'a\nb\r', '\\N', 'x\0y', 'ÿþ', "'; drop table hits; --"];
  for (const [i, userAgent] of agents.entries()) buffer.push(hit({ token: token(i), userAgent }));
  for (const forgedToken of ['', 'x', 'A'.repeat(40), `${token(1).slice(0, -1)}_`]) {
    buffer.push(hit({ token: forgedToken }));
  }
  await buffer.drain();
  expect((await hits()).map((row) => row.user_agent)).toEqual([
    ...agents.slice(0, 5),
    'xy',
    ...agents.slice(6),
  ]);
});

test('hits are retained while the database is unavailable and written once afterwards', async () => {
  const db = createDatabase(server.config.databaseUrl as string, 2);
  const buffer = createHitBuffer(db, getInstallationTokens());
  await sql`alter table hits rename to hits_away`.execute(server.db);
  for (let i = 0; i < 50; i++) buffer.push(hit({ token: token(i) }));
  await expect(buffer.drain()).rejects.toThrow();
  expect(buffer.size()).toBe(50);
  await sql`alter table hits_away rename to hits`.execute(server.db);
  await buffer.drain();
  await db.destroy();
  expect(await hits()).toHaveLength(50);
});

test('hits are not written again if their copy was committed before an error', async () => {
  const db = createDatabase(server.config.databaseUrl as string, 2);
  const buffer = createHitBuffer(db, getInstallationTokens());
  for (let i = 0; i < 20; i++) buffer.push(hit({ token: token(i) }));
  // The copy commits; the following mark fails, so the batch is treated as unwritten.
  await sql`alter table tracked_accounts rename to tracked_away`.execute(server.db);
  await expect(buffer.drain()).rejects.toThrow();
  await sql`alter table tracked_away rename to tracked_accounts`.execute(server.db);
  // Hits received during the copy are not mistaken for existing rows.
  for (let i = 20; i < 30; i++) buffer.push(hit({ token: token(i) }));
  await buffer.drain();
  await db.destroy();
  expect(await hits()).toHaveLength(30);
});

test('a slow copy does not delay later hits, because the next copy runs in parallel', async () => {
  const db = createDatabase(server.config.databaseUrl as string, 4);
  const buffer = createHitBuffer(db, getInstallationTokens());
  const copies = async () => {
    const { rows } = await sql<{ count: number }>`select count(*) as count from pg_stat_activity
      where datname = current_database() and query like 'copy hits%' and state = 'active'`.execute(
      server.db,
    );
    return rows[0]?.count;
  };
  await server.db.transaction().execute(async (tx) => {
    await sql`lock table hits in share mode`.execute(tx);
    buffer.push(hit({ token: token(1) }));
    await expect.poll(copies).toBe(1);
    buffer.push(hit({ token: token(2) }));
    await expect.poll(copies).toBe(2);
  });
  await buffer.drain();
  await db.destroy();
  expect(await hits()).toHaveLength(2);
});

test('a drain after a stream of hits writes all of them', async () => {
  const buffer = createHitBuffer(server.db, getInstallationTokens());
  let pushedCount = 0;
  const stream = setInterval(() => {
    for (let i = 0; i < 50; i++) buffer.push(hit({ token: token(pushedCount++) }));
  }, 1);
  await expect.poll(async () => (await hits()).length).toBeGreaterThan(500);
  clearInterval(stream);
  await buffer.drain();
  expect(buffer.size()).toBe(0);
  expect(await hits()).toHaveLength(pushedCount);
});

const request = (remoteAddress: string, forwarded?: string) =>
  ({
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  }) as unknown as Parameters<ReturnType<typeof clientAddress>>[0];

test.each([
  [false, '10.0.0.1', '203.0.113.1', '10.0.0.1'],
  [true, '10.0.0.1', '203.0.113.1, 10.0.0.2', '203.0.113.1'],
  [1, '10.0.0.1', '1.2.3.4, 203.0.113.1', '203.0.113.1'],
  [2, '10.0.0.1', '1.2.3.4, 203.0.113.1', '1.2.3.4'],
  [1, '10.0.0.1', undefined, '10.0.0.1'],
  ['loopback', '127.0.0.1', '203.0.113.1', '203.0.113.1'],
  ['loopback', '10.0.0.1', '203.0.113.1', '10.0.0.1'],
  ['10.0.0.0/8', '10.0.0.1', 'nonsense, 10.9.9.9', 'nonsense'],
  ['uniquelocal, 198.51.100.7', '192.168.1.1', '203.0.113.1, 198.51.100.7', '203.0.113.1'],
  ['loopback', '::ffff:127.0.0.1', '203.0.113.1', '203.0.113.1'],
] as const)(
  'the client address with TRUST_PROXY %s, %s forwarding "%s" is %s',
  (trust, remote, forwarded, client) => {
    expect(clientAddress(trust)(request(remote, forwarded))).toBe(client);
  },
);

test('hits that exceed a page continue on the next pages in order, even with multibyte characters', async () => {
  const buffer = createHitBuffer(server.db, getInstallationTokens());
  const count = Math.ceil((2.5 * PAGE_BYTES) / 1_300);
  const userAgent = 'ÿ嗨😀'.repeat(100);
  for (let i = 0; i < count; i++) buffer.push(hit({ token: token(i + 1), userAgent }));
  expect(buffer.size()).toBe(count);
  await buffer.drain();
  const rows = await hits();
  expect(rows.map((row) => row.subscriber_id)).toEqual(rows.map((_, i) => i + 1));
  expect(rows).toHaveLength(count);
  expect(new Set(rows.map((row) => row.user_agent))).toEqual(new Set([userAgent]));
});

test('each column is written as received, including the largest numbers', async () => {
  const buffer = createHitBuffer(server.db, getInstallationTokens());
  const at = new Date('2026-05-31T21:59:59.999Z');
  const largest = 2 ** 48 - 1;
  const payload = { account: 5, message: largest, subscriber: largest, ordinal: 1 };
  const changes: Partial<RawHit>[] = [
    { kind: 'click', position: 99_999, manner: 'prefetch' },
    { kind: 'click', position: 0, manner: 'head' },
    { token: getInstallationTokens().make(payload), ip: '' },
  ];
  for (const partial of changes) buffer.push(hit({ at, ...partial }));
  await buffer.drain();
  const { rows } = await sql`select at, message_id, subscriber_id, kind, link_position, manner, ip
    from hits where account_id = 5 order by sequence`.execute(server.db);
  const defaultColumns = { at, message_id: 6, subscriber_id: 1, ip: '203.0.113.9' };
  const largestColumns = { at, message_id: largest, subscriber_id: largest, ip: '' };
  expect(rows).toEqual([
    { ...defaultColumns, kind: 'click', link_position: 99_999, manner: 'prefetch' },
    { ...defaultColumns, kind: 'click', link_position: 0, manner: 'head' },
    { ...largestColumns, kind: 'open', link_position: null, manner: null },
  ]);
});
