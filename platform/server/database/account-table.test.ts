// The statements of an account table affect only the row of the given account and key.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTestDatabase } from '#testing/setup/database.ts';
import { accountTable } from './account-table.sql.ts';
import { createDatabase, type Db, inTransaction } from './database.ts';

const at = new Date('2026-11-01T12:00:00Z');
const groups = accountTable('groups', 'id');
const byTitle = accountTable('groups', 'title_key', 'id');

let db: Db;
let accountId: number;
let strangerId: number;
beforeAll(async () => {
  db = createDatabase(await createTestDatabase(), 4);
  [accountId, strangerId] = [await addAccount(), await addAccount()];
});
afterAll(() => db.destroy());

async function addAccount(): Promise<number> {
  const dates = { created_at: at, modified_at: at };
  const { id } = await db
    .insertInto('accounts')
    .values(dates)
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

async function addGroup(title: string): Promise<number> {
  const names = { title, title_key: title.toLowerCase() };
  const { id } = await db
    .insertInto('groups')
    .values({ account_id: accountId, ...names, created_at: at, modified_at: at })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

test('a row is found only by its account and full key', async () => {
  const [id, otherId] = [await addGroup('Customers'), await addGroup('Visitors')];
  expect(await groups.find(db, accountId, id)).toMatchObject({ id, title: 'Customers' });
  expect(await groups.find(db, strangerId, id)).toBeUndefined();
  expect(await byTitle.find(db, accountId, 'visitors', otherId)).toMatchObject({ id: otherId });
  expect(await byTitle.find(db, accountId, 'visitors', id)).toBeUndefined();
});

test('an update or deletion affects only the row of the given account and key', async () => {
  const [id, otherId] = [await addGroup('Readers'), await addGroup('Buyers')];
  await inTransaction(db, async (tx) => {
    await groups.update(tx, strangerId, id, { title: 'Taken' });
    await groups.update(tx, accountId, id, { title: 'Subscribers' });
    expect(await groups.lock(tx, accountId, id)).toMatchObject({ title: 'Subscribers' });
    expect(await groups.updateReturning(tx, strangerId, id, { title: 'Taken' })).toBeUndefined();
    expect(
      await byTitle.updateReturning(tx, accountId, 'readers', id, { title: 'R' }),
    ).toMatchObject({ id, title: 'R' });
    expect(await groups.delete(tx, strangerId, id)).toBe(false);
    expect(await groups.delete(tx, accountId, id)).toBe(true);
    expect(await groups.delete(tx, accountId, id)).toBe(false);
  });
  expect(await groups.find(db, accountId, otherId)).toMatchObject({ title: 'Buyers' });
});

test('a lock is held until the transaction ends', async () => {
  const id = await addGroup('Held');
  const order: string[] = [];
  let otherWork: Promise<void> | undefined;
  await inTransaction(db, async (tx) => {
    await groups.lock(tx, accountId, id);
    otherWork = inTransaction(db, async (second) => {
      await groups.lock(second, accountId, id);
      order.push('second');
    });
    await groups.update(tx, accountId, id, { title: 'Changed' });
    order.push('first');
  });
  await otherWork;
  expect(order).toEqual(['first', 'second']);
});
