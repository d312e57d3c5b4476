// Measures how long writing a campaign's recipients takes on a Citus cluster, compared with one
// server of the same version and settings. Each round measures both, in databases that are used for
// this benchmark alone. The result "statements" is the time of the statements that choose and
// insert the recipients, in the product's slices; "job" is the time of the whole job with counts,
// estimates and commits. DATABASE_URL=… CLUSTER_URL=… npm run bench -- audience [--json]
// [--sizes 100000,1000000] [--rounds 3]
import { parseArgs } from 'node:util';
import { configureDelivery } from '#areas/delivery/server/index.ts';
import {
  findSliceEnd,
  extendLanes,
  insertRecipients,
} from '#areas/delivery/server/ledger/audience.sql.ts';
import { pauseMessage, writeAudienceJob } from '#areas/delivery/server/ledger/index.ts';
import { FIRST_SLICE_RECIPIENTS, SLICE_RECIPIENTS } from '#areas/delivery/shared.ts';
import { migrateDatabase } from '#main/prepare.ts';
import { clock } from '#platform/server/clock.ts';
import {
  createDatabase,
  type Db,
  inTransaction,
  type Tx,
} from '#platform/server/database/database.ts';
import { configureSecrets } from '#platform/server/secrets.ts';
import { ALL_SUBSCRIBERS, startMessage } from '#testing/worlds/sending-helpers.ts';
import { median, measureDuration } from './kit/figures.ts';
import { addPeople } from './send/setup.ts';

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    sizes: { type: 'string', default: '100000,1000000' },
    rounds: { type: 'string', default: '3' },
  },
  allowPositionals: true,
});
const sizes = values.sizes.split(',').map(Number);
const rounds = Number(values.rounds);
const MAX_RATIO = 1.2;

type Milliseconds = { statements: number; job: number };

async function newMessage(db: Db, accountId: number): Promise<number> {
  const messageId = await startMessage(db, accountId);
  await inTransaction(db, (tx) => pauseMessage(tx, accountId, messageId));
  return messageId;
}

type SliceWrite = { lastId: number; spent: number };

/** Writes one slice as the job does; undefined after the last. `spent` excludes the commit. */
async function writeSlice(
  tx: Tx,
  accountId: number,
  messageId: number,
  after: number,
): Promise<SliceWrite | undefined> {
  const size = after === 0 ? FIRST_SLICE_RECIPIENTS : SLICE_RECIPIENTS;
  const lastId = await findSliceEnd(tx, accountId, after, size);
  if (lastId === undefined) return undefined;
  const startedAt = performance.now();
  const rows = await insertRecipients(tx, {
    ...{ accountId, messageId, channel: 'email', audience: ALL_SUBSCRIBERS },
    ...{ asOf: clock.now(), after, lastId, engagedSince: undefined },
  });
  const elapsedMs = performance.now() - startedAt;
  const grown = rows.flatMap(({ lane, count }) => (lane === null ? [] : [{ lane, count }]));
  await extendLanes(tx, accountId, messageId, grown);
  return { lastId, spent: elapsedMs };
}

async function writeSlices(db: Db, accountId: number, messageId: number): Promise<number> {
  let totalMs = 0;
  for (let lastId = 0; ; ) {
    const slice = await inTransaction(db, (tx) => writeSlice(tx, accountId, messageId, lastId));
    if (!slice) return totalMs;
    totalMs += slice.spent;
    lastId = slice.lastId;
  }
}

async function measure(db: Db, accountId: number): Promise<Milliseconds> {
  const first = await newMessage(db, accountId);
  const statements = await writeSlices(db, accountId, first);
  const messageId = await newMessage(db, accountId);
  const { signal } = new AbortController();
  const job = await measureDuration(() =>
    writeAudienceJob.run({ accountId, messageId }, { db, signal }),
  );
  return { statements, job };
}

async function compare(singleNode: Db, cluster: Db, subscriberCount: number) {
  const servers = [singleNode, cluster];
  const accounts: number[] = [];
  for (const db of servers) accounts.push(await addPeople(db, subscriberCount));
  const results: Milliseconds[][] = [];
  // The first round only fills caches.
  for (let round = 0; round <= rounds; round++) {
    const times: Milliseconds[] = [];
    for (const [index, db] of servers.entries())
      times.push(await measure(db, accounts[index] as number));
    if (round > 0) results.push(times);
  }
  const ratioOf = (phase: keyof Milliseconds) => {
    const [one, many] = [0, 1].map((at) => median(results.map((times) => times[at]?.[phase] ?? 0)));
    return {
      plain: one as number,
      cluster: many as number,
      ratio: (many as number) / (one as number),
    };
  };
  return { people: subscriberCount, statements: ratioOf('statements'), job: ratioOf('job') };
}

const urls = [process.env.DATABASE_URL, process.env.CLUSTER_URL].map((url) => {
  if (!url) throw new Error('This benchmark needs DATABASE_URL and CLUSTER_URL');
  return url;
});
configureSecrets('a secret of the benchmark, thirty-two characters');
configureDelivery({ bounceDomain: undefined, needsVerifiedSender: false });
for (const url of urls) await migrateDatabase(url);
const [plain, cluster] = urls.map((url) => createDatabase(url, 3)) as [Db, Db];
for (const subscribers of sizes) {
  const ratios = await compare(plain, cluster, subscribers);
  for (const phase of ['statements', 'job'] as const) {
    const { ratio, ...times } = ratios[phase];
    console.log(
      `${subscribers.toLocaleString('en')} recipients, ${phase}: one server ${times.plain.toFixed(0)} ms, cluster ${times.cluster.toFixed(0)} ms, ratio ${ratio.toFixed(2)} (at most ${MAX_RATIO})`,
    );
    if (ratio > MAX_RATIO) process.exitCode = 1;
  }
  if (values.json) console.log(JSON.stringify({ bench: 'audience', ...ratios }));
}
await Promise.all([plain.destroy(), cluster.destroy()]);
