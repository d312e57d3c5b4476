// Tables that only this area writes, and the types of their JSON columns.
import type { FetchedLists } from './fetch-lists.ts';
import type { ForecastResult, ForecastSettings } from './forecast.ts';
import type { FileProperties } from './ingest.ts';
import type { RunRecord } from './run-record.ts';
import type { ImportSettings } from './start-import.ts';

export const TABLES = [
  'imports',
  'import_forecasts',
  'import_memberships',
  'import_rejections',
  'import_undo_kept',
] as const;

declare module '#platform/server/database/database.generated.ts' {
  interface JsonColumns {
    'import_forecasts.result': Partial<ForecastResult>;
    'import_forecasts.settings': ForecastSettings;
    /** The lists to fetch until their file is stored; then data about the file. */
    'imports.detected': FileProperties | FetchedLists;
    /** Empty before the start, except for fetched lists. */
    'imports.settings': ImportSettings & { trial?: RunRecord };
  }
}
