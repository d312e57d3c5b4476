// Lists that a service packs into one ZIP, each of another kind of people: they become one CSV, with the columns
// of all, and what each file's name says of its people beside them.
import { ZipError, type ZipEntry, ZipFile } from '#platform/server/zip.ts';
import {
  type FileStatus,
  maxColumns,
  maxUnpackedMegabytes,
  maxUnpackRatio,
  zippedListsMost,
} from '../../limits.ts';
import { foldTitle, targetOfTitle } from '../column-titles.ts';
import { exportOf, statusOfName } from '../export-services.ts';
import { detectDelimiter } from './delimiter.ts';
import { createDecoder, EncodingObserver } from './encoding.ts';
import { rowBatches, type TextFormat } from './row-batches.ts';
import { type RawRow, RowScanner } from './rows.ts';

const megabyte = 1024 * 1024;
const sampleBytes = 128 * 1024;
/** Told to the same reader as any file: words of `parseStatus`. */
const STATUS = 'Status';
const LIST_NAME = /\.(?:csv|txt|tsv)$/i;

interface ZippedList {
  entry: ZipEntry;
  format: TextFormat;
  header: string[];
  /** Where its addresses stand. */
  address: number;
  headerRow: number;
  status: FileStatus | undefined;
  isKnown: boolean;
}

/** Whether the archive at `path` is a workbook rather than a bundle of lists. */
export async function isWorkbook(path: string): Promise<boolean> {
  const zip = await ZipFile.open(path, limits);
  try {
    const lists = [...zip.entries.keys()].some((name) => LIST_NAME.test(name));
    return zip.entries.has('xl/workbook.xml') || !lists;
  } finally {
    await zip.close();
  }
}

/** Each list is read twice: how it is written, then its rows. */
const limits = { unpacked: 2 * maxUnpackedMegabytes * megabyte, ratio: maxUnpackRatio };

/**
 * The lists of the archive as CSV text with commas; whoever left or bounced comes first, so that the row that
 * counts of a repeated address is that one. Nothing where no file in it has an address column.
 * @throws ZipError `damaged`, `encrypted`, `too_large`
 */
export async function* zippedLists(path: string): AsyncGenerator<string> {
  const zip = await ZipFile.open(path, limits);
  try {
    const lists = await listsOf(zip);
    const titles = titlesOf(lists);
    if (titles.length > 0) yield lineOf(titles);
    for (const list of lists) yield* linesOf(zip, list, titles);
  } finally {
    await zip.close();
  }
}

async function listsOf(zip: ZipFile): Promise<ZippedList[]> {
  const names = [...zip.entries].filter(
    ([name]) => LIST_NAME.test(name) && !/(?:^|\/)(?:__MACOSX\/|\.)/.test(name),
  );
  if (names.length > zippedListsMost) throw new ZipError('too_large', `${names.length} lists`);
  const all: ZippedList[] = [];
  for (const [name, entry] of names) {
    const list = await lookAt(zip, name, entry);
    if (list !== undefined) all.push(list);
  }
  // An export of a whole account holds reports beside the lists: they name addresses too. Whom a file's name says
  // to have left is never left out, however few columns tell of them.
  const known = all.some((list) => list.isKnown);
  const lists = known ? all.filter((list) => list.isKnown || list.status !== undefined) : all;
  // Whatever each calls them, addresses stand in one column.
  const naming = lists.find((list) => list.isKnown) ?? lists[0];
  for (const list of lists) list.header[list.address] = naming?.header[naming.address] ?? '';
  return lists.toSorted((a, b) => Number(b.status !== undefined) - Number(a.status !== undefined));
}

/** Nothing where it has no heading over addresses. */
async function lookAt(
  zip: ZipFile,
  name: string,
  entry: ZipEntry,
): Promise<ZippedList | undefined> {
  const observer = new EncodingObserver();
  const head: Buffer[] = [];
  let size = 0;
  for await (const chunk of zip.read(entry)) {
    observer.write(chunk);
    if (size < sampleBytes) head.push(Buffer.from(chunk));
    size += chunk.length;
  }
  if (size === 0) return undefined;
  const { encoding } = observer.finish();
  const text = createDecoder(encoding).write(Buffer.concat(head));
  const delimiter = detectDelimiter(text);
  const first = firstRow(text, delimiter);
  const header = (first?.cells ?? []).map((cell) => cell.trim());
  const known = exportOf(header, name);
  const address = header.findIndex(
    (title) => targetOfTitle(title) === 'email' || known?.targets.get(foldTitle(title)) === 'email',
  );
  if (first === undefined || address === -1) return undefined;
  return {
    entry,
    format: { encoding, delimiter },
    header,
    address,
    headerRow: first.number,
    status: known?.fileStatus ?? statusOfName(name),
    isKnown: known !== undefined,
  };
}

function firstRow(text: string, delimiter: string): RawRow | undefined {
  let first: RawRow | undefined;
  const scanner = new RowScanner(delimiter, (row) => {
    if (row.bad === undefined && row.cells.some((cell) => cell.trim() !== '')) first ??= row;
  });
  scanner.write(text);
  scanner.end();
  return first;
}

/** The headings of all, each once, and one of what the files say where any of them says something. */
function titlesOf(lists: readonly ZippedList[]): string[] {
  const titles = new Map<string, string>();
  for (const { header } of lists)
    for (const title of header)
      if (title !== '' && !titles.has(foldTitle(title))) titles.set(foldTitle(title), title);
  if (lists.every((list) => list.status === undefined))
    return [...titles.values()].slice(0, maxColumns);
  titles.delete(foldTitle(STATUS));
  // Of too many columns others are lost, never who has left.
  return [...[...titles.values()].slice(0, maxColumns - 1), STATUS];
}

async function* linesOf(
  zip: ZipFile,
  list: ZippedList,
  titles: readonly string[],
): AsyncGenerator<string> {
  const places = titles.map((title) =>
    list.header.findIndex((one) => foldTitle(one) === foldTitle(title)),
  );
  const status = list.status === undefined ? -1 : titles.indexOf(STATUS);
  for await (const batch of rowBatches(zip.read(list.entry), list.format)) {
    const lines = batch
      .filter((row) => row.number > list.headerRow)
      .map((row) => {
        const cells = places.map((place) => (place === -1 ? '' : (row.cells[place] ?? '')));
        // A row that cannot be read arrives with its beginning alone, and is told of as one without address.
        if (row.bad !== undefined) cells[0] = row.cells[0] ?? '';
        if (status !== -1) cells[status] ||= list.status ?? '';
        return lineOf(cells);
      });
    if (lines.length > 0) yield lines.join('');
  }
}

function lineOf(cells: readonly string[]): string {
  return `${cells.map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(',')}\n`;
}
