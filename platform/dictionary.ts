// Look-ups by keys from outside.

/**
 * The entries without inherited properties: a look-up of `constructor` or `toString` finds nothing.
 */
export function dictionary<T>(entries: Record<string, T>): Record<string, T> {
  return Object.assign(Object.create(null) as Record<string, T>, entries);
}
