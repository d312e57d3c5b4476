// The tables that only this area writes, and the columns that higher areas may read in their own
// SQL (always with `account_id = $1` and, for subscribers, `deleted_at is null`).
import type { FieldValue } from './people.ts';

export const TABLES = [
  'subscribers',
  'status_changes',
  'consents',
  'suppressions',
  'import_images',
  'staged_people',
  'reach_times',
] as const;

export const READABLE = {
  subscribers: [
    'account_id',
    'id',
    'email',
    'email_key',
    'phone',
    'phone_key',
    'firstname',
    'lastname',
    'field_values',
    'email_status',
    'temail_status',
    'sms_status',
    'tsms_status',
    'mailbox',
    'language',
    'country',
    'location',
    'timezone',
    'source',
    'import_id',
    'unsubscribed_at',
    'bounced_at',
    'created_at',
    'modified_at',
    'deleted_at',
    'erased_at',
  ],
  status_changes: [
    'account_id',
    'subscriber_id',
    'at',
    'channel',
    'from_status',
    'to_status',
    'reason',
    'message_id',
  ],
  suppressions: ['account_id', 'channel', 'address_hash', 'reason', 'created_at'],
  consents: ['account_id', 'subscriber_id', 'at', 'channel', 'kind', 'source', 'wording', 'ip'],
} as const;

declare module '#platform/server/database/database.generated.ts' {
  interface JsonColumns {
    /** Values by field id. */
    'subscribers.field_values': Record<string, FieldValue>;
  }
}
