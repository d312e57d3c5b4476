// The rows of a stored text file in batches.
import type { Delimiter, FileEncoding } from '../../shared.ts';
import { createDecoder } from './encoding.ts';
import { type RawRow, RowScanner } from './rows.ts';

export interface TextFormat {
  encoding: FileEncoding;
  delimiter: Delimiter;
}

/** Rows in file order, one batch per chunk of bytes; memory holds one chunk and one row. */
export async function* readRowBatches(
  bytes: AsyncIterable<Buffer | Uint8Array>,
  format: TextFormat,
): AsyncGenerator<RawRow[]> {
  const decoder = createDecoder(format.encoding);
  let batch: RawRow[] = [];
  const scanner = new RowScanner(format.delimiter, (row) => batch.push(row));
  for await (const chunk of bytes) {
    scanner.write(decoder.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)));
    if (batch.length > 0) yield batch;
    batch = [];
  }
  scanner.write(decoder.end());
  scanner.end();
  if (batch.length > 0) yield batch;
}
