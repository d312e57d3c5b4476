// Streams an uploaded file or pasted text into the file store and returns a preview of how the
// import will read it.
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { readAccount } from '#areas/accounts/server/index.ts';
import { readFields } from '#areas/fields/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction, type Reader } from '#platform/server/database/database.ts';
import { AppError, notFound } from '#platform/server/errors.ts';
import { files } from '#platform/server/files/files.ts';
import { AccountSlots } from '#platform/server/account-slots.ts';
import type { ImportPreview } from '../contract.ts';
import type { Delimiter, FileEncoding } from '../shared.ts';
import * as store from './imports.sql.ts';
import { buildPreview, type FilePreview } from './preview.ts';
import { EncodingObserver } from './reading/encoding.ts';
import { detectFileKind } from './reading/workbook.ts';
import { convertWorkbook, limitBytes, peek } from './receive-file.ts';
import { MAX_SAMPLE_BREAKS, planBlocks, SAMPLE_BYTES } from './sample-rows.ts';
import { lockUploadSlot, requireUploadSlot } from './uploads.ts';

/** Facts about an uploaded file, determined while it was stored. */
export interface FileProperties {
  encoding: FileEncoding;
  lines: number;
  size: number;
}

export interface NewUpload {
  accountId: number;
  userId: number;
  method: 'file' | 'text';
  fileName: string;
  bytes: AsyncIterable<Buffer>;
  maxBytes: number;
}

/**
 * Stores the file as text (a workbook's sheet of contacts becomes CSV) and returns its preview.
 * Stores nothing on failure. Throws `file_empty`, `file_too_large`, `no_list`, `old_workbook`,
 * `too_many_uploads`, `too_many_requests` and the `workbook_…` codes.
 */
export function ingest(db: Db, upload: NewUpload): Promise<ImportPreview> {
  return uploadSlots.runInSlot(upload.accountId, () => storeUpload(db, upload));
}

/**
 * Limits the concurrent uploads of an account, because the number of its stored files is checked
 * reliably only after the last byte.
 */
const uploadSlots = new AccountSlots(10);

async function storeUpload(db: Db, upload: NewUpload): Promise<ImportPreview> {
  await requireUploadSlot(db, upload.accountId);
  const { head, bytes } = await peek(limitBytes(upload.bytes, upload.maxBytes));
  const fileKind = detectFileKind(head);
  if (fileKind === 'old_workbook' || fileKind === 'no_list') throw new AppError(fileKind);
  const key = `imports/${upload.accountId}/${randomUUID()}`;
  const text = fileKind === 'workbook' ? convertWorkbook(bytes) : bytes;
  const observer = new EncodingObserver();
  const sample = new ByteSample();
  await files.put(key, Readable.from(observeBytes(text, observer, sample)));
  try {
    const { encoding } = observer.finish();
    const fileFacts: FileProperties = { encoding, lines: observer.lines, size: observer.size };
    const beginning = sample.bytes();
    const blocks = await readBlocks(key, fileFacts.size, beginning.length);
    const preview = await readSample(
      db,
      upload.accountId,
      { beginning, blocks },
      { encoding, fileName: upload.fileName },
    );
    if (preview.columns.length === 0) throw new AppError('file_empty');
    const row = await inTransaction(db, async (tx) => {
      await lockUploadSlot(tx, upload.accountId);
      return store.insertImport(tx, {
        ...upload,
        fileKey: key,
        detected: fileFacts,
        rowCount: estimateRowCount(fileFacts, preview),
        at: clock.now(),
      });
    });
    return present(row, preview);
  } catch (error) {
    await files.remove(key);
    throw error;
  }
}

/**
 * Rereads the preview with other settings. Throws `not_found`, `import_already_started` and
 * `file_missing`.
 */
export async function readPreview(
  db: Reader,
  accountId: number,
  id: number,
  formatSettings: {
    encoding?: FileEncoding;
    delimiter?: Delimiter;
    has_header?: boolean;
    header_row?: number;
  },
): Promise<ImportPreview> {
  const row = await store.findImport(db, accountId, id);
  if (!row) throw notFound();
  if (row.state !== 'uploaded' || row.file_key === null)
    throw new AppError('import_already_started');
  return present(row, await buildRowPreview(db, row, formatSettings));
}

/** Computes the preview of a stored file, for display and for the start of the import. */
export async function buildRowPreview(
  db: Reader,
  row: store.ImportRow,
  formatSettings: {
    encoding?: FileEncoding | undefined;
    delimiter?: Delimiter | undefined;
    has_header?: boolean | undefined;
    header_row?: number | undefined;
  },
): Promise<FilePreview> {
  const fileFacts = row.detected as FileProperties;
  const stream = await files.get(row.file_key ?? '');
  if (stream === undefined) throw new AppError('file_missing');
  const sample = new ByteSample();
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    sample.add(chunk);
    if (sample.isFull) break;
  }
  stream.destroy();
  const beginning = sample.bytes();
  const blocks = await readBlocks(row.file_key ?? '', fileFacts.size, beginning.length);
  return readSample(
    db,
    row.account_id,
    { beginning, blocks },
    {
      encoding: formatSettings.encoding ?? fileFacts.encoding,
      delimiter: formatSettings.delimiter,
      hasHeader: formatSettings.has_header,
      headerRow: formatSettings.header_row,
      fileName: row.file_name ?? '',
    },
  );
}

/** Reads blocks spread over the whole stored file; together they are as long as the sample. */
function readBlocks(key: string, size: number, sampledBytes: number): Promise<Buffer[]> {
  return Promise.all(
    planBlocks(size, sampledBytes).map(async (block) => {
      const stream = await files.get(key, block);
      if (stream === undefined) throw new AppError('file_missing');
      return buffer(stream);
    }),
  );
}

async function readSample(
  db: Reader,
  accountId: number,
  { beginning: head, blocks }: { beginning: Buffer; blocks: readonly Buffer[] },
  formatSettings: {
    encoding: FileEncoding;
    delimiter?: Delimiter | undefined;
    hasHeader?: boolean | undefined;
    headerRow?: number | undefined;
    fileName: string;
  },
): Promise<FilePreview> {
  const account = await readAccount(db, accountId);
  const fields = await readFields(db, accountId);
  const settings = {
    ...formatSettings,
    country: account.country ?? undefined,
    fields: fields.map((field) => ({ ...field, id: encodeId('field', field.id) })),
  };
  return buildPreview(head, settings, blocks);
}

/** Estimates the number of rows below the headings. */
export function estimateRowCount(fileFacts: FileProperties, preview: FilePreview): number {
  const previewRows = preview.rows.length;
  return Math.max(
    previewRows,
    fileFacts.lines - Math.max(0, preview.headerRow - 1) - (preview.hasHeader ? 1 : 0),
  );
}

function present(row: store.ImportRow, preview: FilePreview): ImportPreview {
  const id = encodeId('import', row.id);
  return {
    id,
    source: id,
    method: row.method as ImportPreview['method'],
    fileName: row.file_name ?? '',
    tags: (row.detected as { lists?: string[] }).lists ?? [],
    rowCount: row.row_count ?? 0,
    encoding: preview.encoding,
    delimiter: preview.delimiter,
    has_header: preview.hasHeader,
    header_row: preview.hasHeader ? preview.headerRow : 0,
    service: preview.service ?? null,
    file_status: preview.fileStatus ?? null,
    columns: preview.columns.map((column, i) => ({
      column: i,
      title: column.title,
      target: column.target,
      type: column.type,
      is_own: column.isOwn,
      is_opt_out: column.isOptOut,
      is_filled: column.isFilled,
      date_order: column.dateOrder,
      decimal_mark: column.decimalMark,
    })),
    rows: preview.rows,
  };
}

/** Collects the beginning of a file as it passes. */
class ByteSample {
  private readonly chunks: Buffer[] = [];
  private length = 0;
  private lineBreakCount = 0;

  get isFull(): boolean {
    return this.length >= SAMPLE_BYTES || this.lineBreakCount >= MAX_SAMPLE_BREAKS;
  }

  add(chunk: Buffer): void {
    if (this.isFull) return;
    const portion = chunk.subarray(0, this.findSampleEnd(chunk));
    this.chunks.push(Buffer.from(portion));
    this.length += portion.length;
  }

  bytes(): Buffer {
    return Buffer.concat(this.chunks);
  }

  /** End of the sample within the chunk: after whole UTF-16 characters. */
  private findSampleEnd(chunk: Buffer): number {
    const end = Math.min(chunk.length, SAMPLE_BYTES - this.length);
    for (let i = 0; i < end; i++) {
      if (chunk[i] !== 10 && chunk[i] !== 13) continue;
      this.lineBreakCount += 1;
      if (this.lineBreakCount >= MAX_SAMPLE_BREAKS)
        return Math.min(end, i + 1 + ((this.length + i + 1) % 2));
    }
    return end;
  }
}

async function* observeBytes(
  bytes: AsyncIterable<Buffer>,
  observer: EncodingObserver,
  sample: ByteSample,
): AsyncGenerator<Buffer> {
  for await (const chunk of bytes) {
    observer.write(chunk);
    sample.add(chunk);
    yield chunk;
  }
}
