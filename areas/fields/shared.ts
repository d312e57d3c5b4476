// Shared by browser and server: field types, limits, the default merge tags, and parsing of values
// by type.

export const FIELD_TYPES = ['text', 'number', 'datetime', 'birthday'] as const;
export type FieldType = (typeof FIELD_TYPES)[number];

export const MAX_TITLE_LENGTH = 100;
export const MAX_FIELDS = 500;
export const MAX_TEXT_LENGTH = 10_000;

/** Columns of the subscriber itself, which cannot be deleted. */
export const DEFAULT_MERGE_TAGS = ['email', 'firstname', 'lastname', 'phone'] as const;

/** Names of built-in columns and system merge tags; fields cannot use them. */
const RESERVED: ReadonlySet<string> = new Set([
  ...DEFAULT_MERGE_TAGS,
  'subject',
  'unsubscribe_link',
  'unsubscribe_text',
  'browser_preview',
  'preferences_url',
  'cart_link',
  'id',
  'groups',
]);

/**
 * Derives the merge tag's name from a title: lower-case letters, digits and underscores, beginning
 * with a letter (`favorite_color` for 'Favorite color'). `isUsed` returns whether a name is in use.
 */
export function toFieldName(title: string, isUsed: (name: string) => boolean): string {
  const plainTitle = title
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/ł/g, 'l')
    .replace(/ø/g, 'o')
    .replace(/æ/g, 'ae')
    .replace(/ß/g, 'ss')
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_|_$/g, '')
    .slice(0, 60);
  const base = /^[a-z]/.test(plainTitle)
    ? plainTitle
    : plainTitle
      ? `field_${plainTitle}`
      : 'field';
  for (let number = 1; ; number++) {
    const name = number === 1 ? base : `${base}_${number}`;
    if (!RESERVED.has(name) && !isUsed(name)) return name;
  }
}

export type ValueIssue = 'text_too_long' | 'not_a_number' | 'not_a_date' | 'not_a_birthday';

const DATE =
  /^(\d{4})-(\d{2})-(\d{2})(?:[ T](\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

/**
 * Returns a value in its stored form: text without NUL characters, a finite number, `YYYY-MM-DD
 * HH:MM:SS` (a date alone means its midnight; ISO 8601 with a zone is converted to UTC), `MM-DD`
 * for a birthday. Empty means no value (null).
 */
export function readValue(
  type: FieldType,
  value: string | number | null,
): { value: string | number | null } | { fault: ValueIssue } {
  if (value === null || value === '') return { value: null };
  if (type === 'text') {
    const text = String(value).replaceAll('\0', '');
    return text.length > MAX_TEXT_LENGTH ? { fault: 'text_too_long' } : { value: text };
  }
  if (type === 'number') {
    const number = typeof value === 'number' ? value : Number(value.trim() || 'x');
    return Number.isFinite(number) ? { value: number } : { fault: 'not_a_number' };
  }
  if (type === 'birthday') {
    const day = readBirthday(String(value));
    return day === undefined ? { fault: 'not_a_birthday' } : { value: day };
  }
  return readMoment(String(value));
}

const MONTH_DAY = /^(?:--)?(\d{1,2})[-/](\d{1,2})$/;

/**
 * Returns `MM-DD` from `MM-DD`, `MM/DD`, `--MM-DD` or a full date, whose year is dropped. Returns
 * undefined for a day that does not exist.
 */
function readBirthday(text: string): string | undefined {
  const match = MONTH_DAY.exec(text.trim());
  if (!match) {
    const moment = readMoment(text);
    return 'value' in moment ? moment.value.slice(5, 10) : undefined;
  }
  const [, month = '', day = ''] = match;
  return parseMonthDay(Number(month), Number(day));
}

/** Returns `MM-DD`, or undefined for a day that no year has. 29 February is valid. */
export function parseMonthDay(month: number, day: number): string | undefined {
  const date = new Date(Date.UTC(2000, month - 1, day));
  const isReal = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return isReal ? date.toISOString().slice(5, 10) : undefined;
}

/**
 * Returns the offset of a zone such as `+02:00`, to be subtracted because values are stored in UTC.
 * No zone means UTC.
 */
function offsetMs(zone: string | undefined): number {
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})$/.exec(zone ?? '') ?? [];
  const size = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60_000;
  return sign === '-' ? -size : size;
}

function readMoment(text: string): { value: string } | { fault: ValueIssue } {
  const match = DATE.exec(text.trim());
  if (!match) return { fault: 'not_a_date' };
  const [year, month, day, hour, minute, second] = match
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  const date = new Date(Date.UTC(year ?? 0, (month ?? 0) - 1, day, hour, minute, second));
  const isReal =
    date.getUTCMonth() === (month ?? 0) - 1 &&
    date.getUTCDate() === day &&
    (hour ?? 0) < 24 &&
    (minute ?? 0) < 60 &&
    (second ?? 0) < 60 &&
    (year ?? 0) > 0;
  if (!isReal) return { fault: 'not_a_date' };
  const instant = new Date(date.getTime() - offsetMs(match[7]));
  return { value: instant.toISOString().slice(0, 19).replace('T', ' ') };
}
