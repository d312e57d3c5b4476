// Queries for recipients' results: they append results with their counts, correct unknown results
// by late replies, and store and end deferrals.
import { type RawBuilder, sql } from 'kysely';
import type { Db, Tx } from '#platform/server/database/database.ts';
import { type StatementValue, prepareStatement } from '#platform/server/database/prepared.ts';
import type { MessageChannel } from '../../message-kinds.ts';
import { getStatusChannel, selectStatus } from '../channels/addresses.sql.ts';
import {
  addToLanesSql,
  type LaneChange,
  type LaneValues,
  toLaneValues,
} from './lane-counts.sql.ts';
import {
  type DeliveryCounts,
  countSent,
  type SendTiming,
  timing,
  timingOf,
} from './messages.sql.ts';

type ResultDetails = {
  state: string;
  code: string | null;
  reply: string | null;
  reason: string | null;
  relay: string | null;
};

type ResultValues = {
  lanes: string;
  ordinals: string;
  attempts: string;
  kinds: string;
  states: string[];
  codes: (string | null)[];
  replies: (string | null)[];
  reasons: (string | null)[];
  relays: (string | null)[];
};

/**
 * Results as one array per column, for use as statement parameters. Building the literals of these
 * arrays dominates the cost of storing a batch, so each position is appended to the texts of the
 * literals directly. Most results share their strings, so each distinct combination (`kind`) is
 * sent once.
 */
export class ResultColumns {
  length = 0;
  private lanes = '';
  private ordinals = '';
  private attempts = '';
  private kinds = '';
  private readonly details: ResultDetails[] = [];
  private readonly numbers = new Map<string, number>();

  add(lane: number, ordinal: number, attempt: number, details: ResultDetails): void {
    const comma = this.length === 0 ? '' : ',';
    this.lanes += comma + lane;
    this.ordinals += comma + ordinal;
    this.attempts += comma + attempt;
    this.kinds += comma + this.findKind(details);
    this.length++;
  }

  values(): ResultValues {
    const column = <K extends keyof ResultDetails>(key: K) =>
      this.details.map((detail) => detail[key]);
    return {
      lanes: `{${this.lanes}}`,
      ordinals: `{${this.ordinals}}`,
      attempts: `{${this.attempts}}`,
      kinds: `{${this.kinds}}`,
      states: column('state'),
      codes: column('code'),
      replies: column('reply'),
      reasons: column('reason'),
      relays: column('relay'),
    };
  }

  rows(): RawBuilder<unknown> {
    return resultRows(this.values());
  }

  private findKind(details: ResultDetails): number {
    const { state, code, reason, relay, reply } = details;
    const key = `${state}|${code}|${reason}|${relay}|${reply}`;
    const existingNumber = this.numbers.get(key);
    if (existingNumber !== undefined) return existingNumber;
    this.details.push(details);
    this.numbers.set(key, this.details.length);
    return this.details.length;
  }
}

/** SQL: rows (lane, ordinal, attempt, state, code, reply, reason, relay). */
function resultRows(v: { [Name in keyof ResultValues]: StatementValue<ResultValues[Name]> }) {
  return sql`(
    select p.lane, p.ordinal, p.attempt, w.state, w.code, w.reply, w.reason, w.relay
    from unnest(${v.lanes}::smallint[], ${v.ordinals}::int[], ${v.attempts}::smallint[], ${v.kinds}::int[])
      p(lane, ordinal, attempt, kind)
    join unnest(${v.states}::delivery_state[], ${v.codes}::text[], ${v.replies}::text[],
      ${v.reasons}::text[], ${v.relays}::text[])
      with ordinality w(state, code, reply, reason, relay, kind) on w.kind = p.kind)`;
}

type ResultBatch = {
  accountId: number;
  messageId: number;
  at: Date;
  columns: ResultColumns;
  counts: DeliveryCounts;
  lanes: readonly LaneChange[];
};

type SetValues = ResultValues & DeliveryCounts & LaneValues & SendTiming & { at: Date };
type InputSet = { [Name in keyof SetValues]: StatementValue<SetValues[Name]> };

function valuesOf({ accountId, messageId, at, columns, counts, lanes }: ResultBatch): SetValues {
  const timing = timingOf(accountId, messageId, at, countSent(counts));
  return { ...columns.values(), ...counts, ...toLaneValues(lanes), ...timing, at };
}

function insertion(v: InputSet): RawBuilder<unknown> {
  return sql`
    insert into results
      (account_id, message_id, lane, ordinal, attempt, state, at, code, reply, reason, relay)
    select ${v.accountId}::bigint, ${v.messageId}::bigint, a.lane, a.ordinal, a.attempt, a.state,
      ${v.at}::timestamptz, a.code, a.reply, a.reason, a.relay
    from ${resultRows(v)} a`;
}

/** SQL: the end of a WITH statement, which adds the counts. */
function counting(v: InputSet): RawBuilder<unknown> {
  return sql`
    timed as (${timing(v)}),
    by_lane as (${addToLanesSql(v)})
    update delivery_counts set accepted = accepted + ${v.accepted}::bigint,
      deferred = deferred + ${v.deferred}::bigint, failed = failed + ${v.failed}::bigint,
      skipped = skipped + ${v.skipped}::bigint, unknown = unknown + ${v.unknown}::bigint
    where account_id = ${v.accountId} and message_id = ${v.messageId}`;
}

const append = prepareStatement<SetValues>(
  (v) => sql`with added as (${insertion(v)}), ${counting(v)}`,
);

/**
 * Appends results of first attempts and counts them, in one statement and its own transaction.
 * Fails as a whole (23505) if an attempt has a result already, for example after a lost lease; then
 * `addResults` is used. Takes 1.6 ms for 400 results.
 */
export async function appendResults(db: Db, resultBatch: ResultBatch): Promise<void> {
  await append(db, valuesOf(resultBatch));
}

/**
 * Appends results of any attempts and counts them, within a transaction. Returns false if some
 * attempts already had a result; then the results of the other attempts are added, but nothing is
 * counted.
 */
export async function addResults(tx: Tx, resultBatch: ResultBatch): Promise<boolean> {
  const values = valuesOf(resultBatch);
  const { rows } = await sql`
    ${insertion(values)}
    on conflict (account_id, message_id, lane, ordinal, attempt) do nothing
    returning 1`.execute(tx);
  const isNew = rows.length === resultBatch.columns.length;
  // On a cluster, one statement for both would pass the number of rows through every node.
  if (isNew) await sql`with ${counting(values)}`.execute(tx);
  return isNew;
}

type ResultRow = { lane: number; ordinal: number; attempt: number; state: string; at: Date };

/**
 * Returns the stored results of these attempts, if any: another process settled them after their
 * lease was lost, or a write was repeated.
 */
export async function findResults(
  tx: Tx,
  accountId: number,
  messageId: number,
  columns: ResultColumns,
): Promise<ResultRow[]> {
  const { rows } = await sql<ResultRow>`
    select r.lane, r.ordinal, r.attempt, r.state, r.at from results r
    join ${columns.rows()} a
      on a.lane = r.lane and a.ordinal = r.ordinal and a.attempt = r.attempt
    where r.account_id = ${accountId} and r.message_id = ${messageId}
    for update of r`.execute(tx);
  return rows;
}

type NewerRow = { lane: number; ordinal: number; attempt: number; is_begun: boolean };

/**
 * Returns the given attempts that precede a later attempt for the same recipient. `is_begun` is
 * true if the later attempt has started; otherwise it waits as a deferral. The caller has locked
 * the message's row, so no attempt is added; the locks on deferrals prevent waiting attempts from
 * starting.
 */
export async function findSupersededAttempts(
  tx: Tx,
  accountId: number,
  messageId: number,
  columns: ResultColumns,
): Promise<NewerRow[]> {
  const { rows } = await sql<NewerRow>`
    with waiting as materialized (
      select d.lane, d.ordinal, d.attempt, d.owner is not null as is_owned from deferrals d
      join ${columns.rows()} a on a.lane = d.lane and a.ordinal = d.ordinal
      where d.account_id = ${accountId} and d.message_id = ${messageId}
      for update of d
    )
    select a.lane, a.ordinal, a.attempt,
      coalesce(w.is_owned or w.attempt > a.attempt, false)
        or exists (select 1 from results r where r.account_id = ${accountId}
          and r.message_id = ${messageId} and r.lane = a.lane and r.ordinal = a.ordinal
          and r.attempt > a.attempt) as is_begun
    from ${columns.rows()} a
    left join waiting w on w.lane = a.lane and w.ordinal = a.ordinal
    where w.lane is not null or exists (select 1 from results r where r.account_id = ${accountId}
      and r.message_id = ${messageId} and r.lane = a.lane and r.ordinal = a.ordinal
      and r.attempt > a.attempt)`.execute(tx);
  return rows;
}

/** Replaces results in state `unknown` with late replies. */
export async function replaceUnknownResults(
  tx: Tx,
  accountId: number,
  messageId: number,
  columns: ResultColumns,
  at: Date,
): Promise<void> {
  await sql`
    update results r set state = a.state, code = a.code, reply = a.reply, reason = a.reason,
      relay = a.relay, at = ${at}
    from ${columns.rows()} a
    where r.account_id = ${accountId} and r.message_id = ${messageId} and r.lane = a.lane
      and r.ordinal = a.ordinal and r.attempt = a.attempt and r.state = 'unknown'`.execute(tx);
}

export type Deferral = {
  lane: number;
  ordinal: number;
  attempt: number;
  strikes: number;
  reason: string;
  firstAt: Date;
  nextAttemptAt: Date;
};

export async function putDeferrals(
  tx: Tx,
  accountId: number,
  messageId: number,
  deferrals: readonly Deferral[],
): Promise<void> {
  const column = <K extends keyof Deferral>(key: K) => deferrals.map((deferral) => deferral[key]);
  await sql`
    insert into deferrals
      (account_id, message_id, lane, ordinal, attempt, strikes, reason, first_at, next_attempt_at)
    select ${accountId}::bigint, ${messageId}::bigint, d.*
    from unnest(${column('lane')}::smallint[], ${column('ordinal')}::int[],
      ${column('attempt')}::smallint[], ${column('strikes')}::smallint[], ${column('reason')}::text[],
      ${column('firstAt')}::timestamptz[], ${column('nextAttemptAt')}::timestamptz[]) d
    on conflict (account_id, message_id, lane, ordinal) do update set attempt = excluded.attempt,
      strikes = excluded.strikes, reason = excluded.reason,
      next_attempt_at = excluded.next_attempt_at, owner = null, expires_at = null`.execute(tx);
}

export async function deleteDeferrals(
  tx: Tx,
  accountId: number,
  messageId: number,
  rows: readonly { lane: number; ordinal: number }[],
): Promise<void> {
  await sql`
    delete from deferrals d
    using unnest(${rows.map((row) => row.lane)}::smallint[],
      ${rows.map((row) => row.ordinal)}::int[]) b(lane, ordinal)
    where d.account_id = ${accountId} and d.message_id = ${messageId} and d.lane = b.lane
      and d.ordinal = b.ordinal`.execute(tx);
}

export type LaneCount = { lane: number; count: number };

/**
 * Skips the deferred recipients of a canceled message, except those whose retry is in flight.
 * Returns the number of skipped recipients by lane.
 */
export async function skipDeferred(
  tx: Tx,
  accountId: number,
  messageId: number,
  at: Date,
): Promise<LaneCount[]> {
  const { rows } = await sql<{ lane: number; ordinal: number; attempt: number }>`
    delete from deferrals where account_id = ${accountId} and message_id = ${messageId}
      and owner is null
    returning lane, ordinal, attempt`.execute(tx);
  // On a cluster, passing rows from one write to another within a statement needs every node.
  await sql`
    insert into results (account_id, message_id, lane, ordinal, attempt, state, at, reason)
    select ${accountId}::bigint, ${messageId}::bigint, lane, ordinal, attempt + 1, 'skipped',
      ${at}::timestamptz, 'cancelled'
    from unnest(${rows.map((row) => row.lane)}::smallint[], ${rows.map((row) => row.ordinal)}::int[],
      ${rows.map((row) => row.attempt)}::smallint[]) waiting (lane, ordinal, attempt)`.execute(tx);
  const counts = new Map<number, number>();
  for (const { lane } of rows) counts.set(lane, (counts.get(lane) ?? 0) + 1);
  return Array.from(counts, ([lane, count]) => ({ lane, count }));
}

type RetriedRecipient = { lane: number; ordinal: number; subscriber_id: number };

/** Returns a page of the recipients that `deferAgain` deferred at this instant, by position. */
export async function listRetried(
  tx: Tx,
  accountId: number,
  messageId: number,
  state: 'unknown' | 'failed',
  at: Date,
  page: { after: { lane: number; ordinal: number }; size: number },
): Promise<RetriedRecipient[]> {
  const { after, size } = page;
  const { rows } = await sql<RetriedRecipient>`
    select d.lane, d.ordinal, (select p.subscriber_id from recipients p
      where p.account_id = ${accountId} and p.message_id = ${messageId}
        and p.lane = d.lane and p.ordinal = d.ordinal) as subscriber_id
    from deferrals d
    where d.account_id = ${accountId} and d.message_id = ${messageId}
      and d.reason = ${`retry_${state}`} and d.first_at = ${at}
      and (d.lane, d.ordinal) > (${after.lane}::smallint, ${after.ordinal}::int)
    order by d.lane, d.ordinal limit ${size}`.execute(tx);
  return rows;
}

/**
 * Defers recipients whose newest result is in this state, so that they are retried immediately,
 * unless they were deleted or their status is no longer active. Returns their number by lane.
 */
export async function deferAgain(
  tx: Tx,
  accountId: number,
  messageId: number,
  channel: MessageChannel,
  state: 'unknown' | 'failed',
  at: Date,
): Promise<LaneCount[]> {
  const status = selectStatus(getStatusChannel(channel, true));
  const { rows } = await sql<LaneCount>`
    with added as (insert into deferrals
      (account_id, message_id, lane, ordinal, attempt, strikes, reason, first_at, next_attempt_at)
    select r.account_id, r.message_id, r.lane, r.ordinal, r.attempt, 0, ${`retry_${state}`}, ${at}, ${at}
    from results r
    join recipients p on p.account_id = ${accountId} and p.message_id = ${messageId}
      and p.lane = r.lane and p.ordinal = r.ordinal
    join subscribers s on s.account_id = ${accountId} and s.id = p.subscriber_id
      and s.deleted_at is null and ${status} = 'active'
    where r.account_id = ${accountId} and r.message_id = ${messageId}
      and r.state = ${state}::delivery_state
      and not exists (select 1 from results later where later.account_id = ${accountId}
        and later.message_id = ${messageId} and later.lane = r.lane
        and later.ordinal = r.ordinal and later.attempt > r.attempt)
    on conflict (account_id, message_id, lane, ordinal) do nothing
    returning lane)
    select lane, count(*) as count from added group by lane`.execute(tx);
  return rows;
}
