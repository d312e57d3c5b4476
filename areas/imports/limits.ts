// What both halves know about an import: its limits, the formats it reads and the targets of a column.

/** The default for the largest file; `IMPORT_MAX_MB` changes it. 1,000,000 contacts with five fields take about 90 MB. */
export const maxFileMegabytes = 256;
/** The longest row that is read, in characters; a longer one is reported and skipped. */
export const maxRowLength = 256 * 1024;
export const maxColumns = 1000;
/** The last row that headings may stand in. */
export const MAX_HEADER_ROW = 100;
/** Files of one account that wait to be started. */
export const uploadsMost = 20;
/** How many rows the preview shows. */
export const previewRows = 20;
/** Pasted text, in characters. */
export const maxPastedLength = 8 * 1024 * 1024;
/** What the rows of a workbook may unpack to, and how much more than the packed bytes that may be. */
export const maxUnpackedMegabytes = 512;
export const maxUnpackRatio = 200;
/** A workbook's shared texts are held in memory while its rows are read. */
export const maxSharedTextMegabytes = 64;
/** Longest value kept for one text field of one person. */
export const maxValueLength = 10_000;
export const maxNameLength = 255;

export const fileExtensions = ['csv', 'txt', 'tsv', 'xlsx', 'zip'] as const;

export const encodings = [
  'utf-8',
  'utf-16le',
  'utf-16be',
  'windows-1252',
  'windows-1250',
  'windows-1251',
  'windows-1257',
  'windows-1253',
  'windows-1254',
  'windows-1255',
  'windows-1256',
  'windows-1258',
  'macintosh',
  'cp850',
  'cp437',
  'shift_jis',
  'gbk',
  'big5',
  'euc-kr',
] as const;
export type Encoding = (typeof encodings)[number];

export const delimiters = [',', ';', '\t', '|'] as const;
export type Delimiter = (typeof delimiters)[number];

/** What a column may become beside a field of the account; `skip` leaves it out. */
export const columnTargets = [
  'skip',
  'email',
  'phone',
  'firstname',
  'lastname',
  'fullname',
  'email_status',
  'sms_status',
  'consent_at',
  'unsubscribed_at',
  'email_suppressed',
  'sms_suppressed',
  'all_suppressed',
  'groups',
] as const;
export type ColumnTarget = (typeof columnTargets)[number];
/** Several columns of a file may have one of these: groups add up, and each opt-out counts. */
export const sharedTargets: readonly string[] = [
  'groups',
  'unsubscribed_at',
  'email_suppressed',
  'sms_suppressed',
  'all_suppressed',
];
/** A column with one of these targets says who may be written to. */
export const consentTargets: readonly string[] = [
  'email_status',
  'sms_status',
  'consent_at',
  'unsubscribed_at',
  'email_suppressed',
  'sms_suppressed',
  'all_suppressed',
];

export const fieldTypes = ['text', 'number', 'datetime', 'birthday'] as const;
export type FieldType = (typeof fieldTypes)[number];
/** What a new field is made of: yes or no is text of two words. */
export const newFieldTypes = [...fieldTypes, 'yes_no'] as const;
export type NewFieldType = (typeof newFieldTypes)[number];

/** Services whose exports are known by their headings. */
export const exportServices = [
  'mailchimp',
  'getresponse',
  'mailerlite',
  'brevo',
  'klaviyo',
] as const;
export type ExportService = (typeof exportServices)[number];
/** What a whole file may say of everybody in it: services export whom they lost to files apart. */
export const fileStatuses = ['unsubscribed', 'bounced', 'reported', 'non-subscribed'] as const;
export type FileStatus = (typeof fileStatuses)[number];
/** Groups that the cells of one file name: more than these are no groups but something else. */
export const fileGroupsMost = 500;
/** Lists that are read of one ZIP. */
export const zippedListsMost = 50;

/** Which of the two comes first in 03/04/2026, and which mark stands before the decimals. */
export const dateOrders = ['day-first', 'month-first'] as const;
export type DateOrder = (typeof dateOrders)[number];
export const decimalMarks = ['.', ','] as const;
export type DecimalMark = (typeof decimalMarks)[number];

/** Why a row, or one value of it, was left out. Their words stand in the catalogues under `reasons`. */
export const rowReasons = [
  'row_too_long',
  'too_many_cells',
  'control_characters',
  'row_kills_worker',
  'no_address',
  'email_missing_at',
  'email_invalid',
  'email_too_long',
  'email_domain_invalid',
  'duplicate_in_file',
] as const;
export const valueReasons = [
  'email_left_out',
  'phone_invalid',
  'phone_too_short',
  'phone_too_long',
  'phone_country_invalid',
  'phone_taken',
  'number_invalid',
  'date_invalid',
  'unsubscribe_date_unknown',
  'status_unknown',
  'value_too_long',
  'kept_unsubscribed',
  'too_many_groups',
] as const;
export type RowReason = (typeof rowReasons)[number];
export type ValueReason = (typeof valueReasons)[number];

/** uploaded → queued → running → finished or failed. A file that is never started goes after a day. */
export const states = ['uploaded', 'queued', 'running', 'finished', 'failed'] as const;
/** Rows of another service become a file first: fetching → uploaded, or fetch_failed. */
export const fetchStates = ['fetching', 'uploaded', 'fetch_failed'] as const;
export type FetchState = (typeof fetchStates)[number];
export const forecastStates = ['queued', 'running', 'finished', 'failed'] as const;
export type ForecastState = (typeof forecastStates)[number];
/** How many changed people a forecast shows. */
export const forecastSamples = 20;
export const undoStates = ['queued', 'running', 'finished', 'failed'] as const;
export type UndoState = (typeof undoStates)[number];
/** For so many days an import can be undone. */
export const undoDays = 7;
/** Refused rows name people who are in no list: so many days after the import they are deleted. */
export const rejectedDays = 30;
/** Why something stays when an import is undone. */
export const keptReasons = [
  'gone',
  'changed_since',
  'status_stays',
  'phone_taken',
  'in_other_groups',
  'was_written_to',
] as const;
export type KeptReason = (typeof keptReasons)[number];
export type ImportState = (typeof states)[number];
