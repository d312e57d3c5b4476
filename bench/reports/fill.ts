// Creates a sent campaign of any size with all its activity, by statements that each insert many
// rows. Stored counts and totals are computed from the raw events.
import type pg from 'pg';

export type ReportFixture = {
  account: number;
  campaign: number;
  message: number;
  groups: number[];
};

const SENT_AT = "timestamptz '2026-03-02 09:00Z'";

/**
 * Creates `rows` subscribers, who are all recipients. About 45 of 100 subscribers opened, 6 clicked
 * one of five links, and 1 could not be reached. A few unsubscribed, complained or bounced later.
 * `frozen` is the content of the message.
 */
export async function fillReports(
  database: pg.Client,
  account: number,
  rows: number,
  frozen: object,
): Promise<ReportFixture> {
  const queryId = async (text: string, values: unknown[] = []) =>
    Number((await database.query(text, values)).rows[0].id);
  await database.query(
    `insert into subscribers (account_id, email, email_key, firstname, lastname, created_at, modified_at)
      select $1, e, e, 'First' || n % 1009, 'Last' || n % 5003, ${SENT_AT}, ${SENT_AT}
      from (select n, 'person' || (n::bigint * 7919) % 15485863 || '@example' || (n * n::bigint) % 997 || '.com' as e
        from generate_series(1, $2::int) n) x`,
    [account, rows],
  );
  const message = await queryId(
    `insert into messages (account_id, kind, state, frozen, is_audience_complete, created_at, started_at,
        first_handed_over_at, finished_at, modified_at)
      values ($1, 'campaign', 'finished', $2, true, ${SENT_AT}, ${SENT_AT}, ${SENT_AT}, ${SENT_AT}, ${SENT_AT}) returning id`,
    [account, JSON.stringify(frozen)],
  );
  const campaign = await queryId(
    `insert into campaigns (account_id, title, subject, status, last_action, send_to_all, message_id,
        sent_at, created_at, modified_at)
      values ($1, 'Large', 'A large one', 'SENT', 'step4', true, $2, ${SENT_AT}, ${SENT_AT}, ${SENT_AT}) returning id`,
    [account, message],
  );
  await database.query('update messages set source_id = $2 where account_id = $1 and id = $3', [
    account,
    campaign,
    message,
  ]);
  const groups: number[] = [];
  for (const [title, of] of [
    ['Everybody', 1],
    ['Half', 2],
    ['A third', 3],
    ['A tenth', 10],
  ] as const) {
    const group = await queryId(
      `insert into groups (account_id, title, title_key, created_at, modified_at)
        values ($1, $2, lower($2), ${SENT_AT}, ${SENT_AT}) returning id`,
      [account, title],
    );
    await database.query(
      `insert into group_members (account_id, group_id, subscriber_id, created_at)
        select account_id, $2, id, created_at from subscribers where account_id = $1 and id % $3 = 0`,
      [account, group, of],
    );
    groups.push(group);
  }
  await fillLedger(database, account, message);
  await fillEvents(database, account, message);
  await database.query('update accounts set subscriber_count = $2 where id = $1', [account, rows]);
  const tables = ['subscribers', 'group_members', 'recipients', 'results', 'events', 'outcomes'];
  for (const table of tables) await database.query(`vacuum analyze ${table}`);
  return { account, campaign, message, groups };
}

/** One in a hundred emails failed permanently, and all others were accepted. */
async function fillLedger(database: pg.Client, account: number, message: number): Promise<void> {
  const params = [account, message];
  await database.query(
    `insert into recipients (account_id, message_id, lane, ordinal, subscriber_id)
      select account_id, $2, id % 8, row_number() over (partition by id % 8 order by id), id
      from subscribers where account_id = $1`,
    params,
  );
  await database.query(
    `insert into results (account_id, message_id, lane, ordinal, state, at, code, reply)
      select account_id, message_id, lane, ordinal,
        (case when subscriber_id % 100 = 0 then 'failed' else 'accepted' end)::delivery_state,
        ${SENT_AT} + ordinal * interval '1 millisecond',
        case when subscriber_id % 100 = 0 then '5.1.1' end,
        case when subscriber_id % 100 = 0 then 'No such user' end
      from recipients where account_id = $1 and message_id = $2`,
    params,
  );
  await database.query(
    `insert into delivery_counts (account_id, message_id, audience, accepted, failed)
      select account_id, message_id, count(*), count(*) filter (where state = 'accepted'),
        count(*) filter (where state = 'failed')
      from results where account_id = $1 and message_id = $2 group by 1, 2`,
    params,
  );
  await database.query(
    `insert into links (account_id, message_id, position, url, label)
      select $1, $2, n, 'https://shop.example/page/' || n, 'Page ' || n from generate_series(0, 4) n`,
    params,
  );
}

/**
 * Inserts opens and clicks over three weeks, most of them early, then unsubscribes, complaints and
 * bounces, and the totals of tracking.
 */
async function fillEvents(database: pg.Client, account: number, message: number): Promise<void> {
  const params = [account, message];
  await database.query(
    `insert into events (account_id, at, message_id, subscriber_id, kind, sequence, link_position,
        verdict, device, country)
      select $1, ${SENT_AT} + (power((subscriber_id * 7919 + n * 104729) % 100000 / 100000.0, 6) * 1814400)::int * interval '1 second',
        $2, subscriber_id, kind::event_kind, n, case when kind = 'click' then subscriber_id % 5 end,
        (case when subscriber_id % 4 = 0 and kind = 'open' then 'machine' else 'human' end)::event_verdict,
        (array['desktop', 'mobile', 'tablet'])[1 + subscriber_id % 3],
        (array['NO', 'SE', 'LT', 'LV', 'IR'])[1 + subscriber_id % 5]
      from recipients, generate_series(1, 3) n, (values ('open'), ('click')) k (kind)
      where account_id = $1 and message_id = $2 and subscriber_id % 100 > 0
        and n <= 1 + subscriber_id % 3
        and subscriber_id * 31 % 100 < case when kind = 'open' then 45 else 6 end`,
    params,
  );
  await database.query(
    `insert into events (account_id, at, message_id, subscriber_id, kind, sequence, details)
      select $1, ${SENT_AT} + interval '1 hour' * (1 + n), $2, subscriber_id, k.kind, 1,
        jsonb_build_object('code', k.code, 'reply', 'The words of a mail server')
      from recipients, (values (0, 'unsubscribe'::event_kind, null, 200, 7),
        (1, 'complaint', null, 2000, 11), (2, 'hard_bounce', '5.1.1', 100, 0),
        (3, 'soft_bounce', '4.2.2', 300, 17)) k (n, kind, code, share, of)
      where account_id = $1 and message_id = $2 and subscriber_id % share = of`,
    params,
  );
  await database.query(
    `insert into outcomes (account_id, subscriber_id, message_id, first_open_at, first_human_open_at,
        first_click_at, first_human_click_at, opens, human_opens, clicks, human_clicks,
        unsubscribed_at, hard_bounced_at, soft_bounced_at, returned_at, complained_at)
      select account_id, subscriber_id, message_id, min(at) filter (where kind in ('open', 'click')),
        min(at) filter (where kind in ('open', 'click') and verdict = 'human'),
        min(at) filter (where kind = 'click'), min(at) filter (where kind = 'click' and verdict = 'human'),
        count(*) filter (where kind = 'open'), count(*) filter (where kind = 'open' and verdict = 'human'),
        count(*) filter (where kind = 'click'), count(*) filter (where kind = 'click' and verdict = 'human'),
        min(at) filter (where kind = 'unsubscribe'), min(at) filter (where kind = 'hard_bounce'),
        min(at) filter (where kind = 'soft_bounce'), min(at) filter (where kind = 'soft_bounce'),
        min(at) filter (where kind = 'complaint')
      from events where account_id = $1 and message_id = $2 group by 1, 2, 3`,
    params,
  );
  await database.query(
    `insert into engagement_counts
      select account_id, message_id, sum(opens), sum(human_opens), count(first_open_at),
        count(first_human_open_at), sum(clicks), sum(human_clicks), count(first_click_at),
        count(first_human_click_at), count(unsubscribed_at), count(hard_bounced_at),
        count(soft_bounced_at), count(returned_at), count(complained_at)
      from outcomes where account_id = $1 and message_id = $2 group by 1, 2`,
    params,
  );
  const countColumns = `count(*) filter (where kind = 'open'),
    count(*) filter (where kind = 'open' and verdict = 'human'),
    count(*) filter (where kind = 'click'), count(*) filter (where kind = 'click' and verdict = 'human')
    from events where account_id = $1 and message_id = $2 and kind in ('open', 'click')`;
  await database.query(
    `insert into engagement_times
      select account_id, message_id, date_bin('15 minutes', at, timestamptz '2000-01-01Z'), ${countColumns}
      group by 1, 2, 3`,
    params,
  );
  for (const aspect of ['device', 'country']) {
    await database.query(
      `insert into engagement_by select account_id, message_id, '${aspect}', coalesce(${aspect}, ''), ${countColumns}
        group by 1, 2, 4`,
      params,
    );
  }
}
