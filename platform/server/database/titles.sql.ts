// SQL that removes addresses of erased subscribers from the titles of an account's objects.
import { sql } from 'kysely';
import type { Tx } from './database.ts';
import { mentionsAddress, type SubscriberAddresses } from './address-search.sql.ts';

type TitledTable =
  | 'groups'
  | 'folders'
  | 'labels'
  | 'forms'
  | 'campaigns'
  | 'sms_campaigns'
  | 'workflows'
  | 'transactional_emails'
  | 'transactional_sms'
  | 'saved_templates'
  | 'saved_sections';

/** Rewrites the titles of an account that name an address. */
export type RewriteTitles = (
  tx: Tx,
  accountId: number,
  naming: SubscriberAddresses,
  rewrite: (title: string) => string,
) => Promise<void>;

/**
 * Creates the function that rewrites the titles of one table. The area of the table declares it.
 * `keyOf` computes the column `title_key`, if the table has one. The ID of the row is appended to a
 * rewritten title that has to be unique.
 */
export function createTitleRewriter(
  table: TitledTable,
  { toKey, isUnique }: { toKey?: (title: string) => string; isUnique?: boolean } = {},
): RewriteTitles {
  // Typed as one arbitrary table, because the builder needs only the name.
  const name = table as 'groups';
  return async (tx, accountId, naming, rewrite) => {
    const rows = await tx
      .selectFrom(name)
      .select(['id', 'title'])
      .where('account_id', '=', accountId)
      .where(mentionsAddress(sql.ref('title'), naming))
      .orderBy('id')
      .forUpdate()
      .execute();
    for (const { id, title: written } of rows) {
      const rewritten = rewrite(written);
      if (rewritten === written) continue;
      const title = isUnique ? `${rewritten} ${id}` : rewritten;
      await tx
        .updateTable(name)
        .set({ title, ...(toKey && { title_key: toKey(title) }) })
        .where('account_id', '=', accountId)
        .where('id', '=', id)
        .execute();
    }
  };
}
