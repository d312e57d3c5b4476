// Requests for approval over HTTP: users and programs without a right create them, users with the
// right decide, and an approval is valid only for the content and recipients that were requested.
import { sql } from 'kysely';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { startDue } from '#areas/broadcasts/server/index.ts';
import { campaignAdapter } from '#areas/campaigns/server/adapter.ts';
import { roundWallTime, instantToWallTime } from '#areas/broadcasts/wall-time.ts';
import { decodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import type { Right } from '#platform/rights.ts';
import { type TestClient, type TestServer, testServer } from '#testing/setup/server.ts';
import {
  CAMPAIGNS,
  campaignShop,
  HTML,
  joinGroup,
  readCampaign,
  createReadyCampaign,
} from '#testing/worlds/campaign-shop.ts';
import { lockWaiters } from '#testing/setup/lock-waiters.ts';
import { failAccountNode } from '#testing/setup/node-failures.ts';
import { upload } from '#testing/setup/upload.ts';
import { createColleague, createProgram } from '#testing/worlds/colleagues.ts';
import { addPeople } from '#testing/worlds/sending-helpers.ts';
import { EMAIL, workflowBuilder } from '#testing/worlds/workflow-builder.ts';
import { approvalFiled } from './events.ts';
import { expiryPoller, outdatedPoller } from './expiry.ts';

let server: TestServer;
const API = '/client-api/api';
const APPROVALS = `${API}/approvals`;

beforeAll(async () => {
  server = await testServer();
});
afterEach(() => clock.reset());

type CampaignShop = Awaited<ReturnType<typeof campaignShop>>;

const program = (owner: TestClient, scopes: readonly Right[]) =>
  createProgram(server, owner, scopes);
const colleague = ({ owner }: CampaignShop, denied: readonly Right[]) =>
  createColleague(server, owner, denied);

/** Creates a shop with a campaign that is ready to send, and an author without the right to send. */
async function createFixture(subscribers = 6) {
  const shop = await campaignShop(server, subscribers);
  const id = await createReadyCampaign(shop.owner, shop.groupId);
  return { ...shop, id, at: `${CAMPAIGNS}/${id}`, author: await colleague(shop, ['send']) };
}

const NOW = { schedule_time: null };
const approvalRequested = { status: 403, body: { code: 'approval_requested' } };

async function fileRequest(client: Pick<TestClient, 'post'>, at: string, body: object = NOW) {
  const response = await client.post(`${at}/schedule?ask=1&note=Please%20check`, body);
  expect(response, response.text).toMatchObject(approvalRequested);
  return response.body.approval as string;
}

const readApproval = async (client: Pick<TestClient, 'get'>, id: string) =>
  (await client.get(`${APPROVALS}/${id}`)).body.data;
const approve = (client: TestClient, id: string, body: object = {}) =>
  client.post(`${APPROVALS}/${id}/approve`, body);

test('a user without the right requests a call, which is made once a user with the right approves', async () => {
  const { owner, author, id, at } = await createFixture();
  const response = await author.post(`${at}/schedule`, NOW);
  expect(response).toMatchObject({ status: 403, body: { code: 'approval_needed', right: 'send' } });
  const approval = await fileRequest(author, at);
  expect(await fileRequest(author, at)).toBe(approval);
  expect(await readCampaign(owner, id)).toMatchObject({ status: 'DRAFT' });
  expect((await author.get(`${APPROVALS}/count`)).body.data).toEqual({ count: 0 });
  expect((await owner.get(`${APPROVALS}/count`)).body.data).toEqual({ count: 1 });
  const { data } = (await owner.get(`${APPROVALS}?state=open&subject=${id}`)).body;
  expect(data).toMatchObject([
    {
      ...{ id: approval, kind: 'campaign_schedule', state: 'open', note: 'Please check' },
      ...{ scheduled: null, recipients: 6, can_decide: true, program: null },
      subject: { id, title: 'Spring', path: `/campaigns/${id}/confirm` },
    },
  ]);
  expect(await readApproval(author, approval)).toMatchObject({
    can_decide: false,
    can_withdraw: true,
  });
  const rejection = await approve(author, approval);
  expect(rejection).toMatchObject({ status: 403, body: { code: 'missing_right', right: 'send' } });
  const approvalResponse = await approve(owner, approval, { reason: 'Good' });
  expect(approvalResponse, approvalResponse.text).toMatchObject({
    status: 200,
    body: { data: { state: 'approved', reason: 'Good' } },
  });
  expect((await readCampaign(owner, id)).delivery).toMatchObject({ state: 'preparing' });
  for (const verb of ['approve', 'decline', 'withdraw']) {
    const repeat = await owner.post(`${APPROVALS}/${approval}/${verb}`, {});
    expect(repeat).toMatchObject({ status: 409, body: { code: 'approval_decided' } });
  }
  const log = (await owner.get(`${API}/audit?action=approvals`)).body.data;
  expect(log).toMatchObject([
    { action: 'approvals.approve', subject: approval, after: { subject: id } },
    { action: 'approvals.requestApproval', subject: approval, after: { subject: id } },
  ]);
});

test('an API call without the right creates a request for approval, and no API call can decide a request', async () => {
  const { owner, id, at } = await createFixture();
  const assistant = await program(owner, ['read', 'drafts']);
  const programs: unknown[] = [];
  const disconnect = approvalFiled.on(async (_, event) => void programs.push(event.program));
  const refusal = await assistant.post(`${at}/schedule`, NOW);
  disconnect();
  expect(refusal, refusal.text).toMatchObject(approvalRequested);
  // The event contains the name of the program, which the emails to users who may decide show.
  expect(programs).toEqual(['Assistant']);
  const { approval } = refusal.body;
  expect((await assistant.post(`/v2/campaigns/${id}/send`)).body).toMatchObject({ approval });
  expect(await readApproval(owner, approval)).toMatchObject({
    program: 'Assistant',
    can_decide: true,
  });
  const fullAccess = await program(owner, ['read', 'drafts', 'send']);
  for (const verb of ['approve', 'decline']) {
    const attempt = await fullAccess.post(`${APPROVALS}/${approval}/${verb}`);
    expect(attempt).toMatchObject({ status: 403, body: { code: 'session_needed' } });
  }
  const readOnly = await program(owner, ['read']);
  const response = await readOnly.post(`${at}/schedule`, NOW);
  expect(response).toMatchObject({ status: 403, body: { code: 'missing_right' } });
  const withdrawn = await assistant.post(`${APPROVALS}/${approval}/withdraw`);
  expect(withdrawn.body.data).toMatchObject({ state: 'withdrawn' });
  expect(await readCampaign(owner, id)).toMatchObject({ status: 'DRAFT' });
});

test('a user cannot decide a request of their own token if the four-eyes setting is on, but another user can', async () => {
  const shop = await createFixture();
  const { owner, at } = shop;
  const second = await colleague(shop, []);
  const response = await owner.put(`${APPROVALS}/settings`, { needs_four_eyes: true });
  expect(response.body.data).toEqual({ needs_four_eyes: true });
  const assistant = await program(owner, ['read', 'drafts']);
  const { approval } = (await assistant.post(`${at}/schedule`, NOW)).body;
  expect(await approve(owner, approval)).toMatchObject({
    status: 403,
    body: { code: 'approval_own' },
  });
  expect((await owner.get(`${APPROVALS}/count`)).body.data).toEqual({ count: 0 });
  expect((await approve(second, approval)).status).toBe(200);
});

test.each<
  [string, (fixture: Awaited<ReturnType<typeof createFixtureWithSegment>>) => Promise<unknown>]
>([
  [
    'content',
    async ({ author, at }) => {
      const { revision } = (await author.get(`${at}/content`)).body.data;
      const html = HTML.replace('New', 'Newer');
      return author.put(`${at}/content`, { revision, editor: 'html', html });
    },
  ],
  ['recipients', ({ author, at }) => author.post(`${at}/exclude_tags/set`, { tags_arr: [] })],
  [
    'conditions of a segment',
    ({ author, segment }) =>
      author.patch(`${API}/filters/${segment}`, { conditions: createConditions('home.example') }),
  ],
  [
    'attachments',
    ({ author, at }) => upload(author, Buffer.from('Green tea'), 'menu.txt', `${at}/attachments`),
  ],
])('a change to %s after the request makes it outdated', async (_, change) => {
  const fixture = await createFixtureWithSegment();
  const approval = await fileRequest(fixture.author, fixture.at);
  const response = (await change(fixture)) as { status: number; text: string };
  expect(response.status, response.text).toBe(200);
  const rejection = await approve(fixture.owner, approval);
  expect(rejection).toMatchObject({ status: 409, body: { code: 'approval_outdated' } });
  const { data } = (await fixture.owner.get(`${APPROVALS}?subject=${fixture.id}`)).body;
  expect(data).toMatchObject([{ id: approval, state: 'outdated', can_decide: false }]);
  expect(await readCampaign(fixture.owner, fixture.id)).toMatchObject({ status: 'DRAFT' });
  expect(await fileRequest(fixture.author, fixture.at)).not.toBe(approval);
});

const createConditions = (operand: string) => [{ type: 'email', operator: 'includes', operand }];

async function createFixtureWithSegment() {
  const fixture = await createFixture();
  const createdSegment = await fixture.owner.post(`${API}/filters`, {
    title: 'Gmail',
    conditions: createConditions('gmail.com'),
  });
  expect(createdSegment.status, createdSegment.text).toBe(200);
  const segment: string = createdSegment.body.data.id;
  const response = await fixture.owner.post(`${fixture.at}/filters/set`, {
    filters_arr: [segment],
  });
  expect(response.status, response.text).toBe(200);
  return { ...fixture, segment };
}

test.each(['campaigns', 'segments'] as const)(
  'a change to %s that commits during the approval makes the request outdated',
  async (table) => {
    const { owner, author, id, at, segment } = await createFixtureWithSegment();
    const approval = await fileRequest(author, at);
    const { accountId } = owner;
    const row = decodeId(
      table === 'campaigns' ? 'campaign' : 'segment',
      table === 'campaigns' ? id : segment,
    );
    const edit =
      table === 'campaigns'
        ? sql`update campaigns set subject = 'Edited', revision = revision + 1
            where account_id = ${accountId} and id = ${row}`
        : sql`update segments set conditions = ${JSON.stringify(createConditions('all.example'))}::jsonb
            where account_id = ${accountId} and id = ${row}`;
    const { promise: edited, resolve: commit } = Promise.withResolvers<void>();
    const { promise: locked, resolve: hold } = Promise.withResolvers<void>();
    const editing = inTransaction(server.db, async (tx) => {
      await edit.execute(tx);
      hold();
      await edited;
    });
    await locked;
    const approving = approve(owner, approval);
    await expect.poll(() => lockWaiters(server.db, `%${table}%for %`)).toHaveLength(1);
    commit();
    await editing;
    expect(await approving).toMatchObject({ status: 409, body: { code: 'approval_outdated' } });
    expect(await readCampaign(owner, id)).toMatchObject({ status: 'DRAFT' });
  },
);

test('concurrent requests and approvals of one campaign send it once, without a server error', async () => {
  const { owner, author, id, at } = await createFixture();
  const approval = await fileRequest(author, at);
  const responses = await Promise.all([
    ...[approve(owner, approval), approve(owner, approval)],
    ...[1, 2, 3].map(() => author.post(`${at}/schedule?ask=1`, NOW)),
  ]);
  expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(responses.filter(({ status }) => status >= 500)).toEqual([]);
  expect((await readCampaign(owner, id)).delivery).toMatchObject({ state: 'preparing' });
});

test('an approval is refused if the recipients grew beyond the shown number, until the new number is confirmed', async () => {
  const { owner, author, at, groupId, id } = await createFixture(6);
  const approval = await fileRequest(author, at);
  const addedIds = await addPeople(server.db, owner.accountId, 60, [
    'new.example',
    'newer.example',
  ]);
  await joinGroup(server, owner, groupId, addedIds);
  for (const body of [{}, { recipients: 6 }])
    expect(await approve(owner, approval, body)).toMatchObject({
      status: 409,
      body: { code: 'approval_grown', recipients: 66 },
    });
  expect(await readApproval(owner, approval)).toMatchObject({
    state: 'open',
    audience: { count: 66 },
  });
  expect((await approve(owner, approval, { recipients: 66 })).status).toBe(200);
  expect((await readCampaign(owner, id)).delivery).toMatchObject({ state: 'preparing' });
});

test('a poller, rather than the list, ends requests whose object has changed', async () => {
  const { owner, author, at, groupId } = await createFixture();
  const changedRequest = await fileRequest(author, at);
  const otherCampaign = `${CAMPAIGNS}/${await createReadyCampaign(owner, groupId)}`;
  const brokenRequest = await fileRequest(author, otherCampaign);
  await sql`update approvals set kind = 'subscribers_delete', input = '{}'
    where account_id = ${owner.accountId} and id = ${decodeId('approval', brokenRequest)}`.execute(
    server.db,
  );
  expect((await author.post(`${at}/exclude_tags/set`, { tags_arr: [] })).status).toBe(200);
  const readStates = async () =>
    Object.fromEntries(
      (await owner.get(APPROVALS)).body.data.map((row: { id: string; state: string }) => [
        row.id,
        row.state,
      ]),
    );
  expect(await readStates()).toEqual({ [changedRequest]: 'open', [brokenRequest]: 'open' });
  // A request that cannot be compared does not block the others.
  await outdatedPoller.run(server.db, new AbortController().signal);
  expect(await readStates()).toEqual({ [changedRequest]: 'outdated', [brokenRequest]: 'open' });
});

test('a request about an object on an unavailable database node is shown as stored', async () => {
  const { owner, author, at, id } = await createFixture();
  const approval = await fileRequest(author, at);
  const end = await failAccountNode(server.db, owner.accountId, ['campaigns']);
  try {
    const { status, body } = await owner.get(`${APPROVALS}?subject=${id}`);
    expect([status, body.data]).toMatchObject([200, [{ id: approval, state: 'open' }]]);
  } finally {
    await end();
  }
});

const inThreeHours = instantToWallTime(new Date(Date.now() + 3 * 3_600_000), 'Europe/Oslo');
const LATER = { schedule_time: roundWallTime(inThreeHours) as string };

async function startAt(time: string) {
  clock.advance(Date.parse(time) - clock.now().getTime() + 1000);
  const options = { publicUrl: 'http://127.0.0.1', needsVerifiedSender: false };
  await startDue(server.db, campaignAdapter(options));
  // At the advanced time, the sessions of the test would have expired.
  clock.reset();
}

test('a scheduled campaign that would exceed its approved ceiling returns to draft and requests approval again', async () => {
  const fixture = await createFixture(6);
  const { owner, author, id, at, groupId } = fixture;
  const approval = await fileRequest(author, at, LATER);
  const approvalDetail = await readApproval(owner, approval);
  expect(approvalDetail).toMatchObject({
    ...{ scheduled: LATER.schedule_time, ceiling: 56, audience: { count: 6 } },
  });
  expect((await approve(owner, approval)).status).toBe(200);
  expect(await readCampaign(owner, id)).toMatchObject({ status: 'SCHEDULED' });
  const addedIds = await addPeople(server.db, owner.accountId, 60, [
    'new.example',
    'newer.example',
  ]);
  await joinGroup(server, owner, groupId, addedIds);
  // The request expires at the scheduled time.
  await startAt(approvalDetail.expires_at);
  expect(await readCampaign(owner, id)).toMatchObject({ status: 'DRAFT', delivery: null });
  const { data } = (await owner.get(`${APPROVALS}?state=open`)).body;
  expect(data).toMatchObject([{ recipients: 66, scheduled: null, note: 'Please check' }]);
  expect((await approve(owner, data[0].id)).status).toBe(200);
  expect((await readCampaign(owner, id)).delivery).toMatchObject({ state: 'preparing' });
});

test('the ceiling of an approved schedule ends when the schedule is canceled', async () => {
  const { owner, author, id, at, groupId } = await createFixture(6);
  const approval = await fileRequest(author, at, LATER);
  const { expires_at: start } = await readApproval(owner, approval);
  expect((await approve(owner, approval)).status).toBe(200);
  expect((await owner.post(`${at}/cancel`)).status).toBe(200);
  const addedIds = await addPeople(server.db, owner.accountId, 60, [
    'new.example',
    'newer.example',
  ]);
  await joinGroup(server, owner, groupId, addedIds);
  expect((await owner.post(`${at}/schedule`, LATER)).status).toBe(200);
  await startAt(start);
  expect((await readCampaign(owner, id)).delivery).toMatchObject({ state: 'preparing' });
});

test('a declined request shows its reason, and an overdue request expires', async () => {
  const { owner, author, at, id } = await createFixture();
  const first = await fileRequest(author, at);
  const decision = await owner.post(`${APPROVALS}/${first}/decline`, { reason: 'Too soon' });
  expect(decision.body.data).toMatchObject({ state: 'declined', reason: 'Too soon' });
  const second = await fileRequest(author, at);
  await sql`update approvals set expires_at = ${clock.now()}
    where account_id = ${owner.accountId} and state = 'open'`.execute(server.db);
  expect(await approve(owner, second)).toMatchObject({ body: { code: 'approval_expired' } });
  await expiryPoller.run(server.db, new AbortController().signal);
  expect(await readApproval(owner, second)).toMatchObject({ state: 'expired' });
  expect(await readCampaign(owner, id)).toMatchObject({ status: 'DRAFT' });
});

test('a request for an invalid call is refused with the error of the call, and nothing is stored', async () => {
  const { owner, author, at } = await createFixture();
  const emptyCampaign = (await owner.post(CAMPAIGNS, { title: 'Empty', subject: 'Empty' })).body
    .data.id;
  const unready = await author.post(`${CAMPAIGNS}/${emptyCampaign}/schedule?ask=1`, NOW);
  expect(unready.status).toBe(422);
  const past = { schedule_time: '2020-01-01 10:00:00' };
  expect((await author.post(`${at}/schedule?ask=1`, past)).status).toBe(422);
  expect((await author.post(`${CAMPAIGNS}/zzzzzz/schedule?ask=1`, NOW)).status).toBe(404);
  const { rows } = await sql`select 1 from approvals
    where account_id = ${owner.accountId}`.execute(server.db);
  expect(rows).toEqual([]);
});

test('another account can neither see nor decide a request', async () => {
  const { author, at } = await createFixture();
  const approval = await fileRequest(author, at);
  const otherOwner = await server.owner();
  expect((await otherOwner.get(`${APPROVALS}/${approval}`)).status).toBe(404);
  for (const verb of ['approve', 'decline', 'withdraw'])
    expect((await otherOwner.post(`${APPROVALS}/${approval}/${verb}`, {})).status).toBe(404);
  expect((await otherOwner.get(APPROVALS)).body.data).toEqual([]);
});

test('a request shows recipients, hosts and the difference from the last sent campaign', async () => {
  const { owner, author, groupId } = await createFixture();
  const sentCampaign = await createReadyCampaign(owner, groupId);
  expect((await owner.post(`${CAMPAIGNS}/${sentCampaign}/schedule`, NOW)).status).toBe(200);
  await sql`update campaigns set sent_at = now(), status = 'SENT'
    where account_id = ${owner.accountId} and message_id is not null`.execute(server.db);
  const id = await createReadyCampaign(owner, groupId);
  const at = `${CAMPAIGNS}/${id}`;
  const { revision } = (await owner.get(`${at}/content`)).body.data;
  const html = HTML.replace('</p>', '</p><a href="https://unknown.example/x">Look</a>');
  await owner.put(`${at}/content`, { revision, editor: 'html', html });
  const approval = await fileRequest(author, at);
  const approvalDetail = await readApproval(owner, approval);
  expect(approvalDetail).toMatchObject({
    ...{ compared_with: 'sent', cost: null, audience: { count: 6, total: 6, excluded: [] } },
    hosts: [
      { host: 'tea.example', is_new: false },
      { host: 'unknown.example', is_new: true },
    ],
    previews: [{ path: `${at}/preview` }],
  });
  const changes = approvalDetail.diff.filter(({ change }: { change: string }) => change !== 'same');
  expect(JSON.stringify(changes)).toContain('Look');
  expect(approvalDetail.diff).toContainEqual({
    ...{ change: 'same', part: 'from', text: 'Nordic Tea <news@tea.example>' },
  });
  expect(approvalDetail.diff).toContainEqual({
    change: 'added',
    part: 'audience',
    text: 'Tea drinkers',
  });

  // A declined request does not make its hosts known.
  await owner.post(`${APPROVALS}/${approval}/decline`, { reason: 'Unknown site' });
  const secondDetail = await readApproval(owner, await fileRequest(author, at));
  expect(secondDetail).toMatchObject({ compared_with: 'request', hosts: approvalDetail.hosts });
});

test('a series, a resend and the activation of a workflow can be requested and approved', async () => {
  const shop = await createFixture();
  const { owner, author, id, at } = shop;
  const kit = workflowBuilder(server, owner);
  const start = await kit.group('Start');
  const tree = await kit.workflow({ triggerType: 'LIST_ADD', listId: start.id });
  await kit.write(await tree.add(tree.trigger, 'EMAIL', EMAIL));
  const rule = { every: 'week', interval: 1, weekdays: [1], time: '10:00' };
  const resend = { subject: 'Once more', hours: 24 };
  const refusals = [
    await author.patch(`${tree.at}/activate?ask=1`, {}),
    await author.put(`${at}/resend?ask=1`, resend),
    await author.put(`${at}/series?ask=1`, { rule }),
  ];
  for (const refusal of refusals) expect(refusal, refusal.text).toMatchObject(approvalRequested);
  const [activation, resendApproval, series] = refusals.map(({ body }) => body.approval as string);
  expect(await readApproval(owner, activation as string)).toMatchObject({
    ...{ kind: 'workflow_activate', audience: null, compared_with: null },
    previews: [{ title: EMAIL.subject }],
  });
  for (const approval of [activation, resendApproval, series]) {
    const approvalResponse = await approve(owner, approval as string);
    expect(approvalResponse.status, approvalResponse.text).toBe(200);
  }
  expect((await owner.get(tree.at)).body.data).toMatchObject({ status: 'ACTIVE' });
  expect(await readCampaign(owner, id)).toMatchObject({
    series: { rule },
    resend: { subject: 'Once more' },
  });
});
