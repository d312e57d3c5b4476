// Compares the speed of workflows with the speed of raw statements that write the same rows in the
// same round. It measures the workflow engine, and how it adds the recipients of one step to
// delivery: all in one call, in the sets of a turn, or with individual values.
// npm run bench -- workflows [--json] [--people 100000] [--rounds 5]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { configureDelivery } from '#areas/delivery/server/index.ts';
import { type StreamRecipients, sendMany } from '#areas/delivery/server/ledger/index.ts';
import { migrateDatabase } from '#main/prepare.ts';
import { createDatabase, type Db, inTransaction } from '#platform/server/database/database.ts';
import { startEmbeddedPostgres } from '#platform/server/database/embedded-postgres.ts';
import { configureSecrets } from '#platform/server/secrets.ts';
import { median, ms, measureDuration } from './kit/figures.ts';
import { benchSource } from './send/message.ts';
import { addPeople } from './send/setup.ts';
import { measureEngine } from './workflows/engine.ts';

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    people: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '5' },
  },
  allowPositionals: true,
});
const subscriberCount = Number(values.people);
const rounds = Number(values.rounds);
/** The number of runs that one turn of the engine processes. */
const TURN_SIZE = 10_000;
/** The minimum share of the bare INSERT's speed. */
const MIN_RATIO = 0.6;

type MemberRow = { id: number; mailbox: number };

async function run(db: Db): Promise<void> {
  const accountId = await addPeople(db, subscriberCount);
  const { rows } = await sql<MemberRow>`select id, mailbox from subscribers
    where account_id = ${accountId} order by id`.execute(db);
  const ids = rows.map((row) => row.id);
  const recipients = ids.map((subscriberId) => ({
    subscriberId,
    values: { total: '25' },
    key: 'cart',
  }));
  const times = { bare: [], whole: [], turns: [], bareSingles: [], own: [] } as Record<
    'bare' | 'whole' | 'turns' | 'bareSingles' | 'own',
    number[]
  >;
  // The first round of each is a warm-up.
  for (let round = 0; round <= rounds; round++) {
    const offset = round * 10;
    const durations = {
      bare: await measureDuration(() => bareRecipients(db, accountId, -1 - round, rows)),
      whole: await measureDuration(() => sendBatch(db, accountId, ids, offset)),
      turns: await measureDuration(() => inTurns(db, accountId, ids, offset + 1)),
      bareSingles: await measureDuration(() => bareSingles(db, accountId, -1 - round, ids)),
      own: await measureDuration(() => sendBatch(db, accountId, recipients, offset + 2)),
    };
    if (round === 0) continue;
    for (const [name, time] of Object.entries(durations))
      times[name as keyof typeof times].push(time);
  }
  console.log(`The engine, ${subscriberCount} people`);
  const engine = await measureEngine(db, accountId, ids);
  report(times, engine);
}

type Engine = Awaited<ReturnType<typeof measureEngine>>;

function report(times: Record<string, number[]>, engine: Engine): void {
  const medianOf = (name: string) => median(times[name] ?? []);
  const ratio = (name: string, baseline: string) =>
    Math.round((medianOf(baseline) / medianOf(name)) * 100) / 100;
  const ratios = {
    whole: ratio('whole', 'bare'),
    turns: ratio('turns', 'bare'),
    own: ratio('own', 'bareSingles'),
  };
  console.log(`${subscriberCount} subscribers sent to at one step, medians of ${rounds} rounds`);
  console.log(`bare INSERT of their recipients  ${ms(medianOf('bare'))} ms`);
  console.log(
    `sendMany, one call               ${ms(medianOf('whole'))} ms  ${ratios.whole} of bare`,
  );
  console.log(
    `sendMany, sets of ${TURN_SIZE}          ${ms(medianOf('turns'))} ms  ${ratios.turns} of bare`,
  );
  console.log(`bare INSERT of single sends      ${ms(medianOf('bareSingles'))} ms`);
  console.log(`sendMany with own values         ${ms(medianOf('own'))} ms  ${ratios.own} of bare`);
  const minRatio = ratios.whole;
  if (values.json)
    console.log(
      JSON.stringify({ bench: 'workflows', ratio: minRatio, ...ratios, ...engine.figures }),
    );
  process.exitCode = minRatio >= MIN_RATIO && engine.isGood ? 0 : 1;
}

const bareRecipients = (db: Db, accountId: number, messageId: number, rows: readonly MemberRow[]) =>
  sql`insert into recipients (account_id, message_id, lane, ordinal, subscriber_id)
    select ${accountId}::bigint, ${messageId}::bigint, lane, n, id
    from unnest(${rows.map((row) => row.mailbox)}::smallint[], ${rows.map((row) => row.id)}::bigint[])
      with ordinality u(lane, id, n)`.execute(db);

const bareSingles = (db: Db, accountId: number, messageId: number, ids: readonly number[]) =>
  sql`insert into single_sends (account_id, message_id, idempotency_key, subscriber_id, recipient,
      variables, priority, next_attempt_at, created_at)
    select ${accountId}::bigint, ${messageId}::bigint, id || '/cart', id,
      'person' || id || '@example.com', '{"total":"25"}', 2, now(), now()
    from unnest(${[...ids]}::bigint[]) u(id)`.execute(db);

const sendBatch = (db: Db, accountId: number, list: StreamRecipients, pass: number) =>
  inTransaction(db, (tx) =>
    sendMany(
      tx,
      { accountId, kind: 'workflow', sourceId: 1, source: benchSource(accountId) },
      list,
      { pass, month: '2026-11' },
    ),
  );

async function inTurns(db: Db, accountId: number, ids: readonly number[], pass: number) {
  for (let from = 0; from < ids.length; from += TURN_SIZE) {
    await sendBatch(db, accountId, ids.slice(from, from + TURN_SIZE), pass);
  }
}

const folder = mkdtempSync(join(tmpdir(), 'sendloom-workflows-'));
configureSecrets('a secret of the benchmark, thirty-two characters');
configureDelivery({ bounceDomain: undefined, needsVerifiedSender: false });
const server = await startEmbeddedPostgres({ folder });
try {
  await migrateDatabase(server.url);
  const db = createDatabase(server.url, 5);
  await run(db);
  await db.destroy();
} finally {
  await server.stop();
  rmSync(server.cluster, { recursive: true, force: true });
  rmSync(folder, { recursive: true, force: true });
}
