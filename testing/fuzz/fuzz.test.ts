// Every call of the API description, with and without a session, with valid and invalid input: none
// causes an internal error, an undocumented status or a blocked event loop. The calls come from the
// wiring, so new areas are included. FUZZ_SEED selects other inputs; `npm run faults -- properties`
// sends more of them.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { expect, test } from 'vitest';
import { allRoutes } from '#main/wiring.ts';
import { areAllRuns } from '../setup/property-runs.ts';
import { type Answer, type TestClient, testServer } from '../setup/server.ts';
import { makersFirst, type Operation, operationsOf } from './operations.ts';
import { addressOf, isPublic, type Request, SeenIds, sampleOf } from './requests.ts';
import { SOUND_BODIES } from './sound.ts';

const SEED = Number(process.env.FUZZ_SEED ?? 7);
/** Every second round sends invalid input, every fourth one without a session. */
const ROUNDS = areAllRuns ? Array.from({ length: 40 }, (_, round) => round) : [0, 1, 3];
const TIME_MS = areAllRuns ? 600_000 : 50_000;
const PAUSE_MS = 1_000;
/**
 * Calls that create resources are retried until they succeed, since later calls need their
 * resources.
 */
const TRIES = 5;

// No server listens there, so network calls fail immediately.
const server = await testServer({
  DNS_SERVERS: '127.0.0.1:1',
  LOG_LEVEL: process.env.FUZZ_SEED ? 'error' : 'silent',
});

/** A stream never ends. */
const ENDLESS = new Set(['/client-api/api/live']);

const operations = () =>
  operationsOf(allRoutes(server.config))
    .filter(({ path }) => !ENDLESS.has(path))
    .sort(makersFirst);

const seen = new SeenIds();

/** An owner's client, and an API token of theirs. */
type Asker = { client: TestClient; token: string | undefined };

async function newAsker(): Promise<Asker> {
  const client = await server.owner();
  const made = await client.post('/client-api/api/tokens', { title: 'Fuzz', validity_days: null });
  expect(made.status).toBe(200);
  return { client, token: made.body.data.token };
}

async function sendRequest(asker: Asker, operation: Operation, request: Request): Promise<Answer> {
  const hasBody = request.body !== undefined;
  const program = isPublic(operation.path) ? asker.token : undefined;
  const client = program === undefined ? asker.client : server.client();
  return await client.send({
    method: operation.method as 'GET',
    url: addressOf(operation.path, request.params),
    query: request.query,
    headers: {
      ...(program && { authorization: `Bearer ${program}`, 'x-sendloom': '' }),
      ...(hasBody ? { 'content-type': 'application/json' } : {}),
      ...(request.key === undefined ? {} : { 'idempotency-key': request.key }),
    },
    ...(hasBody ? { payload: JSON.stringify(request.body) } : {}),
  });
}

const wrong = new Map<string, string>();

function checkAnswer(operation: Operation, request: Request, answer: Answer, pause: number): void {
  const what = `${operation.method} ${operation.path}`;
  const report = (problem: string) => {
    if (!wrong.has(`${what} ${problem}`)) {
      wrong.set(
        `${what} ${problem}`,
        `${JSON.stringify(request).slice(0, 400)} → ${answer.text.slice(0, 200)}`,
      );
    }
  };
  if (answer.status >= 500) report(`failed with ${answer.status}`);
  // Pages and files that a call redirects to.
  else if (!operation.statuses.has(answer.status) && answer.status >= 400) {
    report(`answered ${answer.status}, which its description lacks`);
  }
  if (pause > PAUSE_MS) report(`kept everybody waiting`);
}

const delays = monitorEventLoopDelay({ resolution: 10 });

/**
 * The longest event loop pause of a call; measured again if it is long, since other processes share
 * the machine.
 */
async function measured(send: () => Promise<Answer>): Promise<{ answer: Answer; pause: number }> {
  delays.reset();
  const answer = await send();
  const pause = delays.max / 1e6;
  if (pause <= PAUSE_MS) return { answer, pause };
  delays.reset();
  await send();
  return { answer, pause: delays.max / 1e6 };
}

test('every call returns a documented status and does not block other requests', {
  timeout: TIME_MS + 130_000,
}, async () => {
  delays.enable();
  const all = operations();
  const until = performance.now() + TIME_MS;
  let owner: Asker = { client: server.client(), token: undefined };
  let accepted = 0;
  let sent = 0;
  const another = async () => {
    seen.clear();
    owner = await newAsker();
    for (const operation of all) {
      const body = SOUND_BODIES[`${operation.method} ${operation.path}`];
      if (!body) continue;
      const answer = await sendRequest(owner, operation, { params: {}, query: {}, body });
      expect(answer.status, `${operation.path} ${answer.text}`).toBe(200);
      seen.collect(operation.path, answer.body);
    }
  };
  const sendOnce = async (operation: Operation, seed: number, round: number): Promise<number> => {
    const one = sampleOf(operation, seen, { isWild: round % 2 === 1, seed });
    const asker = round % 4 === 3 ? { client: server.client(), token: undefined } : owner;
    const { answer, pause } = await measured(() => sendRequest(asker, operation, one));
    checkAnswer(operation, one, answer, pause);
    sent += 1;
    if (isPublic(operation.path) && answer.status < 300) accepted += 1;
    if (answer.status < 300) seen.collect(operation.path, answer.body);
    // The session was signed out, or the account closed.
    if (answer.status === 401 && asker === owner) await another();
    return answer.status;
  };
  // Makes each call once before any call twice, so that a time limit skips none.
  for (const round of ROUNDS) {
    if (performance.now() > until) break;
    // Sessions have a rate limit, too.
    await another();
    for (const operation of all) {
      const isMaking = operation.method === 'POST' && round % 4 === 0;
      for (let i = 0; i < (isMaking ? TRIES : 1); i++) {
        if ((round > 0 || i > 0) && performance.now() > until) break;
        if ((await sendOnce(operation, SEED + round * 1_000 + i, round)) < 300) break;
      }
    }
  }
  delays.disable();
  expect(sent).toBeGreaterThanOrEqual(all.length);
  // An invalid token would leave the whole public API untested.
  expect(accepted).toBeGreaterThan(20);
  expect([...wrong].map(([what, why]) => `${what}: ${why}`)).toEqual([]);
});
