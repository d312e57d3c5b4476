// Shared by browser and server: limits of an import, its file formats and column targets.

/**
 * Default of the maximum file size; `IMPORT_MAX_MB` changes it. 1,000,000 contacts with five fields
 * take about 90 MB.
 */
export const MAX_FILE_MEGABYTES = 256;
/** Maximum length of a row in characters; a longer one is reported and skipped. */
export const MAX_ROW_LENGTH = 256 * 1024;
export const MAX_COLUMNS = 1000;
/** The last row that may contain the headings. */
export const MAX_HEADER_ROW = 100;
/** Maximum number of files of one account that wait for their start. */
export const MAX_UPLOADS = 20;
/** Number of rows in the preview. */
export const PREVIEW_ROWS = 20;
/** Maximum length of pasted text in characters. */
export const MAX_PASTED_LENGTH = 8 * 1024 * 1024;
/**
 * Maximum unpacked size of a workbook and of its text, and the maximum ratio to the packed size.
 */
export const MAX_UNPACKED_MEGABYTES = 512;
export const MAX_UNPACK_RATIO = 200;
/**
 * Maximum size of a workbook's shared strings, which are held in memory while its rows are read.
 */
export const MAX_SHARED_TEXT_MEGABYTES = 64;
/** Maximum length of a text value. */
export const MAX_VALUE_LENGTH = 10_000;
export const MAX_NAME_LENGTH = 255;

export const FILE_EXTENSIONS = ['csv', 'txt', 'tsv', 'xlsx', 'zip'] as const;

export const ENCODINGS = [
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
export type FileEncoding = (typeof ENCODINGS)[number];

export const DELIMITERS = [',', ';', '\t', '|'] as const;
export type Delimiter = (typeof DELIMITERS)[number];

/** Targets of a column besides the account's fields; `skip` ignores the column. */
export const COLUMN_TARGETS = [
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
export type ColumnTarget = (typeof COLUMN_TARGETS)[number];
/** Targets that several columns may have: groups are combined, and each opt-out counts. */
export const SHARED_TARGETS: readonly string[] = [
  'groups',
  'unsubscribed_at',
  'email_suppressed',
  'sms_suppressed',
  'all_suppressed',
];
/** Targets that determine consent. */
export const CONSENT_TARGETS: readonly string[] = [
  'email_status',
  'sms_status',
  'consent_at',
  'unsubscribed_at',
  'email_suppressed',
  'sms_suppressed',
  'all_suppressed',
];

export const FIELD_TYPES = ['text', 'number', 'datetime', 'birthday'] as const;
export type FieldValueType = (typeof FIELD_TYPES)[number];
/** Types of new fields; yes_no becomes text with two values. */
export const NEW_FIELD_TYPES = [...FIELD_TYPES, 'yes_no'] as const;
export type NewFieldType = (typeof NEW_FIELD_TYPES)[number];

/** Services whose exports are recognized by their headings. */
export const EXPORT_SERVICES = [
  'mailchimp',
  'getresponse',
  'mailerlite',
  'brevo',
  'klaviyo',
] as const;
export type ExportService = (typeof EXPORT_SERVICES)[number];
/** Statuses of a whole file: services export lost subscribers to separate files. */
export const FILE_STATUSES = ['unsubscribed', 'bounced', 'reported', 'non-subscribed'] as const;
export type FileStatus = (typeof FILE_STATUSES)[number];
/**
 * Maximum number of different groups named in a file; further ones are skipped. A column with more
 * of them probably contains something else.
 */
export const MAX_FILE_GROUPS = 500;
/** Maximum number of lists read from one ZIP. */
export const MAX_ZIPPED_LISTS = 50;

/** Whether 03/04/2026 is 3 April or 4 March. */
export const DATE_ORDERS = ['day-first', 'month-first'] as const;
export type DateOrder = (typeof DATE_ORDERS)[number];
export const DECIMAL_MARKS = ['.', ','] as const;
export type DecimalMark = (typeof DECIMAL_MARKS)[number];

/**
 * Why a row, or one of its values, was skipped. Their labels are in the catalogs under `reasons`.
 */
export const ROW_REASONS = [
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
export const VALUE_REASONS = [
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
export type RowReason = (typeof ROW_REASONS)[number];
export type ValueReason = (typeof VALUE_REASONS)[number];

/**
 * uploaded → queued → running → finished or failed. A file that is never started is deleted after a
 * day.
 */
export const STATES = ['uploaded', 'queued', 'running', 'finished', 'failed'] as const;
/** Rows of another service first become a file: fetching → uploaded, or fetch_failed. */
export const FETCH_STATES = ['fetching', 'uploaded', 'fetch_failed'] as const;
export type FetchState = (typeof FETCH_STATES)[number];
export const FORECAST_STATES = ['queued', 'running', 'finished', 'failed'] as const;
export type ForecastState = (typeof FORECAST_STATES)[number];
/** Maximum number of changed subscribers in the sample of a forecast. */
export const FORECAST_SAMPLES = 20;
export const UNDO_STATES = ['queued', 'running', 'finished', 'failed'] as const;
export type UndoState = (typeof UNDO_STATES)[number];
/** Days during which an import can be undone. */
export const UNDO_DAYS = 7;
/**
 * Days until rejected rows are deleted: they contain personal data of people who are not
 * subscribers.
 */
export const REJECTED_DAYS = 30;
/** Reasons why a value remains when an import is undone. */
export const UNRESTORED_REASONS = [
  'gone',
  'changed_since',
  'status_stays',
  'phone_taken',
  'in_other_groups',
  'was_written_to',
] as const;
export type UnrestoredReason = (typeof UNRESTORED_REASONS)[number];
export type ImportState = (typeof STATES)[number];
