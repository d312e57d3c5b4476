// A connected store and its orders, for the fault tests.
import { sql } from 'kysely';
import { sealSecret } from '#areas/stores/server/keys.ts';
import type { Scene } from '../kit.ts';

export type FaultStore = { accountId: number; storeId: number };

export async function newStore(
  { db }: Scene,
  { address, key, secret }: { address: string; key: string; secret: string },
  hookSecret: string,
): Promise<FaultStore> {
  const now = new Date();
  const { rows: accounts } = await sql<{ id: number }>`
    insert into accounts (title, created_at, modified_at) values ('Nordic Tea', ${now}, ${now})
    returning id`.execute(db);
  const accountId = accounts[0]?.id as number;
  const credentials = sealSecret(JSON.stringify({ address, key, secret }));
  const { rows } = await sql<{ id: number }>`
    insert into stores (account_id, type, title, domain, currency, state, credentials, hook_secret,
      created_at, modified_at)
    values (${accountId}, 'woocommerce', 'Tea', 'tea.example', 'EUR', 'connecting', ${credentials},
      ${sealSecret(hookSecret)}, ${now}, ${now}) returning id`.execute(db);
  return { accountId, storeId: rows[0]?.id as number };
}

export const createWooOrder = (id: number) => ({
  id,
  number: String(id),
  status: 'processing',
  currency: 'EUR',
  total: '25.50',
  total_tax: '5.50',
  customer_id: 0,
  order_key: `wc_order_${id}`,
  billing: { email: `buyer${id % 20_000}@shop.example`, first_name: 'Åse', last_name: 'Lund' },
  date_created_gmt: '2026-01-05T10:00:00',
  date_modified_gmt: '2026-01-05T10:00:00',
  line_items: [
    { product_id: 1 + (id % 500), name: `Tea ${id % 500}`, quantity: 1, price: 12.75 },
    { product_id: 1 + ((id + 1) % 500), name: `Tea ${(id + 1) % 500}`, quantity: 1, price: 12.75 },
  ],
});

/**
 * Counts the account's orders, aliases, lines and subscribers, and reads the corresponding counts
 * and the revenue that the product maintains.
 */
export async function countOrderRows({ db }: Scene, { accountId }: FaultStore) {
  const { rows } = await sql<Record<string, number>>`
    select (select count(*) from orders where account_id = ${accountId})::int as orders,
      (select count(distinct number) from orders where account_id = ${accountId})::int as numbers,
      (select count(*) from order_aliases where account_id = ${accountId})::int as names,
      (select count(*) from order_products where account_id = ${accountId})::int as lines,
      (select count(*) from subscribers where account_id = ${accountId})::int as people,
      (select subscriber_count from accounts where id = ${accountId})::int as counted,
      (select coalesce(sum(order_count), 0) from shoppers where account_id = ${accountId})::int as summed,
      (select coalesce(sum(order_amount), 0) from shoppers where account_id = ${accountId})::float8
        as earned`.execute(db);
  return rows[0] as Record<string, number>;
}
