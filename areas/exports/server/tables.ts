// The tables of this area: written by it alone.

export const TABLES = ['exports', 'export_links'] as const;
