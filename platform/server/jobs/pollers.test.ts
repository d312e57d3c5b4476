// The term of the elected process ends when its database connection goes silent, even without a
// close.
import { createServer, connect, type AddressInfo, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '#testing/setup/database.ts';
import { createDatabase, type Db, getPool } from '../database/database.ts';
import { startPollers } from './pollers.ts';
import { tryAcquireLeadership, enableKeepalives } from './pollers.sql.ts';

let direct: Db;
let proxiedDb: Db;
let proxy: Server;
const sockets: Socket[] = [];

beforeAll(async () => {
  const url = new URL(await createTestDatabase());
  direct = createDatabase(url.href, 3);
  const server = { host: url.hostname, port: Number(url.port || 5432) };
  proxy = createServer((near) => {
    const far = connect(server);
    for (const socket of [near, far]) socket.on('error', () => {});
    near.pipe(far).pipe(near);
    sockets.push(near, far);
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  url.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  proxiedDb = createDatabase(url.href, 3);
});

afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  proxy.close();
  await proxiedDb.destroy();
  await direct.destroy();
});

/** Simulates a machine without power: no data and no close. */
function fallSilent(): void {
  for (const socket of sockets) {
    socket.unpipe();
    socket.pause();
  }
}

test('leadership ends when the database stops responding, and not before', async () => {
  const started = Promise.withResolvers<AbortSignal>();
  let rounds = 0;
  const poller = {
    name: 'test.round',
    intervalMs: 50,
    run: async (_: Db, signal: AbortSignal) => {
      rounds += 1;
      started.resolve(signal);
    },
  };
  const pollers = startPollers(proxiedDb, [poller], { intervalMs: 100, timeoutMs: 400 });
  const signal = await started.promise;
  await expect.poll(() => rounds, { timeout: 5_000 }).toBeGreaterThan(10);
  expect(signal.aborted).toBe(false);
  fallSilent();
  await expect.poll(() => signal.aborted, { timeout: 3_000 }).toBe(true);
  await pollers.close();
}, 20_000);

test('the database detects the loss of the elected machine sooner than with default keepalives', async () => {
  const client = await getPool(direct).connect();
  try {
    await tryAcquireLeadership(client, 1_000);
    await enableKeepalives(client, 1_000);
    const { rows } = await client.query(
      `select current_setting('tcp_keepalives_idle') as idle,
        current_setting('tcp_keepalives_interval') as pause,
        current_setting('tcp_keepalives_count') as count`,
    );
    expect(rows).toEqual([{ idle: '10', pause: '5', count: '3' }]);
  } finally {
    client.release(true);
  }
  const { rows } = await sql`show tcp_keepalives_idle`.execute(direct);
  expect(rows).not.toEqual([{ tcp_keepalives_idle: '10' }]);
});
