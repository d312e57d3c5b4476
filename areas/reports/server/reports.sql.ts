// Queries for a campaign's report: opens and clicks over time, links, and sums by group, mailbox
// domain, device and country.
import { toContainsPattern } from '#platform/server/database/like.ts';
import { sql } from 'kysely';
import type { ListRequest } from '#platform/contract.ts';
import type { LeadId } from '#areas/delivery/lead-id.ts';
import {
  acceptedCopies,
  copiesNotAccepted,
  isCompacted,
} from '#areas/delivery/server/ledger/index.ts';
import type { Reader } from '#platform/server/database/database.ts';
import type { Slice } from '#platform/server/database/lists.ts';
import type { LinkSort } from '../contract.ts';

type EngagementSums = {
  opens: number;
  human_opens: number;
  clicks: number;
  human_clicks: number;
};

export async function readDays(
  db: Reader,
  accountId: number,
  messageIds: readonly number[],
  zone: string,
): Promise<(EngagementSums & { day: string })[]> {
  const { rows } = await sql<EngagementSums & { day: string }>`
    select to_char(quarter at time zone ${zone}, 'YYYY-MM-DD') as day, sum(opens) as opens,
      sum(human_opens) as human_opens, sum(clicks) as clicks, sum(human_clicks) as human_clicks
    from engagement_times where account_id = ${accountId} and message_id = any(${[...messageIds]}::bigint[])
    group by 1 order by 1`.execute(db);
  return rows;
}

export async function readHours(
  db: Reader,
  accountId: number,
  messageIds: readonly number[],
  zone: string,
): Promise<(EngagementSums & { hour: number })[]> {
  const { rows } = await sql<EngagementSums & { hour: number }>`
    select extract(hour from quarter at time zone ${zone})::int as hour, sum(opens) as opens,
      sum(human_opens) as human_opens, sum(clicks) as clicks, sum(human_clicks) as human_clicks
    from engagement_times where account_id = ${accountId} and message_id = any(${[...messageIds]}::bigint[])
    group by 1 order by 1`.execute(db);
  return rows;
}

export type ReportLinkRow = {
  /** All positions of the URL in the campaign's messages, in their HTML and text parts. */
  positions: number[];
  position: number;
  url: string;
  label: string | null;
  clicks: number;
  human_clicks: number;
  unique_clicks: number;
  unique_human_clicks: number;
};

/**
 * Selects one row per URL, identified by its first position. The positions of each further message
 * of a campaign begin above the previous message's, so that no two messages share a position.
 */
const linkRows = (accountId: number, messageIds: readonly number[]) => sql`
  select min(l.place) as position, array_agg(distinct l.place) as positions, l.url,
    (array_agg(l.label order by l.place))[1] as label, count(e.at) as clicks,
    count(e.at) filter (where e.verdict = 'human') as human_clicks,
    count(distinct e.subscriber_id) as unique_clicks,
    count(distinct e.subscriber_id) filter (where e.verdict = 'human') as unique_human_clicks
  from (select url, label, position, message_id,
      ${linkPosition(messageIds, 'message_id', 'position')} as place
    from links where account_id = ${accountId}
      and message_id = any(${[...messageIds]}::bigint[])) l
  left join events e on e.account_id = ${accountId} and e.message_id = l.message_id
    and e.kind = 'click' and e.link_position = l.position
  group by l.url`;

/** Positions reserved for each message: more than any email has links. */
export const POSITIONS = 100_000;

/**
 * Returns an SQL expression for a link's position that is unique among all messages of the
 * campaign.
 */
export const linkPosition = (
  messageIds: readonly number[],
  message: string,
  position: string,
) => sql`
  ((array_position(${[...messageIds]}::bigint[], ${sql.ref(message)}) - 1) * ${POSITIONS}::int
    + ${sql.ref(position)})`;

/** Lists one page of the links, sorted as requested and filtered by a search in URLs and labels. */
export async function listLinks(
  db: Reader,
  accountId: number,
  messageIds: readonly number[],
  list: ListRequest<LinkSort>,
  slice: Slice,
): Promise<ReportLinkRow[]> {
  const { rows } = await sql<ReportLinkRow>`
    select * from (${linkRows(accountId, messageIds)} having bool_or(${matchesLink(list.search)})) link
    order by ${sql.ref(list.order)} ${sql.raw(list.direction)}, position
    limit ${slice.limit} offset ${slice.offset}`.execute(db);
  return rows;
}

/** Lists all links in the order in which the email contains them. */
export async function listAllLinks(
  db: Reader,
  accountId: number,
  messageIds: readonly number[],
): Promise<ReportLinkRow[]> {
  const { rows } = await sql<ReportLinkRow>`
    select * from (${linkRows(accountId, messageIds)}) link order by position`.execute(db);
  return rows;
}

export async function countLinks(
  db: Reader,
  accountId: number,
  messageIds: readonly number[],
  search: string | undefined,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(distinct url) as count from links
    where account_id = ${accountId} and message_id = any(${[...messageIds]}::bigint[]) and ${matchesLink(search)}`.execute(
    db,
  );
  return rows[0]?.count ?? 0;
}

const matchesLink = (search: string | undefined) =>
  search === undefined
    ? sql<boolean>`true`
    : sql<boolean>`(url ilike ${toContainsPattern(search)} or label ilike ${toContainsPattern(search)})`;

export async function findLink(
  db: Reader,
  accountId: number,
  messageIds: readonly number[],
  position: number,
): Promise<ReportLinkRow | undefined> {
  const { rows } = await sql<ReportLinkRow>`
    ${linkRows(accountId, messageIds)} having min(l.place) = ${position}`.execute(db);
  return rows[0];
}

/** Figures of some of a campaign's recipients. */
export type PartSums = {
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

/** Selects recipients with a handoff, whose newest result is accepted, failed or unknown. */
const handedOff = (accountId: number, messageIds: readonly number[], isPast: boolean) => sql`
  select c.subscriber_id, c.message_id, 'accepted'::delivery_state as state
  from (${acceptedCopies(accountId, messageIds, isPast)}) c
  union all
  select n.subscriber_id, n.message_id, n.state
  from (${copiesNotAccepted(accountId, messageIds, ['failed', 'unknown'])}) n`;

/** Sums over `r` (handoffs) and `o` (outcomes). */
const PART_SUMS = sql`count(*) as sent,
  count(*) filter (where r.state = 'accepted' and o.returned_at is null) as delivered,
  count(o.first_open_at) as opens, count(o.first_human_open_at) as human_opens,
  count(o.first_click_at) as clicks, count(o.first_human_click_at) as human_clicks,
  count(*) filter (where o.hard_bounced_at is not null or o.soft_bounced_at is not null) as bounces,
  count(o.unsubscribed_at) as unsubscribes, count(o.complained_at) as complaints`;

export type GroupSums = PartSums & { id: number };

/**
 * Computes sums over the current members of each group, in one pass over the ledger. Groups without
 * recipients are absent.
 */
export async function sumGroups(
  db: Reader,
  accountId: number,
  messageIds: readonly number[],
  groupIds: readonly number[],
): Promise<GroupSums[]> {
  const isPast = await isCompacted(db, accountId, messageIds);
  const { rows } = await sql<GroupSums>`
    select m.group_id as id, ${PART_SUMS}
    from group_members m
    join (${handedOff(accountId, messageIds, isPast)}) r on r.subscriber_id = m.subscriber_id
    left join outcomes o on o.account_id = ${accountId} and o.message_id = r.message_id
      and o.subscriber_id = m.subscriber_id
    where m.account_id = ${accountId} and m.group_id = any(${[...groupIds]}::bigint[])
    group by m.group_id`.execute(db);
  return rows;
}

export type DomainSums = PartSums & { domain: string | null };

/**
 * Computes sums of the largest mailbox domains. The row with the domain null sums all other domains
 * and deleted subscribers.
 */
export async function sumDomains(
  db: Reader,
  accountId: number,
  messageIds: readonly number[],
  limit: number,
): Promise<DomainSums[]> {
  const isPast = await isCompacted(db, accountId, messageIds);
  const { rows } = await sql<DomainSums>`
    with sums as materialized (
      select split_part(s.email_key, '@', 2) as host, ${PART_SUMS}
      from (${handedOff(accountId, messageIds, isPast)}) r
      left join subscribers s on s.account_id = ${accountId} and s.id = r.subscriber_id
        and s.deleted_at is null
      left join outcomes o on o.account_id = ${accountId} and o.message_id = r.message_id
        and o.subscriber_id = r.subscriber_id
      group by 1
    ), largest as (
      select host from sums where host is not null order by sent desc, host limit ${limit}
    )
    select l.host as domain, sum(sent) as sent, sum(delivered) as delivered, sum(opens) as opens,
      sum(human_opens) as human_opens, sum(clicks) as clicks, sum(human_clicks) as human_clicks,
      sum(bounces) as bounces, sum(unsubscribes) as unsubscribes, sum(complaints) as complaints
    from sums left join largest l on l.host = sums.host
    group by l.host order by l.host is null, sum(sent) desc, l.host`.execute(db);
  return rows;
}

export type SpreadSums = EngagementSums & { value: string };

/** Reads opens and clicks by device or country. Rows with the most events by people come first. */
export async function readSpread(
  db: Reader,
  accountId: number,
  messageIds: readonly number[],
  aspect: 'device' | 'country',
): Promise<SpreadSums[]> {
  const { rows } = await sql<SpreadSums>`
    select value, sum(opens) as opens, sum(human_opens) as human_opens, sum(clicks) as clicks,
      sum(human_clicks) as human_clicks
    from engagement_by
    where account_id = ${accountId} and message_id = any(${[...messageIds]}::bigint[]) and aspect = ${aspect}
    group by value
    order by sum(human_opens + human_clicks) desc, sum(opens + clicks) desc, value`.execute(db);
  return rows;
}

/** Reads the account's groups with these ids; if `groupIds` is undefined, all of its groups. */
export async function readGroups(
  db: Reader,
  accountId: number,
  groupIds: readonly number[] | undefined,
): Promise<{ id: number; title: string }[]> {
  const { rows } = await sql<{ id: number; title: string }>`
    select id, title from groups where account_id = ${accountId}
      and (${groupIds === undefined}::boolean or id = any(${[...(groupIds ?? [])]}::bigint[]))`.execute(
    db,
  );
  return rows;
}

/** Lists lead messages of the account's campaigns that were sent before this one, newest first. */
export async function listMessagesBefore(
  db: Reader,
  accountId: number,
  campaignId: number,
  sentAt: Date,
  limit: number,
): Promise<LeadId[]> {
  const { rows } = await sql<{ message_id: LeadId }>`
    select message_id from campaigns
    where account_id = ${accountId} and id <> ${campaignId} and deleted_at is null
      and message_id is not null and sent_at < ${sentAt}
    order by sent_at desc limit ${limit}`.execute(db);
  return rows.map((row) => row.message_id);
}
