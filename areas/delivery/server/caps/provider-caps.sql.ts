// Queries for a sending domain's limits at mailbox providers.
import { accountTable } from '#platform/server/database/account-table.sql.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';

/**
 * `perHour` is null if the rate is not limited. `isEngagedOnly` limits sending to engaged
 * subscribers.
 */
export type ProviderCap = { perHour: number | null; isEngagedOnly: boolean };

/** Limits by mailbox provider. */
export type ProviderCapMap = ReadonlyMap<number, ProviderCap>;

type DomainMailbox = { domain: string; mailbox: number };

/** Returns the key of a limit's allowance, which all senders share. */
export const capKey = ({ accountId, domain, mailbox }: DomainMailbox & { accountId: number }) =>
  `pilot/${accountId}/${domain}/${mailbox}`;

export async function readProviderCaps(
  db: Reader,
  accountId: number,
  domain: string,
): Promise<ProviderCapMap> {
  const rows = await db
    .selectFrom('provider_caps')
    .select(['mailbox', 'per_hour', 'is_engaged_only'])
    .where('account_id', '=', accountId)
    .where('domain', '=', domain)
    .execute();
  return new Map(
    rows.map((row) => [row.mailbox, { perHour: row.per_hour, isEngagedOnly: row.is_engaged_only }]),
  );
}

export async function putProviderCap(
  tx: Tx,
  accountId: number,
  { domain, mailbox }: DomainMailbox,
  cap: ProviderCap & { at: Date },
): Promise<void> {
  const values = {
    per_hour: cap.perHour,
    is_engaged_only: cap.isEngagedOnly,
    modified_at: cap.at,
  };
  await tx
    .insertInto('provider_caps')
    .values({ account_id: accountId, domain, mailbox, ...values })
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'domain', 'mailbox']).doUpdateSet(values),
    )
    .execute();
}

const { delete: deleteRow } = accountTable('provider_caps', 'domain', 'mailbox');

export const deleteProviderCap = (tx: Tx, accountId: number, domain: string, mailbox: number) =>
  deleteRow(tx, accountId, domain, mailbox);
