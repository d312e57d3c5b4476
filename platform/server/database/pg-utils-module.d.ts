// The part of pg's conversion of values that `last-statements.ts` uses; pg has no types for it.
declare module 'pg/lib/utils.js' {
  export function prepareValue(value: unknown): unknown;
}
