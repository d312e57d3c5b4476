// Queries for newsletter sign-ups in stores that wait for confirmation.
import { sql } from 'kysely';
import { acrossAccounts } from '#platform/server/database/across-accounts.sql.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';

export type ConfirmationRow = {
  store_id: number;
  subscriber_id: number;
  mailed_at: Date;
  confirmed_at: Date | null;
  expires_at: Date;
};

const COLUMNS = sql`store_id, subscriber_id, mailed_at, confirmed_at, expires_at`;

/**
 * Returns whether a link was sent to this person after `since`. Locks the person, so that
 * concurrent calls send one link.
 */
export async function hasSentLink(
  tx: Tx,
  accountId: number,
  subscriberId: number,
  since: Date,
): Promise<boolean> {
  await sql`
    select pg_advisory_xact_lock(
      hashtextextended(${`store confirmation ${accountId} ${subscriberId}`}, 0))`.execute(tx);
  const { rows } = await sql`
    select 1 from store_confirmations
    where account_id = ${accountId} and subscriber_id = ${subscriberId} and mailed_at > ${since}
    limit 1`.execute(tx);
  return rows.length > 0;
}

export async function insertConfirmation(
  tx: Tx,
  accountId: number,
  row: { hash: Buffer; storeId: number; subscriberId: number; at: Date; expiresAt: Date },
): Promise<void> {
  await sql`
    insert into store_confirmations (account_id, hash, store_id, subscriber_id, mailed_at, expires_at)
    values (${accountId}, ${row.hash}, ${row.storeId}, ${row.subscriberId}, ${row.at},
      ${row.expiresAt})`.execute(tx);
}

export async function findConfirmation(
  db: Reader,
  accountId: number,
  hash: Buffer,
): Promise<ConfirmationRow | undefined> {
  const { rows } = await sql<ConfirmationRow>`
    select ${COLUMNS} from store_confirmations
    where account_id = ${accountId} and hash = ${hash}`.execute(db);
  return rows[0];
}

/** Consumes the token; undefined if it was used before or has expired. */
export async function claimConfirmation(
  tx: Tx,
  accountId: number,
  hash: Buffer,
  at: Date,
): Promise<ConfirmationRow | undefined> {
  const { rows } = await sql<ConfirmationRow>`
    update store_confirmations set confirmed_at = ${at}
    where account_id = ${accountId} and hash = ${hash} and confirmed_at is null
      and expires_at > ${at}
    returning ${COLUMNS}`.execute(tx);
  return rows[0];
}

/** Lists accounts with expired links. */
export async function listAccountsWithExpiredConfirmations(
  db: Reader,
  before: Date,
): Promise<number[]> {
  const rows = await acrossAccounts(
    db,
    (within) => sql<{ account_id: number }>`
    select distinct account_id from store_confirmations
    where ${within(sql`account_id`)} and expires_at < ${before} limit 1000`,
  );
  return rows.map((row) => row.account_id);
}

/** Deletes expired links of one account. */
export async function deleteExpired(tx: Tx, accountId: number, before: Date): Promise<void> {
  await sql`
    delete from store_confirmations
    where account_id = ${accountId} and expires_at < ${before}`.execute(tx);
}
