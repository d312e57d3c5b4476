// The tables that only this area writes, and the columns that higher areas may read in their own
// SQL (always with `account_id = $1`).
import type { Condition } from '../shared.ts';

export const TABLES = ['segments'] as const;

export const READABLE = {
  segments: ['account_id', 'id', 'title'],
} as const;

declare module '#platform/server/database/database.generated.ts' {
  interface JsonColumns {
    'segments.conditions': Condition[];
  }
}
