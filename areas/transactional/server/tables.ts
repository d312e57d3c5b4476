// Tables of this area, written by it alone.

export const TABLES = ['transactional_emails', 'transactional_sms', 'smtp_users'] as const;
