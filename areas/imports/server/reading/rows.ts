// Splits decoded text into rows of cells: RFC 4180 with the deviations of real files.
import { MAX_COLUMNS, MAX_ROW_LENGTH } from '../../shared.ts';

export interface RawRow {
  /** 1 for the first row of the file, as in a spreadsheet. */
  number: number;
  cells: string[];
  /** The row as a whole is unreadable; its beginning is in the first cell. */
  problem?: 'row_too_long' | 'control_characters';
}

const SHOWN_OF_BAD_ROW = 200;

/**
 * Splits text that arrives in chunks into rows. A row ends at LF, CRLF or CR outside quotes.
 * - A quote opens only at the start of a cell, after optional spaces; elsewhere it is a literal
 *   character. Text after a closing quote up to the delimiter is kept.
 * - A backslash before a quote escapes the quote once the file is known to use this style. This is
 *   known from the first quote after a backslash that cannot close its cell, because the next
 *   character is not a quote, blank, delimiter or line break.
 * - An unclosed quote would swallow the rest of the file: once the row grows beyond
 *   `MAX_ROW_LENGTH`, or the file ends, its first line is read again with literal quotes.
 * - A line beyond `MAX_ROW_LENGTH` is reported as one bad row and skipped without being stored.
 * - Empty lines are counted but not returned.
 *
 * A row of six cells takes 0.3 µs, or 0.4 µs if all are quoted; csv-parse takes 2.7 µs.
 */
export class RowScanner {
  private pendingText = '';
  private isSkipping = false;
  private number = 0;
  private endedWithReturn = false;
  private hasBackslashes = false;
  private readonly delimiter: string;
  private readonly onRow: (row: RawRow) => void;

  constructor(delimiter: string, onRow: (row: RawRow) => void) {
    this.delimiter = delimiter;
    this.onRow = onRow;
  }

  write(chunk: string): void {
    let text = this.pendingText === '' ? chunk : this.pendingText + chunk;
    // LF of a CRLF that was split after the CR by a chunk boundary.
    if (this.endedWithReturn && text !== '') {
      this.endedWithReturn = false;
      if (text.charCodeAt(0) === 10) text = text.slice(1);
    }
    this.pendingText = '';
    if (text !== '') this.scan(text, false);
  }

  end(): void {
    const text = this.pendingText;
    this.pendingText = '';
    if (this.isSkipping) this.isSkipping = false;
    else if (text !== '') this.scan(text, true);
  }

  private scan(text: string, isLast: boolean): void {
    let position = 0;
    if (this.isSkipping) {
      position = endOfLine(text, 0);
      if (position === -1) return;
      this.isSkipping = false;
      position = this.skipLineBreak(text, position);
    }
    let quote = text.indexOf('"', position);
    let lf = text.indexOf('\n', position);
    let cr = text.indexOf('\r', position);
    while (position < text.length) {
      if (quote !== -1 && quote < position) quote = text.indexOf('"', position);
      if (lf !== -1 && lf < position) lf = text.indexOf('\n', position);
      if (cr !== -1 && cr < position) cr = text.indexOf('\r', position);
      const line = cr === -1 ? lf : lf === -1 ? cr : Math.min(lf, cr);
      if (quote !== -1 && (line === -1 || quote < line)) {
        const next = this.readQuotedRow(text, position, line, isLast);
        if (next === -1) return;
        position = next;
      } else if (line === -1) {
        this.handleUnfinishedRow(text, position, isLast);
        return;
      } else {
        this.readPlainRow(text, position, line);
        position = this.skipLineBreak(text, line);
      }
    }
  }

  /** Reads a row without quotes, or with literal quotes. */
  private readPlainRow(text: string, from: number, to: number): void {
    this.number += 1;
    if (to === from) return;
    if (to - from > MAX_ROW_LENGTH) {
      this.reportUnreadable('row_too_long', text.slice(from, from + SHOWN_OF_BAD_ROW));
      return;
    }
    this.emit(text.slice(from, to).split(this.delimiter, MAX_COLUMNS + 1));
  }

  /** Reads a row with quotes; returns the start of the next row, or -1 if more text is needed. */
  private readQuotedRow(text: string, from: number, line: number, isLast: boolean): number {
    const cells: string[] = [];
    const delimiter = this.delimiter;
    const limit = from + MAX_ROW_LENGTH;
    let position = from;
    for (;;) {
      let cell = '';
      const openQuote = findOpeningQuote(text, position, delimiter);
      if (openQuote !== -1) {
        position = openQuote;
        const close = this.findClosingQuote(text, position + 1);
        if (close === -1 || close > limit) {
          if (close === -1 && !isLast && text.length <= limit) {
            this.pendingText = text.slice(from);
            return -1;
          }
          return this.readLiteralLine(text, from, line, isLast);
        }
        cell = text.slice(position + 1, close);
        if (cell.includes('""')) cell = cell.replaceAll('""', '"');
        if (this.hasBackslashes) cell = cell.replace(/\\(["\\])/g, '$1');
        position = close + 1;
      }
      const stop = endOfCell(text, position, delimiter);
      if (stop === text.length && !isLast) {
        if (text.length - from > MAX_ROW_LENGTH)
          return this.readLiteralLine(text, from, line, isLast);
        this.pendingText = text.slice(from);
        return -1;
      }
      cell = cell === '' ? text.slice(position, stop) : cell + text.slice(position, stop);
      if (cells.length <= MAX_COLUMNS) cells.push(cell);
      if (stop === text.length || text[stop] !== delimiter) {
        this.number += 1;
        if (stop - from > MAX_ROW_LENGTH)
          this.reportUnreadable('row_too_long', text.slice(from, from + SHOWN_OF_BAD_ROW));
        else this.emit(cells);
        return stop === text.length ? stop : this.skipLineBreak(text, stop);
      }
      position = stop + 1;
    }
  }

  /** Returns the position of the closing quote from `from` on; skips doubled and escaped quotes. */
  private findClosingQuote(text: string, from: number): number {
    let position = text.indexOf('"', from);
    while (position !== -1) {
      const next = text.charCodeAt(position + 1);
      const isEscapedQuote = isEscaped(text, from, position);
      if (isEscapedQuote && !this.hasBackslashes && next !== 34 && this.isInside(next))
        this.hasBackslashes = true;
      if (isEscapedQuote && this.hasBackslashes) position = text.indexOf('"', position + 1);
      else if (next === 34) position = text.indexOf('"', position + 2);
      else return position;
    }
    return -1;
  }

  /** Returns whether the character after a quote shows that the quote does not close the cell. */
  private isInside(next: number): boolean {
    const isEnd = Number.isNaN(next) || next === 10 || next === 13;
    return !isEnd && !isBlank(next) && next !== this.delimiter.charCodeAt(0);
  }

  /** Reads the first line of a row with unclosed quotes, with literal quotes. */
  private readLiteralLine(text: string, from: number, line: number, isLast: boolean): number {
    if (line === -1) {
      this.handleUnfinishedRow(text, from, isLast);
      return -1;
    }
    this.readPlainRow(text, from, line);
    return this.skipLineBreak(text, line);
  }

  /**
   * Handles text that ends within a row. At the end of the file it is the last row; otherwise it is
   * stored for the next chunk, or reported if it is too long.
   */
  private handleUnfinishedRow(text: string, from: number, isLast: boolean): void {
    if (isLast) {
      this.readPlainRow(text, from, text.length);
    } else if (text.length - from > MAX_ROW_LENGTH) {
      this.number += 1;
      this.reportUnreadable('row_too_long', text.slice(from, from + SHOWN_OF_BAD_ROW));
      this.isSkipping = true;
    } else {
      this.pendingText = text.slice(from);
    }
  }

  private skipLineBreak(text: string, position: number): number {
    if (text.charCodeAt(position) !== 13) return position + 1;
    if (position + 1 === text.length) {
      this.endedWithReturn = true;
      return position + 1;
    }
    return text.charCodeAt(position + 1) === 10 ? position + 2 : position + 1;
  }

  private emit(cells: string[]): void {
    for (const cell of cells) {
      if (cell.includes('\0')) {
        this.reportUnreadable(
          'control_characters',
          cells.join(this.delimiter).slice(0, SHOWN_OF_BAD_ROW),
        );
        return;
      }
    }
    this.onRow({ number: this.number, cells });
  }

  private reportUnreadable(reason: 'row_too_long' | 'control_characters', start: string): void {
    // Copied, because a slice would keep the whole chunk alive.
    const beginning = Buffer.from(start.replaceAll('\0', '\u2400')).toString();
    this.onRow({ number: this.number, cells: [beginning], problem: reason });
  }
}

function endOfLine(text: string, from: number): number {
  for (let i = from; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 10 || code === 13) return i;
  }
  return -1;
}

/** Returns the position of the quote that opens the cell at `from`, or -1. */
function findOpeningQuote(text: string, from: number, delimiter: string): number {
  let position = from;
  while (isBlank(text.charCodeAt(position)) && text[position] !== delimiter) position += 1;
  return text.charCodeAt(position) === 34 ? position : -1;
}

const isBlank = (code: number) => code === 32 || code === 160 || code === 9;

/** Returns whether an odd number of backslashes precedes `position`. */
function isEscaped(text: string, from: number, position: number): boolean {
  let start = position;
  while (start > from && text.charCodeAt(start - 1) === 92) start -= 1;
  return (position - start) % 2 === 1;
}

function endOfCell(text: string, from: number, delimiter: string): number {
  const delimiterCode = delimiter.charCodeAt(0);
  let position = from;
  while (position < text.length) {
    const code = text.charCodeAt(position);
    if (code === delimiterCode || code === 10 || code === 13) return position;
    position += 1;
  }
  return position;
}
