// Numbers and dates formatted for the user's language (Persian: its digits and calendar).
import { useTranslation } from 'react-i18next';
import { createStore, useStore } from '../store.ts';
import { dateTimeFormat, numberFormat } from './intl-formats.ts';
import { texts } from './texts.ts';

export interface Formats {
  /** 12,345 */
  number: (value: number) => string;
  /** 12.3K, for narrow layouts; show the full number as a title. */
  compact: (value: number) => string;
  /**
   * A ratio from 0 to 1 as a percentage with at most one decimal: 12.3%; below 0.1% with at most
   * two: 0.01%.
   */
  percent: (ratio: number) => string;
  /** Nov 21, 2026 */
  date: (instant: Instant, zone?: string) => string;
  /**
   * November 21, from `11-21`; always Gregorian, because a day without a year cannot be converted
   * to another calendar.
   */
  birthday: (monthDay: string) => string;
  /** Nov 21, 2026, 06:15 */
  dateTime: (instant: Instant, zone?: string) => string;
  time: (instant: Instant, zone?: string) => string;
  /**
   * 3 minutes ago, tomorrow. Days are calendar days of the zone, consistent with the dates shown
   * next to them.
   */
  relative: (instant: Instant, zone?: string, now?: Date) => string;
  bytes: (size: number) => string;
  /** 79 ms */
  milliseconds: (value: number) => string;
  /**
   * `maxDecimals`: maximum number of decimals, for prices with more decimals than the currency has.
   */
  money: (amount: number, currency: string, maxDecimals?: number) => string;
  /** 12 hours, 5 days: whole days are shown as days. */
  duration: (hours: number) => string;
  /** A country's name by its two-letter code. */
  region: (code: string) => string;
  /** A, B, and C; as `unit`: A, B, C. */
  list: (words: readonly string[], type?: 'conjunction' | 'unit') => string;
}

export type Instant = Date | string | number;

export function useFormats(): Formats {
  const { i18n } = useTranslation(undefined, { i18n: texts });
  const form = useStore(dateFormat);
  const zone = useStore(accountZone);
  return getFormats(i18n.language ?? 'en', form, zone);
}

/** The account's date format: auto, or the order of year, month and day (`DD.MM.YYYY`). */
export const dateFormat = createStore('auto');
/** The account's time zone, used for all its times; '' before sign-in: the browser's own. */
export const accountZone = createStore('');

const DAY = 86_400;
const STEPS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['week', 604_800],
  ['day', DAY],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
];

const cachedFormats = new Map<string, Formats>();

/** Returns the formats; the same object for the same arguments. */
export function getFormats(locale: string, form = 'auto', defaultZone = ''): Formats {
  const key = `${locale} ${form} ${defaultZone}`;
  let formats = cachedFormats.get(key);
  if (!formats) {
    formats = createFormats(locale, form, defaultZone);
    cachedFormats.set(key, formats);
  }
  return formats;
}

function createFormats(locale: string, form: string, defaultZone: string): Formats {
  const placeIn = (zone?: string) => zone ?? (defaultZone || undefined);
  const relative = relativeTo(locale);
  const lists = {
    conjunction: new Intl.ListFormat(locale),
    unit: new Intl.ListFormat(locale, { type: 'unit', style: 'short' }),
  };
  const regions = new Intl.DisplayNames(locale, { type: 'region' });
  const formatWith = (options: Intl.DateTimeFormatOptions) => (instant: Instant, zone?: string) =>
    dateTimeFormat(locale, { ...options, timeZone: placeIn(zone) }).format(new Date(instant));
  return {
    ...numbersFor(locale),
    ...(form === 'auto'
      ? {
          date: formatWith({ dateStyle: 'medium' }),
          dateTime: formatWith({ dateStyle: 'medium', timeStyle: 'short' }),
        }
      : {
          date: (instant, zone) => formatDigits(locale, form)(instant, placeIn(zone)),
          dateTime: (instant, zone) =>
            `${formatDigits(locale, form)(instant, placeIn(zone))} ${formatWith({ timeStyle: 'short' })(instant, zone)}`,
        }),
    birthday: (monthDay) =>
      dateTimeFormat(locale, {
        day: 'numeric',
        month: 'long',
        calendar: 'gregory',
        timeZone: 'UTC',
      }).format(new Date(`2000-${monthDay}T00:00:00Z`)),
    time: formatWith({ timeStyle: 'short' }),
    relative: (instant, zone, now = new Date()) => relative(instant, now, placeIn(zone)),
    region: (code) => regions.of(code) ?? code,
    list: (words, type = 'conjunction') => lists[type].format(words),
  };
}

type Numbers = 'number' | 'compact' | 'percent' | 'bytes' | 'milliseconds' | 'money' | 'duration';

function numbersFor(locale: string): Pick<Formats, Numbers> {
  const number = numberFormat(locale);
  const compact = numberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 });
  const percent = numberFormat(locale, { style: 'percent', maximumFractionDigits: 1 });
  const precisePercent = numberFormat(locale, { style: 'percent', maximumFractionDigits: 2 });
  return {
    number: (value) => number.format(value),
    compact: (value) => compact.format(value),
    percent: (ratio) => (ratio > 0 && ratio < 0.001 ? precisePercent : percent).format(ratio),
    bytes: (size) => writtenSize(size, locale),
    milliseconds: (value) =>
      numberFormat(locale, { style: 'unit', unit: 'millisecond' }).format(value),
    money: (amount, currency, most) =>
      numberFormat(locale, {
        style: 'currency',
        currency,
        maximumFractionDigits: most,
      }).format(amount),
    duration: (hours) => {
      const [value, unit] = hours % 24 === 0 ? [hours / 24, 'day'] : [hours, 'hour'];
      return numberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(value);
    },
  };
}

function relativeTo(locale: string) {
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  // "Last year" may be 23 months ago; "1 year ago" is exact.
  const relativeFormat = new Intl.RelativeTimeFormat(locale);
  return (instant: Instant, now: Date, zone: string | undefined): string => {
    const seconds = Math.round((new Date(instant).getTime() - now.getTime()) / 1000);
    const [unit, size] = STEPS.find(([, min]) => Math.abs(seconds) >= min) ?? ['second', 1];
    if (size > DAY) return relativeFormat.format(Math.trunc(seconds / size), unit);
    if (size < DAY) return relative.format(Math.trunc(seconds / size), unit);
    const days = (Date.parse(dayIn(instant, zone)) - Date.parse(dayIn(now, zone))) / 1000 / DAY;
    // On a day of 25 hours the calendar day may still be the same.
    return relative.format(days || Math.sign(seconds), unit);
  };
}

/** Returns the calendar day in a zone, as `YYYY-MM-DD`; by default in the browser's. */
export function dayIn(instant: Instant, zone?: string): string {
  return dateTimeFormat('en-CA-u-ca-gregory', {
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    timeZone: zone,
  }).format(new Date(instant));
}

/** Formats year, month and day in the given order, in the language's digits and calendar. */
function formatDigits(locale: string, form: string) {
  return (instant: Instant, zone?: string): string => {
    const parts = dateTimeFormat(locale, {
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      timeZone: zone,
    }).formatToParts(new Date(instant));
    const findPart = (type: string) =>
      parts.find((findPart) => findPart.type === type)?.value ?? '';
    return form
      .replace('YYYY', findPart('year'))
      .replace('MM', findPart('month'))
      .replace('DD', findPart('day'));
  };
}

function writtenSize(size: number, locale: string): string {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const;
  const step = size < 1 ? 0 : Math.min(3, Math.floor(Math.log(size) / Math.log(1024)));
  return numberFormat(locale, {
    style: 'unit',
    unit: units[step],
    // The short form of bytes is inconsistent in English: 277 byte.
    unitDisplay: step === 0 ? 'long' : 'short',
    maximumFractionDigits: step === 0 ? 0 : 1,
  }).format(size / 1024 ** step);
}

/** Returns the first items up to a limit, and the number of further items. */
export function summarizeList(
  items: readonly string[],
  max: number,
  more: (count: number) => string,
): string[] {
  const first = items.slice(0, max);
  return items.length > max ? [...first, more(items.length - max)] : first;
}
