// Parses dates in the formats that people and programs write.
import { isValidJalaaliDate, toGregorian } from 'jalaali-js';
import type { DateOrder } from '../../shared.ts';
import { parseMonthName, parsePersianMonthName } from './month-names.ts';

const TIME =
  /^(?:(?:[T ,]|,? kl\.?|,? at)\s*(\d{1,2})[:.h](\d{2})(?:[:.](\d{2})(?:[.,:]\d{1,9})?)?\s*([AaPp])?\.?(?:[Mm]\.?)?\s*(Z|UTC|GMT|[+-]\d{1,2}(?::?\d{2})?|(?:UTC|GMT) ?[+-]\d{1,2}(?::?\d{2})?)?(?: UTC| [A-Z]{3,5})?)?[.,]?$/;
const YEAR_FIRST = /^(\d{4})(?:[-/.]| ?[.] ?)(\d{1,2})(?:[-/.]| ?[.] ?)(\d{1,2})(?!\d)/;
const YEAR_LAST = /^(\d{1,2})(?:[-/ ]|\. ?)(\d{1,2})(?:[-/ ]|\. ?)(\d{4}|\d{2})(?!\d)\.?/;
/** A birthday: day and month. */
const DAY_AND_MONTH = /^(\d{1,2})[/.](\d{1,2})\.?$/;
const COMPACT = /^(\d{4})(\d{2})(\d{2})(?=$|[T ])/;
const NAME = '([\\p{L}\\p{M}]{2,14})';
const dayMonthName = new RegExp(
  `^(\\d{1,2})(?:st|nd|rd|th|er|º|ª)?[ .-]+(?:de |d[’'])?${NAME}\\.?,?(?:[ -]+|/)(?:de |del )?'?(\\d{4}|\\d{2})(?!\\d|:)`,
  'u',
);
const monthNameDay = new RegExp(
  `^${NAME}\\.?[ -]+(\\d{1,2})(?:st|nd|rd|th)?,?[ -]+(\\d{4})(?!\\d)`,
  'u',
);
const yearMonthName = new RegExp(
  `^(\\d{4})\\.?(?: m\\.| gada)?[ -]+${NAME}\\.?[ -]+(\\d{1,2})(?: d)?\\.?(?!\\d)`,
  'u',
);
/** `Tue May  5 10:00:00 2026`, the format of C programs. */
const clockBeforeYear = new RegExp(
  `^${NAME} +(\\d{1,2}) (\\d{1,2}:\\d{2}(?::\\d{2})?)((?: [A-Z]{3,4})?) (\\d{4})$`,
  'u',
);
const ANY_LETTER = /\p{L}/u;
const ANY_DIGIT = /[\d\u0660-\u0669\u06f0-\u06f9]/;
const WEEKDAY = /^\p{L}{2,12}\.?,? +(?=\d|\p{L}{3,12}\.? +\d)/u;

/**
 * Parses a date with or without a time to `YYYY-MM-DD HH:MM:SS`; undefined for other text. A time
 * with a zone is converted to UTC and ends in `Z`; a time without a zone is in the account's zone.
 * `order` decides how 03/04/2026 is read; a part above 12 is the day in either order. Two-digit
 * years up to 69 are 20xx. Years from 1250 to 1499 are Persian.
 */
export function parseDate(text: string, order: DateOrder): string | undefined {
  const trimmed = text.trim();
  if (trimmed.length < 6 || trimmed.length > 80) return undefined;
  if (!ANY_DIGIT.test(trimmed)) return undefined;
  const ascii = toAsciiDigits(trimmed);
  // JavaScript writes the zone's name in parentheses.
  const normalized = ascii.endsWith(')') ? ascii.replace(/\s*\([^()]*\)$/, '') : ascii;
  if (normalized.length > 50) return undefined;
  const date = parseDateTime(normalized, order);
  if (date !== undefined || !WEEKDAY.test(normalized)) return date;
  return parseDateTime(normalized.replace(WEEKDAY, ''), order);
}

function parseDateTime(text: string, order: DateOrder): string | undefined {
  const clockFirst = startsWithDigit(text) ? null : clockBeforeYear.exec(text);
  const dayFirst =
    clockFirst === null
      ? text
      : `${clockFirst[1]} ${clockFirst[2]} ${clockFirst[5]} ${clockFirst[3]}${clockFirst[4]}`;
  const day = parseDay(dayFirst, order);
  if (day === undefined) return undefined;
  const clock = TIME.exec(dayFirst.slice(day.length));
  return clock === null ? undefined : formatDateTime(day, clock);
}

/**
 * Parses dates like parseDate, for columns where dates are expected: a number is the seconds,
 * milliseconds or microseconds since 1970.
 */
export function parseTimestamp(text: string, order: DateOrder): string | undefined {
  const digits = toAsciiDigits(text.trim());
  const match = /^(\d{9,10})(\d{3})?(?:\d{3})?(?:\.\d{1,9})?$/.exec(digits);
  if (match === null) return parseDate(text, order);
  const instant = new Date(Number(match[1]) * 1000);
  return `${instant.toISOString().slice(0, 19).replace('T', ' ')}Z`;
}

interface Day {
  year: number;
  month: number;
  day: number;
  /** Number of characters consumed. */
  length: number;
}

const startsWithDigit = (text: string) => text.charCodeAt(0) < 58;

function parseDay(text: string, order: DateOrder): Day | undefined {
  const yearFirst = YEAR_FIRST.exec(text) ?? COMPACT.exec(text);
  if (yearFirst !== null) return toDay(yearFirst[1], yearFirst[2], yearFirst[3], yearFirst[0]);
  const yearLast = YEAR_LAST.exec(text);
  if (yearLast !== null) {
    const [whole, a, b, year = ''] = yearLast;
    // The Persian calendar is never written month-first.
    const isMonthFirst = order === 'month-first' && !isPersianYear(Number(year));
    const monthLeads = Number(b) > 12 || (isMonthFirst && Number(a) <= 12);
    return monthLeads ? toDay(year, a, b, whole) : toDay(year, b, a, whole);
  }
  if (!ANY_LETTER.test(text)) return undefined;
  const dayFirst = dayMonthName.exec(text);
  if (dayFirst !== null) return parseNamedDay(dayFirst[3], dayFirst[2], dayFirst[1], dayFirst[0]);
  const american = monthNameDay.exec(text);
  if (american !== null) return parseNamedDay(american[3], american[1], american[2], american[0]);
  // `2026. gada 5. maijs`
  const latvian = /^(\d{4})\. gada (\d{1,2})\. ([\p{L}\p{M}]{3,12})\.?/u.exec(text);
  if (latvian !== null) return parseNamedDay(latvian[1], latvian[3], latvian[2], latvian[0]);
  const baltic = yearMonthName.exec(text);
  if (baltic !== null) return parseNamedDay(baltic[1], baltic[2], baltic[3], baltic[0]);
  return undefined;
}

function parseNamedDay(year = '', month = '', date = '', matchedText = ''): Day | undefined {
  const persian = parsePersianMonthName(month);
  if (persian !== undefined && !isPersianYear(Number(year))) return undefined;
  return toDay(year, String(persian ?? parseMonthName(month) ?? 0), date, matchedText);
}

const isPersianYear = (year: number) => year >= 1250 && year < 1500;

function toDay(year = '', month = '', date = '', matchedText = ''): Day | undefined {
  const yearNumber = Number(year);
  const fullYear = year.length === 2 ? yearNumber + (yearNumber < 70 ? 2000 : 1900) : yearNumber;
  const day = {
    year: fullYear,
    month: Number(month),
    day: Number(date),
    length: matchedText.length,
  };
  if (fullYear < 1 || day.month < 1 || day.month > 12 || day.day < 1) return undefined;
  if (isPersianYear(fullYear)) return fromPersian(day);
  return day.day <= countDaysIn(fullYear, day.month) ? day : undefined;
}

/** Converts 1405/08/03 of the Persian (Solar Hijri) calendar to a Gregorian day. */
function fromPersian(day: Day): Day | undefined {
  if (!isValidJalaaliDate(day.year, day.month, day.day)) return undefined;
  const { gy, gm, gd } = toGregorian(day.year, day.month, day.day);
  return { year: gy, month: gm, day: gd, length: day.length };
}

function countDaysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

function formatDateTime(day: Day, clock: RegExpExecArray): string | undefined {
  const [, hours = '0', minutes = '0', seconds = '0', half, zone] = clock;
  let hour = Number(hours);
  if (half !== undefined) {
    if (hour < 1 || hour > 12) return undefined;
    hour = (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0);
  }
  if (hour > 23 || Number(minutes) > 59 || Number(seconds) > 59) return undefined;
  const text = `${padNumber(day.year, 4)}-${padNumber(day.month, 2)}-${padNumber(day.day, 2)} ${padNumber(hour, 2)}:${minutes.padStart(2, '0')}:${seconds.padStart(2, '0')}`;
  return zone === undefined ? text : toUtc(text, zone);
}

function toUtc(text: string, zone: string): string | undefined {
  const offset = /([+-])(\d{1,2}):?(\d{2})?$/.exec(zone);
  const minutes = offset
    ? (Number(offset[2]) * 60 + Number(offset[3] ?? 0)) * (offset[1] === '-' ? -1 : 1)
    : 0;
  const instant = new Date(Date.parse(`${text.replace(' ', 'T')}Z`) - minutes * 60_000);
  const [year = ''] = instant.toISOString().split('-', 1);
  if (year.length !== 4) return undefined;
  return `${instant.toISOString().slice(0, 19).replace('T', ' ')}Z`;
}

function padNumber(value: number, length: number): string {
  return String(value).padStart(length, '0');
}

/** Converts Persian and Arabic digits to 0–9. */
export function toAsciiDigits(text: string): string {
  if (!/[\u0660-\u0669\u06f0-\u06f9]/.test(text)) return text;
  return text.replace(/[\u0660-\u0669\u06f0-\u06f9]/g, (digit) =>
    String(digit.charCodeAt(0) & 0xf),
  );
}

/**
 * Returns the order indicated by a column's dates, or undefined if neither order is more frequent.
 */
export function detectDateOrder(values: readonly string[]): DateOrder | undefined {
  let dayFirst = 0;
  let monthFirst = 0;
  for (const value of values) {
    const normalized = toAsciiDigits(value.trim());
    const match = YEAR_LAST.exec(normalized) ?? DAY_AND_MONTH.exec(normalized);
    if (match === null) continue;
    if (Number(match[1]) > 12 && Number(match[2]) <= 12) dayFirst += 1;
    else if (Number(match[2]) > 12 && Number(match[1]) <= 12) monthFirst += 1;
  }
  if (dayFirst === monthFirst) return undefined;
  return dayFirst > monthFirst ? 'day-first' : 'month-first';
}
