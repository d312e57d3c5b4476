// Queries for groups of messages: several messages of one campaign, such as the variants of an
// experiment and the message to the remaining recipients. `group_of` of each message in a group is
// the ID of the lead, including for the lead itself.
import { sql } from 'kysely';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { type LeadId, toLeadId, toMessageId } from '../../lead-id.ts';
import { positionIn, recipientSet } from '../ledger/recipient-runs.sql.ts';

/**
 * Returns the IDs of all messages in the groups of these leads, by lead. For a message without a
 * group, this is only its own ID.
 */
export async function findMessagesByLead(
  db: Reader,
  accountId: number,
  leads: readonly LeadId[],
): Promise<Map<LeadId, number[]>> {
  if (leads.length === 0) return new Map();
  const { rows } = await sql<{ lead: LeadId; ids: number[] }>`
    select lead, array_agg(id order by id) as ids from (
      select id as lead, id from messages
      where account_id = ${accountId} and id = any(${[...leads]}::bigint[])
      union
      select group_of, id from messages
      where account_id = ${accountId} and group_of = any(${[...leads]}::bigint[])) grouped
    group by lead`.execute(db);
  return new Map(rows.map(({ lead, ids }) => [lead, ids.map(Number)]));
}

/** Returns the IDs of all messages of the lead's group in ascending order. */
export async function findMessagesOfLead(
  db: Reader,
  accountId: number,
  lead: LeadId,
): Promise<number[]> {
  return (await findMessagesByLead(db, accountId, [lead])).get(lead) ?? [toMessageId(lead)];
}

/** Returns the lead of a message, or the message itself if it is in no group. */
export async function findLead(db: Reader, accountId: number, messageId: number): Promise<LeadId> {
  const row = await db
    .selectFrom('messages')
    .select('group_of')
    .where('account_id', '=', accountId)
    .where('id', '=', messageId)
    .executeTakeFirst();
  return toLeadId(row?.group_of ?? messageId);
}

/** Locks the rows of the message and of its group, in the order of their IDs. Returns the IDs. */
export async function lockGroup(
  tx: Tx,
  accountId: number,
  message: number | LeadId,
): Promise<number[]> {
  const messageId = message as number;
  const lead = await findLead(tx, accountId, messageId);
  const { rows } = await sql<{ id: number }>`
    select id from messages
    where account_id = ${accountId} and (id = ${messageId} or group_of = ${lead})
    order by id for update`.execute(tx);
  return rows.map(({ id }) => id);
}

/** Adds the messages to the lead's group and stores the audience of each. */
export async function createGroup(
  tx: Tx,
  accountId: number,
  lead: number,
  audiences: ReadonlyMap<number, unknown>,
): Promise<void> {
  const messageIds = [...audiences.keys()];
  const audienceJson = [...audiences.values()].map((audience) => JSON.stringify(audience));
  await sql`
    update messages m set group_of = ${lead}, audience = n.audience::jsonb
    from unnest(${messageIds}::bigint[], ${audienceJson}::text[]) n(id, audience)
    where m.account_id = ${accountId} and m.id = n.id`.execute(tx);
}

/**
 * Saves the progress of writing a group's audience in these messages of the group: whether the
 * audience is complete, and when the message's earliest wave opens. A message that got its first
 * recipients changes to the state `sending`.
 */
export async function saveProgressOfGroup(
  tx: Tx,
  accountId: number,
  messageIds: readonly number[],
  progress: {
    /** The earliest opening of the lanes with added recipients, for each message. */
    openings: readonly (Date | undefined)[];
    areAdded: readonly boolean[];
    isDone: boolean;
    at: Date;
  },
): Promise<void> {
  await sql`
    update messages m set is_audience_complete = ${progress.isDone}, modified_at = ${progress.at},
      opens_at = least(m.opens_at, n.opens_at),
      state = case when n.is_added and state = 'preparing' then 'sending' else state end
    from unnest(${[...messageIds]}::bigint[], ${[...progress.areAdded]}::boolean[],
      ${progress.openings.map((opening) => opening ?? null)}::timestamptz[])
      n(id, is_added, opens_at)
    where m.account_id = ${accountId} and m.id = n.id`.execute(tx);
}

/** Selects (subscriber_id) of the holdout group of a lead's campaign. */
export const listHeldOutSubscribers = (accountId: number, lead: number) => sql<{
  subscriber_id: number;
}>`
  select h.block * 64 + n as subscriber_id
  from message_holdouts h cross join generate_series(0, 63) n
  where h.account_id = ${accountId} and h.message_id = ${lead} and h.bits >> n & 1 = 1`;

/**
 * Selects (subscriber_id) of the recipients of these messages; a subscriber may occur several
 * times.
 */
export const listRecipientsOf = (accountId: number, messageIds: readonly number[]) => sql<{
  subscriber_id: number;
}>`
  select r.subscriber_id
  from ${recipientSet(accountId, sql`= any(${[...messageIds]}::bigint[])`)} r`;

export async function isHeldOut(
  db: Reader,
  accountId: number,
  lead: number,
  subscriberId: number,
): Promise<boolean> {
  const { rows } = await sql<{ found: boolean }>`
    select exists (select 1 from message_holdouts where account_id = ${accountId}
      and message_id = ${lead} and block = ${subscriberId}::bigint / 64
      and bits >> (${subscriberId}::bigint % 64)::int & 1 = 1) as found`.execute(db);
  return rows[0]?.found === true;
}

/** Returns the ID of one of these messages that has the subscriber as a recipient. */
export async function findMessageWith(
  db: Reader,
  accountId: number,
  messageIds: readonly number[],
  subscriberId: number,
): Promise<number | undefined> {
  const { rows } = await sql<{ message_id: number }>`
    select m.id as message_id from unnest(${[...messageIds]}::bigint[]) m(id)
    cross join lateral ${positionIn(accountId, sql`m.id`, subscriberId)} r limit 1`.execute(db);
  return rows[0]?.message_id;
}

export type FirstAttempts = { messageId: number; mean: Date; last: Date };

/**
 * Returns the mean and the last time of each message's first attempts, without skipped recipients.
 * Messages without stored attempts are absent.
 */
export async function findFirstAttempts(
  db: Reader,
  accountId: number,
  messageIds: readonly number[],
): Promise<FirstAttempts[]> {
  const { rows } = await sql<FirstAttempts>`
    select message_id as "messageId", to_timestamp(avg(extract(epoch from at))) as mean,
      max(at) as last
    from results where account_id = ${accountId} and attempt = 1
      and message_id = any(${[...messageIds]}::bigint[]) and state <> 'skipped'
    group by message_id`.execute(db);
  return rows;
}
