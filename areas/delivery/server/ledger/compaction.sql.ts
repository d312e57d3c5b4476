// SQL of compaction: results of old messages are replaced by one span per slice; failures are
// retained.
import { sql } from 'kysely';
import { acrossAccounts } from '#platform/server/database/across-accounts.sql.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import type { Page } from './pages.ts';

/**
 * Finds accounts with finished messages that are old enough, across all accounts, without a lock
 * and in pages. Runs hourly.
 */
export async function accountsToCompact(db: Reader, before: Date, page: Page): Promise<number[]> {
  const rows = await acrossAccounts(
    db,
    (within) => sql<{ account_id: number }>`
    select distinct account_id from messages
    where ${within(sql`account_id`)} and finished_at is not null and compacted_at is null and finished_at < ${before}
      and account_id > ${page.after}
    order by account_id limit ${page.size}`,
  );
  return rows.map((row) => row.account_id);
}

/**
 * Finds messages of an account that are finished, old enough and without waiting recipients, in
 * pages.
 */
export async function messagesToCompact(
  db: Reader,
  accountId: number,
  before: Date,
  page: Page,
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
 * Cancelled messages: recipients in a range that was released before its handoff get a result of
 * their own, since after compaction no result means accepted. They are counted already. Runs once
 * per range.
 */
export async function skipReleased(
  tx: Tx,
  accountId: number,
  messageId: number,
  at: Date,
): Promise<void> {
  await sql`
    with given_back as (
      update leases set is_done = true
      where account_id = ${accountId} and message_id = ${messageId} and not is_done and owner = ''
      returning lane, started_to, to_ordinal
    )
    insert into results (account_id, message_id, lane, ordinal, attempt, state, at, reason)
    select ${accountId}::bigint, ${messageId}::bigint, g.lane, o, 1, 'skipped', ${at}, 'cancelled'
    from given_back g, generate_series(g.started_to + 1, g.to_ordinal) o`.execute(tx);
}

/** Returns the start of a message's next slice; undefined once all lanes are done. */
export async function nextSlice(
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
 * Compacts one slice of a lane: the newest result of each recipient counts. Results of accepted
 * recipients and all older attempts are deleted, and the time span of the handoffs is stored.
 * 10,000 recipients: 60 ms.
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

/** Deletes the leases of a compacted message. */
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
