// Campaigns to segments: included and excluded segments, each subscriber counted once with a
// reason, and segments that are changed, deleted or in use.
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { readDelivery } from '#areas/delivery/server/ledger/index.ts';
import { encodeId } from '#platform/ids.ts';
import { addPeople } from '#testing/worlds/sending-helpers.ts';
import { type TestOwner, type TestServer, testServer } from '#testing/setup/server.ts';

const CAMPAIGNS = '/client-api/api/campaigns';
const SETTINGS = { title: 'Spring', subject: 'Hello', from_email: 'tea@shop.example' };

let server: TestServer;

beforeAll(async () => {
  server = await testServer();
});

/** Creates twelve subscribers named Name 1 … Name 12, and a draft that lacks only recipients. */
async function shop(): Promise<{ owner: TestOwner; ids: number[]; id: string; path: string }> {
  const owner = await server.owner();
  await sql`update accounts set title = 'Tea', address = 'Quay 1', city = 'Galway', country = 'IE'
    where id = ${owner.accountId}`.execute(server.db);
  const ids = await addPeople(server.db, owner.accountId, 12);
  const { id, revision } = (await owner.post(CAMPAIGNS, SETTINGS)).body.data;
  const html = '<p>Tea</p><a href="{{unsubscribe_link}}">Leave</a>';
  await owner.put(`${CAMPAIGNS}/${id}/content`, { revision, editor: 'html', html });
  return { owner, ids, id, path: `${CAMPAIGNS}/${id}` };
}

const firstNameIn = (...names: string[]) => [
  { type: 'firstname', operator: 'in', operand: names[0], more: names.slice(1) },
];

async function createSegment(
  owner: TestOwner,
  title: string,
  conditions: object[],
): Promise<string> {
  return (await owner.post('/client-api/api/filters', { title, conditions })).body.data.id;
}

async function createGroup(
  owner: TestOwner,
  title: string,
  ids: readonly number[],
): Promise<string> {
  const { id } = (await owner.post('/client-api/api/tags', { title })).body.data;
  const subscribers = ids.map((id) => encodeId('subscriber', id));
  await owner.post(`/client-api/api/subscribers/groups/${id}`, { subscribers });
  return id;
}

test('segments and groups are included and excluded together, each subscriber counted once', async () => {
  const { owner, ids, path } = await shop();
  const someSegment = await createSegment(
    owner,
    'Some',
    firstNameIn('Name 1', 'Name 2', 'Name 3', 'Name 4'),
  );
  const otherSegment = await createSegment(
    owner,
    'Others',
    firstNameIn('Name 4', 'Name 5', 'Name 6'),
  );
  const excludedSegment = await createSegment(owner, 'Out', firstNameIn('Name 2', 'Name 6'));
  const tag = await createGroup(owner, 'Group', ids.slice(5, 8));
  const tagOut = await createGroup(owner, 'Group out', ids.slice(0, 2));
  await sql`update subscribers set email_status = 'unsubscribed'
    where account_id = ${owner.accountId} and firstname = 'Name 7'`.execute(server.db);
  const count = async () => (await owner.get(`${path}/subscribers`)).body.data;

  const response = await owner.post(`${path}/filters/set`, {
    filters_arr: [someSegment, otherSegment, someSegment],
  });
  expect(response.body.data.map((row: { title: string }) => row.title)).toEqual(['Others', 'Some']);
  expect(await count()).toEqual({ count: 6, total: 6, excluded: [] });
  await owner.post(`${path}/tags/set`, { tags_arr: [tag] });
  expect(await count()).toMatchObject({ count: 7, total: 8 });
  await owner.post(`${path}/exclude_tags/set`, { tags_arr: [tagOut] });
  await owner.post(`${path}/exclude_filters/set`, { filters_arr: [excludedSegment] });
  expect(await count()).toEqual({
    count: 4,
    total: 8,
    excluded: [
      { reason: 'excluded', count: 2 },
      { reason: 'excluded_segment', count: 1 },
      { reason: 'unsubscribed', count: 1 },
    ],
  });
  const campaign = (await owner.get(path)).body.data;
  expect(campaign).toMatchObject({
    filters: [{ title: 'Others' }, { id: someSegment, title: 'Some' }],
    exclude_filters: [{ id: excludedSegment, title: 'Out' }],
    last_action: 'step4',
  });
  const copy = (await owner.post(`${path}/duplicate`, {})).body.data;
  expect([copy.filters, copy.exclude_filters]).toEqual([
    campaign.filters,
    campaign.exclude_filters,
  ]);
  expect((await owner.get(`${path}/exclude_filters`)).body.data).toEqual(campaign.exclude_filters);
  expect((await owner.delete(`${path}/exclude_filters/all`)).body.data).toEqual([]);
  expect((await count()).count).toBe(5);
});

test('selecting a segment ends sending to all, and a segment of another account is refused', async () => {
  const { owner, path } = await shop();
  const outsider = await server.owner();
  const foreignSegment = await createSegment(outsider, 'Theirs', firstNameIn('Name 1'));
  const ownSegment = await createSegment(owner, 'Own', firstNameIn('Name 1'));
  await owner.post(`${path}/tags/set`, { tags_arr: [], send_to_all: true });
  const response = await owner.post(`${path}/filters/set`, { filters_arr: [foreignSegment] });
  expect([response.status, Object.keys(response.body.errors)]).toEqual([422, ['filters_arr']]);
  expect((await owner.get(path)).body.data).toMatchObject({ send_to_all: true, filters: [] });
  await owner.post(`${path}/filters/set`, { filters_arr: [ownSegment] });
  expect((await owner.get(path)).body.data.send_to_all).toBe(false);
  expect((await outsider.get(`${path}/filters`)).status).toBe(404);
});

test('the audience uses the segment as of the start of the campaign', async () => {
  const { owner, ids, path } = await shop();
  const someSegment = await createSegment(owner, 'Some', firstNameIn('Name 1', 'Name 2', 'Name 3'));
  const excludedSegment = await createSegment(owner, 'Out', firstNameIn('Name 3'));
  await owner.post(`${path}/filters/set`, { filters_arr: [someSegment] });
  await owner.post(`${path}/exclude_filters/set`, { filters_arr: [excludedSegment] });
  expect((await owner.get(`${path}/checks`)).body.data).not.toContainEqual(
    expect.objectContaining({ severity: 'error' }),
  );
  expect((await owner.post(`${path}/schedule`, { schedule_time: null })).status).toBe(200);
  await owner.patch(`/client-api/api/filters/${someSegment}`, {
    conditions: firstNameIn('Name 9'),
  });
  await server.runJobs();
  const messageId = await messageOf(owner);
  const recipients = await sql<{ id: number }>`
    select subscriber_id as id from recipients
    where account_id = ${owner.accountId} and message_id = ${messageId} order by id`.execute(
    server.db,
  );
  expect(recipients.rows.map((row) => row.id)).toEqual(ids.slice(0, 2));
  const [delivery] = await readDelivery(server.db, owner.accountId, [messageId]);
  expect(delivery).toMatchObject({ audience: 2, excluded: { excluded_segment: 1 } });
});

async function messageOf(owner: TestOwner): Promise<number> {
  const { rows } = await sql<{ message_id: number }>`
    select message_id from campaigns where account_id = ${owner.accountId}
      and message_id is not null`.execute(server.db);
  return rows[0]?.message_id as number;
}

test('the segment of a scheduled campaign cannot be deleted, but a draft’s segment can', async () => {
  const { owner, path } = await shop();
  const someSegment = await createSegment(owner, 'Some', firstNameIn('Name 1'));
  const filter = `/client-api/api/filters/${someSegment}`;
  await owner.post(`${path}/filters/set`, { filters_arr: [someSegment] });
  await owner.post(`${path}/schedule`, { schedule_time: '2090-01-01 10:00:00' });
  const response = await owner.delete(filter);
  expect([response.status, response.body.code, response.body.used_by]).toEqual([
    409,
    'segment_in_use',
    [{ kind: 'campaign', id: path.split('/').at(-1), title: 'Spring' }],
  ]);
  await owner.post(`${path}/cancel`, {});
  expect((await owner.delete(filter)).status).toBe(200);
  expect((await owner.get(path)).body.data.filters).toEqual([]);
  expect((await owner.get(`${path}/checks`)).body.data).toContainEqual(
    expect.objectContaining({ code: 'recipients_missing' }),
  );
});

test('a deleted campaign whose group or segment was deleted is restored as a draft', async () => {
  const { owner, ids, path } = await shop();
  /** Deletes the campaign; the returned function restores it and returns its status. */
  const deleteCampaign = async () => {
    expect((await owner.delete(path)).status).toBe(200);
    return async () => (await owner.post(`${path}/restore`, {})).body.data.status;
  };
  const schedule = () => owner.post(`${path}/schedule`, { schedule_time: '2090-01-01 10:00:00' });
  await owner.post(`${path}/tags/set`, { tags_arr: [], send_to_all: true });
  const partners = await createGroup(owner, 'Partners', ids.slice(0, 1));
  await owner.post(`${path}/exclude_tags/set`, { tags_arr: [partners] });
  expect((await schedule()).status).toBe(200);
  const restore = await deleteCampaign();
  expect(await restore()).toBe('SCHEDULED');
  const restoreWithoutGroup = await deleteCampaign();
  expect((await owner.delete(`/client-api/api/tags/${partners}`)).status).toBe(200);
  expect(await restoreWithoutGroup()).toBe('DRAFT');
  const someSegment = await createSegment(owner, 'Some', firstNameIn('Name 1'));
  await owner.post(`${path}/exclude_filters/set`, { filters_arr: [someSegment] });
  expect((await schedule()).status).toBe(200);
  const restoreWithoutSegment = await deleteCampaign();
  expect((await owner.delete(`/client-api/api/filters/${someSegment}`)).status).toBe(200);
  expect(await restoreWithoutSegment()).toBe('DRAFT');
});

test('conditions select the subscribers who got a campaign without opening it', async () => {
  const { owner, ids, id, path } = await shop();
  await owner.post(`${path}/filters/set`, {
    filters_arr: [await createSegment(owner, 'Some', firstNameIn('Name 1', 'Name 2', 'Name 3'))],
  });
  await owner.post(`${path}/schedule`, { schedule_time: null });
  await server.runJobs();
  const messageId = await messageOf(owner);
  await sql`insert into outcomes (account_id, subscriber_id, message_id, first_open_at)
    values (${owner.accountId}, ${ids[1] as number}, ${messageId}, now())`.execute(server.db);
  const preview = await owner.post('/client-api/api/filters/preview', {
    conditions: [{ type: 'not-open', operator: 'specific', operand: id }],
  });
  expect(preview.body.data).toMatchObject({
    subscribers: 2,
    sentence: 'Got “Spring” without opening it',
  });
});

test('a segment that refers to a deleted object selects no subscribers if it is included, and excludes all if it is excluded', async () => {
  const { owner, path } = await shop();
  const brokenSegment = await createSegment(owner, 'Gone', firstNameIn('Name 1'));
  const condition = { type: 'tag', operator: 'not-have', operand: encodeId('group', 999_999) };
  await sql`update segments set conditions = jsonb_set(conditions, '{0}', conditions -> 0 || ${JSON.stringify(condition)}::jsonb)
    where account_id = ${owner.accountId}`.execute(server.db);
  const count = async () => (await owner.get(`${path}/subscribers`)).body.data.count;
  await owner.post(`${path}/filters/set`, { filters_arr: [brokenSegment] });
  expect(await count()).toBe(0);
  expect((await owner.get(`${path}/checks`)).body.data).toContainEqual(
    expect.objectContaining({
      code: 'segment_broken',
      severity: 'error',
      values: { title: 'Gone' },
    }),
  );
  const ownSegment = await createSegment(owner, 'Own', firstNameIn('Name 1', 'Name 2'));
  await owner.post(`${path}/filters/set`, { filters_arr: [ownSegment] });
  expect(await count()).toBe(2);
  await owner.post(`${path}/exclude_filters/set`, { filters_arr: [brokenSegment] });
  expect(await count()).toBe(0);
});
