// A campaign's report: every figure is recomputed here from the raw events and the ledger.
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { unsubscribe } from '#areas/subscribers/server/index.ts';
import {
  installationTokens,
  recordComplaints,
  recordHardBounces,
  recordSoftBounces,
  settleTracking,
} from '#areas/tracking/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database.ts';
import { addPeople, isFinished, startMessage, untilDelivery } from '#testing/mailing.ts';
import { startSmtpServer } from '#testing/smtp-server.ts';
import { startTestSender } from '#testing/sender.ts';
import { type TestClient, type TestServer, testServer } from '#testing/server.ts';

const PEOPLE = 40;
const CHROME = {
  'user-agent': 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/126.0.0.0',
};
const APPLE = { 'user-agent': 'Mozilla/5.0' };
const HTML = `<html><body><a href="https://shop.example/tea">Tea</a>
<a href="https://shop.example/pots">Pots</a> <a href="https://shop.example/none">None</a>
<p>Storgata 1</p></body></html>`;

let server: TestServer;
let owner: TestClient & { accountId: number };
let accountId: number;
let ids: number[];
let messageId: number;
let campaign: string;
let groups: number[];

async function insertCampaign(of: number, message: number | null): Promise<string> {
  const at = clock.now();
  const { rows } = await sql<{ id: number }>`
    insert into campaigns (account_id, title, subject, status, message_id, sent_at, created_at, modified_at)
    values (${of}, 'Spring', 'Fresh tea', ${message === null ? 'DRAFT' : 'SENT'}, ${message},
      ${message === null ? null : at}, ${at}, ${at}) returning id`.execute(server.db);
  return encodeId('campaign', rows[0]?.id as number);
}

async function insertGroup(title: string, members: number[]): Promise<number> {
  const at = clock.now();
  const { rows } = await sql<{ id: number }>`
    insert into groups (account_id, title, title_key, created_at, modified_at)
    values (${accountId}, ${title}, ${title.toLowerCase()}, ${at}, ${at}) returning id`.execute(
    server.db,
  );
  const id = rows[0]?.id as number;
  await sql`insert into group_members (account_id, group_id, subscriber_id, created_at)
    select ${accountId}::bigint, ${id}::bigint, s, ${at}::timestamptz
    from unnest(${members}::bigint[]) s`.execute(server.db);
  return id;
}

/** Sends to forty people: one address unknown, one mailbox full, one who left meanwhile. */
async function sendAll(): Promise<void> {
  const relay = await startSmtpServer({
    script: {
      rcpt: ({ line }) => {
        if (line.includes('<person3@')) return '550 5.1.1 No such user';
        return line.includes('<person4@') ? '552 5.2.2 Mailbox full' : undefined;
      },
    },
  });
  messageId = await startMessage(server.db, accountId, { html: HTML, text: null });
  await server.runJobs();
  await inTransaction(server.db, (tx) =>
    unsubscribe(
      tx,
      accountId,
      { subscriberIds: [ids[4] as number] },
      { channel: 'email', reason: 'owner' },
    ),
  );
  const sender = startTestSender(server.db, relay.url);
  await untilDelivery(server.db, accountId, messageId, isFinished);
  await sender.close();
  await relay.close();
}

const hit = (person: number, what: 'o' | number, headers: Record<string, string>) => {
  const facts = {
    account: accountId,
    message: messageId,
    subscriber: ids[person] as number,
    ordinal: 1,
  };
  const token = installationTokens().make(facts);
  const url = what === 'o' ? `/t/o/${token}.gif` : `/t/c/${token}/${what}`;
  return server.client().get(url, headers);
};

/** Opens and clicks over three days, by people and machines. */
async function engage(): Promise<void> {
  for (let i = 0; i < 60; i++) {
    clock.advance(75 * 60_000);
    await hit(5 + (i % 17), 'o', i % 4 === 0 ? APPLE : CHROME);
    if (i % 3 === 0)
      await hit(5 + (i % 9), i % 2, i % 12 === 0 ? { 'user-agent': 'curl/8' } : CHROME);
    if (i % 20 === 19) await settleTracking(server.db);
  }
  await hit(30, 1, CHROME);
  await hit(33, 'o', APPLE);
  // The same address in the text part of the mail.
  await hit(34, 4, CHROME);
  await settleTracking(server.db);
  const fact = (person: number) => ({ messageId, subscriberId: ids[person] as number });
  await inTransaction(server.db, async (tx) => {
    await recordHardBounces(tx, accountId, [
      { ...fact(31), details: { code: '5.1.1', reply: 'Late' } },
    ]);
    await recordSoftBounces(tx, accountId, [fact(31), fact(32)]);
    await recordComplaints(tx, accountId, [fact(5)]);
    const left = { subscriberIds: [ids[6] as number, ids[7] as number] };
    await unsubscribe(tx, accountId, left, { channel: 'email', reason: 'link', messageId });
  });
}

beforeAll(async () => {
  server = await testServer();
  owner = await server.owner();
  accountId = owner.accountId;
  ids = await addPeople(server.db, accountId, PEOPLE);
  await sendAll();
  campaign = await insertCampaign(accountId, messageId);
  groups = [
    await insertGroup('=Cmd', ids.slice(0, 10)),
    await insertGroup('Friends', ids.slice(5, 40)),
    await insertGroup('Others', ids.slice(0, 3)),
  ];
  await sql`insert into campaign_groups (account_id, campaign_id, group_id, is_excluded)
    select ${accountId}::bigint, c.id, g, false from campaigns c, unnest(${groups.slice(0, 2)}::bigint[]) g
    where c.account_id = ${accountId}`.execute(server.db);
  await engage();
  // Days have passed: the session is renewed.
  await owner.post('/auth/api/refresh');
});

const report = (path: string, client: TestClient = owner) =>
  client.get(`/client-api/api/campaigns/${campaign}/report/${path}`);

type Raw = {
  kind: string;
  verdict: string;
  subscriber_id: number;
  link_position: number | null;
  at: Date;
};
const events = async (): Promise<Raw[]> =>
  (
    await sql<Raw>`select kind, verdict, subscriber_id, link_position, at from events
      where account_id = ${accountId} and message_id = ${messageId}`.execute(server.db)
  ).rows;
const people = (list: Raw[]) => new Set(list.map((one) => one.subscriber_id)).size;

test('every figure of the overview is what the events and the ledger say', async () => {
  const answer = await report('overview');
  expect(answer.status).toBe(200);
  const { figures, recipients, skipped, remaining, topic } = answer.body.data;
  const raw = await events();
  const of = (kinds: string[], verdict?: string) =>
    raw.filter((one) => kinds.includes(one.kind) && (!verdict || one.verdict === verdict));
  const sent = PEOPLE - 1;
  // Refused by the relay: one for good, one later by its mailbox; come back afterwards: two.
  const delivered = sent - 2 - 2;
  expect({ recipients, skipped, remaining }).toEqual({
    recipients: PEOPLE,
    skipped: 1,
    remaining: 0,
  });
  expect(topic).toBe(`message:${encodeId('message', messageId)}`);
  expect(figures.sent).toEqual({ count: sent, share: sent / PEOPLE });
  expect(figures.delivered).toEqual({ count: delivered, share: delivered / sent });
  expect(figures.opens).toEqual({
    count: people(of(['open', 'click'])),
    share: people(of(['open', 'click'])) / delivered,
    human_count: people(of(['open', 'click'], 'human')),
    human_share: people(of(['open', 'click'], 'human')) / delivered,
    total: of(['open']).length,
    human_total: of(['open'], 'human').length,
  });
  expect(figures.clicks).toEqual({
    count: people(of(['click'])),
    share: people(of(['click'])) / delivered,
    human_count: people(of(['click'], 'human')),
    human_share: people(of(['click'], 'human')) / delivered,
    total: of(['click']).length,
    human_total: of(['click'], 'human').length,
  });
  expect(figures.hard_bounces.count).toBe(people(of(['hard_bounce'])));
  expect(figures.soft_bounces.count).toBe(people(of(['soft_bounce'])));
  expect(figures.unsubscribes.count).toBe(people(of(['unsubscribe'])));
  expect(figures.complaints.count).toBe(people(of(['complaint'])));
  expect([
    figures.hard_bounces.count,
    figures.soft_bounces.count,
    figures.unsubscribes.count,
    figures.complaints.count,
  ]).toEqual([2, 3, 2, 1]);
  expect(figures.opens.human_count).toBeLessThan(figures.opens.count);
});

test("days and hours in the account's zone add up to the totals", async () => {
  await owner.patch('/client-api/api/accounts', { timezone: 'Asia/Kathmandu' });
  const { days, hours, zone } = (await report('times')).body.data;
  expect(zone).toBe('Asia/Kathmandu');
  const raw = (await events()).filter((one) => one.kind === 'open' || one.kind === 'click');
  const local = (at: Date) => new Date(at.getTime() + (5 * 60 + 45) * 60_000).toISOString();
  for (const { day, opens, human_opens, clicks } of days) {
    const own = raw.filter((one) => local(one.at).startsWith(day));
    expect(opens).toBe(own.filter((one) => one.kind === 'open').length);
    expect(human_opens).toBe(
      own.filter((one) => one.kind === 'open' && one.verdict === 'human').length,
    );
    expect(clicks).toBe(own.filter((one) => one.kind === 'click').length);
  }
  expect(days.length).toBeGreaterThan(3);
  expect(hours.map((one: { hour: number }) => one.hour)).toEqual(
    Array.from({ length: 24 }, (_, i) => i),
  );
  const sum = (list: { opens: number; clicks: number }[]) =>
    list.reduce((total, one) => total + one.opens + one.clicks, 0);
  expect(sum(days)).toBe(raw.length);
  expect(sum(hours)).toBe(raw.length);
});

test('links with their counts, and who followed one', async () => {
  const { body } = await report('clicks');
  const raw = (await events()).filter((one) => one.kind === 'click');
  expect(body.data).toHaveLength(3);
  for (const link of body.data) {
    const places = [link.position, link.position + 3];
    const own = raw.filter((one) => places.includes(one.link_position as number));
    const human = own.filter((one) => one.verdict === 'human');
    expect(link).toMatchObject({
      clicks: own.length,
      human_clicks: human.length,
      unique_clicks: people(own),
      unique_human_clicks: people(human),
    });
    const who = await report(`links/${link.id}/clicks?limit=100`);
    expect(who.body.meta.total).toBe(people(own));
    expect((await report(`links/${link.id}`)).body.data).toEqual(link);
  }
  expect(body.data.at(-1)).toMatchObject({ label: 'None', clicks: 0 });
  expect((await report('clicks?search=pots')).body.data).toHaveLength(1);
  expect((await report(`links/${encodeId('link', 9)}`)).status).toBe(404);
  expect((await report(`links/${encodeId('link', 9)}/clicks`)).status).toBe(404);
});

test('the sent mail shows its links by their places, and none that counts a look', async () => {
  const { html, links } = (await report('heatmap')).body.data;
  const list = (await report('clicks?no_paginate=true&order=position&direction=asc')).body.data;
  expect(links).toMatchObject(list);
  expect(links[0].positions).toEqual([0, 3]);
  expect(html).toMatch(/<a href="#link-0">Tea<\/a>\s*<a href="#link-1">Pots<\/a>/);
  expect(html).not.toContain('/t/c/');
  const before = (await events()).length;
  const pixel = /https?:[^"]*(\/t\/o\/[^"]*)/.exec(html)?.[1] as string;
  expect((await server.client().get(pixel, CHROME)).status).toBe(200);
  await settleTracking(server.db);
  expect((await events()).length).toBe(before);
});

test('each list names exactly the people of its figure', async () => {
  const raw = await events();
  const of = (...kinds: string[]) =>
    new Set(raw.filter((one) => kinds.includes(one.kind)).map((one) => one.subscriber_id));
  const expected: Record<string, Set<number>> = {
    opens: of('open', 'click'),
    clicks: of('click'),
    hard_bounces: of('hard_bounce'),
    soft_bounces: of('soft_bounce'),
    unsubscribes: of('unsubscribe'),
    complaints: of('complaint'),
    not_sent: new Set([2, 3, 4].map((i) => ids[i] as number)),
  };
  const gone = new Set([...of('open', 'click', 'hard_bounce', 'soft_bounce'), ids[4]]);
  expected.unopens = new Set(ids.filter((id) => !gone.has(id)));
  for (const [action, set] of Object.entries(expected)) {
    const { body } = await report(`actions?action=${action}&limit=100`);
    const found = body.data.map((one: { subscriber: { id: string } }) => one.subscriber.id);
    expect([action, ...found.sort()]).toEqual([
      action,
      ...[...set].map((id) => encodeId('subscriber', id)).sort(),
    ]);
    expect(body.meta.total).toBe(set.size);
  }
});

test('bounces and what was not sent say why', async () => {
  const bounced = (await report('actions?action=hard_bounces&order=email&direction=asc')).body.data;
  expect(bounced).toMatchObject([
    { code: '5.1.1', reply: 'Late' },
    { code: '5.1.1', reply: 'No such user' },
  ]);
  const not = (await report('actions?action=not_sent&order=email&direction=asc')).body.data;
  expect(not.map((one: { reason: string }) => one.reason)).toEqual([
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
  const emails = [...first.data, ...second.data].map((one) => one.subscriber.email);
  expect(emails).toEqual([...new Set(emails)].sort());
  const found = (await report('actions?search=person31%40')).body;
  expect(found).toMatchObject({ data: [{ is_human: true, count: 0 }], meta: { total: 1 } });
  expect((await report('actions?search=%25')).body.data).toEqual([]);
  expect((await report('actions?action=nonsense')).status).toBe(422);
});

test('the file holds the whole list, and nothing a spreadsheet would run', async () => {
  await sql`update subscribers set firstname = '=HYPERLINK("https://evil.example")', lastname = 'a "b", c'
    where account_id = ${accountId} and id = ${ids[5]}`.execute(server.db);
  const file = await report('actions/export?action=opens');
  expect(file.headers['content-disposition']).toBe('attachment; filename="opens.csv"');
  const lines = file.text.slice(0, -2).split('\r\n');
  expect(lines[0]).toBe('\ufeffEmail,First name,Last name,Time (UTC),Times,By');
  const total = (await report('actions')).body.meta.total;
  expect(lines).toHaveLength(total + 1);
  expect(lines.find((line) => line.startsWith('person6@'))).toContain(
    `"'=HYPERLINK(""https://evil.example"")","a ""b"", c"`,
  );
  const skipped = (await report('actions/export?action=not_sent')).text;
  expect(skipped).toContain('Unsubscribed');
});

test('groups show the people who are in them', async () => {
  const { body } = await report('groups');
  expect(body.data.map((one: { group: { title: string } }) => one.group.title)).toEqual([
    '=Cmd',
    'Friends',
  ]);
  const raw = await events();
  const inGroup = (from: number, to: number, ...kinds: string[]) =>
    people(
      raw.filter(
        (one) => kinds.includes(one.kind) && ids.slice(from, to).includes(one.subscriber_id),
      ),
    );
  expect(body.data[0]).toMatchObject({
    sent: 9,
    delivered: 7,
    bounces: 2,
    opens: inGroup(0, 10, 'open', 'click'),
    clicks: inGroup(0, 10, 'click'),
    unsubscribes: 2,
    complaints: 1,
  });
  expect(body.data[1]).toMatchObject({
    sent: 35,
    delivered: 33,
    opens: inGroup(5, 40, 'open', 'click'),
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

test('devices and countries add up to the totals', async () => {
  const raw = (await events()).filter((one) => one.kind === 'open' || one.kind === 'click');
  const totalOf = (kind: string, verdict?: string) =>
    raw.filter((one) => one.kind === kind && (!verdict || one.verdict === verdict)).length;
  for (const path of ['devices', 'countries']) {
    const { data } = (await report(path)).body;
    const sum = (name: string) =>
      data.reduce((total: number, row: Record<string, number>) => total + (row[name] ?? 0), 0);
    expect([sum('opens'), sum('human_opens'), sum('clicks'), sum('human_clicks')]).toEqual([
      totalOf('open'),
      totalOf('open', 'human'),
      totalOf('click'),
      totalOf('click', 'human'),
    ]);
  }
  const devices = (await report('devices')).body.data;
  expect(devices[0]).toMatchObject({ value: 'desktop' });
  expect(devices.map((one: { value: string }) => one.value)).toContain('');
});

test('mailbox domains add up to the figures, the small ones in one row', async () => {
  const hosts = [
    'gmail.com',
    'gmail.com',
    ...Array.from({ length: 25 }, (_, i) => `h${i}.example`),
  ];
  await sql`update subscribers s set email = 'p' || u.n || '@' || u.host,
      email_key = 'p' || u.n || '@' || u.host
    from unnest(${ids.slice(8, 8 + hosts.length)}::bigint[], ${hosts}::text[]) with ordinality
      as u (id, host, n) where s.account_id = ${accountId} and s.id = u.id`.execute(server.db);
  const { data } = (await report('domains')).body;
  const { figures } = (await report('overview')).body.data;
  const sum = (name: string) =>
    data.reduce((total: number, row: Record<string, number>) => total + (row[name] ?? 0), 0);
  expect([
    sum('sent'),
    sum('delivered'),
    sum('opens'),
    sum('human_clicks'),
    sum('complaints'),
  ]).toEqual([
    figures.sent.count,
    figures.delivered.count,
    figures.opens.count,
    figures.clicks.human_count,
    figures.complaints.count,
  ]);
  expect(data).toHaveLength(21);
  const atGmail = await sql<{ count: number }>`select count(*) as count from subscribers
    where account_id = ${accountId} and email_key like '%@gmail.com' and id <> ${ids[4]}`.execute(
    server.db,
  );
  expect(data.find((one: { domain: string }) => one.domain === 'gmail.com').sent).toBe(
    atGmail.rows[0]?.count,
  );
  expect(data.at(-1).domain).toBeNull();
});

test('sums of a large message are made and kept apart, and nobody waits for them', async () => {
  const real = (await report('domains')).body.data;
  await sql`update delivery_counts set audience = 60000
    where account_id = ${accountId} and message_id = ${messageId}`.execute(server.db);
  for (const path of ['domains', 'groups']) {
    expect((await report(path)).body, path).toMatchObject({ data: [], is_counting: true });
  }
  await server.runJobs();
  expect((await report('domains')).body).toEqual({ data: real, is_counting: false });
  const groups = (await report('groups')).body;
  expect(groups).toMatchObject({ meta: { total: 3 }, is_counting: false });
  await sql`update subscribers set email_key = 'moved' || id || '@moved.example'
    where account_id = ${accountId}`.execute(server.db);
  expect((await report('domains')).body.data).toEqual(real);
  clock.advance(2 * 60_000);
  expect((await report('domains')).body.data).toEqual(real);
  await server.runJobs();
  const { data } = (await report('domains')).body;
  expect(data[0]).toMatchObject({ domain: 'moved.example' });
  await sql`update delivery_counts set audience = ${PEOPLE}
    where account_id = ${accountId} and message_id = ${messageId}`.execute(server.db);
});

test('the average is of the campaigns before', async () => {
  expect((await report('overview')).body.data.average).toBeNull();
  clock.advance(86_400_000);
  await owner.post('/auth/api/refresh');
  const later = await insertCampaign(accountId, messageId);
  const answer = await owner.get(`/client-api/api/campaigns/${later}/report/overview`);
  expect(answer.body.data.average).toMatchObject({
    campaigns: 1,
    opens: answer.body.data.figures.opens.share,
  });
});

test('the first report that is seen is a step of onboarding', async () => {
  const other = await server.owner();
  const seen = () =>
    other.get('/client-api/api/users/onboard').then((one) => one.body.data.report_viewed);
  const people = await addPeople(server.db, other.accountId, 1);
  const message = await startMessage(server.db, other.accountId);
  await server.runJobs();
  const id = await insertCampaign(other.accountId, message);
  expect([people.length, await seen()]).toEqual([1, false]);
  await other.get(`/client-api/api/campaigns/${id}/report/overview`);
  expect(await seen()).toBe(true);
});

test("another account's campaign is not found, a draft has no report", async () => {
  const other = await server.owner();
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
    expect((await report(path, other)).status, path).toBe(404);
    expect((await report(path, server.client())).status, path).toBe(401);
    const draft = await insertCampaign(accountId, null);
    const answer = await owner.get(`/client-api/api/campaigns/${draft}/report/${path}`);
    expect(answer, path).toMatchObject({ status: 409, body: { code: 'not_sent_yet' } });
  }
});
