// The restore command refuses targets in use, and the backup and restore commands explain invalid
// arguments; platform/server/backup/backup.test.ts covers the restored content.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { createDatabase, ping } from '#platform/server/database/database.ts';
import { startEmbeddedPostgres } from '#platform/server/database/embedded-postgres.ts';
import { startHeartbeat } from '#platform/server/jobs/heartbeat.ts';
import { createTestDatabase } from '#testing/setup/database.ts';

const folder = mkdtempSync(join(tmpdir(), `sendloom-test-${process.pid}-restore-`));
const file = join(folder, 'sendloom.backup');
writeFileSync(file, 'no backup');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function restore(env: NodeJS.ProcessEnv): Promise<string> {
  const command = [join(import.meta.dirname, 'restore.ts'), file];
  const options = { env: { ...process.env, NODE_ENV: 'development', ...env } };
  return new Promise((settle) => {
    execFile(process.execPath, command, options, (_, out, errors) => settle(out + errors));
  });
}

test('restore refuses while the product runs', async () => {
  const url = await createTestDatabase();
  const env = { DATABASE_URL: url, DATA_DIR: join(folder, 'own') };
  // The connection string sets an application name, as connection strings of managed databases may.
  const role = createDatabase(`${url}?application_name=shop`, 1, 'sendloom web');
  await ping(role);
  expect(await restore(env)).toContain('(sendloom web): stop it first');
  await role.destroy();
  expect(await restore(env)).toContain('This is not a Sendloom backup');
});

test('restore refuses while a role without a database session has a recent heartbeat', async () => {
  const url = await createTestDatabase();
  const env = { DATABASE_URL: url, DATA_DIR: join(folder, 'idle') };
  const db = createDatabase(url, 1);
  const presence = await startHeartbeat(db, 'web');
  expect(await restore(env)).toContain('(sendloom web): stop it first');
  await presence.close();
  expect(await restore(env)).toContain('This is not a Sendloom backup');
  // A killed role leaves its last heartbeat, which expires.
  const webPresence = await startHeartbeat(db, 'web');
  await sql`update processes set seen_at = now() - interval '31 seconds'`.execute(db);
  expect(await restore(env)).toContain('This is not a Sendloom backup');
  await webPresence.close();
  await db.destroy();
});

test('restore refuses a data folder while its embedded database runs', async () => {
  const data = join(folder, 'data');
  const server = await startEmbeddedPostgres({ folder: data, isTemporary: true });
  const env = { DATABASE_URL: '', DATA_DIR: data };
  expect(await restore(env)).toMatch(/already running on the data in .*: stop it first/);
  await server.stop();
}, 60_000);

test('invalid arguments of backup and restore print an explanation', async () => {
  const run = (command: string, ...args: string[]) =>
    new Promise<string>((settle) => {
      const file = join(import.meta.dirname, `${command}.ts`);
      execFile(process.execPath, [file, ...args], (_, out, errors) => settle(out + errors));
    });
  expect(await run('backup')).toBe('Specify the folder: npm run backup -- <folder>\n');
  expect(await run('backup', 'a', '--connections', '0')).toBe(
    '--connections must be a whole number from 1 to 64.\n',
  );
  expect(await run('restore', 'a', '--fast')).toContain("Unknown option '--fast'");
  expect(await run('restore', join(folder, 'nowhere'))).toContain('Backup not found: ');
});
