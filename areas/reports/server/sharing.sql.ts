// Queries for the public links to reports.
import { accountTable } from '#platform/server/database/account-table.sql.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';

export type SharingLinkRow = { campaign_id: number; secret: string; expires_at: Date };

export function findLink(
  db: Reader,
  accountId: number,
  campaignId: number,
): Promise<SharingLinkRow | undefined> {
  return db
    .selectFrom('report_links')
    .select(['campaign_id', 'secret', 'expires_at'])
    .where('account_id', '=', accountId)
    .where('campaign_id', '=', campaignId)
    .executeTakeFirst();
}

export async function saveLink(
  tx: Tx,
  accountId: number,
  link: SharingLinkRow & { created_at: Date },
): Promise<void> {
  const { campaign_id, ...columns } = link;
  await tx
    .insertInto('report_links')
    .values({ account_id: accountId, campaign_id, ...columns })
    .onConflict((conflict) => conflict.columns(['account_id', 'campaign_id']).doUpdateSet(columns))
    .execute();
}

export const { delete: removeLink } = accountTable('report_links', 'campaign_id');
