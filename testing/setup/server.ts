// The product's server in the test's process, on its own database, with a client that stores
// cookies. The test controls the clock and when jobs run.
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import { authenticate } from '#areas/accounts/server/index.ts';
import { boot } from '#main/boot.ts';
import { allJobs, allPlugins, allRoutes, allTags } from '#main/wiring.ts';
import type { Area } from '#platform/server/area.ts';
import { type Config, loadConfig } from '#platform/server/config.ts';
import type { Db } from '#platform/server/database/database.ts';
import { createServer } from '#platform/server/http/server.ts';
import { drainJobs } from '#platform/server/jobs/jobs.ts';
import { clearReserves } from '#platform/server/limits/rate-limit.ts';
import { decodeId } from '#platform/ids.ts';
import { createTestDatabase } from './database.ts';
import { runAtEnd } from './at-the-end.ts';

export const TEST_SECRET = 'a secret of the tests, thirty-two characters and more';

export type TestResponse = {
  status: number;
  // Tests inspect any response body freely and state what they expect.
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any;
  headers: LightMyRequestResponse['headers'];
  text: string;
  /** The undecoded body, for files. */
  bytes: Buffer;
};

export type TestClient = {
  get(url: string, headers?: Record<string, string>): Promise<TestResponse>;
  post(url: string, body?: unknown, headers?: Record<string, string>): Promise<TestResponse>;
  put(url: string, body?: unknown, headers?: Record<string, string>): Promise<TestResponse>;
  patch(url: string, body?: unknown, headers?: Record<string, string>): Promise<TestResponse>;
  delete(url: string, body?: unknown, headers?: Record<string, string>): Promise<TestResponse>;
  send(options: InjectOptions): Promise<TestResponse>;
  cookies: Map<string, string>;
};

/** A signed-in account owner, with the IDs of the account and the user. */
export type TestOwner = TestClient & { accountId: number; userId: number };

export type TestServer = {
  config: Config;
  db: Db;
  app: FastifyInstance;
  /** Returns a client like a browser without a session. */
  client(): TestClient;
  /** Signs up a new owner and returns the signed-in client with the IDs of account and user. */
  owner(email?: string): Promise<TestOwner>;
  /** Runs all waiting jobs. */
  runJobs(): Promise<void>;
};

function newClient(app: FastifyInstance): TestClient {
  const cookies = new Map<string, string>();
  const send = async (options: InjectOptions): Promise<TestResponse> => {
    const response = await app.inject({
      ...options,
      headers: {
        'x-sendloom': '1',
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...options.headers,
      },
    });
    for (const cookie of response.cookies as { name: string; value: string; maxAge?: number }[]) {
      if (cookie.value === '') cookies.delete(cookie.name);
      else cookies.set(cookie.name, cookie.value);
    }
    const isJson = String(response.headers['content-type'] ?? '').includes('application/json');
    return {
      status: response.statusCode,
      headers: response.headers,
      text: response.body,
      bytes: response.rawPayload,
      body: isJson ? response.json() : undefined,
    };
  };
  const write =
    (method: 'POST' | 'PUT' | 'PATCH' | 'DELETE') =>
    (url: string, body?: unknown, headers: Record<string, string> = {}) =>
      send({ method, url, headers, ...(body === undefined ? {} : { payload: body as object }) });
  return {
    cookies,
    send,
    get: (url, headers = {}) => send({ method: 'GET', url, headers }),
    post: write('POST'),
    put: write('PUT'),
    patch: write('PATCH'),
    delete: write('DELETE'),
  };
}

/**
 * Starts the server for this test file. It is stopped, and its data deleted, after the last test.
 * @param areas areas of the test kit whose routes are added to the server
 */
export async function testServer(
  env: Record<string, string> = {},
  areas: readonly Area[] = [],
): Promise<TestServer> {
  // The name matches the folders of test runs, so that the next run deletes it if this one is
  // killed.
  const folder = await mkdtemp(path.join(os.tmpdir(), `sendloom-test-${process.pid}-`));
  const config = loadConfig({
    NODE_ENV: 'test',
    DATA_DIR: folder,
    SECRET: TEST_SECRET,
    LOG_LEVEL: 'silent',
    DATABASE_CONNECTIONS: '8',
    // No DNS server listens at this address, so lookups fail immediately.
    DNS_SERVERS: '127.0.0.1:1',
    DATABASE_URL: await createTestDatabase(),
    ...env,
  });
  const instance = await boot(config, 'test');
  const app = await createServer({
    config,
    db: instance.db,
    routes: [...allRoutes(config), ...areas.flatMap(({ routes = [] }) => routes)],
    tags: allTags(config),
    authenticate,
    plugins: allPlugins(config),
  });
  clearReserves();
  runAtEnd(async () => {
    await app.close();
    await instance.close();
    await rm(folder, { recursive: true, force: true });
  });
  let owners = 0;
  return {
    config,
    db: instance.db,
    app,
    client: () => newClient(app),
    async owner(email) {
      owners += 1;
      const client = newClient(app);
      const response = await client.send({
        method: 'POST',
        url: '/auth/api/sign-up',
        payload: {
          email: email ?? `owner${owners}@shop.example`,
          password: 'correct horse battery',
        },
        // Each owner has a different IP address because sign-ups are limited per address.
        remoteAddress: `10.0.${Math.floor(owners / 250)}.${(owners % 250) + 1}`,
      });
      if (response.status !== 200)
        throw new Error(`Sign-up returned ${response.status}: ${response.text}`);
      return Object.assign(client, {
        accountId: decodeId('account', response.body.data.account.id) as number,
        userId: decodeId('user', response.body.data.user.id) as number,
      });
    },
    runJobs: () => drainJobs(instance.db, allJobs(config)),
  };
}
