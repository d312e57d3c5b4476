// Tables of this area, written by it alone.

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
] as const;
