// The tables of this area. Only this area writes them; no higher area reads them in its own SQL.
import type { ApprovalFacts } from './kinds.ts';

export const TABLES = ['approvals', 'approval_settings'] as const;

export const READABLE = {} as const;

declare module '#platform/server/database/database.generated.ts' {
  interface JsonColumns {
    'approvals.facts': ApprovalFacts;
    'approvals.input': Record<string, unknown>;
  }
}
