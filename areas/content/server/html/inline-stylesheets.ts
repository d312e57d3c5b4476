// Prepares style sheets for inlining. `!important` declarations stay in the sheet, where they
// override inline styles (dark mode, small screens) and take up bytes only once.

import { replaceSpans } from '#platform/spans.ts';

const OPENING = /<style\b[^<>]*>/gi;
const CLOSING = /<\/style/gi;
/** Placeholder in a sheet for the original content. */
const mark = (index: number) => `/*\ufdd7${index}*/`;
const MARK = /\/\*\ufdd7(\d{1,9})\*\//g;
const IMPORTANT = /!\s*important\s*$/i;

export type Sheets = {
  /** The source with the sheets to inline. */
  html: string;
  /** Restores the original sheets. */
  restore(inlined: string): string;
};

export function inlineSheets(html: string): Sheets {
  const originals: string[] = [];
  let out = '';
  let done = 0;
  OPENING.lastIndex = 0;
  while (OPENING.exec(html)) {
    const from = OPENING.lastIndex;
    CLOSING.lastIndex = from;
    const to = CLOSING.exec(html)?.index;
    // The inliner does not treat an unclosed element as a sheet either.
    if (to === undefined) break;
    const sheet = html.slice(from, to);
    if (/!\s*important/i.test(sheet)) {
      out += html.slice(done, from) + mark(originals.push(sheet) - 1) + removeImportant(sheet);
      done = to;
    }
    OPENING.lastIndex = to;
  }
  return {
    html: out + html.slice(done),
    restore: (inlined) =>
      replaceSpans(inlined, MARK, '</style', ({ whole, opening }) => {
        const sheet = originals[Number(opening[1])];
        return sheet === undefined ? whole : sheet + whole.slice(-'</style'.length);
      }),
  };
}

/** A sheet without `!important` declarations; strings, brackets and comments are skipped. */
export function removeImportant(sheet: string): string {
  let out = '';
  let from = 0;
  let brackets = 0;
  for (let at = 0; at < sheet.length; at++) {
    const char = sheet[at] as string;
    if (char === '"' || char === "'") at = endOfText(sheet, at, char);
    else if (char === '\\') at++;
    else if (char === '/' && sheet[at + 1] === '*') {
      const end = sheet.indexOf('*/', at + 2);
      at = end === -1 ? sheet.length : end + 1;
    } else if (char === '(') brackets++;
    else if (char === ')') brackets = Math.max(0, brackets - 1);
    else if (brackets === 0 && (char === ';' || char === '}' || char === '{')) {
      const piece = sheet.slice(from, at);
      // Text before a `{` is a selector, regardless of its content.
      out += char !== '{' && IMPORTANT.test(piece) ? '' : piece;
      out += char;
      from = at + 1;
    } else if (char === '}') brackets = 0;
  }
  return out + sheet.slice(from);
}

function endOfText(sheet: string, from: number, quote: string): number {
  for (let at = from + 1; at < sheet.length; at++) {
    if (sheet[at] === '\\') at++;
    else if (sheet[at] === quote || sheet[at] === '\n') return at;
  }
  return sheet.length;
}
