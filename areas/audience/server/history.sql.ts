// Queries for a subscriber's history: sent messages, opens, clicks, bounces, replies, custom events
// and status changes.
import { type RawBuilder, sql } from 'kysely';
import { acceptedByPerson, singlesByPerson } from '#areas/delivery/server/ledger/index.ts';
import type { Channel } from '#areas/subscribers/shared.ts';
import type { Reader } from '#platform/server/database/database.ts';
import type { HistoryAction } from '../shared.ts';

export type HistoryRow = {
  action: HistoryAction;
  at: Date;
  channel: Channel | null;
  message_id: number | null;
  message_kind: string | null;
  source_id: number | null;
  subject: string | null;
  url: string | null;
  detail: string | null;
  /** IP address of an open or click. */
  ip: string | null;
  user_agent: string | null;
};

export type HistoryQuery = {
  actions: readonly HistoryAction[];
  /** Omits events later than this instant. */
  until: Date;
  limit: number;
};

const EVENT_KINDS: Partial<Record<HistoryAction, readonly string[]>> = {
  opened: ['open'],
  clicked: ['click'],
  bounced: ['hard_bounce', 'soft_bounce'],
};
const STATUS_OF_ACTION: Partial<Record<HistoryAction, string>> = {
  unsubscribed: 'unsubscribed',
  spam: 'reported',
  bounced: 'bounced',
};

/**
 * Returns the newest entries first. Entries of the same instant have a fixed order, so that a
 * cursor can continue between them.
 */
export async function readHistory(
  db: Reader,
  accountId: number,
  subscriberId: number,
  query: HistoryQuery,
): Promise<HistoryRow[]> {
  const kinds = query.actions.flatMap((action) => EVENT_KINDS[action] ?? []);
  const statuses = query.actions.flatMap((action) => STATUS_OF_ACTION[action] ?? []);
  const sources = [
    query.actions.includes('sent') || query.actions.includes('got')
      ? selectDeliveries(accountId, subscriberId, query)
      : undefined,
    kinds.length > 0 ? selectEvents(accountId, subscriberId, kinds, query) : undefined,
    query.actions.includes('replied') ? selectReplies(accountId, subscriberId, query) : undefined,
    query.actions.includes('event') ? selectOccurrences(accountId, subscriberId, query) : undefined,
    statuses.length > 0 ? selectChanges(accountId, subscriberId, statuses, query) : undefined,
  ].filter((source) => source !== undefined);
  if (sources.length === 0) return [];
  const allSources = sources.reduce((union, source) => sql`${union} union all ${source}`);
  const { rows } = await sql<HistoryRow>`
    select h.action, h.at,
      case when m.channel = 'sms' and h.channel = 'email' then 'sms' else h.channel end as channel,
      h.message_id, m.kind as message_kind, m.source_id,
      coalesce(m.frozen #>> '{source,subject}', m.frozen #>> '{text,title}') as subject, h.url, h.detail, h.ip, h.user_agent
    from (${allSources}) h
    left join messages m on m.account_id = ${accountId} and m.id = h.message_id
    order by h.at desc, h.action, h.message_id, h.url, h.detail
    limit ${query.limit}`.execute(db);
  return rows;
}

/**
 * Selects one row per accepted copy, with the action `got`, or `sent` if only `sent` was requested.
 * Copies that bounced later have the action `sent` or, if only `got` was requested, are left out.
 */
function selectDeliveries(accountId: number, id: number, query: HistoryQuery): RawBuilder<unknown> {
  const hasBounced = sql`exists (select 1 from outcomes o
    where o.account_id = ${accountId} and o.subscriber_id = ${id} and o.message_id = p.message_id
      and o.returned_at is not null)`;
  const includesSent = query.actions.includes('sent');
  const action = !query.actions.includes('got')
    ? sql`'sent'::text`
    : includesSent
      ? sql`(case when ${hasBounced} then 'sent' else 'got' end)`
      : sql`'got'::text`;
  return sql`(select ${action} as action, p.at, p.channel, p.message_id,
      null::text as url, null::text as detail, null::text as ip, null::text as user_agent
    from (
      select message_id, at, 'email'::text as channel
      from (${acceptedByPerson(accountId, id)}) c
      union all
      select message_id, at, 'email' from (${singlesByPerson(accountId, id)}) one) p
    where p.at <= ${query.until} ${includesSent ? sql`` : sql`and not ${hasBounced}`}
    order by p.at desc limit ${query.limit})`;
}

function selectEvents(
  accountId: number,
  id: number,
  kinds: readonly string[],
  query: HistoryQuery,
): RawBuilder<unknown> {
  return sql`(select (case when e.kind = 'open' then 'opened' when e.kind = 'click' then 'clicked'
        else 'bounced' end)::text as action,
      e.at, 'email'::text as channel, e.message_id, l.url,
      (case when e.kind = 'hard_bounce' then 'hard' when e.kind = 'soft_bounce' then 'soft'
        when e.verdict = 'machine' then 'machine' end)::text as detail,
      e.ip, e.user_agent
    from events e
    left join links l on l.account_id = ${accountId} and l.message_id = e.message_id
      and l.position = e.link_position
    where e.account_id = ${accountId} and e.subscriber_id = ${id} and e.at <= ${query.until}
      and e.kind = any(${[...kinds]}::event_kind[])
    order by e.at desc limit ${query.limit})`;
}

function selectReplies(accountId: number, id: number, query: HistoryQuery): RawBuilder<unknown> {
  return sql`(select 'replied'::text as action, i.received_at as at, 'sms'::text as channel,
      i.message_id, null::text as url, i.text as detail, null::text as ip, null::text as user_agent
    from sms_inbound i
    where i.account_id = ${accountId} and i.subscriber_id = ${id} and i.received_at <= ${query.until}
    order by i.received_at desc limit ${query.limit})`;
}

/** Selects custom events with name, value and properties. */
function selectOccurrences(
  accountId: number,
  id: number,
  query: HistoryQuery,
): RawBuilder<unknown> {
  return sql`(select 'event'::text as action, o.at, null::text as channel, null::bigint as message_id,
      null::text as url,
      left(concat_ws(' · ', e.name, nullif(concat_ws(' ', trim_scale(o.value)::text, o.currency), ''),
        (select string_agg(key || ': ' || value, ', ' order by key)
          from jsonb_each_text(o.properties))), 500) as detail,
      null::text as ip, null::text as user_agent
    from event_occurrences o
    join custom_events e on e.account_id = ${accountId} and e.account_id = o.account_id and e.id = o.event_id
    where o.account_id = ${accountId} and o.subscriber_id = ${id} and o.at <= ${query.until}
    order by o.at desc limit ${query.limit})`;
}

function selectChanges(
  accountId: number,
  id: number,
  statuses: readonly string[],
  query: HistoryQuery,
): RawBuilder<unknown> {
  return sql`(select (case when c.to_status = 'reported' then 'spam' when c.to_status = 'bounced' then 'bounced'
        else 'unsubscribed' end)::text as action,
      c.at, c.channel, c.message_id, null::text as url, c.reason as detail, null::text as ip,
      null::text as user_agent
    from status_changes c
    where c.account_id = ${accountId} and c.subscriber_id = ${id} and c.at <= ${query.until}
      and c.to_status = any(${[...statuses]}::subscription_status[])
            -- A bounce of a message is among the events. Undoing an unsubscribe restores an earlier
      -- bounce, which is not a new one.
      and (c.to_status <> 'bounced' or (c.message_id is null and c.channel in ('email', 'sms')
        and c.from_status is distinct from 'unsubscribed'))
    order by c.at desc limit ${query.limit})`;
}
