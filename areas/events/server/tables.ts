// The tables of this area, which only this area writes, and the columns that SQL of higher floors may read
// (always with a condition on `account_id`).

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
