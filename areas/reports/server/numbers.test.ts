// Consistency of metrics: every number in a report is recomputed here from the raw events and the
// ledger.
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { recordSoftBounces, settleTracking } from '#areas/tracking/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import {
  CHROME,
  insertCampaign,
  SUBSCRIBERS,
  type ReportedCampaignFixture,
  sendReportedCampaign,
} from '#testing/worlds/reported-campaign.ts';

type Raw = {
  kind: string;
  verdict: string;
  subscriber_id: number;
  link_position: number | null;
  device: string | null;
  country: string | null;
  at: Date;
};

let reported: ReportedCampaignFixture;
let events: Raw[];
/** State of each subscriber's copy, by its newest result. */
let stateOf: Map<number, string>;

beforeAll(async () => {
  reported = await sendReportedCampaign();
  const { accountId, messageId, server } = reported;
  // Test addresses have no country, so this sets countries of the opens and clicks, and then replaces
  // the stored totals per country.
  await sql`with given as (
      update events set country = case subscriber_id % 3 when 0 then 'NO' when 1 then 'LT' end
      where account_id = ${accountId} and message_id = ${messageId} and kind in ('open', 'click')
      returning 1
    ) select count(*) from given`.execute(server.db);
  await sql`delete from engagement_by where account_id = ${accountId} and aspect = 'country'`.execute(
    server.db,
  );
  await sql`insert into engagement_by select account_id, message_id, 'country', coalesce(country, ''),
      count(*) filter (where kind = 'open'), count(*) filter (where kind = 'open' and verdict = 'human'),
      count(*) filter (where kind = 'click'), count(*) filter (where kind = 'click' and verdict = 'human')
    from events where account_id = ${accountId} and message_id = ${messageId}
      and kind in ('open', 'click') group by account_id, message_id, coalesce(country, '')`.execute(
    server.db,
  );
  await readRaw();
});

async function readRaw(): Promise<void> {
  const { accountId, messageId, server } = reported;
  const raw = await sql<Raw>`
    select kind, verdict, subscriber_id, link_position, device, country, at from events
    where account_id = ${accountId} and message_id = ${messageId}`.execute(server.db);
  const ledger = await sql<{ subscriber_id: number; state: string }>`
    select r.subscriber_id, n.state from recipients r join results n
      on n.account_id = r.account_id and n.message_id = r.message_id and n.lane = r.lane
      and n.ordinal = r.ordinal
    where r.account_id = ${accountId} and r.message_id = ${messageId} order by n.attempt`.execute(
    server.db,
  );
  events = raw.rows;
  stateOf = new Map(ledger.rows.map((row) => [row.subscriber_id, row.state]));
}

const report = async (path: string) =>
  (await reported.owner.get(`/client-api/api/campaigns/${reported.campaign}/report/${path}`)).body;

const eventsOf = (kinds: string[], verdict?: string) =>
  events.filter((event) => kinds.includes(event.kind) && (!verdict || event.verdict === verdict));
const peopleIn = (list: Raw[]) => new Set(list.map((raw) => raw.subscriber_id));
const countPeople = (list: Raw[]) => peopleIn(list).size;

/** Counts the events of a list by kind and verdict. */
const countByVerdict = (list: Raw[]) => {
  const count = (kind: string, verdict?: string) =>
    list.filter((raw) => raw.kind === kind && (!verdict || raw.verdict === verdict)).length;
  return {
    opens: count('open'),
    human_opens: count('open', 'human'),
    clicks: count('click'),
    human_clicks: count('click', 'human'),
  };
};

/** Calculates the metrics of some subscribers. A click also counts as an open. */
function figuresOf(ids: readonly number[]) {
  const countWith = (kinds: string[], verdict?: string) => {
    const matching = peopleIn(eventsOf(kinds, verdict));
    return ids.filter((id) => matching.has(id)).length;
  };
  const bouncedIds = peopleIn(eventsOf(['hard_bounce', 'soft_bounce']));
  const handedOff = ids.filter((id) => ['accepted', 'failed'].includes(stateOf.get(id) ?? ''));
  return {
    sent: handedOff.length,
    delivered: handedOff.filter((id) => stateOf.get(id) === 'accepted' && !bouncedIds.has(id))
      .length,
    opens: countWith(['open', 'click']),
    human_opens: countWith(['open', 'click'], 'human'),
    clicks: countWith(['click']),
    human_clicks: countWith(['click'], 'human'),
    bounces: countWith(['hard_bounce', 'soft_bounce']),
    unsubscribes: countWith(['unsubscribe']),
    complaints: countWith(['complaint']),
  };
}

test('the overview matches the events: each metric, its rate, humans and machines', async () => {
  const { figures, recipients, skipped, remaining, unknown, topic } = (await report('overview'))
    .data;
  const raw = figuresOf(reported.ids);
  // One subscriber had unsubscribed before; two were refused by the relay: one permanently, one for
  // a full mailbox; two bounced later.
  expect([raw.sent, raw.delivered]).toEqual([SUBSCRIBERS - 1, SUBSCRIBERS - 5]);
  expect({ recipients, skipped, remaining, unknown }).toEqual({
    recipients: SUBSCRIBERS,
    skipped: 1,
    remaining: 0,
    unknown: 0,
  });
  expect(topic).toBe(`message:${encodeId('message', reported.messageId)}`);
  const ofSent = (count: number) => ({ count, share: count / raw.sent });
  const ofDelivered = (count: number) => ({ count, share: count / raw.delivered });
  const all = countByVerdict(events);
  expect(figures).toEqual({
    sent: { count: raw.sent, share: raw.sent / SUBSCRIBERS },
    delivered: ofSent(raw.delivered),
    opens: {
      ...ofDelivered(raw.opens),
      human_count: raw.human_opens,
      human_share: raw.human_opens / raw.delivered,
      total: all.opens,
      human_total: all.human_opens,
    },
    clicks: {
      ...ofDelivered(raw.clicks),
      human_count: raw.human_clicks,
      human_share: raw.human_clicks / raw.delivered,
      total: all.clicks,
      human_total: all.human_clicks,
    },
    hard_bounces: ofSent(countPeople(eventsOf(['hard_bounce']))),
    soft_bounces: ofSent(countPeople(eventsOf(['soft_bounce']))),
    unsubscribes: ofDelivered(raw.unsubscribes),
    complaints: ofDelivered(raw.complaints),
  });
  expect([raw.unsubscribes, raw.complaints]).toEqual([2, 1]);
  expect(raw.human_opens).toBeLessThan(raw.opens);
  expect(raw.human_clicks).toBeLessThan(raw.clicks);
});

test('the list of campaigns shows the numbers that the events yield', async () => {
  const { data } = (await reported.owner.get('/client-api/api/campaigns')).body;
  const { bounces: _, ...raw } = figuresOf(reported.ids);
  expect(data[0].figures).toEqual({
    ...raw,
    hard_bounces: countPeople(eventsOf(['hard_bounce'])),
    soft_bounces: countPeople(eventsOf(['soft_bounce'])),
  });
});

test("days and hours are in the account's time zone", async () => {
  await reported.owner.patch('/client-api/api/accounts', { timezone: 'Asia/Kathmandu' });
  const { days, hours, zone } = (await report('times')).data;
  expect(zone).toBe('Asia/Kathmandu');
  const local = ({ at }: Raw) => new Date(at.getTime() + (5 * 60 + 45) * 60_000).toISOString();
  for (const { day, ...figures } of days) {
    const ofDay = events.filter((event) => local(event).startsWith(day));
    expect({ day, ...figures }).toEqual({ day, ...countByVerdict(ofDay) });
  }
  for (const { hour, ...figures } of hours) {
    const ofHour = events.filter((event) => Number(local(event).slice(11, 13)) === hour);
    expect({ hour, ...figures }).toEqual({ hour, ...countByVerdict(ofHour) });
  }
  expect(days.length).toBeGreaterThan(3);
  expect(hours.map((hour: { hour: number }) => hour.hour)).toEqual(
    Array.from({ length: 24 }, (_, hour) => hour),
  );
  const total = (list: Record<string, number>[], name: string) =>
    list.reduce((sum, figures) => sum + (figures[name] ?? 0), 0);
  for (const [name, count] of Object.entries(countByVerdict(events))) {
    expect([name, total(days, name), total(hours, name)]).toEqual([name, count, count]);
  }
});

test('each link shows its clicks and lists the subscribers who clicked', async () => {
  const links = (await report('clicks')).data;
  const raw = eventsOf(['click']);
  expect(links).toHaveLength(3);
  for (const link of links) {
    const positions = [link.position, link.position + 3];
    const ofLink = raw.filter((event) => positions.includes(event.link_position as number));
    const human = ofLink.filter((event) => event.verdict === 'human');
    expect(link).toMatchObject({
      clicks: ofLink.length,
      human_clicks: human.length,
      unique_clicks: countPeople(ofLink),
      unique_human_clicks: countPeople(human),
    });
    const clickers = await report(`links/${link.id}/clicks?limit=100`);
    expect(clickers.meta.total).toBe(countPeople(ofLink));
    for (const action of clickers.data) {
      const linkEvents = ofLink.filter((event) => idOf(event) === action.subscriber.id);
      expect(action).toMatchObject(summaryOf(linkEvents));
    }
    expect((await report(`links/${link.id}`)).data).toEqual(link);
  }
  expect(links.at(-1)).toMatchObject({ label: 'None', clicks: 0 });
  expect(links.reduce((total: number, link: { clicks: number }) => total + link.clicks, 0)).toBe(
    raw.length,
  );
});

const idOf = (raw: Raw) => encodeId('subscriber', raw.subscriber_id);
const summaryOf = (list: Raw[]) => ({
  count: list.length,
  is_human: list.some((raw) => raw.verdict === 'human'),
  at: new Date(Math.min(...list.map((raw) => raw.at.getTime()))).toISOString(),
});

test('the heatmap shows the sent email with its links by position, and viewing it does not record an event', async () => {
  const { html, links } = (await report('heatmap')).data;
  const list = (await report('clicks?no_paginate=true&order=position&direction=asc')).data;
  expect(links).toMatchObject(list);
  for (const link of links) {
    const ofLink = eventsOf(['click']).filter((raw) => link.positions.includes(raw.link_position));
    expect([link.url, link.clicks, link.unique_clicks]).toEqual([
      link.url,
      ofLink.length,
      countPeople(ofLink),
    ]);
  }
  expect(links.flatMap((link: { positions: number[] }) => link.positions).sort()).toEqual([
    0, 1, 2, 3, 4, 5,
  ]);
  expect(html).toMatch(/<a href="#link-0">Tea<\/a>\s*<a href="#link-1">Pots<\/a>/);
  expect(html).not.toContain('/t/c/');
  const pixel = /https?:[^"]*(\/t\/o\/[^"]*)/.exec(html)?.[1] as string;
  expect((await reported.server.client().get(pixel, CHROME)).status).toBe(200);
  await settleTracking(reported.server.db);
  const before = events.length;
  await readRaw();
  expect(events.length).toBe(before);
});

test('each list has exactly the subscribers of its metric, with time and count', async () => {
  const peopleWith = (...kinds: string[]) => peopleIn(eventsOf(kinds));
  const lists: Record<string, Set<number>> = {
    opens: peopleWith('open', 'click'),
    clicks: peopleWith('click'),
    hard_bounces: peopleWith('hard_bounce'),
    soft_bounces: peopleWith('soft_bounce'),
    unsubscribes: peopleWith('unsubscribe'),
    complaints: peopleWith('complaint'),
    not_sent: new Set(reported.ids.filter((id) => stateOf.get(id) !== 'accepted')),
  };
  expect(lists.not_sent?.size).toBe(3);
  const excludedIds = new Set([
    ...peopleWith('open', 'click', 'hard_bounce', 'soft_bounce'),
    reported.ids[4],
  ]);
  lists.unopens = new Set(reported.ids.filter((id) => !excludedIds.has(id)));
  for (const [action, set] of Object.entries(lists)) {
    const { data, meta } = await report(`actions?action=${action}&limit=100`);
    const subscriberIds = data.map((row: { subscriber: { id: string } }) => row.subscriber.id);
    expect([action, ...subscriberIds.sort()]).toEqual([
      action,
      ...[...set].map((id) => encodeId('subscriber', id)).sort(),
    ]);
    expect(meta.total).toBe(set.size);
    const eventKind = action === 'opens' ? 'open' : 'click';
    for (const entry of action === 'opens' || action === 'clicks' ? data : []) {
      const ofSubscriber = eventsOf([eventKind]).filter((raw) => idOf(raw) === entry.subscriber.id);
      expect([action, entry.count]).toEqual([action, ofSubscriber.length]);
      // A subscriber who clicked but loaded no image is listed with the time of the first click.
      const openEvents = eventsOf(action === 'opens' ? ['open', 'click'] : ['click']);
      const { at, is_human } = summaryOf(
        openEvents.filter((raw) => idOf(raw) === entry.subscriber.id),
      );
      expect([action, entry.at, entry.is_human]).toEqual([action, at, is_human]);
    }
  }
});

test('each group shows the figures of its members', async () => {
  const { data } = await report('groups');
  expect(data).toEqual([
    { group: groupNamed(0, '=Cmd'), ...figuresOf(reported.ids.slice(0, 10)) },
    { group: groupNamed(1, 'Friends'), ...figuresOf(reported.ids.slice(5, 40)) },
  ]);
  expect(data[0]).toMatchObject({ sent: 9, delivered: 7, bounces: 2, unsubscribes: 2 });
});

const groupNamed = (index: number, title: string) => ({
  id: encodeId('group', reported.groups[index] as number),
  title,
});

test('figures are shown for each device and country', async () => {
  for (const [path, column] of [
    ['devices', 'device'],
    ['countries', 'country'],
  ] as const) {
    const { data } = await report(path);
    const engagementEvents = eventsOf(['open', 'click']);
    const values = [...new Set(engagementEvents.map((raw) => raw[column] ?? ''))].sort();
    expect(data.map((row: { value: string }) => row.value).sort()).toEqual(values);
    expect(values.length).toBeGreaterThan(2);
    for (const { value, ...figures } of data) {
      const ofValue = engagementEvents.filter((raw) => (raw[column] ?? '') === value);
      expect({ value, ...figures }).toEqual({ value, ...countByVerdict(ofValue) });
    }
  }
});

test('each mailbox domain has its own figures, and the smallest domains share a row', async () => {
  const { accountId, ids, server } = reported;
  const hosts = [
    'gmail.com',
    'gmail.com',
    ...Array.from({ length: 25 }, (_, i) => `h${i}.example`),
  ];
  await sql`update subscribers s set email = 'p' || u.n || '@' || u.host,
      email_key = 'p' || u.n || '@' || u.host
    from unnest(${ids.slice(8, 8 + hosts.length)}::bigint[], ${hosts}::text[]) with ordinality
      as u (id, host, n) where s.account_id = ${accountId} and s.id = u.id`.execute(server.db);
  const { rows } = await sql<{ id: number; host: string }>`
    select id, split_part(email_key, '@', 2) as host from subscribers
    where account_id = ${accountId}`.execute(server.db);
  const { data } = await report('domains');
  expect(data).toHaveLength(21);
  const domainNames = new Set(data.map((row: { domain: string | null }) => row.domain));
  for (const { domain, ...figures } of data) {
    const ofDomain = rows.filter(({ host }) =>
      domain === null ? !domainNames.has(host) : host === domain,
    );
    expect({ domain, ...figures }).toEqual({
      domain,
      ...figuresOf(ofDomain.map((row) => row.id)),
    });
  }
  expect(data.at(-1).domain).toBeNull();
  const totals = figuresOf(ids);
  for (const name of Object.keys(totals) as (keyof typeof totals)[]) {
    const total = data.reduce((total: number, row: typeof totals) => total + row[name], 0);
    expect([name, total]).toEqual([name, totals[name]]);
  }
});

test('the average weights earlier campaigns by the number of their recipients', async () => {
  const { accountId, messageId, owner, server } = reported;
  expect((await report('overview')).data.average).toBeNull();
  clock.advance(86_400_000);
  await owner.post('/auth/api/refresh');
  // A campaign without sent copies is ignored.
  const { rows } = await sql<{ id: number }>`insert into messages
      (account_id, kind, state, frozen, is_audience_complete, created_at, modified_at)
    values (${accountId}, 'campaign', 'finished', '{}', true, ${clock.now()}, ${clock.now()})
    returning id`.execute(server.db);
  await insertCampaign(server, accountId, rows[0]?.id as number);
  clock.advance(86_400_000);
  await owner.post('/auth/api/refresh');
  const laterId = await insertCampaign(server, accountId, messageId);
  const response = await owner.get(`/client-api/api/campaigns/${laterId}/report/overview`);
  const raw = figuresOf(reported.ids);
  expect(response.body.data.average).toEqual({
    campaigns: 1,
    delivered: raw.delivered / raw.sent,
    opens: raw.opens / raw.delivered,
    human_opens: raw.human_opens / raw.delivered,
    clicks: raw.clicks / raw.delivered,
    human_clicks: raw.human_clicks / raw.delivered,
    hard_bounces: countPeople(eventsOf(['hard_bounce'])) / raw.sent,
    soft_bounces: countPeople(eventsOf(['soft_bounce'])) / raw.sent,
    unsubscribes: raw.unsubscribes / raw.delivered,
    complaints: raw.complaints / raw.delivered,
  });
});

test('a bounced copy with an unknown outcome is not subtracted from the delivered copies', async () => {
  const { accountId, messageId, ids, server } = reported;
  const subscriberId = ids[36] as number;
  const readDelivered = async () => {
    const { data } = (await reported.owner.get('/client-api/api/campaigns?search=Spring&limit=100'))
      .body;
    const campaign = data.find((row: { id: string }) => row.id === reported.campaign);
    return [(await report('overview')).data.figures.delivered.count, campaign.figures.delivered];
  };
  const [before] = await readDelivered();
  await sql`update results r set state = 'unknown' from recipients p
    where r.account_id = ${accountId} and r.message_id = ${messageId} and p.account_id = r.account_id
      and p.message_id = r.message_id and p.lane = r.lane and p.ordinal = r.ordinal
      and p.subscriber_id = ${subscriberId}`.execute(server.db);
  await sql`update delivery_counts set accepted = accepted - 1, unknown = unknown + 1
    where account_id = ${accountId} and message_id = ${messageId}`.execute(server.db);
  expect(await readDelivered()).toEqual([before - 1, before - 1]);
  await inTransaction(server.db, (tx) =>
    recordSoftBounces(tx, accountId, [{ messageId, subscriberId }]),
  );
  expect(await readDelivered()).toEqual([before - 1, before - 1]);
  await inTransaction(server.db, (tx) =>
    recordSoftBounces(tx, accountId, [{ messageId, subscriberId: ids[37] as number }]),
  );
  expect(await readDelivered()).toEqual([before - 2, before - 2]);
});
