// The tables of this area. Only this area writes them; no higher area reads them in its own SQL.
import type { StoredStep } from './editing/tree-changes.ts';
import type { Trail } from './runs/runs.sql.ts';
import type { PathCount } from './splits/splits.sql.ts';

export const TABLES = [
  'workflows',
  'workflow_steps',
  'workflow_versions',
  'workflow_listeners',
  'workflow_inbox',
  'workflow_runs',
  'workflow_past_passes',
  'workflow_accounts',
  'workflow_members',
  'workflow_step_counts',
  'contact_guards',
  'workflow_splits',
] as const;

declare module '#platform/server/database/database.generated.ts' {
  interface JsonColumns {
    'workflow_past_passes.trail': Trail;
    'workflow_runs.trail': Trail;
    'workflow_versions.tree': StoredStep[];
    'workflow_splits.counts': PathCount[];
  }
}
