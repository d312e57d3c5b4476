// Rich text of whatever is written in the product: a small subset of HTML, in which merge tags stand as they
// are written. Shared by server and screens.

/** Paragraphs and lists of RICH_TAGS with RICH_STYLES. */
export type RichText = string;

/** Elements of rich text; all others lose their tags and keep their words. */
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
/** Of spans: the first three; of paragraphs and items: the last (start, center, end, justify). */
export const RICH_STYLES = ['color', 'background-color', 'font-size', 'text-align'] as const;

/** http(s), mailto, tel, sms, an anchor, or one that begins with a merge tag. */
export function isAddress(text: string): boolean {
  return text === '' || /^(https?:\/\/[^\s]|mailto:|tel:|sms:|#|\{\{|\{\$)/i.test(text.trim());
}
