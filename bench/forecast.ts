// Measures the forecast of a campaign to all subscribers of an account, including the time when it
// is done, and the sealing of such a campaign. Each subscriber has outcomes of four campaigns.
// npm run bench -- forecast [--json] [--rows 1000000] [--rounds 10]
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { signUp } from '#areas/accounts/server/index.ts';
import { forecastAudience, sealDueCampaigns } from '#areas/deliverability/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction } from '#platform/server/database/database.ts';
import { ALL_SUBSCRIBERS, startMessage } from '#testing/worlds/sending-helpers.ts';
import { ms } from './kit/figures.ts';
import { withProduct } from './kit/own-product.ts';

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    rows: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '10' },
  },
  allowPositionals: true,
});
const subscriberCount = Number(values.rows);
const rounds = Number(values.rounds);
const CAMPAIGNS = 4;
const MAX = { forecastMs: 2_000, sealMs: 10_000 };

/**
 * Creates an account with four finished campaigns to all subscribers. Every email was opened, half
 * of them by a person, and one in 50 was deferred before it was accepted.
 */
async function fillAccount(db: Db): Promise<number> {
  const owner = {
    email: `forecast${Date.now()}@bench.example`,
    password: 'correct horse battery',
    timezone: 'UTC',
  };
  const { accountId } = await inTransaction(db, (tx) => signUp(tx, owner, 'open'));
  const now = clock.now();
  await sql`
    insert into subscribers (account_id, email, email_key, mailbox, created_at, modified_at)
    select ${accountId}::bigint, 'p' || n || '@home.example', 'p' || n || '@home.example',
      (n % 12)::smallint, ${now}::timestamptz - interval '3 years', ${now}
    from generate_series(1, ${subscriberCount}::int) n`.execute(db);
  await sql`
    insert into activity (account_id, subscriber_id, first_open_at, last_open_at)
    select account_id, id, created_at, ${now}::timestamptz - make_interval(days => (id % 700)::int)
    from subscribers where account_id = ${accountId} and id % 5 < 3`.execute(db);
  for (let number = 1; number <= CAMPAIGNS; number++) {
    const messageId = await startMessage(db, accountId);
    const at = new Date(now.getTime() - (4 + 30 * (CAMPAIGNS - number)) * 86_400_000);
    await sql`
      insert into recipients (account_id, message_id, lane, ordinal, subscriber_id)
      select account_id, ${messageId}::bigint, 0, row_number() over (order by id), id
      from subscribers where account_id = ${accountId}`.execute(db);
    await sql`
      insert into results (account_id, message_id, lane, ordinal, attempt, state, at)
      select account_id, message_id, lane, ordinal, 1 + (ordinal % 50 = 0)::int, 'accepted',
        ${at}::timestamptz + make_interval(secs => ordinal / 100)
      from recipients where account_id = ${accountId} and message_id = ${messageId}`.execute(db);
    await sql`
      insert into results (account_id, message_id, lane, ordinal, attempt, state, at, code)
      select account_id, message_id, lane, ordinal, 1, 'deferred', at - interval '20 minutes', '4.7.1'
      from results where account_id = ${accountId} and message_id = ${messageId}
        and attempt = 2`.execute(db);
    await sql`
      insert into outcomes (account_id, subscriber_id, message_id, first_open_at,
        first_human_open_at, opens, human_opens)
      select account_id, id, ${messageId}::bigint, ${at}, case when id % 2 = 0 then ${at}::timestamptz end,
        1, 1
      from subscribers where account_id = ${accountId}`.execute(db);
    await sql`
      insert into sent_times (account_id, quarter, shard, sent)
      select ${accountId}::bigint, date_bin('15 minutes', ${at}::timestamptz, '2000-01-01')
        + make_interval(mins => 15 * n), 0, ${Math.ceil(subscriberCount / 8)}::bigint
      from generate_series(0, 7) n`.execute(db);
    await sql`update messages set state = 'finished', finished_at = ${at}, created_at = ${at}
      where account_id = ${accountId} and id = ${messageId}`.execute(db);
  }
  await sql`analyze subscribers, activity, recipients, results, outcomes, messages`.execute(db);
  return accountId;
}

async function measureMs(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

await withProduct('forecast', async ({ db }) => {
  const accountId = await fillAccount(db);
  const times: number[] = [];
  const forecast = () =>
    inTransaction(db, (tx) =>
      forecastAudience(tx, accountId, {
        ...{ audience: ALL_SUBSCRIBERS, asOf: clock.now(), seed: 1 },
        ...{ from: 'news@tea.example', isTimed: true, hasLaterParts: false },
      }),
    );
  // Sealing also compares each campaign with its forecast.
  await sql`
    insert into forecasts (account_id, message_id, as_of, forecast)
    select account_id, id, created_at, ${JSON.stringify(await forecast())}::jsonb from messages
    where account_id = ${accountId}`.execute(db);
  const sealMs = (await measureMs(() => sealDueCampaigns(db, accountId))) / CAMPAIGNS;
  const firstForecast = await forecast();
  if (firstForecast?.people !== subscriberCount || firstForecast.campaigns !== CAMPAIGNS) {
    throw new Error(
      `Forecast of ${firstForecast?.people} recipients from ${firstForecast?.campaigns} campaigns`,
    );
  }
  if (!firstForecast.done?.mid) throw new Error('The end of the campaign is unknown');
  for (let round = 0; round < rounds; round++) times.push(await measureMs(forecast));
  const sortedMs = times.sort((a, b) => a - b);
  const slowest = sortedMs[Math.ceil(sortedMs.length * 0.95) - 1] ?? 0;
  const rows = subscriberCount.toLocaleString('en');
  console.log(`Forecast of ${rows} recipients: p95 ${ms(slowest)} ms (at most ${MAX.forecastMs})`);
  console.log(`Sealing ${rows} recipients: ${ms(sealMs)} ms (at most ${MAX.sealMs})`);
  if (values.json) console.log(JSON.stringify({ forecastMs: slowest, sealMs }));
  if (slowest > MAX.forecastMs || sealMs > MAX.sealMs) process.exitCode = 1;
});
