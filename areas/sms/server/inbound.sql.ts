// Queries for incoming SMS.
import { type Selectable, sql } from 'kysely';
import type { DB } from '#platform/server/database/database.generated.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';

export type InboundRow = Selectable<DB['sms_inbound']>;

/** Inserts an incoming SMS and returns its ID, or undefined if the event was inserted before. */
export async function insertInbound(
  tx: Tx,
  text: Omit<InboundRow, 'id'>,
): Promise<number | undefined> {
  const row = await tx
    .insertInto('sms_inbound')
    .values(text)
    .onConflict((conflict) => conflict.columns(['account_id', 'event_id']).doNothing())
    .returning('id')
    .executeTakeFirst();
  return row?.id;
}

/** Counts replies by message; the map lacks messages without replies. */
export async function countReplies(
  db: Reader,
  accountId: number,
  messageIds: readonly number[],
): Promise<Map<number, number>> {
  if (messageIds.length === 0) return new Map();
  const { rows } = await sql<{ message_id: number; count: number }>`
    select message_id, count(*) as count from sms_inbound
    where account_id = ${accountId} and message_id = any(${[...messageIds]}::bigint[])
    group by message_id`.execute(db);
  return new Map(rows.map((row) => [row.message_id, row.count]));
}

type AnswerableReply = Pick<InboundRow, 'id' | 'phone_id' | 'sender' | 'subscriber_id'> & {
  /** When the last SMS arrived from the same number. */
  last_at: Date;
  country: string | null;
  zone: string | null;
};

/**
 * Finds a reply to one of the messages, and the data that decides whether it may be answered now.
 * A reply of an erased subscriber has no number and cannot be answered.
 */
export async function findReply(
  db: Reader,
  accountId: number,
  messageIds: readonly number[],
  id: number,
): Promise<AnswerableReply | undefined> {
  const { rows } = await sql<AnswerableReply>`
    select i.id, i.phone_id, i.sender, i.subscriber_id, s.country, s.timezone as zone,
      (select max(n.received_at) from sms_inbound n
        where n.account_id = ${accountId} and n.sender = i.sender) as last_at
    from sms_inbound i
    left join subscribers s on s.account_id = ${accountId} and s.id = i.subscriber_id
    where i.account_id = ${accountId} and i.message_id = any(${[...messageIds]}::bigint[]) and i.id = ${id}
      and i.sender <> ''`.execute(db);
  return rows[0];
}

/**
 * Handles `subscriber.erased` and `subscriber.purged`: deletes the numbers and texts of replies.
 * Reports count the rows, which remain.
 */
export async function eraseReplies(
  tx: Tx,
  erasure: { accountId: number; subscriberIds: number[]; addresses?: readonly string[] },
): Promise<void> {
  const { accountId, subscriberIds, addresses = [] } = erasure;
  await sql`
    update sms_inbound set sender = '', text = ''
    where account_id = ${accountId} and (subscriber_id = any(${subscriberIds}::bigint[])
      or sender = any(${[...addresses]}::text[]))`.execute(tx);
}
