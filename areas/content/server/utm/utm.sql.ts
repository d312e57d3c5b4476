// Queries for an account's default UTM parameters. An account has no row until it updates them.
import { sql } from 'kysely';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import type { UtmValues } from '../../utm.ts';
import { createTextFinder } from '#platform/server/erasure/texts.sql.ts';

/** Finds the addresses of erased subscribers in default UTM parameters. */
export const findUtmNaming = createTextFinder('utm_defaults', {
  kind: 'account',
  columns: ['values'],
});

type StoredUtm = { is_on: boolean; values: UtmValues };

export function findUtmDefaults(db: Reader, accountId: number): Promise<StoredUtm | undefined> {
  return db
    .selectFrom('utm_defaults')
    .select(['is_on', 'values'])
    .where('account_id', '=', accountId)
    .executeTakeFirst();
}

/**
 * Merges into the existing values, so that concurrent changes of different values are both stored.
 */
export async function mergeUtmDefaults(
  tx: Tx,
  accountId: number,
  { isOn, values }: { isOn: boolean | undefined; values: UtmValues },
  at: Date,
): Promise<void> {
  await sql`
    insert into utm_defaults as d (account_id, is_on, "values", modified_at)
    values (${accountId}, ${isOn ?? false}, ${JSON.stringify(values)}::jsonb, ${at})
    on conflict (account_id) do update
      set is_on = coalesce(${isOn ?? null}::boolean, d.is_on),
        "values" = d."values" || excluded."values",
        modified_at = excluded.modified_at`.execute(tx);
}
