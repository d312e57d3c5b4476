// Places are the same in TypeScript and in SQL, spread evenly, and independent between salts.
import { afterAll, beforeAll, expect, test } from 'vitest';
import fc from 'fast-check';
import { sql } from 'kysely';
import { createDatabase, type Db } from '#platform/server/database/database.ts';
import { createBareDatabase } from '#testing/setup/database.ts';
import { drawPlace } from './place.ts';
import { placeExpression } from './place.sql.ts';

let db: Db;
beforeAll(async () => {
  db = createDatabase(await createBareDatabase(), 1);
});
afterAll(() => db.destroy());

test('the place in SQL equals the place in TypeScript', async () => {
  const ids = fc.array(fc.maxSafeNat(), { minLength: 1, maxLength: 50 });
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'grapheme' }), ids, async (text, numbers) => {
      const salt = text.replaceAll('\0', '').toWellFormed();
      const placeColumn = placeExpression(salt, sql<number>`id`);
      const { rows } = await sql<{ place: number }>`
        select ${placeColumn} as place from unnest(${numbers}::bigint[]) with ordinality as n(id, at)
        order by at`.execute(db);
      expect(rows.map((row) => row.place)).toEqual(numbers.map((id) => drawPlace(salt, id)));
    }),
    { numRuns: 40, seed: 1 },
  );
});

test('places are evenly distributed, and places of two salts are independent', () => {
  const COUNT = 40_000;
  const cells = Array.from({ length: 100 }, () => 0);
  for (let id = 1; id <= COUNT; id += 1) {
    const [first, second] = [drawPlace('experiment/1', id), drawPlace('spread/1', id)];
    const cell = Math.floor(first / 1_000) * 10 + Math.floor(second / 1_000);
    cells[cell] = (cells[cell] ?? 0) + 1;
  }
  const expected = COUNT / cells.length;
  const chiSquare = cells.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  // The 99.9th percentile of chi square with 99 degrees of freedom.
  expect(chiSquare).toBeLessThan(148.2);
});
