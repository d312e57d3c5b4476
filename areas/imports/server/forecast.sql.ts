// Queries for import forecasts. Each import has one; a new forecast replaces it.
import { type Selectable, sql } from 'kysely';
import { accountTable } from '#platform/server/database/account-table.sql.ts';
import type { DB } from '#platform/server/database/database.generated.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import type { ForecastState } from '../shared.ts';

export type ImportForecastRow = Selectable<DB['import_forecasts']>;

export async function saveForecast(
  tx: Tx,
  forecast: { accountId: number; importId: number; hash: string; settings: unknown; at: Date },
): Promise<void> {
  const settings = JSON.stringify(forecast.settings);
  await sql`
    insert into import_forecasts (account_id, import_id, hash, state, settings, created_at, modified_at)
    values (${forecast.accountId}, ${forecast.importId}, ${forecast.hash}, 'queued',
      ${settings}::jsonb, ${forecast.at}, ${forecast.at})
    on conflict (account_id, import_id) do update
    set hash = excluded.hash, state = excluded.state, settings = excluded.settings, rows_read = 0,
      result = '{}', created_at = excluded.created_at, modified_at = excluded.modified_at`.execute(
    tx,
  );
}

export const { find: findForecast } = accountTable('import_forecasts', 'import_id');

/** Updates the progress of a forecast; false if a later forecast replaced it. */
export async function updateForecast(
  db: Reader,
  forecast: { accountId: number; importId: number; hash: string },
  step: { state: ForecastState; rowsRead: number; result: unknown; at: Date },
): Promise<boolean> {
  const { rows } = await sql`
    update import_forecasts
    set state = ${step.state}, rows_read = ${step.rowsRead},
      result = ${JSON.stringify(step.result)}::jsonb, modified_at = ${step.at}
    where account_id = ${forecast.accountId} and import_id = ${forecast.importId}
      and hash = ${forecast.hash}
    returning import_id`.execute(db);
  return rows.length > 0;
}

export async function deleteForecast(tx: Tx, accountId: number, importId: number): Promise<void> {
  await sql`
    delete from import_forecasts
    where account_id = ${accountId} and import_id = ${importId}`.execute(tx);
}
