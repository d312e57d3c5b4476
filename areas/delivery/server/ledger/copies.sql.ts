// Queries for individual copies, for tracking and the view in the browser.
import { sql } from 'kysely';
import type { Reader } from '#platform/server/database/database.ts';
import { filterKinds } from '../../message-kinds.ts';
import { positionIn } from './recipient-runs.sql.ts';

export type CopyKey = { messageId: number; subscriberId: number };

/**
 * Message kinds that recipients do not wait for; other kinds are often clicked as soon as they
 * arrive.
 */
const UNAWAITED = filterKinds(({ permission }) => permission === 'marketing');

/**
 * Returns the times at which a relay accepted these copies. Among single sends, it reads only
 * marketing ones and returns each subscriber's newest acceptance. Looks up copies by key, which
 * takes 30 µs per copy.
 */
export async function findAcceptanceTimes(
  db: Reader,
  accountId: number,
  keys: readonly CopyKey[],
): Promise<{ message_id: number; subscriber_id: number; at: Date }[]> {
  const { rows } = await sql<{ message_id: number; subscriber_id: number; at: Date }>`
    with k as materialized (
      select * from unnest(${keys.map((key) => key.messageId)}::bigint[],
        ${keys.map((key) => key.subscriberId)}::bigint[]) as k (message_id, subscriber_id)
    )
    select r.message_id, r.subscriber_id, a.at
    from k
    join recipients r on r.account_id = ${accountId} and r.subscriber_id = k.subscriber_id
      and r.message_id = k.message_id
    join results a on a.account_id = ${accountId} and a.message_id = r.message_id
      and a.lane = r.lane and a.ordinal = r.ordinal and a.state = 'accepted'
    union all
    select s.message_id, s.subscriber_id, max(s.finished_at)
    from k
    join messages m on m.account_id = ${accountId} and m.id = k.message_id
      and m.kind = any(${UNAWAITED}::text[])
    join single_sends s on s.account_id = ${accountId} and s.subscriber_id = k.subscriber_id
      and s.message_id = k.message_id and s.state = 'accepted'
    group by s.message_id, s.subscriber_id`.execute(db);
  return rows;
}

type LaneRow = {
  message_id: number;
  subscriber_id: number;
  /**
   * Null for single sends; `recipient` and the subscriber's mailbox provider are set instead.
   */
  lane: number | null;
  recipient: string | null;
  mailbox: number | null;
};

/** Finds the lane of each copy or, for copies of single sends, the newest single send. */
export async function findCopyLanes(
  db: Reader,
  accountId: number,
  keys: readonly CopyKey[],
): Promise<LaneRow[]> {
  const { rows } = await sql<LaneRow>`
    with k as materialized (
      select * from unnest(${keys.map((key) => key.messageId)}::bigint[],
        ${keys.map((key) => key.subscriberId)}::bigint[]) as k (message_id, subscriber_id)
    )
    select k.message_id, k.subscriber_id, r.lane, s.recipient, s.mailbox
    from k
    left join lateral ${positionIn(accountId, sql`k.message_id`, sql`k.subscriber_id`)} r on true
    left join lateral (
      select o.recipient, p.mailbox from single_sends o
      left join subscribers p on p.account_id = ${accountId} and p.id = o.subscriber_id
        and p.deleted_at is null
      where o.account_id = ${accountId} and o.subscriber_id = k.subscriber_id
        and o.message_id = k.message_id and o.channel = 'email' and o.recipient <> ''
        and r.lane is null
      order by o.created_at desc limit 1
    ) s on true
    where r.lane is not null or s.recipient is not null`.execute(db);
  return rows;
}

/** Finds the recipient and the values of a single send, without sealed values. */
export async function findSingle(
  db: Reader,
  accountId: number,
  messageId: number,
  id: number,
): Promise<{ recipient: string; subscriber_id: number | null; variables: unknown } | undefined> {
  return db
    .selectFrom('single_sends')
    .select(['recipient', 'subscriber_id', 'variables'])
    .where('account_id', '=', accountId)
    .where('message_id', '=', messageId)
    .where('id', '=', id)
    .executeTakeFirst();
}
