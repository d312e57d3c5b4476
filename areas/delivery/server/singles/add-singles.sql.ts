// Inserts single sends: one, many of one message, or a batch from several API calls.
import { type RawBuilder, sql } from 'kysely';
import type { Db, Tx } from '#platform/server/database/database.ts';
import { prepareStatement } from '#platform/server/database/prepared.ts';
import type { MessageChannel, Priority } from '../../message-kinds.ts';
import { ADDRESS, getStatusChannel, selectStatus } from '../channels/addresses.sql.ts';
import { isSuppressed } from '../ledger/selection.sql.ts';
import { findSingle } from './singles.sql.ts';

export async function insertSingle(
  tx: Tx,
  single: {
    accountId: number;
    messageId: number;
    idempotencyKey: string;
    subscriberId: number | null;
    email: string;
    variables: unknown;
    sealed: Buffer | null;
    priority: Priority;
    channel: MessageChannel;
    at: Date;
  },
): Promise<{ id: number; isNew: boolean }> {
  const insertion = await tx
    .insertInto('single_sends')
    .values({
      account_id: single.accountId,
      message_id: single.messageId,
      idempotency_key: single.idempotencyKey,
      subscriber_id: single.subscriberId,
      recipient: single.email,
      variables: JSON.stringify(single.variables),
      sealed_variables: single.sealed,
      priority: single.priority,
      channel: single.channel,
      next_attempt_at: single.at,
      created_at: single.at,
    })
    .onConflict((conflict) => conflict.constraint('single_sends_key').doNothing())
    .returning('id')
    .executeTakeFirst();
  if (insertion) return { id: insertion.id, isNew: true };
  const existing = await findSingle(tx, single.accountId, single.messageId, single.idempotencyKey);
  if (existing === undefined) throw new Error('The single send was deleted after its insert');
  return { id: existing, isNew: false };
}

/** A single send of an existing message to an address, whose subscriber is found by `emailKey`. */
export type ReadySingle = {
  messageId: number;
  key: string;
  recipient: string;
  /** The normalized address; null if the address is invalid. */
  emailKey: string | null;
  values: unknown;
};

/**
 * Single sends of one account as parallel arrays. An entry of `claims` is the key that must be in
 * `claimedKeys` for the single send to be inserted; null if it needs none.
 */
export type ReadySingles = {
  accountId: number;
  ids: readonly number[];
  messageIds: readonly number[];
  singleKeys: readonly string[];
  recipients: readonly string[];
  emailKeys: readonly (string | null)[];
  variables: readonly string[];
  claims: readonly (string | null)[];
  priority: Priority;
  channel: MessageChannel;
  at: Date;
};

type SqlValues<Values> = { readonly [Name in keyof Values]: RawBuilder<Values[Name]> };

/**
 * SQL: inserts the single sends, but skips sends whose claim is not in `claimedKeys`, and returns
 * the IDs of new ones. Nothing is inserted for an idempotency key that the message already has.
 */
export const addReady = (v: SqlValues<ReadySingles>, claimedKeys: RawBuilder<unknown>) => sql`
  insert into single_sends (account_id, id, message_id, idempotency_key, subscriber_id, recipient,
    variables, priority, channel, next_attempt_at, created_at)
  select accounts.id, a.id, a.message_id, a.key, s.id, a.recipient, a.variables,
    ${v.priority}::smallint, ${v.channel}::text, ${v.at}::timestamptz, ${v.at}::timestamptz
  from accounts
    cross join unnest(${v.ids}::bigint[], ${v.messageIds}::bigint[], ${v.singleKeys}::text[], ${v.recipients}::text[],
      ${v.emailKeys}::text[], ${v.variables}::jsonb[], ${v.claims}::text[])
    a(id, message_id, key, recipient, email_key, variables, claim)
  left join subscribers s on s.account_id = accounts.id and s.email_key = a.email_key
    and s.deleted_at is null
  where accounts.id = ${v.accountId} and (a.claim is null or a.claim in (select key from ${claimedKeys}))
  on conflict (account_id, message_id, idempotency_key) do nothing
  returning id`;

const drawIds = prepareStatement<{ count: number }>(
  (v) => sql`select nextval(pg_get_serial_sequence('single_sends', 'id'))
    from generate_series(1, ${v.count}::int)`,
);

/** Allocates ascending IDs, which responses contain before the rows are written. */
export async function nextSingleIds(db: Db, count: number): Promise<number[]> {
  const rows = await drawIds(db, { count });
  return rows.map(([id]) => id as number);
}

/** A single send of a message to a subscriber. */
export type OwnCopy = { subscriberId: number; values: unknown; idempotencyKey: string };

/**
 * Inserts single sends to subscribers who may get them. Returns the excluded subscribers. Nothing
 * is inserted for an idempotency key that the message already has.
 */
export async function insertSingles(
  tx: Tx,
  singles: {
    accountId: number;
    messageId: number;
    copies: readonly OwnCopy[];
    priority: Priority;
    channel: MessageChannel;
    isMarketing: boolean;
    at: Date;
  },
): Promise<{ id: number; reason: string }[]> {
  const { accountId, messageId, copies, priority, at } = singles;
  const statusChannel = getStatusChannel(singles.channel, singles.isMarketing);
  const status = selectStatus(statusChannel);
  const { key, address } = ADDRESS[singles.channel];
  const isPaused = singles.isMarketing ? sql`when s.paused_until > ${at} then 'paused'` : sql``;
  const { rows } = await sql<{ n: number; reason: string | null }>`
    select a.n::int,
      case when s.id is null then 'deleted'
        when ${key} is null then 'no_address'
        when ${status} = 'non-subscribed' then 'non_subscribed'
        when ${status} <> 'active' then ${status}::text
        ${isPaused}
        when ${isSuppressed(accountId, statusChannel)} then 'suppressed' end as reason
    from unnest(${copies.map((copy) => copy.subscriberId)}::bigint[]) with ordinality a(id, n)
    left join subscribers s on s.account_id = ${accountId} and s.id = a.id
      and s.deleted_at is null`.execute(tx);
  const permittedCopies = rows.flatMap((row) =>
    row.reason === null ? (copies[row.n - 1] ?? []) : [],
  );
  // On a cluster, an insert from rows that the same statement selects would need every node.
  await sql`
    insert into single_sends (account_id, message_id, idempotency_key, subscriber_id, recipient,
      variables, priority, channel, next_attempt_at, created_at)
    select s.account_id, ${messageId}::bigint, a.key, a.id, ${address}, a.variables,
      ${priority}::smallint, ${singles.channel}::text, ${at}::timestamptz, ${at}::timestamptz
    from unnest(${permittedCopies.map((copy) => copy.subscriberId)}::bigint[],
      ${permittedCopies.map((copy) => copy.idempotencyKey)}::text[],
      ${permittedCopies.map((copy) => JSON.stringify(copy.values))}::jsonb[]) a(id, key, variables)
    join subscribers s on s.account_id = ${accountId} and s.id = a.id and ${key} is not null
    on conflict (account_id, message_id, idempotency_key) do nothing`.execute(tx);
  return rows.flatMap(({ n, reason }) => {
    const copy = copies[n - 1];
    return copy && reason !== null ? [{ id: copy.subscriberId, reason }] : [];
  });
}
