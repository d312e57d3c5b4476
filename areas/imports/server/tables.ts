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
    /** The lists to fetch; once their file is stored, the properties of the file. */
    'imports.detected': FileProperties | FetchedLists;
    /** Empty until the import is started. */
    'imports.settings': ImportSettings & { trial?: RunRecord };
  }
}
