// Queries of sealed campaigns and of stored forecasts.
import { sql } from 'kysely';
import { accountTable } from '#platform/server/database/account-table.sql.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import type { Forecast, Truth } from '../../forecast-contract.ts';
import type { Waits } from './retries.ts';
import type { Earned } from './revenue.ts';

/** The campaigns among these that are sealed. */
export async function sealedAmong(
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
  sealed: {
    accountId: number;
    messageId: number;
    startedAt: Date;
    earned: readonly Earned[];
    waits: Waits | null;
    at: Date;
  },
): Promise<boolean> {
  const row = await tx
    .insertInto('sealed_campaigns')
    .values({
      account_id: sealed.accountId,
      message_id: sealed.messageId,
      started_at: sealed.startedAt,
      sealed_at: sealed.at,
      earned: JSON.stringify(sealed.earned),
      waits: sealed.waits && JSON.stringify(sealed.waits),
    })
    .onConflict((conflict) => conflict.doNothing())
    .returning('message_id')
    .executeTakeFirst();
  return row !== undefined;
}

/** The orders of the newest campaigns that started before an instant, newest first. */
export async function readEarned(
  db: Reader,
  accountId: number,
  before: Date,
  campaigns: number,
): Promise<Earned[][]> {
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

/** The mailbox providers that reported complaints about campaigns that started since an instant. */
export async function reportingMailboxes(
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
  forecast: Forecast,
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

/** The newest `max` forecasts with their results, oldest first. */
export async function comparedForecasts(
  db: Reader,
  accountId: number,
  max: number,
): Promise<{ forecast: Forecast; truth: Truth }[]> {
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
