// The tables that only this area writes, and the columns that higher areas may read in their own
// SQL (always with `account_id = $1`).

export const TABLES = ['groups', 'group_members'] as const;

export const READABLE = {
  groups: ['account_id', 'id', 'title', 'created_at', 'modified_at'],
  group_members: ['account_id', 'group_id', 'subscriber_id', 'created_at'],
} as const;
