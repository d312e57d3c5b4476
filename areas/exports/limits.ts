// What both halves know of exports: formats, states, columns, and how long a file is kept.

export const formats = ['csv', 'xlsx'] as const;
export type ExportFormat = (typeof formats)[number];

/** queued → running → finished or failed; a finished one expires, and with it its file. */
export const exportStates = ['queued', 'running', 'finished', 'failed', 'expired'] as const;
export type ExportState = (typeof exportStates)[number];

/** Columns beside the account's own fields, in the order of the file. */
export const ownColumns = [
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
export type OwnColumn = (typeof ownColumns)[number];

/** Chosen where nobody says otherwise, beside all fields. */
export const usualColumns: readonly OwnColumn[] = [
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

/** Ids that one export may name. */
export const idsMost = 10_000;
/** Exports of one account that may wait or run at a time. */
export const waitingMost = 20;
/** How long the file of an export is kept, and how long a link made on the screen works. */
export const keptDays = 7;
export const linkMinutes = 60;
/** Whoever waited longer than this is told by letter, too. */
export const letterAfterSeconds = 60;
