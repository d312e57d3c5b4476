// Compares each call of a large campaign's report on the real server with the best hand-written SQL
// for the same result. Totals that a job computes and stores are also measured in the job. npm run
// bench -- reports [--json] [--rows 300000] [--rounds 7]
import { parseArgs } from 'node:util';
import type pg from 'pg';
import { sampleSource } from '#areas/content/server/sample-source.ts';
import { refreshSumsJob } from '#areas/reports/server/cached-totals.ts';
import type { Db } from '#platform/server/database/database.ts';
import { median, ms, measureDuration } from './kit/figures.ts';
import { withProduct } from './kit/own-product.ts';
import { newOwner, type BenchOwner } from './kit/owner.ts';
import { listReportCases } from './reports/cases.ts';
import { type ReportFixture, fillReports } from './reports/fill.ts';

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
/** The maximum time of any response of a report. */
const MAX_MS = 1000;

type ReportMeasurement = { name: string; ours: number; max: number; byHand: number };

const main = () =>
  withProduct('reports', async ({ db, database, base }) => {
    report(await measure(database, base, db));
  });

async function measure(database: pg.Client, base: string, db: Db): Promise<ReportMeasurement[]> {
  const { account, headers } = await newOwner(base);
  const links = Array.from(
    { length: 5 },
    (_, n) => `<p><a href="https://shop.example/page/${n}">Page ${n}</a></p>`,
  );
  const html = `<html><body>${links.join('')}</body></html>`;
  const { message_id: _, ...source } = sampleSource({ account_id: account, html });
  const fixture = await fillReports(database, account, rows, { source, fields: [] });
  console.log(`${rows.toLocaleString('en')} recipients, medians of ${rounds} rounds, ms`);
  await makeSums(database, db, fixture);
  const measurements: ReportMeasurement[] = [];
  for (const query of listReportCases(fixture, rows)) {
    const timesMs: number[] = [];
    const rawSqlMs: number[] = [];
    for (let round = 0; round < rounds; round++) {
      rawSqlMs.push(await measureDuration(() => runStatements(database, query.sql)));
      timesMs.push(await measureDuration(() => fetchReport(base + query.path, headers)));
    }
    const measurement = {
      name: query.name,
      ours: median(timesMs),
      max: Math.max(...timesMs),
      byHand: median(rawSqlMs),
    };
    measurements.push(measurement);
    console.log(
      `${query.name.padEnd(36)} ours ${ms(measurement.ours)}  most ${ms(measurement.max)}  raw SQL ${ms(measurement.byHand)}`,
    );
  }
  return measurements;
}

function report(measurements: readonly ReportMeasurement[]): void {
  const slowReports = measurements.filter((result) => result.max > MAX_MS);
  // Below ten milliseconds, a ratio would only measure the round trip.
  const ratio = median(measurements.map((result) => result.ours / Math.max(10, result.byHand)));
  console.log(
    `\nmedian ratio ${ratio.toFixed(2)}; over ${MAX_MS} ms: ${slowReports.map((result) => result.name).join(', ') || 'none'}`,
  );
  if (values.json) {
    console.log(JSON.stringify({ bench: 'reports', ratio, rows, cases: measurements }));
  }
  if (slowReports.length > 0) process.exitCode = 1;
}

/**
 * Runs the job that a view requests and measures the time until the totals exist. No request waits
 * for it.
 */
async function makeSums(database: pg.Client, db: Db, fixture: ReportFixture): Promise<void> {
  const { account: accountId, campaign: campaignId } = fixture;
  for (const aspect of ['domains', 'groups'] as const) {
    const timesMs: number[] = [];
    const rawSqlMs: number[] = [];
    for (let round = 0; round < rounds; round++) {
      rawSqlMs.push(
        await measureDuration(() => runStatements(database, [rawSums(fixture, aspect)])),
      );
      const payload = { accountId, campaignId, aspect };
      timesMs.push(
        await measureDuration(async () =>
          refreshSumsJob.run(payload, { db, signal: neverStopped }),
        ),
      );
    }
    console.log(
      `${`${aspect}, made by the job`.padEnd(36)} ours ${ms(median(timesMs))}  most ${ms(Math.max(...timesMs))}  raw SQL ${ms(median(rawSqlMs))}`,
    );
  }
}

function rawSums({ account, message }: ReportFixture, aspect: 'domains' | 'groups'): string {
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

async function fetchReport(url: string, headers: BenchOwner['headers']): Promise<void> {
  const response = await fetch(url, { headers });
  const body = await response.text();
  if (!response.ok) throw new Error(`${url}: ${body}`);
}

async function runStatements(database: pg.Client, statements: string[]): Promise<void> {
  for (const statement of statements) await database.query(statement);
}

await main();
