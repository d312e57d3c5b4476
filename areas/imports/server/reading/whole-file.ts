// Reads the rows of a small uploaded file for other areas: text in any encoding, or a workbook.
import { AppError } from '#platform/server/errors.ts';
import { convertWorkbook, limitBytes, peek } from '../receive-file.ts';
import { detectDelimiter } from './delimiter.ts';
import { createDecoder, EncodingObserver } from './encoding.ts';
import { readRowBatches } from './row-batches.ts';
import { detectFileKind } from './workbook.ts';

const SAMPLE = 64 * 1024;

/**
 * Yields the cells row by row, in batches.
 * @throws `file_empty`, `file_too_large`, `no_list`, `old_workbook`, `workbook_…`
 */
export async function* readFileRows(
  arriving: AsyncIterable<Buffer>,
  maxBytes: number,
): AsyncGenerator<string[][]> {
  const { head, bytes } = await peek(limitBytes(arriving, maxBytes));
  const kind = detectFileKind(head);
  if (kind === 'old_workbook' || kind === 'no_list') throw new AppError(kind);
  const observer = new EncodingObserver();
  const chunks: Buffer[] = [];
  // An unpacked workbook is larger than its file.
  const text = kind === 'workbook' ? limitBytes(convertWorkbook(bytes), maxBytes * 4) : bytes;
  for await (const chunk of text) {
    observer.write(chunk);
    chunks.push(chunk);
  }
  const { encoding } = observer.finish();
  const decoder = createDecoder(encoding);
  const sample = decoder.write(Buffer.concat(chunks.slice(0, 1)).subarray(0, SAMPLE));
  const format = { encoding, delimiter: detectDelimiter(sample) };
  async function* replayBytes() {
    yield* chunks;
  }
  for await (const rows of readRowBatches(replayBytes(), format))
    yield rows.filter((row) => row.problem === undefined).map((row) => row.cells);
}
