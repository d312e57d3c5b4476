// Stores the forecast of a campaign at its start, so that it can be compared with the results.
import { z } from 'zod';
import { readMessageAudience } from '#areas/delivery/server/ledger/index.ts';
import { type Db, inTransaction, type Tx } from '#platform/server/database/database.ts';
import { addJob, defineJob } from '#platform/server/jobs/jobs.ts';
import { forecastAudience } from './forecast.ts';
import { insertForecast } from './forecasts.sql.ts';

/** Time limit per statement. Reading an audience of a million takes about a second. */
const STATEMENT_MS = 60_000;

export const freezeForecastJob = defineJob({
  name: 'deliverability.freeze_forecast',
  payload: z.object({ accountId: z.number(), messageId: z.number() }),
  run: ({ accountId, messageId }, { db }) => freezeForecast(db, accountId, messageId),
});

/**
 * Adds the job. Must be called in the transaction that starts the message, so that the job runs
 * before the first opens.
 */
export const freezeForecastSoon = (tx: Tx, accountId: number, messageId: number) =>
  addJob(tx, freezeForecastJob, { accountId, messageId });

/** @param messageId the lead message of the campaign */
export async function freezeForecast(db: Db, accountId: number, messageId: number): Promise<void> {
  await inTransaction(
    db,
    async (tx) => {
      const messageAudience = await readMessageAudience(tx, accountId, messageId);
      if (!messageAudience) return;
      const send = { ...messageAudience, seed: messageId, isTimed: true };
      const forecast = await forecastAudience(tx, accountId, send);
      if (forecast) await insertForecast(tx, accountId, messageId, forecast);
    },
    { statementMs: STATEMENT_MS },
  );
}
