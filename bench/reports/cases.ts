// The calls of a report, with the best hand-written SQL for the same result.
import { encodeId } from '#platform/ids.ts';
import type { ReportFixture } from './fill.ts';

export type ReportCase = { name: string; path: string; sql: string[] };
type Sql = ReturnType<typeof statements>;

export function listReportCases(fixture: ReportFixture, rows: number): ReportCase[] {
  const path = `/client-api/api/campaigns/${encodeId('campaign', fixture.campaign)}/report`;
  const sql = statements(fixture);
  return [...overviewCases(path, sql), ...links(path, sql), ...subscriberCases(path, sql, rows)];
}

function statements({ account, message }: ReportFixture) {
  const ownRows = `account_id = ${account} and message_id = ${message}`;
  return {
    unique: `select * from engagement_counts where ${ownRows}`,
    delivered: `select * from delivery_counts where ${ownRows}`,
    kept: (aspect: string) =>
      `select rows from report_sums where ${ownRows} and aspect = '${aspect}'`,
    by: (aspect: string) => `select * from engagement_by where ${ownRows} and aspect = '${aspect}'`,
    times: (unit: string) =>
      `select ${unit}, sum(opens), sum(human_opens), sum(clicks), sum(human_clicks)
      from engagement_times where ${ownRows} group by 1 order by 1`,
    linkSums: `select link_position, count(*), count(*) filter (where verdict = 'human'),
      count(distinct subscriber_id), count(distinct subscriber_id) filter (where verdict = 'human')
      from events where ${ownRows} and kind = 'click' group by 1`,
    clickers: `select subscriber_id, min(at) as at, count(*) from events
    where ${ownRows} and kind = 'click' and link_position = 0 group by 1`,
    outcome: (column: string) =>
      `select subscriber_id, ${column} as at from outcomes where ${ownRows} and ${column} is not null`,
    unopened: `select r.subscriber_id, res.at from recipients r
    join results res using (account_id, message_id, lane, ordinal)
    where r.account_id = ${account} and r.message_id = ${message} and res.state = 'accepted'
      and not exists (select 1 from outcomes o where o.account_id = ${account}
        and o.message_id = ${message} and o.subscriber_id = r.subscriber_id
        and (o.first_open_at is not null or o.returned_at is not null))`,
    notSent: `select r.subscriber_id, res.at from results res
    join recipients r using (account_id, message_id, lane, ordinal)
    where res.account_id = ${account} and res.message_id = ${message} and res.state <> 'accepted'`,
    searched: `select s.email, o.first_open_at from outcomes o join subscribers s on s.account_id = ${account}
          and s.id = o.subscriber_id where o.${ownRows.replace('and ', 'and o.')}
          and (s.email ilike '%person777%' or s.firstname ilike '%person777%' or s.lastname ilike '%person777%')`,
    /** Returns a page of a set of subscribers (`subscriber_id`, `at`) including names. */
    named: (columns: string, order: string, suffix = 'limit 10') =>
      `select x.*, s.email, s.firstname, s.lastname from (${columns}) x
      left join subscribers s on s.account_id = ${account} and s.id = x.subscriber_id
      order by ${order} ${suffix}`,
    counted: (columns: string) => `select count(*) from (${columns}) x`,
  };
}

const overviewCases = (
  path: string,
  { unique, delivered, times, by, kept: cached }: Sql,
): ReportCase[] => [
  { name: 'overview', path: `${path}/overview`, sql: [unique, delivered] },
  {
    name: 'days and hours',
    path: `${path}/times`,
    sql: [times('quarter::date'), times('extract(hour from quarter)')],
  },
  { name: 'devices', path: `${path}/devices`, sql: [by('device')] },
  { name: 'countries', path: `${path}/countries`, sql: [by('country')] },
  { name: 'mailbox domains', path: `${path}/domains`, sql: [cached('domains')] },
  { name: 'groups', path: `${path}/groups`, sql: [cached('groups')] },
];

function links(path: string, { linkSums, clickers, named, counted }: Sql): ReportCase[] {
  const link = `${path}/links/${encodeId('link', 0)}`;
  return [
    { name: 'links', path: `${path}/clicks`, sql: [linkSums] },
    { name: 'heatmap', path: `${path}/heatmap`, sql: [linkSums] },
    {
      name: 'one link',
      path: link,
      sql: [linkSums.replace("'click'", "'click' and link_position = 0")],
    },
    {
      name: 'who followed it',
      path: `${link}/clicks`,
      sql: [named(clickers, 'x.at desc'), counted(clickers)],
    },
  ];
}

function subscriberCases(path: string, sql: Sql, rows: number): ReportCase[] {
  const { named, counted, outcome, unique, unopened, notSent, searched } = sql;
  const actions = `${path}/actions?action=`;
  const list = (action: string, columns: string, total: string): ReportCase[] => [
    {
      name: `${action}, newest`,
      path: `${actions}${action}`,
      sql: [named(columns, 'x.at desc'), total],
    },
    {
      name: `${action}, by email`,
      path: `${actions}${action}&order=email&direction=asc`,
      sql: [named(columns, 's.email'), total],
    },
  ];
  return [
    ...list('opens', outcome('first_open_at'), unique),
    {
      name: 'opens, last page',
      path: `${actions}opens&page=${Math.floor(rows * 0.0445) * 10 - 5}`,
      sql: [named(outcome('first_open_at'), 'x.at desc', 'limit 10 offset 130000'), unique],
    },
    { name: 'opens, a search', path: `${actions}opens&search=person777`, sql: [searched] },
    ...list('clicks', outcome('first_click_at'), unique),
    {
      name: 'unopens',
      path: `${actions}unopens`,
      sql: [`${unopened} order by r.lane, r.ordinal limit 10`, counted(unopened)],
    },
    ...list('hard_bounces', outcome('hard_bounced_at'), unique),
    ...list('soft_bounces', outcome('soft_bounced_at'), unique),
    ...list('unsubscribes', outcome('unsubscribed_at'), unique),
    ...list('complaints', outcome('complained_at'), unique),
    ...list('not_sent', notSent, counted(notSent)),
  ];
}
