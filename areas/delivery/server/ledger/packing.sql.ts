// Queries for packing, which replaces the rows of the recipients of compacted messages with runs.
import { type RawBuilder, sql } from 'kysely';
import { acrossAccounts } from '#platform/server/database/across-accounts.sql.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import type { IdPage } from './pages.ts';

/**
 * Recipients per run. PostgreSQL stores a run of this size inline, and four fit on a page.
 * 1,000,000 recipients: 6,250 runs, 13 MB.
 */
export const RUN = 160;

/**
 * Returns whether recipients may be packed. They may not be packed while processes of an older
 * version may be running, because these processes cannot read runs. A migration drops the
 * constraint once the last of these processes has stopped.
 */
export async function canPack(db: Reader): Promise<boolean> {
  const { rows } = await sql<{ may: boolean }>`
    select not exists (select 1 from pg_constraint where conname = 'messages_not_packed') as may`.execute(
    db,
  );
  return rows[0]?.may === true;
}

/**
 * SQL: `m` is compacted and has rows to pack or to delete. A stream is packed only when it is older
 * than `streamsBefore`: it gets recipients for a month and finds existing ones by the unique key of
 * their rows.
 */
const hasRows = (streamsBefore: Date): RawBuilder<boolean> => sql`
  m.compacted_at is not null and m.trimmed_at is null and m.channel = 'email'
  and m.state in ('finished', 'cancelled') and m.frozen_hash is null
  and (m.stream_key is null or m.created_at < ${streamsBefore})`;

/** Returns a page of the accounts with messages to pack. Takes no lock. */
export async function listAccountsToPack(
  db: Reader,
  streamsBefore: Date,
  page: IdPage,
): Promise<number[]> {
  const rows = await acrossAccounts(
    db,
    (scope) => sql<{ account_id: number }>`
    select distinct m.account_id from messages m
    where ${scope(sql`m.account_id`)} and ${hasRows(streamsBefore)} and m.account_id > ${page.after}
    order by m.account_id limit ${page.size}`,
  );
  return rows.map((row) => row.account_id);
}

/** Returns a page of an account's messages to pack. */
export async function listMessagesToPack(
  db: Reader,
  accountId: number,
  streamsBefore: Date,
  page: IdPage,
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select m.id from messages m
    where m.account_id = ${accountId} and ${hasRows(streamsBefore)} and m.id > ${page.after}
    order by m.id limit ${page.size}`.execute(db);
  return rows.map((row) => row.id);
}

/**
 * Writes the runs of a message from its rows. No run spans a multiple of 2^31, so that offsets are
 * integers.
 */
export async function insertRuns(tx: Tx, accountId: number, messageId: number): Promise<void> {
  await sql`
    insert into recipient_runs
      (account_id, message_id, first_id, last_id, offsets, lanes, ordinals)
    select p.account_id, ${messageId}::bigint, p.first_id, max(p.subscriber_id),
      array_agg((p.subscriber_id - p.first_id)::integer order by p.subscriber_id),
      array_agg(p.lane order by p.subscriber_id), array_agg(p.ordinal order by p.subscriber_id)
    from (
      select n.account_id, n.subscriber_id, n.lane, n.ordinal, min(n.subscriber_id) over (
        partition by n.account_id, n.subscriber_id >> 31, n.place / ${RUN}::integer) as first_id
      from (
        select r.account_id, r.subscriber_id, r.lane, r.ordinal, row_number() over (
          partition by r.account_id, r.subscriber_id >> 31 order by r.subscriber_id) - 1 as place
        from recipients r
        where r.account_id = ${accountId} and r.message_id = ${messageId}) n) p
    group by p.account_id, p.first_id`.execute(tx);
}

/**
 * Marks a message as packed: from then on, queries read its runs, and need only the rows of
 * recipients with results.
 */
export async function markPacked(tx: Tx, accountId: number, messageId: number): Promise<void> {
  await sql`
    update messages set packed_to = coalesce((select max(c.last_id) from recipient_runs c
      where c.account_id = ${accountId} and c.message_id = ${messageId}), 0)
    where account_id = ${accountId} and id = ${messageId}`.execute(tx);
}

/** Returns the lanes of a message, with the number of their recipients. */
export async function lanesToTrim(
  db: Reader,
  accountId: number,
  messageId: number,
): Promise<{ lane: number; written: number }[]> {
  return db
    .selectFrom('lanes')
    .select(['lane', 'written'])
    .where('account_id', '=', accountId)
    .where('message_id', '=', messageId)
    .orderBy('lane')
    .execute();
}

/** Deletes the rows of a slice of a packed message, except rows of recipients with results. */
export async function trimSlice(
  tx: Tx,
  accountId: number,
  messageId: number,
  slice: { lane: number; from: number; to: number },
): Promise<void> {
  await sql`
    delete from recipients r
    where r.account_id = ${accountId} and r.message_id = ${messageId} and r.lane = ${slice.lane}
      and r.ordinal between ${slice.from} and ${slice.to}
      and not exists (select 1 from results n where n.account_id = ${accountId}
        and n.message_id = ${messageId} and n.lane = ${slice.lane} and n.ordinal = r.ordinal)
      and not exists (select 1 from deferrals d where d.account_id = ${accountId}
        and d.message_id = ${messageId} and d.lane = ${slice.lane} and d.ordinal = r.ordinal)`.execute(
    tx,
  );
}

export async function finishTrimming(
  tx: Tx,
  accountId: number,
  messageId: number,
  at: Date,
): Promise<void> {
  await tx
    .updateTable('messages')
    .set({ trimmed_at: at })
    .where('account_id', '=', accountId)
    .where('id', '=', messageId)
    .execute();
}
