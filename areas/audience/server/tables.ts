// Tables of this area, written by it alone.

export const TABLES = ['subscriber_notes', 'subscriber_views'] as const;

export const READABLE = {} as const;
