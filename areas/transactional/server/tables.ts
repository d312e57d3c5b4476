// The tables of this area, written by it alone.

export const TABLES = ['transactional_emails'] as const;
