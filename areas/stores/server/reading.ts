// Parses amounts, times and text as stores write them.
import { decodeHTML } from 'entities';
import { cleanText, cutText } from '#platform/server/clean-text.ts';
import { wallTimeToInstant } from '#platform/server/zoned-time.ts';

const MAX_AMOUNT = 1e12;

/**
 * Parses an amount in any notation: 1234.5, "1,234.50", "1.234,50 €", "1 234,50", "1'234.50". Null
 * if invalid. The last separator is the decimal mark, unless it occurs twice, or is the only
 * separator and a comma before three digits.
 */
export function readAmount(value: unknown): number | null {
  if (typeof value === 'number') return roundAmount(value);
  if (typeof value !== 'string') return null;
  const text = value.slice(0, 100).replace(/[^\d.,-]/g, '');
  const sign = text.startsWith('-') ? -1 : 1;
  const digits = text
    .replaceAll('-', '')
    .replace(/^[.,]+|(?<![.,])[.,]+$/g, (marks) =>
      marks.length === 1 && text.startsWith(marks) ? marks : '',
    );
  if (!/\d/.test(digits)) return null;
  const at = Math.max(digits.lastIndexOf('.'), digits.lastIndexOf(','));
  if (at < 0) return roundAmount(sign * Number(digits));
  const mark = digits[at] as string;
  const separator = mark === '.' ? ',' : '.';
  const after = digits.length - at - 1;
  const isRepeated = digits.indexOf(mark) !== at;
  const isGrouping = isRepeated || (mark === ',' && after === 3 && !digits.includes(separator));
  const integerPart = digits.slice(0, at).replace(/[.,]/g, '');
  const decimals = digits.slice(at + 1);
  return roundAmount(
    sign *
      Number(isGrouping ? `${integerPart}${decimals}` : `${integerPart || '0'}.${decimals || '0'}`),
  );
}

/** Returns a price before a discount, or null if it is not higher than the price. */
export const selectOldPrice = (before: number | null, price: number | null): number | null =>
  before !== null && price !== null && before > price ? before : null;

/** Rounds to four decimals; null for implausible amounts. */
function roundAmount(amount: number): number | null {
  if (!Number.isFinite(amount) || Math.abs(amount) > MAX_AMOUNT) return null;
  return Math.round(amount * 10_000) / 10_000;
}

/**
 * Parses a time: ISO 8601, `2026-03-01 10:15:00`, `01/03/2026` (day first), seconds or milliseconds
 * since 1970. Without a time zone, it is wall time in `zone`. Null if invalid or outside the years
 * 2000 to 2100.
 */
export function parseTimestamp(value: unknown, zone: string): Date | null {
  if (value instanceof Date) return inReach(value);
  if (typeof value === 'number') return inReach(new Date(value < 1e11 ? value * 1000 : value));
  if (typeof value !== 'string') return null;
  const text = value.trim().slice(0, 40);
  if (/^\d{9,13}$/.test(text)) return parseTimestamp(Number(text), zone);
  const dayFirst =
    /^(\d{1,2})[/.](\d{1,2})[/.](\d{4})(?:[ T](\d{1,2}):(\d{2})(?::(\d{2}))?)?$/.exec(text);
  if (dayFirst) {
    const [, day, month, year, hour = '0', minute = '0', second = '0'] = dayFirst;
    return wallTime([year, month, day, hour, minute, second], zone);
  }
  const match = /^(\d{4})-(\d{2})-(\d{2})(?:[ T](\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?)?$/.exec(
    text,
  );
  if (match)
    return wallTime(
      match.slice(1, 7).map((part) => part ?? '0'),
      zone,
    );
  const instant = new Date(text);
  return inReach(instant);
}

function wallTime(parts: (string | undefined)[], zone: string): Date | null {
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = parts.map(Number);
  const lastDay = new Date(Date.UTC(year, month, 0)).getUTCDate();
  if (month < 1 || month > 12 || day < 1 || day > lastDay) return null;
  if (hour > 23 || minute > 59 || second > 59) return null;
  const padTwo = (number: number) => String(number).padStart(2, '0');
  const date = `${String(year).padStart(4, '0')}-${padTwo(month)}-${padTwo(day)}`;
  return inReach(
    wallTimeToInstant(`${date} ${padTwo(hour)}:${padTwo(minute)}:${padTwo(second)}`, zone),
  );
}

function inReach(at: Date): Date | null {
  const year = at.getUTCFullYear();
  return year >= 2000 && year <= 2100 ? at : null;
}

/**
 * Returns text without NUL and unpaired surrogates, truncated to `max`; null if nothing remains.
 */
export function readText(value: unknown, max: number): string | null {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const text = cutText(cleanText(String(value)).trim(), max);
  return text === '' ? null : text;
}

/**
 * Parses a text of a store that stores names as HTML: character references are decoded once, so
 * `&amp;lt;` is `&lt;`.
 */
export function readHtmlText(value: unknown, max: number): string | null {
  const text = readText(value, max * 2);
  return text === null ? null : readText(decodeHTML(text), max);
}

/** Returns the ISO country code in capitals; null for anything else. */
export function readCountry(value: unknown): string | null {
  const text = readText(value, 10)?.toUpperCase() ?? '';
  return /^[A-Z]{2}$/.test(text) ? text : null;
}

/** Returns a web URL, or null for anything else. */
export function readUrl(value: unknown): string | null {
  const text = readText(value, 2000);
  if (!text || !URL.canParse(text)) return null;
  const url = new URL(text);
  return url.protocol === 'https:' || url.protocol === 'http:' ? url.href : null;
}

/** Returns three capital letters, or null if not a currency. */
export function readCurrency(value: unknown): string | null {
  const text = readText(value, 10)?.toUpperCase() ?? '';
  return /^[A-Z]{3}$/.test(text) ? text : null;
}

/** Returns a quantity of at least one, limited to a plausible maximum. */
export function readQuantity(value: unknown): number {
  const amount = readAmount(value) ?? 1;
  return Math.min(Math.max(Math.round(amount), 1), 1_000_000);
}

/** Returns true for `true`, 1, and the strings 1, true, yes and on. */
export function readYes(value: unknown): boolean {
  return value === true || value === 1 || /^(1|true|yes|on)$/i.test(String(value ?? ''));
}

/** Returns the properties of an object; empty for other values. */
export function readObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}

export function readList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
