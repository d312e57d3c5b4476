// A campaign's report: lists, files, permissions. Figures are covered by numbers.test.ts.
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { addPeople, startMessage } from '#testing/worlds/sending-helpers.ts';
import {
  insertCampaign,
  SUBSCRIBERS,
  type ReportedCampaignFixture,
  sendReportedCampaign,
} from '#testing/worlds/reported-campaign.ts';
import type { TestClient } from '#testing/setup/server.ts';

let reported: ReportedCampaignFixture;
let server: ReportedCampaignFixture['server'];
let owner: ReportedCampaignFixture['owner'];
let accountId: number;

beforeAll(async () => {
  reported = await sendReportedCampaign();
  ({ server, owner, accountId } = reported);
});

const report = (path: string, client: TestClient = owner) =>
  client.get(`/client-api/api/campaigns/${reported.campaign}/report/${path}`);

test('groups and links are searched, groups are sorted, and an unknown link is not found', async () => {
  expect((await report('clicks?search=pots')).body.data).toHaveLength(1);
  expect((await report(`links/${encodeId('link', 9)}`)).status).toBe(404);
  expect((await report(`links/${encodeId('link', 9)}/clicks`)).status).toBe(404);
  expect((await report('groups?search=friend')).body).toMatchObject({
    data: [{ group: { title: 'Friends' } }],
    meta: { total: 1 },
  });
  await sql`update campaigns set send_to_all = true where account_id = ${accountId}`.execute(
    server.db,
  );
  expect((await report('groups?order=sent&direction=desc')).body.data).toMatchObject([
    { sent: 35 },
    { sent: 9 },
    { group: { title: 'Others' }, sent: 3 },
  ]);
});

test('link search finds a URL by any of its labels', async () => {
  const { rows } = await sql<{ message_id: number; position: number; url: string }>`
    insert into links (account_id, message_id, position, url, label)
    select account_id, message_id, 900, url, 'Terrine' from links
    where account_id = ${accountId} and url ilike '%pots%' order by message_id, position limit 1
    returning message_id, position, url`.execute(server.db);
  const url = rows[0]?.url as string;
  expect((await report('clicks?search=terrine')).body).toMatchObject({
    data: [{ url }],
    meta: { total: 1 },
  });
  await sql`delete from links where account_id = ${accountId} and position = 900`.execute(
    server.db,
  );
});

test('bounces and skipped copies show their reason', async () => {
  const bounces = (await report('actions?action=hard_bounces&order=email&direction=asc')).body.data;
  expect(bounces).toMatchObject([
    { code: '5.1.1', reply: 'Late' },
    { code: '5.1.1', reply: 'No such user' },
  ]);
  const notSent = (await report('actions?action=not_sent&order=email&direction=asc')).body.data;
  expect(notSent.map((exclusion: { reason: string }) => exclusion.reason)).toEqual([
    'failed',
    'failed',
    'unsubscribed',
  ]);
});

test('lists are paged, sorted and searched', async () => {
  const first = (await report('actions?limit=5&order=email&direction=asc')).body;
  const second = (await report('actions?limit=5&page=2&order=email&direction=asc')).body;
  expect(first.data).toHaveLength(5);
  expect(second.meta).toMatchObject({ page: 2, from: 6, total: first.meta.total });
  const emails = [...first.data, ...second.data].map((row) => row.subscriber.email);
  expect(emails).toEqual([...new Set(emails)].sort());
  const page = (await report('actions?search=person31%40')).body;
  expect(page).toMatchObject({ data: [{ is_human: true, count: 0 }], meta: { total: 1 } });
  expect((await report('actions?search=%25')).body.data).toEqual([]);
  expect((await report('actions?action=nonsense')).status).toBe(422);
});

test('the file has the whole list, and no spreadsheet formulas', async () => {
  await sql`update subscribers set firstname = '=HYPERLINK("https://evil.example")', lastname = 'a "b", c'
    where account_id = ${accountId} and id = ${reported.ids[5]}`.execute(server.db);
  const file = await report('actions/export?action=opens');
  expect(file.headers['content-disposition']).toBe('attachment; filename="opens.csv"');
  const lines = file.text.slice(0, -2).split('\r\n');
  expect(lines[0]).toBe('\ufeffEmail,First name,Last name,Time (UTC),Times,By');
  const total = (await report('actions')).body.meta.total;
  expect(lines).toHaveLength(total + 1);
  expect(lines.find((line) => line.startsWith('person6@'))).toContain(
    `"'=HYPERLINK(""https://evil.example"")","a ""b"", c"`,
  );
  const csv = (await report('actions/export?action=not_sent')).text;
  expect(csv).toContain('Unsubscribed');
});

test('totals of a large message are computed and cached in the background', async () => {
  const domains = (await report('domains')).body.data;
  await sql`update delivery_counts set audience = 60000
    where account_id = ${accountId} and message_id = ${reported.messageId}`.execute(server.db);
  for (const path of ['domains', 'groups']) {
    expect((await report(path)).body, path).toMatchObject({ data: [], is_counting: true });
  }
  await server.runJobs();
  expect((await report('domains')).body).toEqual({ data: domains, is_counting: false });
  const groups = (await report('groups')).body;
  expect(groups).toMatchObject({ meta: { total: 3 }, is_counting: false });
  await sql`update subscribers set email_key = 'moved' || id || '@moved.example'
    where account_id = ${accountId}`.execute(server.db);
  expect((await report('domains')).body.data).toEqual(domains);
  clock.advance(2 * 60_000);
  expect((await report('domains')).body.data).toEqual(domains);
  await server.runJobs();
  const { data } = (await report('domains')).body;
  expect(data[0]).toMatchObject({ domain: 'moved.example' });
  await sql`update delivery_counts set audience = ${SUBSCRIBERS}
    where account_id = ${accountId} and message_id = ${reported.messageId}`.execute(server.db);
});

test('the first viewed report completes a step of onboarding', async () => {
  const otherOwner = await server.owner();
  const readReportViewed = () =>
    otherOwner
      .get('/client-api/api/users/onboard')
      .then((response) => response.body.data.report_viewed);
  const subscriberIds = await addPeople(server.db, otherOwner.accountId, 1);
  const message = await startMessage(server.db, otherOwner.accountId);
  await server.runJobs();
  const id = await insertCampaign(server, otherOwner.accountId, message);
  expect([subscriberIds.length, await readReportViewed()]).toEqual([1, false]);
  await otherOwner.get(`/client-api/api/campaigns/${id}/report/overview`);
  expect(await readReportViewed()).toBe(true);
});

test("another account's campaign is not found, and a draft has no report", async () => {
  const otherOwner = await server.owner();
  const paths = [
    'overview',
    'times',
    'clicks',
    'actions',
    'actions/export',
    'groups',
    'devices',
    'heatmap',
    'countries',
    'domains',
    `links/${encodeId('link', 0)}`,
    `links/${encodeId('link', 0)}/clicks`,
  ];
  for (const path of paths) {
    expect((await report(path, otherOwner)).status, path).toBe(404);
    expect((await report(path, server.client())).status, path).toBe(401);
    const draft = await insertCampaign(server, accountId, null);
    const response = await owner.get(`/client-api/api/campaigns/${draft}/report/${path}`);
    expect(response, path).toMatchObject({ status: 409, body: { code: 'not_sent_yet' } });
  }
});
