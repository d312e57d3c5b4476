// Measures a backup of a large account and its restore, over one connection and then over the given
// number of connections, on the same database. Subscribers and group members must be equal after
// each restore. npm run bench -- backup [--json] [--people 1000000] [--connections 4]
import { mkdtempSync, rmSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { migrateDatabase } from '#main/prepare.ts';
import { restoreBackup } from '#platform/server/backup/restore.ts';
import { writeBackup } from '#platform/server/backup/write.ts';
import { createDatabase } from '#platform/server/database/database.ts';
import { startEmbeddedPostgres } from '#platform/server/database/embedded-postgres.ts';
import { diskFiles } from '#platform/server/files/files.ts';
import { fillAccount } from '#testing/worlds/whole-account.ts';

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    people: { type: 'string', default: '1000000' },
    connections: { type: 'string', default: '4' },
  },
  allowPositionals: true,
});
const subscriberCount = Number(values.people);
const connections = Number(values.connections);

type BackupMeasurement = { what: string; seconds: number; megabytes?: number };

const folder = mkdtempSync(join(tmpdir(), 'sendloom-bench-backup-'));
const server = await startEmbeddedPostgres({ folder });
try {
  await migrateDatabase(server.url);
  const db = createDatabase(server.url, 2);
  await fillAccount(db, subscriberCount);
  await sql`checkpoint`.execute(db);
  const source = {
    databaseUrl: server.url,
    secret: 's'.repeat(40),
    files: diskFiles(join(folder, 'files')),
  };
  const target = join(folder, 'backup');
  const measurements: BackupMeasurement[] = [];
  const measureStep = async (
    step: string,
    work: () => Promise<unknown>,
    size?: () => Promise<number>,
  ) => {
    const startedAt = performance.now();
    await work();
    const seconds = (performance.now() - startedAt) / 1_000;
    measurements.push({
      what: step,
      seconds,
      ...(size ? { megabytes: (await size()) / 1e6 } : {}),
    });
    if (!values.json) console.log(`${step}: ${seconds.toFixed(1)} s`);
  };
  const options = { connections: 1, print: () => {} };
  const several = { ...options, connections };
  await measureStep(
    'backup over one connection',
    () => writeBackup(source, target, options),
    () => sizeOf(target),
  );
  await measureStep(
    `backup over ${connections} connections`,
    () => writeBackup(source, target, several),
    () => sizeOf(target),
  );
  const createEmptyDatabase = async (name: string) => {
    await sql`create database ${sql.raw(name)}`.execute(db);
    await sql`checkpoint`.execute(db);
    const url = new URL(server.url);
    url.pathname = `/${name}`;
    return { databaseUrl: url.href, files: diskFiles(join(folder, name)) };
  };
  const [singleTarget, severalTarget] = [
    await createEmptyDatabase('single'),
    await createEmptyDatabase('several'),
  ];
  await measureStep('restore over one connection', () =>
    restoreBackup(singleTarget, target, options),
  );
  await measureStep(`restore over ${connections} connections`, () =>
    restoreBackup(severalTarget, target, several),
  );
  const sourceHash = await hashOf(server.url);
  for (const { databaseUrl } of [singleTarget, severalTarget]) {
    const restoredHash = await hashOf(databaseUrl);
    if (restoredHash !== sourceHash)
      throw new Error(`Restored ${restoredHash} instead of ${sourceHash}`);
  }
  if (values.json)
    console.log(JSON.stringify({ people: subscriberCount, connections, figures: measurements }));
  else
    for (const { what, megabytes } of measurements)
      if (megabytes) console.log(`${what}: ${megabytes.toFixed(1)} MB`);
  await db.destroy();
} finally {
  await server.stop();
  rmSync(server.cluster, { recursive: true, force: true });
  rmSync(folder, { recursive: true, force: true });
}

async function hashOf(url: string): Promise<string> {
  const db = createDatabase(url, 1);
  const { rows } = await sql<{ hash: string }>`select
    (select sum(hashtextextended(t::text, 0))::text || ' ' || count(*) from subscribers t) || ' ' ||
    (select sum(hashtextextended(t::text, 0))::text || ' ' || count(*) from group_members t) as hash`.execute(
    db,
  );
  await db.destroy();
  return rows[0]?.hash ?? '';
}

async function sizeOf(root: string): Promise<number> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const sizes = entries.map(async (entry) =>
    entry.isFile() ? (await stat(join(entry.parentPath, entry.name))).size : 0,
  );
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
