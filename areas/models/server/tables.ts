// The tables of this area. Only this area writes them; no higher area reads them in its own SQL.

export const TABLES = ['models', 'model_use', 'model_reservations'] as const;

export const READABLE = {} as const;
