// Formats, states, columns and retention of exports that the server and the screens share.

export const FORMATS = ['csv', 'xlsx'] as const;
export type ExportFormat = (typeof FORMATS)[number];

/**
 * queued → running → finished or failed; a finished export expires, and its file is then deleted.
 */
export const EXPORT_STATES = ['queued', 'running', 'finished', 'failed', 'expired'] as const;
export type ExportState = (typeof EXPORT_STATES)[number];

/**
 * Columns besides the account's custom fields, in the order in which the export dialog lists them.
 */
export const OWN_COLUMNS = [
  'email',
  'firstname',
  'lastname',
  'phone',
  'email_status',
  'temail_status',
  'sms_status',
  'tsms_status',
  'groups',
  'consent_at',
  'unsubscribed_at',
  'bounced_at',
  'source',
  'language',
  'country',
  'location',
  'created',
  'modified',
] as const;
export type OwnColumn = (typeof OWN_COLUMNS)[number];

/** Default columns, besides all custom fields. */
export const USUAL_COLUMNS: readonly OwnColumn[] = [
  'email',
  'firstname',
  'lastname',
  'phone',
  'email_status',
  'sms_status',
  'groups',
  'consent_at',
  'unsubscribed_at',
  'created',
];

/** Maximum ids in one export. */
export const MAX_IDS = 10_000;
/** Maximum waiting and running exports of one account. */
export const MAX_WAITING = 20;
/**
 * Retention of an export's file in days, and validity of a link created on the screen in minutes.
 */
export const RETENTION_DAYS = 7;
export const LINK_MINUTES = 60;
/** An export that takes longer than this number of seconds also sends an email. */
export const EMAIL_AFTER_SECONDS = 60;
