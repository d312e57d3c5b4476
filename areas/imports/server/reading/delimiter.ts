// Detects the delimiter of a CSV text from its first rows.
import { DELIMITERS, type Delimiter } from '../../shared.ts';
import { RowScanner } from './rows.ts';

const MAX_ROWS = 200;

/** A first line such as `sep=;`, which Excel understands, names the delimiter and is not a row. */
const SEPARATOR_LINE = /^"?sep=([,;\t|])"?$/i;

export function readSeparatorLine(firstRow: string): Delimiter | undefined {
  const separator = SEPARATOR_LINE.exec(firstRow.trim() === 'sep=' ? 'sep=\t' : firstRow)?.[1];
  return DELIMITERS.find((delimiter) => delimiter === separator);
}

/**
 * Returns the delimiter named by a `sep=` line. Otherwise returns the one that most consistently
 * splits rows into the same number of cells (at least two), with a small preference for more cells.
 * Returns a comma if no delimiter splits a row.
 */
export function detectDelimiter(sample: string): Delimiter {
  const firstLine = sample.split(/[\r\n]/, 1)[0] ?? '';
  const declaredDelimiter = readSeparatorLine(firstLine);
  if (declaredDelimiter !== undefined) return declaredDelimiter;
  let bestMatch: { delimiter: Delimiter; score: number } = { delimiter: ',', score: 0 };
  for (const delimiter of DELIMITERS) {
    const score = scoreDelimiter(sample, delimiter);
    if (score > bestMatch.score) bestMatch = { delimiter, score };
  }
  return bestMatch.delimiter;
}

function scoreDelimiter(sample: string, delimiter: Delimiter): number {
  const widths: number[] = [];
  const scanner = new RowScanner(delimiter, (row) => {
    if (widths.length < MAX_ROWS && row.problem === undefined) widths.push(row.cells.length);
  });
  scanner.write(sample);
  // The sample usually ends in the middle of a row, which counts only if it is the only one.
  if (widths.length === 0) scanner.end();
  const counts = new Map<number, number>();
  for (const width of widths) counts.set(width, (counts.get(width) ?? 0) + 1);
  let highest = 0;
  for (const [width, count] of counts) {
    if (width < 2) continue;
    const ratio = count / widths.length;
    // Consistency dominates (squared share); each doubling of the number of cells adds a tenth.
    highest = Math.max(highest, ratio * ratio * (1 + Math.log2(width) / 10));
  }
  return highest;
}
