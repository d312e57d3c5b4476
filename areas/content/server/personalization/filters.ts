// Filters of merge tags. Each maps text to text and never throws: unusable values pass through
// unchanged.
import type { FilterName } from '../../shared.ts';

/** Context of a filter: the instant of sending and the message's locale. */
export type FilterMoment = { now: Date; locale: string };

/** `input` is '' for a missing value; arguments are constants of the template. */
type Filter = {
  minArgs: number;
  maxArgs: number;
  /**
   * Returns true for valid arguments. The filter must handle invalid ones as well, which frozen
   * messages may contain.
   */
  accepts?(args: readonly (string | number)[]): boolean;
  run(input: string, args: readonly (string | number)[], moment: FilterMoment): string;
};

const byDefault: Filter = {
  minArgs: 1,
  maxArgs: 1,
  run: (input, args) => (input.trim() === '' ? String(args[0]) : input),
};

export const filters: Record<FilterName, Filter> = {
  default: byDefault,
  fallback: byDefault,
  upcase: {
    minArgs: 0,
    maxArgs: 0,
    run: (input, _, { locale }) => input.toLocaleUpperCase(locale),
  },
  downcase: {
    minArgs: 0,
    maxArgs: 0,
    run: (input, _, { locale }) => input.toLocaleLowerCase(locale),
  },
  capitalize: { minArgs: 0, maxArgs: 0, run: capitalize },
  strip: { minArgs: 0, maxArgs: 0, run: (input) => input.trim() },
  truncate: { minArgs: 1, maxArgs: 2, accepts: ([length]) => isCount(length, 1), run: truncate },
  append: { minArgs: 1, maxArgs: 1, run: (input, args) => input + String(args[0]) },
  prepend: { minArgs: 1, maxArgs: 1, run: (input, args) => String(args[0]) + input },
  round: {
    minArgs: 0,
    maxArgs: 1,
    accepts: ([digits = 0]) => isCount(digits, 0) && Number(digits) <= 10,
    run: roundNumber,
  },
  date: {
    minArgs: 1,
    maxArgs: 2,
    accepts: ([, calendar = 'gregorian']) => Object.hasOwn(CALENDARS, String(calendar)),
    run: formatDate,
  },
};

/** Names of calendars in tags. */
const CALENDARS = { gregorian: 'gregory', persian: 'persian', jalali: 'persian' } as const;
type Calendar = (typeof CALENDARS)[keyof typeof CALENDARS];

const isCount = (value: unknown, min: number) =>
  String(value).trim() !== '' && Number.isInteger(Number(value)) && Number(value) >= min;

function capitalize(input: string, _: readonly unknown[], { locale }: FilterMoment): string {
  const firstCharacter = [...input.slice(0, 2)][0] ?? '';
  return firstCharacter.toLocaleUpperCase(locale) + input.slice(firstCharacter.length);
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/**
 * Splits text into grapheme clusters (an emoji family is one, and so is a letter with its marks);
 * stops after `max` + 1.
 */
function splitGraphemes(text: string, max: number): string[] {
  const graphemes: string[] = [];
  for (const { segment } of segmenter.segment(text)) {
    if (graphemes.push(segment) > max) break;
  }
  return graphemes;
}

function truncate(input: string, args: readonly (string | number)[]): string {
  const length = Math.max(0, Math.floor(Number(args[0]) || 0));
  const ending = args[1] === undefined ? '…' : String(args[1]);
  // There are never more graphemes than UTF-16 units, so short strings need no count.
  if (input.length <= length) return input;
  const keptLength = Math.max(0, length - splitGraphemes(ending, length).length);
  const graphemes = splitGraphemes(input, length);
  return graphemes.length <= length ? input : graphemes.slice(0, keptLength).join('') + ending;
}

function roundNumber(input: string, args: readonly (string | number)[]): string {
  const value = Number(input);
  if (input.trim() === '' || !Number.isFinite(value)) return input;
  const digits = Math.min(10, Math.max(0, Math.floor(Number(args[0] ?? 0) || 0)));
  return value.toFixed(digits);
}

/** Formats a date. Field dates have no time zone and are formatted as written. */
function formatDate(
  input: string,
  args: readonly (string | number)[],
  { now, locale }: FilterMoment,
): string {
  const date = parseDate(input, now);
  if (date === undefined) return input;
  const calendar: Calendar = Object.hasOwn(CALENDARS, String(args[1]))
    ? CALENDARS[args[1] as keyof typeof CALENDARS]
    : 'gregory';
  const day = parseDay(date, calendar);
  const text = String(args[0]).replace(
    /%(-?)([a-zA-Z%])/g,
    (match, token: string, symbol: string) => {
      const part = formatDatePart(date, day, symbol, locale, calendar);
      if (part === undefined) return match;
      return token ? part.replace(/^0+(?=\d)/, '') : part;
    },
  );
  // Persian dates in Persian use Persian digits.
  return calendar === 'persian' && locale.startsWith('fa') ? toPersianDigits(text) : text;
}

const toPersianDigits = (text: string) =>
  text.replace(/\d/g, (digit) => String.fromCharCode(0x06f0 + Number(digit)));

type Day = { year: number; month: number; day: number };

function parseDay(date: Date, calendar: Calendar): Day {
  if (calendar === 'gregory')
    return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
  return toPersianDay(Math.floor(date.getTime() / DAY_MS));
}

const DAY_MS = 86_400_000;
const MAX_DAYS = 5_000;
const persian = new Intl.DateTimeFormat('en-u-ca-persian-nu-latn', {
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  timeZone: 'UTC',
});
const persianDays = new Map<number, Day>();

/**
 * Returns the Persian date of a day since 1970, cached because many recipients have the same dates.
 */
function toPersianDay(number: number): Day {
  const cached = persianDays.get(number);
  if (cached) return cached;
  const dateParts = persian.formatToParts(number * DAY_MS);
  const readPart = (type: string) =>
    Number(dateParts.find((readPart) => readPart.type === type)?.value);
  const persianDay = { year: readPart('year'), month: readPart('month'), day: readPart('day') };
  if (persianDays.size >= MAX_DAYS) persianDays.clear();
  persianDays.set(number, persianDay);
  return persianDay;
}

function parseDate(input: string, now: Date): Date | undefined {
  if (input === 'now' || input === 'today') return now;
  const match = /^(\d{4})-(\d\d)-(\d\d)(?:[ T](\d\d):(\d\d)(?::(\d\d))?)?/.exec(input.trim());
  if (match === null) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1).map((part) => Number(part ?? 0));
  const date = new Date(
    Date.UTC(year ?? 0, (month ?? 1) - 1, day ?? 1, hour ?? 0, minute ?? 0, second ?? 0),
  );
  return date.getUTCMonth() === (month ?? 1) - 1 ? date : undefined;
}

function formatDatePart(
  date: Date,
  { year, month, day }: Day,
  symbol: string,
  locale: string,
  calendar: Calendar,
): string | undefined {
  const padTwo = (value: number) => String(value).padStart(2, '0');
  const formatName = (unit: 'month' | 'weekday', length: 'long' | 'short') =>
    findName(locale, unit, length, unit === 'month' ? month - 1 : date.getUTCDay(), calendar);
  switch (symbol) {
    case 'Y':
      return String(year);
    case 'y':
      return padTwo(year % 100);
    case 'm':
      return padTwo(month);
    case 'd':
      return padTwo(day);
    case 'e':
      return String(day);
    case 'H':
      return padTwo(date.getUTCHours());
    case 'I':
      return padTwo(date.getUTCHours() % 12 || 12);
    case 'M':
      return padTwo(date.getUTCMinutes());
    case 'S':
      return padTwo(date.getUTCSeconds());
    case 'p':
      return date.getUTCHours() < 12 ? 'AM' : 'PM';
    case 'B':
      return formatName('month', 'long');
    case 'b':
      return formatName('month', 'short');
    case 'A':
      return formatName('weekday', 'long');
    case 'a':
      return formatName('weekday', 'short');
    case '%':
      return '%';
    default:
      return undefined;
  }
}

const names = new Map<string, readonly string[]>();

/**
 * Returns the name of a month or weekday. All names of a locale are cached: creating a formatter
 * takes a hundred times as long as using it, and without the cache every name in every tag would
 * create one.
 */
function findName(
  locale: string,
  unit: 'month' | 'weekday',
  length: 'long' | 'short',
  index: number,
  calendar: Calendar,
): string {
  const key = `${locale} ${unit} ${length} ${calendar}`;
  let cachedNames = names.get(key);
  if (!cachedNames) {
    const format = new Intl.DateTimeFormat(`${locale}-u-ca-${calendar}`, {
      [unit]: length,
      timeZone: 'UTC',
    });
    // A day in each month, and the first week of a month that starts on a Sunday.
    const formatMonthDay = (i: number) =>
      calendar === 'persian' ? Date.UTC(2026, 2, 30) + i * 30.4 * DAY_MS : Date.UTC(2026, i, 1);
    const days = Array.from({ length: unit === 'month' ? 12 : 7 }, (_, i) =>
      unit === 'month' ? formatMonthDay(i) : Date.UTC(2026, 1, i + 1),
    );
    cachedNames = days.map((day) => format.format(day));
    names.set(key, cachedNames);
  }
  return cachedNames[index] ?? '';
}
