// A restored backup is a consistent snapshot of the instance despite concurrent changes, the next
// backup replaces a killed one, and restoring a damaged backup changes nothing.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { createTestDatabase } from '#testing/setup/database.ts';
import { clock } from '../clock.ts';
import { createDatabase, type Db } from '../database/database.ts';
import { diskFiles, type FileStore } from '../files/files.ts';
import { insertJob } from '../jobs/jobs.sql.ts';
import { migrate } from '../migrations/migrate.ts';
import { sampleBackups } from '../monitoring/backup-figures.ts';
import * as backupFolder from './folder.ts';
import { copyPartOut } from './parts.sql.ts';
import { restoreBackup } from './restore.ts';
import { writeBackup } from './write.ts';

const SECRET = 's'.repeat(40);
const SUBSCRIBER_COUNT = 3_000;
/** The last assigned group ID; the group was deleted before the backup. */
const DELETED_GROUP_ID = 25_000_000;

let url: string;
let db: Db;
let root: string;
let files: FileStore;
let target: string;
let output: string[];
let accountId: number;

beforeAll(async () => {
  url = await createTestDatabase();
  db = createDatabase(url, 3);
  root = await mkdtemp(path.join(os.tmpdir(), 'sendloom-backup-'));
  files = diskFiles(path.join(root, 'files'));
  await fill();
});
beforeEach(async () => {
  output = [];
  target = path.join(await mkdtemp(path.join(root, 'to-')), 'sendloom.backup');
});
afterAll(async () => {
  await db.destroy();
  await rm(root, { recursive: true, force: true });
});

async function fill(): Promise<void> {
  const at = clock.now();
  const times = { created_at: at, modified_at: at };
  const user = { email: 'a@b.example', email_key: 'a@b.example', ...times };
  await db.insertInto('users').values(user).execute();
  const account = { title: 'Tab\there \\ "quoted"\nline', ...times };
  const accounts = await db.insertInto('accounts').values(account).returning('id').execute();
  accountId = accounts[0]?.id as number;
  await addPeople('p', SUBSCRIBER_COUNT);
  for (const month of ['2025-01-05', '2026-02-07']) {
    const event = { account_id: accountId, message_id: 1, subscriber_id: 1, sequence: 1 } as const;
    await db
      .insertInto('events')
      .values({ ...event, at: new Date(month), kind: 'open' })
      .execute();
  }
  await sql`select setval(pg_get_serial_sequence('groups', 'id'), ${DELETED_GROUP_ID})`.execute(db);
  await insertJob(db, 'imports.run', { import_id: 7 }, 5, { key: 'import-7' });
  await files.put('imports/1/people.csv', Readable.from([Buffer.alloc(3_000_000, 'x')]));
  await files.put('imports/1/more.bin', Readable.from([Buffer.alloc(1_000, 'y')]));
}

async function addPeople(name: string, count: number): Promise<void> {
  await sql`insert into subscribers (account_id, email, email_key, firstname, created_at, modified_at)
    select ${accountId}, e, e, 'سلام' || n, now(), now()
    from (select n, ${name} || n || '@x.example' as e from generate_series(1, ${count}::int) n) x`.execute(
    db,
  );
}

const backup = (changes: { files?: FileStore; connections?: number } = {}) =>
  writeBackup({ databaseUrl: url, secret: SECRET, files, ...changes }, target, {
    connections: changes.connections ?? 3,
    print: (sentence) => output.push(sentence),
  });

const restore = (databaseUrl: string, store = diskFiles(path.join(root, 'restored'))) =>
  restoreBackup({ databaseUrl, files: store }, target, {
    connections: 3,
    print: (sentence) => output.push(sentence),
  });

/** Returns the number and hash of the rows in each compared table. */
async function contents(databaseUrl: string): Promise<Record<string, string>> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const fingerprints: Record<string, string> = {};
  for (const table of ['users', 'accounts', 'subscribers', 'events', 'status_changes']) {
    const { rows } = await client.query(
      `select md5(coalesce(string_agg(t::text, ',' order by t::text), '')) as hash, count(*) from ${table} t`,
    );
    fingerprints[table] = `${rows[0].count} ${rows[0].hash}`;
  }
  await client.end();
  return fingerprints;
}

/** Writes a backup in a process that is killed after the rows and before the files. */
async function killBackup(): Promise<void> {
  const write = JSON.stringify(path.join(import.meta.dirname, 'write.ts'));
  const script = `
    const { writeBackup } = await import(${write});
    const files = { list() { process.kill(process.pid, 'SIGKILL'); } };
    const source = { databaseUrl: ${JSON.stringify(url)}, secret: 'x', files };
    const manner = { connections: 2, print() {} };
    await writeBackup(source, ${JSON.stringify(target)}, manner);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: 'inherit',
  });
  await once(child, 'exit');
  expect(child.signalCode).toBe('SIGKILL');
}

const sessions = async () => {
  const { rows } = await sql<{ name: string }>`select application_name as name from pg_stat_activity
    where datname = current_database() and application_name = 'backup'`.execute(db);
  return rows.map(({ name }) => name);
};

/** Inserts the rows that a start on the empty database leaves if it is killed. */
async function leaveTracesOfAStart(databaseUrl: string): Promise<void> {
  const emptyDatabase = createDatabase(databaseUrl, 1);
  const at = new Date('2026-01-01');
  const process = { id: 'web-1', role: 'web', started_at: at, seen_at: at };
  await emptyDatabase.insertInto('processes').values(process).execute();
  const bucket = { key: 'sign-in:::1', tokens: 1, refilled_at: at };
  await emptyDatabase.insertInto('rate_buckets').values(bucket).execute();
  await emptyDatabase.destroy();
}

async function nextId(restoredDb: Db, table: string): Promise<number> {
  const { rows } = await sql<{
    id: number;
  }>`select nextval(pg_get_serial_sequence(${table}, 'id')) as id`.execute(restoredDb);
  return Number(rows[0]?.id);
}

test('a restored backup has all data and advanced ID sequences, and sending is paused', async () => {
  const result = await backup();
  expect(result).toMatchObject({ files: 2 });
  expect(statSync(target).mode & 0o077).toBe(0);
  expect(existsSync(`${target}.partial`)).toBe(false);
  const figures = await sampleBackups(db);
  expect(figures.map(({ name, values }) => [name, values.map(({ value }) => value)])).toEqual([
    ['last_backup_timestamp_seconds', [Date.parse(result.at) / 1_000]],
    ['last_archived_wal_timestamp_seconds', []],
  ]);
  const emptyDatabase = await createTestDatabase();
  await leaveTracesOfAStart(emptyDatabase);
  expect(await restore(emptyDatabase)).toMatchObject({
    secret: SECRET,
    rows: result.rows,
    files: 2,
  });
  expect(await contents(emptyDatabase)).toEqual(await contents(url));
  const restoredDb = createDatabase(emptyDatabase, 1);
  const pausedSettings = await restoredDb.selectFrom('instance_settings').selectAll().execute();
  expect(pausedSettings).toMatchObject([{ key: 'sending_paused', value: { reason: 'restored' } }]);
  expect(await nextId(restoredDb, 'subscribers')).toBeGreaterThan(10_000_000);
  expect(await nextId(restoredDb, 'groups')).toBeGreaterThan(DELETED_GROUP_ID + 9_000_000);
  expect(await restoredDb.selectFrom('processes').selectAll().execute()).toEqual([]);
  expect(await restoredDb.selectFrom('rate_buckets').selectAll().execute()).toEqual([]);
  const jobs =
    await sql`select 1 from graphile_worker._private_jobs where key = 'import-7'`.execute(
      restoredDb,
    );
  expect(jobs.rows).toHaveLength(1);
  await restoredDb.destroy();
  await expect(restore(emptyDatabase)).rejects.toThrow('The target is not empty');
  // The snapshot is released as soon as it is no longer needed.
  await vi.waitFor(async () => expect(await sessions()).toEqual([]));
});

test('the page ranges of a table together contain each row exactly once', async () => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const count = async (range?: { from: number; to?: number }) => {
    const text = copyPartOut('subscribers', ['id'], range).replace(
      /^copy \((.*)\) to stdout$/,
      '$1',
    );
    return (await client.query(text)).rowCount ?? 0;
  };
  const parts = [
    await count({ from: 0, to: 7 }),
    await count({ from: 7, to: 20 }),
    await count({ from: 20 }),
  ];
  expect(parts.every((rows) => rows > 0)).toBe(true);
  expect(parts.reduce((total, rows) => total + rows, 0)).toBe(await count());
  await client.end();
});

test('a killed backup releases its snapshot, and the next backup replaces its folder', async () => {
  await killBackup();
  expect(existsSync(path.join(`${target}.partial`, 'rows', 'subscribers.zst'))).toBe(true);
  await vi.waitFor(async () => expect(await sessions()).toEqual([]), { timeout: 20_000 });
  const leftover = path.join(`${target}.partial`, 'rows', 'of-another-version.zst');
  writeFileSync(leftover, '');
  await backup();
  expect(await readdir(path.join(target, 'rows'))).not.toContain('of-another-version.zst');
  const emptyDatabase = await createTestDatabase();
  await restore(emptyDatabase);
  expect(await contents(emptyDatabase)).toEqual(await contents(url));
});

test('all parts of a backup are from one moment while subscribers are added', async () => {
  const before = await contents(url);
  const query = vi.spyOn(pg.Client.prototype, 'query');
  let isAdded = false;
  query.mockImplementation(function (this: pg.Client, ...args: unknown[]) {
    // The subscribers are committed after the snapshot and before the first part is read.
    if (String((args[0] as { text?: string }).text ?? args[0]).startsWith('set transaction')) {
      const addition = isAdded ? Promise.resolve() : addPeople('since', 50);
      isAdded = true;
      return addition.then(() => original.apply(this, args as never)) as never;
    }
    return original.apply(this, args as never) as never;
  } as never);
  await backup();
  query.mockRestore();
  expect(isAdded).toBe(true);
  expect(await contents(url)).not.toEqual(before);
  const emptyDatabase = await createTestDatabase();
  await restore(emptyDatabase);
  expect(await contents(emptyDatabase)).toEqual(before);
});

test('a concurrent backup into the same folder is refused', async () => {
  let finishFirst = () => {};
  const waits = new Promise<void>((settle) => (finishFirst = settle));
  const slowFiles = {
    ...files,
    async *list() {
      await waits;
      yield* files.list();
    },
  };
  const first = backup({ files: slowFiles });
  await vi.waitFor(() => expect(existsSync(`${target}.partial`)).toBe(true), { timeout: 20_000 });
  await expect(backup()).rejects.toThrow('Another backup is being written to');
  finishFirst();
  await first;
}, 30_000);

test('a backup that fails on a full disk leaves the previous backup and no partial folder', async () => {
  await backup();
  const before = readFileSync(path.join(target, 'manifest.json'), 'utf8');
  const fullFiles = {
    ...files,
    get: async () =>
      new Readable({
        read() {
          this.destroy(Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }));
        },
      }),
  };
  await expect(backup({ files: fullFiles })).rejects.toThrow('no space left');
  expect(readFileSync(path.join(target, 'manifest.json'), 'utf8')).toBe(before);
  expect(existsSync(`${target}.partial`)).toBe(false);
  await backup();
  expect(readFileSync(path.join(target, 'manifest.json'), 'utf8')).not.toBe(before);
});

const damages: [string, (file: string) => void, RegExp][] = [
  ['cut off', (file) => truncateSync(file, statSync(file).size - 10), /has the wrong size/],
  ['changed', (file) => flip(file, 30), /damaged: rows\/subscribers\.zst/],
  ['missing', (file) => rmSync(file), /is missing/],
];
const flip = (file: string, at: number) => {
  const bytes = readFileSync(file);
  bytes[at] = (bytes[at] ?? 0) ^ 255;
  writeFileSync(file, bytes);
};

test.each(damages)(
  'a part that is %s is refused, and no rows or files remain',
  async (_, damage, message) => {
    await backup();
    damage(path.join(target, 'rows', 'subscribers.zst'));
    const emptyDatabase = await createTestDatabase();
    const store = diskFiles(path.join(target, '..', 'store'));
    await expect(restore(emptyDatabase, store)).rejects.toThrow(message);
    const restoredDb = createDatabase(emptyDatabase, 1);
    for (const table of ['users', 'accounts', 'subscribers', 'instance_settings'] as const) {
      expect(await restoredDb.selectFrom(table).selectAll().execute()).toEqual([]);
    }
    await restoredDb.destroy();
    expect(await Array.fromAsync(store.list())).toEqual([]);
    // The target is empty again, so the next restore succeeds.
    await rm(target, { recursive: true });
    await backup();
    await restore(emptyDatabase, store);
    expect(await contents(emptyDatabase)).toEqual(await contents(url));
  },
);

test('a damaged file is found by its checksum before the restore connects to the database', async () => {
  await backup();
  const unreachable = 'postgres://127.0.0.1:1/none';
  await expect(restore(unreachable)).rejects.toThrow('ECONNREFUSED');
  const [file] = await readdir(path.join(target, 'files'), { recursive: true }).then((all) =>
    all.filter((name) => name.endsWith('.zst')),
  );
  flip(path.join(target, 'files', file ?? ''), 8);
  await expect(restore(unreachable)).rejects.toThrow(
    new RegExp(`damaged: files/${file} has the SHA-256 [0-9a-f]{64} instead of [0-9a-f]{64}`),
  );
});

test('a killed restore blocks startup until the next restore removes its rows', async () => {
  await backup();
  const emptyDatabase = await createTestDatabase();
  const dying = {
    ...files,
    size: async () => {
      throw new Error('killed');
    },
  } as FileStore;
  // Prevents the cleanup, as if the process had been killed.
  const query = vi.spyOn(pg.Client.prototype, 'query');
  query.mockImplementation(function (this: pg.Client, ...args: unknown[]) {
    if (String(args[0]).startsWith('truncate')) throw new Error('gone');
    return original.apply(this, args as never) as never;
  } as never);
  await expect(restore(emptyDatabase, dying)).rejects.toThrow('killed');
  query.mockRestore();
  await expect(migrate(emptyDatabase)).rejects.toThrow('did not finish');
  await restore(emptyDatabase);
  expect(output.join()).toContain('Removing the rows of an earlier restore');
  expect(await contents(emptyDatabase)).toEqual(await contents(url));
  expect(await migrate(emptyDatabase)).toEqual([]);
});
const original = pg.Client.prototype.query;

test('a restore refuses a folder without a backup and a backup from a newer version', async () => {
  const emptyDatabase = await createTestDatabase();
  target = root;
  await expect(restore(emptyDatabase)).rejects.toThrow('manifest.json is missing');
  target = path.join(await mkdtemp(path.join(root, 'to-')), 'newer');
  await backup();
  const file = path.join(target, 'manifest.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as backupFolder.Manifest;
  await backupFolder.writeJson(file, {
    ...manifest,
    migrations: [...manifest.migrations, '9999-x.sql'],
  });
  await expect(restore(emptyDatabase)).rejects.toThrow(
    'newer than this program: it has the unknown migration 9999-x.sql',
  );
  await backupFolder.writeJson(file, { ...manifest, format: 3 });
  await expect(restore(emptyDatabase)).rejects.toThrow('This is not a Sendloom backup');
});
