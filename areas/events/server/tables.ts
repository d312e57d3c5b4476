// The tables that only this area writes, and the columns that higher areas may read in their own
// SQL (always with `account_id = $1`).

export const TABLES = ['custom_events', 'event_people', 'event_occurrences'] as const;

export const READABLE = {
  custom_events: ['account_id', 'id', 'name'],
  event_people: ['account_id', 'event_id', 'subscriber_id', 'times', 'first_at', 'last_at'],
  event_occurrences: [
    'account_id',
    'id',
    'event_id',
    'subscriber_id',
    'at',
    'value',
    'currency',
    'properties',
  ],
} as const;
