// Fields that both halves know: types, limits, the merge tags every account has, and how a value of
// each type is read.

export const FIELD_TYPES = ['text', 'number', 'datetime', 'birthday'] as const;
export type FieldType = (typeof FIELD_TYPES)[number];

export const TITLE_MOST = 100;
export const FIELDS_MOST = 500;
export const TEXT_MOST = 10_000;

/** Always there, never deleted: columns of the subscriber itself. */
export const DEFAULT_MERGE_TAGS = ['email', 'firstname', 'lastname', 'phone'] as const;
export type DefaultMergeTag = (typeof DEFAULT_MERGE_TAGS)[number];

/** Names that mean something else in a message. */
const RESERVED: ReadonlySet<string> = new Set([
  ...DEFAULT_MERGE_TAGS,
  'subject',
  'unsubscribe_link',
  'unsubscribe_text',
  'browser_preview',
  'preferences_url',
  'id',
  'groups',
]);

/**
 * The merge tag's name from a title: lower-case letters, digits and underscores, beginning with a
 * letter: 'Favourite colour' → favourite_colour. `isTaken` says which names are no longer free.
 */
export function nameOfTitle(title: string, isTaken: (name: string) => boolean): string {
  const plain = title
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
  const base = /^[a-z]/.test(plain) ? plain : plain ? `field_${plain}` : 'field';
  for (let number = 1; ; number++) {
    const name = number === 1 ? base : `${base}_${number}`;
    if (!RESERVED.has(name) && !isTaken(name)) return name;
  }
}

export type ValueFault = 'text_too_long' | 'not_a_number' | 'not_a_date' | 'not_a_birthday';

const DATE = /^(\d{4})-(\d{2})-(\d{2})(?:[ T](\d{2}):(\d{2})(?::(\d{2}))?)?$/;

/**
 * A value as it is kept: text as it is, a finite number, `YYYY-MM-DD HH:MM:SS` (a date alone is its
 * midnight), `MM-DD` of a birthday. Empty means no value (null).
 */
export function readValue(
  type: FieldType,
  value: string | number | null,
): { value: string | number | null } | { fault: ValueFault } {
  if (value === null || value === '') return { value: null };
  if (type === 'text') {
    const text = String(value).replaceAll('\0', '');
    return text.length > TEXT_MOST ? { fault: 'text_too_long' } : { value: text };
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

/** `MM-DD` of `MM-DD`, `MM/DD`, `--MM-DD` or a date with a year, which is left out; undefined where no year has the day. */
function readBirthday(text: string): string | undefined {
  const parts = MONTH_DAY.exec(text.trim());
  if (!parts) {
    const moment = readMoment(text);
    return 'value' in moment ? moment.value.slice(5, 10) : undefined;
  }
  const [, month = '', day = ''] = parts;
  return monthDay(Number(month), Number(day));
}

/** 29 February counts: a leap year has it. */
export function monthDay(month: number, day: number): string | undefined {
  const date = new Date(Date.UTC(2000, month - 1, day));
  const isReal = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return isReal ? date.toISOString().slice(5, 10) : undefined;
}

function readMoment(text: string): { value: string } | { fault: ValueFault } {
  const parts = DATE.exec(text.trim());
  if (!parts) return { fault: 'not_a_date' };
  const [year, month, day, hour, minute, second] = parts.slice(1).map((part) => Number(part ?? 0));
  const date = new Date(Date.UTC(year ?? 0, (month ?? 0) - 1, day, hour, minute, second));
  const isReal =
    date.getUTCMonth() === (month ?? 0) - 1 &&
    date.getUTCDate() === day &&
    (hour ?? 0) < 24 &&
    (minute ?? 0) < 60 &&
    (second ?? 0) < 60 &&
    (year ?? 0) > 0;
  if (!isReal) return { fault: 'not_a_date' };
  return { value: date.toISOString().slice(0, 19).replace('T', ' ') };
}
