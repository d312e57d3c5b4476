// Queries for compaction, which replaces the results of accepted copies of old messages with one
// row per slice. The newest results of all other recipients are retained.
import { sql } from 'kysely';
import { acrossAccounts } from '#platform/server/database/across-accounts.sql.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import type { IdPage } from './pages.ts';

/**
 * Returns a page of the accounts with messages that finished before an instant and are not
 * compacted. Takes no lock.
 */
export async function listAccountsToCompact(
  db: Reader,
  before: Date,
  page: IdPage,
): Promise<number[]> {
  const rows = await acrossAccounts(
    db,
    (scope) => sql<{ account_id: number }>`
    select distinct account_id from messages
    where ${scope(sql`account_id`)} and finished_at is not null and compacted_at is null and finished_at < ${before}
      and account_id > ${page.after}
    order by account_id limit ${page.size}`,
  );
  return rows.map((row) => row.account_id);
}

/**
 * Returns a page of an account's messages that finished before an instant, are not compacted and
 * have no recipients in progress.
 */
export async function listMessagesToCompact(
  db: Reader,
  accountId: number,
  before: Date,
  page: IdPage,
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select m.id from messages m
    where m.account_id = ${accountId} and m.finished_at is not null and m.compacted_at is null
      and m.finished_at < ${before} and m.state in ('finished', 'cancelled')
      and m.frozen_hash is null
      and not exists (select 1 from deferrals d where d.account_id = ${accountId}
        and d.message_id = m.id)
      and not exists (select 1 from leases l where l.account_id = ${accountId}
        and l.message_id = m.id and not l.is_done
        and (m.state = 'finished' or l.owner <> ''))
      and m.id > ${page.after}
    order by m.id limit ${page.size}`.execute(db);
  return rows.map((row) => row.id);
}

/**
 * Inserts the result `skipped` for recipients of a canceled message whose range was released before
 * their handoff, because after compaction a recipient without a result is treated as accepted. The
 * message's counts already include them. Each range is processed once.
 */
export async function skipReleased(
  tx: Tx,
  accountId: number,
  messageId: number,
  at: Date,
): Promise<void> {
  await sql`
    with released as (
      update leases set is_done = true
      where account_id = ${accountId} and message_id = ${messageId} and not is_done and owner = ''
      returning lane, started_to, to_ordinal
    )
    insert into results (account_id, message_id, lane, ordinal, attempt, state, at, reason)
    select ${accountId}::bigint, ${messageId}::bigint, g.lane, o, 1, 'skipped', ${at}, 'cancelled'
    from released g, generate_series(g.started_to + 1, g.to_ordinal) o`.execute(tx);
}

/**
 * Returns the lane and first ordinal of a message's next slice, and the lane's last leased ordinal;
 * undefined once all lanes are compacted.
 */
export async function findNextSlice(
  tx: Tx,
  accountId: number,
  messageId: number,
): Promise<{ lane: number; from: number; leased: number } | undefined> {
  const { rows } = await sql<{ lane: number; from: number; leased: number }>`
    select l.lane, coalesce(p.done, 0) + 1 as from, l.leased from lanes l
    left join (select lane, max(to_ordinal) as done from compacted_ranges
      where account_id = ${accountId} and message_id = ${messageId} group by lane) p
      on p.lane = l.lane
    where l.account_id = ${accountId} and l.message_id = ${messageId}
      and coalesce(p.done, 0) < l.leased
    order by l.lane limit 1`.execute(tx);
  return rows[0];
}

/**
 * Compacts one slice of a lane. If the newest result of a recipient is `accepted`, all of the
 * recipient's results are deleted, otherwise all but the newest. The number of accepted copies, the
 * time span of their results and one of their relays are stored. Takes 60 ms for 10,000 recipients.
 */
export async function compactSlice(
  tx: Tx,
  accountId: number,
  messageId: number,
  slice: { lane: number; from: number; to: number },
): Promise<void> {
  const inSlice = sql`account_id = ${accountId} and message_id = ${messageId}
    and lane = ${slice.lane} and ordinal between ${slice.from} and ${slice.to}`;
  await sql`
    with newest as materialized (
      select distinct on (ordinal) ordinal, attempt, state, at, relay from results
      where ${inSlice} order by ordinal, attempt desc
    ), gone as (
      delete from results r using newest n
      where r.account_id = ${accountId} and r.message_id = ${messageId} and r.lane = ${slice.lane}
        and r.ordinal = n.ordinal and (n.state = 'accepted' or r.attempt < n.attempt)
    )
    insert into compacted_ranges (account_id, message_id, lane, from_ordinal, to_ordinal, accepted,
      first_at, last_at, relay)
    select ${accountId}::bigint, ${messageId}::bigint, ${slice.lane}::smallint, ${slice.from}::int,
      ${slice.to}::int, count(*) filter (where state = 'accepted'),
      min(at) filter (where state = 'accepted'), max(at) filter (where state = 'accepted'),
      max(relay) filter (where state = 'accepted')
    from newest`.execute(tx);
}

/** Deletes the leases of a message and marks it as compacted. */
export async function finishCompaction(
  tx: Tx,
  accountId: number,
  messageId: number,
  at: Date,
): Promise<void> {
  await sql`delete from leases
    where account_id = ${accountId} and message_id = ${messageId}`.execute(tx);
  await sql`update messages set compacted_at = ${at}
    where account_id = ${accountId} and id = ${messageId}`.execute(tx);
}
