// Compares the list of subscribers on the real server, by page and filter, with the best
// hand-written SQL for the same rows and total. Then it runs a bulk action on almost 100,000
// subscribers while the list is read. npm run bench -- lists [--json] [--rows 1000000] [--rounds 7]
// [--sizes 10000,100000,1000000,10000000]. With --sizes it measures each size, one account after
// the other, and draws the growth of the times into docs/images/lists-growth.svg.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type pg from 'pg';
import { decodeId } from '#platform/ids.ts';
import { median, ms, percentile, measureDuration } from './kit/figures.ts';
import { renderGrowthChart } from './kit/growth-chart.ts';
import { withProduct } from './kit/own-product.ts';
import { newOwner } from './kit/owner.ts';

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    rows: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '7' },
    sizes: { type: 'string' },
  },
  allowPositionals: true,
});
const sizes = (values.sizes ?? values.rows).split(',').map(Number);
const rounds = Number(values.rounds);

/** The parts of responses that the benchmark reads. */
type ListResponse = { data: { id: string }; count: number };
type ApiCall = (method: string, path: string, body?: object) => Promise<ListResponse>;
/**
 * `times` are the median milliseconds of each case; `ratios` are these times divided by the times
 * of the raw SQL.
 */
type ListMeasurement = { rows: number; ratios: number[]; times: Map<string, number>; bulk: object };
type ListCase = { name: string; path: string; sql: string[]; isFresh?: boolean };

const main = () =>
  withProduct('lists', async ({ database, base }) => {
    const measurements: ListMeasurement[] = [];
    for (const rows of sizes) measurements.push(await measure(database, base, rows));
    report(measurements);
  });

async function measure(database: pg.Client, base: string, rows: number): Promise<ListMeasurement> {
  const { call, account } = await signUp(base);
  const group = (await call('POST', '/client-api/api/tags', { title: 'A third' })).data.id;
  const field = (await call('POST', '/client-api/api/fields', { title: 'City', type: 'text' }))
    .data;
  const groupId = decodeId('group', group) as number;
  const fieldId = decodeId('field', field.id) as number;
  await fill(database, { account, groupId, fieldId, rows });
  for (let i = 0; i < 5; i++) await call('GET', '/client-api/api/subscribers');
  const ratios: number[] = [];
  const times = new Map<string, number>();
  console.log(`${rows.toLocaleString('en')} subscribers, medians of ${rounds} rounds, ms`);
  for (const query of casesOf({ account, groupId, fieldId, rows }, group, field.id)) {
    const timesMs: number[] = [];
    const rawSqlMs: number[] = [];
    for (let round = 0; round < rounds; round++) {
      rawSqlMs.push(await measureDuration(() => runStatements(database, query.sql)));
      // An additional condition that all subscribers match prevents the use of the previous round's
      // cached count.
      const filterSuffix = query.isFresh
        ? `__next__firstname,not-equal,nobody${round},1,and,and,`
        : '';
      timesMs.push(
        await measureDuration(() =>
          call('GET', `${query.path}${encodeURIComponent(filterSuffix)}`),
        ),
      );
    }
    const ratio = median(timesMs) / median(rawSqlMs);
    ratios.push(ratio);
    times.set(query.name, median(timesMs));
    console.log(
      `${query.name.padEnd(34)} ours ${ms(median(timesMs))}  most ${ms(Math.max(...timesMs))}  raw SQL ${ms(median(rawSqlMs))}  ratio ${ratio.toFixed(2)}`,
    );
  }
  const bulk = await measureBulk(call, account, database);
  times.set('unsubscribing up to 95,000', bulk.bulkSeconds * 1000);
  return { rows, ratios, times, bulk };
}

function report(measurements: readonly ListMeasurement[]): void {
  const ratios = measurements.flatMap((result) => result.ratios);
  const ratio = median(ratios);
  console.log(`\nmedian ratio ${ratio.toFixed(2)}, largest ${Math.max(...ratios).toFixed(2)}`);
  if (values.json) {
    console.log(
      JSON.stringify({
        bench: 'lists',
        ratio,
        largest: Math.max(...ratios),
        sizes: measurements.map(({ rows, times, bulk }) => ({
          rows,
          ...bulk,
          times: Object.fromEntries(times),
        })),
      }),
    );
  }
  draw(measurements);
}

/** Draws one line per case over the sizes; a single size shows no growth. */
function draw(measurements: readonly ListMeasurement[]): void {
  if (measurements.length < 2) return;
  const names = [...(measurements[0]?.times.keys() ?? [])];
  const lines = names.map((name) => ({
    name,
    points: measurements.map(({ rows, times }): [number, number] => [rows, times.get(name) ?? 1]),
  }));
  const file = join(import.meta.dirname, '../docs/images/lists-growth.svg');
  writeFileSync(file, renderGrowthChart('The list of subscribers as it grows', lines));
  console.log(`drawn: ${file}`);
}

type ListFixture = { account: number; groupId: number; fieldId: number; rows: number };

function casesOf(
  { account, groupId, fieldId, rows }: ListFixture,
  group: string,
  field: string,
): ListCase[] {
  const list = '/client-api/api/subscribers?limit=25';
  const ownRows = `account_id = ${account} and deleted_at is null`;
  const page = (order: string, offset: number, extraSql = '') =>
    `select * from subscribers s join (select id from subscribers s where ${ownRows} ${extraSql}
      order by ${order} limit 25 offset ${offset}) p using (id) where s.account_id = ${account}`;
  const total = `select subscriber_count from accounts where id = ${account}`;
  const count = (extraSql: string) =>
    `select count(*) from subscribers s where ${ownRows} ${extraSql}`;
  const lastPage = Math.floor((rows - 1) / 25);
  const middle = Math.floor(lastPage / 2);
  const newest = 'created_at desc, id desc';
  const createFilterCase = (name: string, filter: string, more: string): ListCase => ({
    name,
    path: `${list}&filter=${encodeURIComponent(filter)}`,
    sql: [page(newest, 0, more), count(more)],
    isFresh: true,
  });
  const pages = [
    ['first', 0],
    ['middle', middle],
    ['last', lastPage],
  ] as const;
  return [
    ...pages.map(
      ([name, at]): ListCase => ({
        name: `newest, ${name} page`,
        path: `${list}&page=${at + 1}`,
        sql: [at === lastPage ? page('created_at, id', 0) : page(newest, at * 25), total],
      }),
    ),
    ...pages.map(
      ([name, at]): ListCase => ({
        name: `by email, ${name} page`,
        path: `${list}&order=title&direction=asc&page=${at + 1}`,
        sql: [
          at === lastPage
            ? page('email_key desc', 0, 'and email_key is not null')
            : page('email_key', at * 25, 'and email_key is not null'),
          total,
        ],
      }),
    ),
    createFilterCase(
      'email status',
      'email_status,is,unsubscribed,1,and,and,',
      "and email_status = 'unsubscribed'",
    ),
    createFilterCase(
      'a group of a third',
      `tag,have,${group},1,and,and,`,
      `and exists (select 1 from group_members m where m.account_id = ${account} and m.group_id = ${groupId} and m.subscriber_id = s.id)`,
    ),
    createFilterCase(
      'a custom field',
      `text,equals,town 7,1,and,and,${field}`,
      `and lower(field_values ->> '${fieldId}') = 'town 7'`,
    ),
    createFilterCase(
      'first name begins',
      'firstname,begins,first1,1,and,and,',
      "and lower(firstname) like 'first1%'",
    ),
    {
      name: 'search for a rare word',
      path: `${list}&search=person777`,
      sql: [
        `select * from subscribers s where ${ownRows} and (email_key like '%person777%' or lower(firstname) like '%person777%' or lower(lastname) like '%person777%') order by ${newest} limit 25`,
        count(
          "and (email_key like '%person777%' or lower(firstname) like '%person777%' or lower(lastname) like '%person777%')",
        ),
      ],
    },
  ];
}

/** Unsubscribes almost 100,000 subscribers while the list is read. */
async function measureBulk(call: ApiCall, account: number, database: pg.Client) {
  const bulkAction = call('POST', '/client-api/api/unsubscribes', {
    conditions: 'firstname,begins,first,1,and,and,__next__created,before,2024-03-11,1,and,and,',
  });
  const startedAt = performance.now();
  let isDone = false;
  const reads: number[] = [];
  void bulkAction.then(() => {
    isDone = true;
  });
  while (!isDone) {
    reads.push(await measureDuration(() => call('GET', '/client-api/api/subscribers?limit=25')));
  }
  const { count } = await bulkAction;
  const seconds = (performance.now() - startedAt) / 1000;
  const { rows: left } = await database.query(
    'select count(*)::int as n from suppressions where account_id = $1',
    [account],
  );
  const p95 = percentile(reads, 0.95);
  console.log(
    `\nunsubscribing ${Number(count).toLocaleString('en')} people: ${seconds.toFixed(1)} s (${left[0].n} suppressed); the list meanwhile p95 ${p95.toFixed(0)} ms over ${reads.length} reads`,
  );
  return { bulkPeople: count, bulkSeconds: seconds, listDuringBulkMs: p95 };
}

async function fill(database: pg.Client, { account, groupId, fieldId, rows }: ListFixture) {
  await database.query(
    `insert into subscribers (account_id, email, email_key, phone, phone_key, firstname, lastname,
        field_values, email_status, created_at, modified_at)
      select $1, e, e, p, p, 'First' || n % 1009, 'Last' || n % 5003,
        jsonb_build_object($3::text, 'Town ' || n % 313),
        (case when n % 20 = 0 then 'unsubscribed' when n % 33 = 0 then 'bounced' else 'active' end)::subscription_status,
        timestamptz '2024-01-01' + n * interval '1 minute', timestamptz '2024-01-01' + n * interval '1 minute'
      from (select n, case when n % 50 > 0 then 'person' || (n::bigint * 7919) % 15485863 || '@example' || n % 997 || '.com' end as e,
          case when n % 10 = 0 then '+3706' || 1000000 + n end as p
        from generate_series(1, $2::int) n) x`,
    [account, rows, fieldId],
  );
  await database.query(
    `insert into group_members (account_id, group_id, subscriber_id, created_at)
      select account_id, $2, id, created_at from subscribers where account_id = $1 and id % 3 = 0`,
    [account, groupId],
  );
  await database.query('update accounts set subscriber_count = $2 where id = $1', [account, rows]);
  await database.query('vacuum analyze subscribers');
  await database.query('vacuum analyze group_members');
}

async function signUp(base: string): Promise<{ call: ApiCall; account: number }> {
  const { account, headers } = await newOwner(base);
  const call: ApiCall = async (method, path, body) => {
    for (;;) {
      const response = await fetch(base + path, {
        method,
        headers: { ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      if (response.ok) return (await response.json()) as ListResponse;
      // The limit of calls per minute is reached. The call is repeated until it succeeds, and the
      // measured time includes the waits.
      if (response.status !== 429) throw new Error(`${path}: ${await response.text()}`);
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
  };
  return { call, account };
}

async function runStatements(database: pg.Client, statements: string[]): Promise<void> {
  for (const statement of statements) await database.query(statement);
}

await main();
