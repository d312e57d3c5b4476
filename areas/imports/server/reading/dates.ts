// Reads dates as people and other systems write them.
import type { DateOrder } from '../../limits.ts';

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

const time =
  /^(?:[T ,]\s*(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,]\d{1,9})?)?\s*([AaPp][Mm])?\s*(Z|UTC|GMT|[+-]\d{2}:?\d{2})?)?$/;
const yearFirst = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})/;
const yearLast = /^(\d{1,2})[-/. ](\d{1,2})[-/. ](\d{4}|\d{2})(?!\d)/;
const compact = /^(\d{4})(\d{2})(\d{2})(?=$|[T ])/;
const dayMonthName = /^(\d{1,2})(?:st|nd|rd|th)?[ .-]+([A-Za-z]{3,9})\.?,?[ -]+(\d{4})/;
const monthNameDay = /^([A-Za-z]{3,9})\.?[ ]+(\d{1,2})(?:st|nd|rd|th)?,?[ ]+(\d{4})/;

/**
 * A date, with a time or without, as `YYYY-MM-DD HH:MM:SS`, or undefined when it is none. A time with a
 * zone is carried over to UTC and ends in `Z`; one without is left to the account's zone.
 * `order` decides 03/04/2026; a part above 12 decides for itself. Years of two digits up to 69 are 20xx.
 */
export function parseDate(text: string, order: DateOrder): string | undefined {
  const written = text.trim();
  if (written.length < 6 || written.length > 40) return undefined;
  const ascii = asciiDigits(written);
  const found = dayOf(ascii, order);
  if (found === undefined) return undefined;
  const clock = time.exec(ascii.slice(found.length));
  if (clock === null) return undefined;
  return join(found, clock);
}

interface Day {
  year: number;
  month: number;
  day: number;
  /** How many characters of the text it took. */
  length: number;
}

function dayOf(text: string, order: DateOrder): Day | undefined {
  const first = yearFirst.exec(text) ?? compact.exec(text);
  if (first !== null) return day(first[1], first[2], first[3], first[0]);
  const last = yearLast.exec(text);
  if (last !== null) {
    const [whole, a, b, year] = last;
    const monthLeads = Number(b) > 12 || (order === 'month-first' && Number(a) <= 12);
    return monthLeads ? day(year, a, b, whole) : day(year, b, a, whole);
  }
  const named = dayMonthName.exec(text);
  if (named !== null) return day(named[3], monthOf(named[2]), named[1], named[0]);
  const american = monthNameDay.exec(text);
  if (american !== null) return day(american[3], monthOf(american[1]), american[2], american[0]);
  return undefined;
}

function monthOf(name: string | undefined): string {
  return String(months.indexOf((name ?? '').slice(0, 3).toLowerCase()) + 1);
}

function day(year = '', month = '', date = '', whole = ''): Day | undefined {
  const written = Number(year);
  const full = year.length === 2 ? written + (written < 70 ? 2000 : 1900) : written;
  const found = { year: full, month: Number(month), day: Number(date), length: whole.length };
  if (full < 1 || found.month < 1 || found.month > 12 || found.day < 1) return undefined;
  return found.day <= daysIn(full, found.month) ? found : undefined;
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

function join(found: Day, clock: RegExpExecArray): string | undefined {
  const [, hours = '0', minutes = '0', seconds = '0', half, zone] = clock;
  let hour = Number(hours);
  if (half !== undefined) {
    if (hour < 1 || hour > 12) return undefined;
    hour = (hour % 12) + (half[0]?.toLowerCase() === 'p' ? 12 : 0);
  }
  if (hour > 23 || Number(minutes) > 59 || Number(seconds) > 59) return undefined;
  const text = `${pad(found.year, 4)}-${pad(found.month, 2)}-${pad(found.day, 2)} ${pad(hour, 2)}:${minutes.padStart(2, '0')}:${seconds.padStart(2, '0')}`;
  return zone === undefined ? text : toUtc(text, zone);
}

function toUtc(text: string, zone: string): string {
  const offset = /^([+-])(\d{2}):?(\d{2})$/.exec(zone);
  const minutes = offset
    ? (Number(offset[2]) * 60 + Number(offset[3])) * (offset[1] === '-' ? -1 : 1)
    : 0;
  const at = new Date(Date.parse(`${text.replace(' ', 'T')}Z`) - minutes * 60_000);
  return `${at.toISOString().slice(0, 19).replace('T', ' ')}Z`;
}

function pad(value: number, length: number): string {
  return String(value).padStart(length, '0');
}

/** Persian and Arabic digits as 0–9. */
export function asciiDigits(text: string): string {
  if (!/[\u0660-\u0669\u06f0-\u06f9]/.test(text)) return text;
  return text.replace(/[\u0660-\u0669\u06f0-\u06f9]/g, (digit) =>
    String(digit.charCodeAt(0) & 0xf),
  );
}

/** Which order the dates of a column speak for; undefined when each could be read both ways. */
export function dateOrderOf(values: readonly string[]): DateOrder | undefined {
  let dayFirst = 0;
  let monthFirst = 0;
  for (const value of values) {
    const parts = yearLast.exec(asciiDigits(value.trim()));
    if (parts === null) continue;
    if (Number(parts[1]) > 12 && Number(parts[2]) <= 12) dayFirst += 1;
    else if (Number(parts[2]) > 12 && Number(parts[1]) <= 12) monthFirst += 1;
  }
  if (dayFirst === monthFirst) return undefined;
  return dayFirst > monthFirst ? 'day-first' : 'month-first';
}
