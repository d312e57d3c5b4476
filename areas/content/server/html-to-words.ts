// What of HTML is read where HTML is not: its words, the addresses of its links behind them, and the words
// that stand for its pictures.
import { compile, type SelectorDefinition } from 'html-to-text';

const HEADINGS = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'];

/** Made once, then asked for each text: reading the options takes longer than a short text. */
export function wordsReader(
  limits: { maxInputLength: number; maxDepth: number },
  more: SelectorDefinition[] = [],
): (html: string) => string {
  return compile({
    wordwrap: false,
    limits,
    // A link of a picture has no other words than these.
    formatters: { alt: ({ attribs }, _, builder) => builder.addInline(attribs?.alt ?? '') },
    selectors: [
      { selector: 'img', format: 'alt' },
      {
        selector: 'a',
        options: { hideLinkHrefIfSameAsText: true, noAnchorUrl: true, linkBrackets: ['(', ')'] },
      },
      ...more,
      ...HEADINGS.map((selector) => ({ selector, options: { uppercase: false } })),
    ],
  });
}
