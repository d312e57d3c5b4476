// Measures opens and clicks. The product's web role verifies each hit and stores it in PostgreSQL
// within 100 ms; it is compared with a bare node:http server that returns the same image. The same
// load is repeated in alternating rounds (the worker is stopped, as it may run on another machine).
// Then it measures how fast all hits are evaluated and recorded, checks that the counts are exact,
// and counts the answered hits lost by SIGTERM (none) and by kill -9 (hits in a short window). npm
// run bench -- track [--json] [--seconds 6] [--rounds 5] [--connections 64]
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { getInstallationTokens } from '#areas/tracking/server/index.ts';
import { migrateDatabase } from '#main/prepare.ts';
import { startEmbeddedPostgres } from '#platform/server/database/embedded-postgres.ts';
import { configureSecrets } from '#platform/server/secrets.ts';
import { median } from './kit/figures.ts';
import { readPeakMegabytes, startRole, stopRole } from './kit/own-roles.ts';
import { type LoadResult, runLoad } from './track/load.ts';

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    seconds: { type: 'string', default: '6' },
    rounds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '64' },
  },
  allowPositionals: true,
});
const seconds = Number(values.seconds);
const rounds = Number(values.rounds);
const connections = Number(values.connections);

const SECRET = 'a secret of the benchmark, thirty-two characters';
const SUBSCRIBERS = 20_000;
/** One in this many hits is a click. */
const CLICK_EVERY = 10;
const LINKS = 12;
const root = join(import.meta.dirname, '..');

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'sendloom-track-'));
  const configuredUrl = process.env.DATABASE_URL;
  const server = configuredUrl ? undefined : await startEmbeddedPostgres({ folder });
  const url = configuredUrl ?? (server?.url as string);
  configureSecrets(SECRET);
  try {
    await migrateDatabase(url);
    const database = new pg.Client({ connectionString: url });
    await database.connect();
    await run(database, url, folder);
    await database.end();
  } finally {
    await server?.stop();
    if (server) rmSync(server.cluster, { recursive: true, force: true });
    rmSync(folder, { recursive: true, force: true });
  }
}

async function run(database: pg.Client, url: string, folder: string): Promise<void> {
  const { accountId, paths } = await prepare(database);
  const script = join(folder, 'load.lua');
  writeFileSync(script, luaScript(paths));
  const env = roleEnvironment(url, folder);
  const ratios: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    const limit = await measureBare(script, paths);
    const productResult = await measureProduct(env, script, paths);
    ratios.push(productResult.rate / limit.rate);
    console.log(
      `round ${round}: bare node:http ${formatMeasurement(limit)}, product ${formatMeasurement(productResult)} in ${productResult.peak} MB, ` +
        `ratio ${(productResult.rate / limit.rate).toFixed(2)}`,
    );
  }
  // The worker starts only now: in production it runs on another machine, or records the hits
  // after the peak.
  let worker = await startRole('worker', { ...env, PORT: '0' });
  await recordRest(database, accountId);
  await checkFigures(database, accountId);
  await stopRole(worker);
  await stopTest('SIGTERM', database, env, paths);
  await stopTest('SIGKILL', database, env, paths);
  worker = await startRole('worker', { ...env, PORT: '0' });
  await recordRest(database, accountId);
  await checkFigures(database, accountId);
  await stopRole(worker);
  const ratio = median(ratios);
  console.log(`\nmedian ratio ${ratio.toFixed(2)} (at least 0.7)`);
  if (values.json) console.log(JSON.stringify({ bench: 'track', ratio }));
}

/** Creates an account with a message of twelve links; returns its ID and the paths of the hits. */
async function prepare(database: pg.Client) {
  const now = new Date();
  const { rows } = await database.query(
    `insert into accounts (title, timezone, language, created_at, modified_at)
     values ('Bench', 'UTC', 'eng', $1, $1) returning id`,
    [now],
  );
  const accountId = Number(rows[0].id);
  const messageId = 1;
  for (let position = 0; position < LINKS; position++) {
    await database.query('insert into links values ($1, $2, $3, $4, $5)', [
      accountId,
      messageId,
      position,
      `https://shop.example/tea/${position}?from=mail`,
      'Tea',
    ]);
  }
  const [tokens = []] = getInstallationTokens().makeMany(
    Array.from({ length: SUBSCRIBERS }, (_, i) => ({
      account: accountId,
      message: messageId,
      subscriber: i + 1,
      ordinal: i,
    })),
  );
  const paths = tokens.map((token, i) =>
    i % CLICK_EVERY === 0 ? `/t/c/${token}/${(i / CLICK_EVERY) % LINKS}` : `/t/o/${token}.gif`,
  );
  return { accountId, paths };
}

function roleEnvironment(url: string, folder: string): NodeJS.ProcessEnv {
  return {
    ...process.env,
    DATABASE_URL: url,
    SECRET,
    DATA_DIR: folder,
    HOST: '127.0.0.1',
    LOG_LEVEL: 'warn',
    // The web client is not used by this benchmark.
    NODE_ENV: 'development',
    // Without billing, no plan limits sending.
    BILLING: 'off',
  };
}

let nextPort = 21_000 + (process.pid % 10_000);

async function measureProduct(env: NodeJS.ProcessEnv, script: string, paths: string[]) {
  const port = nextPort++;
  const web = await startRole('web', { ...env, PORT: String(port) });
  // The links are cached by the first click, as in the first second of a campaign.
  await fetch(`http://127.0.0.1:${port}${paths[0]}`, { redirect: 'manual' });
  try {
    return { ...(await hit(web, port, script, paths)), peak: readPeakMegabytes(web) };
  } finally {
    await stopRole(web);
  }
}

async function measureBare(script: string, paths: string[]) {
  const port = nextPort++;
  const bareServer = spawn(process.execPath, [join(root, 'bench/track/bare.ts'), String(port)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  await once(bareServer, 'message');
  try {
    return await hit(bareServer, port, script, paths);
  } finally {
    await stopRole(bareServer, 'SIGKILL');
  }
}

/** Responses per second, and microseconds of the server's CPU per response (0 if unavailable). */
type TrackMeasurement = { rate: number; cpu: number };

async function hit(
  server: ChildProcess,
  port: number,
  script: string,
  paths: string[],
): Promise<TrackMeasurement> {
  // The rate and the CPU are measured after a warm-up.
  await runLoad({ port, paths, connections, seconds: 1 }).done;
  const cpuBefore = cpuOf(server);
  const rate = await loadRate(port, script, paths);
  return { rate, cpu: (cpuOf(server) - cpuBefore) / (rate * seconds) };
}

/** Returns the microseconds of CPU that a process has used; /proc counts hundredths of a second. */
function cpuOf({ pid }: ChildProcess): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return (Number(fields[11]) + Number(fields[12])) * 10_000;
  } catch {
    return 0;
  }
}

/** Uses wrk if it is installed, otherwise a load from this process. */
async function loadRate(port: number, script: string, paths: string[]): Promise<number> {
  if (!hasWrk()) {
    const { answered } = await runLoad({ port, paths, connections, seconds }).done;
    return answered / seconds;
  }
  const child = spawn(
    'wrk',
    ['-t1', `-c${connections}`, `-d${seconds}`, '-s', script, `http://127.0.0.1:${port}/`],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let output = '';
  child.stdout.on('data', (text) => {
    output += text;
  });
  await once(child, 'exit');
  const rate = /Requests\/sec:\s+([\d.]+)/.exec(output)?.[1];
  if (!rate || /Non-2xx or 3xx/.test(output)) throw new Error(`Output of wrk:\n${output}`);
  return Number(rate);
}

let wrk: boolean | undefined;

function hasWrk(): boolean {
  if (wrk === undefined) {
    try {
      execFileSync('which', ['wrk'], { stdio: 'ignore' });
      wrk = true;
    } catch {
      console.log('wrk is not installed: the load comes from a Node process.');
      wrk = false;
    }
  }
  return wrk;
}

const AGENT =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36';

function luaScript(paths: string[]): string {
  return `local paths = {${paths.map((path) => `"${path}"`).join(',')}}
local headers = { ["User-Agent"] = "${AGENT}" }
local requests, at = {}, 0
function init() for i, path in ipairs(paths) do requests[i] = wrk.format("GET", path, headers) end end
function request() at = at % #requests + 1; return requests[at] end
`;
}

/** Waits until the worker has evaluated and recorded all hits, then prints its rate. */
async function recordRest(database: pg.Client, accountId: number): Promise<void> {
  const start = performance.now();
  const waiting = await countHits(database, accountId);
  if (waiting > 0) process.stdout.write(`recording ${waiting.toLocaleString()} waiting hits … `);
  for (let remaining = waiting; remaining > 0; remaining = await countHits(database, accountId)) {
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  const elapsedSeconds = (performance.now() - start) / 1000;
  if (waiting > 0) console.log(`${elapsedSeconds.toFixed(1)} s, ${per(waiting / elapsedSeconds)}`);
}

async function countHits(database: pg.Client, accountId: number): Promise<number> {
  const { rows } = await database.query('select count(*) from hits where account_id = $1', [
    accountId,
  ]);
  return Number(rows[0].count);
}

/** Checks that the counters equal the events exactly. */
async function checkFigures(database: pg.Client, accountId: number): Promise<void> {
  const { rows } = await database.query(
    `select c.opens::int, c.clicks::int, c.unique_opens::int, e.* from engagement_counts c, (
       select count(*) filter (where kind = 'open')::int as event_opens,
         count(*) filter (where kind = 'click')::int as event_clicks,
         count(distinct subscriber_id)::int as people
       from events where account_id = $1) e where c.account_id = $1`,
    [accountId],
  );
  const [row] = rows;
  const isExact =
    row.opens === row.event_opens &&
    row.clicks === row.event_clicks &&
    row.unique_opens === row.people;
  console.log(
    `${(row.opens + row.clicks).toLocaleString()} recorded, figures ${isExact ? 'exact' : 'WRONG'}`,
  );
  if (!isExact) throw new Error(JSON.stringify(row));
}

/** Stops the web role during the load, then compares the answered hits with the stored ones. */
async function stopTest(
  signal: 'SIGTERM' | 'SIGKILL',
  database: pg.Client,
  env: NodeJS.ProcessEnv,
  paths: string[],
): Promise<void> {
  const port = nextPort++;
  const web = await startRole('web', { ...env, PORT: String(port) });
  const { rows } = await database.query('select count(*) from hits');
  const hitsBefore = Number(rows[0].count);
  const loading = runLoad({ port, paths, connections: 16, seconds: 60 });
  await new Promise((resolve) => setTimeout(resolve, 2000));
  const exit = stopRole(web, signal);
  const loadResult: LoadResult = await loading.done;
  await exit;
  const hitsAfter = await database.query('select count(*) from hits');
  const recordedCount = Number(hitsAfter.rows[0].count) - hitsBefore;
  const lostCount = Math.max(0, loadResult.answered - recordedCount);
  const window = (lostCount / loadResult.answered) * loadResult.ms;
  console.log(
    `${signal}: ${loadResult.answered.toLocaleString()} acknowledged, ${recordedCount.toLocaleString()} recorded, ` +
      `${lostCount} lost${signal === 'SIGKILL' ? ` (the last ${window.toFixed(0)} ms)` : ''}`,
  );
  if (signal === 'SIGTERM' && lostCount > 0) throw new Error('SIGTERM lost acknowledged hits');
}

const formatMeasurement = ({ rate, cpu }: TrackMeasurement) =>
  cpu > 0 ? `${per(rate)} at ${cpu.toFixed(1)} µs of CPU` : per(rate);

const per = (rate: number) => `${Math.round(rate).toLocaleString()}/s`;

await main();
