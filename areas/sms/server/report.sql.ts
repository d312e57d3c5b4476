// Queries for SMS campaign reports: links, clicks, unsubscribes and replies.
import { sql } from 'kysely';
import type { Reader } from '#platform/server/database/database.ts';
import type { Slice } from '#platform/server/database/lists.ts';

export type SmsLinkRow = { position: number; url: string; clicks: number; people: number };
export type ReportedSubscriberRow = {
  subscriber_id: number | null;
  firstname: string | null;
  lastname: string | null;
  phone: string | null;
  at: Date;
  /**
   * Depends on the list: the number of clicks, the reason, the provider's reply, or the text of the
   * subscriber's SMS.
   */
  detail: string | null;
};

type ReplyRow = ReportedSubscriberRow & { id: number; phone_id: number | null };

/**
 * Exceeds the number of links in any SMS. Positions of links in the second and further messages of
 * a campaign are shifted by multiples of it, so that they are unique.
 */
const POSITIONS = 100_000;

/**
 * Counts human clicks by URL, without opt-out links. `position` is the first position of the URL,
 * shifted by POSITIONS for each further message.
 */
export async function readLinks(
  db: Reader,
  accountId: number,
  messageIds: readonly number[],
): Promise<SmsLinkRow[]> {
  const { rows } = await sql<SmsLinkRow>`
    select min((array_position(${[...messageIds]}::bigint[], l.message_id) - 1) * ${POSITIONS}::int
        + l.position) as position, l.url, count(e.at) as clicks,
      count(distinct e.subscriber_id) as people
    from links l
    left join events e on e.account_id = ${accountId} and e.message_id = l.message_id
      and e.kind = 'click' and e.link_position = l.position and e.verdict = 'human'
    where l.account_id = ${accountId} and l.message_id = any(${[...messageIds]}::bigint[])
    group by l.url order by clicks desc, 1`.execute(db);
  return rows;
}

/** SQL: human clicks, in all messages of the campaign, on the URL at this (shifted) position. */
const selectClicks = (accountId: number, messageIds: readonly number[], position: number) => sql`
  events e join links l on l.account_id = ${accountId} and l.message_id = e.message_id
    and l.position = e.link_position
    and l.url = (select url from links where account_id = ${accountId}
      and message_id = ${messageIds[Math.floor(position / POSITIONS)] ?? 0}
      and position = ${position % POSITIONS})
  where e.account_id = ${accountId} and e.message_id = any(${[...messageIds]}::bigint[])
    and e.kind = 'click' and e.verdict = 'human'`;

const SUBSCRIBER_COLUMNS = sql`s.id as subscriber_id, s.firstname, s.lastname, s.phone`;

export async function listClicks(
  db: Reader,
  accountId: number,
  messageIds: readonly number[],
  position: number,
  { limit, offset }: Slice,
): Promise<ReportedSubscriberRow[]> {
  const { rows } = await sql<ReportedSubscriberRow>`
    select ${SUBSCRIBER_COLUMNS}, e.at, e.count::text as detail from (
      select e.subscriber_id, max(e.at) as at, count(*) as count
      from ${selectClicks(accountId, messageIds, position)}
      group by e.subscriber_id) e
    left join subscribers s on s.account_id = ${accountId} and s.id = e.subscriber_id
    order by e.at desc, e.subscriber_id limit ${limit} offset ${offset}`.execute(db);
  return rows;
}

export async function countClickers(
  db: Reader,
  accountId: number,
  messageIds: readonly number[],
  position: number,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(distinct e.subscriber_id) as count
    from ${selectClicks(accountId, messageIds, position)}`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Lists the last unsubscribe of each subscriber after each message, newest first. */
export async function listUnsubscribes(
  db: Reader,
  accountId: number,
  messageIds: readonly number[],
  { limit, offset }: Slice,
): Promise<ReportedSubscriberRow[]> {
  const { rows } = await sql<ReportedSubscriberRow>`
    select ${SUBSCRIBER_COLUMNS}, left_by.at, left_by.reason as detail from (
      select distinct on (c.message_id, c.subscriber_id) c.subscriber_id, c.at, c.reason
      from status_changes c
      where c.account_id = ${accountId} and c.message_id = any(${[...messageIds]}::bigint[])
        and c.channel = 'sms' and c.to_status = 'unsubscribed'
      order by c.message_id, c.subscriber_id, c.at desc) left_by
    left join subscribers s on s.account_id = ${accountId} and s.id = left_by.subscriber_id
    order by left_by.at desc, left_by.subscriber_id limit ${limit} offset ${offset}`.execute(db);
  return rows;
}

/** Counts unsubscribed subscribers by message; the map lacks messages without any. */
export async function countUnsubscribes(
  db: Reader,
  accountId: number,
  messageIds: readonly number[],
): Promise<Map<number, number>> {
  if (messageIds.length === 0) return new Map();
  const { rows } = await sql<{ message_id: number; count: number }>`
    select c.message_id, count(distinct c.subscriber_id) as count from status_changes c
    where c.account_id = ${accountId} and c.message_id = any(${[...messageIds]}::bigint[])
      and c.channel = 'sms' and c.to_status = 'unsubscribed'
    group by c.message_id`.execute(db);
  return new Map(rows.map((row) => [row.message_id, row.count]));
}

export async function listReplies(
  db: Reader,
  accountId: number,
  messageIds: readonly number[],
  { limit, offset }: Slice,
): Promise<ReplyRow[]> {
  const { rows } = await sql<ReplyRow>`
    select s.id as subscriber_id, s.firstname, s.lastname, i.sender as phone, i.received_at as at,
      i.text as detail, i.id, i.phone_id
    from sms_inbound i
    left join subscribers s on s.account_id = ${accountId} and s.id = i.subscriber_id
    where i.account_id = ${accountId} and i.message_id = any(${[...messageIds]}::bigint[])
    order by i.received_at desc, i.id desc limit ${limit} offset ${offset}`.execute(db);
  return rows;
}
