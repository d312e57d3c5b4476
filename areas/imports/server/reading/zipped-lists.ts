// Merges the lists of a ZIP file, as some services export them, into one CSV with the columns of
// all lists. The lists are text files or workbooks, often one for each status. If the file name or
// headings of a list indicate a status, this status is added to its rows in a column of the CSV.
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type ZipEntry, ZipError, ZipFile } from '#platform/server/files/zip.ts';
import {
  type FileStatus,
  MAX_COLUMNS,
  MAX_FILE_MEGABYTES,
  MAX_UNPACK_RATIO,
  MAX_UNPACKED_MEGABYTES,
  MAX_ZIPPED_LISTS,
} from '../../shared.ts';
import { findTargetByTitle, foldTitle } from '../column-titles.ts';
import { detectExport, detectStatusByName } from '../export-services.ts';
import { detectDelimiter } from './delimiter.ts';
import { createDecoder, EncodingObserver } from './encoding.ts';
import { readRowBatches, type TextFormat } from './row-batches.ts';
import { type RawRow, RowScanner } from './rows.ts';
import {
  createWorkbookBudget,
  detectFileKind,
  readWorkbookText,
  type WorkbookBudget,
} from './workbook.ts';

const MEGABYTE = 1024 * 1024;
const SAMPLE_BYTES = 128 * 1024;
/** The heading of the added column. Its values are statuses that `parseStatus` knows. */
const STATUS = 'Status';
const LIST_NAME = /\.(?:csv|txt|tsv|xlsx)$/i;
const BOOK_NAME = /\.xlsx$/i;

interface ZippedList {
  /** Reads the list from its start: the bytes of a text file, or a workbook as CSV in UTF-8. */
  read: (budget: WorkbookBudget) => AsyncIterable<Buffer>;
  format: TextFormat;
  header: string[];
  /** Index of the address column. */
  addressColumn: number;
  headerRow: number;
  status: FileStatus | undefined;
  isKnown: boolean;
}

/** Returns whether the archive at `path` is a workbook, a bundle of lists, or neither. */
export async function detectArchiveKind(path: string): Promise<'workbook' | 'lists' | 'other'> {
  const zip = await ZipFile.open(path, limits);
  try {
    if (zip.entries.has('xl/workbook.xml')) return 'workbook';
    if ([...zip.entries.keys()].some((name) => LIST_NAME.test(name))) return 'lists';
    return zip.entries.has('[Content_Types].xml') ? 'workbook' : 'other';
  } finally {
    await zip.close();
  }
}

/**
 * The limit on unpacked bytes is doubled because each text file is read twice: once to detect its
 * format, then for its rows.
 */
const limits = {
  maxUnpackedBytes: 2 * MAX_UNPACKED_MEGABYTES * MEGABYTE,
  maxRatio: MAX_UNPACK_RATIO,
};

/**
 * The lists of the archive as CSV text with commas. Lists with a status, such as unsubscribed, come
 * first, because the first row of a repeated address counts. Yields nothing if no file has an
 * address column.
 * @throws ZipError (`damaged`, `encrypted` or `too_large`) or PackedBookError
 */
export async function* readZippedLists(path: string): AsyncGenerator<string> {
  const zip = await ZipFile.open(path, limits);
  const books = new PackedBooks(path);
  try {
    const lists = await readLists(zip, books);
    const titles = collectTitles(lists);
    if (titles.length > 0) yield formatLine(titles);
    const budget = createWorkbookBudget();
    for (const list of lists) yield* formatLines(list, titles, budget);
  } finally {
    await zip.close();
    await books.remove();
  }
}

async function readLists(zip: ZipFile, books: PackedBooks): Promise<ZippedList[]> {
  const names = [...zip.entries].filter(
    ([name]) => LIST_NAME.test(name) && !/(?:^|\/)(?:__MACOSX\/|\.|~\$)/.test(name),
  );
  if (names.length > MAX_ZIPPED_LISTS) throw new ZipError('too_large', `${names.length} lists`);
  const allLists: ZippedList[] = [];
  for (const [name, entry] of names) {
    const isBook = BOOK_NAME.test(name);
    const source = isBook ? await books.openBook(zip, entry) : await openText(zip, entry);
    const list = source && readListHeader(name, source);
    if (list !== undefined) allLists.push(list);
  }
  // The export of a whole account also contains reports with addresses. Therefore, if any file is
  // recognized as a service's list, unrecognized files are skipped. Files with a status are kept
  // even if they have too few columns to be recognized.
  const hasKnownList = allLists.some((list) => list.isKnown);
  const lists = hasKnownList
    ? allLists.filter((list) => list.isKnown || list.status !== undefined)
    : allLists;
  // The addresses of all lists are written to one column, regardless of its heading in each list.
  const naming = lists.find((list) => list.isKnown) ?? lists[0];
  for (const list of lists)
    list.header[list.addressColumn] = naming?.header[naming.addressColumn] ?? '';
  return lists.toSorted((a, b) => Number(b.status !== undefined) - Number(a.status !== undefined));
}

/** One file of the archive: how to read it, and the beginning of its text. */
interface ListSource {
  read: ZippedList['read'];
  format: TextFormat;
  text: string;
}

/**
 * Opens an entry as a text file and detects the encoding from all of it; undefined if it is empty.
 */
async function openText(zip: ZipFile, entry: ZipEntry): Promise<ListSource | undefined> {
  const observer = new EncodingObserver();
  const head: Buffer[] = [];
  let size = 0;
  for await (const chunk of zip.read(entry)) {
    observer.write(chunk);
    if (size < SAMPLE_BYTES) head.push(Buffer.from(chunk));
    size += chunk.length;
  }
  if (size === 0) return undefined;
  const { encoding } = observer.finish();
  const text = createDecoder(encoding).write(Buffer.concat(head));
  return {
    read: () => zip.read(entry),
    format: { encoding, delimiter: detectDelimiter(text) },
    text,
  };
}

/** Workbooks inside the archive, unpacked to temporary files until `remove` is called. */
class PackedBooks {
  private readonly archivePath: string;
  private readonly paths: string[] = [];
  /**
   * Bytes left for the temporary files of further workbooks. Workbooks are compressed files, so they
   * are hardly larger outside the archive than in it. Together they therefore fit into the default
   * maximum size of an upload. An archive whose workbooks exceed it is refused as a ZIP bomb.
   */
  private remainingBytes = MAX_FILE_MEGABYTES * MEGABYTE;
  /** The limits for reading the beginnings of all workbooks. */
  private readonly beginningsBudget = createWorkbookBudget();

  constructor(archive: string) {
    this.archivePath = archive;
  }

  /** Opens an entry as a workbook; undefined if its content is not a workbook. */
  async openBook(zip: ZipFile, entry: ZipEntry): Promise<ListSource | undefined> {
    const path = `${this.archivePath}.${this.paths.length}`;
    this.paths.push(path);
    const chunks: Buffer[] = [];
    await pipeline(
      Readable.from(this.limitBytes(zip.read(entry), chunks)),
      createWriteStream(path),
    );
    const kind = detectFileKind(Buffer.concat(chunks));
    if (kind === 'old_workbook') throw new PackedBookError('old_workbook');
    if (kind !== 'workbook') return undefined;
    const readBook = (budget: WorkbookBudget) => readBookBytes(path, budget);
    let text = '';
    for await (const chunk of readBook(this.beginningsBudget)) {
      text += chunk.toString();
      if (text.length >= SAMPLE_BYTES) break;
    }
    return { read: readBook, format: { encoding: 'utf-8', delimiter: ',' }, text };
  }

  async remove(): Promise<void> {
    for (const path of this.paths) await rm(path, { force: true });
  }

  private async *limitBytes(bytes: AsyncIterable<Buffer>, head: Buffer[]): AsyncGenerator<Buffer> {
    for await (const chunk of bytes) {
      if (head.length === 0) head.push(Buffer.from(chunk.subarray(0, 8)));
      this.remainingBytes -= chunk.length;
      if (this.remainingBytes < 0) throw new ZipError('too_large', 'workbooks in the archive');
      yield chunk;
    }
  }
}

/**
 * A workbook inside the archive is unreadable. The user gets the same error code as for a workbook
 * that is uploaded on its own.
 */
export class PackedBookError extends Error {
  readonly code: 'old_workbook' | 'workbook_damaged' | 'workbook_encrypted';
  constructor(code: PackedBookError['code']) {
    super(code);
    this.code = code;
  }
}

async function* readBookBytes(path: string, budget: WorkbookBudget): AsyncGenerator<Buffer> {
  try {
    for await (const lines of readWorkbookText(path, budget)) yield Buffer.from(lines);
  } catch (error) {
    if (error instanceof ZipError && error.code !== 'too_large')
      throw new PackedBookError(`workbook_${error.code}`);
    throw error;
  }
}

/** Reads the headings of a list; undefined if it has no address column. */
function readListHeader(
  name: string,
  { read: readBook, format, text }: ListSource,
): ZippedList | undefined {
  const headerRow = findFirstRow(text, format.delimiter);
  const header = (headerRow?.cells ?? []).map((cell) => cell.trim());
  const knownExport = detectExport(header, name);
  const address = header.findIndex(
    (title) =>
      findTargetByTitle(title) === 'email' ||
      knownExport?.targets.get(foldTitle(title)) === 'email',
  );
  if (headerRow === undefined || address === -1) return undefined;
  return {
    read: readBook,
    format,
    header,
    addressColumn: address,
    headerRow: headerRow.number,
    status: knownExport?.fileStatus ?? detectStatusByName(name),
    isKnown: knownExport !== undefined,
  };
}

function findFirstRow(text: string, delimiter: string): RawRow | undefined {
  let firstDataRow: RawRow | undefined;
  const scanner = new RowScanner(delimiter, (row) => {
    if (row.problem === undefined && row.cells.some((cell) => cell.trim() !== ''))
      firstDataRow ??= row;
  });
  scanner.write(text);
  scanner.end();
  return firstDataRow;
}

/** Returns the headings of all lists, each once, plus a status column if any list has a status. */
function collectTitles(lists: readonly ZippedList[]): string[] {
  const titles = new Map<string, string>();
  for (const { header } of lists)
    for (const title of header)
      if (title !== '' && !titles.has(foldTitle(title))) titles.set(foldTitle(title), title);
  if (lists.every((list) => list.status === undefined))
    return [...titles.values()].slice(0, MAX_COLUMNS);
  titles.delete(foldTitle(STATUS));
  // If there are too many columns, the last ones are dropped, but never the status.
  return [...[...titles.values()].slice(0, MAX_COLUMNS - 1), STATUS];
}

async function* formatLines(
  list: ZippedList,
  titles: readonly string[],
  budget: WorkbookBudget,
): AsyncGenerator<string> {
  const columnIndexes = titles.map((title) =>
    list.header.findIndex((name) => foldTitle(name) === foldTitle(title)),
  );
  const status = list.status === undefined ? -1 : titles.indexOf(STATUS);
  for await (const batch of readRowBatches(list.read(budget), list.format)) {
    const lines = batch
      .filter((row) => row.number > list.headerRow)
      .map((row) => {
        const cells = columnIndexes.map((columnIndex) =>
          columnIndex === -1 ? '' : (row.cells[columnIndex] ?? ''),
        );
        // Only the beginning of an unreadable row is known; the import reports it as a row without
        // a valid address.
        if (row.problem !== undefined) cells[0] = row.cells[0] ?? '';
        if (status !== -1) cells[status] ||= list.status ?? '';
        return formatLine(cells);
      });
    if (lines.length > 0) yield lines.join('');
  }
}

function formatLine(cells: readonly string[]): string {
  return `${cells.map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',')}\n`;
}
