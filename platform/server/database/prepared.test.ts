// A statement is built once, with placeholders for its values, and prepared once per connection.
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '#testing/setup/database.ts';
import { createDatabase, type Db, inTransaction } from './database.ts';
import { prepareStatement } from './prepared.ts';

let db: Db;

beforeAll(async () => {
  // The tests share one connection, because statements are prepared per connection.
  db = createDatabase(await createTestDatabase(), 1);
});
afterAll(() => db.destroy());

type Values = { first: number; words: string; at: Date; bytes: Buffer };
let buildCount = 0;
const statement = prepareStatement<Values>((v) => {
  buildCount++;
  return sql`select ${v.first}::int as one, ${v.first}::int + ${7}::int as two, ${v.words}::text as words,
    ${v.at}::timestamptz as at, ${v.bytes}::bytea as bytes, null::text as nothing`;
});
const at = new Date('2026-03-29T00:59:59.123Z');
const bytes = Buffer.from([0, 255]);

test('a statement is built and prepared once and accepts new values each time', async () => {
  for (const first of [1, 2, 3]) {
    const text = `it's $1 ${first}`;
    const row = [first, first + 7, text, at, bytes, null];
    expect(await statement(db, { first, words: text, at, bytes })).toEqual([row]);
  }
  expect(buildCount).toBe(1);
  const { rows } = await sql<{ parameters: number; runs: number }>`
    select cardinality(parameter_types) as parameters, custom_plans + generic_plans as runs
    from pg_prepared_statements where statement like '%as nothing'`.execute(db);
  expect(rows).toEqual([{ parameters: 5, runs: 3 }]);
});

test('a statement can run within a transaction', async () => {
  const rows = await inTransaction(db, (tx) => statement(tx, { first: 4, words: '', at, bytes }));
  expect(rows).toEqual([[4, 11, '', at, bytes, null]]);
});

test('a statement cannot spread its values, because their names are unknown while it is built', async () => {
  const spread = prepareStatement<{ first: number }>((v) => sql`select ${{ ...v }.first}::int`);
  await expect(spread(db, { first: 1 })).rejects.toThrow('read by name');
});
