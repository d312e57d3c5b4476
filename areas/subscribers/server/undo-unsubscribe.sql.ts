// Queries for the undo of unsubscribes that the account's users or programs caused.
import { sql } from 'kysely';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import type { ChangeReason, Channel, SubscriptionStatus } from '../shared.ts';

export type LastChange = { previousStatus: SubscriptionStatus | null; reason: ChangeReason };

/** Returns the last change of each subscriber's status on a channel. */
export async function findLastChanges(
  db: Reader,
  accountId: number,
  ids: readonly number[],
  channel: Channel,
): Promise<Map<number, LastChange>> {
  const { rows } = await sql<LastChange & { id: number }>`
    select distinct on (subscriber_id) subscriber_id as id, from_status as "previousStatus", reason
    from status_changes
    where account_id = ${accountId} and subscriber_id = any(${[...ids]}::bigint[])
      and channel = ${channel}
    order by subscriber_id, at desc`.execute(db);
  return new Map(rows.map(({ id, ...change }) => [id, change]));
}

/**
 * Changes the status of unsubscribed subscribers and records the change. Their rows must be locked.
 */
export async function restoreStatus(
  tx: Tx,
  accountId: number,
  ids: readonly number[],
  change: {
    channel: Channel;
    to: SubscriptionStatus;
    reason: ChangeReason;
    userId: number | undefined;
    at: Date;
  },
): Promise<void> {
  const { channel, to, reason, userId, at } = change;
  const column = sql.ref(`${channel}_status`);
  await sql`
    with changed as (
      update subscribers
      set ${column} = ${to}::subscription_status
        ${channel === 'email' ? sql`, unsubscribed_at = null` : sql``}
      where account_id = ${accountId} and id = any(${[...ids]}::bigint[]) and deleted_at is null
        and ${column} = 'unsubscribed'
      returning account_id, id
    )
    insert into status_changes
      (account_id, subscriber_id, at, channel, from_status, to_status, reason, user_id)
    select account_id, id, ${at}::timestamptz, ${channel}, 'unsubscribed',
      ${to}::subscription_status, ${reason}, ${userId ?? null}::bigint
    from changed
    on conflict (account_id, subscriber_id, at, channel)
      do update set to_status = excluded.to_status, reason = excluded.reason`.execute(tx);
}

/**
 * Changes suppressions by the account back to suppressions by the earlier bounce, including its
 * date and message.
 */
export async function restoreBounceSuppressions(
  tx: Tx,
  accountId: number,
  channel: Channel,
  rows: readonly { id: number; hash: Buffer }[],
): Promise<void> {
  await sql`
    update suppressions s
    set reason = 'bounced', created_at = coalesce(bounced.at, s.created_at),
      message_id = bounced.message_id
    from unnest(${rows.map((row) => row.id)}::bigint[], ${rows.map((row) => row.hash)}::bytea[])
        as given (id, hash)
      left join lateral (
        select at, message_id from status_changes
        where account_id = ${accountId} and subscriber_id = given.id and channel = ${channel}
          and to_status = 'bounced'
        order by at desc limit 1
      ) bounced on true
    where s.account_id = ${accountId} and s.channel = ${channel} and s.address_hash = given.hash
      and s.reason = 'manual'`.execute(tx);
}
