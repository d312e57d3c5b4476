// Reads the stored forecast of a campaign and its results. For comparison, counts how many results
// of the account's past forecasts fell inside the intervals.
import type { Reader } from '#platform/server/database/database.ts';
import type { StoredForecast } from '../../forecast-contract.ts';
import { isInside, listOutcomes } from './calibration.ts';
import { listComparedForecasts, findForecast } from './forecasts.sql.ts';

/** Maximum number of past forecasts that are compared, each with several results. */
const MAX_FORECASTS = 200;

/** @param messageId the lead message of the campaign */
export async function readForecast(
  db: Reader,
  accountId: number,
  messageId: number,
): Promise<StoredForecast | null> {
  const row = await findForecast(db, accountId, messageId);
  if (!row) return null;
  const outcomes = (await listComparedForecasts(db, accountId, MAX_FORECASTS)).flatMap(
    listOutcomes,
  );
  return {
    ...{ forecast: row.forecast, truth: row.truth },
    compared: outcomes.length,
    inside: outcomes.filter(isInside).length,
  };
}
