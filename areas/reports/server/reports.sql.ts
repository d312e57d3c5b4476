// SQL of reports: sums of one message, its links, its groups, the account's average.
import { sql } from 'kysely';
import type { ListRequest } from '#platform/contract.ts';
import type { Reader } from '#platform/server/database.ts';
import type { Slice } from '#platform/server/lists.ts';

type Sums = { opens: number; human_opens: number; clicks: number; human_clicks: number };

export async function readDays(
  db: Reader,
  accountId: number,
  messageId: number,
  zone: string,
): Promise<(Sums & { day: string })[]> {
  const { rows } = await sql<Sums & { day: string }>`
    select to_char(quarter at time zone ${zone}, 'YYYY-MM-DD') as day, sum(opens) as opens,
      sum(human_opens) as human_opens, sum(clicks) as clicks, sum(human_clicks) as human_clicks
    from engagement_times where account_id = ${accountId} and message_id = ${messageId}
    group by 1 order by 1`.execute(db);
  return rows;
}

export async function readHours(
  db: Reader,
  accountId: number,
  messageId: number,
  zone: string,
): Promise<(Sums & { hour: number })[]> {
  const { rows } = await sql<Sums & { hour: number }>`
    select extract(hour from quarter at time zone ${zone})::int as hour, sum(opens) as opens,
      sum(human_opens) as human_opens, sum(clicks) as clicks, sum(human_clicks) as human_clicks
    from engagement_times where account_id = ${accountId} and message_id = ${messageId}
    group by 1 order by 1`.execute(db);
  return rows;
}

export type LinkRow = {
  /** Where the address stands in the mail: the HTML and the text part each have it. */
  positions: number[];
  position: number;
  url: string;
  label: string | null;
  clicks: number;
  human_clicks: number;
  unique_clicks: number;
  unique_human_clicks: number;
};

/** One row per address, named by its first place. */
const linkRows = (accountId: number, messageId: number) => sql`
  select min(l.position) as position, array_agg(distinct l.position) as positions, l.url,
    (array_agg(l.label order by l.position))[1] as label, count(e.at) as clicks,
    count(e.at) filter (where e.verdict = 'human') as human_clicks,
    count(distinct e.subscriber_id) as unique_clicks,
    count(distinct e.subscriber_id) filter (where e.verdict = 'human') as unique_human_clicks
  from links l left join events e on e.account_id = ${accountId} and e.message_id = ${messageId}
    and e.kind = 'click' and e.link_position = l.position
  where l.account_id = ${accountId} and l.message_id = ${messageId}
  group by l.url`;

/** The links as they stand in the mail; the text of a link may be searched. */
export async function listLinks(
  db: Reader,
  accountId: number,
  messageId: number,
  list: ListRequest<'clicks' | 'unique_clicks' | 'position' | 'url'>,
  slice: Slice,
): Promise<LinkRow[]> {
  const { rows } = await sql<LinkRow>`
    select * from (${linkRows(accountId, messageId)}) link where ${matchesLink(list.search)}
    order by ${sql.ref(list.order)} ${sql.raw(list.direction)}, position
    limit ${slice.limit} offset ${slice.offset}`.execute(db);
  return rows;
}

export async function countLinks(
  db: Reader,
  accountId: number,
  messageId: number,
  search: string | undefined,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(distinct url) as count from links
    where account_id = ${accountId} and message_id = ${messageId} and ${matchesLink(search)}`.execute(
    db,
  );
  return rows[0]?.count ?? 0;
}

const like = (text: string) => `%${text.replace(/[\\%_]/g, '\\$&')}%`;

const matchesLink = (search: string | undefined) =>
  search === undefined
    ? sql<boolean>`true`
    : sql<boolean>`(url ilike ${like(search)} or label ilike ${like(search)})`;

export async function findLink(
  db: Reader,
  accountId: number,
  messageId: number,
  position: number,
): Promise<LinkRow | undefined> {
  const { rows } = await sql<LinkRow>`
    ${linkRows(accountId, messageId)} having min(l.position) = ${position}`.execute(db);
  return rows[0];
}

export type GroupSums = {
  id: number;
  title: string;
  sent: number;
  delivered: number;
  opens: number;
  human_opens: number;
  clicks: number;
  human_clicks: number;
  bounces: number;
  unsubscribes: number;
  complaints: number;
};

const groupSums = (accountId: number, messageId: number, groupIds: readonly number[]) => sql`
  select m.group_id, count(*) as sent,
    count(*) filter (where r.state = 'accepted' and o.returned_at is null) as delivered,
    count(o.first_open_at) as opens, count(o.first_human_open_at) as human_opens,
    count(o.first_click_at) as clicks, count(o.first_human_click_at) as human_clicks,
    count(*) filter (where o.hard_bounced_at is not null or o.soft_bounced_at is not null) as bounces,
    count(o.unsubscribed_at) as unsubscribes, count(o.complained_at) as complaints
  from group_members m
  join (
    select r.subscriber_id, a.state from recipients r
    join results a on a.account_id = ${accountId} and a.message_id = ${messageId}
      and a.lane = r.lane and a.ordinal = r.ordinal
      and (a.state = 'accepted' or a.state in ('failed', 'unknown') and not exists (
        select 1 from results later where later.account_id = ${accountId}
          and later.message_id = ${messageId} and later.lane = a.lane
          and later.ordinal = a.ordinal and later.attempt > a.attempt))
    where r.account_id = ${accountId} and r.message_id = ${messageId}
  ) r on r.subscriber_id = m.subscriber_id
  left join outcomes o on o.account_id = ${accountId} and o.message_id = ${messageId}
    and o.subscriber_id = m.subscriber_id
  where m.account_id = ${accountId} and m.group_id = any(${[...groupIds]}::bigint[])
  group by m.group_id`;

/**
 * The figures by group, of people who are in it now: one pass over the message's ledger, joined with
 * its groups' members. Whoever was accepted has no later attempt.
 */
export async function listGroups(
  db: Reader,
  accountId: number,
  messageId: number,
  groupIds: readonly number[],
  list: ListRequest<'title' | 'sent'>,
  slice: Slice,
): Promise<GroupSums[]> {
  const order = list.order === 'sent' ? sql`sent` : sql`lower(title)`;
  const { rows } = await sql<GroupSums>`
    select g.id, g.title, coalesce(c.sent, 0) as sent, coalesce(c.delivered, 0) as delivered,
      coalesce(c.opens, 0) as opens, coalesce(c.human_opens, 0) as human_opens,
      coalesce(c.clicks, 0) as clicks, coalesce(c.human_clicks, 0) as human_clicks,
      coalesce(c.bounces, 0) as bounces, coalesce(c.unsubscribes, 0) as unsubscribes,
      coalesce(c.complaints, 0) as complaints
    from groups g left join (${groupSums(accountId, messageId, groupIds)}) c on c.group_id = g.id
    where g.account_id = ${accountId} and g.id = any(${[...groupIds]}::bigint[])
      and ${matchesTitle(list.search)}
    order by ${order} ${sql.raw(list.direction)}, g.id
    limit ${slice.limit} offset ${slice.offset}`.execute(db);
  return rows;
}

export async function countGroups(
  db: Reader,
  accountId: number,
  groupIds: readonly number[],
  search: string | undefined,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from groups g
    where g.account_id = ${accountId} and g.id = any(${[...groupIds]}::bigint[])
      and ${matchesTitle(search)}`.execute(db);
  return rows[0]?.count ?? 0;
}

const matchesTitle = (search: string | undefined) =>
  search === undefined ? sql<boolean>`true` : sql<boolean>`g.title ilike ${like(search)}`;

/** Every group of the account, for a campaign that went to everybody. */
export async function allGroupIds(db: Reader, accountId: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from groups where account_id = ${accountId}`.execute(db);
  return rows.map((row) => row.id);
}

/** Messages of the account's campaigns that were sent before this one, the newest first. */
export async function messagesBefore(
  db: Reader,
  accountId: number,
  campaignId: number,
  sentAt: Date,
  limit: number,
): Promise<number[]> {
  const { rows } = await sql<{ message_id: number }>`
    select message_id from campaigns
    where account_id = ${accountId} and id <> ${campaignId} and deleted_at is null
      and message_id is not null and sent_at < ${sentAt}
    order by sent_at desc limit ${limit}`.execute(db);
  return rows.map((row) => row.message_id);
}
