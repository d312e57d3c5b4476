// After a restore with PostgreSQL's tools, the command `restored` advances the sequences and pauses
// sending; it refuses while the product runs.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { resumeInstance } from '#areas/delivery/server/ledger/index.ts';
import { createDatabase, inTransaction } from '#platform/server/database/database.ts';
import { readInstanceSetting } from '#platform/server/database/instance-settings.sql.ts';
import { startHeartbeat } from '#platform/server/jobs/heartbeat.ts';
import { clusterNodes } from '#testing/setup/cluster.ts';
import { createTestDatabase } from '#testing/setup/database.ts';

const folder = mkdtempSync(join(tmpdir(), `sendloom-test-${process.pid}-restored-`));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The nodes of a test cluster were never restored to a common point. */
const anyPoint = clusterNodes() ? ['--any-point'] : [];

/** On a cluster, this line precedes the other output. */
const SETTLED =
  /^The restore points of the nodes were not checked; \d+ distributed transactions were resolved\.\n/;

function runRestored(url: string, args: string[] = anyPoint): Promise<string> {
  const options = {
    env: { ...process.env, NODE_ENV: 'development', DATABASE_URL: url, DATA_DIR: folder },
  };
  const command = [join(import.meta.dirname, 'restored.ts'), ...args];
  return new Promise((settle) => {
    execFile(process.execPath, command, options, (_, out, errors) =>
      settle((out + errors).replace(SETTLED, '')),
    );
  });
}

test('the restored command advances ID sequences and pauses sending, but not while the product runs', async () => {
  const url = await createTestDatabase();
  const db = createDatabase(url, 2);
  const newAccount = async () => {
    const { rows } = await sql<{ id: number }>`insert into accounts (title, created_at, modified_at)
      values ('Shop', now(), now()) returning id`.execute(db);
    return Number(rows[0]?.id);
  };
  const firstAccount = await newAccount();
  const presence = await startHeartbeat(db, 'sender');
  expect(await runRestored(url)).toContain('(sendloom sender): stop it first');
  expect(await newAccount()).toBe(firstAccount + 1);
  await presence.close();

  expect(await runRestored(url)).toMatch(
    /^Sending is paused, and \d\d+ ID sequences were advanced/,
  );
  expect(await newAccount()).toBeGreaterThan(firstAccount + 10_000_000);
  expect(await readInstanceSetting(db, 'sending_paused')).toMatchObject({ reason: 'restored' });
  expect(await runRestored(url)).toMatch(/^Sending is paused/);
  expect(await inTransaction(db, resumeInstance)).toBe(true);
  await db.destroy();
});

test('the restored command refuses a database without Sendloom tables', async () => {
  const url = new URL(await createTestDatabase());
  const db = createDatabase(url.href, 1);
  const name = `empty_${process.pid}`;
  await sql`create database ${sql.ref(name)}`.execute(db);
  url.pathname = `/${name}`;
  expect(await runRestored(url.href)).toContain('This database contains no Sendloom tables');
  await sql`drop database ${sql.ref(name)}`.execute(db);
  await db.destroy();
});

test.runIf(clusterNodes())(
  'the restored command refuses a cluster whose nodes were not restored to one point',
  async () => {
    const url = await createTestDatabase();
    expect(await runRestored(url, [])).toMatch(
      /^All nodes of a cluster .* to no point, .* to no point\.$/m,
    );
    const db = createDatabase(url, 1);
    expect(await readInstanceSetting(db, 'sending_paused')).toBeUndefined();
    await db.destroy();
  },
);
