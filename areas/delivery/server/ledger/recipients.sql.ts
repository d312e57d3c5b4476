// Inserts recipients whose IDs another statement has selected and returned to the process. On a
// cluster, an insert that also selects its rows is planned with an intermediate result that any
// node may have to read, so it would fail if any node is unavailable, even one without the
// account's data.
import { sql } from 'kysely';
import type { Tx } from '#platform/server/database/database.ts';

/** Recipients selected for the end of a lane. `ids` is PostgreSQL's text of a sorted bigint[]. */
export type ChosenLane = { messageId: number; lane: number; written: number; ids: string };

/**
 * Inserts recipients at the ends of their lanes. The join with the account makes the statement run
 * on the account's node; otherwise the coordinator would compute the rows and copy them there.
 */
export async function insertAtEnds(
  tx: Tx,
  accountId: number,
  chosenLanes: readonly ChosenLane[],
): Promise<void> {
  if (chosenLanes.length === 0) return;
  await sql`
    insert into recipients (account_id, message_id, lane, ordinal, subscriber_id)
    select a.id, l.message_id, l.lane, l.written + r.place, r.id
    from accounts a
    cross join unnest(${chosenLanes.map((lane) => lane.messageId)}::bigint[],
      ${chosenLanes.map((lane) => lane.lane)}::smallint[], ${chosenLanes.map((lane) => lane.written)}::int[],
      ${chosenLanes.map((lane) => lane.ids)}::text[]) l(message_id, lane, written, ids)
    cross join lateral unnest(l.ids::bigint[]) with ordinality r(id, place)
    where a.id = ${accountId}`.execute(tx);
}

/**
 * Adds subscribers to the holdout group of a lead: one bit each, in rows for 64 consecutive IDs.
 */
export async function insertHeldOut(
  tx: Tx,
  accountId: number,
  messageId: number,
  ids: string,
): Promise<void> {
  await sql`
    insert into message_holdouts (account_id, message_id, block, bits)
    select ${accountId}::bigint, ${messageId}::bigint, id / 64, bit_or(1::bigint << (id % 64)::int)
    from unnest(${ids}::text::bigint[]) held(id) group by id / 64
    on conflict (account_id, message_id, block)
      do update set bits = message_holdouts.bits | excluded.bits`.execute(tx);
}
