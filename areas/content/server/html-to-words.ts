// What of HTML is read where HTML is not: its words, the addresses of its links behind them, and the words
// that stand for its pictures. An address stands between marks: where it ends is not to be guessed again.
import { compile, type FormatCallback, type SelectorDefinition } from 'html-to-text';

const HEADINGS = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'];
/** Unicode noncharacters: never valid in text that is exchanged. */
const LINK = ['\ufdd8', '\ufdd9'] as const;
const ALT = ['\ufdda', '\ufddb'] as const;
const MARKS = /[\ufdd8-\ufddb]/g;
/** A marked address; the first group is the address. */
export const MARKED_ADDRESS = '\\ufdd8([^\\ufdd9]*)\\ufdd9';
/** What senders put behind a preheader to keep the text out of the inbox's second line. */
const FILLER = /(?:[\u034f\u00ad\u200b-\u200d\u2007\ufeff][ \u00a0]*){3,}/g;
/** A closed address with more right after it, which programs would take for a part of it. */
const TOUCHING = /(\ufdd9\))(?=[^\s.,;:!?)\]}»”"'\u060c\u061b\u061f])/g;
/** Of a link, to see whether its words are its address. */
const NODES_MOST = 20;

/** The address of a link in plain text. */
export function markedAddress(address: string): string {
  return `${LINK[0]}${address.replace(MARKS, '')}${LINK[1]}`;
}

export const withoutMarks = (text: string) => text.replace(MARKS, '');

type Element = Parameters<FormatCallback>[0];

const alt: FormatCallback = ({ attribs }, _, builder) => {
  const words = withoutMarks(String(attribs?.alt ?? '')).trim();
  if (words !== '') builder.addInline(`${ALT[0]}${words}${ALT[1]}`);
};

const link: FormatCallback = (element, walk, builder) => {
  const address = addressOf(element);
  if (address === '') return walk(element.children, builder);
  const marked = markedAddress(address);
  if (wordsOf(element) === address) return builder.addInline(marked, { noWordTransform: true });
  let hasWords = false;
  builder.pushWordTransform((word) => {
    hasWords ||= word !== '';
    return word;
  });
  walk(element.children, builder);
  builder.popWordTransform();
  builder.addInline(hasWords ? ` (${marked})` : marked, { noWordTransform: true });
};

/** Cells of a row are words apart. */
const cell: FormatCallback = (element, walk, builder) => {
  walk(element.children, builder);
  builder.addInline(' ');
};

/** As a browser reads it; places of the page itself are no addresses. */
function addressOf({ attribs }: Element): string {
  const href = String(attribs?.href ?? '')
    .replace(/[\t\n\r]/g, '')
    .trim()
    .replace(/\s/g, '%20');
  if (href.startsWith('#')) return '';
  return href.startsWith('//') ? `https:${href}` : href;
}

function wordsOf(element: Element): string | undefined {
  const waiting = [...(element.children ?? [])].reverse();
  let words = '';
  for (let seen = 0; waiting.length > 0; seen++) {
    if (seen === NODES_MOST) return undefined;
    const node = waiting.pop() as Element;
    if (node.type === 'text') words += node.data ?? '';
    waiting.push(...(node.children ?? []).slice(0, NODES_MOST).reverse());
  }
  return words.trim();
}

/** Made once, then asked for each text: reading the options takes longer than a short text. */
export function wordsReader(
  limits: { maxInputLength: number; maxDepth: number },
  more: SelectorDefinition[] = [],
): (html: string) => string {
  const read = compile({
    wordwrap: false,
    limits,
    // A link of a picture has no other words than these.
    formatters: { alt, link, cell },
    selectors: [
      { selector: 'img', format: 'alt' },
      { selector: 'a', format: 'link' },
      ...more,
      ...HEADINGS.map((selector) => ({ selector, options: { uppercase: false } })),
    ],
  });
  return (html) => tidied(read(html));
}

/** Tables whose rows are lines. */
export const TABLES: SelectorDefinition[] = [
  { selector: 'table', format: 'block' },
  {
    selector: 'tr',
    format: 'block',
    options: { leadingLineBreaks: 1, trailingLineBreaks: 1 },
  },
  { selector: 'td', format: 'cell' },
  { selector: 'th', format: 'cell' },
];

/** No blanks at ends of lines, no filler, and nothing twice that was said by a picture too. */
function tidied(text: string): string {
  const lines = text
    .replace(FILLER, '')
    .replace(/\u00a0/g, ' ')
    .replace(TOUCHING, '$1 ')
    .split('\n')
    .map((line) => line.trimEnd());
  const kept: string[] = [];
  let last = -1;
  for (const line of lines) {
    if (line.trim() === '') {
      kept.push('');
      continue;
    }
    const before = kept[last];
    if (before !== undefined && isSaidAgain(before, line)) {
      // Once more than that is said on purpose.
      kept[last] = bare(before);
      continue;
    }
    if (before !== undefined && isSaidBetter(before, line)) kept[last] = '';
    kept.push(line);
    last = kept.length - 1;
  }
  return kept
    .join('\n')
    .replace(/[\ufdda\ufddb]/g, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

const hasAlt = (line: string) => line.includes(ALT[0]);
const bare = (line: string) => line.replace(/[\ufdda\ufddb]/g, '').trim();

/** A picture and the words below it are one link, or say the same. */
function isSaidAgain(before: string, line: string): boolean {
  return (hasAlt(before) || hasAlt(line)) && bare(before) === bare(line);
}

/** The words below a picture are a link, the picture is none. */
function isSaidBetter(before: string, line: string): boolean {
  return hasAlt(before) && bare(line).startsWith(`${bare(before)} (${LINK[0]}`);
}
