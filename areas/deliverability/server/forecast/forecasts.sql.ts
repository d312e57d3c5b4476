// Queries for sealed campaigns and stored forecasts.
import { sql } from 'kysely';
import { accountTable } from '#platform/server/database/account-table.sql.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import type { CampaignForecast, Truth } from '../../forecast-contract.ts';
import type { WaitCounts } from './retries.ts';
import type { CurrencyRevenue } from './revenue.ts';

/** Returns which of these campaigns are sealed. */
export async function listSealed(
  db: Reader,
  accountId: number,
  messageIds: readonly number[],
): Promise<Set<number>> {
  const rows = await db
    .selectFrom('sealed_campaigns')
    .select('message_id')
    .where('account_id', '=', accountId)
    .where('message_id', '=', sql<number>`any(${[...messageIds]}::bigint[])`)
    .execute();
  return new Set(rows.map((row) => row.message_id));
}

/** Marks a campaign as sealed; false if it is sealed already. */
export async function insertSealed(
  tx: Tx,
  campaign: {
    accountId: number;
    messageId: number;
    startedAt: Date;
    earned: readonly CurrencyRevenue[];
    waits: WaitCounts | null;
    at: Date;
  },
): Promise<boolean> {
  const row = await tx
    .insertInto('sealed_campaigns')
    .values({
      account_id: campaign.accountId,
      message_id: campaign.messageId,
      started_at: campaign.startedAt,
      sealed_at: campaign.at,
      earned: JSON.stringify(campaign.earned),
      waits: campaign.waits && JSON.stringify(campaign.waits),
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('message_id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Reads the orders of the newest campaigns that started before an instant, newest first. */
export async function readEarned(
  db: Reader,
  accountId: number,
  before: Date,
  campaigns: number,
): Promise<CurrencyRevenue[][]> {
  const rows = await db
    .selectFrom('sealed_campaigns')
    .select('earned')
    .where('account_id', '=', accountId)
    .where('started_at', '<', before)
    .orderBy('started_at', 'desc')
    .orderBy('message_id', 'desc')
    .limit(campaigns)
    .execute();
  return rows.map((row) => row.earned);
}

/** Lists mailbox providers with complaints about campaigns started since an instant. */
export async function listReportingMailboxes(
  db: Reader,
  accountId: number,
  since: Date,
): Promise<number[]> {
  const { rows } = await sql<{ mailbox: number }>`
    select distinct c.mailbox from sealed_campaigns p
    join send_cells c on c.account_id = ${accountId} and c.message_id = p.message_id
      and c.complaints > 0
    where p.account_id = ${accountId} and p.started_at >= ${since}
    order by c.mailbox`.execute(db);
  return rows.map((row) => row.mailbox);
}

export const { find: findForecast, update: updateForecast } = accountTable(
  'forecasts',
  'message_id',
);

/** Stores the forecast; a second forecast of a campaign is ignored. */
export async function insertForecast(
  tx: Tx,
  accountId: number,
  messageId: number,
  forecast: CampaignForecast,
): Promise<void> {
  await tx
    .insertInto('forecasts')
    .values({
      account_id: accountId,
      message_id: messageId,
      as_of: new Date(forecast.as_of),
      forecast: JSON.stringify(forecast),
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Lists the newest `max` forecasts and their results, oldest first. */
export async function listComparedForecasts(
  db: Reader,
  accountId: number,
  max: number,
): Promise<{ forecast: CampaignForecast; truth: Truth }[]> {
  const rows = await db
    .selectFrom('forecasts')
    .select(['forecast', 'truth'])
    .where('account_id', '=', accountId)
    .where('truth', 'is not', null)
    .orderBy('as_of', 'desc')
    .orderBy('message_id', 'desc')
    .limit(max)
    .execute();
  return rows.flatMap(({ forecast, truth }) => (truth ? [{ forecast, truth }] : [])).reverse();
}
