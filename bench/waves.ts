// Measures waves of a message: writing an audience in one wave per time zone offset compared with a
// single wave, leasing from 200 lanes compared with five, and the senders' poll with 1,000 messages
// that wait for their next wave. The rounds alternate in one run. npm run bench -- waves [--json]
// [--rows 200000] [--rounds 5]
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { signUp } from '#areas/accounts/server/index.ts';
import {
  insertRecipients,
  type AudienceSlice,
} from '#areas/delivery/server/ledger/audience.sql.ts';
import { planWaves, type WavePlan } from '#areas/delivery/server/ledger/index.ts';
import { leaseRange } from '#areas/delivery/server/ledger/ledger.sql.ts';
import { listOpenMessages } from '#areas/delivery/server/ledger/open-messages.sql.ts';
import { FIRST_MESSAGE_KEY, PAGE_ROWS } from '#areas/delivery/server/ledger/pages.ts';
import { computeSliceWaves } from '#areas/delivery/server/waves/slice-waves.ts';
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction, type Tx } from '#platform/server/database/database.ts';
import { startMessage } from '#testing/worlds/sending-helpers.ts';
import { median, ms } from './kit/figures.ts';
import { withProduct } from './kit/own-product.ts';

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    rows: { type: 'string', default: '200000' },
    rounds: { type: 'string', default: '5' },
  },
  allowPositionals: true,
});
const subscriberCount = Number(values.rows);
const rounds = Number(values.rounds);
const SCOPE = { channel: 'email' } as const;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MAX = { writing: 1.8, leasing: 2, pollMs: 1 };

class RolledBack extends Error {}

/** Returns the milliseconds that the work took and rolls back its changes. */
async function timedRollback(db: Db, work: (tx: Tx) => Promise<unknown>): Promise<number> {
  let duration = 0;
  try {
    await inTransaction(db, async (tx) => {
      const startedAt = performance.now();
      await work(tx);
      duration = performance.now() - startedAt;
      throw new RolledBack();
    });
  } catch (error) {
    if (!(error instanceof RolledBack)) throw error;
  }
  return duration;
}

async function fillAccount(db: Db): Promise<number> {
  const owner = {
    email: `waves${Date.now()}@bench.example`,
    password: 'correct horse battery',
    timezone: 'UTC',
  };
  const { accountId } = await inTransaction(db, (tx) => signUp(tx, owner, 'open'));
  const zones = Intl.supportedValuesOf('timeZone');
  const now = clock.now();
  await sql`
    insert into subscribers
      (account_id, email, email_key, mailbox, timezone, country, phone_key, created_at, modified_at)
    select ${accountId}::bigint, 'p' || n || '@home.example', 'p' || n || '@home.example',
      (n % 12)::smallint, case when n % 3 = 0 then (${zones}::text[])[n % ${zones.length}::int + 1] end,
      case when n % 3 = 1 then (array['NO', 'JP', 'IN', 'NP', 'DE', 'GB'])[n % 6 + 1] end,
      case when n % 3 = 2 then '+47' || 20000000 + n end, ${now}, ${now}
    from generate_series(1, ${subscriberCount}::int) n`.execute(db);
  await sql`analyze subscribers`.execute(db);
  return accountId;
}

/**
 * Returns the plan of a message sent at local times: one wave for each offset of the world's zones.
 */
function worldPlan(): WavePlan {
  const day = new Date(clock.now().getTime() + 3 * DAY_MS).toISOString().slice(0, 10);
  return planWaves({
    when: { by: 'wall', wall: `${day} 10:00:00` },
    ...{ zone: 'UTC', startedAt: clock.now().toISOString(), past: 'next_day' },
    ...{ window: null, spreadHours: null, salt: 'bench' },
  }) as WavePlan;
}

async function measureWriting(db: Db, accountId: number, plan: WavePlan) {
  const messageId = await startMessage(db, accountId);
  const plainMs: number[] = [];
  const waves: number[] = [];
  const write = (wavePlan: WavePlan | undefined) => async (tx: Tx) => {
    const span = { after: 0, lastId: Number.MAX_SAFE_INTEGER };
    const slice: AudienceSlice = {
      ...{ accountId, messageId, channel: 'email', asOf: clock.now(), engagedSince: undefined },
      ...span,
      audience: { all: true, groups: [], excluded: [] },
      waves: await computeSliceWaves(tx, accountId, wavePlan, span),
    };
    await insertRecipients(tx, slice);
  };
  await timedRollback(db, write(plan));
  for (let round = 0; round < rounds; round++) {
    plainMs.push(await timedRollback(db, write(undefined)));
    waves.push(await timedRollback(db, write(plan)));
  }
  return { plain: median(plainMs), waves: median(waves), ratio: median(waves) / median(plainMs) };
}

/** Creates a message with this number of open lanes, each with recipients left. */
async function openLanes(db: Db, accountId: number, count: number): Promise<number> {
  const messageId = await startMessage(db, accountId);
  await sql`
    insert into lanes (account_id, message_id, lane, written, opens_at)
    select ${accountId}::bigint, ${messageId}::bigint, (n % 5) + 200 * (n / 5), 100000, ${clock.now()}
    from generate_series(0, ${count}::int - 1) n`.execute(db);
  return messageId;
}

async function measureLeasing(db: Db, accountId: number) {
  const fewLanesId = await openLanes(db, accountId, 5);
  const manyLanesId = await openLanes(db, accountId, 200);
  await sql`analyze lanes`.execute(db);
  const lease = (messageId: number) => (tx: Tx) =>
    leaseRange(tx, accountId, messageId, {
      ...{ scope: SCOPE, size: 100, owner: 'bench', now: clock.now() },
      ...{
        leasedUntil: new Date(clock.now().getTime() + 30_000),
        excludedLanes: [],
        fullMailboxes: [],
      },
    });
  const fewMs: number[] = [];
  const manyMs: number[] = [];
  for (let round = 0; round < rounds * 20; round++) {
    fewMs.push(await timedRollback(db, lease(fewLanesId)));
    manyMs.push(await timedRollback(db, lease(manyLanesId)));
  }
  return { few: median(fewMs), many: median(manyMs), ratio: median(manyMs) / median(fewMs) };
}

/** Returns the milliseconds that 1,000 waiting messages add to a poll. */
async function measurePoll(db: Db, accountId: number) {
  await sql`update messages set state = 'cancelled' where account_id = ${accountId}`.execute(db);
  const poll = async () => {
    const startedAt = performance.now();
    await listOpenMessages(db, SCOPE, clock.now(), { after: FIRST_MESSAGE_KEY, size: PAGE_ROWS });
    return performance.now() - startedAt;
  };
  const polls = async () => {
    const times: number[] = [];
    for (let round = 0; round < rounds * 20; round++) times.push(await poll());
    return median(times);
  };
  await polls();
  const withoutWaiting = await polls();
  await sql`
    insert into messages (account_id, channel, kind, state, frozen, audience, opens_at, created_at,
      modified_at, is_audience_complete)
    select ${accountId}::bigint, 'email', 'campaign', 'sending', '{}', '{}',
      ${new Date(clock.now().getTime() + HOUR_MS)}, ${clock.now()}, ${clock.now()}, true
    from generate_series(1, 1000)`.execute(db);
  await sql`analyze messages`.execute(db);
  await polls();
  return { without: withoutWaiting, withWaiting: await polls() };
}

await withProduct('waves', async ({ db }) => {
  const accountId = await fillAccount(db);
  const plan = worldPlan();
  const writing = await measureWriting(db, accountId, plan);
  console.log(
    `${subscriberCount.toLocaleString('en')} recipients: one wave ${ms(writing.plain)} ms, ${plan.waves.length} waves ${ms(writing.waves)} ms, ratio ${writing.ratio.toFixed(2)} (at most ${MAX.writing})`,
  );
  const leasing = await measureLeasing(db, accountId);
  console.log(
    `A lease: five lanes ${leasing.few.toFixed(2)} ms, 200 lanes ${leasing.many.toFixed(2)} ms, ratio ${leasing.ratio.toFixed(2)} (at most ${MAX.leasing})`,
  );
  const poll = await measurePoll(db, accountId);
  const addedMs = poll.withWaiting - poll.without;
  console.log(
    `A poll: ${poll.without.toFixed(2)} ms, with 1,000 waiting messages ${poll.withWaiting.toFixed(2)} ms, ${addedMs.toFixed(2)} ms more (at most ${MAX.pollMs})`,
  );
  if (values.json) console.log(JSON.stringify({ writing, leasing, poll }));
  const isMet =
    writing.ratio <= MAX.writing && leasing.ratio <= MAX.leasing && addedMs <= MAX.pollMs;
  if (!isMet) process.exitCode = 1;
});
