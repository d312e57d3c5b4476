// Compares concurrent sign-ups, each answered once its row is durable, with a route of the same
// server that accepts the same bodies but writes nothing, in alternating rounds. Then it measures
// the overload: excess requests are refused with Retry-After before their body is read. npm run
// bench -- forms [--json] [--posts 10000] [--rounds 3]
import { Agent, request } from 'node:http';
import { parseArgs } from 'node:util';
import { encodeId } from '#platform/ids.ts';
import { median } from './kit/figures.ts';
import { newOwner } from './kit/owner.ts';
import { withProduct } from './kit/own-product.ts';

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    posts: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '3' },
  },
  allowPositionals: true,
});
const posts = Number(values.posts);
const rounds = Number(values.rounds);
/** The maximum ratio to the duration of the route that writes nothing. */
const MAX = 1.2;

await withProduct(
  'forms',
  async ({ database, base }) => {
    // Each round has a form in a separate account, because rate limits count posts over minutes.
    const newForm = async () => {
      const owner = await newOwner(base);
      const callApi = async (method: string, path: string, body: object) => {
        const response = await fetch(`${base}/client-api/api/forms${path}`, {
          method,
          headers: { ...owner.headers, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
        if (!response.ok) throw new Error(await response.text());
        return (
          (await response.json()) as { data: { id: string; settings: { embed_hash: string } } }
        ).data;
      };
      const { id } = await callApi('POST', '', { type: 'embed', title: 'Bench' });
      const form = await callApi('PATCH', `/${id}`, {
        is_active: 1,
        settings: { use_recaptcha: false },
      });
      const formId = Number((await database.query('select max(id) as id from forms')).rows[0].id);
      if (encodeId('form', formId) !== id) throw new Error('The form has an unexpected ID');
      return form.settings.embed_hash;
    };
    const countSubmissions = async () =>
      Number((await database.query('select count(*) from form_submissions')).rows[0].count);

    await burst(base, '/f/count', 500, 'warm');
    await burst(base, `/f/${await newForm()}`, 500, 'warm');
    const ratios: number[] = [];
    const seconds: number[] = [];
    console.log('round  nothing s  durable s  ratio  answered after, p50 / p95 / p99 s');
    for (let round = 1; round <= rounds; round++) {
      const hash = await newForm();
      const bareRate = await burst(base, '/f/count', posts, `bare${round}`);
      const countBefore = await countSubmissions();
      const storedRate = await burst(base, `/f/${hash}`, posts, `kept${round}`);
      const rows = (await countSubmissions()) - countBefore;
      if (rows !== storedRate.ok) throw new Error(`${storedRate.ok} acknowledged, ${rows} stored`);
      if (storedRate.ok !== posts)
        throw new Error(
          `${storedRate.ok} of ${posts} accepted, ${storedRate.shed} asked to retry, ${storedRate.other} other responses (${[...storedRate.why].join(', ')})`,
        );
      ratios.push(storedRate.seconds / bareRate.seconds);
      seconds.push(storedRate.seconds);
      console.log(
        `${String(round).padStart(5)}  ${bareRate.seconds.toFixed(2).padStart(9)}  ${storedRate.seconds.toFixed(2).padStart(9)}  ${(storedRate.seconds / bareRate.seconds).toFixed(2).padStart(5)}  ${[0.5, 0.95, 0.99].map((rank) => percentileOf(storedRate.waits, rank)).join(' / ')}`,
      );
    }
    const limitedRate = await burst(base, `/f/${await newForm()}`, posts * 2, 'over');
    const ratio = median(ratios);
    console.log(
      `median ratio ${ratio.toFixed(2)} (at most ${MAX}); of ${posts * 2} at once ${limitedRate.ok} accepted, ${limitedRate.shed} asked to retry, ${limitedRate.other} other responses`,
    );
    if (values.json) {
      console.log(
        JSON.stringify({ bench: 'forms', ratio, seconds: median(seconds), shed: limitedRate.shed }),
      );
    }
    if (limitedRate.other > 0 || ratio > MAX) process.exitCode = 1;
  },
  // Each sign-up comes from a different network, as in a real burst.
  { TRUST_PROXY: '1' },
);

type Burst = {
  seconds: number;
  ok: number;
  shed: number;
  other: number;
  why: Set<string>;
  waits: number[];
};

/** Returns a percentile of the waits in seconds. All waits begin with the burst. */
function percentileOf(waits: readonly number[], fraction: number): string {
  return (waits.toSorted((a, b) => a - b)[Math.floor(waits.length * fraction)] ?? 0).toFixed(2);
}

/** Sends all requests concurrently over up to 1,000 connections. */
async function burst(base: string, path: string, count: number, name: string): Promise<Burst> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1_000 });
  const { hostname, port } = new URL(base);
  const result: Burst = { seconds: 0, ok: 0, shed: 0, other: 0, why: new Set(), waits: [] };
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: count }, (_, i) => {
      const body = JSON.stringify({
        key: `${name}-${i}-key`,
        version: 1,
        data: { email: `${name}-${i}@bench.example`, firstname: 'Ada' },
        ms: 5_000,
        url: 'https://shop.example/',
      });
      return new Promise<void>((settle) => {
        const clientRequest = request(
          {
            agent,
            hostname,
            port,
            path,
            method: 'POST',
            headers: {
              'content-type': 'text/plain',
              'content-length': Buffer.byteLength(body),
              'x-forwarded-for': `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`,
            },
          },
          (answer) => {
            answer.resume();
            answer.on('end', () => {
              const { statusCode = 0 } = answer;
              if (statusCode < 300) {
                result.ok++;
                result.waits.push((performance.now() - startedAt) / 1_000);
              } else if (statusCode === 429) result.shed++;
              else {
                result.other++;
                result.why.add(String(statusCode));
              }
              settle();
            });
          },
        );
        clientRequest.on('error', (error: NodeJS.ErrnoException) => {
          result.other++;
          result.why.add(error.code ?? error.message);
          settle();
        });
        clientRequest.end(body);
      });
    }),
  );
  result.seconds = (performance.now() - startedAt) / 1_000;
  agent.destroy();
  return result;
}
