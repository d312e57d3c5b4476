// SQL that removes addresses of erased subscribers from the texts of an account's objects.
import { sql } from 'kysely';
import { mentionsAddress, type SubscriberAddresses } from '../database/address-search.sql.ts';
import type { DB } from '../database/database.generated.ts';
import type { Tx } from '../database/database.ts';

/** Tables of an account with an `id`. */
type ObjectTable = {
  [Table in keyof DB]: DB[Table] extends { account_id: unknown; id: unknown } ? Table : never;
}[keyof DB];

/** Rewrites the texts of an account that name an address. */
export type RewriteTexts = (
  tx: Tx,
  accountId: number,
  naming: SubscriberAddresses,
  rewrite: (text: string) => string,
) => Promise<void>;

/**
 * Creates the function that rewrites the title, or other text columns, of one table. The area of
 * the table declares it. `toKey` computes the column `<column>_key`, if the table has one. The ID
 * of the row is appended to a rewritten text that has to be unique.
 */
export function createTextRewriter<Table extends ObjectTable>(
  table: Table,
  {
    columns = ['title' as keyof DB[Table] & string],
    toKey,
    isUnique = false,
  }: {
    columns?: readonly (keyof DB[Table] & string)[];
    toKey?: (text: string) => string;
    isUnique?: boolean;
  } = {},
): RewriteTexts {
  // Typed as one arbitrary table, because the builder needs only names.
  const name = table as unknown as 'groups';
  const names = columns as readonly string[] as readonly 'title'[];
  return async (tx, accountId, naming, rewrite) => {
    const rows = await tx
      .selectFrom(name)
      .select(['id', ...names])
      .where('account_id', '=', accountId)
      .where(
        mentionsAddress(
          sql`concat_ws(' ', ${sql.join(names.map((column) => sql.ref(column)))})`,
          naming,
        ),
      )
      .orderBy('id')
      .forUpdate()
      .execute();
    for (const row of rows) {
      const change: Record<string, string> = {};
      for (const column of names) {
        const written = row[column] as string | null;
        const rewritten = written === null ? written : rewrite(written);
        if (rewritten === null || rewritten === written) continue;
        change[column] = isUnique ? `${rewritten} ${row.id}` : rewritten;
        if (toKey) change[`${column}_key`] = toKey(change[column]);
      }
      if (Object.keys(change).length === 0) continue;
      await tx
        .updateTable(name)
        .set(change)
        .where('account_id', '=', accountId)
        .where('id', '=', row.id)
        .execute();
    }
  };
}
