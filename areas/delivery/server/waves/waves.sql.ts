// Queries for waves: messages with open waves, missed waves, and the next openings.
import { type RawBuilder, sql } from 'kysely';
import { acrossAccounts } from '#platform/server/database/across-accounts.sql.ts';
import type { Db, Reader, Tx } from '#platform/server/database/database.ts';
import { WAVE } from '../ledger/lanes.ts';
import type { MessageKey, MessagePage } from '../ledger/open-messages.sql.ts';

/** Returns unfinished messages for which a wave has opened; there are only a few at a time. */
export function listAwakeMessages(
  db: Db,
  now: Date,
  { after, size }: MessagePage,
): Promise<MessageKey[]> {
  return acrossAccounts(
    db,
    (scope) => sql<MessageKey>`
    select account_id, id from messages
    where state in ('preparing', 'sending', 'waiting') and frozen_hash is null
      and opens_at <= ${now} and (account_id, id) > (${after.account_id}::bigint, ${after.id}::bigint)
      and ${scope(sql`account_id`)}
    order by account_id, id limit ${size}`,
  );
}

/** SQL: the lane `l` has recipients who are not leased. */
const hasWork = (
  accountId: number,
  messageId: number,
): RawBuilder<boolean> => sql`(l.leased < l.written
  or exists (select 1 from leases f where f.account_id = ${accountId}
    and f.message_id = ${messageId} and f.lane = l.lane and not f.is_done and f.owner = ''))`;

export type MissedWave = { wave: number; opensAt: Date; closesAt: Date };

/** Returns waves that closed before all of their recipients were leased. */
export async function listMissedWaves(
  db: Reader,
  accountId: number,
  messageId: number,
  now: Date,
): Promise<MissedWave[]> {
  const { rows } = await sql<MissedWave>`
    select distinct l.lane / ${WAVE}::int as wave, l.opens_at as "opensAt",
      l.closes_at as "closesAt"
    from lanes l
    where l.account_id = ${accountId} and l.message_id = ${messageId} and l.closes_at <= ${now}
      and l.opens_at < l.closes_at and ${hasWork(accountId, messageId)}`.execute(db);
  return rows;
}

/** Reschedules the lanes of a missed wave. */
export async function moveLanes(
  tx: Tx,
  accountId: number,
  messageId: number,
  { wave, closesAt }: MissedWave,
  times: { opensAt: Date; closesAt: Date },
): Promise<void> {
  await tx
    .updateTable('lanes')
    .set({ opens_at: times.opensAt, closes_at: times.closesAt })
    .where('account_id', '=', accountId)
    .where('message_id', '=', messageId)
    .where(sql<boolean>`lane / ${WAVE}::int = ${wave}`)
    .where('closes_at', '=', closesAt)
    .execute();
}

/**
 * Makes senders skip the message until its next wave opens, unless it has deferred recipients, or
 * handoffs in flight, which may be deferred. The caller has locked the message's row.
 */
export async function sleepUntilNextWave(
  tx: Tx,
  accountId: number,
  messageId: number,
  now: Date,
): Promise<void> {
  await sql`
    with next as materialized (
      select min(l.opens_at) as opens_at from lanes l
      where l.account_id = ${accountId} and l.message_id = ${messageId}
        and ${hasWork(accountId, messageId)}
    )
    update messages m set opens_at = next.opens_at from next
    where m.account_id = ${accountId} and m.id = ${messageId} and next.opens_at > ${now}
      and not exists (select 1 from deferrals d where d.account_id = ${accountId}
        and d.message_id = ${messageId})
      and not exists (select 1 from leases f where f.account_id = ${accountId}
        and f.message_id = ${messageId} and not f.is_done and f.owner <> '')`.execute(tx);
}

/** Makes senders poll a message before its next wave opens, because it got deferred recipients. */
export async function wakeMessage(
  tx: Tx,
  accountId: number,
  messageId: number,
  at: Date,
): Promise<void> {
  await tx
    .updateTable('messages')
    .set({ opens_at: at })
    .where('account_id', '=', accountId)
    .where('id', '=', messageId)
    .where('opens_at', '>', at)
    .execute();
}

export type NextWave = { message_id: number; at: Date; count: number };

/**
 * Returns, for each message, when the next waves open, and how many of their recipients have no
 * lease.
 */
export async function listNextWaves(
  db: Reader,
  accountId: number,
  messageIds: readonly number[],
  now: Date,
): Promise<NextWave[]> {
  const { rows } = await sql<NextWave>`
    select distinct on (l.message_id) l.message_id, l.opens_at as at,
      sum(l.written - l.leased) as count
    from lanes l
    where l.account_id = ${accountId} and l.message_id = any(${[...messageIds]}::bigint[])
      and l.opens_at > ${now} and l.leased < l.written
    group by l.message_id, l.opens_at
    order by l.message_id, l.opens_at`.execute(db);
  return rows;
}
