// The tables of this area. Only this area writes them; no higher floor reads them.
export const TABLES = ['sending_windows'] as const;

export const READABLE = {} as const;
