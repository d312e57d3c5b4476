// Restoring a backup of an older version has the same result as an upgrade in place.
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createBareDatabase, createTestDatabase } from '#testing/setup/database.ts';
import { clock } from '../clock.ts';
import { createDatabase, type Db } from '../database/database.ts';
import { diskFiles, type FileStore } from '../files/files.ts';
import { migrate, readMigrations } from '../migrations/migrate.ts';
import { removeAll } from './snapshot.ts';
import { restoreBackup } from './restore.ts';
import { writeBackup } from './write.ts';

/** The older version ends with the delivery tables; later migrations add campaigns and more. */
const LAST_MIGRATION = '0016';
const OPTIONS = { connections: 2, print: () => {} };

let root: string;
let target: string;
let oldUrl: string;
let oldDb: Db;

beforeAll(async () => {
  root = await mkdtemp(path.join(os.tmpdir(), 'sendloom-older-'));
  target = path.join(root, 'sendloom.backup');
  const version = path.join(root, 'version');
  await mkdir(version);
  const migrations = path.resolve(import.meta.dirname, '../../../migrations');
  for (const { name } of await readMigrations(migrations)) {
    if (name.slice(0, 4) > LAST_MIGRATION) continue;
    await copyFile(path.join(migrations, name), path.join(version, name));
  }
  oldUrl = await createBareDatabase();
  await migrate(oldUrl, version);
  oldDb = createDatabase(oldUrl, 2);
  await fill(oldDb);
  const files = diskFiles(path.join(root, 'files'));
  await writeBackup({ databaseUrl: oldUrl, secret: 's'.repeat(40), files }, target, OPTIONS);
});
afterAll(async () => {
  await oldDb.destroy();
  await rm(root, { recursive: true, force: true });
});

async function fill(db: Db): Promise<void> {
  const at = clock.now();
  const times = { created_at: at, modified_at: at };
  const user = { email: 'a@b.example', email_key: 'a@b.example', ...times };
  await db.insertInto('users').values(user).execute();
  const { id } = await db
    .insertInto('accounts')
    .values({ title: 'Shop', ...times })
    .returning('id')
    .executeTakeFirstOrThrow();
  const subscribers = Array.from({ length: 500 }, (_, i) => {
    const email = `p${i}@x.example`;
    return { account_id: id, email, email_key: email, ...times };
  });
  await db.insertInto('subscribers').values(subscribers).execute();
  for (const month of ['2025-01-05', '2026-02-07']) {
    const openEvent = { message_id: 1, subscriber_id: 1, kind: 'open', sequence: 1 } as const;
    await db
      .insertInto('events')
      .values({ account_id: id, at: new Date(month), ...openEvent })
      .execute();
  }
}

const restoreInto = (databaseUrl: string) =>
  restoreBackup({ databaseUrl, files: diskFiles(path.join(root, 'restored')) }, target, OPTIONS);

test('restoring a backup from an older version has the same result as an in-place upgrade', async () => {
  const url = await createBareDatabase();
  await restoreInto(url);
  await migrate(oldUrl);
  const restoredDb = createDatabase(url, 2);
  for (const table of ['users', 'subscribers', 'events'] as const) {
    const rows = await oldDb.selectFrom(table).selectAll().execute();
    expect(rows, table).not.toEqual([]);
    expect(await restoredDb.selectFrom(table).selectAll().execute()).toEqual(rows);
  }
  for (const table of ['campaigns', 'workflows', 'webhook_endpoints'] as const) {
    expect(await restoredDb.selectFrom(table).selectAll().execute()).toEqual([]);
  }
  expect(await migrate(url)).toEqual([]);
  await restoredDb.destroy();
});

test('a restore refuses tables that are newer than the backup', async () => {
  const url = await createTestDatabase();
  await expect(restoreInto(url)).rejects.toThrow('The tables are newer than the backup');
  const restoredDb = createDatabase(url, 1);
  expect(await restoredDb.selectFrom('users').select('id').execute()).toEqual([]);
  await restoredDb.destroy();
});

test('removing restored files continues if one file cannot be removed', async () => {
  const remove = vi
    .fn<FileStore['remove']>()
    .mockRejectedValueOnce(new Error('the disk is read only'));
  remove.mockResolvedValue(undefined);
  await removeAll({ ...diskFiles(root), remove }, ['a', 'b', 'c']);
  expect(remove.mock.calls).toEqual([['a'], ['b'], ['c']]);
});
