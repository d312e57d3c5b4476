// SQL that reads recipients in both forms: rows of `recipients`, and runs of packed messages
// (decision 141). The runs of a message contain all of its recipients. Only the rows of recipients
// with results remain; the others are deleted some time after the packing. So a recipient of a
// packed message may exist in both forms.
import { type RawBuilder, sql } from 'kysely';
import type { Reader } from '#platform/server/database/database.ts';

/** An ID, or SQL for one. */
type SqlId = number | RawBuilder<unknown>;

/** Subscriber IDs greater than the first and up to the second. */
export type IdRange = { after: number; lastId: number };

/**
 * Selects the position (lane, ordinal) of a subscriber in the runs of a message; at most one row. A
 * lookup by key finds the last run that begins at or before the subscriber. Without OFFSET the
 * planner would repeat the search in the run for each use of its result.
 */
export function positionInRuns(
  accountId: number,
  messageId: SqlId,
  subscriberId: SqlId,
): RawBuilder<unknown> {
  return sql`
    (select c.lanes[found.place] as lane, c.ordinals[found.place] as ordinal
    from (select x.first_id, x.last_id, x.offsets, x.lanes, x.ordinals from recipient_runs x
      where x.account_id = ${accountId} and x.message_id = ${messageId}
        and x.first_id <= ${subscriberId}
      order by x.first_id desc limit 1) c
    cross join lateral (select case when c.last_id >= ${subscriberId}
      then array_position(c.offsets, (${subscriberId} - c.first_id)::integer) end as place offset 0) found
    where found.place is not null)`;
}

/**
 * Selects the position (lane, ordinal) of a subscriber in a message, in either form; at most one
 * row.
 */
export function positionIn(
  accountId: number,
  messageId: SqlId,
  subscriberId: SqlId,
): RawBuilder<unknown> {
  return sql`
    (select w.lane, w.ordinal from recipients w
    where w.account_id = ${accountId} and w.message_id = ${messageId}
      and w.subscriber_id = ${subscriberId}
    union all
    ${positionInRuns(accountId, messageId, subscriberId)}
    limit 1)`;
}

/**
 * Selects (subscriber_id, message_id, lane, ordinal) of each recipient of these messages once.
 */
export function positionsIn(accountId: number, messageIds: readonly number[]): RawBuilder<unknown> {
  const ids = sql`any(${[...messageIds]}::bigint[])`;
  return sql`
    (select w.subscriber_id, w.message_id, w.lane, w.ordinal from recipients w
    join messages u on u.account_id = ${accountId} and u.id = w.message_id and u.packed_to is null
    where w.account_id = ${accountId} and w.message_id = ${ids}
    union all
    select c.first_id + place.offset_id, c.message_id, place.lane, place.ordinal
    from recipient_runs c
    cross join lateral unnest(c.offsets, c.lanes, c.ordinals) place(offset_id, lane, ordinal)
    where c.account_id = ${accountId} and c.message_id = ${ids})`;
}

/**
 * Selects (subscriber_id, message_id) of the recipients of the messages whose ID meets an SQL
 * condition, such as `= 5`. A recipient may occur twice, so use the rows only as a set.
 */
export function recipientSet(
  accountId: number,
  condition: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`
    (select w.subscriber_id, w.message_id from recipients w
    where w.account_id = ${accountId} and w.message_id ${condition}
    union all
    select c.first_id + place.offset_id, c.message_id from recipient_runs c
    cross join lateral unnest(c.offsets) place(offset_id)
    where c.account_id = ${accountId} and c.message_id ${condition})`;
}

/**
 * Selects the positions (subscriber_id, message_id, lane, ordinal) of these subscribers in all
 * messages, each once. It takes one lookup per packed message and subscriber; messages whose packed
 * recipients all have smaller IDs than the subscriber are not searched.
 * @param condition SQL condition on the packed messages `m` to search
 */
export function positionsOf(
  accountId: number,
  subscriberIds: readonly number[],
  condition: RawBuilder<unknown> = sql`true`,
): RawBuilder<unknown> {
  const ids = sql`${[...subscriberIds]}::bigint[]`;
  return sql`
    (select w.subscriber_id, w.message_id, w.lane, w.ordinal from recipients w
    where w.account_id = ${accountId} and w.subscriber_id = any(${ids})
    union
    select person.id, m.id, found.lane, found.ordinal
    from unnest(${ids}) person(id)
    join messages m on m.account_id = ${accountId} and m.packed_to >= person.id and ${condition}
    cross join lateral ${positionInRuns(accountId, sql`m.id`, sql`person.id`)} found)`;
}

/** SQL: the subscriber is a recipient of at least one packed message. */
export function isInAnyRun(accountId: number, subscriberId: SqlId): RawBuilder<boolean> {
  return sql<boolean>`exists (select 1 from messages m
    cross join lateral ${positionInRuns(accountId, sql`m.id`, subscriberId)} found
    where m.account_id = ${accountId} and m.packed_to >= ${subscriberId})`;
}

/** SQL: the subscriber is in the runs of at least one of these messages. */
export function isInRunsOf(
  accountId: number,
  messageIds: readonly number[],
  subscriberId: SqlId,
): RawBuilder<boolean> {
  return sql<boolean>`exists (select 1 from unnest(${[...messageIds]}::bigint[]) packed(id)
    cross join lateral ${positionInRuns(accountId, sql`packed.id`, subscriberId)} found)`;
}

/** Returns the given messages whose recipients are packed. */
export async function findPacked(
  db: Reader,
  accountId: number,
  messageIds: readonly number[],
): Promise<Set<number>> {
  if (messageIds.length === 0) return new Set();
  const { rows } = await sql<{ id: number }>`
    select id from messages where account_id = ${accountId}
      and id = any(${[...messageIds]}::bigint[]) and packed_to is not null`.execute(db);
  return new Set(rows.map((row) => row.id));
}

/**
 * Selects (subscriber_id) of the subscribers with an accepted copy of one of these packed messages.
 * In a compacted range, a recipient without a row in `results` was accepted. The ranges of a lane
 * have no gaps in a packed message, so a position is compared only with the end of the last range.
 * Every OFFSET forces a lookup by keys: with a wrong estimate, a join compared each recipient with
 * each result.
 * @param range the subscribers to read; all if undefined
 * @param inTime SQL beginning with AND: a condition on the results `a`. It filters only copies
 * accepted by a retry after compaction, because other accepted copies of packed messages have no
 * result.
 */
export function acceptedOfPacked(
  accountId: number,
  messageIds: readonly number[],
  range: IdRange | undefined,
  inTime: RawBuilder<unknown> = sql``,
): RawBuilder<unknown> {
  const ids = sql`${[...messageIds]}::bigint[]`;
  const idIn = (id: RawBuilder<unknown>) =>
    range ? sql`and ${id} > ${range.after} and ${id} <= ${range.lastId}` : sql``;
  // A run that begins before the range may extend into it.
  const isRunIn = range
    ? sql`and x.first_id <= ${range.lastId} and x.first_id >= coalesce((
        select max(y.first_id) from recipient_runs y where y.account_id = ${accountId}
          and y.message_id = m.id and y.first_id <= ${range.after}), 0)`
    : sql``;
  return sql`
    select r.subscriber_id from recipients r
    where r.account_id = ${accountId} and r.message_id = any(${ids}) ${idIn(sql`r.subscriber_id`)}
      and exists (select 1 from results a where a.account_id = ${accountId}
        and a.message_id = r.message_id and a.lane = r.lane and a.ordinal = r.ordinal
        and a.state = 'accepted' ${inTime} offset 0)
    union all
    select c.first_id + place.offset_id from unnest(${ids}) m(id)
    cross join lateral (select x.first_id, x.offsets, x.lanes, x.ordinals from recipient_runs x
      where x.account_id = ${accountId} and x.message_id = m.id ${isRunIn}) c
    cross join lateral unnest(c.offsets, c.lanes, c.ordinals) place(offset_id, lane, ordinal)
    where place.ordinal <= (select p.to_ordinal from compacted_ranges p
        where p.account_id = ${accountId} and p.message_id = m.id and p.lane = place.lane
        order by p.from_ordinal desc limit 1)
      and not exists (select 1 from results n where n.account_id = ${accountId}
        and n.message_id = m.id and n.lane = place.lane and n.ordinal = place.ordinal offset 0)
      ${idIn(sql`c.first_id + place.offset_id`)}`;
}
