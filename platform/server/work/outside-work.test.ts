// Slow work of a transaction runs while the transaction holds no connection; the statements of a
// transaction have a time limit.
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '#testing/setup/database.ts';
import {
  createDatabase,
  type Db,
  inTransaction,
  isStatementTooSlow,
  outsideTransaction,
} from '../database/database.ts';

let db: Db;

beforeAll(async () => {
  // With a single connection, work awaited within its transaction would deadlock.
  db = createDatabase(await createTestDatabase(), 1);
});
afterAll(() => db.destroy());

/**
 * Records a note as a setting: a real table, so that the shadow check can explain the statement.
 */
const record = (tx: Db, text: string) =>
  sql`insert into instance_settings (key, value, modified_at)
    values (${`note ${text}`}, 'true', now())`.execute(tx);

const listNotes = async () =>
  (
    await sql<{ note: string }>`select substr(key, 6) as note from instance_settings
      where key like 'note %' order by key`.execute(db)
  ).rows.map(({ note }) => note);

test('work outside a transaction runs once without holding a connection, and the transaction commits once', async () => {
  let times = 0;
  const work = (key: string) =>
    outsideTransaction(
      () => key,
      async () => {
        times += 1;
        await sql`select 1`.execute(db);
        return `${key} is done`;
      },
    );
  const result = await inTransaction(db, async (tx) => {
    await record(tx, 'before');
    const writtenNotes = [await work('a'), await work('b'), await work('a')];
    for (const note of writtenNotes.slice(1)) await record(tx, note);
    return writtenNotes.join(', ');
  });
  expect(result).toBe('a is done, b is done, a is done');
  expect(times).toBe(2);
  expect(await listNotes()).toEqual(['a is done', 'b is done', 'before']);
});

test('failed outside work throws within the transaction, which can catch the error and continue', async () => {
  const failing = () =>
    outsideTransaction(
      () => 'failing',
      () => Promise.reject(new Error('too heavy')),
    );
  await expect(inTransaction(db, () => failing())).rejects.toThrow('too heavy');
  const caught = inTransaction(db, async () => {
    try {
      return await failing();
    } catch (error) {
      return (error as Error).message;
    }
  });
  expect(await caught).toBe('too heavy');
});

test("a statement above its transaction's limit is canceled and the next transaction has no limit", async () => {
  const slowQuery = inTransaction(db, (tx) => sql`select pg_sleep(5)`.execute(tx), {
    statementMs: 50,
  });
  const error: unknown = await slowQuery.catch((error: unknown) => error);
  expect(isStatementTooSlow(error)).toBe(true);
  const limit = await inTransaction(db, (tx) =>
    sql<{ statement_timeout: string }>`show statement_timeout`.execute(tx),
  );
  expect(limit.rows[0]?.statement_timeout).toBe('0');
});
