// The demo's single sends: each transactional email at most once per order.
import { sql } from 'kysely';
import type { Tx } from '#platform/server/database/database.ts';
import { chance, type DemoHistory } from './history.sql.ts';

/** Keeps a message open: transactional emails with the same content share one message. */
export async function settleTransactional(
  tx: Tx,
  history: DemoHistory,
  messageId: number,
  hash: Buffer,
): Promise<void> {
  await sql`update messages set state = 'sending', finished_at = null, frozen_hash = ${hash}
    where account_id = ${history.accountId} and id = ${messageId}`.execute(tx);
}

/**
 * Adds the single sends. Also adds them to `demo_sent` with place -1, so that opens and clicks are
 * drawn as for campaigns.
 */
export async function addSingles(
  tx: Tx,
  history: DemoHistory,
  email: { messageId: number; links: number; delayHours: number },
): Promise<void> {
  const { messageId, links, delayHours } = email;
  const sentAt = sql`o.placed_at + make_interval(hours => ${delayHours}::int, secs => 2)`;
  const orders = sql`orders o join subscribers s on s.account_id = ${history.accountId} and s.id = o.subscriber_id
    where o.account_id = ${history.accountId} and s.email is not null
      and (o.cancelled_at is null or ${delayHours}::int = 0) and ${sentAt} < ${history.now}::timestamptz`;
  await sql`
    insert into single_sends (account_id, message_id, idempotency_key, subscriber_id, recipient, variables,
      state, attempt, next_attempt_at, code, reply, created_at, finished_at)
    select ${history.accountId}::bigint, ${messageId}::bigint, 'order-' || o.id, s.id, s.email,
      jsonb_build_object('order_number', o.number, 'order_total', o.total::numeric(18,2)::text),
      'accepted', 1, ${sentAt}, '2.0.0', '250 2.0.0 Ok', ${sentAt}, ${sentAt} + interval '1 second'
    from ${orders}`.execute(tx);
  await sql`
    insert into demo_sent (campaign_id, message_id, sent_at, appeal, links, place, subscriber_id, keen, fate,
      ordinal, a, b, d, e)
    select null, ${messageId}::bigint, ${sentAt}, 1.2, ${links}::int, -1, s.id, 0.7, null, 0,
      case when ${chance('o.id', 95)} < 0.74 then 0 else 0.99 end, ${chance('o.id', 96)},
      ${chance('o.id', 97)}, ${chance('o.id', 98)} * 0.7
    from ${orders}`.execute(tx);
}
