// Experiments with identical variants (A/A tests), decided by the real poller: although it
// evaluates the results many times, noise must rarely win. Messages, handoffs and opens are
// inserted as rows. The long form has 2,000 campaigns.
import { sql } from 'kysely';
import { afterEach, expect, test } from 'vitest';
import { checkDue } from '#areas/broadcasts/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import { areAllRuns } from '#testing/setup/property-runs.ts';
import { testServer } from '#testing/setup/server.ts';
import { campaignAdapter } from './adapter.ts';

const CAMPAIGNS = areAllRuns ? 2_000 : 100;
const SUBSCRIBERS = 500;
const OPEN_RATE = 0.22;
const HOURS = 4;
const LOOK_INTERVAL_MS = (areAllRuns ? 5 : 60) * 60_000;
/** The long form makes about 100,000 checks of experiments. */
const TIMEOUT_MS = areAllRuns ? 3 * 3_600_000 : 120_000;
const ADAPTER = campaignAdapter({ publicUrl: 'http://tea.example', needsVerifiedSender: false });
const server = await testServer();

afterEach(() => clock.reset());

/** Adds campaigns with two identical variants, handed off at `at` and opened in the next hours. */
async function addCampaigns(accountId: number, at: Date): Promise<void> {
  await sql`select setseed(${areAllRuns ? Math.random() : 0.4})`.execute(server.db);
  await sql`
    with made as (
      insert into campaigns (account_id, title, status, sent_at, created_at, modified_at)
      select ${accountId}::bigint, 'A/A', 'SENT', ${at}, ${at}, ${at}
      from generate_series(1, ${CAMPAIGNS}::int) returning id
    ), sent as (
      insert into messages (account_id, kind, state, frozen, source_id, is_audience_complete,
        created_at, started_at, first_handed_over_at, finished_at, modified_at)
      select ${accountId}::bigint, 'campaign', 'finished', '{}', id, true, ${at}::timestamptz, ${at},
        ${at}, ${at}, ${at}
      from made cross join generate_series(1, 2) returning id, source_id
    ), numbered as (
      select id, source_id, row_number() over (partition by source_id order by id) as number from sent
    ), counted as (
      insert into delivery_counts (account_id, message_id, audience, accepted)
      select ${accountId}::bigint, id, ${SUBSCRIBERS}::int, ${SUBSCRIBERS}::int from sent
    ), tried as (
      insert into results (account_id, message_id, lane, ordinal, state, at)
      select ${accountId}::bigint, id, 0, n, 'accepted', ${at}::timestamptz
      from sent cross join generate_series(1, 2) n
    ), tested as (
      insert into campaign_variants (account_id, campaign_id, number, message_id)
      select ${accountId}::bigint, source_id, number, id from numbered
    ), experiments as (
      insert into campaign_experiments (account_id, campaign_id, metric, duration_hours, test_share,
        salt, state, next_look_at)
      select ${accountId}::bigint, id, 'opens', ${HOURS}::int, 100, 'salt', 'testing', ${at}::timestamptz
      from made
    )
    insert into outcomes (account_id, subscriber_id, message_id, first_open_at,
      first_human_open_at, opens, human_opens)
    select ${accountId}::bigint, n, id, opened, opened, 1, 1
    from (select n, id, ${at}::timestamptz + random() * random() * interval '4 hours' as opened
      from sent cross join generate_series(1, ${SUBSCRIBERS}::int) n where random() < ${OPEN_RATE}) acts`.execute(
    server.db,
  );
  await sql`update campaigns c set message_id = v.message_id from campaign_variants v
    where c.account_id = ${accountId} and v.account_id = ${accountId} and v.campaign_id = c.id
      and v.number = 1`.execute(server.db);
  await sql`update messages m set group_of = c.message_id from campaigns c
    where m.account_id = ${accountId} and c.account_id = ${accountId} and c.id = m.source_id`.execute(
    server.db,
  );
}

test(
  'equal variants have a winner in at most 6 % of campaigns',
  async () => {
    const { accountId } = await server.owner();
    await addCampaigns(accountId, clock.now());
    for (
      let passedMs = 0;
      passedMs <= HOURS * 3_600_000 + LOOK_INTERVAL_MS;
      passedMs += LOOK_INTERVAL_MS
    ) {
      await checkDue(server.db, ADAPTER);
      clock.advance(LOOK_INTERVAL_MS);
    }
    const { rows } = await sql<{ outcome: string | null; count: number }>`
    select outcome, count(*) as count from campaign_experiments
    where account_id = ${accountId} and state = 'decided' group by outcome`.execute(server.db);
    const counts = new Map(rows.map((row) => [row.outcome, row.count]));
    const winners = (counts.get('early') ?? 0) + (counts.get('final') ?? 0);
    expect(winners + (counts.get('no_winner') ?? 0)).toBe(CAMPAIGNS);
    expect(winners / CAMPAIGNS).toBeLessThanOrEqual(0.06);
  },
  TIMEOUT_MS,
);
