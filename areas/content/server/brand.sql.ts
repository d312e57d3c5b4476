// SQL of brands: one row for each account that has chosen something.
import { sql } from 'kysely';
import type { Reader, Tx } from '#platform/server/database.ts';

export async function findBrand(db: Reader, accountId: number): Promise<unknown> {
  const row = await db
    .selectFrom('brands')
    .select('brand')
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return row?.brand;
}

/** Adds to what is there, so that two tabs that change different things both keep theirs. */
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
