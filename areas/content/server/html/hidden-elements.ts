// Finds elements of the HTML that are not displayed: preheaders with filler, and content for phones
// only.
import type { HtmlToken } from '../../html-scanner.ts';

export const VOID: ReadonlySet<string> = new Set(
  'area base br col embed hr img input link meta param source track wbr'.split(' '),
);

const NON_RENDERED_TAGS = new Set(['title', 'template']);

type TokenRange = { start: number; end: number };

/**
 * Finds the outermost hidden elements in order. Excludes unclosed ones, which would hide all text
 * after them.
 */
export function findHiddenElements(text: string, tokens: readonly HtmlToken[]): TokenRange[] {
  const ranges: TokenRange[] = [];
  for (let index = 0; index < tokens.length; index++) {
    const token = tokens[index] as HtmlToken;
    if (token.type !== 'open' || !isHidden(text, token)) continue;
    const end = VOID.has(token.name) ? index : findClosing(tokens, index);
    if (end === undefined) continue;
    ranges.push({ start: token.start, end: (tokens[end] as HtmlToken).end });
    index = end;
  }
  return ranges;
}

/** Tokens outside hidden elements. */
export function filterVisibleTokens(text: string, tokens: readonly HtmlToken[]): HtmlToken[] {
  const hidden = findHiddenElements(text, tokens);
  let next = 0;
  return tokens.filter(({ start }) => {
    while (next < hidden.length && (hidden[next] as TokenRange).end <= start) next++;
    return start < (hidden[next]?.start ?? Number.POSITIVE_INFINITY);
  });
}

const ZERO = String.raw`\s*:\s*0(?:\.0*)?(?:px|em|rem|pt|%)?\s*(?:!\s*important\s*)?(?:;|$)`;
const NOT_DISPLAYED = /(?:^|[;\s])(?:display\s*:\s*none|visibility\s*:\s*hidden)/i;
const TRANSPARENT = new RegExp(`(?:^|[;\\s])opacity${ZERO}`, 'i');
const FLAT = new RegExp(`(?:^|[;\\s])(?:max-)?(?:height|width)${ZERO}`, 'i');
const CLIPPED_STYLE = /(?:^|[;\s])overflow(?:-[xy])?\s*:\s*(?:hidden|clip)/i;

function isHidden(text: string, { name, attributes }: HtmlToken & { type: 'open' }): boolean {
  if (NON_RENDERED_TAGS.has(name)) return true;
  return attributes.some(({ name: attribute, start, end }) => {
    if (attribute === 'hidden') return true;
    if (attribute !== 'style') return false;
    const style = text.slice(start, end);
    if (NOT_DISPLAYED.test(style) || TRANSPARENT.test(style)) return true;
    return FLAT.test(style) && CLIPPED_STYLE.test(style);
  });
}

/** Returns the index of the closing tag's token, or undefined for an unclosed element. */
function findClosing(tokens: readonly HtmlToken[], from: number): number | undefined {
  const { name } = tokens[from] as HtmlToken & { type: 'open' };
  let depth = 0;
  for (let index = from; index < tokens.length; index++) {
    const token = tokens[index] as HtmlToken;
    if (token.type === 'open' && token.name === name) depth++;
    if (token.type === 'close' && token.name === name && --depth === 0) return index;
  }
  return undefined;
}
