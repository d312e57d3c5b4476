// Checks the built guide: its pages must not run inline scripts or load anything from other hosts,
// which the product's content security policy forbids.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const INLINE_SCRIPT = /<script(?![^>]*\ssrc=)[^>]*>/i;
const INLINE_HANDLER = /<[a-z][^>]*\son[a-z]+=/i;
const RESOURCE =
  /<(?:script|img|iframe|source|video)\b[^>]*\ssrc="(?:https?:)?\/\/|<link\b(?=[^>]*\srel="(?:stylesheet|preload|modulepreload|icon|preconnect)")[^>]*\shref="(?:https?:)?\/\//i;
const STYLE_URL = /(?:url\(\s*|@import\s+)["']?(?:https?:)?\/\//i;

/** Returns one line per error in the folder's pages and style sheets. */
export function checkGuideSite(folder: string): string[] {
  const files = (pattern: string) => globSync(pattern, { cwd: folder }).sort();
  const readPage = (file: string) => readFileSync(join(folder, file), 'utf8');
  const pages = files('**/*.html').flatMap((file) => {
    // Code samples show tags and merge tags as text.
    const page = readPage(file).replace(/<(pre|code)\b[\s\S]*?<\/\1>/g, '');
    return [
      ...(page.includes('{{') ? [`${file} shows an expression of a template`] : []),
      ...(INLINE_SCRIPT.test(page) ? [`${file} has an inline script`] : []),
      ...(INLINE_HANDLER.test(page) ? [`${file} has an inline event handler`] : []),
      ...(RESOURCE.test(page) ? [`${file} loads from another host`] : []),
    ];
  });
  const styles = files('**/*.css').filter((file) => STYLE_URL.test(readPage(file)));
  return [...pages, ...styles.map((file) => `${file} loads from another host`)];
}
