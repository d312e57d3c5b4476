// The tables of this area; only this area writes them.
import type { ExportSettings } from './start-export.ts';

export const TABLES = ['exports', 'export_links'] as const;

declare module '#platform/server/database/database.generated.ts' {
  interface JsonColumns {
    'exports.settings': ExportSettings;
  }
}
