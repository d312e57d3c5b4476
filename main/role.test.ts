import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { closing, ROLES } from './role.ts';

const folder = mkdtempSync(join(tmpdir(), 'sendloom-role-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Starts a role and prints the niceness of its process immediately, before the role is ready. */
const CODE = `
  import { getPriority } from 'node:os';
  import { startRole } from '#main/role.ts';
  import { loadConfig } from '#platform/server/config.ts';
  startRole(process.argv[1], loadConfig(process.env)).catch(() => {});
  console.log(getPriority());
  process.exit(0);
`;

function nicenessOf(role: string, listenerCount: number): number {
  const { stdout, stderr } = spawnSync(
    'nice',
    ['-n', `${listenerCount}`, process.execPath, '--input-type=module', '-e', CODE, role],
    {
      cwd: join(import.meta.dirname, '..'),
      encoding: 'utf8',
      env: {
        ...process.env,
        NODE_ENV: 'test',
        DATA_DIR: folder,
        SECRET: 'a secret of the tests, thirty-two characters',
        DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
      },
    },
  );
  const output = stdout.trim().split('\n').at(-1) ?? '';
  if (!/^\d+$/.test(output)) throw new Error(stderr);
  return Number(output);
}

test('the sender runs with a lower priority than the other roles and never raises its priority', () => {
  const ownPriority = getPriority();
  expect(ROLES.map((role) => nicenessOf(role, 0))).toEqual([
    ownPriority,
    ownPriority,
    Math.max(ownPriority, 5),
  ]);
  expect(nicenessOf('sender', 7)).toBe(Math.min(ownPriority + 7, 19));
});

test('a shutdown during startup waits for the startup and then drains', async () => {
  const start = Promise.withResolvers<{ close(): Promise<void> }>();
  const close = closing(start.promise);
  let isDrained = false;
  const closed = close();
  start.resolve({ close: async () => void (isDrained = true) });
  await closed;
  expect(isDrained).toBe(true);
});

test('a failed or hanging startup does not delay a shutdown', async () => {
  await expect(closing(Promise.reject(new Error('Port 3000 is in use')))()).resolves.toBe(
    undefined,
  );
  await expect(closing(new Promise(() => {}), 10)()).resolves.toBe(undefined);
});
