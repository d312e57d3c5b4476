// Queries that pause, resume and cancel the messages of a source, such as a workflow's step, and
// their single sends.
import { sql } from 'kysely';
import type { Tx } from '#platform/server/database/database.ts';
import type { MessageState } from '../../shared.ts';
import type { MessageKind } from '../../message-kinds.ts';

/**
 * Returns the messages of these sources in one of these states, ordered by ID: locks taken in this
 * order cannot deadlock.
 */
export async function findStreams(
  tx: Tx,
  sources: { accountId: number; kind: MessageKind; sourceIds: readonly number[] },
  states: readonly MessageState[],
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from messages
    where account_id = ${sources.accountId} and kind = ${sources.kind}
      and source_id = any(${[...sources.sourceIds]}::bigint[]) and state = any(${[...states]}::text[])
    order by id`.execute(tx);
  return rows.map((row) => row.id);
}

/** Time of the next attempt of suspended single sends, so that polls skip them. */
const NEVER_AT = new Date('9999-12-31T00:00:00Z');

export async function suspendSingles(tx: Tx, accountId: number, messageId: number): Promise<void> {
  await sql`
    update single_sends set next_attempt_at = ${NEVER_AT}
    where account_id = ${accountId} and message_id = ${messageId}
      and state in ('pending', 'deferred') and owner is null`.execute(tx);
}

export async function releaseSingles(
  tx: Tx,
  accountId: number,
  messageId: number,
  at: Date,
): Promise<void> {
  await sql`
    update single_sends set next_attempt_at = ${at}
    where account_id = ${accountId} and message_id = ${messageId}
      and state in ('pending', 'deferred') and owner is null and next_attempt_at = ${NEVER_AT}`.execute(
    tx,
  );
}

type DeferredSingle = { recipient: string; mailbox: number | null };

/**
 * Skips single sends that wait. Returns the number of those without an attempt (`fresh`), and the
 * recipients of the others; `mailbox` is the mailbox provider of the subscriber, null for SMS and
 * without a subscriber.
 */
export async function cancelSingles(
  tx: Tx,
  accountId: number,
  messageId: number,
  at: Date,
): Promise<{ fresh: number; deferred: DeferredSingle[] }> {
  const { rows } = await sql<{ fresh: number; deferred: DeferredSingle[] }>`
    with gone as (
      update single_sends set state = 'skipped', reason = 'cancelled', finished_at = ${at},
        sealed_variables = null
      where account_id = ${accountId} and message_id = ${messageId}
        and state in ('pending', 'deferred') and owner is null
      returning relay, recipient, case when channel = 'email' then subscriber_id end as email_of
    )
    select count(*) filter (where g.relay is null) as fresh,
      coalesce(jsonb_agg(jsonb_build_object('recipient', g.recipient, 'mailbox', s.mailbox))
        filter (where g.relay is not null), '[]') as deferred
    from gone g
    left join subscribers s on s.account_id = ${accountId} and s.id = g.email_of
      and s.deleted_at is null`.execute(tx);
  return rows[0] ?? { fresh: 0, deferred: [] };
}
