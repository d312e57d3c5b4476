// The tables of this area, written by it alone.

export const TABLES = ['transactional_emails', 'smtp_users'] as const;
