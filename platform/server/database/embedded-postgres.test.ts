import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { borrowEmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.ts';

const folder = mkdtempSync(join(tmpdir(), 'sendloom-embedded-'));
chmodSync(folder, 0o755);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const start = () => startEmbeddedPostgres({ folder, isTemporary: true });

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Spawns a process that starts the server on the same data and continues to run. */
async function spawnStarter(): Promise<ChildProcess> {
  const code = `
    const { startEmbeddedPostgres } = await import(${JSON.stringify(join(import.meta.dirname, 'embedded-postgres.ts'))});
    await startEmbeddedPostgres({ folder: ${JSON.stringify(folder)}, isTemporary: true });
    console.log('started');
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise((settle) => child.stdout?.once('data', settle));
  return child;
}

const exitOf = (child: ChildProcess) => new Promise((settle) => child.once('exit', settle));

test('data, address and settings survive a restart', async () => {
  const first = await start();
  await query(first.url, 'create table kept as select 1 as one');
  await first.stop();
  const second = await start();
  expect(second.url).toBe(first.url);
  expect(await query(second.url, 'select * from kept')).toEqual([{ one: 1 }]);
  expect(await query(second.url, 'show jit')).toEqual([{ jit: 'off' }]);
  expect(
    await query(
      second.url,
      `select datlocprovider as provider, datlocale as locale, pg_encoding_to_char(encoding) as encoding from pg_database where datname = 'sendloom'`,
    ),
  ).toEqual([{ provider: 'b', locale: 'C.UTF-8', encoding: 'UTF8' }]);
  await second.stop();
});

test('another process can use a running server but cannot start it again', async () => {
  const otherProcess = await spawnStarter();
  await expect(start()).rejects.toThrow(/already running on the data in .* \(process \d+\)/);
  const borrowedServer = await borrowEmbeddedPostgres({ folder });
  expect(await query(borrowedServer.url, 'select * from kept')).toEqual([{ one: 1 }]);
  await borrowedServer.stop();
  expect(await query(borrowedServer.url, 'select 1 as still_there')).toHaveLength(1);
  const exit = exitOf(otherProcess);
  otherProcess.kill('SIGKILL');
  await exit;
});

test('startup stops a server left by a killed process and preserves its data', async () => {
  const messages: string[] = [];
  const server = await startEmbeddedPostgres({
    folder,
    isTemporary: true,
    print: (s) => messages.push(s),
  });
  expect(messages.join()).toContain('still running');
  expect(await query(server.url, 'select * from kept')).toEqual([{ one: 1 }]);
  await server.stop();
});

test('a pid file that names an unrelated process does not block startup', async () => {
  writeFileSync(join(folder, 'postgres', 'postmaster.pid'), `${process.pid}\n`);
  const server = await start();
  expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  await server.stop();
});

test('a server crash is detected and the server restarts at the same address', async () => {
  const server = await start();
  const pid = Number(
    readFileSync(join(folder, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0],
  );
  process.kill(pid, 'SIGKILL');
  await server.unexpectedExit;
  const restarted = await start();
  expect(restarted.url).toBe(server.url);
  await restarted.stop();
  expect(existsSync(join(folder, 'postgres', 'postmaster.pid'))).toBe(false);
});

test('a folder that cannot be created is refused', async () => {
  const file = join(folder, 'a-file');
  writeFileSync(file, '');
  await expect(startEmbeddedPostgres({ folder: join(file, 'data') })).rejects.toThrow(
    /cannot be created/,
  );
  await expect(startEmbeddedPostgres({ folder: '/proc/nowhere' })).rejects.toThrow(
    /cannot be created/,
  );
});

test('data from another major version is refused', async () => {
  const version = join(folder, 'postgres', 'PG_VERSION');
  writeFileSync(version, '99\n');
  await expect(start()).rejects.toThrow(
    /of PostgreSQL 99, but this release runs 18: start it with the newer/,
  );
  writeFileSync(version, '17\n');
  await expect(start()).rejects.toThrow(/npm run backup/);
});
