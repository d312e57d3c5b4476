// Queries that apply batches of opens and clicks to events, outcomes, activity and counts, and read
// the counts.
import { sql } from 'kysely';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import type { HitVerdict } from './verdict.ts';

export type EngagementEventRow = {
  at: Date;
  messageId: number;
  subscriberId: number;
  kind: 'open' | 'click' | 'unsubscribe' | 'hard_bounce' | 'soft_bounce' | 'complaint';
  sequence: number;
  position?: number | null;
  verdict?: HitVerdict;
  reason?: string | null;
  ip?: string | null;
  userAgent?: string | null;
  device?: string | null;
  country?: string | null;
  details?: Record<string, unknown> | null;
  isSms?: boolean;
};

/** Inserts events. IP address, user agent and details are stored only for existing subscribers. */
export async function insertEvents(tx: Tx, accountId: number, rows: readonly EngagementEventRow[]) {
  await sql`
    insert into events (account_id, at, message_id, subscriber_id, kind, sequence, link_position,
      verdict, verdict_reason, device, country, ip, user_agent, details, is_sms)
    select ${accountId}::bigint, u.at, u.message_id, u.subscriber_id, u.kind, u.sequence, u.position,
      u.verdict, u.reason, u.device, u.country,
      case when s.id is not null then u.ip end, case when s.id is not null then u.agent end,
      case when s.id is not null then u.details end, u.is_sms
    from unnest(
      ${rows.map((row) => row.at)}::timestamptz[], ${rows.map((row) => row.messageId)}::bigint[],
      ${rows.map((row) => row.subscriberId)}::bigint[], ${rows.map((row) => row.kind)}::event_kind[],
      ${rows.map((row) => row.sequence)}::bigint[], ${rows.map((row) => row.position ?? null)}::int[],
      ${rows.map((row) => row.verdict ?? 'human')}::event_verdict[],
      ${rows.map((row) => row.reason ?? null)}::text[], ${rows.map((row) => row.ip || null)}::text[],
      ${rows.map((row) => row.userAgent || null)}::text[],
      ${rows.map((row) => row.device ?? null)}::text[],
      ${rows.map((row) => row.country ?? null)}::text[],
      ${rows.map((row) => (row.details ? JSON.stringify(row.details) : null))}::jsonb[],
      ${rows.map((row) => row.isSms ?? false)}::boolean[])
      as u (at, message_id, subscriber_id, kind, sequence, position, verdict, reason, ip, agent, device,
        country, details, is_sms)
    left join subscribers s on s.account_id = ${accountId} and s.id = u.subscriber_id
      -- repeated, so that no plan reads the whole table for a batch
      and s.id = any(${rows.map((row) => row.subscriberId)}::bigint[]) and s.deleted_at is null
    on conflict do nothing`.execute(tx);
}

/**
 * What a batch adds to one subscriber's outcome of one message. A click also sets the first open.
 */
export type OutcomeChange = {
  subscriberId: number;
  messageId: number;
  firstOpenAt: Date | null;
  firstHumanOpenAt: Date | null;
  firstClickAt: Date | null;
  firstHumanClickAt: Date | null;
  opens: number;
  humanOpens: number;
  clicks: number;
  humanClicks: number;
};

/** An outcome's totals after the batch was added. */
export type OutcomeSums = {
  subscriber_id: number;
  message_id: number;
  opens: number;
  human_opens: number;
  clicks: number;
  human_clicks: number;
};

/**
 * Adds a batch to outcomes and returns the new numbers. Rows are locked in the order of their keys,
 * so that concurrent recorders do not deadlock.
 */
export async function addToOutcomes(
  tx: Tx,
  accountId: number,
  changes: readonly OutcomeChange[],
): Promise<OutcomeSums[]> {
  const sortedChanges = [...changes].sort(
    (a, b) => a.subscriberId - b.subscriberId || a.messageId - b.messageId,
  );
  const { rows } = await sql<OutcomeSums>`
    insert into outcomes (account_id, subscriber_id, message_id, first_open_at,
      first_human_open_at, first_click_at, first_human_click_at, opens, human_opens, clicks,
      human_clicks)
    select ${accountId}::bigint, u.* from unnest(
      ${sortedChanges.map((outcomeChange) => outcomeChange.subscriberId)}::bigint[], ${sortedChanges.map((outcomeChange) => outcomeChange.messageId)}::bigint[],
      ${sortedChanges.map((outcomeChange) => outcomeChange.firstOpenAt)}::timestamptz[],
      ${sortedChanges.map((outcomeChange) => outcomeChange.firstHumanOpenAt)}::timestamptz[],
      ${sortedChanges.map((outcomeChange) => outcomeChange.firstClickAt)}::timestamptz[],
      ${sortedChanges.map((outcomeChange) => outcomeChange.firstHumanClickAt)}::timestamptz[],
      ${sortedChanges.map((outcomeChange) => outcomeChange.opens)}::int[], ${sortedChanges.map((outcomeChange) => outcomeChange.humanOpens)}::int[],
      ${sortedChanges.map((outcomeChange) => outcomeChange.clicks)}::int[], ${sortedChanges.map((outcomeChange) => outcomeChange.humanClicks)}::int[]) as u
    on conflict (account_id, subscriber_id, message_id) do update set
      first_open_at = least(outcomes.first_open_at, excluded.first_open_at),
      first_human_open_at = least(outcomes.first_human_open_at, excluded.first_human_open_at),
      first_click_at = least(outcomes.first_click_at, excluded.first_click_at),
      first_human_click_at = least(outcomes.first_human_click_at, excluded.first_human_click_at),
      opens = outcomes.opens + excluded.opens,
      human_opens = outcomes.human_opens + excluded.human_opens,
      clicks = outcomes.clicks + excluded.clicks,
      human_clicks = outcomes.human_clicks + excluded.human_clicks
    returning subscriber_id, message_id, opens, human_opens, clicks, human_clicks`.execute(tx);
  return rows;
}

/** The times of one subscriber's first and last events of each kind in a batch. */
export type ActivityChange = {
  subscriberId: number;
  firstOpenAt: Date | null;
  firstHumanOpenAt: Date | null;
  firstClickAt: Date | null;
  firstHumanClickAt: Date | null;
  openAt: Date | null;
  humanOpenAt: Date | null;
  clickAt: Date | null;
  humanClickAt: Date | null;
};

export async function raiseActivity(tx: Tx, accountId: number, changes: readonly ActivityChange[]) {
  if (changes.length === 0) return;
  const sortedChanges = [...changes].sort((a, b) => a.subscriberId - b.subscriberId);
  await sql`
    insert into activity (account_id, subscriber_id, first_open_at, first_human_open_at,
      first_click_at, first_human_click_at, last_open_at, last_human_open_at, last_click_at,
      last_human_click_at)
    select ${accountId}::bigint, u.* from unnest(
      ${sortedChanges.map((activityChange) => activityChange.subscriberId)}::bigint[],
      ${sortedChanges.map((activityChange) => activityChange.firstOpenAt)}::timestamptz[],
      ${sortedChanges.map((activityChange) => activityChange.firstHumanOpenAt)}::timestamptz[],
      ${sortedChanges.map((activityChange) => activityChange.firstClickAt)}::timestamptz[],
      ${sortedChanges.map((activityChange) => activityChange.firstHumanClickAt)}::timestamptz[],
      ${sortedChanges.map((activityChange) => activityChange.openAt)}::timestamptz[],
      ${sortedChanges.map((activityChange) => activityChange.humanOpenAt)}::timestamptz[],
      ${sortedChanges.map((activityChange) => activityChange.clickAt)}::timestamptz[],
      ${sortedChanges.map((activityChange) => activityChange.humanClickAt)}::timestamptz[]) as u
    on conflict (account_id, subscriber_id) do update set
      first_open_at = least(activity.first_open_at, excluded.first_open_at),
      first_human_open_at = least(activity.first_human_open_at, excluded.first_human_open_at),
      first_click_at = least(activity.first_click_at, excluded.first_click_at),
      first_human_click_at = least(activity.first_human_click_at, excluded.first_human_click_at),
      last_open_at = greatest(activity.last_open_at, excluded.last_open_at),
      last_human_open_at = greatest(activity.last_human_open_at, excluded.last_human_open_at),
      last_click_at = greatest(activity.last_click_at, excluded.last_click_at),
      last_human_click_at = greatest(activity.last_human_click_at, excluded.last_human_click_at)`.execute(
    tx,
  );
}

/** First and last SMS click of one subscriber in a batch. */
export type SmsClicks = { subscriberId: number; first: Date; last: Date };

export async function raiseSmsClicks(tx: Tx, accountId: number, changes: readonly SmsClicks[]) {
  if (changes.length === 0) return;
  const sortedChanges = [...changes].sort((a, b) => a.subscriberId - b.subscriberId);
  await sql`
    insert into sms_clicks (account_id, subscriber_id, first_at, last_at)
    select ${accountId}::bigint, u.* from unnest(
      ${sortedChanges.map((smsClicks) => smsClicks.subscriberId)}::bigint[],
      ${sortedChanges.map((smsClicks) => smsClicks.first)}::timestamptz[],
      ${sortedChanges.map((smsClicks) => smsClicks.last)}::timestamptz[]) as u
    on conflict (account_id, subscriber_id) do update set
      first_at = least(sms_clicks.first_at, excluded.first_at),
      last_at = greatest(sms_clicks.last_at, excluded.last_at)`.execute(tx);
}

export const COUNTERS = [
  'opens',
  'human_opens',
  'unique_opens',
  'unique_human_opens',
  'clicks',
  'human_clicks',
  'unique_clicks',
  'unique_human_clicks',
  'unsubscribes',
  'hard_bounces',
  'soft_bounces',
  'returned',
  'complaints',
] as const;
export type Counter = (typeof COUNTERS)[number];
export type CounterChanges = Partial<Record<Counter, number>>;

/** Adds to counts of messages. Called last because all recorders of a message lock the same row. */
export async function addToCounts(
  tx: Tx,
  accountId: number,
  changes: ReadonlyMap<number, CounterChanges>,
): Promise<void> {
  const sortedChanges = [...changes].sort(([a], [b]) => a - b);
  if (sortedChanges.length === 0) return;
  const columns = sql.join(COUNTERS.map((name) => sql.ref(name)));
  const values = sql.join(
    COUNTERS.map((name) => sql`${sortedChanges.map(([, counts]) => counts[name] ?? 0)}::bigint[]`),
  );
  const assignments = sql.join(
    COUNTERS.map(
      (name) =>
        sql`${sql.ref(name)} = ${sql.ref(`engagement_counts.${name}`)} + ${sql.ref(`excluded.${name}`)}`,
    ),
  );
  await sql`
    insert into engagement_counts (account_id, message_id, ${columns})
    select ${accountId}::bigint, u.* from unnest(
      ${sortedChanges.map(([messageId]) => messageId)}::bigint[], ${values}) as u
    on conflict (account_id, message_id) do update set ${assignments}`.execute(tx);
}

export type TimeChange = {
  messageId: number;
  quarter: Date;
  opens: number;
  humanOpens: number;
  clicks: number;
  humanClicks: number;
};

export async function addToTimes(tx: Tx, accountId: number, changes: readonly TimeChange[]) {
  const sortedChanges = [...changes].sort(
    (a, b) => a.messageId - b.messageId || a.quarter.getTime() - b.quarter.getTime(),
  );
  await sql`
    insert into engagement_times (account_id, message_id, quarter, opens, human_opens, clicks,
      human_clicks)
    select ${accountId}::bigint, u.* from unnest(
      ${sortedChanges.map((timeChange) => timeChange.messageId)}::bigint[], ${sortedChanges.map((timeChange) => timeChange.quarter)}::timestamptz[],
      ${sortedChanges.map((timeChange) => timeChange.opens)}::bigint[], ${sortedChanges.map((timeChange) => timeChange.humanOpens)}::bigint[],
      ${sortedChanges.map((timeChange) => timeChange.clicks)}::bigint[], ${sortedChanges.map((timeChange) => timeChange.humanClicks)}::bigint[]) as u
    on conflict (account_id, message_id, quarter) do update set
      opens = engagement_times.opens + excluded.opens,
      human_opens = engagement_times.human_opens + excluded.human_opens,
      clicks = engagement_times.clicks + excluded.clicks,
      human_clicks = engagement_times.human_clicks + excluded.human_clicks`.execute(tx);
}

/** Counts of hits by device or country; `value` is empty if it is unknown. */
export type BreakdownChange = {
  messageId: number;
  aspect: 'device' | 'country';
  value: string;
  opens: number;
  humanOpens: number;
  clicks: number;
  humanClicks: number;
};

export async function addToBreakdowns(
  tx: Tx,
  accountId: number,
  changes: readonly BreakdownChange[],
): Promise<void> {
  const keyOf = (breakdownChange: BreakdownChange) =>
    `${breakdownChange.aspect} ${breakdownChange.value}`;
  const sortedChanges = [...changes].sort(
    (a, b) => a.messageId - b.messageId || (keyOf(a) < keyOf(b) ? -1 : 1),
  );
  await sql`
    insert into engagement_by (account_id, message_id, aspect, value, opens, human_opens, clicks,
      human_clicks)
    select ${accountId}::bigint, u.* from unnest(
      ${sortedChanges.map((breakdownChange) => breakdownChange.messageId)}::bigint[], ${sortedChanges.map((breakdownChange) => breakdownChange.aspect)}::text[],
      ${sortedChanges.map((breakdownChange) => breakdownChange.value)}::text[],
      ${sortedChanges.map((breakdownChange) => breakdownChange.opens)}::bigint[], ${sortedChanges.map((breakdownChange) => breakdownChange.humanOpens)}::bigint[],
      ${sortedChanges.map((breakdownChange) => breakdownChange.clicks)}::bigint[], ${sortedChanges.map((breakdownChange) => breakdownChange.humanClicks)}::bigint[]) as u
    on conflict (account_id, message_id, aspect, value) do update set
      opens = engagement_by.opens + excluded.opens,
      human_opens = engagement_by.human_opens + excluded.human_opens,
      clicks = engagement_by.clicks + excluded.clicks,
      human_clicks = engagement_by.human_clicks + excluded.human_clicks`.execute(tx);
}

/** Returns the clicks of these subscribers since an instant, to detect bursts. */
export async function listRecentClicks(
  tx: Tx,
  accountId: number,
  subscriberIds: readonly number[],
  since: Date,
): Promise<{ message_id: number; subscriber_id: number; at: Date; link_position: number }[]> {
  const { rows } = await sql<{
    message_id: number;
    subscriber_id: number;
    at: Date;
    link_position: number;
  }>`
    select message_id, subscriber_id, at, link_position from events
    where account_id = ${accountId} and subscriber_id = any(${[...subscriberIds]}::bigint[])
      and at >= ${since} and kind = 'click' and link_position is not null`.execute(tx);
  return rows;
}

export type EngagementCounts = Record<Counter, number> & { message_id: number };

export type Setbacks = {
  hard_bounces: number;
  soft_bounces: number;
  complaints: number;
  unsubscribes: number;
};

/** Counts an account's bounces, complaints and unsubscribes in a period. */
export async function readSetbacks(
  db: Reader,
  accountId: number,
  from: Date,
  to: Date,
): Promise<Setbacks> {
  const { rows } = await sql<Setbacks>`
    select count(*) filter (where kind = 'hard_bounce') as hard_bounces,
      count(*) filter (where kind = 'soft_bounce') as soft_bounces,
      count(*) filter (where kind = 'complaint') as complaints,
      count(*) filter (where kind = 'unsubscribe') as unsubscribes
    from events where account_id = ${accountId} and at >= ${from} and at < ${to}
      and kind in ('hard_bounce', 'soft_bounce', 'complaint', 'unsubscribe')`.execute(db);
  return rows[0] ?? { hard_bounces: 0, soft_bounces: 0, complaints: 0, unsubscribes: 0 };
}

export async function readEngagementCounts(
  db: Reader,
  accountId: number,
  messageIds: readonly number[],
): Promise<EngagementCounts[]> {
  const { rows } = await sql<EngagementCounts>`
    select message_id, ${sql.join(COUNTERS.map((name) => sql.ref(name)))} from engagement_counts
    where account_id = ${accountId} and message_id = any(${[...messageIds]}::bigint[])`.execute(db);
  return rows;
}
