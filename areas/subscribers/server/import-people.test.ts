// Batches of imported subscribers: each subscriber counts once as new, updated or unchanged, and an
// import resubscribes no subscriber who opted out.
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { clock } from '#platform/server/clock.ts';
import {
  inCopyTransaction,
  inTransaction,
  isUniqueViolation,
  type Tx,
} from '#platform/server/database/database.ts';
import { lockWaiters } from '#testing/setup/lock-waiters.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import {
  createSubscriber,
  eraseSubscribers,
  type ImportedRecord,
  importRecords,
  type ImportBatch,
  type ImportBatchResult,
  parseEmail,
  reactivate,
  suppress,
  unsubscribe,
} from './index.ts';

let server: TestServer;
let accountId: number;
let otherId: number;

beforeAll(async () => {
  server = await testServer();
  accountId = (await server.owner()).accountId;
  otherId = (await server.owner()).accountId;
});

let row = 0;
function record(email: string | null, overrides: Partial<ImportedRecord> = {}): ImportedRecord {
  row += 1;
  const result = email === null ? null : parseEmail(email);
  if (typeof result === 'string') throw new Error(result);
  return {
    row,
    email: result?.email ?? null,
    emailKey: result?.key ?? null,
    phone: null,
    firstname: null,
    lastname: null,
    fieldValues: '{}',
    emailStatus: null,
    smsStatus: null,
    consentAt: null,
    unsubscribedAt: null,
    ...overrides,
  };
}

let importId = 1000;
function importBatch(records: ImportedRecord[], channels: Array<'email' | 'sms'> = ['email']) {
  importId += 1;
  const batch = {
    accountId,
    importId,
    at: clock.now(),
    records,
    consent: { userId: null, channels },
    fieldIds: [7],
  };
  return write(batch);
}

/**
 * Imports the batch and repeats the import if another transaction creates one of its subscribers
 * concurrently.
 */
async function write(batch: ImportBatch, attempt = 1): Promise<ImportBatchResult> {
  await server.db
    .insertInto('imports')
    .values({
      account_id: batch.accountId,
      id: batch.importId,
      method: 'file',
      created_at: batch.at,
      modified_at: batch.at,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  try {
    return await inCopyTransaction(server.db, (tx, copy) => importRecords(tx, copy, batch));
  } catch (error) {
    if (!isUniqueViolation(error) || attempt === 5) throw error;
    return write(batch, attempt + 1);
  }
}

const rowsOf = (emailKeys: string[], account = accountId) =>
  server.db
    .selectFrom('subscribers')
    .selectAll()
    .where('account_id', '=', account)
    .where('email_key', 'in', emailKeys)
    .where('deleted_at', 'is', null)
    .orderBy('email_key')
    .execute();

test('an import adds subscribers with consent, updates existing subscribers, and counts each as new, updated or unchanged', async () => {
  const first = await importBatch([
    record('Ada@x.example', { firstname: 'Ada\t\\N\n"', fieldValues: '{"7":"a\\\\b"}' }),
    record('bob@x.example', { lastname: 'B', consentAt: new Date('2020-01-01T00:00:00Z') }),
    record('cy@x.example'),
  ]);
  expect([first.created.length, first.updated, first.unchanged, first.unmailableRows]).toEqual([
    3,
    [],
    [],
    [],
  ]);
  const secondResult = await importBatch([
    record('ada@x.example', { firstname: 'Ada', fieldValues: '{"8":2}' }),
    record('bob@x.example'),
    record('CY@x.example', { fieldValues: '{}' }),
    record('dee@x.example'),
  ]);
  expect([
    secondResult.created.length,
    secondResult.updated.length,
    secondResult.unchanged.length,
  ]).toEqual([1, 1, 2]);
  const [ada, bob] = await rowsOf(['ada@x.example', 'bob@x.example']);
  expect(ada).toMatchObject({
    email: 'Ada@x.example',
    firstname: 'Ada',
    field_values: { 7: 'a\\b', 8: 2 },
    source: 'import',
  });
  const consents = await server.db
    .selectFrom('consents')
    .selectAll()
    .where('account_id', '=', accountId)
    .execute();
  expect(consents.length).toBe(4);
  expect(consents.find((consent) => consent.subscriber_id === bob?.id)).toMatchObject({
    at: new Date('2020-01-01T00:00:00Z'),
    kind: 'attested',
    source: 'import',
  });
  const account = await server.db
    .selectFrom('accounts')
    .select('subscriber_count')
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow();
  expect(account.subscriber_count).toBe(4);
  expect(await server.db.selectFrom('staged_people').selectAll().execute()).toEqual([]);
});

test('an import does not resubscribe unsubscribed subscribers or the addresses of deleted subscribers', async () => {
  await importBatch([record('left@y.example'), record('gone@y.example'), record('fine@y.example')]);
  const [fine, deleted, left] = await rowsOf([
    'fine@y.example',
    'gone@y.example',
    'left@y.example',
  ]);
  await inTransaction(server.db, async (tx) => {
    const cause = { channel: 'email', reason: 'link' } as const;
    await unsubscribe(tx, accountId, { subscriberIds: [left?.id ?? 0, deleted?.id ?? 0] }, cause);
    await tx
      .updateTable('subscribers')
      .set({ deleted_at: clock.now() })
      .where('account_id', '=', accountId)
      .where('id', '=', deleted?.id ?? 0)
      .execute();
  });
  const records = ['fine', 'gone', 'left'].map((name) =>
    record(`${name}@y.example`, { emailStatus: 'active' }),
  );
  const result = await importBatch(records);
  expect([result.created.length, result.unchanged.length]).toEqual([1, 2]);
  expect(result.unmailableRows.sort()).toEqual([records[1]?.row, records[2]?.row]);
  const after = await rowsOf(['fine@y.example', 'gone@y.example', 'left@y.example']);
  expect(after.map((row) => row.email_status)).toEqual(['active', 'unsubscribed', 'unsubscribed']);
  expect(after[0]?.id).toBe(fine?.id);
});

test('an import records opt-outs and bounces with history and suppressions', async () => {
  await importBatch([record('was@z.example')]);
  const at = new Date('2021-05-05T00:00:00Z');
  const result = await importBatch([
    record('was@z.example', { emailStatus: 'unsubscribed', unsubscribedAt: at }),
    record('new@z.example', { emailStatus: 'bounced' }),
  ]);
  expect([result.created.length, result.updated.length]).toEqual([1, 1]);
  const [bounced, left] = await rowsOf(['new@z.example', 'was@z.example']);
  expect(bounced).toMatchObject({ email_status: 'bounced', temail_status: 'bounced' });
  expect(left).toMatchObject({
    email_status: 'unsubscribed',
    temail_status: 'active',
    unsubscribed_at: at,
  });
  const history = await server.db
    .selectFrom('status_changes')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('subscriber_id', 'in', [bounced?.id ?? 0, left?.id ?? 0])
    .orderBy('to_status')
    .execute();
  expect(history.map((row) => [row.from_status, row.to_status, row.reason])).toEqual([
    [null, 'bounced', 'import'],
    ['active', 'unsubscribed', 'import'],
  ]);
  await server.db
    .updateTable('subscribers')
    .set({ deleted_at: clock.now() })
    .where('account_id', '=', accountId)
    .where('id', '=', left?.id ?? 0)
    .execute();
  await importBatch([record('was@z.example', { emailStatus: 'active' })]);
  expect((await rowsOf(['was@z.example']))[0]?.email_status).toBe('unsubscribed');
});

test('a subscriber imported as non-subscribed with a suppressed address cannot be reactivated without consent', async () => {
  const number = '+37061234581';
  await inTransaction(server.db, async (tx) => {
    await createSubscriber(tx, accountId, { phone: number, email: 'o@s.example', source: 'api' });
    const keys = ['pending1@s.example', 'pending2@s.example', 'agreed1@s.example'];
    await suppress(tx, accountId, keys, { channel: 'email', reason: 'bounced' });
  });
  const emailStatus = 'non-subscribed' as const;
  await importBatch([
    record('pending1@s.example', { emailStatus }),
    // The number of this row belongs to another subscriber, so the row is staged.
    record('pending2@s.example', { emailStatus, phone: number }),
    record('agreed1@s.example'),
  ]);
  const rows = await rowsOf(['agreed1@s.example', 'pending1@s.example', 'pending2@s.example']);
  expect(rows.map((row) => row.email_status)).toEqual(['bounced', 'bounced', 'bounced']);
  const [agreed, ...pending] = rows.map((row) => row.id);
  const reactivation = await inTransaction(server.db, (tx) =>
    reactivate(tx, accountId, { subscriberIds: rows.map((row) => row.id) }, { channel: 'email' }),
  );
  expect(reactivation.reactivated).toEqual([agreed]);
  expect(reactivation.skipped.map((skip) => [skip.id, skip.reason]).sort()).toEqual(
    pending.map((id) => [id, 'no_consent']).sort(),
  );
});

test('a suppression refers to the imported subscriber with its address', async () => {
  const number = '+37061234582';
  const keys = ['named1@r.example', 'named2@r.example'];
  await inTransaction(server.db, async (tx) => {
    await createSubscriber(tx, accountId, { phone: number, email: 'o@r.example', source: 'api' });
    await suppress(tx, accountId, keys, { channel: 'email', reason: 'bounced' });
  });
  // The second row is staged: its number belongs to another subscriber.
  await importBatch([record('named1@r.example'), record('named2@r.example', { phone: number })]);
  const ids = (await rowsOf(keys)).map((row) => row.id);
  const suppressions = await server.db
    .selectFrom('suppressions')
    .select('subscriber_id')
    .where('account_id', '=', accountId)
    .where('subscriber_id', 'in', ids)
    .execute();
  expect(suppressions.map((row) => row.subscriber_id).sort()).toEqual(ids.sort());
});

test('a phone number stays with its subscriber, and a subscriber with only a phone number gets the row’s address', async () => {
  const [firstPhone, secondPhone, thirdPhone] = ['+37061234561', '+37061234562', '+37061234563'];
  await importBatch(
    [
      record('p1@w.example', { phone: firstPhone }),
      record(null, { phone: secondPhone, firstname: 'Only' }),
    ],
    ['email', 'sms'],
  );
  const rival = record('p2@w.example', { phone: firstPhone });
  const result = await importBatch([
    rival,
    record('p3@w.example', { phone: secondPhone }),
    record(null, { phone: firstPhone, firstname: 'One' }),
    record('p4@w.example', { phone: thirdPhone }),
  ]);
  expect(result.takenPhones).toEqual([rival.row]);
  expect([result.created.length, result.updated.length, result.unchanged.length]).toEqual([
    2, 2, 0,
  ]);
  const importedRows = await rowsOf([
    'p1@w.example',
    'p2@w.example',
    'p3@w.example',
    'p4@w.example',
  ]);
  expect(
    importedRows.map((subscriber) => [
      subscriber.phone,
      subscriber.firstname,
      subscriber.sms_status,
      subscriber.tsms_status,
    ]),
  ).toEqual([
    [firstPhone, 'One', 'active', 'active'],
    [null, null, 'non-subscribed', 'non-subscribed'],
    [secondPhone, 'Only', 'active', 'active'],
    [thirdPhone, null, 'non-subscribed', 'active'],
  ]);
});

test('a phone number released by one row of a batch is assigned to a new subscriber in the same batch', async () => {
  const [old, next] = ['+37061298711', '+37061298712'];
  await importBatch([record('moves@w.example', { phone: old })]);
  const result = await importBatch([
    record('moves@w.example', { phone: next }),
    record(null, { phone: old, firstname: 'Heir' }),
  ]);
  expect([result.created.length, result.updated.length]).toEqual([1, 1]);
  const rows = await server.db
    .selectFrom('subscribers')
    .select(['email_key', 'phone', 'firstname'])
    .where('account_id', '=', accountId)
    .where('phone_key', 'in', [old, next])
    .orderBy('phone_key')
    .execute();
  expect(rows).toEqual([
    { email_key: null, phone: old, firstname: 'Heir' },
    { email_key: 'moves@w.example', phone: next, firstname: null },
  ]);
});

test('a row’s SMS status is ignored if its number stays with another subscriber', async () => {
  const [own, others] = ['+37061298701', '+37061298702'];
  await importBatch([
    record('own@mine.example', { phone: own }),
    record('holder@mine.example', { phone: others }),
  ]);
  for (const smsStatus of ['active', 'unsubscribed'] as const) {
    await importBatch([record('own@mine.example', { phone: others, smsStatus })], ['email', 'sms']);
    const [row] = await rowsOf(['own@mine.example']);
    expect([smsStatus, row?.phone_key, row?.sms_status]).toEqual([
      smsStatus,
      own,
      'non-subscribed',
    ]);
  }
});

test('a new number is active for SMS only if it has consent and is not suppressed', async () => {
  const number = (last: number) => `+3706123459${last}`;
  const names = ['agreed', 'bare', 'closed', 'left'].map((name) => `${name}@q.example`);
  const importNumbers = (channels: Array<'email' | 'sms'>, offset: number) =>
    importBatch(
      names.map((name, i) => record(name, { phone: number(i + offset) })),
      channels,
    );
  await importNumbers(['email', 'sms'], 0);
  const [agreed, , , left] = await rowsOf(names);
  await inTransaction(server.db, async (tx) => {
    for (const channel of ['sms', 'tsms'] as const)
      await suppress(tx, accountId, [number(6)], { channel, reason: 'bounced' });
    const cause = { channel: 'sms', reason: 'stop' } as const;
    await unsubscribe(tx, accountId, { subscriberIds: [left?.id ?? 0] }, cause);
  });
  clock.advance(1000);
  await importBatch([record('agreed@q.example', { phone: number(4) })], ['email', 'sms']);
  await importNumbers(['email'], 4);
  clock.reset();
  expect(
    (await rowsOf(names)).map((subscriber) => [
      subscriber.phone,
      subscriber.sms_status,
      subscriber.tsms_status,
    ]),
  ).toEqual([
    [number(4), 'active', 'active'],
    [number(5), 'non-subscribed', 'active'],
    [number(6), 'bounced', 'bounced'],
    [number(7), 'unsubscribed', 'active'],
  ]);
  expect(agreed?.phone).toBe(number(0));
});

test('an import does not change another account’s subscribers with the same addresses', async () => {
  await inTransaction(server.db, (tx) =>
    createSubscriber(tx, otherId, {
      email: 'same@v.example',
      firstname: 'Theirs',
      source: 'manual',
    }),
  );
  await importBatch([record('same@v.example', { firstname: 'Ours' })]);
  expect((await rowsOf(['same@v.example']))[0]?.firstname).toBe('Ours');
  expect((await rowsOf(['same@v.example'], otherId))[0]?.firstname).toBe('Theirs');
});

test('three concurrent imports of the same addresses create each subscriber once', async () => {
  const names = Array.from({ length: 500 }, (_, i) => `twin${i}@u.example`);
  const results = await Promise.all(
    [1, 2, 3].map((n) => importBatch(names.map((name) => record(name, { firstname: `v${n}` })))),
  );
  expect(results.reduce((total, result) => total + result.created.length, 0)).toBe(500);
  for (const result of results)
    expect(result.created.length + result.updated.length + result.unchanged.length).toBe(500);
  expect((await rowsOf(names)).length).toBe(500);
});

/** Resolves when a statement of this database waits for a row lock of another transaction. */
async function untilLockWaiter(): Promise<void> {
  for (let i = 0; i < 500; i++) {
    if ((await lockWaiters(server.db)).length > 0) return;
    await sleep(10);
  }
  throw new Error('no statement waits for a lock');
}

/**
 * Imports the records while another transaction locks the subscriber; once the import waits, that
 * transaction acts and commits.
 */
async function whileLocked(
  id: number,
  concurrently: (tx: Tx) => Promise<unknown>,
  records: ImportedRecord[],
) {
  let importing: Promise<ImportBatchResult> | undefined;
  await inTransaction(server.db, async (tx) => {
    await sql`select 1 from subscribers where account_id = ${accountId} and id = ${id} for update`.execute(
      tx,
    );
    importing = importBatch(records);
    await untilLockWaiter();
    await concurrently(tx);
  });
  return importing as Promise<ImportBatchResult>;
}

const rowOf = (id: number) =>
  server.db
    .selectFrom('subscribers')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirstOrThrow();

const imagesOf = (id: number) =>
  server.db
    .selectFrom('import_images')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('subscriber_id', '=', id)
    .execute();

const leaves = (id: number) => (tx: Tx) =>
  unsubscribe(tx, accountId, { subscriberIds: [id] }, { channel: 'email', reason: 'link' });
const erases = (id: number) => (tx: Tx) => eraseSubscribers(tx, accountId, { subscriberIds: [id] });

test('a concurrent unsubscribe or erasure prevails over the import', async () => {
  const add = async (input: object) =>
    (
      await inTransaction(server.db, (tx) =>
        createSubscriber(tx, accountId, { source: 'manual', ...input }),
      )
    ).id;
  const leftId = await add({ email: 'held1@t.example' });
  const renamedRecord = record('held1@t.example', { firstname: 'New' });
  const outcome = await whileLocked(leftId, leaves(leftId), [renamedRecord]);
  expect([outcome.updated, outcome.unmailableRows]).toEqual([[leftId], [renamedRecord.row]]);
  expect(await rowOf(leftId)).toMatchObject({ firstname: 'New', email_status: 'unsubscribed' });
  expect((await imagesOf(leftId))[0]).toMatchObject({ before: { email_status: 'unsubscribed' } });

  const erasedId = await add({ email: 'held2@t.example', firstname: 'Secret' });
  await whileLocked(erasedId, erases(erasedId), [record('held2@t.example', { lastname: 'New' })]);
  expect(await rowOf(erasedId)).toMatchObject({
    email_key: null,
    firstname: null,
    lastname: null,
    field_values: {},
    email_status: 'active',
  });
  expect(await imagesOf(erasedId)).toEqual([]);
});

test('an imported address stays unsubscribed if its subscriber unsubscribes concurrently, and is not added after an erasure', async () => {
  const add = async (phone: string) =>
    (
      await inTransaction(server.db, (tx) =>
        createSubscriber(tx, accountId, { phone, firstname: 'Held', source: 'manual' }),
      )
    ).id;
  const [firstPhone, secondPhone] = ['+37061234571', '+37061234572'];
  const leftId = await add(firstPhone);
  await whileLocked(leftId, leaves(leftId), [record('held3@t.example', { phone: firstPhone })]);
  expect(await rowOf(leftId)).toMatchObject({
    email_key: 'held3@t.example',
    email_status: 'unsubscribed',
  });
  const erasedId = await add(secondPhone);
  await whileLocked(erasedId, erases(erasedId), [
    record('held4@t.example', { phone: secondPhone }),
  ]);
  expect(await rowOf(erasedId)).toMatchObject({ email_key: null, firstname: null });
  expect(await imagesOf(erasedId)).toEqual([]);
});
