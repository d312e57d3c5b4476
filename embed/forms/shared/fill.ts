// Inserts values into messages. This is a separate module, so that the messages of all languages
// are not bundled for customers' sites.

/** Replaces `{max}` and similar placeholders. */
export function fillPlaceholders(text: string, values: Record<string, string | number>): string {
  return text.replace(/\{(\w+)\}/g, (placeholder, name: string) =>
    Object.hasOwn(values, name) ? String(values[name]) : placeholder,
  );
}
