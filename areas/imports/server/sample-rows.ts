// Samples rows from the whole file, so that column guesses do not depend on its first rows alone.
import type { Delimiter, FileEncoding } from '../shared.ts';
import { createDecoder } from './reading/encoding.ts';
import { type RawRow, RowScanner } from './reading/rows.ts';

/**
 * Bytes read from the beginning of a file. If it is longer, blocks spread over the whole file are
 * read too.
 */
export const SAMPLE_BYTES = 512 * 1024;
/**
 * Maximum line breaks in the sample; a sample of very short rows would take half a second to read.
 */
export const MAX_SAMPLE_BREAKS = 40_000;
/** Number of blocks; together they are as long as the beginning. */
const BLOCKS = 8;
/**
 * Three times as many rows as from the beginning, so that the beginning makes up a quarter of the
 * sample.
 */
const MAX_SPREAD_ROWS = 1500;

interface FileBlock {
  start: number;
  end: number;
}

/**
 * Returns the blocks of a file of this size, the last one at its end, or none if the sample covers
 * it. All are in bytes.
 */
export function planBlocks(size: number, sampledBytes = SAMPLE_BYTES): FileBlock[] {
  if (size <= sampledBytes) return [];
  const length = 2 * Math.ceil(sampledBytes / BLOCKS / 2);
  return Array.from({ length: BLOCKS }, (_, i) => {
    // Even, because UTF-16 characters begin at even offsets.
    const start = 2 * Math.floor(((size - length) * (i + 1)) / BLOCKS / 2);
    return { start, end: start + length };
  });
}

/**
 * Returns the whole lines of a block, as rows. A block that starts within a quoted cell yields some
 * rows with a wrong number of cells.
 */
export function readBlockRows(
  block: Buffer,
  encoding: FileEncoding,
  delimiter: Delimiter,
  onRow: (row: RawRow) => void,
): void {
  const decoder = createDecoder(encoding);
  const text = decoder.write(block) + decoder.end();
  const firstBreak = text.search(/[\r\n]/);
  const lastBreak = Math.max(text.lastIndexOf('\n'), text.lastIndexOf('\r'));
  if (lastBreak <= firstBreak) return;
  // The scanner's `end` is not called, so that a row with an open quote at the end of the block is
  // dropped.
  new RowScanner(delimiter, onRow).write(text.slice(firstBreak, lastBreak + 1));
}

/** Selects rows evenly from any number of added ones, in bounded memory. */
export class EvenRows {
  private rows: RawRow[] = [];
  private stride = 1;
  private addedCount = 0;

  add(row: RawRow): void {
    if (this.addedCount % this.stride === 0) this.rows.push(row);
    this.addedCount += 1;
    if (this.rows.length < 2 * MAX_SPREAD_ROWS) return;
    this.rows = this.rows.filter((_, i) => i % 2 === 0);
    this.stride *= 2;
  }

  selectRows(): RawRow[] {
    const { length } = this.rows;
    if (length <= MAX_SPREAD_ROWS) return this.rows;
    return Array.from(
      { length: MAX_SPREAD_ROWS },
      (_, i) => this.rows[Math.floor((i * length) / MAX_SPREAD_ROWS)] as RawRow,
    );
  }
}
