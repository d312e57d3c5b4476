// SQL that other areas use to find copies by their outcome: accepted copies (including copies in
// compacted ledgers), copies that were not accepted, single sends, and delivered SMS.
import { type RawBuilder, sql } from 'kysely';
import type { Reader } from '#platform/server/database/database.ts';
import { positionsIn, positionsOf } from './recipient-runs.sql.ts';

/**
 * Returns whether the ledger of at least one of these messages is compacted, so that queries must
 * also read compacted ranges.
 */
export async function isCompacted(
  db: Reader,
  accountId: number,
  messageIds: readonly number[],
): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select 1 from compacted_ranges where account_id = ${accountId}
      and message_id = any(${[...messageIds]}::bigint[])) as found`.execute(db);
  return rows[0]?.found === true;
}

/**
 * Returns the time of the newest stored first attempt; null if there is none. Compaction deletes
 * the attempts of accepted copies.
 */
export async function findLastFirstAttemptAt(
  db: Reader,
  accountId: number,
  messageIds: readonly number[],
): Promise<Date | null> {
  const { rows } = await sql<{ at: Date | null }>`
    select max(at) as at from results
    where account_id = ${accountId} and message_id = any(${[...messageIds]}::bigint[])
      and attempt = 1`.execute(db);
  return rows[0]?.at ?? null;
}

/**
 * SQL: joins positions `r` with their compacted ranges `p` and selects the positions without
 * results. Their copies were accepted because compaction deleted only the results of accepted
 * copies.
 */
const compactedOnly = (accountId: number) => sql`
  join compacted_ranges p on p.account_id = ${accountId} and p.message_id = r.message_id
    and p.lane = r.lane and r.ordinal between p.from_ordinal and p.to_ordinal
  where not exists (select 1 from results n where n.account_id = ${accountId}
    and n.message_id = r.message_id and n.lane = r.lane and n.ordinal = r.ordinal)`;

/**
 * Selects (subscriber_id, at, message_id, lane, ordinal) of the accepted copies of these messages.
 * In a compacted range, each has the time of the range's last acceptance.
 * @param withCompacted whether to read compacted ranges; see `isCompacted`
 */
export function acceptedCopies(
  accountId: number,
  messageIds: readonly number[],
  withCompacted: boolean,
): RawBuilder<unknown> {
  const isOurs = sql`r.message_id = any(${[...messageIds]}::bigint[])`;
  const recent = sql`
    select r.subscriber_id, a.at, r.message_id, r.lane, r.ordinal
    from recipients r join results a on a.account_id = ${accountId} and a.message_id = r.message_id
      and a.lane = r.lane and a.ordinal = r.ordinal and a.state = 'accepted'
    where r.account_id = ${accountId} and ${isOurs}`;
  if (!withCompacted) return recent;
  return sql`${recent}
    union all
    select r.subscriber_id, p.last_at, r.message_id, r.lane, r.ordinal
    from ${positionsIn(accountId, messageIds)} r
    ${compactedOnly(accountId)}`;
}

/**
 * Selects (subscriber_id, message_id, lane, state, at, code, reply, reason) of the recipients of
 * these messages whose latest result has one of these states.
 */
export function copiesNotAccepted(
  accountId: number,
  messageIds: readonly number[],
  states: readonly ('skipped' | 'failed' | 'unknown')[],
): RawBuilder<unknown> {
  return sql`
    select r.subscriber_id, r.message_id, r.lane, n.state, n.at, n.code, n.reply, n.reason
    from results n
    join recipients r on r.account_id = ${accountId} and r.message_id = n.message_id
      and r.lane = n.lane and r.ordinal = n.ordinal
    where n.account_id = ${accountId} and n.message_id = any(${[...messageIds]}::bigint[])
      and n.state <> 'accepted' and n.state = any(${[...states]}::delivery_state[])
      and not exists (select 1 from results later where later.account_id = ${accountId}
        and later.message_id = n.message_id and later.lane = n.lane
        and later.ordinal = n.ordinal and later.attempt > n.attempt)`;
}

/**
 * Selects (subscriber_id, message_id, at) of the subscriber's accepted copies of messages with an
 * audience.
 */
export function acceptedByPerson(accountId: number, subscriberId: number): RawBuilder<unknown> {
  return acceptedSubscriberCopies(accountId, [subscriberId]);
}

/**
 * Selects (subscriber_id, message_id, at) of the accepted copies of several subscribers.
 * @param since packed messages that finished earlier are omitted
 */
export function acceptedSubscriberCopies(
  accountId: number,
  ids: readonly number[],
  since?: Date,
): RawBuilder<unknown> {
  const isRecent = since && sql`(m.finished_at is null or m.finished_at >= ${since})`;
  return sql`
    select r.subscriber_id, r.message_id, a.at from recipients r
    join results a on a.account_id = ${accountId} and a.message_id = r.message_id
      and a.lane = r.lane and a.ordinal = r.ordinal and a.state = 'accepted'
    where r.account_id = ${accountId} and r.subscriber_id = any(${[...ids]}::bigint[])
    union all
    select r.subscriber_id, r.message_id, p.last_at
    from ${positionsOf(accountId, ids, isRecent)} r
    cross join lateral (select x.last_at from compacted_ranges x
      where x.account_id = ${accountId} and x.message_id = r.message_id and x.lane = r.lane
        and r.ordinal between x.from_ordinal and x.to_ordinal
      order by x.from_ordinal desc limit 1) p
    where not exists (select 1 from results n where n.account_id = ${accountId}
      and n.message_id = r.message_id and n.lane = r.lane and n.ordinal = r.ordinal offset 0)`;
}

/** Counts the distinct subscribers with an accepted copy of at least one of these messages. */
export async function countRecipients(
  db: Reader,
  accountId: number,
  messageIds: readonly number[],
): Promise<number> {
  if (messageIds.length === 0) return 0;
  const { rows } = await sql<{ count: number }>`
    select count(distinct subscriber_id)::integer as count from (
      select subscriber_id from (${acceptedCopies(accountId, messageIds, true)}) copies
      union all
      select subscriber_id from single_sends
      where account_id = ${accountId} and message_id = any(${[...messageIds]}::bigint[])
        and state = 'accepted') reached`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Selects (message_id, at) of the subscriber's accepted single sends. */
export function singlesByPerson(accountId: number, subscriberId: number): RawBuilder<unknown> {
  return sql`
    select message_id, finished_at as at from single_sends
    where account_id = ${accountId} and subscriber_id = ${subscriberId} and state = 'accepted'`;
}

/**
 * SQL: all transactional emails of the account, each with its template (`source_id`), the ID of its
 * recipient in tracking (`person_id`) and its state.
 */
export function transactionalSingles(accountId: number): RawBuilder<unknown> {
  return sql`
    select m.source_id, s.id, s.message_id, s.subscriber_id, s.recipient, s.state, s.reason, s.reply,
      coalesce(s.subscriber_id, -s.id) as person_id, s.created_at, s.finished_at
    from messages m join single_sends s on s.account_id = ${accountId} and s.message_id = m.id
    where m.account_id = ${accountId} and m.kind = 'transactional'`;
}

/**
 * Selects (subscriber_id, message_id, at) of the SMS to these subscribers that a provider reported
 * as delivered.
 */
export function smsDelivered(accountId: number, ids: readonly number[]): RawBuilder<unknown> {
  const subscriberCondition = sql`any(${[...ids]}::bigint[])`;
  return sql`
    select r.subscriber_id, r.message_id, t.delivered_at as at from recipients r
    join sms_results t on t.account_id = ${accountId} and t.message_id = r.message_id
      and t.lane = r.lane and t.ordinal = r.ordinal and t.delivered_at is not null
    where r.account_id = ${accountId} and r.subscriber_id = ${subscriberCondition}
    union all
    select s.subscriber_id, s.message_id, t.delivered_at from single_sends s
    join sms_results t on t.account_id = ${accountId} and t.message_id = s.message_id
      and t.lane = -1 and t.ordinal = s.id and t.delivered_at is not null
    where s.account_id = ${accountId} and s.subscriber_id = ${subscriberCondition} and s.channel = 'sms'`;
}
