// Matches a page's URL against a pattern of a form's page rules; used on the site and in the
// builder's test field.

/**
 * In patterns, `*` matches any text; a pattern that starts with `/` matches on any host; the query
 * of the URL is compared only if the pattern contains `?`; a slash at the end is ignored.
 */
export function matchesPagePattern(pattern: string, url: string): boolean {
  const trimmed = pattern.trim();
  if (trimmed === '') return false;
  const { origin, pathname, search } = new URL(url);
  const comparedPart =
    (trimmed.startsWith('/') ? '' : origin) + pathname + (trimmed.includes('?') ? search : '');
  const pieces = trimmed.replace(/\/$/, '').split('*');
  let at = 0;
  const text = comparedPart.replace(/\/$/, '');
  // Iterates by index, since some page libraries replace `entries`.
  for (let i = 0; i < pieces.length; i++) {
    const piece = pieces[i] ?? '';
    const found = i === 0 ? (text.startsWith(piece) ? 0 : -1) : text.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return (
    pieces.at(-1) === '' ||
    at === text.length ||
    (text.endsWith(pieces.at(-1) ?? '') && pieces.length > 1)
  );
}
