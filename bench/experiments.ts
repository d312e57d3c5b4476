// Measures experiments: writing an audience into five variants compared with writing it into one
// message, and counting the openers of five variants for a check. The rounds alternate in one run.
// npm run bench -- experiments [--json] [--rows 200000] [--rounds 5]
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { signUp } from '#areas/accounts/server/index.ts';
import { countActed } from '#areas/broadcasts/server/experiments/evidence.sql.ts';
import { insertGroupRecipients } from '#areas/delivery/server/groups/group-audience.sql.ts';
import {
  insertRecipients,
  type AudienceSlice,
} from '#areas/delivery/server/ledger/audience.sql.ts';
import { computeRanges } from '#areas/experiments/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction, type Tx } from '#platform/server/database/database.ts';
import { addPeople, startMessage } from '#testing/worlds/sending-helpers.ts';
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
const VARIANTS = 5;
/** The number of openers of each variant at the check. */
const OPENERS = 2_000;
const MAX = { writing: 1.7, checkMs: 50 };

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

async function measureWriting(db: Db, accountId: number, messageIds: readonly number[]) {
  const [messageId = 0] = messageIds;
  const audience = { all: true, groups: [], excluded: [] };
  const slice: AudienceSlice = {
    ...{ accountId, messageId, channel: 'email', asOf: clock.now(), engagedSince: undefined },
    ...{ after: 0, lastId: Number.MAX_SAFE_INTEGER, audience },
  };
  const { variants, holdout } = computeRanges({
    variants: VARIANTS,
    testShare: 100,
    holdoutShare: 0,
  });
  const variantRanges = variants.map((range, index) => ({
    ...range,
    messageId: messageIds[index] ?? 0,
  }));
  const testRanges = { salt: 'bench', ranges: [{ from: 0, to: 10_000 }] };
  const group = {
    ...slice,
    audience: { ...audience, places: testRanges, split: { parts: variantRanges, holdout } },
  };
  const plainMs: number[] = [];
  const split: number[] = [];
  await timedRollback(db, (tx) => insertRecipients(tx, slice));
  for (let round = 0; round < rounds; round++) {
    plainMs.push(await timedRollback(db, (tx) => insertRecipients(tx, slice)));
    split.push(await timedRollback(db, (tx) => insertGroupRecipients(tx, group)));
  }
  return { plain: median(plainMs), split: median(split), ratio: median(split) / median(plainMs) };
}

async function measureCheck(db: Db, accountId: number, messageIds: readonly number[]) {
  const at = clock.now();
  await sql`
    insert into outcomes (account_id, subscriber_id, message_id, first_open_at,
      first_human_open_at, opens, human_opens)
    select ${accountId}::bigint, n, m, ${at}, ${at}, 1, 1
    from unnest(${[...messageIds]}::bigint[]) m cross join generate_series(1, ${OPENERS}::int) n`.execute(
    db,
  );
  await sql`analyze outcomes`.execute(db);
  const deadlines = messageIds.map((messageId) => ({ messageId, until: at }));
  const times: number[] = [];
  for (let round = 0; round < rounds * 5; round++) {
    const startedAt = performance.now();
    await countActed(db, accountId, 'opens', deadlines);
    times.push(performance.now() - startedAt);
  }
  return median(times);
}

await withProduct('experiments', async ({ db }) => {
  const owner = {
    email: `experiments${Date.now()}@bench.example`,
    password: 'correct horse battery',
    timezone: 'UTC',
  };
  const { accountId } = await inTransaction(db, (tx) => signUp(tx, owner, 'open'));
  await addPeople(db, accountId, subscriberCount);
  await sql`analyze subscribers`.execute(db);
  const messageIds: number[] = [];
  for (let n = 0; n < VARIANTS; n++) messageIds.push(await startMessage(db, accountId));
  const writing = await measureWriting(db, accountId, messageIds);
  console.log(
    `${subscriberCount.toLocaleString('en')} recipients: one message ${ms(writing.plain)} ms, ${VARIANTS} variants ${ms(writing.split)} ms, ratio ${writing.ratio.toFixed(2)} (at most ${MAX.writing})`,
  );
  const checkMs = await measureCheck(db, accountId, messageIds);
  console.log(
    `A check of ${VARIANTS} variants with ${OPENERS.toLocaleString('en')} openers each: ${checkMs.toFixed(1)} ms (at most ${MAX.checkMs})`,
  );
  if (values.json) console.log(JSON.stringify({ writing, look: checkMs }));
  if (writing.ratio > MAX.writing || checkMs > MAX.checkMs) process.exitCode = 1;
});
