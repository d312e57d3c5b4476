// Single-file backups of earlier versions: restored elsewhere they give the same instance; a
// damaged, truncated or foreign one changes nothing. backup/backup.test.ts covers the current
// format.
import { randomBytes } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { bareDatabase, testDatabase } from '#testing/database.ts';
import { writeOldBackup } from '#testing/old-backup.ts';
import { clock } from './clock.ts';
import { createDatabase, type Db } from './database.ts';
import { diskFiles, type FileStore } from './files.ts';
import { addJobStatement } from './jobs.sql.ts';
import { migrate, readMigrations } from './migrate.ts';
import { readSnapshot } from './snapshot.ts';

/** The last id of groups that were purged. */
const PURGED_GROUPS = 25_000_000;

let url: string;
let emptyUrl: string;
let db: Db;
let restored: Db;
let folder: string;
let files: FileStore;
let snapshot: Buffer;

beforeAll(async () => {
  url = await testDatabase();
  emptyUrl = await testDatabase();
  db = createDatabase(url, 4);
  restored = createDatabase(emptyUrl, 4);
  // Rows of a start on the empty database that was killed.
  const at = new Date('2026-01-01');
  const left = { role: 'web', started_at: at, seen_at: at };
  await restored
    .insertInto('processes')
    .values({ id: 'web-1', ...left })
    .execute();
  await restored
    .insertInto('rate_buckets')
    .values({ key: 'sign-in:::1', tokens: 1, refilled_at: at })
    .execute();
  folder = await mkdtemp(path.join(os.tmpdir(), 'sendloom-snapshot-'));
  files = diskFiles(path.join(folder, 'a'));
  await fill(db);
  snapshot = await written(url);
});

afterAll(async () => {
  await db.destroy();
  await restored.destroy();
  await rm(folder, { recursive: true, force: true });
});

async function written(databaseUrl: string): Promise<Buffer> {
  const out = new PassThrough();
  const [bytes] = await Promise.all([
    buffer(out),
    writeOldBackup({ databaseUrl, secret: 's'.repeat(40), files }, out),
  ]);
  return bytes;
}

async function fill(db: Db): Promise<void> {
  const at = clock.now();
  const times = { created_at: at, modified_at: at };
  await db
    .insertInto('users')
    .values({ email: 'a@b.example', email_key: 'a@b.example', ...times })
    .execute();
  const { id } = await db
    .insertInto('accounts')
    .values({ title: 'Tab\there \\ "quoted"\nline', ...times })
    .returning('id')
    .executeTakeFirstOrThrow();
  await db
    .insertInto('subscribers')
    .values(
      Array.from({ length: 500 }, (_, i) => ({
        account_id: id,
        email: `p${i}@x.example`,
        email_key: `p${i}@x.example`,
        field_values: JSON.stringify({ 1: 'سلام', 2: i }),
        ...times,
      })),
    )
    .execute();
  for (const month of ['2025-01-05', '2026-02-07']) {
    await db
      .insertInto('events')
      .values({
        account_id: id,
        at: new Date(month),
        message_id: 1,
        subscriber_id: 1,
        kind: 'open',
        sequence: 1,
      })
      .execute();
  }
  await sql`select setval(pg_get_serial_sequence('groups', 'id'), ${PURGED_GROUPS})`.execute(db);
  await addJobStatement(db, 'imports.run', { import_id: 7 }, 5, { key: 'import-7' });
  await files.put('imports/1/people.csv', Readable.from([Buffer.alloc(3_000_000, 'x')]));
  await files.put('imports/1/more.bin', Readable.from([randomBytes(4_000_000)]));
}

const into = (name: string, databaseUrl = emptyUrl) => ({
  databaseUrl,
  files: diskFiles(path.join(folder, name)),
});
const source = (bytes: Buffer) => Readable.from([bytes.subarray(0, 1000), bytes.subarray(1000)]);

test.each([
  ['cut off', () => snapshot.subarray(0, snapshot.length - 200)],
  ['no backup at all', () => Buffer.from('PK this is some other file')],
  ['empty', () => Buffer.alloc(0)],
])('%s: refused, and no data is written', async (_, bytes) => {
  await expect(readSnapshot(into('refused'), source(bytes()))).rejects.toThrow(
    /backup|zstd|cut off|unexpected end/i,
  );
  expect(await restored.selectFrom('users').select('id').execute()).toEqual([]);
  expect(await Array.fromAsync(into('refused').files.list())).toEqual([]);
});

test('a backup truncated within its files leaves none of them behind', async () => {
  const { files: store } = into('half');
  const put = vi.spyOn(store, 'put');
  const half = source(snapshot.subarray(0, snapshot.length - 300));
  await expect(readSnapshot({ databaseUrl: emptyUrl, files: store }, half)).rejects.toThrow();
  expect(put).toHaveBeenCalledTimes(2);
  expect(await Array.fromAsync(store.list())).toEqual([]);
});

test('a truncated backup reports so even if files cannot be deleted, and deletes as many as it can', async () => {
  const { files: store } = into('stuck');
  vi.spyOn(store, 'remove').mockRejectedValueOnce(new Error('the disk is read only'));
  const half = source(snapshot.subarray(0, snapshot.length - 300));
  const restoring = readSnapshot({ databaseUrl: emptyUrl, files: store }, half);
  await expect(restoring).rejects.toThrow(/cut off|unexpected end/i);
  expect(await Array.fromAsync(store.list())).toHaveLength(1);
});

test('a restore recovers all data, pauses sending and never overwrites a used instance', async () => {
  const facts = await readSnapshot(into('b'), source(snapshot));
  expect(facts).toMatchObject({
    secret: 's'.repeat(40),
    files: 2,
    rows: { subscribers: 500, events: 2 },
  });
  for (const table of ['users', 'accounts', 'subscribers', 'events'] as const) {
    expect(await restored.selectFrom(table).selectAll().execute()).toEqual(
      await db.selectFrom(table).selectAll().execute(),
    );
  }
  expect(await into('b').files.size('imports/1/people.csv')).toBe(3_000_000);
  const paused = await restored.selectFrom('instance_settings').selectAll().executeTakeFirst();
  expect(paused).toMatchObject({ key: 'sending_paused', value: { reason: 'restored' } });
  await expect(readSnapshot(into('c'), source(snapshot))).rejects.toThrow(
    'There is data here already',
  );
});

test('an id in an email sent after the backup is never reused', async () => {
  const at = clock.now();
  const times = { created_at: at, modified_at: at };
  const { account_id } = await restored
    .selectFrom('subscribers')
    .select('account_id')
    .executeTakeFirstOrThrow();
  const email = 'since@x.example';
  const person = { account_id, email, email_key: email, ...times };
  const since = (into: Db) =>
    into.insertInto('subscribers').values(person).returning('id').executeTakeFirstOrThrow();
  const bob = await since(db);
  const carol = await since(restored);
  expect(carol.id).toBeGreaterThan(bob.id + 9_000_000);
  // Includes tables without rows, and those whose last rows were purged before the backup.
  const first = { account_id, title: 'Spring', title_key: 'spring', ...times };
  const group = await restored
    .insertInto('groups')
    .values(first)
    .returning('id')
    .executeTakeFirstOrThrow();
  expect(group.id).toBeGreaterThan(PURGED_GROUPS + 9_000_000);
  // Emails still fit the ids after three restores in a row.
  expect(carol.id * 3).toBeLessThan(2 ** 32);
});

describe('a backup of an older version', () => {
  /** The last migration before the summaries of subscribers and opens. */
  const LAST = '0016';
  let old: Db;
  let oldUrl: string;
  let older: Buffer;

  beforeAll(async () => {
    const version = path.join(folder, 'version');
    await mkdir(version);
    const here = path.resolve(import.meta.dirname, '../../migrations');
    for (const { name } of await readMigrations(here)) {
      if (name.slice(0, 4) <= LAST) await copyFile(path.join(here, name), path.join(version, name));
    }
    oldUrl = await bareDatabase();
    await migrate(oldUrl, version);
    old = createDatabase(oldUrl, 2);
    await fill(old);
    older = await written(oldUrl);
  });
  afterAll(() => old.destroy());

  test('has the same data as an upgrade in place', async () => {
    const target = await bareDatabase();
    await readSnapshot(into('d', target), source(older));
    await migrate(oldUrl);
    const now = createDatabase(target, 2);
    for (const table of ['subscribers', 'subscriber_times', 'engagement_by'] as const) {
      const rows = await old.selectFrom(table).selectAll().execute();
      expect(rows, table).not.toEqual([]);
      expect(await now.selectFrom(table).selectAll().execute()).toEqual(rows);
    }
    expect(await migrate(target)).toEqual([]);
    await now.destroy();
  });

  test('is refused by newer tables that would skip its rows', async () => {
    const target = await testDatabase();
    await expect(readSnapshot(into('e', target), source(older))).rejects.toThrow(
      'The tables here are newer than the backup',
    );
    const now = createDatabase(target, 1);
    expect(await now.selectFrom('users').select('id').execute()).toEqual([]);
    await now.destroy();
  });
});
