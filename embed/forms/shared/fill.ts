// Messages with values in them. By itself: the words of all languages must not come along to customers' sites.

/** `{max}` and its kin filled in. */
export function fill(text: string, values: Record<string, string | number>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : whole,
  );
}
