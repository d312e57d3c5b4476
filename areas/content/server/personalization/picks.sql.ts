// SQL for the products that were chosen for the copies of messages.
import { sql } from 'kysely';
import type { PickedProduct } from '#areas/stores/server/index.ts';
import { acrossAccounts } from '#platform/server/database/across-accounts.sql.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import type { OwnPick } from '../../shop-names.ts';

/** `cart_link`: the cart that the copy links to, instead of a product. */
export type StoredPick = OwnPick | 'cart_link';

export type PickRow = {
  subscriber_id: number;
  product_ids: number[];
  quantities: number[] | null;
};

export async function listSavedPicks(
  db: Reader,
  accountId: number,
  messageId: number,
  kind: StoredPick,
  subscriberIds: readonly number[],
): Promise<Map<number, PickedProduct[]>> {
  const { rows } = await sql<PickRow>`
    select subscriber_id, product_ids, quantities from product_picks
    where account_id = ${accountId} and message_id = ${messageId} and kind = ${kind}
      and subscriber_id = any(${[...subscriberIds]}::bigint[])`.execute(db);
  return new Map(
    rows.map(({ subscriber_id: person, product_ids: ids, quantities }) => [
      person,
      ids.map((id, i) => ({ id: Number(id), quantity: quantities?.[i] ?? 1 })),
    ]),
  );
}

/** Inserts the products of copies. Existing rows are unchanged: repeated copies stay the same. */
export async function savePicks(
  db: Reader,
  accountId: number,
  messageId: number,
  kind: StoredPick,
  picks: ReadonlyMap<number, readonly PickedProduct[]>,
  at: Date,
): Promise<void> {
  const rows = [...picks].map(([id, products]) => ({
    id,
    products: products.map((product) => product.id),
    quantities: products.map(({ quantity }) => quantity),
  }));
  await sql`
    insert into product_picks (account_id, message_id, subscriber_id, kind, product_ids, quantities,
      at)
    select ${accountId}::bigint, ${messageId}::bigint, r.id, ${kind}::text, r.products,
      r.quantities, ${at}::timestamptz
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      r (id bigint, products bigint[], quantities integer[])
    on conflict (account_id, message_id, subscriber_id, kind) do nothing`.execute(db);
}

/** Accounts with products stored before `before`. */
export async function listAccountsWithPicks(db: Reader, before: Date): Promise<number[]> {
  const rows = await acrossAccounts(
    db,
    (within) => sql<{ account_id: number }>`
    select distinct account_id from product_picks where ${within(sql`account_id`)} and at < ${before} limit 1000`,
  );
  return rows.map((row) => row.account_id);
}

/** Deletes up to `limit` rows stored before `before`; returns the number of deleted rows. */
export async function deletePicks(
  tx: Tx,
  accountId: number,
  before: Date,
  limit: number,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with gone as (
      delete from product_picks where account_id = ${accountId}
        and (message_id, subscriber_id, kind) in (
          select message_id, subscriber_id, kind from product_picks
          where account_id = ${accountId} and at < ${before}
          order by message_id, subscriber_id, kind limit ${limit})
      returning 1)
    select count(*) as count from gone`.execute(tx);
  return rows[0]?.count ?? 0;
}
