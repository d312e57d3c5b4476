// Removes markup and invisible control characters from names typed by users.

const WHOLE_ELEMENTS = /<(script|style|iframe|object|template)\b[\s\S]*?(<\/\1\s*>|$)/gi;
const COMMENTS = /<!--[\s\S]*?(-->|$)/g;
/** A tag begins with a letter, so that `a < b` and `I <3 you` are kept. */
const TAGS = /<\/?[a-z][^>]*(>|$)/gi;
const CONTROLS = /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F\u202A-\u202E\u2066-\u2069]/g;

export function sanitize(text: string): string {
  let before: string;
  let clean = text.replace(CONTROLS, '');
  do {
    before = clean;
    clean = clean.replace(COMMENTS, '').replace(WHOLE_ELEMENTS, '').replace(TAGS, '');
  } while (clean !== before);
  return clean.trim();
}
