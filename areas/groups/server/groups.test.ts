// Groups over HTTP, memberships through the internal interface, and deletions of large groups.
import { sql } from 'kysely';
import { beforeAll, expect, test, vi } from 'vitest';
import {
  createSubscriber,
  deleteSubscribers,
  subscribersDeleted,
  unsubscribe,
} from '#areas/subscribers/server/index.ts';
import { decodeId, encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { log } from '#platform/server/log.ts';
import { type TestOwner, type TestServer, testServer } from '#testing/setup/server.ts';
import { groupUsedBy, joinedGroup, leftGroup } from './events.ts';
import { deleteGroup, deleteGroupJob } from './delete-group.ts';
import { addToGroups, ensureGroup, removeFromGroups } from './index.ts';

const TAGS = '/client-api/api/tags';
let server: TestServer;
let ada: TestOwner;
let bob: TestOwner;

beforeAll(async () => {
  server = await testServer();
  ada = await server.owner();
  bob = await server.owner();
});

const inTx = <T>(work: Parameters<typeof inTransaction<T>>[1]) => inTransaction(server.db, work);
const addSubscriber = (accountId: number, email: string) =>
  inTx(async (tx) => (await createSubscriber(tx, accountId, { email, source: 'manual' })).id);

async function createGroup(title: string, client = ada): Promise<string> {
  const response = await client.post(TAGS, { title });
  expect(response.status).toBe(200);
  return response.body.data.id;
}

const groupIdOf = (id: string) => decodeId('group', id) as number;

test('a group is created, renamed, listed in order and deleted', async () => {
  const owner = await server.owner();
  await createGroup('Zebra', owner);
  const apple = await createGroup('  apple  ', owner);
  await createGroup('Äpple', owner);
  const list = await owner.get(`${TAGS}?order=title ASC&limit=2`);
  expect(list.body.data.map((row: { title: string }) => row.title)).toEqual(['apple', 'Äpple']);
  expect(list.body.meta).toEqual({ from: 1, to: 2, page: 1, pageCount: 2, total: 3, perPage: 2 });
  const all = await owner.get(`${TAGS}?no_paginate=true&order=title&direction=DESC`);
  expect(all.body.meta).toBeUndefined();
  expect(all.body.data[0]).toMatchObject({
    title: 'Zebra',
    recipient_count: 0,
    active_subscribers: 0,
    account_id: encodeId('account', owner.accountId),
  });
  const renameResponse = await owner.patch(`${TAGS}/${apple}`, { title: 'Pears' });
  expect(renameResponse.body.data).toMatchObject({ id: apple, title: 'Pears' });
  expect((await owner.get(`${TAGS}?search=PEA`)).body.meta.total).toBe(1);
  expect((await owner.get(`${TAGS}?search=%25`)).body.data).toEqual([]);
  expect((await owner.delete(`${TAGS}/${apple}`)).body).toEqual({
    success: true,
    deleted_subscribers: 0,
  });
  expect((await owner.get(`${TAGS}/${apple}`)).status).toBe(404);
});

test('a second group with the same title is refused, even if it is created concurrently', async () => {
  await createGroup('Newsletter');
  const duplicate = await ada.post(TAGS, { title: 'NEWSLETTER ' });
  expect(duplicate).toMatchObject({
    status: 409,
    body: { code: 'title_taken', errors: { title: [expect.stringContaining('already')] } },
  });
  const responses = await Promise.all(
    Array.from({ length: 5 }, () => ada.post(TAGS, { title: 'Once' })),
  );
  expect(responses.map((response) => response.status).sort()).toEqual([200, 409, 409, 409, 409]);
  const otherGroup = await createGroup('Other');
  expect((await ada.patch(`${TAGS}/${otherGroup}`, { title: 'once' })).status).toBe(409);
  expect((await ada.patch(`${TAGS}/${otherGroup}`, { title: 'OTHER' })).body.data.title).toBe(
    'OTHER',
  );
});

test.each([
  ['a missing title', {}],
  ['an empty title', { title: '   ' }],
  ['a title over its limit', { title: 'x'.repeat(256) }],
  ['a title of two lines', { title: 'a\nb' }],
  ['a number as the title', { title: 5 }],
  ['an unknown field', { title: 'ok', colour: 'red' }],
])('%s is refused', async (_, body) => {
  expect((await ada.post(TAGS, body)).status).toBe(422);
});

test("another account's group, IDs of other kinds and malformed IDs are not found", async () => {
  const foreignGroup = await createGroup('Theirs', bob);
  const member = await addSubscriber(bob.accountId, 'member@bob.example');
  for (const id of [foreignGroup, encodeId('field', 1), 'nonsense', encodeId('group', 9e9)]) {
    expect((await ada.get(`${TAGS}/${id}`)).status).toBe(404);
    expect((await ada.patch(`${TAGS}/${id}`, { title: 'Mine' })).status).toBe(404);
    expect((await ada.delete(`${TAGS}/${id}`, { delete_subscribers: true })).status).toBe(404);
  }
  const ownGroupId = groupIdOf(await createGroup('Mine'));
  const added = await inTx((tx) =>
    addToGroups(tx, ada.accountId, {
      groupIds: [ownGroupId, groupIdOf(foreignGroup)],
      subscriberIds: [member],
      origin: 'api' as const,
    }),
  );
  expect(added).toBe(0);
  expect((await bob.get(`${TAGS}/${foreignGroup}`)).body.data).toMatchObject({ title: 'Theirs' });
});

test('members join and leave in bulk, with one event per change', async () => {
  const received: unknown[] = [];
  const stops = [
    joinedGroup.on(async (_, payload) => void received.push(['joined', payload])),
    leftGroup.on(async (_, payload) => void received.push(['left', payload])),
  ];
  const id = groupIdOf(await createGroup('Members'));
  const members = [
    await addSubscriber(ada.accountId, 'a@x.example'),
    await addSubscriber(ada.accountId, 'b@x.example'),
  ];
  const change = { groupIds: [id], subscriberIds: [...members, 999_999], origin: 'api' as const };
  expect(await inTx((tx) => addToGroups(tx, ada.accountId, change))).toBe(2);
  expect(await inTx((tx) => addToGroups(tx, ada.accountId, change))).toBe(0);
  const removal = { ...change, subscriberIds: [members[0] as number], origin: 'bulk' as const };
  expect(await inTx((tx) => removeFromGroups(tx, ada.accountId, removal))).toBe(1);
  for (const stop of stops) stop();
  expect(received).toEqual([
    [
      'joined',
      { accountId: ada.accountId, groupId: id, subscriberIds: members, origin: 'api', depth: 0 },
    ],
    [
      'left',
      {
        accountId: ada.accountId,
        groupId: id,
        subscriberIds: [members[0]],
        origin: 'bulk',
        depth: 0,
      },
    ],
  ]);
});

test('subscribers who join a group during its deletion get no membership and no error', async () => {
  const id = groupIdOf(await createGroup('Going'));
  const subscriberIds = [await addSubscriber(ada.accountId, 'going@x.example')];
  const change = { groupIds: [id], subscriberIds, origin: 'bulk' as const };
  const { joining } = await inTx(async (tx) => {
    await deleteGroup(tx, ada.accountId, id, 'eng');
    // The joining transaction still sees the group, and its insert waits for the deletion.
    return { joining: inTx((joiningTx) => addToGroups(joiningTx, ada.accountId, change)) };
  });
  expect(await joining).toBe(0);
});

test('counts exclude deleted subscribers, and deleting a group can delete its members', async () => {
  const id = await createGroup('Counted');
  const members = await Promise.all(
    ['c1', 'c2', 'c3', 'c4'].map((name) => addSubscriber(ada.accountId, `${name}@x.example`)),
  );
  await inTx((tx) =>
    addToGroups(tx, ada.accountId, {
      groupIds: [groupIdOf(id)],
      subscriberIds: members,
      origin: 'bulk' as const,
    }),
  );
  await inTx((tx) =>
    deleteSubscribers(tx, ada.accountId, { subscriberIds: [members[3] as number] }),
  );
  expect((await ada.get(`${TAGS}/${id}`)).body.data).toMatchObject({
    recipient_count: 3,
    active_subscribers: 3,
    phone_count: 0,
  });
  const before = (await ada.get('/client-api/api/users')).body.data.account.subscriber_count;
  const response = await ada.delete(`${TAGS}/${id}`, { delete_subscribers: true });
  expect(response.body).toEqual({ success: true, deleted_subscribers: 3 });
  const after = (await ada.get('/client-api/api/users')).body.data.account.subscriber_count;
  expect(before - after).toBe(3);
});

test('a group in use is not deleted, and the error names its uses', async () => {
  const id = await createGroup('Used');
  const stop = groupUsedBy.handle(async (_, { groupId }) =>
    groupId === groupIdOf(id) ? [{ kind: 'form', id: 'abc', title: 'Footer form' }] : [],
  );
  const response = await ada.delete(`${TAGS}/${id}`);
  stop();
  expect(response).toMatchObject({ status: 409, body: { code: 'group_in_use' } });
  expect(response.body.message).toContain('Footer form');
  expect((await ada.get(`${TAGS}/${id}`)).status).toBe(200);
});

test('ensuring a group by title creates it once, regardless of case and spaces', async () => {
  const first = await inTx((tx) => ensureGroup(tx, ada.accountId, 'Imported'));
  expect(await inTx((tx) => ensureGroup(tx, ada.accountId, ' IMPORTED '))).toBe(first);
});

/** Creates a group of `count` members. */
async function crowdedGroup(count: number) {
  const owner = await server.owner();
  const { accountId } = owner;
  const groupId = groupIdOf(await createGroup('Crowd', owner));
  const at = clock.now();
  await sql`
    with added as (
      insert into subscribers (account_id, email, email_key, created_at, modified_at)
      select ${accountId}, e, e, ${at}, ${at}
      from (select 'p' || n || '@many.example' as e from generate_series(1, ${count}::int) n) x
      returning account_id, id
    )
    insert into group_members (account_id, group_id, subscriber_id, created_at)
    select account_id, ${groupId}, id, ${at} from added`.execute(server.db);
  await sql`update accounts set subscriber_count = ${count} where id = ${accountId}`.execute(
    server.db,
  );
  return { owner, accountId, groupId };
}

const remainingOf = async (accountId: number) =>
  (
    await sql<{ people: number; members: number; groups: number; jobs: number; counted: number }>`
      select
        (select count(*) from subscribers where account_id = ${accountId} and deleted_at is null)
          as people,
        (select count(*) from group_members where account_id = ${accountId}) as members,
        (select count(*) from groups where account_id = ${accountId}) as groups,
        (select subscriber_count from accounts where id = ${accountId}) as counted,
        (select count(*) from graphile_worker.jobs where task_identifier = 'groups.delete') as jobs
    `.execute(server.db)
  ).rows[0];

/** Returns the result, or 'late' if it takes more than five seconds. */
const resultOrLate = <T>(work: Promise<T>) =>
  Promise.race([work, new Promise<'late'>((resolve) => setTimeout(resolve, 5_000, 'late'))]);

test('other calls do not wait while a large group is deleted with its members', async () => {
  const { owner, accountId, groupId } = await crowdedGroup(10_001);
  const deletedIds: number[] = [];
  let joining: Promise<number> | undefined;
  const payloads: unknown[] = [];
  const stop = subscribersDeleted.on(async (_, payload) => {
    if (payload.accountId !== accountId) return;
    // A subscriber signs up during the first slice, and a member unsubscribes during the second.
    if (deletedIds.length === 0) joining = addSubscriber(accountId, 'new@many.example');
    else if (payloads.length === 0) {
      payloads.push(
        typeof (await resultOrLate<number | string>(joining ?? Promise.resolve('none'))),
      );
      const leaving = { subscriberIds: [deletedIds[0] as number] };
      const cause = { channel: 'email', reason: 'one_click' } as const;
      const unsubscribing = inTx((tx) => unsubscribe(tx, accountId, leaving, cause));
      payloads.push(await resultOrLate(unsubscribing));
    }
    deletedIds.push(...payload.subscriberIds);
  });
  const response = await owner.delete(`${TAGS}/${encodeId('group', groupId)}`, {
    delete_subscribers: true,
  });
  stop();
  expect(payloads).toEqual(['number', []]);
  expect(response.body).toEqual({ success: true, deleted_subscribers: 10_001 });
  expect(await remainingOf(accountId)).toEqual({
    people: 1,
    members: 0,
    groups: 0,
    jobs: 0,
    counted: 1,
  });
});

test('a deletion killed between slices is finished by its job, and subscribers who joined later remain', async () => {
  const { accountId, groupId } = await crowdedGroup(5_001);
  const asOf = clock.now().toISOString();
  clock.advance(1000);
  const lateSubscriber = await addSubscriber(accountId, 'late@many.example');
  const change = { groupIds: [groupId], subscriberIds: [lateSubscriber], origin: 'bulk' as const };
  await inTx((tx) => addToGroups(tx, accountId, change));
  clock.reset();
  const controller = new AbortController();
  const stop = subscribersDeleted.on(async () => controller.abort());
  const payload = { accountId, groupId, asOf };
  await expect(
    deleteGroupJob.run(payload, { db: server.db, signal: controller.signal }),
  ).rejects.toThrow();
  stop();
  expect(await remainingOf(accountId)).toMatchObject({
    people: 2,
    members: 2,
    groups: 1,
    counted: 2,
  });
  const tools = { db: server.db, signal: new AbortController().signal };
  await deleteGroupJob.run(payload, tools);
  await deleteGroupJob.run(payload, tools);
  expect(await remainingOf(accountId)).toMatchObject({
    people: 1,
    members: 0,
    groups: 0,
    counted: 1,
  });
});

test('a group is not deleted if something starts using it while its members are deleted', async () => {
  const { owner, accountId, groupId } = await crowdedGroup(5_001);
  const subscriberEvents: boolean[] = [];
  const stops = [
    subscribersDeleted.on(async () => void subscriberEvents.push(true)),
    groupUsedBy.handle(async () =>
      subscriberEvents.length > 0 ? [{ kind: 'form', id: 'abc', title: 'Late form' }] : [],
    ),
  ];
  const path = `${TAGS}/${encodeId('group', groupId)}`;
  const response = await owner.delete(path, { delete_subscribers: true });
  const warn = vi.spyOn(log, 'warn');
  await deleteGroupJob.run(
    { accountId, groupId, asOf: clock.now().toISOString() },
    { db: server.db, signal: new AbortController().signal },
  );
  for (const stop of stops) stop();
  // A job reports the use in the log because it has no caller.
  expect(warn.mock.calls).toMatchObject([
    [expect.any(String), { account: accountId, group: groupId, uses: ['form abc'] }],
  ]);
  warn.mockRestore();
  // The call succeeds because the members are deleted, and reports what uses the group.
  expect([response.status, response.body]).toEqual([
    200,
    {
      success: true,
      deleted_subscribers: 5_001,
      kept_by: [{ kind: 'form', id: 'abc', title: 'Late form' }],
    },
  ]);
  expect(await remainingOf(accountId)).toMatchObject({ people: 0, members: 0, groups: 1, jobs: 0 });
});
