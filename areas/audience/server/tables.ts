// The tables of this area. Only this area writes them; no higher area reads them in its own SQL.

export const TABLES = ['subscriber_notes', 'subscriber_views'] as const;

export const READABLE = {} as const;
