// Tables of this area, written by it alone.

export const TABLES = ['models', 'model_use', 'model_reservations'] as const;

export const READABLE = {} as const;
