// Prepares style sheets for inlining. `!important` declarations stay in the sheet, where they
// override inline styles (dark mode, small screens) and take up bytes only once.

import { replaceSpans } from '#platform/spans.ts';

const OPENING = /<style\b[^<>]*>/gi;
const CLOSING = /<\/style/gi;
/** Creates the comment that marks a changed sheet, so that its original can be restored. */
const createMark = (index: number) => `/*\ufdd7${index}*/`;
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
  let output = '';
  let copiedTo = 0;
  OPENING.lastIndex = 0;
  while (OPENING.exec(html)) {
    const sheetStart = OPENING.lastIndex;
    CLOSING.lastIndex = sheetStart;
    const sheetEnd = CLOSING.exec(html)?.index;
    // The inliner does not treat an unclosed element as a sheet either.
    if (sheetEnd === undefined) break;
    const sheet = html.slice(sheetStart, sheetEnd);
    if (/!\s*important/i.test(sheet)) {
      output +=
        html.slice(copiedTo, sheetStart) +
        createMark(originals.push(sheet) - 1) +
        removeImportant(sheet);
      copiedTo = sheetEnd;
    }
    OPENING.lastIndex = sheetEnd;
  }
  return {
    html: output + html.slice(copiedTo),
    restore: (inlined) =>
      replaceSpans(inlined, MARK, '</style', ({ text, openingMatch }) => {
        const sheet = originals[Number(openingMatch[1])];
        return sheet === undefined ? text : sheet + text.slice(-'</style'.length);
      }),
  };
}

/** Removes `!important` declarations from a sheet; skips strings, brackets and comments. */
export function removeImportant(sheet: string): string {
  let output = '';
  let declarationStart = 0;
  let brackets = 0;
  for (let index = 0; index < sheet.length; index++) {
    const char = sheet[index] as string;
    if (char === '"' || char === "'") index = findStringEnd(sheet, index, char);
    else if (char === '\\') index++;
    else if (char === '/' && sheet[index + 1] === '*') {
      const end = sheet.indexOf('*/', index + 2);
      index = end === -1 ? sheet.length : end + 1;
    } else if (char === '(') brackets++;
    else if (char === ')') brackets = Math.max(0, brackets - 1);
    else if (brackets === 0 && (char === ';' || char === '}' || char === '{')) {
      const declaration = sheet.slice(declarationStart, index);
      // Text before a `{` is a selector, regardless of its content.
      output += char !== '{' && IMPORTANT.test(declaration) ? '' : declaration;
      output += char;
      declarationStart = index + 1;
    } else if (char === '}') brackets = 0;
  }
  return output + sheet.slice(declarationStart);
}

function findStringEnd(sheet: string, from: number, quote: string): number {
  for (let index = from + 1; index < sheet.length; index++) {
    if (sheet[index] === '\\') index++;
    else if (sheet[index] === quote || sheet[index] === '\n') return index;
  }
  return sheet.length;
}
