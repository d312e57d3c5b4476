// Detects the delimiter from the first rows of a text.
import { type Delimiter, DELIMITERS } from '../../shared.ts';
import { RowScanner } from './rows.ts';

const ROWS_COMPARED = 200;

/** Excel's own first line, `sep=;`, names the delimiter and is not a row. */
const SEPARATOR_LINE = /^"?sep=([,;\t|])"?$/i;

export function separatorOf(firstRow: string): Delimiter | undefined {
  const found = SEPARATOR_LINE.exec(firstRow.trim() === 'sep=' ? 'sep=\t' : firstRow)?.[1];
  return DELIMITERS.find((delimiter) => delimiter === found);
}

/**
 * The delimiter that splits most rows into the same number of cells, more than one; among equals
 * the one with more cells. The result for a text of one column is a comma.
 */
export function detectDelimiter(sample: string): Delimiter {
  const firstLine = sample.split(/[\r\n]/, 1)[0] ?? '';
  const named = separatorOf(firstLine);
  if (named !== undefined) return named;
  let best: { delimiter: Delimiter; score: number } = { delimiter: ',', score: 0 };
  for (const delimiter of DELIMITERS) {
    const score = scoreOf(sample, delimiter);
    if (score > best.score) best = { delimiter, score };
  }
  return best.delimiter;
}

function scoreOf(sample: string, delimiter: Delimiter): number {
  const widths: number[] = [];
  const scanner = new RowScanner(delimiter, (row) => {
    if (widths.length < ROWS_COMPARED && row.bad === undefined) widths.push(row.cells.length);
  });
  scanner.write(sample);
  // The sample usually ends within a row, which does not count unless it is the only one.
  if (widths.length === 0) scanner.end();
  const counts = new Map<number, number>();
  for (const width of widths) counts.set(width, (counts.get(width) ?? 0) + 1);
  let best = 0;
  for (const [width, count] of counts) {
    if (width < 2) continue;
    const share = count / widths.length;
    // Consistency first; the number of cells only decides between equally consistent delimiters.
    best = Math.max(best, share * share * (1 + Math.log2(width) / 10));
  }
  return best;
}
