// Look-ups by words that come from outside.

/** The entries without what objects inherit: asked for `constructor` or `toString`, there is none. */
export function dictionary<T>(entries: Record<string, T>): Record<string, T> {
  return Object.assign(Object.create(null) as Record<string, T>, entries);
}
