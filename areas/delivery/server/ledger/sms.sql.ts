// Queries for SMS after their handoff: provider IDs and receipts of copies, totals and lists for
// reports, and responses to replies.
import { type RawBuilder, sql } from 'kysely';
import { PHONE_PREFIX_LENGTH } from '#areas/subscribers/server/index.ts';
import {
  NodeUnreachableError,
  searchAccounts,
} from '#platform/server/database/across-accounts.sql.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import type { MessageKind } from '../../message-kinds.ts';

/** Identifies a copy in the ledger. A single send has lane -1, its ID as ordinal, and attempt 1. */
export type SmsCopyKey = { lane: number; ordinal: number; attempt: number };

export const SINGLE_LANE = -1;

export type AcceptedSms = SmsCopyKey & {
  parts: number;
  costMicros: number | null;
  remoteId: string | null;
  partIds: readonly string[];
};

/** Stores accepted copies. The outcome of a receipt that arrived earlier is retained. */
export async function saveAccepted(
  tx: Tx,
  accountId: number,
  messageId: number,
  acceptedSms: readonly AcceptedSms[],
): Promise<void> {
  const column = <K extends keyof AcceptedSms>(key: K) => acceptedSms.map((sms) => sms[key]);
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

export type SmsReceipt = SmsCopyKey & {
  isDelivered: boolean;
  at: Date;
  remoteId: string;
  error: string | null;
  costMicros?: number | undefined;
};

/**
 * Stores the outcome that a receipt reports. Receipts may arrive in any order and any number of
 * times; the first delivery and the first failure of a copy remain. Returns true if this is the
 * copy's first report of a delivery. The caller holds the lock of the message's state, which
 * serializes concurrent receipts.
 */
export async function saveReceipt(
  tx: Tx,
  accountId: number,
  messageId: number,
  receipt: SmsReceipt,
): Promise<boolean> {
  const { lane, ordinal, attempt, isDelivered, at, remoteId, error, costMicros = null } = receipt;
  const { rows: known } = await sql<{ delivered_at: Date | null }>`
    select delivered_at from sms_results
    where account_id = ${accountId} and message_id = ${messageId} and lane = ${lane}
      and ordinal = ${ordinal} and attempt = ${attempt}`.execute(tx);
  await sql`
    insert into sms_results (account_id, message_id, lane, ordinal, attempt, remote_id,
      delivered_at, undelivered_at, error, cost_micros)
    values (${accountId}, ${messageId}, ${lane}, ${ordinal}, ${attempt}, ${remoteId},
      ${isDelivered ? at : null}, ${isDelivered ? null : at}, ${error}, ${costMicros})
    on conflict (account_id, message_id, lane, ordinal, attempt) do update
    set remote_id = coalesce(sms_results.remote_id, excluded.remote_id),
      delivered_at = coalesce(sms_results.delivered_at, excluded.delivered_at),
      undelivered_at = coalesce(sms_results.undelivered_at, excluded.undelivered_at),
      error = coalesce(sms_results.error, excluded.error),
      cost_micros = coalesce(excluded.cost_micros, sms_results.cost_micros)`.execute(tx);
  return isDelivered && !known[0]?.delivered_at;
}

/**
 * Finds the last attempt of a subscriber's copy; undefined if the subscriber is not a recipient.
 */
export async function findRecipientPlace(
  tx: Tx,
  accountId: number,
  messageId: number,
  subscriberId: number,
): Promise<SmsCopyKey | undefined> {
  const { rows } = await sql<SmsCopyKey>`
    select r.lane, r.ordinal, coalesce((select max(a.attempt) from results a
      where a.account_id = ${accountId} and a.message_id = ${messageId} and a.lane = r.lane
        and a.ordinal = r.ordinal), 1) as attempt
    from recipients r
    where r.account_id = ${accountId} and r.message_id = ${messageId}
      and r.subscriber_id = ${subscriberId}`.execute(tx);
  return rows[0];
}

/** Settles an unknown attempt as accepted. Returns whether it was unknown. */
export async function settleRecipient(
  tx: Tx,
  accountId: number,
  messageId: number,
  { lane, ordinal, attempt }: SmsCopyKey,
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

/** Stores the provider's IDs of the parts of copies with several parts. */
export async function savePartIds(
  tx: Tx,
  accountId: number,
  messageId: number,
  acceptedSms: readonly AcceptedSms[],
): Promise<void> {
  const rows = acceptedSms.flatMap(({ partIds, ...place }) =>
    partIds.length < 2 ? [] : partIds.map((id) => ({ ...place, id, partCount: partIds.length })),
  );
  if (rows.length === 0) return;
  const column = <K extends keyof (typeof rows)[number]>(key: K) => rows.map((row) => row[key]);
  await sql`
    insert into sms_parts (account_id, message_id, lane, ordinal, attempt, part_id, parts)
    select ${accountId}::bigint, ${messageId}::bigint, t.*
    from unnest(${column('lane')}::smallint[], ${column('ordinal')}::bigint[],
      ${column('attempt')}::smallint[], ${column('id')}::text[], ${column('partCount')}::smallint[]) t
    on conflict do nothing`.execute(tx);
}

type PartReceipt = SmsCopyKey & { id: string; partCount: number; isDelivered: boolean; at: Date };

/** Stores the receipt of one part and returns how many parts of the copy are delivered. */
export async function savePart(
  tx: Tx,
  accountId: number,
  messageId: number,
  { lane, ordinal, attempt, id, partCount, isDelivered, at }: PartReceipt,
): Promise<number> {
  await sql`
    insert into sms_parts (account_id, message_id, lane, ordinal, attempt, part_id, parts,
      delivered_at, undelivered_at)
    values (${accountId}, ${messageId}, ${lane}, ${ordinal}, ${attempt}, ${id}, ${partCount},
      ${isDelivered ? at : null}, ${isDelivered ? null : at})
    on conflict (account_id, message_id, lane, ordinal, attempt, part_id) do update
    set delivered_at = coalesce(sms_parts.delivered_at, excluded.delivered_at),
      undelivered_at = coalesce(sms_parts.undelivered_at, excluded.undelivered_at)`.execute(tx);
  const { rows } = await sql<{ delivered: number }>`
    select count(delivered_at) as delivered from sms_parts
    where account_id = ${accountId} and message_id = ${messageId} and lane = ${lane}
      and ordinal = ${ordinal} and attempt = ${attempt}`.execute(tx);
  return rows[0]?.delivered ?? 0;
}

const MAX_COPIES = 50;

/** Converts an ID to lowercase without leading zeros, the form for comparing aliases. */
const withoutZeros = (id: RawBuilder<unknown>) =>
  sql`lower(regexp_replace(${id}, '/0+(.)', '/\\1'))`;

/**
 * Finds copies that a receipt of an SMS center may be about, newest first: copies with one of the
 * IDs or aliases. Receipts of the installation's own SMS center have no `accountId`; then all
 * accounts are searched.
 * @throws NodeUnreachableError if the account may be on an unreachable node
 */
export async function findByRemoteId(
  db: Reader,
  { ids, aliases }: { ids: readonly string[]; aliases: readonly string[] },
  accountId?: number,
): Promise<ReferencedSms[]> {
  const isNamed = (id: RawBuilder<unknown>) => sql`${id} like 'smpp:%'
    and (${id} = any(${[...ids]}::text[]) or ${withoutZeros(id)} = any(${[...aliases]}::text[]))`;
  const select = (
    isOf: (account: RawBuilder<unknown>) => RawBuilder<boolean>,
  ) => sql<ReferencedSms>`
    select t.account_id as account, t.message_id as message, t.ordinal,
      t.remote_id as "remoteId", t.parts, coalesce(p.phone_key, s.recipient) as to,
      coalesce(r.subscriber_id, s.subscriber_id, 0) as subscriber
    from (
      select n.account_id, n.message_id, n.lane, n.ordinal, n.remote_id, n.parts from sms_results n
      where ${isOf(sql`n.account_id`)} and ${isNamed(sql`n.remote_id`)}
      union all
      select q.account_id, q.message_id, q.lane, q.ordinal, q.part_id, q.parts from sms_parts q
      where ${isOf(sql`q.account_id`)} and ${isNamed(sql`q.part_id`)}) t
    left join recipients r on r.account_id = t.account_id and r.message_id = t.message_id
      and r.lane = t.lane and r.ordinal = t.ordinal and ${isOf(sql`r.account_id`)}
    left join subscribers p on p.account_id = r.account_id and p.id = r.subscriber_id
      and ${isOf(sql`p.account_id`)}
    left join single_sends s on t.lane = ${SINGLE_LANE} and s.account_id = t.account_id
      and s.id = t.ordinal and ${isOf(sql`s.account_id`)}
    order by t.message_id desc, t.ordinal desc limit ${MAX_COPIES}`;
  if (accountId !== undefined) {
    const { rows } = await select((account) => sql`${account} = ${accountId}`).execute(db);
    return rows;
  }
  const { rows, isComplete } = await searchAccounts(db, select);
  if (rows.length === 0 && !isComplete) throw new NodeUnreachableError();
  return rows;
}

/** The payload of a copy's token, and the values that a receipt is compared with. */
type ReferencedSms = {
  account: number;
  message: number;
  subscriber: number;
  ordinal: number;
  remoteId: string;
  parts: number | null;
  to: string | null;
};

export type SmsFigures = {
  delivered: number;
  undelivered: number;
  parts: number;
  cost_micros: number;
};

/** Totals of each message's SMS, for reports; the map lacks messages without an accepted SMS. */
export async function readSmsFigures(
  db: Reader,
  accountId: number,
  messageIds: readonly number[],
): Promise<Map<number, SmsFigures>> {
  if (messageIds.length === 0) return new Map();
  const { rows } = await sql<SmsFigures & { message_id: number }>`
    select message_id, count(delivered_at) as delivered,
      count(*) filter (where undelivered_at is not null and delivered_at is null) as undelivered,
      coalesce(sum(parts), 0)::bigint as parts, coalesce(sum(cost_micros), 0)::bigint as cost_micros
    from sms_results
    where account_id = ${accountId} and message_id = any(${[...messageIds]}::bigint[])
    group by message_id`.execute(db);
  return new Map(rows.map(({ message_id, ...figures }) => [message_id, figures]));
}

export type SmsShare = {
  /**
   * By provider: its name, empty if unknown. By prefix: one of the numbers with this prefix, empty
   * for the SMS of erased subscribers.
   */
  name: string;
  accepted: number;
  undelivered: number;
  parts: number;
  /** Amount that the account paid; null if none of these SMS cost credit. */
  charged_micros: number | null;
};

const SHARE_COLUMNS = sql`count(*) as accepted,
  count(*) filter (where t.undelivered_at is not null and t.delivered_at is null) as undelivered,
  coalesce(sum(t.parts), 0)::bigint as parts, sum(t.charged_micros)::bigint as charged_micros`;

const ACCEPTED = (accountId: number) => sql`
  sms_results t
  join results n on n.account_id = ${accountId} and n.message_id = t.message_id and n.lane = t.lane
    and n.ordinal = t.ordinal and n.attempt = t.attempt and n.state = 'accepted'`;

/** Counts a campaign's accepted SMS by provider. */
export async function readCountsByProvider(
  db: Reader,
  accountId: number,
  messageIds: readonly number[],
): Promise<SmsShare[]> {
  const { rows } = await sql<SmsShare>`
    select coalesce(n.relay, '') as name, ${SHARE_COLUMNS} from ${ACCEPTED(accountId)}
    where t.account_id = ${accountId} and t.message_id = any(${[...messageIds]}::bigint[])
    group by n.relay order by accepted desc, name`.execute(db);
  return rows;
}

/**
 * Counts a campaign's accepted SMS by number prefix. SMS of erased subscribers, whose numbers are
 * no longer known, form one group with an empty name.
 */
export async function readCountsByPrefix(
  db: Reader,
  accountId: number,
  messageIds: readonly number[],
): Promise<SmsShare[]> {
  const { rows } = await sql<SmsShare>`
    select coalesce(min(s.phone_key), '') as name, ${SHARE_COLUMNS} from ${ACCEPTED(accountId)}
    join recipients r on r.account_id = ${accountId} and r.message_id = t.message_id
      and r.lane = t.lane and r.ordinal = t.ordinal
    left join subscribers s on s.account_id = ${accountId} and s.id = r.subscriber_id
    where t.account_id = ${accountId} and t.message_id = any(${[...messageIds]}::bigint[])
    group by left(s.phone_key, ${PHONE_PREFIX_LENGTH})`.execute(db);
  return rows;
}

/**
 * Finds the last SMS to a subscriber, from a message with an audience or from a single send.
 * Automatic responses and users' answers to replies do not count.
 */
export async function findLastSmsTo(
  db: Reader,
  accountId: number,
  subscriberId: number,
): Promise<{ messageId: number; kind: MessageKind; sourceId: number | null } | undefined> {
  const isSms = sql`m.account_id = ${accountId} and m.channel = 'sms'`;
  const { rows } = await sql<{ messageId: number; kind: MessageKind; sourceId: number | null }>`
    select x.id as "messageId", x.kind, x.source_id as "sourceId" from (
      (select m.id, m.kind, m.source_id, m.created_at as at from recipients r
        join messages m on ${isSms} and m.id = r.message_id
        where r.account_id = ${accountId} and r.subscriber_id = ${subscriberId}
        order by m.id desc limit 1)
      union all
      (select m.id, m.kind, m.source_id, s.created_at from single_sends s
        join messages m on ${isSms} and m.id = s.message_id
          and m.kind not in ('sms_reply', 'sms_answer')
        where s.account_id = ${accountId} and s.subscriber_id = ${subscriberId}
        order by s.created_at desc limit 1)) x
    order by x.at desc limit 1`.execute(db);
  return rows[0];
}

const UNDELIVERED = (accountId: number, messageIds: readonly number[]) => sql`
  recipients r
  left join lateral (select a.state, a.at, a.code, a.reply, a.reason from results a
    where a.account_id = ${accountId} and a.message_id = r.message_id and a.lane = r.lane
      and a.ordinal = r.ordinal order by a.attempt desc limit 1) n on true
  left join sms_results t on t.account_id = ${accountId} and t.message_id = r.message_id
    and t.lane = r.lane and t.ordinal = r.ordinal and t.undelivered_at is not null
    and t.delivered_at is null
  where r.account_id = ${accountId} and r.message_id = any(${[...messageIds]}::bigint[])
    and (n.state in ('failed', 'unknown') or t.undelivered_at is not null)`;

export type UndeliveredRow = {
  subscriber_id: number | null;
  firstname: string | null;
  lastname: string | null;
  phone: string | null;
  at: Date;
  /** The provider's reply, or our own reason. */
  detail: string | null;
};

/**
 * Lists recipients whose SMS was not delivered, or may not have been (unknown), newest first, with
 * the provider's reply or our own reason. The fields of erased subscribers are null.
 */
export async function listUndelivered(
  db: Reader,
  accountId: number,
  messageIds: readonly number[],
  { limit, offset }: { limit: number; offset: number },
): Promise<UndeliveredRow[]> {
  const { rows } = await sql<UndeliveredRow>`
    select s.id as subscriber_id, s.firstname, s.lastname, s.phone, u.at, u.detail from (
      select r.subscriber_id, coalesce(t.undelivered_at, n.at) as at,
        coalesce(t.error, nullif(concat_ws(' ', n.code, n.reply), ''), n.reason) as detail
      from ${UNDELIVERED(accountId, messageIds)}) u
    left join subscribers s on s.account_id = ${accountId} and s.id = u.subscriber_id
    order by u.at desc, u.subscriber_id limit ${limit} offset ${offset}`.execute(db);
  return rows;
}

export async function countUndelivered(
  db: Reader,
  accountId: number,
  messageIds: readonly number[],
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from ${UNDELIVERED(accountId, messageIds)}`.execute(db);
  return rows[0]?.count ?? 0;
}

export type SingleSms = {
  recipient: string;
  state: 'pending' | 'handing_over' | 'accepted' | 'deferred' | 'failed' | 'skipped' | 'unknown';
  reason: string | null;
  reply: string | null;
  source_id: number | null;
  sender: string | null;
  parts: number | null;
  created_at: Date;
  finished_at: Date | null;
  delivered_at: Date | null;
  undelivered_at: Date | null;
  error: string | null;
};

/** Returns one transactional SMS with the outcome that its provider's receipts report. */
export async function readSingleSms(
  db: Reader,
  accountId: number,
  id: number,
): Promise<SingleSms | undefined> {
  const { rows } = await sql<SingleSms>`
    select s.recipient, s.state, s.reason, s.reply, m.source_id, m.frozen->'text'->>'from' as sender,
      t.parts, s.created_at, s.finished_at, t.delivered_at, t.undelivered_at, t.error
    from single_sends s
    join messages m on m.account_id = ${accountId} and m.id = s.message_id
      and m.kind = 'sms_transactional'
    left join sms_results t on t.account_id = ${accountId} and t.message_id = s.message_id
      and t.lane = ${SINGLE_LANE} and t.ordinal = s.id
    where s.account_id = ${accountId} and s.id = ${id}`.execute(db);
  return rows[0];
}

/** A user's answer to a subscriber's reply. */
type SmsAnswer = { inbound_id: number; text: string; state: string; created_at: Date };

/** Lists users' answers to these replies, oldest first. */
export async function readAnswers(
  db: Reader,
  accountId: number,
  inboundIds: readonly number[],
): Promise<SmsAnswer[]> {
  if (inboundIds.length === 0) return [];
  const { rows } = await sql<SmsAnswer>`
    select m.source_id as inbound_id, s.variables->>'answer' as text, s.state, s.created_at
    from messages m
    join single_sends s on s.account_id = ${accountId} and s.message_id = m.id
    where m.account_id = ${accountId} and m.kind = 'sms_answer'
      and m.source_id = any(${[...inboundIds]}::bigint[])
    order by s.created_at, s.id`.execute(db);
  return rows;
}

/** Counts of the SMS that were sent from one transactional SMS (`source_id`). */
type TransactionalSmsCounts = {
  source_id: number;
  /** Accepted or refused by a provider. */
  sent: number;
  /** Null if no receipt has reported a delivery. */
  delivered: number | null;
  /** Refused by a provider, or accepted and reported as not delivered. */
  failed: number;
};

export async function readTransactionalSms(
  db: Reader,
  accountId: number,
  sourceIds: readonly number[],
): Promise<TransactionalSmsCounts[]> {
  if (sourceIds.length === 0) return [];
  const isReturned = sql`t.undelivered_at is not null and t.delivered_at is null`;
  const { rows } = await sql<TransactionalSmsCounts>`
    select m.source_id, count(*) filter (where s.state in ('accepted', 'failed')) as sent,
      nullif(count(t.delivered_at), 0) as delivered,
      count(*) filter (where s.state = 'failed' or (s.state = 'accepted' and ${isReturned})) as failed
    from messages m
    join single_sends s on s.account_id = ${accountId} and s.message_id = m.id
    left join sms_results t on t.account_id = ${accountId} and t.message_id = m.id
      and t.lane = ${SINGLE_LANE} and t.ordinal = s.id
    where m.account_id = ${accountId} and m.kind = 'sms_transactional'
      and m.source_id = any(${[...sourceIds]}::bigint[])
    group by m.source_id`.execute(db);
  return rows;
}
