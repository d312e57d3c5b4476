// Buckets are the same in TypeScript and in SQL, spread evenly, and independent between salts.
import { afterAll, beforeAll, expect, test } from 'vitest';
import fc from 'fast-check';
import { sql } from 'kysely';
import { createDatabase, type Db } from '#platform/server/database/database.ts';
import { createBareDatabase } from '#testing/setup/database.ts';
import { computeBucket } from './bucket.ts';
import { bucketExpression } from './bucket.sql.ts';

let db: Db;
beforeAll(async () => {
  db = createDatabase(await createBareDatabase(), 1);
});
afterAll(() => db.destroy());

test('SQL and TypeScript compute the same bucket', async () => {
  const ids = fc.array(fc.maxSafeNat(), { minLength: 1, maxLength: 50 });
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme' }), ids, async (text, numbers) => {
      const salt = text.replaceAll('\0', '').toWellFormed();
      const bucketColumn = bucketExpression(salt, sql<number>`id`);
      const { rows } = await sql<{ bucket: number }>`
        select ${bucketColumn} as bucket from unnest(${numbers}::bigint[]) with ordinality as n(id, at)
        order by at`.execute(db);
      expect(rows.map((row) => row.bucket)).toEqual(numbers.map((id) => computeBucket(salt, id)));
    }),
    { numRuns: 40, seed: 1 },
  );
});

test('buckets are evenly distributed, and buckets of two salts are independent', () => {
  const COUNT = 40_000;
  const cells = Array.from({ length: 100 }, () => 0);
  for (let id = 1; id <= COUNT; id += 1) {
    const [first, second] = [computeBucket('experiment/1', id), computeBucket('spread/1', id)];
    const cell = Math.floor(first / 1_000) * 10 + Math.floor(second / 1_000);
    cells[cell] = (cells[cell] ?? 0) + 1;
  }
  const expected = COUNT / cells.length;
  const chiSquare = cells.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  // The 99.9th percentile of chi square with 99 degrees of freedom.
  expect(chiSquare).toBeLessThan(148.2);
});
