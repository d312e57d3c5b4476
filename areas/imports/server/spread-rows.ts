// Rows from the whole length of a file, so that guesses of columns do not depend on its first rows alone.
import type { Delimiter, Encoding } from '../limits.ts';
import { createDecoder } from './reading/encoding.ts';
import { type RawRow, RowScanner } from './reading/rows.ts';

/** A file longer than this is read in blocks behind its beginning. */
export const sampleBytes = 512 * 1024;
/** Together they are as long as the beginning. */
const BLOCKS = 8;
const BLOCK_BYTES = sampleBytes / BLOCKS;
/** Three times the rows read from the beginning, which therefore count for a quarter at most. */
const MAX_SPREAD_ROWS = 1500;

interface Block {
  start: number;
  end: number;
}

/** The blocks of a file of so many bytes, the last one at its end; none where the sample holds it whole. */
export function blocksOf(size: number): Block[] {
  if (size <= sampleBytes) return [];
  return Array.from({ length: BLOCKS }, (_, i) => {
    // Even, since a character of UTF-16 begins there.
    const start = 2 * Math.floor(((size - BLOCK_BYTES) * (i + 1)) / BLOCKS / 2);
    return { start, end: start + BLOCK_BYTES };
  });
}

/** The whole lines of a block, as rows. One within a quoted cell yields rows of odd widths for some lines. */
export function rowsOfBlock(
  block: Buffer,
  encoding: Encoding,
  delimiter: Delimiter,
  onRow: (row: RawRow) => void,
): void {
  const decoder = createDecoder(encoding);
  const text = decoder.write(block) + decoder.end();
  const first = text.search(/[\r\n]/);
  const last = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r'));
  if (last <= first) return;
  // Without an end: a row whose quote is still open at the end of the block is dropped.
  new RowScanner(delimiter, onRow).write(text.slice(first, last + 1));
}

/** Selects rows evenly from as many as are added, in bounded memory. */
export class EvenRows {
  private rows: RawRow[] = [];
  private stride = 1;
  private added = 0;

  add(row: RawRow): void {
    if (this.added % this.stride === 0) this.rows.push(row);
    this.added += 1;
    if (this.rows.length < 2 * MAX_SPREAD_ROWS) return;
    this.rows = this.rows.filter((_, i) => i % 2 === 0);
    this.stride *= 2;
  }

  selected(): RawRow[] {
    const { length } = this.rows;
    if (length <= MAX_SPREAD_ROWS) return this.rows;
    return Array.from(
      { length: MAX_SPREAD_ROWS },
      (_, i) => this.rows[Math.floor((i * length) / MAX_SPREAD_ROWS)] as RawRow,
    );
  }
}
