// Queries for messages: their rows, their states, their exact counts, and the account's sends by
// quarter-hour.
import { type RawBuilder, type Selectable, sql } from 'kysely';
import { clock } from '#platform/server/clock.ts';
import type { DB } from '#platform/server/database/database.generated.ts';
import type { Db, Reader, Tx } from '#platform/server/database/database.ts';
import { requestId } from '#platform/server/log.ts';
import { notifyLater } from '#platform/server/live/notify-after-commit.ts';
import type { StatementValue } from '#platform/server/database/prepared.ts';
import { toQuarter } from '#platform/server/database/quarters.ts';
import type { Exclusion, MessageState } from '../../shared.ts';
import { addToLanesSql, type LaneChange, toLaneValues } from './lane-counts.sql.ts';
import { filterKinds, type MessageKind } from '../../message-kinds.ts';

/** Number of rows that share one quarter-hour's counts; see migrations/0016-delivery.sql. */
const SHARD_COUNT = 16;

export type LedgerMessageRow = Omit<Selectable<DB['messages']>, 'kind'> & { kind: MessageKind };

/** Kinds of emails that count as sent by the account: all except system emails. */
const COUNTED = filterKinds((rules) => rules.isCounted && rules.channel === 'email');

export async function insertMessage(
  tx: Tx,
  message: {
    accountId: number;
    channel: 'email' | 'sms';
    kind: MessageKind;
    sourceId: number | null;
    state: MessageState;
    frozen: unknown;
    frozenHash: Buffer | null;
    /** Key of a stream, whose recipients only `sendMany` adds. */
    streamKey?: Buffer;
    audience: unknown;
    /** When the first wave opens or a later variant starts. */
    opensAt?: Date | undefined;
    /** The audience is selected as of this instant; `at` by default. */
    asOf?: Date;
    /** Lead of the message's group, for a message that is added to the group later. */
    groupOf?: number;
    at: Date;
  },
): Promise<number | undefined> {
  const row = await tx
    .insertInto('messages')
    .values({
      account_id: message.accountId,
      channel: message.channel,
      kind: message.kind,
      source_id: message.sourceId,
      state: message.state,
      frozen: JSON.stringify(message.frozen),
      frozen_hash: message.frozenHash,
      stream_key: message.streamKey ?? null,
      is_audience_complete: message.streamKey !== undefined,
      audience: JSON.stringify(message.audience),
      audience_as_of: message.asOf ?? message.at,
      group_of: message.groupOf ?? null,
      opens_at: message.opensAt ?? null,
      // Shared messages and streams belong to several requests.
      request_id: message.frozenHash || message.streamKey ? null : (requestId() ?? null),
      created_at: message.at,
      started_at: message.at,
      modified_at: message.at,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  if (row) await insertCounts(tx, message.accountId, row.id);
  return row?.id;
}

async function insertCounts(tx: Tx, accountId: number, messageId: number): Promise<void> {
  await tx
    .insertInto('delivery_counts')
    .values({ account_id: accountId, message_id: messageId })
    .execute();
}

/** Finds the message that single sends with the same content share. */
export async function findShared(
  db: Reader,
  accountId: number,
  kind: MessageKind,
  hash: Buffer,
): Promise<number | undefined> {
  const row = await db
    .selectFrom('messages')
    .select('id')
    .where('account_id', '=', accountId)
    .where('kind', '=', kind)
    .where('frozen_hash', '=', hash)
    .executeTakeFirst();
  return row?.id;
}

export async function findStream(
  db: Reader,
  accountId: number,
  kind: MessageKind,
  key: Buffer,
): Promise<number | undefined> {
  const row = await db
    .selectFrom('messages')
    .select('id')
    .where('account_id', '=', accountId)
    .where('kind', '=', kind)
    .where('stream_key', '=', key)
    .executeTakeFirst();
  return row?.id;
}

export function findMessage(
  db: Reader,
  accountId: number,
  messageId: number,
): Promise<LedgerMessageRow | undefined> {
  return db
    .selectFrom('messages')
    .selectAll()
    .$narrowType<{ kind: MessageKind }>()
    .where('account_id', '=', accountId)
    .where('id', '=', messageId)
    .executeTakeFirst();
}

/**
 * Locks the message's row until the transaction ends and returns its state. Transactions that need
 * both the row and the counts of a message lock the row first, and only briefly, because senders
 * wait for it.
 */
export async function lockState(
  tx: Tx,
  accountId: number,
  messageId: number,
): Promise<string | undefined> {
  const row = await tx
    .selectFrom('messages')
    .select('state')
    .where('account_id', '=', accountId)
    .where('id', '=', messageId)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row?.state;
}

export function lockMessage(
  tx: Tx,
  accountId: number,
  messageId: number,
): Promise<LedgerMessageRow | undefined> {
  return tx
    .selectFrom('messages')
    .selectAll()
    .$narrowType<{ kind: MessageKind }>()
    .where('account_id', '=', accountId)
    .where('id', '=', messageId)
    .forUpdate()
    .executeTakeFirst();
}

type KindAndSource = { kind: MessageKind; source_id: number | null };

/**
 * Changes the state if it is one of `from`. With `isSuspended: false`, it is not changed while the
 * message is delayed (`held_until`). Returns undefined if it did not change.
 */
export async function moveState(
  tx: Tx,
  accountId: number,
  messageId: number,
  stateChange: {
    state: MessageState;
    from: readonly MessageState[];
    reason: string | null;
    details?: unknown;
    isSuspended?: false;
    at: Date;
  },
): Promise<KindAndSource | undefined> {
  return tx
    .updateTable('messages')
    .set({
      state: stateChange.state,
      state_reason: stateChange.reason,
      state_details: stateChange.details === undefined ? null : JSON.stringify(stateChange.details),
      modified_at: stateChange.at,
      finished_at:
        stateChange.state === 'finished' || stateChange.state === 'cancelled'
          ? stateChange.at
          : null,
      // Reset, so that a reopened message is compacted again.
      compacted_at: null,
    })
    .where('account_id', '=', accountId)
    .where('id', '=', messageId)
    .where('state', 'in', [...stateChange.from])
    .$if(stateChange.isSuspended === false, (query) =>
      query.where((eb) =>
        eb.or([eb('held_until', 'is', null), eb('held_until', '<=', stateChange.at)]),
      ),
    )
    .returning(['kind', 'source_id'])
    .$narrowType<KindAndSource>()
    .executeTakeFirst();
}

/** Records the start of the first handoff. Returns undefined if one was recorded before. */
export async function markStarted(
  tx: Tx,
  accountId: number,
  messageId: number,
  at: Date,
): Promise<KindAndSource | undefined> {
  return tx
    .updateTable('messages')
    .set({ first_handed_over_at: at })
    .where('account_id', '=', accountId)
    .where('id', '=', messageId)
    .where('first_handed_over_at', 'is', null)
    .returning(['kind', 'source_id'])
    .$narrowType<KindAndSource>()
    .executeTakeFirst();
}

/**
 * Finishes a message without open work: the audience is complete, every range is leased and its
 * lease finished, and no recipient is deferred. Writers that add work lock the row without changing
 * it, so this function also locks it and then reads the open work again. Most calls find open work
 * and take no lock.
 */
export async function finishMessage(
  tx: Tx,
  accountId: number,
  messageId: number,
  at: Date,
): Promise<KindAndSource | undefined> {
  const isOver = hasNothingLeft(accountId, messageId);
  const finishable = await sql`select 1 from messages m where ${isOver}`.execute(tx);
  if (finishable.rows.length === 0) return undefined;
  await lockState(tx, accountId, messageId);
  const { rows } = await sql<KindAndSource>`
    update messages m
    set state = 'finished', state_reason = null, state_details = null, finished_at = ${at},
      modified_at = ${at}
    where ${isOver}
    returning m.kind, m.source_id`.execute(tx);
  return rows[0];
}

/** SQL: `m` is this message and has no open work. Shared messages of single sends never finish. */
function hasNothingLeft(accountId: number, messageId: number): RawBuilder<boolean> {
  return sql`m.account_id = ${accountId} and m.id = ${messageId}
    and m.state in ('preparing', 'sending', 'waiting') and m.is_audience_complete
    and m.frozen_hash is null
    and not exists (select 1 from lanes l where l.account_id = ${accountId}
      and l.message_id = ${messageId} and l.leased < l.written)
    and not exists (select 1 from leases l where l.account_id = ${accountId}
      and l.message_id = ${messageId} and not l.is_done)
    and not exists (select 1 from deferrals d where d.account_id = ${accountId}
      and d.message_id = ${messageId})`;
}

export type DeliveryCounts = {
  accepted: number;
  deferred: number;
  failed: number;
  skipped: number;
  unknown: number;
};

/** Copies that count as sent: accepted, refused, or of unknown outcome. */
export function countSent(counts: Partial<DeliveryCounts>): number {
  return (counts.accepted ?? 0) + (counts.failed ?? 0) + (counts.unknown ?? 0);
}

/** Emails of one message sent in a quarter-hour, and the row (shard) that counts them. */
export type SendTiming = {
  accountId: number;
  messageId: number;
  quarter: Date;
  shard: number;
  sent: number;
};

/**
 * SQL that increments the account's count of emails sent in a quarter-hour. Emails are counted in
 * several rows (shards), so that concurrent messages do not wait for each other. SMS and system
 * emails are not counted.
 */
export function timing({
  accountId,
  messageId,
  quarter,
  shard,
  sent,
}: { [Name in keyof SendTiming]: StatementValue<SendTiming[Name]> }): RawBuilder<unknown> {
  return sql`
    insert into sent_times (account_id, quarter, shard, sent)
    select ${accountId}::bigint, ${quarter}::timestamptz, ${shard}::smallint, ${sent}::bigint
    where ${sent}::bigint <> 0 and exists (select 1 from messages
      where account_id = ${accountId} and id = ${messageId} and kind = any(${COUNTED}::text[]))
    on conflict (account_id, quarter, shard) do update set sent = sent_times.sent + excluded.sent`;
}

export function timingOf(
  accountId: number,
  messageId: number,
  at: Date,
  sentCount: number,
): SendTiming {
  return {
    accountId,
    messageId,
    quarter: toQuarter(at),
    shard: messageId % SHARD_COUNT,
    sent: sentCount,
  };
}

/** Counts the emails sent in the quarter-hours that begin between two instants. */
export async function readSentBetween(
  db: Reader,
  accountId: number,
  from: Date,
  to: Date,
): Promise<number> {
  const { rows } = await sql<{ sent: number }>`
    select coalesce(sum(sent), 0) as sent from sent_times
    where account_id = ${accountId} and quarter >= ${from} and quarter < ${to}`.execute(db);
  return rows[0]?.sent ?? 0;
}

export type SentQuarter = { at: Date; sent: number };

/**
 * Returns the number of emails sent in each quarter-hour that begins between two instants, oldest
 * first.
 */
export async function readSentByQuarter(
  db: Reader,
  accountId: number,
  from: Date,
  to: Date,
): Promise<SentQuarter[]> {
  const { rows } = await sql<SentQuarter>`
    select quarter as at, sum(sent)::bigint as sent from sent_times
    where account_id = ${accountId} and quarter >= ${from} and quarter < ${to}
    group by quarter order by quarter`.execute(db);
  return rows;
}

/** Counts the emails that each of these accounts sent since an instant, for the operator. */
export async function readSentSince(
  db: Reader,
  accountIds: readonly number[],
  since: Date,
): Promise<Map<number, number>> {
  const { rows } = await sql<{ account_id: number; sent: number }>`
    select account_id, sum(sent)::bigint as sent from sent_times
    where account_id = any(${[...accountIds]}::bigint[]) and quarter >= ${since}
    group by account_id`.execute(db);
  return new Map(rows.map((row) => [row.account_id, row.sent]));
}

type CountChanges = {
  audience?: number;
  skipped?: number;
  unknown?: number;
  /** Changes in the numbers of accepted, deferred and failed recipients, by lane. */
  lanes?: readonly LaneChange[];
};

export async function addCounts(
  tx: Tx,
  accountId: number,
  messageId: number,
  { audience = 0, skipped = 0, unknown = 0, lanes = [] }: CountChanges,
): Promise<void> {
  const sumOf = (state: 'accepted' | 'deferred' | 'failed') =>
    lanes.reduce((total, change) => total + change[state], 0);
  const [accepted, deferred, failed] = [sumOf('accepted'), sumOf('deferred'), sumOf('failed')];
  const at = clock.now();
  const sentCount = countSent({ accepted, failed, unknown });
  if (sentCount !== 0) await timing(timingOf(accountId, messageId, at, sentCount)).execute(tx);
  await sql`
    update delivery_counts set audience = audience + ${audience}, accepted = accepted + ${accepted},
      deferred = deferred + ${deferred}, failed = failed + ${failed}, skipped = skipped + ${skipped},
      unknown = unknown + ${unknown}
    where account_id = ${accountId} and message_id = ${messageId}`.execute(tx);
  if (lanes.length === 0) return;
  await addToLanesSql({ accountId, messageId, at, ...toLaneValues(lanes) }).execute(tx);
}

export type LedgerDeliveryRow = DeliveryCounts & {
  id: number;
  kind: MessageKind;
  source_id: number | null;
  state: MessageState;
  state_reason: string | null;
  state_details: unknown;
  excluded: Partial<Record<Exclusion, number>>;
  is_audience_complete: boolean;
  started_at: Date | null;
  first_handed_over_at: Date | null;
  finished_at: Date | null;
  held_until: Date | null;
  opens_at: Date | null;
  /** Number of SMS that wait until the quiet hours at their recipients end. */
  quiet_count: number;
  quiet_until: Date | null;
  audience: number;
  /** Started handoffs without a reply, in ranges with a valid lease. */
  in_flight: number;
  /** Started handoffs without a reply, in ranges whose lease has expired. */
  lost_in_flight: number;
  /** Deferred recipients with a retry in flight. */
  retries_in_flight: number;
  pending_singles: number;
  leased_singles: number;
  retrying_singles: number;
  is_shared: boolean;
};

/**
 * Reads the delivery statistics of messages. Recipients of finished leases all have a result, so
 * handoffs without a reply are counted only in the few open leases. Takes 5 ms for a message in
 * progress to 1,000,000 recipients.
 */
export async function readDeliveryRows(
  db: Reader,
  accountId: number,
  messageIds: readonly number[],
  now: Date,
): Promise<LedgerDeliveryRow[]> {
  const { rows } = await sql<LedgerDeliveryRow>`
    with open as materialized (
      select l.message_id, l.expires_at >= ${now} and l.owner <> '' as is_leased,
        l.started_to - l.from_ordinal + 1 - (
          select count(*) from results r
          where r.account_id = ${accountId} and r.message_id = l.message_id and r.lane = l.lane
            and r.ordinal between l.from_ordinal and l.started_to and r.attempt = 1) as unanswered
      from leases l
      where l.account_id = ${accountId} and l.message_id = any(${[...messageIds]}::bigint[])
        and not l.is_done
    )
    select m.id, m.kind, m.source_id, m.state, m.state_reason, m.state_details, m.excluded,
      m.is_audience_complete, m.started_at, m.first_handed_over_at, m.finished_at,
      m.held_until, m.opens_at,
      (select count(*) from deferrals d where m.channel = 'sms' and d.account_id = ${accountId}
        and d.message_id = m.id and d.reason = 'quiet_hours') as quiet_count,
      (select min(d.next_attempt_at) from deferrals d where m.channel = 'sms'
        and d.account_id = ${accountId} and d.message_id = m.id
        and d.reason = 'quiet_hours') as quiet_until,
      m.frozen_hash is not null as is_shared,
      c.audience, c.accepted, c.deferred, c.failed, c.skipped, c.unknown,
      coalesce((select sum(o.unanswered) from open o where o.message_id = m.id and o.is_leased), 0)
        as in_flight,
      coalesce((select sum(o.unanswered) from open o where o.message_id = m.id and not o.is_leased), 0)
        as lost_in_flight,
      (select count(*) from deferrals d where d.account_id = ${accountId} and d.message_id = m.id
        and d.owner is not null) as retries_in_flight,
      (select count(*) from single_sends s where s.account_id = ${accountId} and s.message_id = m.id
        and m.frozen_hash is not null and s.state = 'pending') as pending_singles,
      (select count(*) from single_sends s where s.account_id = ${accountId} and s.message_id = m.id
        and m.frozen_hash is not null and s.state = 'handing_over' and s.relay is null) as leased_singles,
      (select count(*) from single_sends s where s.account_id = ${accountId} and s.message_id = m.id
        and m.frozen_hash is not null and s.state = 'handing_over' and s.relay is not null)
        as retrying_singles
    from messages m
    join delivery_counts c on c.account_id = ${accountId} and c.message_id = m.id
    where m.account_id = ${accountId} and m.id = any(${[...messageIds]}::bigint[])`.execute(db);
  return rows;
}

/** Wakes the senders once this transaction commits; otherwise they poll once per second. */
export async function notifySenders(tx: Db | Tx, accountId: number): Promise<void> {
  if (notifyLater('sendloom_delivery', String(accountId))) return;
  await sql`select pg_notify('sendloom_delivery', ${String(accountId)})`.execute(tx);
}

/**
 * Makes senders reload the account's messages, and check again whether these may be sent. Also
 * handles `domains.proven`.
 */
export async function notifyReload(tx: Tx, { accountId }: { accountId: number }): Promise<void> {
  await sql`select pg_notify('sendloom_delivery', ${`${accountId} anew`})`.execute(tx);
}

export const listenStatement = 'listen sendloom_delivery';
