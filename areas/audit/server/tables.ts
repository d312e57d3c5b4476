// Tables of this area, written by it alone.

export const TABLES = ['audit', 'audit_settings'] as const;

export const READABLE = {} as const;
