// Queries for stored webhooks that wait for processing.
import { sql } from 'kysely';
import { acrossAccounts } from '#platform/server/database/across-accounts.sql.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { containsAddress } from '#platform/server/erasure/texts.sql.ts';

export type NewStoreHook = {
  accountId: number;
  storeId: number;
  key: string;
  topic: string;
  body: unknown;
};

/** Saves webhooks for the stores of one account. A repeated key is saved once. */
export async function insertStoreHooks(
  db: Reader,
  accountId: number,
  hooks: readonly NewStoreHook[],
  at: Date,
): Promise<void> {
  const rows = hooks.map((hook) => ({
    store_id: hook.storeId,
    key: hook.key,
    topic: hook.topic,
    body: hook.body,
  }));
  await sql`
    insert into store_inbox (account_id, store_id, key, topic, body, received_at, retry_at)
    select ${accountId}::bigint, store_id, key, topic, body, ${at}, ${at}
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as reported (store_id bigint, key text,
      topic text, body jsonb)
    where store_id in (select id from stores where account_id = ${accountId})
    on conflict (account_id, store_id, key) do nothing`.execute(db);
}

/** Lists stores with due webhooks, in all accounts. */
export async function listStoresWithDueHooks(
  db: Reader,
  at: Date,
  limit: number,
): Promise<{ accountId: number; storeId: number }[]> {
  return acrossAccounts(
    db,
    (within) => sql<{ accountId: number; storeId: number }>`
      select distinct account_id as "accountId", store_id as "storeId" from (
        select account_id, store_id from store_inbox
        where done_at is null and retry_at <= ${at} and ${within(sql`account_id`)}
        order by retry_at limit ${limit}) due`,
  );
}

export type StoreHook = {
  id: number;
  topic: string;
  body: unknown;
  received_at: Date;
  failures: number;
};

/** Locks due webhooks in order of arrival; webhooks locked by another process are skipped. */
export async function lockStoreHooks(
  tx: Tx,
  accountId: number,
  storeId: number,
  at: Date,
  limit: number,
): Promise<StoreHook[]> {
  const { rows } = await sql<StoreHook>`
    select id, topic, body, received_at, failures from store_inbox
    where account_id = ${accountId} and store_id = ${storeId} and done_at is null
      and retry_at <= ${at}
    order by id limit ${limit} for update skip locked`.execute(tx);
  return rows;
}

export async function settleStoreHooks(
  tx: Tx,
  accountId: number,
  ids: readonly number[],
  at: Date,
): Promise<void> {
  if (ids.length === 0) return;
  await sql`
    update store_inbox set done_at = ${at}, body = '{}', failure = null
    where account_id = ${accountId} and id = any(${[...ids]}::bigint[])`.execute(tx);
}

export async function postponeStoreHook(
  tx: Tx,
  accountId: number,
  id: number,
  change: { failures: number; failure: string; retryAt: Date; doneAt: Date | null },
): Promise<void> {
  await tx
    .updateTable('store_inbox')
    .set({
      failures: change.failures,
      failure: change.failure,
      retry_at: change.retryAt,
      done_at: change.doneAt,
    })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .execute();
}

/** Lists accounts with webhooks processed before this instant. */
export async function listAccountsWithOldHooks(db: Reader, before: Date): Promise<number[]> {
  const rows = await acrossAccounts(
    db,
    (within) => sql<{ account_id: number }>`
    select distinct account_id from store_inbox where ${within(sql`account_id`)} and done_at < ${before} limit 1000`,
  );
  return rows.map((row) => row.account_id);
}

/**
 * Deletes up to `limit` webhooks that were processed before an instant, so long ago that the
 * platform no longer repeats them.
 */
export async function deleteOldStoreHooks(
  tx: Tx,
  accountId: number,
  before: Date,
  limit: number,
): Promise<void> {
  await sql`
    delete from store_inbox where account_id = ${accountId} and id in (
      select id from store_inbox where account_id = ${accountId} and done_at < ${before}
      order by id limit ${limit})`.execute(tx);
}

/**
 * Handles `addresses.erased`: deletes the content of webhooks about these subscribers that wait or
 * failed. They are not processed again.
 */
export async function eraseStoreHooks(
  tx: Tx,
  { accountId, addresses }: { accountId: number; addresses: readonly string[] },
): Promise<void> {
  await sql`
    update store_inbox set body = '{}', failure = null, done_at = coalesce(done_at, received_at)
    where account_id = ${accountId}
      and ${containsAddress(sql`body::text || ' ' || coalesce(failure, '')`, addresses)}`.execute(
    tx,
  );
}
