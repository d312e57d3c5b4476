// Queries for hits and the marks of accounts that have hits. Hits are inserted by COPY and deleted
// by the recorder in the transaction that records their effects.
import { sql } from 'kysely';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { acrossAccounts } from '#platform/server/database/across-accounts.sql.ts';
import type { Db, Tx } from '#platform/server/database/database.ts';
import type { Manner } from './verdict.ts';

export type HitRow = {
  accountId: number;
  at: Date;
  sequence: number;
  messageId: number;
  subscriberId: number;
  kind: 'open' | 'click';
  position: number | null;
  manner: Manner | null;
  isSms: boolean;
  ip: string;
  userAgent: string;
};

const COPY = `copy hits (account_id, at, sequence, message_id, subscriber_id, kind, link_position,
  manner, ip, user_agent) from stdin`;

/**
 * Copies text rows (hit-page.ts) of any accounts. Takes 1.6 µs per row; INSERT … unnest takes 5 µs.
 */
export async function copyHits(client: pg.PoolClient, text: Buffer): Promise<void> {
  const stream = client.query(copyFrom(COPY));
  await new Promise<void>((resolve, reject) => {
    stream.on('error', reject);
    stream.on('finish', resolve);
    stream.end(text);
  });
}

/**
 * Marks accounts that have hits, so that the recorder finds them. Must be called after the hits are
 * committed.
 */
export async function markTracked(db: Db, accountIds: readonly number[], at: Date): Promise<void> {
  await sql`insert into tracked_accounts (account_id, at)
    select account_id, ${at}::timestamptz from unnest(${[...accountIds]}::bigint[]) as account_id
    on conflict (account_id) do update set at = excluded.at`.execute(db);
}

/**
 * Deletes the oldest marks and returns their accounts. Concurrent recorders claim different marks.
 * If an account is marked again concurrently, two recorders may process it, but lockHits gives them
 * different hits.
 */
export async function claimTracked(db: Db, limit: number): Promise<number[]> {
  const { rows } = await sql<{ account_id: number }>`
    with due as materialized (
      select account_id from tracked_accounts order by at limit ${limit} for update skip locked
    ) delete from tracked_accounts t using due where t.account_id = due.account_id
    returning t.account_id`.execute(db);
  return rows.map((row) => row.account_id);
}

/** Returns all accounts with hits. The recorder calls it at its start and once per minute. */
export async function listAccountsWithHits(db: Db): Promise<number[]> {
  const rows = await acrossAccounts(
    db,
    (scope) => sql<{ account_id: number }>`
      select distinct account_id from hits where ${scope(sql`account_id`)}`,
  );
  return rows.map((row) => row.account_id);
}

/**
 * Locks and returns the oldest hits of an account, skipping hits that another recorder has locked.
 */
export async function lockHits(tx: Tx, accountId: number, limit: number): Promise<HitRow[]> {
  const { rows } = await sql<HitRow>`
    select account_id as "accountId", at, sequence, message_id as "messageId",
      subscriber_id as "subscriberId", kind, link_position as position,
      nullif(trim(replace(manner, 'text', '')), '') as manner,
      coalesce(manner like 'text%', false) as "isSms",
      coalesce(ip, '') as ip, coalesce(user_agent, '') as "userAgent"
    from hits where account_id = ${accountId}
    order by at, sequence limit ${limit} for update skip locked`.execute(tx);
  return rows;
}

/** Deletes these hits. Throws if one of them is not deleted, because it would be counted again. */
export async function deleteHits(
  tx: Tx,
  accountId: number,
  rows: readonly HitRow[],
): Promise<void> {
  const { numAffectedRows } = await sql`delete from hits h
    using unnest(${rows.map((row) => row.at)}::timestamptz[], ${rows.map((row) => row.sequence)}::bigint[])
      as done (at, sequence)
    where h.account_id = ${accountId} and h.at = done.at and h.sequence = done.sequence`.execute(
    tx,
  );
  if (Number(numAffectedRows) !== rows.length)
    throw new Error('Some recorded hits could not be deleted');
}
