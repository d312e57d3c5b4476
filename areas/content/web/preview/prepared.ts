// Prepares an email's HTML for a preview frame: light or dark, with or without images.
import { replaceSpans } from '#platform/spans.ts';

/**
 * Sets link targets, the color scheme and images; removes web fonts. The base element is inserted
 * at the start of the head, or after the doctype.
 */
export function preparePage(html: string, isDark = false, hasImages = true): string {
  const base = '<base target="_blank">';
  const withChosenImages = hasImages ? html : removeImages(html);
  const themed = inScheme(removeWebFonts(withChosenImages), isDark);
  const head = /<head(?:\s[^<>]*)?>/i.exec(themed);
  if (head) {
    const headEnd = head.index + head[0].length;
    return themed.slice(0, headEnd) + base + themed.slice(headEnd);
  }
  const doctype = /^\s*<!doctype[^>]*>/i.exec(themed)?.[0] ?? '';
  return doctype + base + themed.slice(doctype.length);
}

/** Applies the requested color scheme, regardless of the device. */
function inScheme(html: string, isDark: boolean): string {
  const [on, off] = ['(min-width:0px)', '(max-width:0px)'];
  return html.replace(/\(\s*prefers-color-scheme\s*:\s*(dark|light)\s*\)/gi, (_, scheme: string) =>
    (scheme.toLowerCase() === 'dark') === isDark ? on : off,
  );
}

/** Removes web fonts: the fallback of the stack is used, as in most mail clients. */
function removeWebFonts(html: string): string {
  const htmlWithoutFontLinks = replaceSpans(html, /<link\b/gi, '>', ({ text }) =>
    /href="https?:\/\/(?:fonts\.|[^"]*\/i\/fonts\/)/i.test(text) ? '' : text,
  );
  return replaceSpans(htmlWithoutFontLinks, /@import\s+url\(/gi, ';', ({ text, innerText }) =>
    /fonts\./i.test(innerText.slice(0, innerText.indexOf(')'))) ? '' : text,
  );
}

/** Removes images as mail clients do: the space with the alternative text remains. */
function removeImages(html: string): string {
  const imageless = replaceSpans(html, /<img\b/gi, '>', ({ text }) =>
    text
      .replace(/\ssrcset\s*=\s*("[^"]*"|'[^']*'|[^\s>]+)/gi, '')
      .replace(/\ssrc\s*=\s*("[^"]*"|'[^']*'|[^\s>]+)/gi, ' src="data:,"'),
  ).replace(/\sbackground\s*=\s*("[^"]*"|'[^']*')/gi, '');
  return replaceSpans(imageless, /url\(\s*(?:&quot;|["'])?(?:https?:|\/)/gi, ')', () => 'none');
}
