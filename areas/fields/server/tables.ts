// The tables that only this area writes, and the columns that higher areas may read in their own
// SQL (always with `account_id = $1`).

export const TABLES = ['fields'] as const;

export const READABLE = {
  fields: ['account_id', 'id', 'name'],
} as const;
