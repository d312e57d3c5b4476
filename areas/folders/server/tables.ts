// Tables of this area, written by it alone.

export const TABLES = ['folders', 'labels', 'item_places', 'item_labels', 'item_notes'] as const;

export const READABLE = {} as const;
