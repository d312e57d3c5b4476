// The preview of a file before its import: its first rows, and how it will be read.
import {
  type DateOrder,
  type DecimalMark,
  type Delimiter,
  type ExportService,
  type FileEncoding,
  type FileStatus,
  MAX_COLUMNS,
  type NewFieldType,
  PREVIEW_ROWS,
} from '../shared.ts';
import { findTargetByTitle, foldTitle } from './column-titles.ts';
import { detectExport, detectStatusByName, type KnownExport } from './export-services.ts';
import { guessColumns, isAddress, isLikelyAddress, type KnownField } from './guess-columns.ts';
import { detectDateOrder } from './reading/dates.ts';
import { detectDelimiter, readSeparatorLine } from './reading/delimiter.ts';
import { createDecoder } from './reading/encoding.ts';
import { detectDecimalMark } from './reading/numbers.ts';
import { type RawRow, RowScanner } from './reading/rows.ts';
import { EvenRows, readBlockRows } from './sample-rows.ts';

export interface PreviewColumn {
  /** Empty without a heading; the second of two identical headings gets a number. */
  title: string;
  target: string;
  type: NewFieldType;
  /** Whether the column has internal data of the exporting service. */
  isOwn: boolean;
  /** Whether any of the sampled rows has a value. */
  isFilled: boolean;
  dateOrder: DateOrder;
  decimalMark: DecimalMark;
  /** Whether the column identifies lists of the service by number. */
  isNumbered: boolean;
  /** Whether title and values indicate consent or opt-outs. */
  isOptOut: boolean;
  /** Whether a 'no' is an opt-out. */
  noMeansLeft: boolean;
}

export interface FilePreview {
  encoding: FileEncoding;
  delimiter: Delimiter;
  hasHeader: boolean;
  /**
   * The row of the headings. Without headings, 1 if the first line names the delimiter, otherwise
   * 0.
   */
  headerRow: number;
  columns: PreviewColumn[];
  /** The exporting service, if the headings identify it. */
  service: ExportService | undefined;
  /** The status of all rows, if the file implies one and no column contains it. */
  fileStatus: FileStatus | undefined;
  /** Phone numbers include the country code but no plus. */
  hasBarePhones: boolean;
  /** The first rows below the headings. */
  rows: string[][];
}

export interface PreviewSettings {
  encoding: FileEncoding;
  /** Detected by default. */
  delimiter?: Delimiter | undefined;
  hasHeader?: boolean | undefined;
  /** The chosen row of the headings: rows above it are titles. */
  headerRow?: number | undefined;
  fields: readonly KnownField[];
  country: string | undefined;
  /** May indicate the status of all rows, because services name files after their content. */
  fileName?: string | undefined;
}

const MAX_SAMPLED_ROWS = 500;
/** Countries where 03/04 is 4 March; in all others it is 3 April. */
const MONTH_FIRST_COUNTRIES = new Set(['US', 'PH', 'FM', 'MH', 'PW', 'BZ']);

/**
 * Builds the preview from `sample`, the beginning of a file, which may end within a row. The
 * targets and types of columns are guessed from the first rows and from later rows of the sample
 * or, if the file is longer, of `blocks`, which are spread over the whole file.
 */
export function buildPreview(
  sample: Buffer,
  settings: PreviewSettings,
  blocks: readonly Buffer[] = [],
): FilePreview {
  const decoder = createDecoder(settings.encoding);
  const text = decoder.write(sample) + decoder.end();
  const delimiter = settings.delimiter ?? detectDelimiter(text);
  const { firstRows, furtherCells } = readRows(text, delimiter, settings.encoding, blocks);
  const hasSeparatorLine =
    firstRows[0] !== undefined &&
    readSeparatorLine(firstRows[0].cells.join(delimiter)) !== undefined;
  const rows = hasSeparatorLine ? firstRows.slice(1) : firstRows;
  const headerIndex = findHeaderIndex(rows, settings);
  const headerRow = headerIndex === -1 ? undefined : rows[headerIndex];
  const hasHeader = headerRow !== undefined;
  const header = headerRow?.cells.map((cell) => cell.trim()) ?? [];
  const body = rows.slice(headerIndex + 1).map((row) => row.cells);
  const width = Math.min(MAX_COLUMNS, hasHeader ? findUsedWidth(header, body) : measureWidth(body));
  const knownExport = detectExport(header, settings.fileName);
  const columns = describeColumns(
    header.slice(0, width),
    [...body, ...furtherCells],
    width,
    { ...settings, delimiter },
    knownExport,
  );
  const hasStatusColumn = columns.some(({ target }) => target === 'email_status');
  return {
    encoding: settings.encoding,
    delimiter,
    hasHeader,
    headerRow: headerRow?.number ?? (hasSeparatorLine ? 1 : 0),
    columns,
    service: knownExport?.service,
    fileStatus: hasStatusColumn
      ? undefined
      : (knownExport?.fileStatus ?? detectStatusByName(settings.fileName ?? '')),
    hasBarePhones: knownExport?.hasBarePhones ?? false,
    rows: body
      .slice(0, PREVIEW_ROWS)
      .map((cells) => cells.slice(0, width).map((cell) => cell.slice(0, 200))),
  };
}

/** Returns the first rows, and the cells of rows selected evenly from the rest. */
function readRows(
  text: string,
  delimiter: Delimiter,
  encoding: FileEncoding,
  blocks: readonly Buffer[],
): { firstRows: RawRow[]; furtherCells: string[][] } {
  const rows: RawRow[] = [];
  const laterRows = new EvenRows();
  const scanner = new RowScanner(delimiter, (row) => {
    if (row.problem !== undefined) return;
    if (rows.length < MAX_SAMPLED_ROWS) rows.push(row);
    else if (blocks.length === 0) laterRows.add(row);
  });
  scanner.write(text);
  scanner.end();
  const widths = new Set(rows.map(({ cells }) => cells.length));
  for (const block of blocks)
    readBlockRows(block, encoding, delimiter, (row) => {
      if (row.problem === undefined && widths.has(row.cells.length)) laterRows.add(row);
    });
  const isFilled = (row: RawRow) => row.cells.some((cell) => cell.trim() !== '');
  return {
    firstRows: rows.filter(isFilled),
    furtherCells: laterRows
      .selectRows()
      .filter(isFilled)
      .map(({ cells }) => cells),
  };
}

/** Maximum rows of titles, export dates and merged cells above the headings. */
const MAX_TITLE_ROWS = 8;

/** Returns the index of the row with the headings, -1 without headings. */
function findHeaderIndex(rows: readonly RawRow[], settings: PreviewSettings): number {
  if (settings.hasHeader === false || rows.length === 0) return -1;
  if (settings.headerRow !== undefined) {
    const chosenIndex = rows.findIndex((row) => row.number === settings.headerRow);
    if (chosenIndex !== -1) return chosenIndex;
  }
  const firstAddressRow = rows
    .slice(0, MAX_TITLE_ROWS + 1)
    .findIndex((row) => row.cells.some((cell) => isAddress(cell, settings.country)));
  const rowsAbove = rows.slice(0, firstAddressRow === -1 ? MAX_TITLE_ROWS : firstAddressRow);
  const headingCounts = rowsAbove.map(({ cells }) => countHeadings(cells));
  const highest = Math.max(0, ...headingCounts);
  if (highest > 0) return headingCounts.indexOf(highest);
  const isHeader = settings.hasHeader ?? !hasAddress(rows[0], settings.country);
  return isHeader ? findFirstWideRow(rowsAbove) : -1;
}

function hasAddress(row: RawRow | undefined, country: string | undefined): boolean {
  return (row?.cells ?? []).some((cell) => isLikelyAddress(cell, country));
}

/**
 * Counts the cells that name a target, without long texts; in the headings of a known service, all
 * cells count.
 */
function countHeadings(cells: readonly string[]): number {
  const isHeading = (cell: string) => cell.length <= 100 && findTargetByTitle(cell) !== undefined;
  return detectExport(cells) === undefined ? cells.filter(isHeading).length : cells.length;
}

/**
 * Returns the index of the row with the headings if none of them is known. If the first row has at
 * most one cell and another row has three or more, the first row is a title, and the row with the
 * most cells has the headings.
 */
function findFirstWideRow(rowsAbove: readonly RawRow[]): number {
  const widths = rowsAbove.map(({ cells }) => cells.filter((cell) => cell.trim() !== '').length);
  const widest = Math.max(0, ...widths);
  const [firstWidth = 0] = widths;
  if (firstWidth > 1 || widest < 3) return 0;
  return widths.indexOf(widest);
}

function measureWidth(body: readonly string[][]): number {
  return body.reduce((width, cells) => Math.max(width, cells.length), 0);
}

/** Spreadsheets write empty columns at the end: columns without heading and values are ignored. */
function findUsedWidth(header: readonly string[], body: readonly string[][]): number {
  let width = header.length;
  while (width > 0 && header[width - 1] === '' && body.every((cells) => !cells[width - 1]?.trim()))
    width -= 1;
  return width;
}

function describeColumns(
  header: readonly string[],
  body: readonly string[][],
  width: number,
  settings: PreviewSettings,
  knownExport: KnownExport | undefined,
): PreviewColumn[] {
  const narrow = body.map((cells) => cells.slice(0, width));
  const guesses = guessColumns(header, narrow, settings.fields, settings.country, knownExport);
  const titles = numberRepeatedTitles(header);
  return Array.from({ length: width }, (_, i) => {
    const values = narrow.flatMap((cells) => (cells[i]?.trim() ? [cells[i] as string] : []));
    const guess = guesses[i];
    return {
      title: titles[i] ?? '',
      target: guess?.target ?? 'skip',
      type: guess?.type ?? 'text',
      isOwn: guess?.isOwn ?? false,
      isOptOut: guess?.isOptOut ?? false,
      noMeansLeft: guess?.noMeansLeft ?? false,
      isFilled: values.length > 0,
      dateOrder:
        detectDateOrder(values) ?? getUsualOrder(guess?.type, knownExport, settings.country),
      decimalMark: detectDecimalMark(values) ?? (settings.delimiter === ';' ? ',' : '.'),
      isNumbered: knownExport?.listIdHeadings.has(foldTitle(header[i] ?? '')) ?? false,
    };
  });
}

/** Mailchimp exports birthdays as MM/DD, unless a list uses the other order. */
function getUsualOrder(
  type: NewFieldType | undefined,
  knownExport: KnownExport | undefined,
  country: string | undefined,
): DateOrder {
  if (type === 'birthday' && knownExport?.service === 'mailchimp') return 'month-first';
  return knownExport?.dateOrder ?? getDefaultDateOrder(country);
}

export function getDefaultDateOrder(country: string | undefined): DateOrder {
  return MONTH_FIRST_COUNTRIES.has(country ?? '') ? 'month-first' : 'day-first';
}

/** Numbers repeated titles: Email, Email → Email, Email (2). */
function numberRepeatedTitles(header: readonly string[]): string[] {
  const titleCounts = new Map<string, number>();
  return header.map((title) => {
    if (title === '') return '';
    const key = foldTitle(title) || title;
    const count = (titleCounts.get(key) ?? 0) + 1;
    titleCounts.set(key, count);
    return count === 1 ? title.slice(0, 200) : `${title.slice(0, 200)} (${count})`;
  });
}
