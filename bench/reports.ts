// The report of a large campaign through the real server, call by call, against the best SQL by hand for
// the same answer. Sums that a job makes and keeps are measured where they are made, too.
// npm run bench -- reports [--json] [--rows 300000] [--rounds 7]
import { parseArgs } from 'node:util';
import type pg from 'pg';
import { sampleSource } from '#areas/content/server/sample-source.ts';
import { refreshSumsJob } from '#areas/reports/server/cached-totals.ts';
import { encodeId } from '#platform/ids.ts';
import type { Db } from '#platform/server/database.ts';
import { median, ms, timed } from './kit/figures.ts';
import { withProduct } from './kit/own-product.ts';
import { newOwner, type Owner } from './kit/owner.ts';
import { type Filled, fill } from './reports/fill.ts';

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    rows: { type: 'string', default: '300000' },
    rounds: { type: 'string', default: '7' },
  },
  allowPositionals: true,
});
const rows = Number(values.rows);
const rounds = Number(values.rounds);
const neverStopped = new AbortController().signal;
/** No answer of a report may take longer. */
const MOST_MS = 1000;

type Case = {
  name: string;
  path: string;
  sql: string[];
};
type Measured = { name: string; ours: number; most: number; byHand: number };

const main = () =>
  withProduct('reports', async ({ db, database, base }) => {
    report(await measure(database, base, db));
  });

async function measure(database: pg.Client, base: string, db: Db): Promise<Measured[]> {
  const { account, headers } = await newOwner(base);
  const links = Array.from(
    { length: 5 },
    (_, n) => `<p><a href="https://shop.example/page/${n}">Page ${n}</a></p>`,
  );
  const html = `<html><body>${links.join('')}</body></html>`;
  const { message_id: _, ...source } = sampleSource({ account_id: account, html });
  const filled = await fill(database, account, rows, { source, fields: [] });
  console.log(`${rows.toLocaleString('en')} recipients, medians of ${rounds} rounds, ms`);
  await makeSums(database, db, filled);
  const measured: Measured[] = [];
  for (const one of casesOf(filled)) {
    const ours: number[] = [];
    const byHand: number[] = [];
    for (let round = 0; round < rounds; round++) {
      byHand.push(await timed(() => all(database, one.sql)));
      ours.push(await timed(() => read(base + one.path, headers)));
    }
    const found = {
      name: one.name,
      ours: median(ours),
      most: Math.max(...ours),
      byHand: median(byHand),
    };
    measured.push(found);
    console.log(
      `${one.name.padEnd(36)} ours ${ms(found.ours)}  most ${ms(found.most)}  by hand ${ms(found.byHand)}`,
    );
  }
  return measured;
}

function report(measured: readonly Measured[]): void {
  const slow = measured.filter((one) => one.most > MOST_MS);
  // Under ten milliseconds a ratio tells of the way to the server alone.
  const ratio = median(measured.map((one) => one.ours / Math.max(10, one.byHand)));
  console.log(
    `\nmedian ratio ${ratio.toFixed(2)}; over ${MOST_MS} ms: ${slow.map((one) => one.name).join(', ') || 'none'}`,
  );
  if (values.json) {
    console.log(JSON.stringify({ bench: 'reports', ratio, rows, cases: measured }));
  }
  if (slow.length > 0) process.exitCode = 1;
}

/** The job that a look asks for: how long until the sums are there. Nobody waits for it. */
async function makeSums(database: pg.Client, db: Db, filled: Filled): Promise<void> {
  const { account: accountId, campaign: campaignId } = filled;
  for (const aspect of ['domains', 'groups'] as const) {
    const ours: number[] = [];
    const byHand: number[] = [];
    for (let round = 0; round < rounds; round++) {
      byHand.push(await timed(() => all(database, [sumsByHand(filled, aspect)])));
      const payload = { accountId, campaignId, aspect };
      ours.push(await timed(async () => refreshSumsJob.run(payload, { db, signal: neverStopped })));
    }
    console.log(
      `${`${aspect}, made by the job`.padEnd(36)} ours ${ms(median(ours))}  most ${ms(Math.max(...ours))}  by hand ${ms(median(byHand))}`,
    );
  }
}

function sumsByHand({ account, message }: Filled, aspect: 'domains' | 'groups'): string {
  const [key, join] =
    aspect === 'groups'
      ? [
          'm.group_id',
          `group_members m on m.account_id = ${account} and m.subscriber_id = r.subscriber_id`,
        ]
      : [
          `split_part(s.email_key, '@', 2)`,
          `subscribers s on s.account_id = ${account} and s.id = r.subscriber_id`,
        ];
  return `select ${key}, count(*), count(*) filter (where res.state = 'accepted' and o.returned_at is null),
      count(o.first_open_at), count(o.first_human_open_at), count(o.first_click_at),
      count(o.first_human_click_at), count(coalesce(o.hard_bounced_at, o.soft_bounced_at)),
      count(o.unsubscribed_at), count(o.complained_at)
      from recipients r join results res using (account_id, message_id, lane, ordinal) join ${join}
      left join outcomes o on o.account_id = ${account} and o.message_id = ${message}
        and o.subscriber_id = r.subscriber_id
      where r.account_id = ${account} and r.message_id = ${message} group by 1`;
}

function casesOf({ account, campaign, message }: Filled): Case[] {
  const path = `/client-api/api/campaigns/${encodeId('campaign', campaign)}/report`;
  const of = `account_id = ${account} and message_id = ${message}`;
  const link = encodeId('link', 0);
  const named = (set: string, order: string, more = 'limit 10') =>
    `select x.*, s.email, s.firstname, s.lastname from (${set}) x
      left join subscribers s on s.account_id = ${account} and s.id = x.subscriber_id
      order by ${order} ${more}`;
  const outcome = (column: string) =>
    `select subscriber_id, ${column} as at from outcomes where ${of} and ${column} is not null`;
  const counted = (set: string) => `select count(*) from (${set}) x`;
  const unique = `select * from engagement_counts where ${of}`;
  const times = (unit: string) =>
    `select ${unit}, sum(opens), sum(human_opens), sum(clicks), sum(human_clicks)
      from engagement_times where ${of} group by 1 order by 1`;
  const linkSums = `select link_position, count(*), count(*) filter (where verdict = 'human'),
      count(distinct subscriber_id), count(distinct subscriber_id) filter (where verdict = 'human')
      from events where ${of} and kind = 'click' group by 1`;
  const kept = (aspect: string) =>
    `select rows from report_sums where ${of} and aspect = '${aspect}'`;
  const list = (action: string, set: string, total: string): Case[] => [
    {
      name: `${action}, newest`,
      path: `${path}/actions?action=${action}`,
      sql: [named(set, 'x.at desc'), total],
    },
    {
      name: `${action}, by email`,
      path: `${path}/actions?action=${action}&order=email&direction=asc`,
      sql: [named(set, 's.email'), total],
    },
  ];
  const unopened = `select r.subscriber_id, res.at from recipients r
    join results res using (account_id, message_id, lane, ordinal)
    where r.account_id = ${account} and r.message_id = ${message} and res.state = 'accepted'
      and not exists (select 1 from outcomes o where o.account_id = ${account}
        and o.message_id = ${message} and o.subscriber_id = r.subscriber_id
        and (o.first_open_at is not null or o.returned_at is not null))`;
  const notSent = `select r.subscriber_id, res.at from results res
    join recipients r using (account_id, message_id, lane, ordinal)
    where res.account_id = ${account} and res.message_id = ${message} and res.state <> 'accepted'`;
  const clickers = `select subscriber_id, min(at) as at, count(*) from events
    where ${of} and kind = 'click' and link_position = 0 group by 1`;
  return [
    {
      name: 'overview',
      path: `${path}/overview`,
      sql: [unique, `select * from delivery_counts where ${of}`],
    },
    {
      name: 'days and hours',
      path: `${path}/times`,
      sql: [times('quarter::date'), times('extract(hour from quarter)')],
    },
    {
      name: 'devices',
      path: `${path}/devices`,
      sql: [`select * from engagement_by where ${of} and aspect = 'device'`],
    },
    {
      name: 'countries',
      path: `${path}/countries`,
      sql: [`select * from engagement_by where ${of} and aspect = 'country'`],
    },
    { name: 'mailbox domains', path: `${path}/domains`, sql: [kept('domains')] },
    { name: 'groups', path: `${path}/groups`, sql: [kept('groups')] },
    { name: 'links', path: `${path}/clicks`, sql: [linkSums] },
    { name: 'heatmap', path: `${path}/heatmap`, sql: [linkSums] },
    {
      name: 'one link',
      path: `${path}/links/${link}`,
      sql: [linkSums.replace("'click'", "'click' and link_position = 0")],
    },
    {
      name: 'who followed it',
      path: `${path}/links/${link}/clicks`,
      sql: [named(clickers, 'x.at desc'), counted(clickers)],
    },
    ...list('opens', outcome('first_open_at'), unique),
    {
      name: 'opens, last page',
      path: `${path}/actions?action=opens&page=${Math.floor(rows * 0.0445) * 10 - 5}`,
      sql: [named(outcome('first_open_at'), 'x.at desc', 'limit 10 offset 130000'), unique],
    },
    {
      name: 'opens, a search',
      path: `${path}/actions?action=opens&search=person777`,
      sql: [
        `select s.email, o.first_open_at from outcomes o join subscribers s on s.account_id = ${account}
          and s.id = o.subscriber_id where o.${of.replace('and ', 'and o.')}
          and (s.email ilike '%person777%' or s.firstname ilike '%person777%' or s.lastname ilike '%person777%')`,
      ],
    },
    ...list('clicks', outcome('first_click_at'), unique),
    {
      name: 'unopens',
      path: `${path}/actions?action=unopens`,
      sql: [`${unopened} order by r.lane, r.ordinal limit 10`, counted(unopened)],
    },
    ...list('hard_bounces', outcome('hard_bounced_at'), unique),
    ...list('soft_bounces', outcome('soft_bounced_at'), unique),
    ...list('unsubscribes', outcome('unsubscribed_at'), unique),
    ...list('complaints', outcome('complained_at'), unique),
    ...list('not_sent', notSent, counted(notSent)),
  ];
}

async function read(url: string, headers: Owner['headers']): Promise<void> {
  const answer = await fetch(url, { headers });
  const body = await answer.text();
  if (!answer.ok) throw new Error(`${url}: ${body}`);
}

async function all(database: pg.Client, statements: string[]): Promise<void> {
  for (const statement of statements) await database.query(statement);
}

await main();
