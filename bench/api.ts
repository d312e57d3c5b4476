// Measures the most frequent API calls. `POST /v2/message/send`, which is answered once the email
// is durable, is compared with a bare Fastify route that writes one row into the same database, in
// alternating rounds. SMTP submission is compared with the built-in inbox (api/submitting.ts), and
// batches of subscribers with a COPY of the same rows (api/batches.ts). For webhooks, it measures
// deliveries per second to one fast receiver, and the memory with very many pending deliveries. npm
// run bench -- api [--json] [--calls 3000] [--rounds 5] [--waiting 1000000]
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import fastify from 'fastify';
import { sql } from 'kysely';
import { deliverDue } from '#areas/webhooks/server/deliver.ts';
import type { Db } from '#platform/server/database/database.ts';
import { proveDomain } from '#testing/worlds/sending-helpers.ts';
import { measureBatches } from './api/batches.ts';
import { measureSubmission } from './api/submitting.ts';
import { median } from './kit/figures.ts';
import { withProduct } from './kit/own-product.ts';
import { newOwner, type BenchOwner } from './kit/owner.ts';

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    calls: { type: 'string', default: '3000' },
    rounds: { type: 'string', default: '5' },
    waiting: { type: 'string', default: '1000000' },
    receiver: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});
const calls = Number(values.calls);
const rounds = Number(values.rounds);
const waiting = Number(values.waiting);
const CONCURRENCY = 32;
/** The minimum ratio of sending to the bare route, and of SMTP submission to the inbox. */
const MIN = 0.5;
/** The minimum ratio of batches of subscribers to a COPY of the same rows. */
const MIN_BATCHES = 0.3;
/** The minimum number of webhook deliveries per second. */
const MIN_DELIVERED = 2_000;
const DELIVERY_MS = 15_000;
/** Calls made with one token, which may make 300 per minute. */
const PER_TOKEN = 250;

if (process.argv.includes('--receiver')) receive();
else
  await withProduct(
    'api',
    async ({ db, database, base }) => {
      const owner = await newOwner(base);
      const ratio = await measureSending(db, base, owner);
      const submission = await measureSubmission(db, base, owner, { mails: calls, rounds });
      const saving = await measureBatches(database, base, owner, { rounds });
      const { perSecond, grown } = await measureWebhooks(db, owner);
      if (values.json)
        console.log(
          JSON.stringify({
            ...{ bench: 'api', ratio, submission, batches: saving, webhooks: perSecond, grown },
          }),
        );
      const isSlow = Math.min(ratio, submission) < MIN || saving < MIN_BATCHES;
      if (isSlow || perSecond < MIN_DELIVERED) process.exitCode = 1;
    },
    { NODE_ENV: 'development', BILLING: 'off', PRIVATE_HOSTS: 'yes' },
  );

async function measureSending(db: Db, base: string, owner: BenchOwner): Promise<number> {
  await proveDomain(db, owner.account);
  const tokenCount = Math.ceil(((rounds + 1) * calls) / PER_TOKEN);
  const tokens: string[] = [];
  for (let i = 0; i < tokenCount; i++) {
    const created = await fetch(`${base}/client-api/api/tokens`, {
      method: 'POST',
      headers: { ...owner.headers, 'content-type': 'application/json' },
      body: JSON.stringify({ title: `Bench ${i}`, validity_days: null }),
    });
    if (!created.ok) throw new Error(await created.text());
    tokens.push(((await created.json()) as { data: { token: string } }).data.token);
  }
  const bareApp = await bareServer(db);
  let callCount = 0;
  const send = async () => {
    const i = callCount++;
    const response = await fetch(`${base}/v2/message/send`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${tokens[Math.floor(i / PER_TOKEN)]}`,
        'content-type': 'application/json',
        'idempotency-key': `call ${i}`,
      },
      body: JSON.stringify(emailBody(i)),
    });
    if (!response.ok) throw new Error(await response.text());
    await response.arrayBuffer();
  };
  const insert = async () => {
    const response = await fetch(bareApp.address, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(emailBody(1)),
    });
    if (!response.ok) throw new Error(await response.text());
    await response.arrayBuffer();
  };
  await rateOf(insert, Math.min(500, calls));
  await rateOf(send, Math.min(500, calls));
  const ratios: number[] = [];
  console.log('round  bare/s  send/s  ratio');
  for (let round = 1; round <= rounds; round++) {
    const bareRate = await rateOf(insert, calls);
    const sendRate = await rateOf(send, calls);
    ratios.push(sendRate / bareRate);
    const columns = [bareRate.toFixed(0).padStart(6), sendRate.toFixed(0).padStart(6)];
    console.log(
      `${String(round).padStart(5)}  ${columns.join('  ')}  ${(sendRate / bareRate).toFixed(2)}`,
    );
  }
  await bareApp.close();
  const ratio = median(ratios);
  console.log(`median ratio ${ratio.toFixed(2)} (at least ${MIN})`);
  return ratio;
}

function emailBody(i: number) {
  return {
    from: { email: 'news@tea.example', name: 'Tea' },
    to: { email: `buyer${i}@home.example`, name: 'Ada' },
    subject: 'Order {{ number }}',
    html: '<p>Dear {{firstname}}, <a href="https://tea.example/orders">order {{ number }}</a></p>',
    variables: { number: i },
  };
}

/** Returns the calls per second. */
async function rateOf(call: () => Promise<void>, count: number): Promise<number> {
  let remaining = count;
  const startedAt = performance.now();
  const work = async () => {
    while (remaining-- > 0) await call();
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return count / ((performance.now() - startedAt) / 1_000);
}

/** Starts the simplest possible route, which parses a body and writes a row. */
async function bareServer(db: Db) {
  await sql`create table bare_mails (id bigint generated by default as identity primary key, body jsonb)`.execute(
    db,
  );
  const app = fastify({ logger: false });
  app.post('/', async (request) => {
    await sql`insert into bare_mails (body) values (${JSON.stringify(request.body)})`.execute(db);
    return { success: true };
  });
  const address = await app.listen({ port: 0, host: '127.0.0.1' });
  return { address, close: () => app.close() };
}

async function measureWebhooks(db: Db, { account }: BenchOwner) {
  const child = fork(import.meta.filename, ['--receiver'], { execArgv: process.execArgv });
  const [port] = (await once(child, 'message')) as [number];
  const { rows } = await sql<{ id: number }>`
    insert into webhook_endpoints (account_id, url, topic, created_at)
    values (${account}, ${`http://127.0.0.1:${port}/`}, 'groups/new', now()) returning id`.execute(
    db,
  );
  await sql`
    insert into webhook_deliveries (account_id, endpoint_id, topic, subject_id, details, next_at, created_at)
    select ${account}, ${rows[0]?.id}, 'groups/new', 0, '{"sample": {"id": "x", "title": "Tea"}}',
      now() - interval '1 minute', now() from generate_series(1, ${waiting}::int)`.execute(db);
  await sql`analyze webhook_deliveries`.execute(db);
  const stop = new AbortController();
  global.gc?.();
  const rssBefore = process.memoryUsage().rss;
  let peak = rssBefore;
  const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage().rss)), 100);
  const startedAt = performance.now();
  const running = deliverDue(db, stop.signal);
  const timer = setTimeout(() => stop.abort(), DELIVERY_MS);
  await running;
  clearTimeout(timer);
  clearInterval(watch);
  const seconds = (performance.now() - startedAt) / 1_000;
  const { rows: delivered } = await sql<{ count: number }>`
    select count(*)::int as count from webhook_deliveries
    where account_id = ${account} and state = 'delivered'`.execute(db);
  const perSecond = Math.round((delivered[0]?.count ?? 0) / seconds);
  const grown = Math.round((peak - rssBefore) / 1_048_576);
  child.kill();
  console.log(
    `webhooks: ${perSecond} a second to one receiver (at least ${MIN_DELIVERED}), ${waiting} waiting; memory grew by ${grown} MB`,
  );
  return { perSecond, grown };
}

/** Runs a receiver in a separate process, which answers every request with 200. */
function receive(): void {
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => response.end('ok'));
  });
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
}
