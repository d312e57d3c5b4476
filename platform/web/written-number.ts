// A number as people write it, in the digits and with the marks of their language: kept as 1234.5.
import { plainDigits } from '#platform/digits.ts';

const GROUPED_BY_COMMAS = /^[+-]?\d{1,3}(?:,\d{3})+(\.\d+)?$/;
const GROUPED_BY_POINTS = /^[+-]?\d{1,3}(?:\.\d{3})+(,\d+)?$/;

/**
 * 1,234 is what the reader's language writes so: a thousand and more, or a number with three decimals.
 * A point alone is that of the number as it stands in the input. What is no number stays, to be refused.
 */
export function writtenNumber(text: string, hasDecimalComma: boolean): string {
  const plain = withoutGroups(text).replace(/\u066b/g, '.');
  const commas = plain.split(',').length - 1;
  const points = plain.split('.').length - 1;
  if (GROUPED_BY_COMMAS.test(plain) && (!hasDecimalComma || commas > 1 || points > 0))
    return plain.replaceAll(',', '');
  if (GROUPED_BY_POINTS.test(plain) && (points > 1 || commas > 0))
    return plain.replaceAll('.', '').replace(',', '.');
  return commas === 1 && points === 0 ? plain.replace(',', '.') : plain;
}

/** 1.234 where the point is not the language's own mark: a thousand and more, or three decimals. */
export function isAmbiguous(text: string, decimalMark: string): boolean {
  return decimalMark !== '.' && /^[+-]?[1-9]\d{0,2}\.\d{3}$/.test(withoutGroups(text));
}

/** What is ambiguous, written as either number: for the words of platform:fields.ambiguousNumber. */
export function bothReadings(text: string, number: (value: number) => string) {
  const digits = writtenNumber(text, false);
  const [whole, decimals] = [digits.replace('.', ''), digits];
  return { whole: numberToType(whole, number), decimals: numberToType(decimals, number) };
}

/** The other way round, for an input: 1234.5 in the digits of the language and with its mark, ungrouped. */
export function numberToType(value: string, number: (value: number) => string): string {
  return value
    .replace('.', decimalMarkOf(number))
    .replace(/[0-9]/g, (digit) => number(Number(digit)));
}

/** What stands before decimals in the language that numbers are written in. */
export const decimalMarkOf = (number: (value: number) => string) =>
  number(1.5).replace(/\p{Nd}/gu, '');

function withoutGroups(text: string): string {
  return plainDigits(text.trim())
    .replace(/[\u200e\u200f\u061c]/g, '')
    .replace(/\u2212/g, '-')
    .replace(/(\d)[\s'’\u066c](?=\d{3}(?!\d))/g, '$1');
}
