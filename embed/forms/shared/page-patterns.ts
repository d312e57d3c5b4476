// Matches a page's URL against a pattern of a form's page rules; used on the site and in the
// builder's test field.

/**
 * In patterns, `*` matches any text; a pattern that starts with `/` matches on any host; the query
 * of the URL is compared only if the pattern contains `?`; a slash at the end is ignored.
 */
export function matchesPagePattern(pattern: string, url: string): boolean {
  const trimmedPattern = pattern.trim();
  if (trimmedPattern === '') return false;
  const { origin, pathname, search } = new URL(url);
  const comparedPart =
    (trimmedPattern.startsWith('/') ? '' : origin) +
    pathname +
    (trimmedPattern.includes('?') ? search : '');
  const fragments = trimmedPattern.replace(/\/$/, '').split('*');
  let offset = 0;
  const text = comparedPart.replace(/\/$/, '');
  // Iterates by index, because some page libraries replace `entries`.
  for (let i = 0; i < fragments.length; i++) {
    const fragment = fragments[i] ?? '';
    const index = i === 0 ? (text.startsWith(fragment) ? 0 : -1) : text.indexOf(fragment, offset);
    if (index < 0) return false;
    offset = index + fragment.length;
  }
  return (
    fragments.at(-1) === '' ||
    offset === text.length ||
    (text.endsWith(fragments.at(-1) ?? '') && fragments.length > 1)
  );
}
