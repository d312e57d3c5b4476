// Calls every operation of the API description with and without a session, with valid and invalid
// input. No call may cause an internal error, an undocumented status or a blocked event loop. The
// operations come from the wiring, so new areas are included. FUZZ_SEED selects other inputs; `npm
// run faults -- properties` sends more of them.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { expect, test } from 'vitest';
import { allRoutes } from '#main/wiring.ts';
import { areAllRuns } from '../setup/property-runs.ts';
import { type TestResponse, type TestClient, testServer } from '../setup/server.ts';
import { sortMakersFirst, type ApiOperation, listOperations } from './operations.ts';
import { buildUrl, isPublic, type FuzzRequest, SeenIds, sampleRequest } from './requests.ts';
import { SOUND_BODIES } from './sound.ts';

const SEED = Number(process.env.FUZZ_SEED ?? 7);
/** Every second round sends invalid input, and every fourth round has no session. */
const ROUNDS = areAllRuns ? Array.from({ length: 40 }, (_, round) => round) : [0, 1, 3];
const TIME_MS = areAllRuns ? 600_000 : 50_000;
const PAUSE_MS = 1_000;
/**
 * Calls that create resources are repeated until they succeed because later calls need their
 * resources.
 */
const MAX_CREATE_TRIES = 5;

// No DNS server listens at this address, so network calls fail immediately.
const server = await testServer({
  DNS_SERVERS: '127.0.0.1:1',
  LOG_LEVEL: process.env.FUZZ_SEED ? 'error' : 'silent',
});

/** Calls that respond with an endless stream. */
const ENDLESS = new Set(['/client-api/api/live']);

const operations = () =>
  listOperations(allRoutes(server.config))
    .filter(({ path }) => !ENDLESS.has(path))
    .sort(sortMakersFirst);

const seenIds = new SeenIds();

/** An owner's client and API token. */
type FuzzCaller = { client: TestClient; token: string | undefined };

async function newCaller(): Promise<FuzzCaller> {
  const client = await server.owner();
  const tokenResponse = await client.post('/client-api/api/tokens', {
    title: 'Fuzz',
    validity_days: null,
  });
  expect(tokenResponse.status).toBe(200);
  return { client, token: tokenResponse.body.data.token };
}

async function sendRequest(
  caller: FuzzCaller,
  operation: ApiOperation,
  request: FuzzRequest,
): Promise<TestResponse> {
  const hasBody = request.body !== undefined;
  const program = isPublic(operation.path) ? caller.token : undefined;
  const client = program === undefined ? caller.client : server.client();
  return await client.send({
    method: operation.method as 'GET',
    url: buildUrl(operation.path, request.params),
    query: request.query,
    headers: {
      ...(program && { authorization: `Bearer ${program}`, 'x-sendloom': '' }),
      ...(hasBody ? { 'content-type': 'application/json' } : {}),
      ...(request.key === undefined ? {} : { 'idempotency-key': request.key }),
    },
    ...(hasBody ? { payload: JSON.stringify(request.body) } : {}),
  });
}

const problems = new Map<string, string>();

function checkResponse(
  operation: ApiOperation,
  request: FuzzRequest,
  response: TestResponse,
  pause: number,
): void {
  const callName = `${operation.method} ${operation.path}`;
  const report = (problem: string) => {
    if (!problems.has(`${callName} ${problem}`)) {
      problems.set(
        `${callName} ${problem}`,
        `${JSON.stringify(request).slice(0, 400)} → ${response.text.slice(0, 200)}`,
      );
    }
  };
  if (response.status >= 500) report(`failed with ${response.status}`);
  // Redirects to pages and files are not described, so only errors count.
  else if (!operation.statuses.has(response.status) && response.status >= 400) {
    report(`answered ${response.status}, which is not documented`);
  }
  if (pause > PAUSE_MS) report('blocked the event loop');
}

const delays = monitorEventLoopDelay({ resolution: 10 });

/**
 * Measures the longest event loop pause of a call. A long pause is measured again because other
 * processes share the machine.
 */
async function measurePause(
  send: () => Promise<TestResponse>,
): Promise<{ response: TestResponse; pauseMs: number }> {
  delays.reset();
  const response = await send();
  const pauseMs = delays.max / 1e6;
  if (pauseMs <= PAUSE_MS) return { response, pauseMs };
  delays.reset();
  await send();
  return { response, pauseMs: delays.max / 1e6 };
}

test('every call returns a documented status and does not block other requests', {
  timeout: TIME_MS + 130_000,
}, async () => {
  delays.enable();
  const allOperations = operations();
  const deadline = performance.now() + TIME_MS;
  let owner: FuzzCaller = { client: server.client(), token: undefined };
  let acceptedCount = 0;
  let sentCount = 0;
  const renewOwner = async () => {
    seenIds.clear();
    owner = await newCaller();
    for (const operation of allOperations) {
      const body = SOUND_BODIES[`${operation.method} ${operation.path}`];
      if (!body) continue;
      const response = await sendRequest(owner, operation, { params: {}, query: {}, body });
      expect(response.status, `${operation.path} ${response.text}`).toBe(200);
      seenIds.collect(operation.path, response.body);
    }
  };
  const sendOnce = async (
    operation: ApiOperation,
    seed: number,
    round: number,
  ): Promise<number> => {
    const request = sampleRequest(operation, seenIds, { isWild: round % 2 === 1, seed });
    const caller = round % 4 === 3 ? { client: server.client(), token: undefined } : owner;
    const { response, pauseMs } = await measurePause(() => sendRequest(caller, operation, request));
    checkResponse(operation, request, response, pauseMs);
    sentCount += 1;
    if (isPublic(operation.path) && response.status < 300) acceptedCount += 1;
    if (response.status < 300) seenIds.collect(operation.path, response.body);
    // The session was signed out, or the account closed.
    if (response.status === 401 && caller === owner) await renewOwner();
    return response.status;
  };
  // In the first round each call is sent at least once, even after the time limit.
  for (const round of ROUNDS) {
    if (performance.now() > deadline) break;
    // The owner is renewed for each round because sessions have a rate limit.
    await renewOwner();
    for (const operation of allOperations) {
      const isCreating = operation.method === 'POST' && round % 4 === 0;
      for (let i = 0; i < (isCreating ? MAX_CREATE_TRIES : 1); i++) {
        if ((round > 0 || i > 0) && performance.now() > deadline) break;
        if ((await sendOnce(operation, SEED + round * 1_000 + i, round)) < 300) break;
      }
    }
  }
  delays.disable();
  expect(sentCount).toBeGreaterThanOrEqual(allOperations.length);
  // With an invalid token, no call of the public API would succeed.
  expect(acceptedCount).toBeGreaterThan(20);
  expect([...problems].map(([callName, example]) => `${callName}: ${example}`)).toEqual([]);
});
