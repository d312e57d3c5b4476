// Measures each role's longest event loop pause under light load, while every call gets its most
// expensive valid input. During such a pause, one request delays all others. Calls come from the
// wiring, inputs from their contracts, and IDs from earlier responses. All calls run one after the
// other. Calls around a long pause are repeated alone, so that each pause can be attributed. It
// also measures the hostile inputs of testing/hostile, and the median response of an account while
// another account makes 80 expensive calls. `npm run bench -- pauses [--part
// calls|hostile|fairness] [--seconds 540] [--json]`. The targets are pauses of at most 250 ms, and
// a median of at most 50 ms or, if that is more, twice the median without expensive calls.
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { findFreePort, migrateDatabase } from '#main/prepare.ts';
import { ROLES, type Role, type RoleReport } from '#main/role.ts';
import { allRoutes } from '#main/wiring.ts';
import { loadConfig } from '#platform/server/config.ts';
import { startEmbeddedPostgres } from '#platform/server/database/embedded-postgres.ts';
import { sortMakersFirst, type ApiOperation, listOperations } from '#testing/fuzz/operations.ts';
import { buildUrl, isPublic, SeenIds, sampleRequest } from '#testing/fuzz/requests.ts';
import { SOUND_BODIES } from '#testing/fuzz/sound.ts';
import { type Worst, findLargestInput } from '#testing/fuzz/largest-input.ts';
import { measureBesideCostly, measureHostile } from './pauses-parts/hostile.ts';
import { startRole, stopRole } from './kit/own-roles.ts';
import { newOwner, type BenchOwner } from './kit/owner.ts';

const LIMIT_MS = 250;
const LIGHT_MS = 100;
/** The number of different inputs per call: each has other alternatives of enums and unions. */
const TURNS = 2;
/**
 * The number of attempts per call to create a resource with valid input, before the most expensive
 * inputs are sent.
 */
const ATTEMPTS = 3;
/** The wait for two heartbeats, which arrive every second: the latter reports a call's effect. */
const SETTLE_MS = 2_100;
/**
 * Calls that ended at most this long before a pause are suspects: a heartbeat covers a second, and
 * the jobs of a call start after its response.
 */
const AROUND_MS = 2_500;
/** Calls that respond with an endless event stream. */
const ENDLESS = new Set(['/client-api/api/live']);
const CALL_MS = 20_000;
const MAX_REST_S = 10;
const RUNS = 3;
const QUIET_MS = 50;

const { values } = parseArgs({
  args: process.argv.slice(3),
  options: {
    seconds: { type: 'string', default: '540' },
    part: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
});

type MeasuredCall = {
  operation: ApiOperation;
  turn: number;
  name: string;
  at: number;
  tookMs: number;
};
type Pause = { role: Role; ms: number; during: string };

const longestPauses = new Map<Role, Pause>();
const PAUSES: Pause[] = [];
/** The number of responses by status. */
const countsByStatus = new Map<number, number>();
const HISTORY: MeasuredCall[] = [];
const suspects = new Map<string, MeasuredCall>();
const seenIds = new SeenIds();
/** The call or hostile input that is measured alone; undefined during the sequence of calls. */
let alone: Pick<MeasuredCall, 'name'> | undefined;
let longestMeasured = 0;
let hostile: Awaited<ReturnType<typeof measureHostile>> | undefined;
const MEDIANS: Awaited<ReturnType<typeof measureBesideCostly>>[] = [];
let isMeasuring = false;
let callCount = 0;
let describedCount = 0;

function watch(role: Role, child: ChildProcess): void {
  child.on('message', (report: RoleReport) => {
    if (!isMeasuring || !('beat' in report)) return;
    // On a busy machine, other processes delay the loop. The loop's own pause cannot exceed its
    // processor time.
    const ms = Math.round(Math.min(report.beat.pauseMs, report.beat.cpuMs));
    longestMeasured = Math.max(longestMeasured, ms);
    if (alone) return recordPause({ role, ms, during: alone.name });
    if (ms <= LIMIT_MS)
      return recordPause({ role, ms, during: HISTORY.at(-1)?.name ?? 'the start' });
    const windowStart = performance.now() - ms - AROUND_MS;
    for (const call of HISTORY)
      if (call.at + call.tookMs >= windowStart) suspects.set(call.name, call);
  });
}

function recordPause(pause: Pause): void {
  if (pause.ms > LIMIT_MS) PAUSES.push(pause);
  if (pause.ms > (longestPauses.get(pause.role)?.ms ?? -1)) longestPauses.set(pause.role, pause);
}

async function run(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'sendloom-pauses-'));
  const database = await startEmbeddedPostgres({ folder });
  const roles: ChildProcess[] = [];
  try {
    await migrateDatabase(database.url);
    const port = await findFreePort(0, '127.0.0.1');
    const returnPort = await findFreePort(0, '127.0.0.1');
    const env: NodeJS.ProcessEnv = {
      ...process.env,
      NODE_ENV: 'test',
      DATA_DIR: folder,
      DATABASE_URL: database.url,
      SECRET: 'a secret of the benchmark, thirty-two characters',
      PORT: String(port),
      RETURN_SMTP_PORT: String(returnPort),
      BOUNCE_DOMAIN: 'bounces.example',
      DNS_SERVERS: '127.0.0.1:1',
      TRUST_PROXY: '1',
      LOG_LEVEL: 'error',
    };
    for (const role of ROLES) {
      const child = await startRole(role, env);
      watch(role, child);
      roles.push(child);
    }
    await measureParts(`http://127.0.0.1:${port}`, returnPort as number);
    printReport();
  } finally {
    for (const child of roles) await stopRole(child);
    await database.stop();
    rmSync(database.cluster, { recursive: true, force: true });
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureParts(base: string, returnPort: number): Promise<void> {
  const isSelected = (name: string) => values.part === undefined || values.part === name;
  if (isSelected('fairness')) {
    for (let run = 0; run < RUNS; run++) MEDIANS.push(await measureBesideCostly(base));
  }
  if (isSelected('hostile'))
    hostile = await measureHostile({ base, returnPort }, measurePause, LIMIT_MS);
  if (isSelected('calls')) await measureAll(base);
}

/** Returns the longest pause of any role during the work. */
async function measurePause(name: string, work: () => Promise<unknown>): Promise<number> {
  alone = { name };
  isMeasuring = true;
  longestMeasured = 0;
  await work();
  isMeasuring = false;
  alone = undefined;
  return longestMeasured;
}

async function measureAll(base: string): Promise<void> {
  const deadline = performance.now() + Number(values.seconds) * 1_000;
  const operations = listOperations(allRoutes(loadConfig({ NODE_ENV: 'test' })))
    .filter(({ path }) => !ENDLESS.has(path))
    .toSorted(sortMakersFirst);
  describedCount = operations.length;
  const caller = await newCaller(base);
  const reader = await newOwner(base);
  const light = setInterval(() => {
    void fetch(`${base}/client-api/api/tags`, { headers: reader.headers }).catch(() => {});
  }, LIGHT_MS);
  isMeasuring = true;
  for (let turn = 0; turn < TURNS && performance.now() < deadline; turn++) {
    await createObjects(caller, operations, turn);
    for (const operation of operations) {
      if (performance.now() > deadline) break;
      const renewalsBefore = caller.renewals;
      await measureWorst(caller, operation, turn);
      if (caller.renewals > renewalsBefore) {
        await createObjects(caller, operations, turn);
        await measureWorst(caller, operation, turn);
      }
      if (turn === 0) callCount += 1;
    }
  }
  await setTimeout(SETTLE_MS);
  await repeatSuspects(caller, deadline);
  clearInterval(light);
}

/**
 * Creates resources for the expensive calls. Calls that ended the session before are left out,
 * because they close the account or sign out.
 */
async function createObjects(
  caller: OperationCaller,
  operations: readonly ApiOperation[],
  turn: number,
): Promise<void> {
  const endedBefore = caller.ended.size;
  for (const operation of operations.filter(({ method }) => method === 'POST')) {
    if (caller.ended.has(operation)) continue;
    const sound = SOUND_BODIES[`${operation.method} ${operation.path}`];
    if (sound) await caller.send(operation, { url: operation.path, body: JSON.stringify(sound) });
    for (let i = 0; i < (sound ? 0 : ATTEMPTS); i++) {
      const sampled = sampleRequest(operation, seenIds, { isWild: false, seed: turn * 1_000 + i });
      const url = buildUrl(operation.path, sampled.params);
      const text = new URLSearchParams(sampled.query).toString();
      const body = sampled.body === undefined ? undefined : JSON.stringify(sampled.body);
      const request = { url: text === '' ? url : `${url}?${text}`, body };
      if ((await caller.send(operation, request)) < 300) break;
    }
  }
  if (caller.ended.size > endedBefore) await createObjects(caller, operations, turn);
}

async function measureWorst(
  caller: OperationCaller,
  operation: ApiOperation,
  turn: number,
): Promise<void> {
  const startedAt = performance.now();
  const name = `${operation.method} ${operation.path} (${turn + 1})`;
  const worst = { operation, turn, name, at: startedAt, tookMs: Number.POSITIVE_INFINITY };
  HISTORY.push(worst);
  const status = await caller.send(operation, worstFor(operation, turn));
  worst.tookMs = performance.now() - startedAt;
  countsByStatus.set(status, (countsByStatus.get(status) ?? 0) + 1);
}

function worstFor(operation: ApiOperation, variantIndex: number): Worst {
  const ids = seenIds.listIds(operation.path);
  const params = operation.parameters.filter((parameter) => parameter.in === 'path');
  const paramIds = params.map(({ name }, i) => [name, ids[i] ?? ids[0]] as const);
  return findLargestInput(operation, {
    variantIndex,
    params: Object.fromEntries(paramIds.filter(([, id]) => id !== undefined)) as Record<
      string,
      string
    >,
  });
}

/** Repeats each suspected call alone, the slowest first, until the time is over. */
async function repeatSuspects(caller: OperationCaller, deadline: number): Promise<void> {
  const candidates = [...suspects.values()].toSorted((a, b) => b.tookMs - a.tookMs);
  for (const call of candidates) {
    if (performance.now() > deadline) {
      console.error(
        `Time is over: ${candidates.length - candidates.indexOf(call)} suspected calls were not repeated`,
      );
      return;
    }
    await setTimeout(SETTLE_MS);
    alone = call;
    await caller.send(call.operation, worstFor(call.operation, call.turn));
    await setTimeout(SETTLE_MS);
  }
}

type OperationCaller = {
  send(operation: ApiOperation, worst: Worst): Promise<number>;
  /** Calls that ended the session by closing the account or signing out. */
  ended: Set<ApiOperation>;
  /** The number of times that the session ended. */
  renewals: number;
};

/** Creates an owner who signs up again after closing the account or signing out. */
async function newCaller(base: string): Promise<OperationCaller> {
  let signUps = 0;
  const createOwner = () => newOwner(base, `10.0.${++signUps >> 8}.${signUps & 255}`);
  let owner: BenchOwner = await createOwner();
  let token = await newToken(base, owner);
  let lastOperation: ApiOperation | undefined;
  const ended = new Set<ApiOperation>();
  const caller: OperationCaller = {
    ended,
    renewals: 0,
    async send(operation, { url, body }) {
      const headers = isPublic(operation.path)
        ? { authorization: `Bearer ${token}` }
        : owner.headers;
      const callResult = await answerOf(base, headers, operation.method, { url, body });
      if (callResult.status < 300) seenIds.collect(operation.path, callResult.body);
      // For sign-in routes, 401 is a normal response. For other routes, it means that the session
      // has ended.
      if (callResult.status === 401 && !operation.path.startsWith('/auth/')) {
        seenIds.clear();
        owner = await createOwner();
        token = await newToken(base, owner);
        caller.renewals += 1;
        if (lastOperation) ended.add(lastOperation);
      }
      lastOperation = operation;
      return callResult.status;
    },
  };
  return caller;
}

async function newToken(base: string, owner: BenchOwner): Promise<string> {
  const response = await fetch(`${base}/client-api/api/tokens`, {
    method: 'POST',
    headers: { ...owner.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ title: 'Benchmark', validity_days: null }),
  });
  const { data } = (await response.json()) as { data: { token: string } };
  return data.token;
}

/** Returns status 0 if no response arrives in time. */
async function answerOf(
  base: string,
  headers: Record<string, string>,
  method: string,
  { url, body }: Worst,
): Promise<{ status: number; body?: unknown }> {
  try {
    const response = await fetch(`${base}${url}`, {
      method,
      headers: {
        ...headers,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body }),
      signal: AbortSignal.timeout(CALL_MS),
      redirect: 'manual',
    });
    const isJson = (response.headers.get('content-type') ?? '').includes('json');
    const responseText = await response.text();
    // The benchmark waits for a rate limit that ends soon; other refusals are a normal response.
    const retryAfterSeconds = Number(response.headers.get('retry-after') ?? 0);
    if (response.status === 429 && retryAfterSeconds > 0 && retryAfterSeconds <= MAX_REST_S) {
      await setTimeout(retryAfterSeconds * 1_000);
      return await answerOf(base, headers, method, { url, body });
    }
    return { status: response.status, body: isJson ? JSON.parse(responseText) : undefined };
  } catch {
    return { status: 0 };
  }
}

function printReport(): void {
  const worst = [...longestPauses.values()];
  if (values.json)
    return console.log(
      JSON.stringify({
        asked: callCount,
        described: describedCount,
        answers: Object.fromEntries(countsByStatus),
        wanted: LIMIT_MS,
        longest: worst,
        pauses: PAUSES,
        hostile: hostile && { ...hostile, statuses: Object.fromEntries(hostile.statuses) },
        medians: MEDIANS,
      }),
    );
  for (const { before, during, done } of MEDIANS) {
    const maxMs = Math.max(2 * before, QUIET_MS);
    console.log(
      `median during ${done} expensive calls: ${during.toFixed(1)} ms; without them: ${before.toFixed(1)} ms; target: at most ${maxMs.toFixed(1)} ms`,
    );
  }
  if (hostile) {
    console.log(
      `${hostile.asked} hostile inputs; ${hostile.over.length} of them over ${LIMIT_MS} ms in every attempt`,
    );
    for (const line of hostile.over) console.log(`  ${line}`);
  }
  console.log(`${callCount} of ${describedCount} operations called, ${TURNS} times each`);
  console.log(
    [...countsByStatus]
      .toSorted()
      .map(([status, times]) => `${status || 'no answer'}: ${times}`)
      .join(', '),
  );
  for (const { role, ms, during: call } of worst) {
    console.log(`${role}: ${ms} ms at most (${call})`);
  }
  for (const { role, ms, during: call } of PAUSES)
    console.log(`over ${LIMIT_MS} ms: ${role} ${ms} ms, ${call}`);
}

await run();
