// The tables of this area; only this area writes them.
import type { DeclaredVariable } from './variables.ts';

export const TABLES = ['transactional_emails', 'transactional_sms', 'smtp_users'] as const;

declare module '#platform/server/database/database.generated.ts' {
  interface JsonColumns {
    'transactional_emails.variables': DeclaredVariable[];
  }
}
