// Converts numbers between the user's language (its digits and separators) and the stored form,
// such as 1234.5.
import { toLatinDigits } from '#platform/digits.ts';

const GROUPED_BY_COMMAS = /^[+-]?\d{1,3}(?:,\d{3})+(\.\d+)?$/;
const GROUPED_BY_POINTS = /^[+-]?\d{1,3}(?:\.\d{3})+(,\d+)?$/;

/**
 * Converts a typed number to the stored form. 1,234 becomes 1.234 if the comma is the decimal mark
 * of the user's language, and 1234 otherwise. A lone point is always a decimal mark, as in the
 * stored form. Text that is not a number is returned unchanged and refused later.
 */
export function parseWrittenNumber(text: string, hasDecimalComma: boolean): string {
  const normalized = withoutGroups(text).replace(/\u066b/g, '.');
  const commas = normalized.split(',').length - 1;
  const points = normalized.split('.').length - 1;
  if (GROUPED_BY_COMMAS.test(normalized) && (!hasDecimalComma || commas > 1 || points > 0))
    return normalized.replaceAll(',', '');
  if (GROUPED_BY_POINTS.test(normalized) && (points > 1 || commas > 0))
    return normalized.replaceAll('.', '').replace(',', '.');
  return commas === 1 && points === 0 ? normalized.replace(',', '.') : normalized;
}

/**
 * Returns true if a typed number such as 1.234 is ambiguous: in a language whose decimal mark is
 * not the point, the user may mean 1234 or a number with three decimals.
 */
export function isAmbiguous(text: string, decimalMark: string): boolean {
  return decimalMark !== '.' && /^[+-]?[1-9]\d{0,2}\.\d{3}$/.test(withoutGroups(text));
}

/** Returns both readings of an ambiguous number, for platform:fields.ambiguousNumber. */
export function formatBothInterpretations(text: string, number: (value: number) => string) {
  const digits = parseWrittenNumber(text, false);
  const [whole, decimals] = [digits.replace('.', ''), digits];
  return { whole: numberToType(whole, number), decimals: numberToType(decimals, number) };
}

/**
 * Inverts `parseWrittenNumber` for an input: 1234.5 in the language's digits and decimal mark,
 * without grouping.
 */
export function numberToType(value: string, number: (value: number) => string): string {
  return value
    .replace('.', getDecimalMark(number))
    .replace(/[0-9]/g, (digit) => number(Number(digit)));
}

/** The decimal mark of the language that numbers are formatted in. */
export const getDecimalMark = (number: (value: number) => string) =>
  number(1.5).replace(/\p{Nd}/gu, '');

function withoutGroups(text: string): string {
  return toLatinDigits(text.trim())
    .replace(/[\u200e\u200f\u061c]/g, '')
    .replace(/\u2212/g, '-')
    .replace(/(\d)[\s'’\u066c](?=\d{3}(?!\d))/g, '$1');
}
