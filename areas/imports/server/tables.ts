// Tables written by this area only.

export const TABLES = [
  'imports',
  'import_forecasts',
  'import_memberships',
  'import_rejections',
  'import_undo_kept',
] as const;
