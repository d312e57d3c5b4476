// Queries for the BIMI states of domains.
import { accountTable } from '#platform/server/database/account-table.sql.ts';
import type { Tx } from '#platform/server/database/database.ts';
import type { Bimi } from '../../contract.ts';

export const { find: findBimi } = accountTable('bimi_states', 'domain_id');

export async function saveBimi(
  tx: Tx,
  accountId: number,
  domainId: number,
  { record, logo, certificate, findings, valid_until: validUntil }: Omit<Bimi, 'checked'>,
  at: Date,
): Promise<void> {
  const row = { record, logo, certificate, findings, valid_until: validUntil, checked_at: at };
  await tx
    .insertInto('bimi_states')
    .values({ account_id: accountId, domain_id: domainId, ...row })
    .onConflict((conflict) => conflict.columns(['account_id', 'domain_id']).doUpdateSet(row))
    .execute();
}
