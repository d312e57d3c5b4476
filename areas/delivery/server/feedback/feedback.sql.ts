// Queries that process feedback reports: the message and recipient of a copy, recent soft bounces,
// signs that a mailbox accepts email, and bounced copies of unknown outcome.
import { sql } from 'kysely';
import type { Reader } from '#platform/server/database/database.ts';
import { filterKinds, type MessageKind } from '../../message-kinds.ts';
import {
  acceptedSubscriberCopies,
  acceptedByPerson,
  singlesByPerson,
} from '../ledger/accepted.sql.ts';

const MARKETING = filterKinds((rules) => rules.permission === 'marketing');

export type ReturnedMessage = {
  id: number;
  kind: MessageKind;
  source_id: number | null;
  is_marketing: boolean;
  created_at: Date;
};

export async function findMessages(
  db: Reader,
  accountId: number,
  ids: readonly number[],
): Promise<ReturnedMessage[]> {
  const { rows } = await sql<ReturnedMessage>`
    select id, kind, source_id, created_at, kind = any(${MARKETING}::text[]) as is_marketing
    from messages where account_id = ${accountId} and id = any(${[...ids]}::bigint[])`.execute(db);
  return rows;
}

export async function findRecipientsOfSingles(
  db: Reader,
  accountId: number,
  ids: readonly number[],
): Promise<{ id: number; message_id: number; recipient: string }[]> {
  const { rows } = await sql<{ id: number; message_id: number; recipient: string }>`
    select id, message_id, recipient from single_sends
    where account_id = ${accountId} and id = any(${[...ids]}::bigint[])`.execute(db);
  return rows;
}

/**
 * Returns the last message whose copy to the subscriber was accepted, up to an instant. A report
 * without a token is attributed to this message.
 */
export async function findLastMessageTo(
  db: Reader,
  accountId: number,
  subscriberId: number,
  before: Date,
): Promise<number | undefined> {
  const { rows } = await sql<{ message_id: number }>`
    select message_id from (
      select message_id, at from (${acceptedByPerson(accountId, subscriberId)}) copies
      union all
      ${singlesByPerson(accountId, subscriberId)}) got
    where at <= ${before} order by at desc limit 1`.execute(db);
  return rows[0]?.message_id;
}

export type SoftBounce = {
  subscriber_id: number;
  message_id: number;
  at: Date;
  code: string | null;
  reply: string | null;
  cause: string | null;
};

/**
 * Returns soft bounces of subscribers since an instant, oldest first, excluding bounces from
 * reports that could be forged.
 */
export async function listSoftBouncesSince(
  db: Reader,
  accountId: number,
  subscriberIds: readonly number[],
  since: Date,
): Promise<SoftBounce[]> {
  const { rows } = await sql<SoftBounce>`
    select subscriber_id, message_id, at, details->>'code' as code, details->>'reply' as reply,
      details->>'cause' as cause
    from events where account_id = ${accountId}
      and subscriber_id = any(${[...subscriberIds]}::bigint[]) and at >= ${since}
      and kind = 'soft_bounce' and details->>'unproven' is null
    order by at`.execute(db);
  return rows;
}

/**
 * Returns when each subscriber's mailbox last showed that it accepts email: the last open or click,
 * or the acceptance of a copy that did not bounce. Copies accepted before `since` are not read, and
 * copies accepted at `settled` or later may still bounce. Bounces that could be forged are ignored.
 */
export async function findLastAccepted(
  db: Reader,
  accountId: number,
  subscriberIds: readonly number[],
  window: { since: Date; settled: Date },
): Promise<{ subscriber_id: number; at: Date }[]> {
  const ids = [...subscriberIds];
  const { rows } = await sql<{ subscriber_id: number; at: Date }>`
    select subscriber_id, max(at) as at from (
      select subscriber_id, greatest(last_open_at, last_click_at) as at from activity
      where account_id = ${accountId} and subscriber_id = any(${ids}::bigint[])
      union all
      select c.subscriber_id, c.at from (${acceptedSubscriberCopies(accountId, ids, window.since)}) c
      where c.at >= ${window.since} and c.at < ${window.settled}
        and (not exists (select 1 from outcomes o where o.account_id = ${accountId}
            and o.subscriber_id = c.subscriber_id and o.message_id = c.message_id
            and o.returned_at is not null)
          or exists (select 1 from events e where e.account_id = ${accountId}
            and e.subscriber_id = c.subscriber_id and e.message_id = c.message_id
            and e.at >= ${window.since} and e.kind = 'soft_bounce'
            and e.details->>'unproven' is not null))) taken
    where at is not null group by subscriber_id`.execute(db);
  return rows;
}

/**
 * Counts, by message, the copies of unknown outcome that bounced later. Messages without such
 * bounces are absent from the map.
 */
export async function countUnknownReturned(
  db: Reader,
  accountId: number,
  messageIds: readonly number[],
): Promise<Map<number, number>> {
  if (messageIds.length === 0) return new Map();
  const { rows } = await sql<{ message_id: number; count: number }>`
    select n.message_id, count(*) as count from results n
    join recipients p on p.account_id = ${accountId} and p.message_id = n.message_id
      and p.lane = n.lane and p.ordinal = n.ordinal
    join outcomes o on o.account_id = ${accountId} and o.message_id = n.message_id
      and o.subscriber_id = p.subscriber_id and o.returned_at is not null
    where n.account_id = ${accountId} and n.message_id = any(${[...messageIds]}::bigint[])
      and n.state <> 'accepted' and n.state = 'unknown'
      and not exists (select 1 from results later where later.account_id = ${accountId}
        and later.message_id = n.message_id and later.lane = n.lane
        and later.ordinal = n.ordinal and later.attempt > n.attempt)
    group by n.message_id`.execute(db);
  return new Map(rows.map((row) => [row.message_id, row.count]));
}
