// A backup made by the last checkout before the squash of migrations (testing/backup-before-squash:
// 60 subscribers, three sent campaigns, a store, forms, workflows) is converted and restored. Other
// backups, and a database from before the squash, are refused.
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { restoreBackup } from '#platform/server/backup/restore.ts';
import { diskFiles } from '#platform/server/files/files.ts';
import { migrate } from '#platform/server/migrations/migrate.ts';
import { createBareDatabase, createTestDatabase } from '#testing/setup/database.ts';
import { convertBackup } from './convert-backup.ts';

const OLD_BACKUP = path.join(import.meta.dirname, '..', 'testing', 'backup-before-squash');

let root: string;
beforeAll(async () => {
  root = await mkdtemp(path.join(os.tmpdir(), 'sendloom-convert-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

const restoreInto = (databaseUrl: string, folder: string) =>
  restoreBackup({ databaseUrl, files: diskFiles(path.join(root, 'files')) }, folder, {
    connections: 2,
    print: () => {},
  });

async function query<Row extends pg.QueryResultRow>(url: string, statement: string) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(statement)).rows;
  } finally {
    await client.end();
  }
}

test('a backup from before the squash is converted and restored with all its rows', async () => {
  const target = path.join(root, 'converted');
  await convertBackup(OLD_BACKUP, target);
  const url = await createBareDatabase();
  const { secret, rows } = await restoreInto(url, target);
  expect(rows).toBe(1580);
  expect(secret).toHaveLength(43);
  const [counts] = await query(
    url,
    `select (select count(*)::int from subscribers where email_status = 'active') as active,
      (select count(*)::int from subscribers where email_status = 'unsubscribed') as unsubscribed,
      (select count(*)::int from status_changes) as changes,
      (select count(*)::int from consents) as consents,
      (select count(*)::int from suppressions) as suppressions,
      (select count(*)::int from group_members) as members,
      (select count(*)::int from content_revisions where html is not null) as contents,
      (select count(*)::int from saved_templates) as templates,
      (select count(*)::int from campaigns where status = 'SENT') as sent,
      (select sum(human_opens)::int from engagement_counts) as opens,
      (select count(*)::int from orders where field_times is not null) as orders,
      (select count(*)::int from forms) as forms,
      (select count(*)::int from workflow_steps) as steps`,
  );
  expect(counts).toEqual({
    active: 55,
    unsubscribed: 4,
    changes: 5,
    consents: 60,
    suppressions: 5,
    members: 101,
    contents: 7,
    templates: 1,
    sent: 3,
    opens: 58,
    orders: 89,
    forms: 2,
    steps: 11,
  });
  const renamedCounts = await query(
    url,
    `select 'webhook_endpoints' as name, count(*)::int from webhook_endpoints union all
    select 'provider_hooks', count(*)::int from provider_hooks union all
    select 'transactional_sms', count(*)::int from transactional_sms union all
    select 'sms_clicks', count(*)::int from sms_clicks`,
  );
  expect(Object.fromEntries(renamedCounts.map(({ name, count }) => [name, count]))).toEqual({
    webhook_endpoints: 1,
    provider_hooks: 1,
    transactional_sms: 1,
    sms_clicks: 2,
  });
  // New rows get IDs beyond the old installation's IDs.
  const [next] = await query(
    url,
    `insert into webhook_endpoints (account_id, url, topic, created_at)
    select id, 'https://hooks.example/b', 'subscribers/new', now() from accounts returning id::int`,
  );
  expect(next?.id).toBeGreaterThan(1_000_000);
}, 60_000);

test('a conversion refuses other backups and existing folders, and leaves nothing behind', async () => {
  const target = path.join(root, 'refused');
  await expect(convertBackup(OLD_BACKUP, root)).rejects.toThrow('already exists');
  await expect(convertBackup(path.join(root, 'nowhere'), target)).rejects.toThrow(
    'manifest.json is missing',
  );
  const changedFolder = path.join(root, 'changed');
  await cp(OLD_BACKUP, changedFolder, { recursive: true });
  const file = path.join(changedFolder, 'manifest.json');
  const manifest = JSON.parse(await readFile(file, 'utf8')) as { migrations: string[] };
  const saveManifest = (migrations: string[]) =>
    writeFile(file, JSON.stringify({ ...manifest, migrations }));
  await saveManifest(manifest.migrations.slice(0, -1));
  await expect(convertBackup(changedFolder, target)).rejects.toThrow('lacks the migration 0195-');
  await saveManifest(['0001-platform.sql', '0002-accounts.sql']);
  await expect(convertBackup(changedFolder, target)).rejects.toThrow('needs no conversion');
  await saveManifest(manifest.migrations);
  await rm(path.join(changedFolder, 'rows', 'orders.zst'));
  await expect(convertBackup(changedFolder, target)).rejects.toThrow('orders.zst is missing');
  expect((await readdir(root)).filter((name) => name.startsWith('refused'))).toEqual([]);
});

test('an unconverted backup and a database from before the squash are refused with instructions', async () => {
  const url = await createTestDatabase();
  await expect(restoreInto(url, OLD_BACKUP)).rejects.toThrow('npm run convert-backup');
  await query(
    url,
    `update schema_migrations set name = '0004-people.sql' where name like '0004-%'`,
  );
  await expect(migrate(url)).rejects.toThrow('was left unchanged');
});
