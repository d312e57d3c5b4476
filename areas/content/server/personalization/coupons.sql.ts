// Queries for coupon pools and their codes.
import { sql } from 'kysely';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { createTextRewriter } from '#platform/server/erasure/texts.sql.ts';

/** Removes the addresses of erased subscribers from titles of coupon pools. */
export const rewritePools = createTextRewriter('coupon_pools');

export type PoolRow = { id: number; title: string; total: number; left: number; created_at: Date };

export async function listPools(
  db: Reader,
  accountId: number,
  id: number | undefined,
): Promise<PoolRow[]> {
  const { rows } = await sql<PoolRow>`
    select p.id, p.title, p.created_at, c.total, c."left" from coupon_pools p
    cross join lateral (select count(*) as total, count(*) filter (where drawn_at is null) as "left"
      from coupon_codes where account_id = ${accountId} and pool_id = p.id) c
    where p.account_id = ${accountId} and p.deleted_at is null
      and (${id ?? null}::bigint is null or p.id = ${id ?? null})
    order by p.title collate "und-x-icu", p.id`.execute(db);
  return rows;
}

export async function insertPool(
  tx: Tx,
  accountId: number,
  title: string,
  at: Date,
): Promise<number> {
  const { id } = await tx
    .insertInto('coupon_pools')
    .values({ account_id: accountId, title, created_at: at, modified_at: at })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Returns false if the pool does not exist. */
export async function changePool(
  tx: Tx,
  accountId: number,
  id: number,
  change: { title?: string; deleted_at?: Date },
  at: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('coupon_pools')
    .set({ ...change, modified_at: at })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Locks the pool against concurrent additions; false if it does not exist. */
export async function lockPool(tx: Tx, accountId: number, id: number): Promise<boolean> {
  const { rows } = await sql`select id from coupon_pools
    where account_id = ${accountId} and id = ${id} and deleted_at is null for update`.execute(tx);
  return rows.length === 1;
}

/** Returns the number of new codes; codes that are in the pool, used or not, are skipped. */
export async function insertCodes(
  tx: Tx,
  accountId: number,
  poolId: number,
  codes: readonly string[],
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with added as (insert into coupon_codes (account_id, pool_id, code)
    select ${accountId}::bigint, ${poolId}::bigint, c from unnest(${[...codes]}::text[])
      with ordinality u (c, n) order by n
    on conflict (account_id, pool_id, code) do nothing
    returning 1)
    select count(*) as count from added`.execute(tx);
  return rows[0]?.count ?? 0;
}

/** Deletes unused codes. */
export async function deleteUnusedCodes(tx: Tx, accountId: number, poolId: number): Promise<void> {
  await tx
    .deleteFrom('coupon_codes')
    .where('account_id', '=', accountId)
    .where('pool_id', '=', poolId)
    .where('drawn_at', 'is', null)
    .execute();
}

export type DrawnCode = { subscriber_id: number; code: string };

/** Returns the codes that were already drawn for these copies. */
export async function listDrawnCodes(
  db: Reader,
  accountId: number,
  poolId: number,
  messageId: number,
  subscriberIds: readonly number[],
): Promise<DrawnCode[]> {
  const { rows } = await sql<DrawnCode>`
    select subscriber_id, code from coupon_codes
    where account_id = ${accountId} and message_id = ${messageId} and pool_id = ${poolId}
      and subscriber_id = any(${[...subscriberIds]}::bigint[])`.execute(db);
  return rows;
}

/**
 * Draws a code for each copy in order, fewer if the pool runs out. Codes locked by concurrent
 * draws are skipped, so draws do not wait and no code is used twice.
 */
export async function drawCodes(
  db: Reader,
  accountId: number,
  poolId: number,
  messageId: number,
  subscriberIds: readonly number[],
  at: Date,
): Promise<DrawnCode[]> {
  const { rows } = await sql<DrawnCode>`
    with free as materialized (
      select id from coupon_codes
      where account_id = ${accountId} and pool_id = ${poolId} and drawn_at is null
      order by id limit ${subscriberIds.length} for update skip locked
    ), paired as (
      select f.id, p.subscriber_id
      from (select id, row_number() over (order by id) as n from free) f
      join unnest(${[...subscriberIds]}::bigint[]) with ordinality p (subscriber_id, n) on p.n = f.n
    )
    update coupon_codes c
    set message_id = ${messageId}, subscriber_id = p.subscriber_id, drawn_at = ${at}
    from paired p
    where c.account_id = ${accountId} and c.pool_id = ${poolId} and c.id = p.id
    returning c.subscriber_id, c.code`.execute(db);
  return rows;
}

/**
 * Draws a code for a sign-up, which stores the code; returns undefined if the pool is empty or
 * deleted.
 */
export async function drawCouponCode(
  tx: Tx,
  accountId: number,
  poolId: number,
  at: Date,
): Promise<string | undefined> {
  const { rows } = await sql<{ code: string }>`
    with free as materialized (
      select c.id from coupon_codes c
      join coupon_pools p on p.account_id = ${accountId} and p.id = ${poolId}
        and p.deleted_at is null
      where c.account_id = ${accountId} and c.pool_id = ${poolId} and c.drawn_at is null
      order by c.id limit 1 for update of c skip locked)
    update coupon_codes set drawn_at = ${at}
    where account_id = ${accountId} and pool_id = ${poolId} and id = (select id from free)
    returning code`.execute(tx);
  return rows[0]?.code;
}

/**
 * Removes the subscribers from used codes, which are retained, and deletes the products stored for
 * their copies.
 */
export async function erasePersonalization(
  tx: Tx,
  accountId: number,
  subscriberIds: readonly number[],
): Promise<void> {
  await sql`update coupon_codes set subscriber_id = null
    where account_id = ${accountId} and subscriber_id = any(${[...subscriberIds]}::bigint[])`.execute(
    tx,
  );
  await sql`delete from product_picks
    where account_id = ${accountId} and subscriber_id = any(${[...subscriberIds]}::bigint[])`.execute(
    tx,
  );
}
