import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '#testing/setup/database.ts';
import { TEST_SECRET } from '#testing/setup/server.ts';

const blockingServer = createServer();
const folder = mkdtempSync(join(tmpdir(), 'sendloom-start-'));
let port = 0;

beforeAll(async () => {
  await new Promise<void>((settle) => blockingServer.listen(0, '127.0.0.1', settle));
  const address = blockingServer.address();
  port = typeof address === 'object' && address ? address.port : 0;
});
afterAll(() => {
  blockingServer.close();
  rmSync(folder, { recursive: true, force: true });
});

function start(env: NodeJS.ProcessEnv, args: string[] = []) {
  return spawnSync(process.execPath, [join(import.meta.dirname, 'start.ts'), ...args], {
    encoding: 'utf8',
    env: {
      ...process.env,
      NODE_ENV: 'development',
      PORT: '0',
      DATA_DIR: join(folder, 'data'),
      ...env,
    },
  });
}

test.each([
  ['a port in use', () => ({ PORT: String(port) }), [], /^Port \d+ of 127\.0\.0\.1 is in use/],
  [
    'an inbox port in use',
    () => ({ INBOX_SMTP_PORT: String(port) }),
    [],
    /INBOX_SMTP_PORT .* is in use/,
  ],
  [
    'a monitoring port in use',
    () => ({ METRICS_PORT: String(port) }),
    [],
    /^METRICS_PORT gives the web port \d+ of 127\.0\.0\.1, which is in use/,
  ],
  [
    'a monitoring port that leaves no port for the next role',
    () => ({ METRICS_PORT: '65535' }),
    [],
    /^METRICS_PORT gives the (web port 65535 .* in use|worker port 65536 .* not a port)/,
  ],
  [
    'a monitoring port that is no number',
    () => ({ METRICS_PORT: 'yes' }),
    [],
    /^METRICS_PORT is invalid/,
  ],
  ['an invalid setting', () => ({ PORT: 'many' }), [], /^PORT is invalid/],
  [
    'an invalid option of a relay',
    () => ({ SMTP_URL: 'smtp://127.0.0.1?tls=none&rate=fast' }),
    [],
    /^SMTP_URL: rate= must be a whole number/,
  ],
  [
    'an unknown SMS provider',
    () => ({ SMS_URL: 'pigeon://a:b@c' }),
    [],
    /^SMS_URL: unknown provider/,
  ],
  ['an unknown role', () => ({}), ['--roles', 'web,king'], /^Unknown role 'king'/],
  [
    'a database that does not answer',
    () => ({ DATABASE_URL: 'postgres://a:secret@127.0.0.1:1/loom' }),
    ['--roles', 'worker'],
    /^The database loom at 127\.0\.0\.1:1 cannot be reached: connect ECONNREFUSED/,
  ],
  [
    'a data folder that cannot be created',
    () => ({ DATA_DIR: '/proc/nowhere/data' }),
    ['--roles', 'worker'],
    /^The data folder \/proc\/nowhere\/data cannot be created/,
  ],
  [
    'a public address without a secret',
    () => ({ PUBLIC_URL: 'https://loom.example', SECRET: '' }),
    [],
    /^SECRET is required in production/,
  ],
] as [string, () => NodeJS.ProcessEnv, string[], RegExp][])(
  '%s prevents startup with a one-sentence error',
  (_, env, args, message) => {
    const { status, stderr, stdout } = start(env(), args);
    expect(status).toBe(1);
    const [line = '', ...furtherLines] = stderr.trim().split('\n');
    // A production installation logs JSON.
    const text = line.startsWith('{') ? JSON.parse(line).reason : line;
    expect(text.replace('Could not start. ', '')).toMatch(message);
    expect(furtherLines).toEqual([]);
    expect(stdout + stderr).not.toContain('secret@');
    expect(existsSync(join(folder, 'data', 'postgres'))).toBe(false);
  },
);

test('every log line of a production installation is JSON, and a misspelled setting is reported', async () => {
  const child = spawn(
    process.execPath,
    [join(import.meta.dirname, 'start.ts'), '--roles', 'worker,sender'],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        NODE_ENV: 'production',
        PUBLIC_URL: 'https://loom.example',
        SECRET: TEST_SECRET,
        DATABASE_URL: await createTestDatabase(),
        DATABASE_CONNECTIONS: '4',
        SMTP_URL: 'smtp://127.0.0.1:1?tls=none',
        SMPT_URL: 'smtp://127.0.0.1:1',
        DATA_DIR: join(folder, 'production'),
      },
    },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (data: Buffer) => (output += data.toString()));
  }
  const exit = once(child, 'close');
  await expect.poll(() => output, { timeout: 60_000 }).toContain('Sendloom is ready');
  child.kill('SIGTERM');
  const [code] = await exit;
  expect(code).toBe(0);
  const lines = output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, string>);
  for (const line of lines) {
    expect(line).toMatchObject({
      at: expect.any(String),
      level: expect.any(String),
      message: expect.any(String),
    });
  }
  expect(lines.map(({ message }) => message)).toEqual(
    expect.arrayContaining([
      'Unknown setting SMPT_URL has no effect; did you mean SMTP_URL?',
      'Sendloom is ready: https://loom.example',
      'Stopping …',
    ]),
  );
});
