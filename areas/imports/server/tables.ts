// Tables written by this area only.
import type { FetchedLists } from './fetch-lists.ts';
import type { ForecastResult, ForecastSettings } from './forecast.ts';
import type { Detected } from './ingest.ts';
import type { ImportSettings } from './start-import.ts';
import type { Trial } from './trials.ts';

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
    /** Fetched lists until their file is stored. */
    'imports.detected': Detected | FetchedLists;
    /** Without settings before the start. */
    'imports.settings': ImportSettings & { trial?: Trial };
  }
}
