// Tables of this area, written by it alone.

export const TABLES = ['transactional_emails', 'transactional_texts', 'smtp_users'] as const;
