// Rich text in the product: a small subset of HTML with unescaped merge tags. Shared by server and
// browser.

/** Paragraphs and lists of RICH_TAGS with RICH_STYLES. */
export type RichText = string;

/** Elements of rich text; other elements lose their tags and keep their text. */
export const RICH_TAGS = [
  'p',
  'br',
  'strong',
  'em',
  'u',
  's',
  'a',
  'span',
  'ul',
  'ol',
  'li',
] as const;
/**
 * The first three are for spans; the last is for paragraphs and list items (start, center, end,
 * justify).
 */
export const RICH_STYLES = ['color', 'background-color', 'font-size', 'text-align'] as const;

/**
 * Returns true for an address with http(s), mailto, tel or sms, an anchor, an address that begins
 * with a merge tag, and an empty string.
 */
export function isAddress(text: string): boolean {
  return text === '' || /^(https?:\/\/[^\s]|mailto:|tel:|sms:|#|\{\{|\{\$)/i.test(text.trim());
}
