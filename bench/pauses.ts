// The longest pause of each role while every call is asked with its worst legal input, beside a light load: what
// one request may cost everybody. The calls come from the wiring, the input from their contracts.
// `npm run bench -- pauses [--seconds 900] [--json]`; wanted: 250 ms at most.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { ChildProcess } from 'node:child_process';
import { freePort, migrateDatabase } from '#main/prepare.ts';
import { ROLES, type Role, type RoleReport } from '#main/role.ts';
import { allRoutes } from '#main/wiring.ts';
import { loadConfig } from '#platform/server/config.ts';
import { startEmbeddedPostgres } from '#platform/server/embedded-postgres.ts';
import { type Operation, operationsOf } from '#testing/fuzz/operations.ts';
import { worstOf } from '#testing/fuzz/worst.ts';
import { startRole, stopRole } from './kit/own-roles.ts';
import { newOwner, type Owner } from './kit/owner.ts';

const WANTED_MS = 250;
const LIGHT_MS = 100;
/** Beats come each second: what a call did to the loop is told by the second one after it. */
const SETTLE_MS = 1_100;
const CALL_MS = 20_000;

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: {
    seconds: { type: 'string', default: '900' },
    json: { type: 'boolean', default: false },
  },
});

type Pause = { role: Role; ms: number; during: string };

const longest = new Map<Role, Pause>();
const pauses: Pause[] = [];
let during = 'the start';
let isMeasuring = false;
let asked = 0;
let described = 0;

function watch(role: Role, child: ChildProcess): void {
  child.on('message', (report: RoleReport) => {
    if (!isMeasuring || !('beat' in report)) return;
    const pause = { role, ms: Math.round(report.beat.pauseMs), during };
    if (pause.ms > WANTED_MS) pauses.push(pause);
    if (pause.ms > (longest.get(role)?.ms ?? -1)) longest.set(role, pause);
  });
}

async function run(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'sendloom-pauses-'));
  const database = await startEmbeddedPostgres({ folder });
  const roles: ChildProcess[] = [];
  try {
    await migrateDatabase(database.url);
    const port = await freePort(0, '127.0.0.1');
    const env: NodeJS.ProcessEnv = {
      ...process.env,
      NODE_ENV: 'test',
      DATA_DIR: folder,
      DATABASE_URL: database.url,
      SECRET: 'a secret of the benchmark, thirty-two characters',
      PORT: String(port),
      DNS_SERVERS: '127.0.0.1:1',
      LOG_LEVEL: 'error',
    };
    for (const role of ROLES) {
      const child = await startRole(role, env);
      watch(role, child);
      roles.push(child);
    }
    await ask(`http://127.0.0.1:${port}`);
    tell();
  } finally {
    for (const child of roles) await stopRole(child);
    await database.stop();
    rmSync(database.cluster, { recursive: true, force: true });
    rmSync(folder, { recursive: true, force: true });
  }
}

async function ask(base: string): Promise<void> {
  let owner = await newOwner(base);
  const reader = await newOwner(base);
  const light = setInterval(() => {
    void fetch(`${base}/client-api/api/tags`, { headers: reader.headers }).catch(() => {});
  }, LIGHT_MS);
  isMeasuring = true;
  const until = performance.now() + Number(values.seconds) * 1_000;
  const all = operationsOf(allRoutes(loadConfig({ NODE_ENV: 'test' })));
  described = all.length;
  for (const operation of all) {
    if (performance.now() > until) break;
    during = `${operation.method} ${operation.path}`;
    const status = await send(base, owner, operation);
    asked += 1;
    if (status === 401) owner = await newOwner(base);
    await new Promise((settle) => setTimeout(settle, SETTLE_MS));
  }
  clearInterval(light);
}

/** 0 where nothing was answered in time. */
async function send(base: string, owner: Owner, operation: Operation): Promise<number> {
  const { url, body } = worstOf(operation);
  try {
    const answer = await fetch(`${base}${url}`, {
      method: operation.method,
      headers: {
        ...owner.headers,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body }),
      signal: AbortSignal.timeout(CALL_MS),
    });
    await answer.arrayBuffer();
    return answer.status;
  } catch {
    return 0;
  }
}

function tell(): void {
  const worst = [...longest.values()];
  if (values.json)
    return console.log(
      JSON.stringify({ asked, described, wanted: WANTED_MS, longest: worst, pauses }),
    );
  console.log(`${asked} of ${described} calls asked`);
  for (const { role, ms, during: call } of worst) {
    console.log(`${role}: ${ms} ms at most (${call})`);
  }
  for (const { role, ms, during: call } of pauses)
    console.log(`over ${WANTED_MS} ms: ${role} ${ms} ms, ${call}`);
}

await run();
