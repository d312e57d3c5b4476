// Parses days of the year: birthdays in the formats of people and services.
import { parseMonthDay } from '#areas/fields/shared.ts';
import type { DateOrder } from '../../shared.ts';
import { parseDate, toAsciiDigits } from './dates.ts';
import { parseMonthName } from './month-names.ts';

const MAX_LENGTH = 40;
/** A day without a year in vCard: --0512 or --05-12. */
const WITHOUT_YEAR = /^--(\d{2})-?(\d{2})$/;
/** With a hyphen, the month comes first, as in ISO 8601. */
const MONTH_FIRST = /^(\d{2})-(\d{2})$/;
const NUMBERS = /^(\d{1,2})(?: ?[/.] ?| )(\d{1,2})\.?$/;
const DAY_NAME =
  /^(\d{1,2})(?:st|nd|rd|th|er|º|ª)?[ .-]{1,3}(?:de |d[’'])?([\p{L}\p{M}]{2,14})\.?$/u;
const NAME_DAY = /^([\p{L}\p{M}]{2,14})\.?[ -]{1,3}(\d{1,2})(?:st|nd|rd|th)?(?: d)?\.?$/u;

/**
 * Returns the day as `MM-DD`, from text with a day and a month or with a full date; undefined for
 * other text. `order` decides how 03/04 is read; a part above 12 is the day in either order. Days
 * of the Persian calendar without a year are not accepted, because their Gregorian dates shift by a
 * day between years.
 */
export function parseBirthday(text: string, order: DateOrder): string | undefined {
  const trimmed = text.trim();
  if (trimmed.length > 80) return undefined;
  return parseDayOfYear(trimmed, order) ?? parseDate(trimmed, order)?.slice(5, 10);
}

/** Parses a day and its month, but no full date. */
function parseDayOfYear(text: string, order: DateOrder): string | undefined {
  if (text.length < 3 || text.length > MAX_LENGTH) return undefined;
  const normalized = toAsciiDigits(text);
  const iso = WITHOUT_YEAR.exec(normalized);
  if (iso) return parseMonthDay(Number(iso[1]), Number(iso[2]));
  const pair = NUMBERS.exec(normalized) ?? MONTH_FIRST.exec(normalized);
  if (pair) {
    const [a, b] = [Number(pair[1]), Number(pair[2])];
    const isMonthFirst = normalized.includes('-') || order === 'month-first';
    return b > 12 || (isMonthFirst && a <= 12) ? parseMonthDay(a, b) : parseMonthDay(b, a);
  }
  const dayName = DAY_NAME.exec(normalized);
  if (dayName) return parseMonthDay(parseMonthName(dayName[2] ?? '') ?? 0, Number(dayName[1]));
  const american = NAME_DAY.exec(normalized);
  return american
    ? parseMonthDay(parseMonthName(american[1] ?? '') ?? 0, Number(american[2]))
    : undefined;
}

const BORN =
  /birth|b-?day|bursdag|fodsels|fodelse|geburt|naissance|nacimiento|nascita|gimim|gimtad|dzims|تولد/u;

/**
 * Returns whether a column contains birthdays: by its title, or because its values allow nothing
 * else.
 */
export function areBirthdays(title: string, values: readonly string[]): boolean {
  if (values.length === 0) return false;
  const isNamed = BORN.test(normalizeTitle(title));
  return values.every((value) => {
    const text = value.trim();
    if (parseDayOfYear(text, 'day-first') === undefined) return false;
    return isNamed || isUnmistakable(toAsciiDigits(text));
  });
}

const normalizeTitle = (title: string) =>
  title.normalize('NFD').replace(/\p{M}/gu, '').replaceAll('ø', 'o').toLowerCase();

/** Returns true for `05/12`, `--05-12` and month names; 5.12 and 1/2 may be a number and a size. */
function isUnmistakable(text: string): boolean {
  return /^\d{2}\/\d{2}$/.test(text) || text.startsWith('--') || /\p{L}/u.test(text);
}
