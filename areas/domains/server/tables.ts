// The tables of this area: written by it alone.

export const TABLES = ['domains', 'domain_keys'] as const;
