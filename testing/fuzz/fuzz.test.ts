// Every call that the API's description names, signed in and not, with what it asks for and with what nobody
// should send: never a failure, never an answer that the description lacks, never a pause of the process. The calls
// come from the wiring, so a new area's are among them. FUZZ_SEED tries others, FUZZ_RUNS more of them.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { allRoutes } from '#main/wiring.ts';
import { type Answer, type TestClient, testServer } from '../server.ts';
import { type Operation, operationsOf } from './operations.ts';
import { nasty, type Schema, valueOf } from './values.ts';

const SEED = Number(process.env.FUZZ_SEED ?? 7);
/** Of each call, signed in; a quarter of them not. */
const RUNS = Number(process.env.FUZZ_RUNS ?? 8);
const TIME_MS = Number(process.env.FUZZ_SECONDS ?? 50) * 1_000;
const PAUSE_MS = 1_000;
/** What makes things is tried until it does: later calls need them. */
const TRIES = 5;

// Nothing answers there: whoever asks the network is told at once.
const server = await testServer({
  DNS_SERVERS: '127.0.0.1:1',
  LOG_LEVEL: process.env.FUZZ_SEED ? 'error' : 'silent',
});

/** A stream has no end to wait for. */
const ENDLESS = new Set(['/client-api/api/live']);

const MAKES_FIRST = ['POST', 'PUT', 'PATCH', 'GET', 'DELETE'];

const operations = () =>
  operationsOf(allRoutes(server.config))
    .filter(({ path }) => !ENDLESS.has(path))
    .sort((a, b) => MAKES_FIRST.indexOf(a.method) - MAKES_FIRST.indexOf(b.method));

/** Ids that answers named, by the resource that they came from. */
const seen = new Map<string, string[]>();
const resourceOf = (path: string) => path.split('/')[3] ?? '';

function collect(path: string, value: unknown, depth = 0): void {
  if (depth > 4 || typeof value !== 'object' || value === null) return;
  for (const [name, one] of Object.entries(value)) {
    if (name === 'id' && typeof one === 'string') {
      const ids = seen.get(resourceOf(path)) ?? [];
      seen.set(resourceOf(path), [...ids, one].slice(-20));
    } else collect(path, one, depth + 1);
  }
}

function idsFor(path: string): fc.Arbitrary<string> {
  const own = seen.get(resourceOf(path)) ?? [];
  const others = [...seen.values()].flat();
  const some = (ids: string[]) => fc.constantFrom(...(ids.length > 0 ? ids : ['R8z6N1t']));
  return fc.oneof({ weight: 5, arbitrary: some(own) }, { weight: 2, arbitrary: some(others) });
}

function requestsOf({ path, parameters, body }: Operation, isWild: boolean) {
  const ids = idsFor(path);
  const making = { ids, isWild };
  const text = (schema: Schema) =>
    valueOf(schema, making).map((value) =>
      (typeof value === 'object' ? JSON.stringify(value) : String(value)).toWellFormed(),
    );
  const placed = (place: string) => parameters.filter((one) => one.in === place);
  const inPath = Object.fromEntries(
    placed('path').map(({ name }) => [
      name,
      fc.oneof(
        { weight: 6, arbitrary: ids },
        {
          weight: 1,
          arbitrary: nasty.map((value) => String(JSON.stringify(value)).toWellFormed()),
        },
      ),
    ]),
  );
  const query = fc.record(
    Object.fromEntries(placed('query').map(({ name, schema }) => [name, text(schema)])),
    {
      requiredKeys: placed('query')
        .filter(({ required }) => required)
        .map(({ name }) => name),
    },
  );
  const key = fc.option(fc.constantFrom('a', 'b', 'x'.repeat(300)), { nil: undefined, freq: 4 });
  return fc.record({
    params: fc.record(inPath),
    query,
    body: body ? valueOf(body, making) : fc.constant(undefined),
    key: placed('header').length > 0 ? key : fc.constant(undefined),
  });
}

type Request = {
  params: Record<string, string>;
  query: Record<string, string>;
  body: unknown;
  key?: string | undefined;
};

async function ask(client: TestClient, { method, path }: Operation, one: Request): Promise<Answer> {
  const url = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent((one.params[name] ?? '').slice(0, 300).toWellFormed()),
  );
  const hasBody = one.body !== undefined;
  return await client.send({
    method: method as 'GET',
    url: url === '' ? '/' : url,
    query: one.query,
    headers: {
      ...(hasBody ? { 'content-type': 'application/json' } : {}),
      ...(one.key === undefined ? {} : { 'idempotency-key': one.key }),
    },
    ...(hasBody ? { payload: JSON.stringify(one.body) } : {}),
  });
}

const wrong = new Map<string, string>();

function judge(operation: Operation, one: Request, answer: Answer, pause: number): void {
  const what = `${operation.method} ${operation.path}`;
  const say = (words: string) => {
    if (!wrong.has(`${what} ${words}`)) {
      wrong.set(
        `${what} ${words}`,
        `${JSON.stringify(one).slice(0, 400)} → ${answer.text.slice(0, 200)}`,
      );
    }
  };
  if (answer.status >= 500) say(`failed with ${answer.status}`);
  // Pages and files that a call leads to.
  else if (!operation.statuses.has(answer.status) && answer.status >= 400) {
    say(`answered ${answer.status}, which its description lacks`);
  }
  if (pause > PAUSE_MS) say(`kept everybody waiting`);
}

const delays = monitorEventLoopDelay({ resolution: 10 });

/** The longest pause that a call causes; once more where it was long: others share the machine. */
async function measured(send: () => Promise<Answer>): Promise<{ answer: Answer; pause: number }> {
  delays.reset();
  const answer = await send();
  const pause = delays.max / 1e6;
  if (pause <= PAUSE_MS) return { answer, pause };
  delays.reset();
  await send();
  return { answer, pause: delays.max / 1e6 };
}

test('no call fails, answers what it never promised, or stops others', {
  timeout: 180_000,
}, async () => {
  delays.enable();
  const all = operations();
  const until = performance.now() + TIME_MS;
  let client = await server.owner();
  let asked = 0;
  const another = async () => {
    seen.clear();
    client = await server.owner();
  };
  const askOnce = async (operation: Operation, seed: number, round: number): Promise<number> => {
    const requests = requestsOf(operation, round % 2 === 1);
    const [one] = fc.sample(requests, { seed, numRuns: 1 }) as [Request];
    const asker = round % 4 === 3 ? server.client() : client;
    const { answer, pause } = await measured(() => ask(asker, operation, one));
    judge(operation, one, answer, pause);
    asked += 1;
    if (answer.status < 300) collect(operation.path, answer.body);
    // It signed itself out, or closed its account.
    if (answer.status === 401 && asker === client) await another();
    return answer.status;
  };
  // Each call once before any call twice: where time is short, none was left out.
  for (let round = 0; round < RUNS && performance.now() < until; round++) {
    // Sessions have a limit, too.
    await another();
    for (const operation of all) {
      const isMaking = operation.method === 'POST' && round % 4 === 0;
      for (let i = 0; i < (isMaking ? TRIES : 1); i++) {
        if ((round > 0 || i > 0) && performance.now() > until) break;
        if ((await askOnce(operation, SEED + round * 1_000 + i, round)) < 300) break;
      }
    }
  }
  delays.disable();
  expect(asked).toBeGreaterThanOrEqual(all.length);
  expect([...wrong].map(([what, why]) => `${what}: ${why}`)).toEqual([]);
});
