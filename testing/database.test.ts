import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { createDatabase } from '#platform/server/database.ts';
import { testDatabase } from './database.ts';

const oneUrl = await testDatabase();
const otherUrl = await testDatabase();

test('each file has a migrated database of its own', async () => {
  const one = createDatabase(oneUrl, 1);
  const other = createDatabase(otherUrl, 1);
  await sql`insert into instance_settings values ('here', '1', clock_timestamp())`.execute(one);
  const { rows } = await sql`select * from instance_settings`.execute(other);
  expect(rows).toEqual([]);
  await Promise.all([one.destroy(), other.destroy()]);
});
