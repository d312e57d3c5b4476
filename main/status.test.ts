// Each role reports its health and its metrics from its own process.
import { spawn } from 'node:child_process';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { sql } from 'kysely';
import pg from 'pg';
import { afterEach, expect, inject, test } from 'vitest';
import { writeAudienceJob } from '#areas/delivery/server/ledger/index.ts';
import { addJob } from '#platform/server/jobs/jobs.ts';
import {
  addPeople,
  isFinished,
  proveDomain,
  startMessage,
  waitForDelivery,
} from '#testing/worlds/sending-helpers.ts';
import { TEST_SECRET, testServer } from '#testing/setup/server.ts';
import { startSmtpServer } from '#testing/servers/smtp-server.ts';
import { findFreePort } from './prepare.ts';

const ENTRY = join(import.meta.dirname, 'role-process.ts');
const START = join(import.meta.dirname, 'start.ts');
const server = await testServer();
const url = server.config.databaseUrl as string;
const endings: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

/**
 * Starts a role with a monitoring port and stops it after the test; `report` is its message to the
 * parent process, and `fetch` requests a path on the monitoring port.
 */
async function startRole(
  role: string,
  env: Record<string, string> = {},
  program: readonly string[] = [ENTRY, role],
) {
  const port = await findFreePort(0, '127.0.0.1');
  const child = spawn(process.execPath, program, {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    env: {
      ...process.env,
      NODE_ENV: 'test',
      DATA_DIR: server.config.dataDir,
      DATABASE_URL: url,
      DATABASE_CONNECTIONS: '4',
      SECRET: TEST_SECRET,
      LOG_LEVEL: 'silent',
      METRICS_PORT: String(port),
      ...env,
    },
  });
  const exit = new Promise<number | null>((settle) => child.once('exit', settle));
  const readyMessage = new Promise((settle) => child.once('message', settle));
  const end = () => {
    child.kill('SIGTERM');
    return exit;
  };
  endings.push(end);
  const report = program.includes(ENTRY) ? await readyMessage : undefined;
  const fetchPath = async (path: string, method = 'GET') => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method });
    return { status: response.status, text: await response.text() };
  };
  return { report, fetch: fetchPath, end, port, child };
}

test('a sender reports the results and states of its relays and is not ready without a usable relay', async () => {
  const relay = await startSmtpServer({
    script: {
      rcpt: ({ line }) => (line.includes('person2@') ? '550 5.1.1 No such user' : undefined),
    },
  });
  endings.push(() => relay.close());
  const sender = await startRole('sender', {
    SMTP_URL: `${relay.url}?tls=none&connections=2&rate=500&dkim=no`,
  });
  expect(sender.report).toEqual({ ready: true });
  expect(await sender.fetch('/health')).toEqual({ status: 200, text: '{"status":"ok"}' });
  expect(await sender.fetch('/ready')).toEqual({ status: 200, text: '{"status":"ready"}' });
  expect((await sender.fetch('/docs')).status).toBe(404);
  expect((await sender.fetch('/metrics', 'POST')).status).toBe(404);

  const { accountId } = await server.owner();
  await proveDomain(server.db, accountId);
  await addPeople(server.db, accountId, 5);
  const messageId = await startMessage(server.db, accountId);
  await server.runJobs();
  await waitForDelivery(server.db, accountId, messageId, isFinished);
  // One of the five accepted emails is the welcome email to the owner.
  await relay.waitForMessages(5);

  const name = `127.0.0.1:${relay.port}`;
  const metrics = async () => (await sender.fetch('/metrics')).text.split('\n');
  await expect
    .poll(metrics)
    .toEqual(
      expect.arrayContaining([
        `sendloom_handoffs_total{relay="${name}",outcome="accepted"} 5`,
        `sendloom_handoffs_total{relay="${name}",outcome="failed"} 1`,
        'sendloom_handoffs_total{relay="accounts",outcome="accepted"} 0',
        `sendloom_relays{relay="${name}",state="ready"} 1`,
        `sendloom_relay_handoffs_in_flight{relay="${name}"} 0`,
        'sendloom_sender_outstanding{is="answered"} 0',
        'sendloom_sending_paused 0',
        'sendloom_ready{role="sender"} 1',
        'sendloom_database_up 1',
        'sendloom_database_connections_max 4',
        expect.stringMatching(/^sendloom_database_waiting \d+$/),
        expect.stringMatching(/^sendloom_disk_free_bytes [1-9]/),
        expect.stringMatching(
          /^sendloom_build_info\{role="sender",version="[\d.]+",node="[\d.]+"\} 1$/,
        ),
      ]),
    );
  const metricsText = (await metrics()).join('\n');
  expect(metricsText).toMatch(
    new RegExp(`^sendloom_relay_connections\\{relay="${name}"\\} [12]$`, 'm'),
  );
  const allowedRate = /^sendloom_relay_allowed_per_second\{.*\} ([\d.]+)$/m.exec(metricsText)?.[1];
  expect(Number(allowedRate)).toBeGreaterThan(0);
  expect(Number(allowedRate)).toBeLessThanOrEqual(500);
  expect(metricsText).toContain('process_resident_memory_bytes');
  expect(metricsText).toMatch(/^sendloom_database_wait_seconds_count [1-9]/m);
  // Metrics that belong to other roles have no series.
  expect(metricsText).not.toMatch(
    /^sendloom_(tracking_hits_lost_total|recipients_waiting|oldest_)/m,
  );

  await relay.stop();
  await startMessage(server.db, accountId);
  await server.runJobs();
  await expect.poll(async () => (await sender.fetch('/ready')).status).toBe(503);
  const { reason } = JSON.parse((await sender.fetch('/ready')).text);
  expect(reason).toMatch(new RegExp(`^No relay is usable: ${name} \\(waiting: .*\\)\\.$`));
  expect((await sender.fetch('/health')).status).toBe(200);
  expect(await metrics()).toContain(`sendloom_relays{relay="${name}",state="waiting"} 1`);
  expect(await metrics()).toContain('sendloom_ready{role="sender"} 0');
  expect(await sender.end()).toBe(0);
});

test('a worker reports finished and waiting jobs, and a lost database', async () => {
  const laterMessage = { accountId: 1, messageId: 1 };
  const worker = await startRole('worker');
  expect(worker.report).toEqual({ ready: true });
  expect((await worker.fetch('/ready')).status).toBe(200);
  const { accountId } = await server.owner();
  await addPeople(server.db, accountId, 5);
  await startMessage(server.db, accountId);
  const runAt = new Date(Date.now() + 3_600_000);
  await addJob(server.db, { ...writeAudienceJob, name: 'audience.write_later' }, laterMessage, {
    runAt,
  });
  await sql`select graphile_worker.add_job('delivery.write_audience', '{"accountId": "none"}',
    max_attempts => 1)`.execute(server.db);
  await expect
    .poll(async () => (await worker.fetch('/metrics')).text.split('\n'))
    .toEqual(
      expect.arrayContaining([
        'sendloom_job_seconds_count{job="delivery.write_audience",is="done"} 1',
        'sendloom_job_seconds_count{job="delivery.write_audience",is="failed"} 1',
        'sendloom_jobs{job="audience.write_later",is="later"} 1',
        'sendloom_jobs{job="delivery.write_audience",is="given_up"} 1',
        expect.stringMatching(/^sendloom_recipients_waiting\{is="due"\} ([5-9]|10)$/),
        'sendloom_oldest_preparing_seconds 0',
        'sendloom_oldest_due_job_seconds 0',
        'sendloom_ready{role="worker"} 1',
        expect.stringMatching(/^sendloom_poller_runs_total\{poller="[\w.]+",is="done"\} \d+$/),
      ]),
    );

  const reconnect = await disconnectWorker();
  try {
    await expect.poll(async () => (await worker.fetch('/ready')).status).toBe(503);
    const { status, text } = await worker.fetch('/metrics');
    expect(status).toBe(200);
    expect(text).toContain('sendloom_job_seconds_count');
    expect(text).not.toContain('sendloom_jobs{');
    expect(text).toContain('sendloom_ready{role="worker"} 0');
    expect(text).toContain('sendloom_database_up 0');
  } finally {
    await reconnect();
  }
  await expect.poll(async () => (await worker.fetch('/ready')).status).toBe(200);
  expect(await worker.end()).toBe(0);
});

test('a role started alone responds on METRICS_PORT and survives an unhandled rejection', async () => {
  const fail = `process.on('SIGUSR2', () => { void Promise.reject(new Error('odd key')); })`;
  const program = ['--import', `data:text/javascript,${fail}`, START, '--roles', 'worker'];
  const worker = await startRole('worker', { LOG_LEVEL: 'error' }, program);
  const isReady = async () =>
    await worker.fetch('/ready').then(
      ({ status }) => status === 200,
      () => false,
    );
  await expect.poll(isReady, { timeout: 50_000 }).toBe(true);
  let output = '';
  worker.child.stderr?.on('data', (data: Buffer) => {
    output += data;
  });
  worker.child.kill('SIGUSR2');
  await expect.poll(() => output).toContain('Unhandled promise rejection');
  expect(await isReady()).toBe(true);
  expect(await worker.end()).toBe(0);
});

test('a role exits after a time limit even if its port never closes', async () => {
  // The limit of fifteen seconds is shortened to half a second.
  const script = `import net from 'node:net';
    process.once('SIGTERM', () => {
      net.Server.prototype.close = function () { return this; };
    });
    const after = globalThis.setTimeout;
    globalThis.setTimeout = (f, ms, ...rest) => after(f, ms === 15_000 ? 500 : ms, ...rest);`;
  const code = `data:text/javascript,${encodeURIComponent(script)}`;
  const program = ['--import', code, START, '--roles', 'worker'];
  const worker = await startRole('worker', {}, program);
  endings.push(async () => worker.child.kill('SIGKILL'));
  await expect
    .poll(
      () =>
        worker.fetch('/ready').then(
          ({ status }) => status,
          () => 0,
        ),
      { timeout: 50_000 },
    )
    .toBe(200);
  const timeout = new Promise((resolve) => setTimeout(() => resolve('still there'), 5_000));
  expect(await Promise.race([worker.end(), timeout])).toBe(1);
});

test('a web role also accepts monitoring requests on a separate port', async () => {
  const port = await findFreePort(0, '127.0.0.1');
  const web = await startRole('web', { PORT: String(port), HOST: '127.0.0.1' });
  expect(web.report).toEqual({ ready: true });
  expect(await web.fetch('/ready')).toEqual({ status: 200, text: '{"status":"ready"}' });
  expect((await fetch(`http://127.0.0.1:${port}/ready`)).status).toBe(200);
  expect((await web.fetch('/metrics')).text).toContain(
    'sendloom_http_request_duration_seconds_count',
  );
  expect((await fetch(`http://127.0.0.1:${port}/metrics`)).status).toBe(404);
  const rows = () =>
    server.db.selectFrom('processes').select('role').where('role', '=', 'web').execute();
  expect(await rows(), 'a restore must see the role').toHaveLength(1);
  expect(await web.end()).toBe(0);
  expect(await rows()).toEqual([]);
});

test('startup fails with a one-line error if the monitoring port is in use', async () => {
  const occupant = createServer();
  const port = await new Promise<number>((settle) => {
    occupant.listen(0, '127.0.0.1', () => settle((occupant.address() as AddressInfo).port));
  });
  endings.push(async () => occupant.close());
  const sender = await startRole('sender', {
    METRICS_PORT: String(port),
    SMTP_URL: 'smtp://127.0.0.1:1?tls=none',
  });
  const portMessage = `Port ${port} of 127.0.0.1, which METRICS_PORT names, is in use.`;
  expect(sender.report).toEqual({ failed: portMessage });
});

/**
 * Closes the worker's database connections and lets the database refuse new ones until the returned
 * function is called.
 */
async function disconnectWorker(): Promise<() => Promise<void>> {
  const database = new URL(url).pathname.slice(1);
  const client = new pg.Client({ connectionString: inject('databaseServer') });
  await client.connect();
  await client.query(`alter database ${database} with allow_connections false`);
  await client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = $1 and application_name = 'sendloom worker'`,
    [database],
  );
  return async () => {
    await client.query(`alter database ${database} with allow_connections true`);
    await client.end();
  };
}
