// Limits for report files, which anyone may send. Unless a comment describes another effect, a file
// that exceeds a limit is refused with a code.

export const MAX_REPORT_BYTES = 10 * 1024 * 1024;
/** Further attachments of the same email are ignored. */
export const MAX_ATTACHMENTS = 5;
export const MAX_UNPACKED_BYTES = 50 * 1024 * 1024;
/** TLS reports have this lower limit of unpacked bytes, because they are parsed as a whole. */
export const MAX_JSON_BYTES = 10 * 1024 * 1024;
/**
 * The maximum number of unpacked bytes per packed byte. Small files may always unpack to
 * `MIN_UNPACKED_BYTES`.
 */
export const MAX_RATIO = 200;
export const MIN_UNPACKED_BYTES = 1024 * 1024;
export const MAX_DEPTH = 20;
export const MAX_RECORDS = 100_000;
/** Longer values are cut off. */
export const MAX_TEXT_LENGTH = 2048;
/** The maximum number of syntax errors to repair in a file. */
export const MAX_REPAIRS = 1000;
/**
 * The maximum number of rows per report, and of stored rows per domain and day. Further rows are
 * added up by result.
 */
export const MAX_ROWS = 5000;
export const MAX_COUNT = 2 ** 31 - 1;

export const REPORT_FAULTS = [
  'empty',
  'file_too_large',
  'unpacked_too_large',
  'damaged',
  'no_report',
  'nested',
  'several_files',
  'doctype',
  'too_deep',
  'too_many_records',
  'count_too_large',
  'no_domain',
  'no_range',
  'range_too_long',
  'too_old',
  'in_future',
  'foreign_domain',
  'too_heavy',
] as const;
export type ReportFault = (typeof REPORT_FAULTS)[number];

/** The reason why a file is not read. Its code is shown to the owner. */
export class ReportError extends Error {
  readonly fault: ReportFault;

  constructor(fault: ReportFault) {
    super(fault);
    this.name = 'ReportError';
    this.fault = fault;
  }
}
