// Measures counting segments. Every condition that the product compiles is compared with the best
// hand-written SQL for the same subscribers, in alternating rounds, and the counts must be equal.
// `--plans` prints PostgreSQL's plans. npm run bench -- segments [--json] [--rows 1000000]
// [--rounds 7] [--plans] [--shop] [--orders-times 5]. `--shop` creates and queries only a store;
// `--orders-times` multiplies its orders.
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import type pg from 'pg';
import { signUp } from '#areas/accounts/server/index.ts';
import { compileConditions, readCountingContext } from '#areas/segments/server/index.ts';
import { type Db, inTransaction } from '#platform/server/database/database.ts';
import { median, ms, percentile } from './kit/figures.ts';
import { withProduct } from './kit/own-product.ts';
import { type SegmentCase, listSegmentCases } from './segments/cases.ts';
import { fillSegments, NOW } from './segments/fill.ts';

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    plans: { type: 'boolean', default: false },
    rows: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '7' },
    shop: { type: 'boolean', default: false },
    'orders-times': { type: 'string', default: '1' },
  },
  allowPositionals: true,
});
const rows = Number(values.rows);
const rounds = Number(values.rounds);
const isShopAlone = values.shop;
const ordersTimes = Number(values['orders-times']);

const main = () => withProduct('segments', ({ db, database }) => measure(db, database));

async function measure(db: Db, database: pg.Client): Promise<void> {
  const owner = {
    email: `segments${Date.now()}@bench.example`,
    password: 'correct horse battery',
    timezone: 'UTC',
  };
  const { accountId } = await inTransaction(db, (tx) => signUp(tx, owner, 'open'));
  const startedAt = performance.now();
  const fixture = await fillSegments(database, db, accountId, {
    people: rows,
    isShopAlone,
    ordersTimes,
  });
  const { rows: counts } = await database.query<{ events: string; orders: string }>(
    'select (select count(*) from events) as events, (select count(*) from orders) as orders',
  );
  const [counted] = counts;
  console.log(
    `${rows.toLocaleString('en')} subscribers, ${Number(counted?.events).toLocaleString('en')} events, ${Number(counted?.orders).toLocaleString('en')} orders (filled in ${seconds(startedAt)} s), medians of ${rounds} rounds, ms`,
  );
  const ratios: { name: string; ratio: number }[] = [];
  const slowest: { name: string; p95: number }[] = [];
  for (const segment of listSegmentCases(fixture, isShopAlone)) {
    const { ours, byHand: rawSqlMs } = await compare(db, database, accountId, segment);
    const ratio = median(ours) / median(rawSqlMs);
    const p95 = percentile(ours, 0.95);
    ratios.push({ name: segment.name, ratio });
    slowest.push({ name: segment.name, p95 });
    console.log(
      `${segment.name.padEnd(46)} ours ${ms(median(ours))}  p95 ${ms(p95)}  raw SQL ${ms(median(rawSqlMs))}  ratio ${ratio.toFixed(2)}`,
    );
  }
  report(ratios, slowest);
}

function report(
  ratios: { name: string; ratio: number }[],
  slowest: { name: string; p95: number }[],
): void {
  ratios.sort((a, b) => b.ratio - a.ratio);
  const tenConditions = slowest.find((result) => result.name.startsWith('ten '))?.p95;
  const singles = slowest.filter((result) => !result.name.startsWith('ten '));
  singles.sort((a, b) => b.p95 - a.p95);
  const [worst] = ratios;
  const [late] = singles;
  const ratio = median(ratios.map((comparison) => comparison.ratio));
  console.log(
    `\nmedian ratio ${ratio.toFixed(2)}, largest ${worst?.ratio.toFixed(2)} (${worst?.name}); slowest condition p95 ${late?.p95.toFixed(0)} ms (${late?.name}); ten conditions p95 ${tenConditions?.toFixed(0) ?? '-'} ms`,
  );
  if (!values.json) return;
  console.log(
    JSON.stringify({
      bench: 'segments',
      ratio,
      largest: worst?.ratio,
      worst: worst?.name,
      slowestMs: late?.p95,
      slowest: late?.name,
      tenConditionsMs: tenConditions,
      rows,
    }),
  );
}

/** Runs both queries alternately; their counts must be equal. */
async function compare(db: Db, database: pg.Client, accountId: number, result: SegmentCase) {
  const context = await readCountingContext(db, accountId, result.conditions, NOW);
  const { where, unsupported } = compileConditions(result.conditions, context);
  if (!where || unsupported.length > 0) throw new Error(`${result.name} did not compile`);
  const count = sql<{ count: number }>`select count(*) as count from subscribers s
    where s.account_id = ${accountId} and s.deleted_at is null and ${where}`;
  if (values.plans) await showPlan(database, count.compile(db));
  const timesMs: number[] = [];
  const rawSqlMs: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const rawSql = await runTimed(async () =>
      Number((await database.query(result.sql)).rows[0].count),
    );
    const countRun = await runTimed(async () => (await count.execute(db)).rows[0]?.count);
    if (rawSql.result !== countRun.result) {
      throw new Error(`${result.name}: ours ${countRun.result}, raw SQL ${rawSql.result}`);
    }
    // The first round is a warm-up.
    if (round === 0) continue;
    timesMs.push(countRun.duration);
    rawSqlMs.push(rawSql.duration);
  }
  return { ours: timesMs, byHand: rawSqlMs };
}

async function showPlan(
  database: pg.Client,
  { sql: text, parameters }: { sql: string; parameters: readonly unknown[] },
): Promise<void> {
  const { rows: plan } = await database.query(`explain (analyze, costs off) ${text}`, [
    ...parameters,
  ]);
  for (const line of plan) console.log(`    ${line['QUERY PLAN']}`);
}

async function runTimed<T>(work: () => Promise<T>): Promise<{ duration: number; result: T }> {
  const startedAt = performance.now();
  const result = await work();
  return { duration: performance.now() - startedAt, result };
}

const seconds = (startedAt: number) => ((performance.now() - startedAt) / 1000).toFixed(0);

await main();
