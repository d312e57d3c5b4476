// Measures the size of one message's ledger, and the cost of reading its recipients, before and
// after compaction and packing. The tables are rewritten first, so that the sizes include
// only live rows. npm run bench -- compaction [--json] [--rows 1000000] [--messages 200]
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { signUp } from '#areas/accounts/server/index.ts';
import {
  acceptedByPerson,
  acceptedCopies,
  countAudience,
} from '#areas/delivery/server/ledger/index.ts';
import { compactionPoller } from '#areas/delivery/server/ledger/compaction.ts';
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction } from '#platform/server/database/database.ts';
import { ALL_SUBSCRIBERS, startMessage } from '#testing/worlds/sending-helpers.ts';
import { measureDuration } from './kit/figures.ts';
import { withProduct } from './kit/own-product.ts';

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    rows: { type: 'string', default: '1000000' },
    messages: { type: 'string', default: '200' },
  },
  allowPositionals: true,
});
const subscriberCount = Number(values.rows);
const otherMessages = Number(values.messages);
const DAY_MS = 86_400_000;
const MB = 1_000_000;
/** The limit per million recipients. */
const MAX = { ledgerMb: 30 };
/**
 * The maximum ratio of the time for counting the non-openers of a packed message to the time for
 * counting them from rows.
 */
const MAX_RATIO = 1.5;
const TABLES = ['recipients', 'results', 'recipient_runs', 'compacted_ranges', 'leases', 'lanes'];
/** One recipient in this many is refused. */
const REFUSED_EVERY = 100;
/**
 * The number of recipients of each further message. It is small, because the cost of reading a
 * subscriber's history depends on the number of messages.
 */
const OTHER_RECIPIENTS = 1_000;
const READS = 50;

async function addAccount(db: Db): Promise<number> {
  const owner = {
    email: `compaction${Date.now()}@bench.example`,
    password: 'correct horse battery',
    timezone: 'UTC',
  };
  const { accountId } = await inTransaction(db, (tx) => signUp(tx, owner, 'open'));
  const now = clock.now();
  await sql`
    insert into subscribers (account_id, email, email_key, created_at, modified_at)
    select ${accountId}::bigint, 'p' || n || '@home.example', 'p' || n || '@home.example', ${now}, ${now}
    from generate_series(1, ${subscriberCount}::int) n`.execute(db);
  await sql`update accounts set subscriber_count = ${subscriberCount} where id = ${accountId}`.execute(
    db,
  );
  await sql`analyze subscribers`.execute(db);
  return accountId;
}

/** Writes the finished ledger of a message to the first `count` subscribers, in four lanes. */
async function addSent(db: Db, accountId: number, count: number): Promise<number> {
  const messageId = await startMessage(db, accountId);
  const now = clock.now();
  await sql`
    insert into recipients (account_id, message_id, lane, ordinal, subscriber_id)
    select account_id, ${messageId}::bigint, id % 4,
      row_number() over (partition by id % 4 order by id), id
    from (select account_id, id from subscribers where account_id = ${accountId}
      order by id limit ${count}) s`.execute(db);
  await sql`
    insert into results (account_id, message_id, lane, ordinal, state, at, code, reply, relay)
    select account_id, message_id, lane, ordinal,
      case when subscriber_id % ${REFUSED_EVERY} = 0 then 'failed' else 'accepted' end::delivery_state,
      ${now}, '2.0.0', '250 2.0.0 Ok: queued as ' || md5(subscriber_id::text), 'relay.example'
    from recipients where account_id = ${accountId} and message_id = ${messageId}`.execute(db);
  await sql`
    insert into lanes (account_id, message_id, lane, written, leased)
    select account_id, message_id, lane, count(*), count(*) from recipients
    where account_id = ${accountId} and message_id = ${messageId} group by 1, 2, 3`.execute(db);
  await sql`update messages set state = 'finished', is_audience_complete = true, finished_at = ${now},
      started_at = ${now}
    where account_id = ${accountId} and id = ${messageId}`.execute(db);
  return messageId;
}

async function sizes(db: Db): Promise<Record<string, number>> {
  for (const table of TABLES) await sql`vacuum full ${sql.table(table)}`.execute(db);
  const { rows } = await sql<{ name: string; bytes: number }>`
    select name, pg_total_relation_size(name::regclass)::float8 as bytes
    from unnest(${TABLES}::text[]) name`.execute(db);
  await sql`analyze ${sql.join(TABLES.map((table) => sql.table(table)))}`.execute(db);
  return Object.fromEntries(rows.map(({ name, bytes }) => [name, bytes / MB]));
}

const sumOf = (sizesByTable: Record<string, number>) =>
  Object.values(sizesByTable).reduce((sum, size) => sum + size, 0);

type Reads = { listMs: number; unopenedMs: number; historyMs: number };

async function measureReads(
  db: Db,
  accountId: number,
  messageId: number,
  isPast: boolean,
): Promise<Reads> {
  const listMs = await measureDuration(() =>
    sql`select count(*), max(subscriber_id)
      from (${acceptedCopies(accountId, [messageId], isPast)}) c`.execute(db),
  );
  const conditions = { ...ALL_SUBSCRIBERS, all: false, unopened: messageId };
  const unopenedMs = await measureDuration(() => countAudience(db, accountId, conditions));
  const { rows } = await sql<{ id: number }>`select id from subscribers
    where account_id = ${accountId} order by id limit ${READS}`.execute(db);
  const historyMs = await measureDuration(async () => {
    for (const { id } of rows) await sql`${acceptedByPerson(accountId, id)}`.execute(db);
  });
  return { listMs, unopenedMs, historyMs: historyMs / rows.length };
}

const ms = (value: number) => value.toFixed(value < 100 ? 1 : 0);

const describe = (reads: Reads) =>
  `list ${ms(reads.listMs)} ms, non-openers ${ms(reads.unopenedMs)} ms, history ${ms(reads.historyMs)} ms`;

await withProduct('compaction', async ({ db }) => {
  const accountId = await addAccount(db);
  const messageId = await addSent(db, accountId, subscriberCount);
  const sizesBefore = await sizes(db);
  const rowReads = await measureReads(db, accountId, messageId, false);
  clock.advance(8 * DAY_MS);
  const roundMs = await measureDuration(() =>
    compactionPoller(7).run(db, new AbortController().signal),
  );
  const sizesAfter = await sizes(db);
  const compactedReads = await measureReads(db, accountId, messageId, true);
  for (let count = 0; count < otherMessages; count++)
    await addSent(db, accountId, OTHER_RECIPIENTS);
  clock.advance(8 * DAY_MS);
  await compactionPoller(7).run(db, new AbortController().signal);
  await sizes(db);
  const crowdedReads = await measureReads(db, accountId, messageId, true);
  const perMillion = (sumOf(sizesAfter) * 1_000_000) / subscriberCount;
  const rows = subscriberCount.toLocaleString('en');
  console.log(`${rows} recipients, one in ${REFUSED_EVERY} refused`);
  for (const table of TABLES) {
    console.log(
      `  ${table}: ${sizesBefore[table]?.toFixed(1)} MB, then ${sizesAfter[table]?.toFixed(1)} MB`,
    );
  }
  console.log(
    `  per million: ${perMillion.toFixed(1)} MB (at most ${MAX.ledgerMb}); compacted and packed in ${ms(roundMs)} ms`,
  );
  console.log(`Before: ${describe(rowReads)}`);
  console.log(`After: ${describe(compactedReads)}`);
  console.log(`After, with ${otherMessages} more packed messages: ${describe(crowdedReads)}`);
  if (values.json) {
    console.log(
      JSON.stringify({
        before: sizesBefore,
        after: sizesAfter,
        perMillion,
        roundMs,
        whole: rowReads,
        packed: compactedReads,
        many: crowdedReads,
      }),
    );
  }
  const ratio = compactedReads.unopenedMs / rowReads.unopenedMs;
  console.log(`Non-openers: ${ratio.toFixed(2)} × of rows (at most ${MAX_RATIO})`);
  if (perMillion > MAX.ledgerMb || ratio > MAX_RATIO) process.exitCode = 1;
});
