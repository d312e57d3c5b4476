// Reads the stored forecast of a sent campaign with its results, and how good the account's forecasts
// were.
import type { Reader } from '#platform/server/database/database.ts';
import type { StoredForecast } from '../../forecast-contract.ts';
import { isInside, outcomesOf } from './calibration.ts';
import { comparedForecasts, findForecast } from './forecasts.sql.ts';

const MAX_COMPARED = 200;

/** @param messageId the lead message of the campaign */
export async function readForecast(
  db: Reader,
  accountId: number,
  messageId: number,
): Promise<StoredForecast | null> {
  const row = await findForecast(db, accountId, messageId);
  if (!row) return null;
  const outcomes = (await comparedForecasts(db, accountId, MAX_COMPARED)).flatMap(outcomesOf);
  return {
    ...{ forecast: row.forecast, truth: row.truth },
    compared: outcomes.length,
    inside: outcomes.filter(isInside).length,
  };
}
