// The tables of this area. Only this area writes them; no higher area reads them in its own SQL.

export const TABLES = ['folders', 'labels', 'item_places', 'item_labels', 'item_notes'] as const;

export const READABLE = {} as const;
