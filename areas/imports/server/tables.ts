// The tables of this area: written by it alone.

export const TABLES = [
  'imports',
  'import_forecasts',
  'import_memberships',
  'import_rejections',
  'import_undo_kept',
] as const;
