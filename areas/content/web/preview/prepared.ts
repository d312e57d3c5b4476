// A mail's HTML made ready for a frame that shows it: light or dark, with or without pictures.
import { replaceSpans } from '#platform/spans.ts';

/** Links open elsewhere; dark and pictures as asked. What is added stands after what must be first. */
export function prepared(html: string, isDark = false, hasImages = true): string {
  const added = '<base target="_blank">';
  const still = hasImages ? html : withoutImages(html);
  const shown = inScheme(withoutWebFonts(still), isDark);
  const head = /<head(?:\s[^<>]*)?>/i.exec(shown);
  if (head) {
    const at = head.index + head[0].length;
    return shown.slice(0, at) + added + shown.slice(at);
  }
  const doctype = /^\s*<!doctype[^>]*>/i.exec(shown)?.[0] ?? '';
  return doctype + added + shown.slice(doctype.length);
}

/** The mailbox is as dark as was asked for, whatever this computer is. */
function inScheme(html: string, isDark: boolean): string {
  const [on, off] = ['(min-width:0px)', '(max-width:0px)'];
  return html.replace(/\(\s*prefers-color-scheme\s*:\s*(dark|light)\s*\)/gi, (_, scheme: string) =>
    (scheme.toLowerCase() === 'dark') === isDark ? on : off,
  );
}

/** No preview asks anybody for a font: the stack's next one stands in, as in most mailboxes. */
function withoutWebFonts(html: string): string {
  const linkless = replaceSpans(html, /<link\b/gi, '>', ({ whole }) =>
    /href="https?:\/\/(?:fonts\.|[^"]*\/i\/fonts\/)/i.test(whole) ? '' : whole,
  );
  return replaceSpans(linkless, /@import\s+url\(/gi, ';', ({ whole, inner }) =>
    /fonts\./i.test(inner.slice(0, inner.indexOf(')'))) ? '' : whole,
  );
}

/** As mailboxes do that load no pictures: the place stays, with its alternative text. */
function withoutImages(html: string): string {
  const imageless = replaceSpans(html, /<img\b/gi, '>', ({ whole }) =>
    whole
      .replace(/\ssrcset\s*=\s*("[^"]*"|'[^']*'|[^\s>]+)/gi, '')
      .replace(/\ssrc\s*=\s*("[^"]*"|'[^']*'|[^\s>]+)/gi, ' src="data:,"'),
  ).replace(/\sbackground\s*=\s*("[^"]*"|'[^']*')/gi, '');
  return replaceSpans(imageless, /url\(\s*(?:&quot;|["'])?(?:https?:|\/)/gi, ')', () => 'none');
}
