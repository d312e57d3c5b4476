// Derives plain text from HTML: its words, link URLs after their labels, and alternative text of
// images. Markers enclose each URL, so that its end is unambiguous.
import { compile, type FormatCallback, type SelectorDefinition } from 'html-to-text';

const HEADINGS = ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'];
/** Unicode noncharacters as markers around URLs and alternative text. */
const LINK = ['\ufdd8', '\ufdd9'] as const;
const ALT = ['\ufdda', '\ufddb'] as const;
const MARKS = /[\ufdd8-\ufddb]/g;
/** A marked URL; the first group is the URL. */
export const MARKED_ADDRESS = '\\ufdd8([^\\ufdd9]*)\\ufdd9';
/** Filler after a preheader that keeps the body's text out of the preview line. */
const FILLER = /(?:[\u034f\u00ad\u200b-\u200d\u2007\ufeff][ \u00a0]*){3,}/g;
/** A URL in brackets with text right after it, which clients would include in the URL. */
const TOUCHING = /(\ufdd9\))(?=[^\s.,;:!?)\]}»”"'\u060c\u061b\u061f])/g;
/** Maximum nodes of a link to read when its label is compared with its URL. */
const MAX_NODES = 20;

/** Marks the URL of a link in plain text. */
export function markAddress(address: string): string {
  return `${LINK[0]}${address.replace(MARKS, '')}${LINK[1]}`;
}

export const removeMarks = (text: string) => text.replace(MARKS, '');

type Element = Parameters<FormatCallback>[0];

const formatAlt: FormatCallback = ({ attribs }, _, builder) => {
  const altText = removeMarks(String(attribs?.alt ?? '')).trim();
  if (altText !== '') builder.addInline(`${ALT[0]}${altText}${ALT[1]}`);
};

const link: FormatCallback = (element, walk, builder) => {
  const address = readHref(element);
  if (address === '') return walk(element.children, builder);
  const marked = markAddress(address);
  if (readText(element) === address) return builder.addInline(marked, { noWordTransform: true });
  let hasText = false;
  builder.pushWordTransform((word) => {
    hasText ||= word !== '';
    return word;
  });
  walk(element.children, builder);
  builder.popWordTransform();
  builder.addInline(hasText ? ` (${marked})` : marked, { noWordTransform: true });
};

/** Separates the cells of a row by spaces. */
const formatCell: FormatCallback = (element, walk, builder) => {
  walk(element.children, builder);
  builder.addInline(' ');
};

/** Returns the URL as browsers parse it; '' if there is none and for links within the page. */
function readHref({ attribs }: Element): string {
  const href = String(attribs?.href ?? '')
    .replace(/[\t\n\r]/g, '')
    .trim()
    .replace(/\s/g, '%20');
  if (href.startsWith('#')) return '';
  return href.startsWith('//') ? `https:${href}` : href;
}

function readText(element: Element): string | undefined {
  const waiting = [...(element.children ?? [])].reverse();
  let content = '';
  for (let visitedCount = 0; waiting.length > 0; visitedCount++) {
    if (visitedCount === MAX_NODES) return undefined;
    const node = waiting.pop() as Element;
    if (node.type === 'text') content += node.data ?? '';
    waiting.push(...(node.children ?? []).slice(0, MAX_NODES).reverse());
  }
  return content.trim();
}

/**
 * Creates a reusable reader, because parsing the options takes longer than converting a short text.
 */
export function createTextReader(
  limits: { maxInputLength: number; maxDepth: number },
  extraSelectors: SelectorDefinition[] = [],
): (html: string) => string {
  const convert = compile({
    wordwrap: false,
    limits,
    // The label of an image link is the alternative text.
    formatters: { alt: formatAlt, link, cell: formatCell },
    selectors: [
      { selector: 'img', format: 'alt' },
      { selector: 'a', format: 'link' },
      ...extraSelectors,
      ...HEADINGS.map((selector) => ({ selector, options: { uppercase: false } })),
    ],
  });
  return (html) => tidyText(convert(html));
}

/** Tables whose rows become lines. */
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

/**
 * Removes filler, trailing spaces and repeated blank lines. Where an alternative text and the next
 * line are identical, or that line only adds a URL, removes one of them.
 */
function tidyText(text: string): string {
  const lines = text
    .replace(FILLER, '')
    .replace(/\u00a0/g, ' ')
    .replace(TOUCHING, '$1 ')
    .split('\n')
    .map((line) => line.trimEnd());
  const result: string[] = [];
  let lastIndex = -1;
  for (const line of lines) {
    if (line.trim() === '') {
      result.push('');
      continue;
    }
    const previous = result[lastIndex];
    if (previous !== undefined && isDuplicate(previous, line)) {
      // Without its marks, so that a third occurrence, which is intentional, remains.
      result[lastIndex] = stripMarks(previous);
      continue;
    }
    if (previous !== undefined && isMoreSpecific(previous, line)) result[lastIndex] = '';
    result.push(line);
    lastIndex = result.length - 1;
  }
  return result
    .join('\n')
    .replace(/[\ufdda\ufddb]/g, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

const hasAlt = (line: string) => line.includes(ALT[0]);
const stripMarks = (line: string) => line.replace(/[\ufdda\ufddb]/g, '').trim();

/** Returns true if two lines are identical and at least one is an alternative text. */
function isDuplicate(previous: string, line: string): boolean {
  return (hasAlt(previous) || hasAlt(line)) && stripMarks(previous) === stripMarks(line);
}

/** Returns true if the line is the alternative text of the previous line followed by a URL. */
function isMoreSpecific(previous: string, line: string): boolean {
  return hasAlt(previous) && stripMarks(line).startsWith(`${stripMarks(previous)} (${LINK[0]}`);
}
