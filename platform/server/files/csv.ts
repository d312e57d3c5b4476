// CSV for spreadsheets (RFC 4180): byte order mark, CRLF, quotes where needed, and no executable
// formulas.
import { Readable } from 'node:stream';

const FORMULA = /^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/;
/** Numbers such as -5 and +37060000000 are harmless as formulas. */
const NUMBER = /^[+-]?\d+(\.\d+)?$/;

const defuseFormula = (part: string) =>
  FORMULA.test(part) && !NUMBER.test(part.replace(/[;\t]$/, '')) ? `'${part}` : part;

/** Prefixes cells that a spreadsheet would evaluate as formulas with an apostrophe. */
export function formatCsvCell(text: string): string {
  // Spreadsheets whose list separator is a semicolon or a tab turn the text after each separator
  // into a separate cell, so each part is checked for a formula.
  const safeText = /[;\t]/.test(text)
    ? text
        .split(/(?<=[;\t])/)
        .map(defuseFormula)
        .join('')
    : defuseFormula(text);
  return /[",\r\n]/.test(safeText) ? `"${safeText.replaceAll('"', '""')}"` : safeText;
}

export function formatCsvLine(cells: readonly string[]): string {
  return `${cells.map(formatCsvCell).join(',')}\r\n`;
}

/** Streams a file of any length page by page in constant memory. */
export function csvStream(
  titles: readonly string[],
  pages: AsyncIterable<readonly (readonly string[])[]>,
): Readable {
  async function* text() {
    yield `\ufeff${formatCsvLine(titles)}`;
    for await (const page of pages) yield page.map(formatCsvLine).join('');
  }
  return Readable.from(text(), { objectMode: false });
}
