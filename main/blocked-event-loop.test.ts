// A role that is blocked, stopped or over its memory limit is replaced, and no accepted work is
// lost.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { createTestDatabase } from '#testing/setup/database.ts';
import { TEST_SECRET } from '#testing/setup/server.ts';
import { findFreePort } from './prepare.ts';

/**
 * Signals make a role block its event loop forever or exceed its memory limit, because no known
 * request does. The blocked role sleeps, because a busy loop would slow down other tests.
 */
const FREEZING = `
  const cell = new Int32Array(new SharedArrayBuffer(4));
  process.on('SIGUSR2', function freezeOnPurpose() { for (;;) Atomics.wait(cell, 0, 0, 10); });
  process.on('SIGWINCH', function leakOnPurpose() { globalThis.kept = Buffer.alloc(600 * 2 ** 20, 1); });
`;

const folder = mkdtempSync(join(tmpdir(), 'sendloom-frozen-'));
let product: ChildProcess | undefined;

afterEach(async () => {
  const exit = new Promise((settle) => product?.once('exit', settle));
  product?.kill('SIGTERM');
  await exit;
  rmSync(folder, { recursive: true, force: true });
});

async function startRoles(env: NodeJS.ProcessEnv) {
  const preload = join(folder, 'freezing.mjs');
  writeFileSync(preload, FREEZING);
  product = spawn(
    process.execPath,
    [join(import.meta.dirname, 'start.ts'), '--roles', 'web,worker,sender'],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        NODE_ENV: 'test',
        DATA_DIR: folder,
        DATABASE_URL: await createTestDatabase(),
        DATABASE_CONNECTIONS: '4',
        SECRET: TEST_SECRET,
        LOG_LEVEL: 'error',
        NODE_OPTIONS: `--import ${preload}`,
        ...env,
      },
    },
  );
  let output = '';
  const ready = new Promise<void>((settle) => {
    const readOutput = (data: Buffer) => {
      output += data.toString();
      if (output.includes('Sendloom is ready')) settle();
    };
    product?.stdout?.on('data', readOutput);
    product?.stderr?.on('data', readOutput);
  });
  await ready;
  return () => output;
}

/** Returns the role processes by name. */
function roles(): Record<string, number> {
  const pid = product?.pid as number;
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  return Object.fromEntries(
    children.map((child) => {
      const args = readFileSync(`/proc/${child}/cmdline`, 'utf8').split('\0').filter(Boolean);
      return [args.at(-1) ?? '', Number(child)];
    }),
  );
}

test('a blocked role, a stopped role and a role over its memory limit are replaced without losing accepted work', async () => {
  const port = await findFreePort(0, '127.0.0.1');
  const startedAt = performance.now();
  const output = await startRoles({ PORT: String(port), MEMORY_LIMIT_MB: '700' });
  // Ten seconds without a heartbeat, up to one second until the supervisor notices, a reserve, and
  // the start of the replacement, which takes under four seconds on an idle machine.
  const maxMs = Math.max(20_000, 16_000 + 2 * (performance.now() - startedAt));
  const base = `http://127.0.0.1:${port}`;
  const call = (path: string, body: unknown) =>
    fetch(`${base}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-sendloom': '1' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(2_000),
    });
  const credentials = { email: 'ada@shop.example', password: 'correct horse battery' };
  expect((await call('/auth/api/sign-up', credentials)).status).toBe(200);
  const rolesBefore = roles();
  const blockedAt = performance.now();
  process.kill(rolesBefore.web as number, 'SIGUSR2');
  process.kill(rolesBefore.worker as number, 'SIGSTOP');
  process.kill(rolesBefore.sender as number, 'SIGWINCH');
  await expect(call('/auth/api/sign-in', credentials)).rejects.toThrow();

  const signsIn = async () =>
    (await call('/auth/api/sign-in', credentials).catch(() => undefined))?.status;
  await expect.poll(signsIn, { timeout: maxMs, interval: 250 }).toBe(200);
  const areNew = () => {
    const now = roles();
    return ['web', 'worker', 'sender'].every(
      (role) => now[role] && now[role] !== rolesBefore[role],
    );
  };
  await expect.poll(areNew, { timeout: maxMs }).toBe(true);
  expect(performance.now() - blockedAt).toBeLessThan(maxMs);
  expect(output()).toMatch(/Event loop blocked .*"stack":\["freezeOnPurpose/);
  expect(output()).toMatch(/Role does not respond; killing it .*"worker"/);
  expect(output()).toMatch(/Memory limit exceeded/);
}, 120_000);
