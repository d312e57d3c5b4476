import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, expect, inject, test } from 'vitest';
import { createDatabase } from '#platform/server/database/database.ts';
import { migrate } from '#platform/server/migrations/migrate.ts';
import { deleteExpiredProcesses } from '#platform/server/jobs/jobs.sql.ts';
import { createTestDatabase } from './database.ts';

const oneUrl = await createTestDatabase();
const oneDb = createDatabase(oneUrl, 1);
const otherDb = createDatabase(await createTestDatabase(), 1);
afterAll(() => Promise.all([oneDb.destroy(), otherDb.destroy()]));

test('each call of createTestDatabase returns a separate migrated database', async () => {
  await sql`insert into instance_settings values ('here', '1', clock_timestamp())`.execute(oneDb);
  const { rows } = await sql`select * from instance_settings`.execute(otherDb);
  expect(rows).toEqual([]);
  expect(await migrate(oneUrl)).toEqual([]);
});

test('product statements are recorded, and test statements are not', async () => {
  await deleteExpiredProcesses(oneDb, new Date(0));
  await sql`select 'asked by the test'`.execute(oneDb);
  const folder = inject('statementFolder');
  const recordedSql = readdirSync(folder)
    .map((file) => readFileSync(join(folder, file), 'utf8'))
    .join('');
  expect(recordedSql).toContain('processes');
  expect(recordedSql).not.toContain('asked by the test');
});
