// The tables of this area, written by it alone, and their columns that higher floors may read in their
// own SQL (always with `account_id = $1`).

export const TABLES = ['fields'] as const;

export const READABLE = {
  fields: ['account_id', 'id', 'name'],
} as const;
