// What a person sees of a file before it is imported: its first rows, and how it will be read.
import {
  type DateOrder,
  type DecimalMark,
  type Delimiter,
  type Encoding,
  type ExportService,
  type FileStatus,
  maxColumns,
  type NewFieldType,
  previewRows,
} from '../limits.ts';
import { foldTitle } from './column-titles.ts';
import { exportOf, type KnownExport, statusOfName } from './export-services.ts';
import { guessColumns, type KnownField, looksLikeAddress } from './guess-columns.ts';
import { dateOrderOf } from './reading/dates.ts';
import { detectDelimiter, separatorOf } from './reading/delimiter.ts';
import { createDecoder } from './reading/encoding.ts';
import { decimalMarkOf } from './reading/numbers.ts';
import { type RawRow, RowScanner } from './reading/rows.ts';

export interface PreviewColumn {
  /** Empty where the file has no heading for it; the second of two equal headings is told apart. */
  title: string;
  target: string;
  type: NewFieldType;
  /** What the service that the file comes from keeps for itself. */
  isOwn: boolean;
  /** Whether any of the rows looked at has a value of it. */
  isFilled: boolean;
  dateOrder: DateOrder;
  decimalMark: DecimalMark;
  /** It tells the service's lists by their numbers. */
  isNumbered: boolean;
  /** Its title and values say who may be written to. */
  isOptOut: boolean;
  /** Its 'no' is an opt-out. */
  noMeansLeft: boolean;
}

export interface Preview {
  encoding: Encoding;
  delimiter: Delimiter;
  hasHeader: boolean;
  /** The row of the headings, 0 where there is none. */
  headerRow: number;
  columns: PreviewColumn[];
  /** Whose export it is, where its headings tell. */
  service: ExportService | undefined;
  /** What the file as a whole says of everybody in it, where no column tells it. */
  fileStatus: FileStatus | undefined;
  /** Numbers are written with their country and without a plus. */
  hasBarePhones: boolean;
  /** The first rows below the headings. */
  rows: string[][];
}

export interface PreviewSettings {
  encoding: Encoding;
  /** Detected where it is not given. */
  delimiter?: Delimiter | undefined;
  hasHeader?: boolean | undefined;
  fields: readonly KnownField[];
  country: string | undefined;
  /** Services name files after whom they hold. */
  fileName?: string | undefined;
}

const rowsLookedAt = 500;
/** Countries where 03/04 is 4 March; everywhere else it is 3 April. */
const monthFirstCountries = new Set(['US', 'PH', 'FM', 'MH', 'PW', 'BZ']);

/** Reads the beginning of a file (`sampleBytes` of it, at a byte that may stand within a row). */
export function previewOf(sample: Buffer, settings: PreviewSettings): Preview {
  const decoder = createDecoder(settings.encoding);
  const text = decoder.write(sample) + decoder.end();
  const delimiter = settings.delimiter ?? detectDelimiter(text);
  const all = firstRows(text, delimiter);
  const named = all[0] !== undefined && separatorOf(all[0].cells.join(delimiter)) !== undefined;
  const rows = named ? all.slice(1) : all;
  const first = rows[0];
  const hasHeader = first !== undefined && (settings.hasHeader ?? isHeader(rows, settings.country));
  const header = hasHeader ? first.cells.map((cell) => cell.trim()) : [];
  const body = (hasHeader ? rows.slice(1) : rows).map((row) => row.cells);
  const width = Math.min(maxColumns, hasHeader ? lastNamed(header, body) : widthOf(body));
  const known = exportOf(header, settings.fileName);
  const columns = describe(header.slice(0, width), body, width, { ...settings, delimiter }, known);
  const tellsStatus = columns.some(({ target }) => target === 'email_status');
  return {
    encoding: settings.encoding,
    delimiter,
    hasHeader,
    headerRow: hasHeader ? first.number : named ? 1 : 0,
    columns,
    service: known?.service,
    fileStatus: tellsStatus
      ? undefined
      : (known?.fileStatus ?? statusOfName(settings.fileName ?? '')),
    hasBarePhones: known?.hasBarePhones ?? false,
    rows: body
      .slice(0, previewRows)
      .map((cells) => cells.slice(0, width).map((cell) => cell.slice(0, 200))),
  };
}

export const sampleBytes = 512 * 1024;

function firstRows(text: string, delimiter: Delimiter): RawRow[] {
  const rows: RawRow[] = [];
  const scanner = new RowScanner(delimiter, (row) => {
    if (rows.length < rowsLookedAt && row.bad === undefined) rows.push(row);
  });
  scanner.write(text);
  scanner.end();
  return rows.filter((row) => row.cells.some((cell) => cell.trim() !== ''));
}

/** Headings hold no address; without other rows, a single row of words counts as headings. */
function isHeader(rows: readonly RawRow[], country: string | undefined): boolean {
  return !(rows[0]?.cells ?? []).some((cell) => looksLikeAddress(cell, country));
}

function widthOf(body: readonly string[][]): number {
  return body.reduce((width, cells) => Math.max(width, cells.length), 0);
}

/** Spreadsheets write empty columns at the end: those with neither a heading nor a value do not count. */
function lastNamed(header: readonly string[], body: readonly string[][]): number {
  let width = header.length;
  while (width > 0 && header[width - 1] === '' && body.every((cells) => !cells[width - 1]?.trim()))
    width -= 1;
  return width;
}

function describe(
  header: readonly string[],
  body: readonly string[][],
  width: number,
  settings: PreviewSettings,
  known: KnownExport | undefined,
): PreviewColumn[] {
  const narrow = body.map((cells) => cells.slice(0, width));
  const guesses = guessColumns(header, narrow, settings.fields, settings.country, known);
  const titles = distinct(header);
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
      dateOrder: dateOrderOf(values) ?? known?.dateOrder ?? defaultDateOrder(settings.country),
      decimalMark: decimalMarkOf(values) ?? (settings.delimiter === ';' ? ',' : '.'),
      isNumbered: known?.numbered.has(foldTitle(header[i] ?? '')) ?? false,
    };
  });
}

export function defaultDateOrder(country: string | undefined): DateOrder {
  return monthFirstCountries.has(country ?? '') ? 'month-first' : 'day-first';
}

/** Email, Email → Email, Email (2). */
function distinct(header: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return header.map((title) => {
    if (title === '') return '';
    const key = foldTitle(title) || title;
    const count = (seen.get(key) ?? 0) + 1;
    seen.set(key, count);
    return count === 1 ? title.slice(0, 200) : `${title.slice(0, 200)} (${count})`;
  });
}
