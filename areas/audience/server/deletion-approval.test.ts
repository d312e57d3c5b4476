// Deletions and erasures that need approval: no subscriber is deleted before a user with the right
// approves. The approval covers the requested selection, without subscribers added later.
import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { approvalDecided, hashState } from '#areas/approvals/server/index.ts';
import { subscribersDeleted } from '#areas/subscribers/server/events.ts';
import { decodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { JobInterrupted, findJobPayloads } from '#platform/server/jobs/jobs.ts';
import { log } from '#platform/server/log.ts';
import { runDuringChange } from '#testing/setup/lock-waiters.ts';
import { type TestOwner, type TestServer, testServer } from '#testing/setup/server.ts';
import { createColleague, createProgram } from '#testing/worlds/colleagues.ts';
import { addSubscriber } from '#testing/worlds/shop.ts';
import { bulkActJob, getJobKeyPrefix, freezeSelection, toSelection } from './bulk.ts';

const API = '/client-api/api';
const LIST_PATH = `${API}/subscribers`;
const APPROVALS = `${API}/approvals`;
let server: TestServer;

beforeAll(async () => {
  server = await testServer();
});

/** Creates two subscribers named Old, one named New, and an author without the right to delete. */
async function scene() {
  const owner = await server.owner();
  const ids = [];
  for (const name of ['ada', 'bob']) {
    ids.push(await addSubscriber(owner, { email: `${name}@old.example`, firstname: 'Old' }));
  }
  const remainingId = await addSubscriber(owner, { email: 'lin@new.example', firstname: 'New' });
  const author = await createColleague(server, owner, ['people.delete']);
  return { owner, ids, remainingId, author };
}

const addressesOf = async (owner: TestOwner) =>
  (await owner.get(LIST_PATH)).body.data.map(({ email }: { email: string }) => email).sort();
const ALL_EMAILS = ['ada@old.example', 'bob@old.example', 'lin@new.example'];

async function fileRequest(
  client: Pick<TestOwner, 'delete'>,
  body: object,
  url = `${LIST_PATH}?ask=1`,
): Promise<string> {
  const response = await client.delete(url, body);
  expect(response.status, response.text).toBe(403);
  expect(response.body).toMatchObject({ code: 'approval_requested' });
  return response.body.approval as string;
}

const newestRequestOf = async ({ accountId }: TestOwner) =>
  (
    await sql<{ input: Record<string, unknown>; facts: { outline: unknown[] } }>`
      select input, facts from approvals where account_id = ${accountId} order by id desc limit 1`.execute(
      server.db,
    )
  ).rows[0];

const OLD_SELECTION = { conditions: 'firstname,equals,Old,1,and,and,' };

test('a deletion requested by a user without the right excludes subscribers added later', async () => {
  const { owner, ids, author } = await scene();
  expect(await author.delete(LIST_PATH, OLD_SELECTION)).toMatchObject({
    status: 403,
    body: { code: 'approval_needed', right: 'people.delete' },
  });
  const approval = await fileRequest(author, OLD_SELECTION);
  expect(await fileRequest(author, OLD_SELECTION)).toBe(approval);
  expect(await fileRequest(author, { ...OLD_SELECTION, search: 'ada' })).not.toBe(approval);
  expect(await addressesOf(owner)).toEqual(ALL_EMAILS);
  await addSubscriber(owner, { email: 'later@old.example', firstname: 'Old' });
  const request = (await owner.get(`${APPROVALS}/${approval}`)).body.data;
  expect(request).toMatchObject({
    ...{ kind: 'subscribers_delete', recipients: 2, ceiling: 52, compared_with: null },
    subject: { title: 'Delete 2 subscribers', path: '/subscribers' },
    audience: { count: 2, excluded: [] },
    people: [
      { id: ids[0], title: 'ada@old.example' },
      { id: ids[1], title: 'bob@old.example' },
    ],
    diff: [{ part: 'condition', text: expect.stringContaining('Old') }],
  });
  expect((await author.post(`${APPROVALS}/${approval}/approve`, {})).body.code).toBe(
    'missing_right',
  );
  const approveResponse = await owner.post(`${APPROVALS}/${approval}/approve`, {});
  expect(approveResponse.status, approveResponse.text).toBe(200);
  expect(await addressesOf(owner)).toEqual(['later@old.example', 'lin@new.example']);
  const endedRequest = (await owner.get(`${APPROVALS}/${approval}`)).body.data;
  expect(endedRequest).toMatchObject({ state: 'approved', recipients: 2, people: [], diff: [] });
  const { data: acts } = (await owner.get(`${API}/audit?action=approvals`)).body;
  // The audit log identifies the selection only by the id of its request.
  expect(acts).toMatchObject([
    { action: 'approvals.approve', after: { kind: 'subscribers_delete', count: 2 } },
    ...[1, 2].map(() => ({ after: { kind: 'subscribers_delete' } })),
  ]);
  for (const { after } of acts) expect(after).not.toHaveProperty('subject');
});

test('a request does not name subscribers to a user without the right to see them', async () => {
  const { owner, author } = await scene();
  const approval = await fileRequest(author, OLD_SELECTION);
  const reader = await createColleague(server, owner, ['people']);
  const request = (await reader.get(`${APPROVALS}/${approval}`)).body.data;
  expect(request).toMatchObject({ audience: { count: 2 }, people: [] });
});

test('an API call selects subscribers by address, and the request stores their ids until it ends', async () => {
  const { owner, ids } = await scene();
  const program = await createProgram(server, owner, ['read', 'people.change']);
  const namedSelection = { subscribers: ['ada@old.example', ids[1], 'unknown@old.example'] };
  const approval = await fileRequest(program, namedSelection, '/v2/subscribers');
  // Selecting the same ids again finds the same request.
  expect(await fileRequest(program, { subscribers: ids }, LIST_PATH)).toBe(approval);
  const storedRequest = await newestRequestOf(owner);
  expect(JSON.stringify(storedRequest)).not.toContain('old.example');
  expect(storedRequest?.input.subscribers).toHaveLength(2);
  const declineResponse = await owner.post(`${APPROVALS}/${approval}/decline`, { reason: 'No' });
  expect(declineResponse.body.data).toMatchObject({ state: 'declined' });
  expect((await newestRequestOf(owner))?.input).toEqual({});
  expect(await addressesOf(owner)).toEqual(ALL_EMAILS);
});

test("an empty or malformed selection, or one of another account's subscribers, is refused, and no request is stored", async () => {
  const { owner, author } = await scene();
  const outsider = await server.owner();
  const foreignId = await addSubscriber(outsider, { email: 'eve@old.example' });
  const program = await createProgram(server, owner, ['read', 'people.change']);
  const refusals = [
    await author.delete(`${LIST_PATH}?ask=1`, {}),
    await author.delete(`${LIST_PATH}?ask=1`, { subscribers: [foreignId] }),
    await author.delete(`${LIST_PATH}?ask=1`, { conditions: 'nonsense' }),
    await program.delete('/v2/subscribers', { subscribers: ['eve@old.example'] }),
  ];
  expect(refusals.map(({ status, body }) => [status, body.code])).toEqual([
    [422, 'no_subscribers_selected'],
    [422, 'no_subscribers_selected'],
    [422, 'conditions_malformed'],
    [422, 'no_subscribers_selected'],
  ]);
  expect(await newestRequestOf(owner)).toBeUndefined();
});

test('a deleted group in the conditions makes the request outdated', async () => {
  const { owner, author, ids } = await scene();
  const group = (await owner.post(`${API}/tags`, { title: 'Old' })).body.data.id;
  await owner.post(`${LIST_PATH}/groups/${group}`, { subscribers: ids });
  const conditions = [{ type: 'tag', operator: 'have', operand: group }];
  const approval = await fileRequest(author, { conditions });
  expect((await owner.delete(`${API}/tags/${group}`, {})).status).toBe(200);
  expect(await owner.post(`${APPROVALS}/${approval}/approve`, {})).toMatchObject({
    status: 409,
    body: { code: 'approval_outdated' },
  });
  const request = (await owner.get(`${APPROVALS}/${approval}`)).body.data;
  expect(request).toMatchObject({ state: 'outdated', people: [] });
  expect((await newestRequestOf(owner))?.input).toEqual({});
  expect(await addressesOf(owner)).toEqual(ALL_EMAILS);
});

/** Adds `count` subscribers with this first name; `renameMany` makes those named `New` match `OLD_SELECTION`. */
async function addMany({ accountId }: TestOwner, count: number, firstname: string) {
  await sql`
    insert into subscribers (account_id, email, email_key, firstname, created_at, modified_at)
    select ${accountId}, e, e, ${firstname}, ${clock.now()}, ${clock.now()}
    from (select ${firstname.toLowerCase()} || n || '@many.example' as e
      from generate_series(1, ${count}::int) n) x`.execute(server.db);
  await sql`update accounts set subscriber_count = subscriber_count + ${count}
    where id = ${accountId}`.execute(server.db);
}

const renameMany = ({ accountId }: TestOwner) =>
  sql`update subscribers set firstname = 'Old'
    where account_id = ${accountId} and email like 'new%@many.example'`.execute(server.db);

async function countRemaining({ accountId }: TestOwner): Promise<number | undefined> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from subscribers
    where account_id = ${accountId} and deleted_at is null`.execute(server.db);
  return rows[0]?.count;
}

test('a selection that grew beyond the shown number is not deleted before it is confirmed', async () => {
  const { owner, author } = await scene();
  await addMany(owner, 60, 'New');
  const approval = await fileRequest(author, OLD_SELECTION);
  await renameMany(owner);
  const grown = await owner.post(`${APPROVALS}/${approval}/approve`, {});
  expect(grown).toMatchObject({ status: 409, body: { code: 'approval_grown', recipients: 62 } });
  expect(grown.body.message).toContain('62');
  expect(await countRemaining(owner)).toBe(63);
  // A new request contains the new number of subscribers.
  const secondRequest = await fileRequest(author, OLD_SELECTION);
  expect(secondRequest).not.toBe(approval);
  expect((await owner.get(`${APPROVALS}/${secondRequest}`)).body.data).toMatchObject({
    recipients: 62,
  });
  const approveResponse = await owner.post(`${APPROVALS}/${secondRequest}/approve`, {
    recipients: 62,
  });
  expect(approveResponse.status, approveResponse.text).toBe(200);
  expect(await addressesOf(owner)).toEqual(['lin@new.example']);
});

test('the deletion of a large selection that grew before its job ran is requested again', async () => {
  const { owner, author } = await scene();
  await addMany(owner, 5000, 'Old');
  await addMany(owner, 600, 'New');
  const approval = await fileRequest(author, OLD_SELECTION);
  expect((await owner.post(`${APPROVALS}/${approval}/approve`, {})).status).toBe(200);
  await renameMany(owner);
  await server.runJobs();
  expect(await countRemaining(owner)).toBe(5603);
  const { data } = (await owner.get(`${APPROVALS}?state=open`)).body;
  expect(data).toMatchObject([{ kind: 'subscribers_delete', recipients: 5602 }]);
});

test('a selection larger than one transaction is deleted in the background after the approval', async () => {
  const { owner, author, remainingId } = await scene();
  await addMany(owner, 5000, 'Old');
  const approval = await fileRequest(author, OLD_SELECTION);
  const approveResponse = await owner.post(`${APPROVALS}/${approval}/approve`, {});
  expect(approveResponse.status, approveResponse.text).toBe(200);
  expect(approveResponse.body.data).toMatchObject({ recipients: 5002 });
  await server.runJobs();
  expect((await owner.get(LIST_PATH)).body.data).toMatchObject([{ id: remainingId }]);
});

/** Approves a deletion of 5,002 of 6,003 subscribers, which queues it as a job. */
async function approveMany() {
  const { owner, author } = await scene();
  await addMany(owner, 5000, 'Old');
  await addMany(owner, 1000, 'New');
  const approval = await fileRequest(author, OLD_SELECTION);
  expect((await owner.post(`${APPROVALS}/${approval}/approve`, {})).status).toBe(200);
  return owner;
}

const openRequests = async (owner: TestOwner) =>
  (await owner.get(`${APPROVALS}?state=open`)).body.data;

test('all attempts of a restarted deletion together delete no more subscribers than approved', async () => {
  const owner = await approveMany();
  const [job] = await findJobPayloads(server.db, bulkActJob, getJobKeyPrefix(owner.accountId));
  if (!job) throw new Error('No deletion is waiting');
  const stopping = new AbortController();
  const disconnect = subscribersDeleted.on(async () => stopping.abort());
  const tools = { db: server.db, progress: async () => undefined };
  await expect(bulkActJob.run(job, { ...tools, signal: stopping.signal })).rejects.toThrow(
    JobInterrupted,
  );
  disconnect();
  expect(await countRemaining(owner)).toBe(6003 - 2501);
  // The approval covers 5,503 deletions: the 3,501 that now match would be within it, but not in
  // addition to the first 2,501.
  await renameMany(owner);
  await server.runJobs();
  expect(await countRemaining(owner)).toBe(6003 - 2501);
  expect(await openRequests(owner)).toMatchObject([
    { kind: 'subscribers_delete', recipients: 3501 },
  ]);
});

test('a deletion commits no transaction that would exceed its approval', async () => {
  const owner = await approveMany();
  const disconnect = subscribersDeleted.on(async (tx) => {
    // Simulates a selection that has grown since.
    await sql`update approvals set used = ceiling - 2500
      where account_id = ${owner.accountId} and is_in_force`.execute(tx);
  });
  await server.runJobs();
  disconnect();
  expect(await countRemaining(owner)).toBe(6003 - 2501);
  expect(await openRequests(owner)).toMatchObject([
    { kind: 'subscribers_delete', recipients: 2501 },
  ]);
});

test('approving an identical selection does not cancel a running deletion', async () => {
  const { owner, author } = await scene();
  await addMany(owner, 5000, 'Old');
  const approve = async (approval: string) => {
    const approveResponse = await owner.post(`${APPROVALS}/${approval}/approve`, {});
    expect(approveResponse.status, approveResponse.text).toBe(200);
  };
  await approve(await fileRequest(author, OLD_SELECTION));
  clock.advance(60_000);
  await approve(await fileRequest(author, OLD_SELECTION));
  const jobs = await findJobPayloads(server.db, bulkActJob, getJobKeyPrefix(owner.accountId));
  expect(jobs).toHaveLength(2);
  const { rows } = await sql<{ id: number }>`select id from approvals
    where account_id = ${owner.accountId} and is_in_force order by id`.execute(server.db);
  expect(jobs.map((job) => job.approved?.id).sort()).toEqual(rows.map(({ id }) => id));
  await server.runJobs();
  expect(await countRemaining(owner)).toBe(1);
  expect(await openRequests(owner)).toEqual([]);
  const openApprovals = await sql`select from approvals
    where account_id = ${owner.accountId} and (is_in_force or digest <> '')`.execute(server.db);
  expect(openApprovals.rows).toEqual([]);
});

test.each([
  [
    'queued by an earlier version',
    (storedApproval: object) => ({ ...storedApproval, id: undefined }),
    false,
  ],
  ['whose approval is not in force', (storedApproval: object) => storedApproval, true],
])('a deletion %s is requested again and logged', async (_, change, isReleased) => {
  const owner = await approveMany();
  const [job] = await findJobPayloads(server.db, bulkActJob, getJobKeyPrefix(owner.accountId));
  if (!job?.approved) throw new Error('No approved deletion is waiting');
  if (isReleased)
    await sql`update approvals set is_in_force = false where account_id = ${owner.accountId}`.execute(
      server.db,
    );
  const warnings = vi.spyOn(log, 'warn');
  onTestFinished(() => warnings.mockRestore());
  const tools = { db: server.db, progress: async () => undefined };
  const { signal } = new AbortController();
  const changedApproval = { ...job.approved, ...change(job.approved) };
  await bulkActJob.run({ ...job, approved: changedApproval }, { ...tools, signal });
  expect(warnings).toHaveBeenCalledWith(
    'A deletion in the background has no approval in force',
    expect.objectContaining({ account: owner.accountId, requestedAgain: true }),
  );
  expect(await countRemaining(owner)).toBe(6003);
  expect(await openRequests(owner)).toMatchObject([
    { kind: 'subscribers_delete', recipients: 5002 },
  ]);
});

test('an erasure waits for an approval that deletes the same subscriber, without a deadlock', async () => {
  const { owner, ids, author } = await scene();
  const request = decodeId('approval', await fileRequest(author, OLD_SELECTION)) ?? 0;
  const { accountId } = owner;
  // A deadlocked transaction is repeated and would add a second entry.
  const erasedIds: number[][] = [];
  const disconnect = subscribersDeleted.on(async (_, { subscriberIds }) => {
    erasedIds.push(subscriberIds);
  });
  const response = await runDuringChange(
    server.db,
    (tx) =>
      sql`select from approvals where account_id = ${accountId} and id = ${request}
      for update`.execute(tx),
    () => owner.post(`${LIST_PATH}/${ids[0]}/erase`, {}),
    (tx) =>
      sql`select from subscribers where account_id = ${accountId} order by id
      for update`.execute(tx),
  );
  disconnect();
  expect(response.status, response.text).toBe(200);
  expect(erasedIds).toHaveLength(1);
});

test('a migration clears the digests of earlier selections and their audited subjects, and makes open requests outdated', async () => {
  const { owner, author } = await scene();
  const openRequest = await fileRequest(author, OLD_SELECTION);
  const declinedRequest = await fileRequest(author, { ...OLD_SELECTION, search: 'ada' });
  expect(
    (await owner.post(`${APPROVALS}/${declinedRequest}/decline`, { reason: 'No' })).status,
  ).toBe(200);
  await sql`update audit set after = after || '{"subject": "s1"}'
    where account_id = ${owner.accountId} and after->>'kind' = 'subscribers_delete'`.execute(
    server.db,
  );
  const text = readFileSync('migrations/0434-numbers-of-deletion-requests.sql', 'utf8');
  await sql.raw(text).execute(server.db);
  const { rows } = await sql`select digest, subject = id as is_own from approvals
    where account_id = ${owner.accountId}`.execute(server.db);
  expect(rows).toEqual([1, 2].map(() => ({ digest: '', is_own: true })));
  const { data } = (await owner.get(`${API}/audit?action=approvals`)).body;
  expect(JSON.stringify(data)).not.toContain('"s1"');
  expect(await owner.post(`${APPROVALS}/${openRequest}/approve`, {})).toMatchObject({
    status: 409,
    body: { code: 'approval_outdated' },
  });
});

test('an erasure ends the requests that name the address, and their digests do not reveal it', async () => {
  const { owner, ids, author } = await scene();
  const search = { search: 'ada@old.example' };
  const matchingRequests = [
    await fileRequest(author, search),
    await fileRequest(author, { search: 'Ada@old' }),
    await fileRequest(author, { conditions: 'email,equals,ada%40old.example,1,and,and,' }),
  ];
  const otherRequests = [
    await fileRequest(author, { search: 'old.example' }),
    await fileRequest(author, OLD_SELECTION),
  ];
  const { rows } = await sql<{ digest: string }>`select digest from approvals
    where account_id = ${owner.accountId}`.execute(server.db);
  expect(rows.map(({ digest }) => digest)).not.toContain(
    hashState(toSelection(freezeSelection(search))),
  );
  expect((await owner.post(`${LIST_PATH}/${ids[0]}/erase`, {})).status).toBe(200);
  const states = async (requests: string[]) =>
    Promise.all(
      requests.map(async (id) => (await owner.get(`${APPROVALS}/${id}`)).body.data.state),
    );
  expect(await states(matchingRequests)).toEqual(['outdated', 'outdated', 'outdated']);
  expect(await states(otherRequests)).toEqual(['open', 'open']);
  const { rows: left } = await sql`select to_jsonb(a) as row from approvals a
    where account_id = ${owner.accountId}`.execute(server.db);
  expect(JSON.stringify(left).toLowerCase()).not.toContain('ada');
});

test('an erasure is requested and approved, and its request contains no data of the erased subscriber', async () => {
  const { owner, ids, author } = await scene();
  const [ada = '', bob = ''] = ids;
  const url = (id: string) => `${LIST_PATH}/${id}/erase`;
  expect((await author.post(url(ada), {})).body).toMatchObject({ code: 'approval_needed' });
  const request = async (id: string) => {
    const response = await author.post(`${url(id)}?ask=1&note=By%20email`, {});
    expect(response.body, response.text).toMatchObject({ code: 'approval_requested' });
    return response.body.approval as string;
  };
  const [erasure, outdated] = [await request(ada), await request(bob)];
  expect(await request(ada)).toBe(erasure);
  const readRequest = async (id: string) => (await owner.get(`${APPROVALS}/${id}`)).body.data;
  expect(await readRequest(erasure)).toMatchObject({
    ...{ kind: 'subscriber_erase', recipients: 1, note: 'By email' },
    subject: { id: ada, title: 'Erase personal data of a subscriber' },
    people: [{ id: ada, title: 'ada@old.example' }],
  });
  expect(await addressesOf(owner)).toEqual(ALL_EMAILS);
  const response = await author.post(`${APPROVALS}/${erasure}/approve`, {});
  expect(response.body.code).toBe('missing_right');
  const campaign = { title: 'News', subject: 'Ask ada@old.example' };
  expect((await owner.post('/client-api/api/campaigns', campaign)).status).toBe(200);
  const approveResponse = await owner.post(`${APPROVALS}/${erasure}/approve`, { recipients: 1 });
  expect(approveResponse.status, approveResponse.text).toBe(200);
  expect(approveResponse.body.data.found_in).toEqual([
    { kind: 'campaign', id: expect.any(String), title: 'News' },
  ]);
  expect(await addressesOf(owner)).toEqual(['bob@old.example', 'lin@new.example']);
  expect(await readRequest(erasure)).toMatchObject({ state: 'approved', people: [] });
  const { rows } = await sql`select to_jsonb(a) as row from approvals a
    where account_id = ${owner.accountId}`.execute(server.db);
  expect(JSON.stringify(rows)).not.toContain('ada@');
  expect((await owner.delete(LIST_PATH, { subscribers: [bob] })).status).toBe(200);
  expect((await owner.post(`${APPROVALS}/${outdated}/approve`, {})).body.code).toBe(
    'approval_outdated',
  );
  const outsider = await server.owner();
  expect((await outsider.post(`${url(ids[1] ?? '')}?ask=1`, {})).status).toBe(404);
});

test('an erasure removes the address and number from notes and reasons of all requests of the account', async () => {
  const { owner, ids, author } = await scene();
  const [ada = ''] = ids;
  const fieldResponse = await owner.patch(`${LIST_PATH}/${ada}/fields/phone`, {
    value: '+37061234567',
  });
  expect(fieldResponse.status, fieldResponse.text).toBe(200);
  const outsider = await scene();
  const withNote = (note: string) => `${LIST_PATH}?ask=1&note=${encodeURIComponent(note)}`;
  const note = 'ADA@old.example (+370 612 34567, 8 (612) 345-67) asked, not my.ada@old.example';
  const openRequest = await fileRequest(author, OLD_SELECTION, withNote(note));
  const declinedRequest = await fileRequest(author, { search: 'old' }, withNote('For 61234567.'));
  const foreignRequest = await fileRequest(outsider.author, OLD_SELECTION, withNote(note));
  const reason = 'Call ada@old.example, order 161234567';
  expect((await owner.post(`${APPROVALS}/${declinedRequest}/decline`, { reason })).status).toBe(
    200,
  );
  const decisions: { note: string; reason: string }[] = [];
  const disconnect = approvalDecided.on(async (_, event) => void decisions.push(event));
  const url = `${LIST_PATH}/${ada}/erase?ask=1&note=${encodeURIComponent('By ada@old.example')}`;
  const { approval } = (await author.post(url, {})).body;
  const approvalBody = { reason: 'Written by ada@old.example', recipients: 1 };
  const approveResponse = await owner.post(`${APPROVALS}/${approval}/approve`, approvalBody);
  disconnect();
  expect(approveResponse.status, approveResponse.text).toBe(200);
  const textsOf = async (client: typeof owner, id: string) => {
    const { data } = (await client.get(`${APPROVALS}/${id}`)).body;
    return [data.state, data.note, data.reason];
  };
  const number = '+000000000000000';
  expect(await textsOf(owner, openRequest)).toEqual([
    ...['open', `erased@invalid (${number}, ${number}) asked, not my.ada@old.example`, ''],
  ]);
  expect(await textsOf(owner, declinedRequest)).toEqual([
    ...['declined', `For ${number}.`, 'Call erased@invalid, order 161234567'],
  ]);
  const erasedTexts = { note: 'By erased@invalid', reason: 'Written by erased@invalid' };
  expect(await textsOf(owner, approval)).toEqual(['approved', ...Object.values(erasedTexts)]);
  expect(decisions).toMatchObject([erasedTexts]);
  expect(await textsOf(outsider.owner, foreignRequest)).toEqual(['open', note, '']);
  const log = await owner.get(`${API}/audit?action=approvals`);
  expect(log.text).toContain('Written by …');
  expect(log.text).not.toContain('ada@');
});

test('an erasure removes the address from the stored data of requests', async () => {
  const { owner, ids, author } = await scene();
  const id = await fileRequest(author, OLD_SELECTION);
  await sql`update approvals set facts = facts || ${JSON.stringify({
    title: 'For Ada@old.example',
    outline: [{ part: 'audience', text: 'Not ada@old.example' }],
    previews: [{ title: 'Dear ada@old.example', path: '/' }],
  })}::jsonb, state = 'expired' where account_id = ${owner.accountId}`.execute(server.db);
  expect((await owner.post(`${LIST_PATH}/${ids[0]}/erase`, {})).status).toBe(200);
  expect((await owner.get(`${APPROVALS}/${id}`)).body.data).toMatchObject({
    subject: { title: 'For erased@invalid' },
    previews: [{ title: 'Dear erased@invalid' }],
  });
  const { facts } = (await newestRequestOf(owner)) ?? {};
  expect(facts?.outline).toEqual([{ part: 'audience', text: 'Not erased@invalid' }]);
});
