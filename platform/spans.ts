// Finds spans between opening and closing delimiters in one pass. A pattern such as `<img[^>]*>`
// scans to the end of the text again from every unclosed opening; these functions stop at the first
// unclosed opening.

export interface Span {
  /** The text including the opening and closing delimiters. */
  text: string;
  openingMatch: RegExpExecArray;
  /** The text between the opening and closing delimiters. */
  innerText: string;
  /** Position of the opening. */
  start: number;
  /** Position after the closing. */
  end: number;
}

/**
 * @param opening with the flag `g` and without a repetition that could reach the end of the text
 */
export function* findSpans(text: string, opening: RegExp, closing: string): Generator<Span> {
  const search = new RegExp(opening.source, opening.flags);
  for (let openTag = search.exec(text); openTag; openTag = search.exec(text)) {
    const from = openTag.index + openTag[0].length;
    const close = indexOfIgnoringCase(text, closing, from);
    if (close === -1) return;
    const end = close + closing.length;
    yield {
      text: text.slice(openTag.index, end),
      openingMatch: openTag,
      innerText: text.slice(from, close),
      start: openTag.index,
      end,
    };
    search.lastIndex = end;
  }
}

/** Returns the text with every span replaced. */
export function replaceSpans(
  text: string,
  opening: RegExp,
  closing: string,
  replace: (span: Span) => string,
): string {
  let result = '';
  let position = 0;
  for (const span of findSpans(text, opening, closing)) {
    result += text.slice(position, span.start) + replace(span);
    position = span.end;
  }
  return result + text.slice(position);
}

/** Returns the text with every HTML tag replaced by `replacement`; an unclosed `<` remains. */
export const removeElements = (html: string, replacement: string): string =>
  replaceSpans(html, /</g, '>', () => replacement);

function indexOfIgnoringCase(text: string, needle: string, from: number): number {
  if (needle.toLowerCase() === needle.toUpperCase()) return text.indexOf(needle, from);
  const search = new RegExp(needle.replace(/[^\w\s]/g, '\\$&'), 'gi');
  search.lastIndex = from;
  return search.exec(text)?.index ?? -1;
}
