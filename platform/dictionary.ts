// Looks up values by untrusted keys.

/**
 * Copies the entries to an object without inherited properties: a lookup of `constructor` or
 * `toString` finds nothing.
 */
export function dictionary<T>(entries: Record<string, T>): Record<string, T> {
  return Object.assign(Object.create(null) as Record<string, T>, entries);
}
