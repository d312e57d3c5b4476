// The demo's SMS: campaigns with deliveries, clicks, replies and opt-outs.
import { sql } from 'kysely';
import type { Tx } from '#platform/server/database/database.ts';
import { chance, type LostSubscriber, type DemoHistory } from './history.sql.ts';

export type PastSms = { messageId: number; campaignId: number; sentAt: Date; parts: number };

export async function insertSmsCampaign(
  tx: Tx,
  history: DemoHistory,
  row: { title: string; text: string; sender: string; phoneId: number; sentAt: Date },
) {
  return tx
    .insertInto('sms_campaigns')
    .values({
      account_id: history.accountId,
      title: row.title,
      text: row.text,
      sender: row.sender,
      phone_id: row.phoneId,
      status: 'SENT',
      last_action: 'step4',
      send_to_all: true,
      scheduled_at: row.sentAt,
      sent_at: row.sentAt,
      created_at: new Date(row.sentAt.getTime() - 86_400_000),
      modified_at: row.sentAt,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Inserts a draft at the recipients step, addressed to all subscribers. */
export async function insertSmsDraft(
  tx: Tx,
  history: DemoHistory,
  row: { title: string; text: string; sender: string; phoneId: number },
): Promise<void> {
  await tx
    .insertInto('sms_campaigns')
    .values({
      account_id: history.accountId,
      title: row.title,
      text: row.text,
      sender: row.sender,
      phone_id: row.phoneId,
      last_action: 'step3',
      send_to_all: true,
      created_at: history.now,
      modified_at: history.now,
    })
    .execute();
}

export async function setMessageOfSms(
  tx: Tx,
  history: DemoHistory,
  { campaignId, messageId }: PastSms,
): Promise<void> {
  await sql`update sms_campaigns set message_id = ${messageId}
    where account_id = ${history.accountId} and id = ${campaignId}`.execute(tx);
}

/**
 * Inserts the ledger, receipts and clicks of SMS to all subscribers with a phone number who signed
 * up before the SMS.
 */
export async function insertSmsLedger(
  tx: Tx,
  history: DemoHistory,
  campaigns: readonly PastSms[],
): Promise<void> {
  const account = history.accountId;
  await sql`create temp table demo_sms on commit drop as
    select m.message_id, m.parts, s.id as subscriber_id, s.phone,
      row_number() over (partition by m.message_id order by s.id)::int as ordinal,
      m.sent_at + make_interval(secs => 0.05 * row_number() over (partition by m.message_id order by s.id)) as at,
      ${chance('s.id * 1000 + m.place', 81)} as luck, ${chance('s.id * 1000 + m.place', 82)} as answer,
      ${chance('s.id * 1000 + m.place', 83)} as delay
    from unnest(${campaigns.map((campaign) => campaign.messageId)}::bigint[],
      ${campaigns.map((campaign) => campaign.sentAt)}::timestamptz[],
      ${campaigns.map((campaign) => campaign.parts)}::int[]) with ordinality m (message_id, sent_at, parts, place)
    join subscribers s on s.account_id = ${account} and s.phone is not null and s.created_at < m.sent_at
      and s.deleted_at is null`.execute(tx);
  await sql`insert into recipients (account_id, message_id, lane, ordinal, subscriber_id)
    select ${account}, message_id, 0, ordinal, subscriber_id from demo_sms`.execute(tx);
  await sql`insert into results (account_id, message_id, lane, ordinal, attempt, state, at, relay)
    select ${account}, message_id, 0, ordinal, 1, 'accepted', at, 'phone' from demo_sms`.execute(
    tx,
  );
  await sql`insert into lanes (account_id, message_id, lane, written, leased)
    select ${account}, message_id, 0, count(*), count(*) from demo_sms group by message_id`.execute(
    tx,
  );
  await sql`insert into leases (account_id, message_id, lane, from_ordinal, to_ordinal, started_to, owner, expires_at, is_done)
    select ${account}, message_id, 0, 1, count(*), count(*), '', max(at), true from demo_sms group by message_id`.execute(
    tx,
  );
  await sql`insert into delivery_counts (account_id, message_id, audience, accepted)
    select ${account}, message_id, count(*), count(*) from demo_sms group by message_id`.execute(
    tx,
  );
  await sql`insert into lane_counts (account_id, message_id, lane, day, accepted)
    select ${account}, message_id, 0, (at at time zone 'UTC')::date, count(*) from demo_sms
    group by 2, 4`.execute(tx);
  await sql`insert into sms_results (account_id, message_id, lane, ordinal, parts, delivered_at, undelivered_at, error)
    select ${account}, message_id, 0, ordinal, parts,
      case when luck < 0.974 then at + make_interval(secs => 2 + 20 * delay) end,
      case when luck >= 0.974 then at + interval '3 minutes' end,
      case when luck >= 0.974 then 'Handset is switched off' end
    from demo_sms`.execute(tx);
  await insertClicks(tx, account);
}

async function insertClicks(tx: Tx, account: number): Promise<void> {
  const clickedSms = sql`demo_sms where luck < 0.974 and answer < 0.12`;
  const clickedAt = sql`at + make_interval(secs => 40 + 14400 * delay * delay)`;
  await sql`insert into events (account_id, at, message_id, subscriber_id, kind, sequence, link_position, verdict, device, is_sms)
    select ${account}, ${clickedAt}, message_id, subscriber_id, 'click', 1, 1, 'human', 'mobile', true
    from ${clickedSms}`.execute(tx);
  await sql`insert into sms_clicks (account_id, subscriber_id, first_at, last_at)
    select ${account}, subscriber_id, min(${clickedAt}), max(${clickedAt}) from ${clickedSms} group by 2`.execute(
    tx,
  );
  await sql`insert into engagement_counts (account_id, message_id, clicks, human_clicks, unique_clicks, unique_human_clicks)
    select ${account}, message_id, count(*), count(*), count(*), count(*) from ${clickedSms} group by 2`.execute(
    tx,
  );
}

/** Inserts replies, some of them STOP. A subscriber replies at most once. */
export async function insertReplies(
  tx: Tx,
  history: DemoHistory,
  phoneId: number,
): Promise<LostSubscriber[]> {
  const account = history.accountId;
  await sql`create temp table demo_replies on commit drop as
    select distinct on (subscriber_id) subscriber_id, message_id, phone,
      at + make_interval(secs => 60 + 3600 * delay) as at, answer > 0.987 as is_stop,
      (${history.texts.replies}::text[])[1 + floor(delay * ${history.texts.replies.length}::int)::int] as text
    from demo_sms where luck < 0.974 and answer > 0.975 order by subscriber_id, at desc`.execute(
    tx,
  );
  await sql`insert into sms_inbound (account_id, event_id, phone_id, sender, subscriber_id, text, keyword, message_id, received_at)
    select ${account}, 'demo-' || subscriber_id, ${phoneId}::bigint, phone, subscriber_id,
      case when is_stop then 'STOP' else text end, case when is_stop then 'stop' end, message_id, at
    from demo_replies`.execute(tx);
  await sql`update subscribers s set sms_status = 'unsubscribed', modified_at = greatest(s.modified_at, r.at)
    from demo_replies r where s.account_id = ${account} and s.id = r.subscriber_id and r.is_stop`.execute(
    tx,
  );
  await sql`insert into status_changes (account_id, subscriber_id, at, channel, from_status, to_status, reason, message_id)
    select ${account}, subscriber_id, at, 'sms', 'active', 'unsubscribed', 'stop', message_id
    from demo_replies where is_stop`.execute(tx);
  const { rows } = await sql<LostSubscriber>`
    select subscriber_id as id, phone as email_key, 'unsubscribe' as kind, at
    from demo_replies where is_stop`.execute(tx);
  return rows;
}
