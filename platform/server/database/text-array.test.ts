// PostgreSQL reads every value of an array literal unchanged.
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, expect, test } from 'vitest';
import { createTestDatabase } from '#testing/setup/database.ts';
import { createDatabase } from './database.ts';
import { textArray } from './text-array.ts';

const db = createDatabase(await createTestDatabase(), 1);
afterAll(() => db.destroy());

const text = fc.string({ unit: 'binary' }).map((value) => value.replaceAll('\0', ''));
const special = fc.constantFrom(
  '',
  'NULL',
  'null',
  '{',
  '}',
  ',',
  '"',
  '\\',
  '\\"',
  ' a ',
  '\n',
  '{"a":1}',
);

test('an array literal can contain any text and null', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.option(fc.oneof(text, special))), async (values) => {
      const { rows } = await sql<{ values: (string | null)[] }>`
        select ${textArray(values)}::text[] as values`.execute(db);
      expect(rows[0]?.values).toEqual(values);
    }),
    { numRuns: 100 },
  );
});

test('an array literal can contain numbers', async () => {
  const values = [0, -1, 9_007_199_254_740_991];
  const { rows } = await sql<{ values: number[] }>`
    select ${textArray(values)}::bigint[] as values`.execute(db);
  expect(rows[0]?.values).toEqual(values);
});
