// Tests last statements, which a transaction sends together with COMMIT.
import { createServer, connect, type AddressInfo, type Server } from 'node:net';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase } from '#testing/setup/database.ts';
import { createDatabase, type Db, inCopyTransaction, inTransaction, type Tx } from './database.ts';
import { prepareLastStatement } from './prepared.ts';

let url: string;
let db: Db;
let proxy: Server | undefined;

beforeAll(async () => {
  url = await createTestDatabase();
  // The tests share one connection, because statements are parsed once per connection.
  db = createDatabase(url, 1);
});
beforeEach(async () => {
  await sql`truncate instance_settings`.execute(db);
});
afterEach(() => {
  proxy?.close();
  proxy = undefined;
});
afterAll(() => db.destroy());

const addLast = prepareLastStatement<{ text: string }>(
  (v) => sql`insert into instance_settings (key, value, modified_at)
    values (${v.text}, '"last"', '2027-01-01')`,
);
const add = (tx: Tx, text: string) =>
  sql`insert into instance_settings (key, value, modified_at)
    values (${text}, '"first"', '2027-01-01')`.execute(tx);
const listTexts = async () =>
  (
    await sql<{ text: string }>`
      select key as text from instance_settings order by key`.execute(db)
  ).rows.map(({ text }) => text);

test('last statements run in order at the end of their transaction and are parsed once', async () => {
  for (const round of ['1', '2', '3']) {
    const seenTexts = await inTransaction(db, async (tx) => {
      await addLast(tx, { text: `last ${round}` });
      await addLast(tx, { text: `later ${round}` });
      await add(tx, `first ${round}`);
      return (
        await sql`select 1 from instance_settings where value = '"last"' and key like ${`% ${round}`}`.execute(
          tx,
        )
      ).rows;
    });
    expect(seenTexts).toEqual([]);
  }
  expect(await listTexts()).toEqual(
    ['first', 'last', 'later'].flatMap((text) =>
      ['1', '2', '3'].map((round) => `${text} ${round}`),
    ),
  );
  const { rows } = await sql<{ runs: number }>`
    select custom_plans + generic_plans as runs from pg_prepared_statements
    where statement like '%values ($1, ''"last"''%'`.execute(db);
  expect(rows).toEqual([{ runs: 6 }]);
});

test('a failed last statement rolls the transaction back and throws; the connection remains usable', async () => {
  await inTransaction(db, (tx) => addLast(tx, { text: 'taken' }));
  const failing = inTransaction(db, async (tx) => {
    await add(tx, 'lost');
    await addLast(tx, { text: 'lost too' });
    await addLast(tx, { text: 'taken' });
    await addLast(tx, { text: 'behind' });
  });
  await expect(failing).rejects.toMatchObject({ code: '23505' });
  expect(await listTexts()).toEqual(['taken']);
});

test('the last statements of a rolled-back transaction are never sent', async () => {
  const failing = inTransaction(db, async (tx) => {
    await addLast(tx, { text: 'lost' });
    throw new Error('refused');
  });
  await expect(failing).rejects.toThrow('refused');
  await inTransaction(db, (tx) => add(tx, 'kept'));
  expect(await listTexts()).toEqual(['kept']);
});

test('the last statement of a retried transaction runs once', async () => {
  await inTransaction(db, (tx) => add(tx, 'taken'));
  let attempts = 0;
  await inTransaction(
    db,
    async (tx) => {
      await addLast(tx, { text: 'once' });
      attempts++;
      await add(tx, attempts === 1 ? 'taken' : 'free');
    },
    { retriesOnDuplicate: true },
  );
  expect(attempts).toBe(2);
  expect(await listTexts()).toEqual(['free', 'once', 'taken']);
});

test('a transaction that copies rows sends its last statements, and its connection can copy again', async () => {
  for (const round of ['1', '2']) {
    await inCopyTransaction(db, async (tx, copy) => {
      await addLast(tx, { text: `last ${round}` });
      await copy('copy instance_settings (key, value, modified_at) from stdin', [
        Buffer.from(`copied ${round}\t"first"\t2027-01-01\n`),
      ]);
    });
  }
  expect(await listTexts()).toEqual(['copied 1', 'copied 2', 'last 1', 'last 2']);
});

/** Opens a database and resets its connection right after its nth COMMIT has reached PostgreSQL. */
async function resettingDatabase(nth: number): Promise<Db> {
  const { hostname, port } = new URL(url);
  let commits = 0;
  proxy = createServer((client) => {
    const server = connect(Number(port), hostname);
    server.on('data', (data) => client.write(data));
    client.on('data', (data) => {
      server.write(data);
      if (data.includes('commit')) commits++;
      if (commits === nth) client.resetAndDestroy();
    });
    client.on('error', () => {});
    server.on('error', () => {});
  });
  const listening = proxy.listen(0, '127.0.0.1');
  await new Promise((resolve) => listening.once('listening', resolve));
  const address = new URL(url);
  address.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  return createDatabase(address.href, 1);
}

test.each([
  ['no last statement', false, 1],
  ['a new last statement', true, 1],
  ['a last statement that it has parsed before', true, 2],
] as const)(
  'a transaction is not repeated if its connection breaks during COMMIT with %s',
  async (_, hasLast, nth) => {
    const broken = await resettingDatabase(nth);
    if (nth > 1) await inTransaction(broken, (tx) => addLast(tx, { text: 'before' }));
    let attempts = 0;
    const lostCommit = inTransaction(broken, async (tx) => {
      attempts++;
      await add(tx, `attempt ${attempts}`);
      if (hasLast) await addLast(tx, { text: `last ${attempts}` });
    });
    await expect(lostCommit).rejects.toThrow('connection');
    await broken.destroy();
    expect(attempts).toBe(1);
    const all = ['attempt 1', ...(nth > 1 ? ['before'] : []), ...(hasLast ? ['last 1'] : [])];
    await expect.poll(listTexts).toEqual(all);
  },
);
