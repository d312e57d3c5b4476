// The tables of this area, written by it alone, and their columns that higher floors may read in their
// own SQL (always with `account_id = $1`).

export const TABLES = ['segments'] as const;

export const READABLE = {
  segments: ['account_id', 'id', 'title'],
} as const;
