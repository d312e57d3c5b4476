// CSV as people's spreadsheets want it (RFC 4180): a byte order mark, CRLF, quotes where needed, and
// nothing that a spreadsheet would run.
import { Readable } from 'node:stream';

const formula = /^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/;
/** -5 and +37060000000 are what they say: calculated they are themselves. */
const number = /^[+-]?\d+(\.\d+)?$/;

const defused = (part: string) =>
  formula.test(part) && !number.test(part.replace(/[;\t]$/, '')) ? `'${part}` : part;

/** What a spreadsheet would take for a formula begins with an apostrophe. */
export function csvCell(text: string): string {
  // Where a list separator is a semicolon, or a tab, what follows one is a cell of its own.
  const safe = /[;\t]/.test(text)
    ? text
        .split(/(?<=[;\t])/)
        .map(defused)
        .join('')
    : defused(text);
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function csvLine(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`;
}

/** A file of any length, page by page, in flat memory. */
export function csvStream(
  titles: readonly string[],
  pages: AsyncIterable<readonly (readonly string[])[]>,
): Readable {
  async function* text() {
    yield `\ufeff${csvLine(titles)}`;
    for await (const page of pages) yield page.map(csvLine).join('');
  }
  return Readable.from(text(), { objectMode: false });
}
