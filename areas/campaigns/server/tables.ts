// The tables of this area, written by it alone, and their columns that higher floors may read in their
// own SQL (always with `account_id = $1`).

export const TABLES = [
  'campaigns',
  'campaign_groups',
  'campaign_resends',
  'campaign_segments',
] as const;

export const READABLE = {
  campaigns: ['account_id', 'id', 'message_id', 'sent_at', 'deleted_at'],
} as const;
