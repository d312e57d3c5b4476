// The tables of this area; only this area writes them.

export const TABLES = ['exports', 'export_links'] as const;
