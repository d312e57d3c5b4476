// The suppression list over HTTP: its rows, search, additions, removals, and the public API.
import { sql } from 'kysely';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import {
  bounce,
  complain,
  createSubscriber,
  deleteSubscribers,
  eraseSubscribers,
  isSuppressed,
  readSubscriber,
  suppress,
  unsubscribe,
  updateSubscriber,
} from '#areas/subscribers/server/index.ts';
import { purgeJob } from '#areas/subscribers/server/remove.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction, type Tx } from '#platform/server/database/database.ts';
import { lockWaiters } from '#testing/setup/lock-waiters.ts';
import { publicClient } from '#testing/setup/public-client.ts';
import { type TestOwner, type TestServer, testServer } from '#testing/setup/server.ts';
import { upload } from '#testing/setup/upload.ts';

const API = '/client-api/api/suppressions';
let server: TestServer;
let owner: TestOwner;

beforeAll(async () => {
  server = await testServer();
});
beforeEach(async () => {
  owner = await server.owner();
});

/** Runs a transaction one second after the last one, so that the order of the rows is defined. */
const inTx = <T>(run: (tx: Tx) => Promise<T>) => {
  clock.advance(1_000);
  return inTransaction(server.db, run);
};
const add = async (name: string, statuses = {}) => {
  const subscriber = { email: `${name}@x.example`, source: 'manual', statuses };
  const { id } = await inTx((tx) => createSubscriber(tx, owner.accountId, subscriber));
  return { subscriberIds: [id] };
};
const list = async (query = '', client = owner) => (await client.get(`${API}${query}`)).body;
const rowsOf = async (query = '') =>
  (await list(query)).data.map(
    (row: { reason: string; subscriber: { address: string } | null }) => [
      row.reason,
      row.subscriber?.address ?? null,
    ],
  );

/** Suppresses six addresses in turn, each for a different reason or in a different way. */
async function suppressForEachReason() {
  const { accountId } = owner;
  const subscriberIds = {
    manual: await add('manual'),
    link: await add('link'),
    bounced: await add('bounced'),
    spam: await add('spam'),
    erased: await add('erased'),
  };
  const email = { channel: 'email' as const };
  await inTx((tx) =>
    unsubscribe(tx, accountId, subscriberIds.manual, { ...email, reason: 'owner' }),
  );
  await inTx((tx) => unsubscribe(tx, accountId, subscriberIds.link, { ...email, reason: 'link' }));
  await inTx((tx) => bounce(tx, accountId, subscriberIds.bounced, email));
  await inTx((tx) => complain(tx, accountId, subscriberIds.spam, email));
  await inTx((tx) => eraseSubscribers(tx, accountId, subscriberIds.erased));
  const keys = ['stranger@x.example'];
  await inTx((tx) => suppress(tx, accountId, keys, { ...email, reason: 'unsubscribed' }));
  return subscriberIds;
}

test('the list is sorted newest first, names existing subscribers, and is filtered by reason and channel', async () => {
  await suppressForEachReason();
  expect(await rowsOf()).toEqual([
    ['unsubscribed', null],
    ['erased', null],
    ['reported', 'spam@x.example'],
    ['bounced', 'bounced@x.example'],
    ['unsubscribed', 'link@x.example'],
    ['manual', 'manual@x.example'],
  ]);
  expect((await list()).meta).toMatchObject({ total: 6, page: 1 });
  expect(await rowsOf('?reason=bounced')).toEqual([['bounced', 'bounced@x.example']]);
  expect(await rowsOf('?channel=temail&reason=bounced')).toEqual([
    ['bounced', 'bounced@x.example'],
  ]);
  expect(await rowsOf('?limit=2&page=3')).toEqual([
    ['unsubscribed', 'link@x.example'],
    ['manual', 'manual@x.example'],
  ]);
  expect(await rowsOf('?limit=1&direction=asc')).toEqual([['manual', 'manual@x.example']]);
  const outsider = await server.owner();
  expect((await list('', outsider)).data).toEqual([]);
  expect((await owner.get(`${API}?reason=angry`)).status).toBe(422);
});

test('a search finds an entry only by its complete address, with or without a subscriber', async () => {
  await suppressForEachReason();
  expect(await rowsOf('?search=%20Stranger@X.example')).toEqual([['unsubscribed', null]]);
  expect(await rowsOf('?search=spam@x.example')).toEqual([['reported', 'spam@x.example']]);
  expect(await rowsOf('?search=spam@x.example&reason=bounced')).toEqual([]);
  for (const term of ['stranger', 'x.example', '@', '%25', 'nobody@x.example'])
    expect(await rowsOf(`?search=${term}`), term).toEqual([]);
  // The row names a subscriber who is added with the address later.
  await add('stranger');
  expect(await rowsOf('?search=stranger@x.example')).toEqual([
    ['unsubscribed', 'stranger@x.example'],
  ]);
  await inTx((tx) =>
    suppress(tx, owner.accountId, ['+37061234567'], { channel: 'sms', reason: 'unsubscribed' }),
  );
  expect(await rowsOf('?channel=sms&search=%2B370%20612%2034567')).toEqual([
    ['unsubscribed', null],
  ]);
});

test('only bounces and the account’s own suppressions are removable, and their removal resubscribes', async () => {
  const subscriberIds = await suppressForEachReason();
  const { accountId } = owner;
  const { data } = await list();
  const idOf = (reason: string, address: string | null) =>
    data.find(
      (row: { reason: string; subscriber: { address: string } | null }) =>
        row.reason === reason && (row.subscriber?.address ?? null) === address,
    ).id as string;
  for (const reason of ['bounced', 'manual'] as const) {
    const id = idOf(reason, `${reason}@x.example`);
    const foreignResponse = await (await server.owner()).delete(`${API}/${id}`, {});
    expect(foreignResponse.status).toBe(404);
    expect((await owner.delete(`${API}/${id}`, {})).body).toEqual({ success: true });
    expect((await owner.delete(`${API}/${id}`, {})).status).toBe(404);
    const [subscriberId] = subscriberIds[reason].subscriberIds;
    const subscriber = await readSubscriber(server.db, accountId, subscriberId as number);
    expect(subscriber?.email_status).toBe('active');
    const key = `${reason}@x.example`;
    expect(await isSuppressed(server.db, accountId, 'email', key)).toBe(false);
  }
  for (const [reason, address] of [
    ['unsubscribed', 'link@x.example'],
    ['unsubscribed', null],
    ['reported', 'spam@x.example'],
    ['erased', null],
  ] as const) {
    const liftResponse = await owner.delete(`${API}/${idOf(reason, address)}`, {});
    expect([liftResponse.status, liftResponse.body.code]).toEqual([409, 'suppression_kept']);
  }
  expect(await rowsOf()).toHaveLength(4);
  expect((await owner.delete(`${API}/nonsense`, {})).status).toBe(404);
  expect((await owner.delete(`${API}/${'A'.repeat(43)}`, {})).status).toBe(404);
});

test('removing an entry does not remove a concurrent opt-out by the subscriber', async () => {
  const { accountId } = owner;
  const key = 'elsewhere@x.example';
  const suppressAs = (reason: 'manual' | 'unsubscribed') => (tx: Tx) =>
    suppress(tx, accountId, [key], { channel: 'email', reason });
  await inTx(suppressAs('manual'));
  const [{ id }] = (await list()).data;
  let pendingLift: Promise<{ status: number; body: { code?: string } }> | undefined;
  await inTransaction(server.db, async (tx) => {
    await suppressAs('unsubscribed')(tx);
    pendingLift = owner.delete(`${API}/${id}`, {});
    // On a cluster the statement names a shard, with a number at the end.
    const waits = async () => (await lockWaiters(server.db, '%delete from %suppressions%')).length;
    await expect.poll(waits).toBe(1);
  });
  const liftResponse = await pendingLift;
  expect([liftResponse?.status, liftResponse?.body.code]).toEqual([409, 'suppression_kept']);
  expect(await isSuppressed(server.db, accountId, 'email', key)).toBe(true);
  expect(await rowsOf()).toEqual([['unsubscribed', null]]);
});

test('the bounce of a subscriber who never consented cannot be removed', async () => {
  const { accountId } = owner;
  const subscriberIds = await add('never', { email: 'non-subscribed' });
  await inTx((tx) => bounce(tx, accountId, subscriberIds, { channel: 'email' }));
  const [{ id }] = (await list()).data;
  const liftResponse = await owner.delete(`${API}/${id}`, {});
  expect([liftResponse.status, liftResponse.body.code]).toEqual([409, 'suppression_no_consent']);
  expect(await rowsOf()).toEqual([['bounced', 'never@x.example']]);
});

test('a row no longer names a subscriber whose address changed', async () => {
  const subscriberIds = await add('first');
  const { accountId } = owner;
  await inTx((tx) => bounce(tx, accountId, subscriberIds, { channel: 'email' }));
  const [id] = subscriberIds.subscriberIds;
  await inTx((tx) => updateSubscriber(tx, accountId, id as number, { email: 'second@x.example' }));
  for (const [, address] of await rowsOf()) expect(address).not.toBe('first@x.example');
  expect(await rowsOf('?search=first@x.example')).toEqual([['bounced', null]]);
});

test('removal resubscribes the subscriber who has the address now, even one created much later', async () => {
  const { accountId } = owner;
  const addDeletedBounce = async (name: string) => {
    const subscriberIds = await add(name);
    await inTx((tx) => bounce(tx, accountId, subscriberIds, { channel: 'email' }));
    await inTx((tx) => deleteSubscribers(tx, accountId, subscriberIds));
  };
  const statusOf = async ([id]: number[]) =>
    (await readSubscriber(server.db, accountId, id as number)).email_status;
  const lift = async (name: string) => {
    const [row] = (await list(`?search=${name}@x.example`)).data;
    expect(row.subscriber.address).toBe(`${name}@x.example`);
    return owner.delete(`${API}/${row.id}`, {});
  };
  await addDeletedBounce('again');
  const subscriberId = await add('again');
  expect(await statusOf(subscriberId.subscriberIds)).toBe('bounced');
  expect((await lift('again')).body).toEqual({ success: true });
  expect(await statusOf(subscriberId.subscriberIds)).toBe('active');

  // Simulates an old row that does not refer to the latest subscriber with the address.
  await addDeletedBounce('before');
  const oldId = await add('before');
  await sql`update suppressions set subscriber_id = ${oldId.subscriberIds[0]}::bigint - 1
    where account_id = ${accountId} and subscriber_id = ${oldId.subscriberIds[0]}`.execute(
    server.db,
  );
  expect((await lift('before')).body).toEqual({ success: true });
  expect(await statusOf(oldId.subscriberIds)).toBe('active');

  await addDeletedBounce('purged');
  await addDeletedBounce('never');
  const addedId = await add('other');
  clock.advance(31 * 86_400_000);
  const signal = new AbortController().signal;
  await purgeJob.run({ after: 0 }, { db: server.db, signal });
  clock.reset();
  const purgedId = await add('purged');
  await inTx((tx) =>
    updateSubscriber(tx, accountId, addedId.subscriberIds[0] as number, {
      email: 'never@x.example',
    }),
  );
  expect(await statusOf(addedId.subscriberIds)).toBe('bounced');
  for (const [name, people] of [
    ['purged', purgedId],
    ['never', addedId],
  ] as const) {
    expect((await lift(name)).body).toEqual({ success: true });
    expect(await statusOf(people.subscriberIds)).toBe('active');
  }

  await addDeletedBounce('unasked');
  const unaskedId = await add('unasked', { email: 'non-subscribed' });
  expect((await lift('unasked')).body.code).toBe('suppression_no_consent');
  expect(await statusOf(unaskedId.subscriberIds)).toBe('bounced');
});

test('addresses are added by a call or by file and can be exported, and their subscribers are unsubscribed', async () => {
  const { accountId } = owner;
  const [ada] = (await add('ada')).subscriberIds;
  const addSuppressions = (body: object) => owner.post(API, body);
  const response = await addSuppressions({
    addresses: ['Ada@x.example', 'gone@x.example', 'nonsense'],
  });
  expect(response.body.data).toEqual({
    ...{ added: 2, already: 0, invalid: ['nonsense'], invalid_count: 1 },
  });
  expect((await readSubscriber(server.db, accountId, ada as number)).email_status).toBe(
    'unsubscribed',
  );
  expect(await rowsOf('?search=gone@x.example')).toEqual([['manual', null]]);
  // A stronger reason replaces a weaker one, but not the reverse.
  await addSuppressions({ addresses: ['gone@x.example'], reason: 'unsubscribed' });
  await addSuppressions({ addresses: ['gone@x.example'], reason: 'bounced' });
  expect(await rowsOf('?search=gone@x.example')).toEqual([['unsubscribed', null]]);
  for (const body of [
    { addresses: [] },
    { addresses: ['a@x.example'], reason: 'erased' },
    { addresses: ['a@x.example'], channel: 'post' },
    { addresses: Array.from({ length: 10_001 }, () => 'a@x.example') },
  ])
    expect((await addSuppressions(body)).status).toBe(422);
  const file = (content: string | Buffer, query = '') =>
    upload(owner, Buffer.from(content), 'list.csv', `${API}/import${query}`);
  const lines = Array.from({ length: 6_000 }, (_, i) => `${i};Name;many${i}@x.example`).join('\n');
  const fileResponse = await file(`No;Name;E-mail\n${lines}\n7;Nobody;none`, '?reason=reported');
  expect(fileResponse.body.data).toEqual({
    added: 6000,
    already: 0,
    invalid: ['7'],
    invalid_count: 1,
  });
  expect((await file('many1@x.example')).body.data).toMatchObject({ added: 0, already: 1 });
  expect((await list('?reason=reported')).meta.total).toBe(6000);
  for (const [content, code] of [
    ['', 'file_empty'],
    ['Name\nNobody', 'no_addresses'],
    [Buffer.from('%PDF-1.7 a@x.example'), 'no_list'],
  ] as const)
    expect((await file(content)).body.code).toBe(code);
  const exportResponse = await owner.get(`${API}/export?reason=manual`);
  expect(exportResponse.text.trim().split('\r\n')).toHaveLength(2);
  expect(exportResponse.text).toContain('ada@x.example');
  const exportedLines = (await owner.get(`${API}/export`)).text.trim().split('\r\n');
  expect(exportedLines).toHaveLength(1 + 6002);
  expect(new Set(exportedLines).size).toBe(1 + 6002);
  const outsider = await server.owner();
  expect((await outsider.get(`${API}/export`)).text.trim().split('\r\n')).toHaveLength(1);
});

test('the public API finds and adds entries, and removes those that the account may remove', async () => {
  await suppressForEachReason();
  const api = await publicClient(server, owner);
  const foreignClient = await publicClient(server, await server.owner());
  const listResponse = await api.get('/suppressions?limit=100');
  expect(listResponse.body.data).toHaveLength(6);
  expect(listResponse.body.meta).toMatchObject({ total: 6, last_page: 1 });
  expect((await api.get('/suppressions?reason=BOUNCED')).body.data).toMatchObject([
    { address: 'bounced@x.example', channel: 'email', reason: 'bounced', may_be_removed: true },
  ]);
  const response = await api.get('/suppressions/stranger%40x.example');
  expect(response.body.data).toMatchObject({
    ...{ address: 'stranger@x.example', reason: 'unsubscribed', may_be_removed: false },
  });
  expect((await api.get(`/suppressions/${response.body.data.id}`)).body.data.id).toBe(
    response.body.data.id,
  );
  expect((await api.get('/suppressions/nobody@x.example')).status).toBe(404);
  expect((await foreignClient.get('/suppressions/stranger@x.example')).status).toBe(404);
  expect((await foreignClient.get(`/suppressions/${response.body.data.id}`)).status).toBe(404);
  const addResponse = await api.post('/suppressions', {
    addresses: ['+37061234567', 'no number'],
    channel: 'SMS',
    reason: 'unsubscribed',
  });
  expect(addResponse.body.data).toEqual({ added: 1, already: 0, invalid: ['no number'] });
  expect((await api.get('/suppressions/+37061234567?channel=sms')).status).toBe(200);
  const removeResponse = await api.delete('/suppressions', {
    addresses: ['bounced@x.example', 'manual@x.example', 'spam@x.example', 'nobody@x.example'],
  });
  expect(removeResponse.body.data).toMatchObject({
    removed: ['bounced@x.example', 'manual@x.example'],
    kept: [
      {
        address: 'spam@x.example',
        reason: 'reported',
        message: expect.stringContaining('stays on the list'),
      },
    ],
    not_listed: ['nobody@x.example'],
  });
  const liftResponse = await api.delete('/suppressions/link@x.example');
  expect([liftResponse.status, liftResponse.body.code]).toEqual([409, 'suppression_kept']);
  expect((await api.delete('/suppressions/manual@x.example')).status).toBe(404);
  expect((await api.get('/suppressions')).body.meta.total).toBe(4);
});
