// Limits hold, and concurrent calls do not use up each other's tokens.
import { expect, test } from 'vitest';
import { createTestDatabase } from '#testing/setup/database.ts';
import { createDatabase } from '../database/database.ts';
import { consumeToken } from './rate-limit.ts';

const db = createDatabase(await createTestDatabase(), 5);

test('fifty concurrent calls take one token each, not one slice of tokens each', async () => {
  const limit = { capacity: 60, perSecond: 0 };
  const takeToken = () => consumeToken(db, 'at once', limit, 20);
  const first = await Promise.all(Array.from({ length: 50 }, takeToken));
  expect(first).toEqual(first.map(() => true));
  const remaining = [];
  for (let i = 0; i < 12; i++) remaining.push(await takeToken());
  expect(remaining.filter(Boolean)).toHaveLength(10);
  await db.destroy();
});
