// Parses numbers as people write them: 1234.5, 1 234,50, 1,234.50, −12 %.
import type { DecimalMark } from '../../shared.ts';
import { toAsciiDigits } from './dates.ts';

const PLAIN_NUMBER = /^-?\d{1,15}(?:\.\d{1,15})?$/;
const GROUPED_NUMBER =
  /^([+-]?)(\d{1,3}(?:([ '’.,\u00a0\u202f\u066c])\d{3})+|\d+)?(?:([.,\u066b])(\d+))?$/;
const SCIENTIFIC = /^[+-]?\d+(?:\.\d+)?[eE][+-]?\d{1,3}$/;

/**
 * Parses a finite number; undefined for other text. Unambiguous marks need no hint, as in 1.234,5
 * and 1,5; only 1,234 and 1.234 depend on `decimalMark`.
 */
export function parseNumber(text: string, decimalMark: DecimalMark): number | undefined {
  if (PLAIN_NUMBER.test(text) && !(decimalMark === ',' && AMBIGUOUS.test(text)))
    return Number(text);
  // Too long for a number, and its spaces would make the patterns quadratic.
  if (text.length > 100) return undefined;
  const digits = toAsciiDigits(text.trim())
    .replace(/\u2212/g, '-')
    .replace(/^([+-]?)\s*(?:[$€£]|kr\.?|EUR|USD)\s*/i, '$1')
    .replace(/\s*(?:[$€£%]|kr\.?|EUR|USD)$/i, '');
  if (digits.length === 0 || digits.length > 40) return undefined;
  if (SCIENTIFIC.test(digits)) return toFinite(Number(digits));
  const ready = AMBIGUOUS.test(digits) ? readAmbiguous(digits, decimalMark) : readShaped(digits);
  return ready === undefined ? undefined : toFinite(Number(ready));
}

/** One to three digits, a mark, three digits: over a thousand, or a number with three decimals. */
const AMBIGUOUS = /^[+-]?\d{1,3}[.,]\d{3}$/;

function readAmbiguous(text: string, decimalMark: DecimalMark): string {
  return text.includes(decimalMark) ? text.replace(decimalMark, '.') : text.replace(/[.,]/, '');
}

function readShaped(text: string): string | undefined {
  const match = GROUPED_NUMBER.exec(text);
  if (match === null) return undefined;
  const [, sign = '', whole = '', group, decimal, rest] = match;
  if (whole === '' && rest === undefined) return undefined;
  if (group !== undefined && group === decimal) return undefined;
  const digits = group === undefined ? whole : whole.replaceAll(group, '');
  return `${sign}${/^\d*$/.test(digits) ? digits || '0' : 'x'}.${rest ?? '0'}`;
}

function toFinite(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined;
}

/**
 * Returns the decimal mark indicated by a column's numbers, or undefined if none is unambiguous.
 */
export function detectDecimalMark(values: readonly string[]): DecimalMark | undefined {
  let points = 0;
  let commas = 0;
  for (const value of values) {
    const text = toAsciiDigits(value.trim());
    if (!/^[+-]?[\d .,'’\u00a0\u202f]+$/.test(text) || AMBIGUOUS.test(text)) continue;
    const lastMark = /([.,])\d+$/.exec(text)?.[1];
    if (lastMark === '.' && !/\.\d{3}\./.test(text)) points += 1;
    else if (lastMark === ',' && !/,\d{3},/.test(text)) commas += 1;
  }
  if (points === commas) return undefined;
  return points > commas ? '.' : ',';
}
