// SQL of what providers say of texts: by the place in the ledger, or of a single send.
import { sql } from 'kysely';
import type { Tx } from '#platform/server/database.ts';

/** A copy's place: of a single send lane -1 and its id. */
export type TextPlace = { lane: number; ordinal: number; attempt: number };

/** A single has one row, whichever attempt it was. */
export const SINGLE_LANE = -1;

export type TakenText = TextPlace & {
  parts: number;
  costMicros: number | null;
  remoteId: string | null;
};

/** What was taken: a callback may have been here before, and keeps what it said. */
export async function saveTaken(
  tx: Tx,
  accountId: number,
  messageId: number,
  taken: readonly TakenText[],
): Promise<void> {
  const column = <K extends keyof TakenText>(key: K) => taken.map((one) => one[key]);
  await sql`
    insert into sms_results
      (account_id, message_id, lane, ordinal, attempt, parts, cost_micros, remote_id)
    select ${accountId}::bigint, ${messageId}::bigint, t.*
    from unnest(${column('lane')}::smallint[], ${column('ordinal')}::bigint[],
      ${column('attempt')}::smallint[], ${column('parts')}::smallint[],
      ${column('costMicros')}::bigint[], ${column('remoteId')}::text[]) t
    on conflict (account_id, message_id, lane, ordinal, attempt) do update
    set parts = excluded.parts, cost_micros = coalesce(excluded.cost_micros, sms_results.cost_micros),
      remote_id = coalesce(excluded.remote_id, sms_results.remote_id)`.execute(tx);
}

export type Told = TextPlace & {
  isDelivered: boolean;
  at: Date;
  remoteId: string;
  error: string | null;
};

/** What came of it, in any order and however often: the first of each word stands. */
export async function saveTold(
  tx: Tx,
  accountId: number,
  messageId: number,
  told: Told,
): Promise<void> {
  const { lane, ordinal, attempt, isDelivered, at, remoteId, error } = told;
  await sql`
    insert into sms_results (account_id, message_id, lane, ordinal, attempt, remote_id,
      delivered_at, undelivered_at, error)
    values (${accountId}, ${messageId}, ${lane}, ${ordinal}, ${attempt}, ${remoteId},
      ${isDelivered ? at : null}, ${isDelivered ? null : at}, ${error})
    on conflict (account_id, message_id, lane, ordinal, attempt) do update
    set remote_id = coalesce(sms_results.remote_id, excluded.remote_id),
      delivered_at = coalesce(sms_results.delivered_at, excluded.delivered_at),
      undelivered_at = coalesce(sms_results.undelivered_at, excluded.undelivered_at),
      error = coalesce(sms_results.error, excluded.error)`.execute(tx);
}

/** Where a person's copy stands in the ledger; undefined where there is none. */
export async function placeInRange(
  tx: Tx,
  accountId: number,
  messageId: number,
  subscriberId: number,
): Promise<TextPlace | undefined> {
  const { rows } = await sql<TextPlace>`
    select r.lane, r.ordinal, coalesce((select max(a.attempt) from results a
      where a.account_id = ${accountId} and a.message_id = ${messageId} and a.lane = r.lane
        and a.ordinal = r.ordinal), 1) as attempt
    from recipients r
    where r.account_id = ${accountId} and r.message_id = ${messageId}
      and r.subscriber_id = ${subscriberId}`.execute(tx);
  return rows[0];
}

/** What the ledger did not know was taken after all. True where it was not known. */
export async function settleRange(
  tx: Tx,
  accountId: number,
  messageId: number,
  { lane, ordinal, attempt }: TextPlace,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update results set state = 'accepted', reason = null
    where account_id = ${accountId} and message_id = ${messageId} and lane = ${lane}
      and ordinal = ${ordinal} and attempt = ${attempt} and state = 'unknown'`.execute(tx);
  return numAffectedRows === 1n;
}

export async function settleSingle(tx: Tx, accountId: number, id: number): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update single_sends set state = 'accepted', reason = null
    where account_id = ${accountId} and id = ${id} and state = 'unknown'`.execute(tx);
  return numAffectedRows === 1n;
}

/** Sums of a message's texts, for its report. */
export async function readTextFigures(
  tx: Tx,
  accountId: number,
  messageId: number,
): Promise<{ delivered: number; undelivered: number; parts: number; cost_micros: number }> {
  const { rows } = await sql<{
    delivered: number;
    undelivered: number;
    parts: number;
    cost_micros: number;
  }>`
    select count(delivered_at) as delivered,
      count(*) filter (where undelivered_at is not null and delivered_at is null) as undelivered,
      coalesce(sum(parts), 0)::bigint as parts, coalesce(sum(cost_micros), 0)::bigint as cost_micros
    from sms_results where account_id = ${accountId} and message_id = ${messageId}`.execute(tx);
  return rows[0] as { delivered: number; undelivered: number; parts: number; cost_micros: number };
}
