// Queries for brands: one row per account that has set any value.
import { sql } from 'kysely';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { createTextFinder } from '#platform/server/erasure/texts.sql.ts';

/** Finds the addresses of erased subscribers in the brand, whose texts are part of every email. */
export const findBrandNaming = createTextFinder('brands', { kind: 'account', columns: ['brand'] });

export async function findBrand(db: Reader, accountId: number): Promise<unknown> {
  const row = await db
    .selectFrom('brands')
    .select('brand')
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return row?.brand;
}

/** Merges into the existing value, so that concurrent changes of different keys are both stored. */
export async function mergeBrand(
  tx: Tx,
  accountId: number,
  changes: object,
  at: Date,
): Promise<void> {
  await sql`
    insert into brands (account_id, brand, modified_at)
    values (${accountId}, ${JSON.stringify(changes)}::jsonb, ${at})
    on conflict (account_id) do update
      set brand = brands.brand || excluded.brand, modified_at = excluded.modified_at`.execute(tx);
}
