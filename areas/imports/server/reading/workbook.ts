// Converts an XLSX workbook's sheet of contacts to CSV text, as a stream.
import { StringDecoder } from 'node:string_decoder';
import { ZipError, ZipFile } from '#platform/server/files/zip.ts';
import {
  MAX_COLUMNS,
  MAX_ROW_LENGTH,
  MAX_SHARED_TEXT_MEGABYTES,
  MAX_UNPACK_RATIO,
  MAX_UNPACKED_MEGABYTES,
} from '../../shared.ts';
import { SharedTexts } from './shared-texts.ts';
import { SheetReader } from './sheet.ts';
import { readCellFormats } from './styles.ts';
import { readAttribute, XmlError, type XmlHandler, XmlReader } from './xml.ts';

export { ZipError } from '#platform/server/files/zip.ts';

const MEGABYTE = 1024 * 1024;

/** Remaining budget of unpacked bytes and output text. Several workbooks may share it. */
export interface WorkbookBudget {
  unpacked: number;
  text: number;
}

export const createWorkbookBudget = (): WorkbookBudget => ({
  unpacked: MAX_UNPACKED_MEGABYTES * MEGABYTE,
  text: MAX_UNPACKED_MEGABYTES * MEGABYTE,
});

/**
 * Returns the rows of the workbook at `path` as CSV text with commas, one line per row of the
 * sheet, so that row numbers match the spreadsheet. If there are several sheets, the one with the
 * most addresses at its start is read; on a tie, the one open when the workbook was saved, or else
 * the first. Dates are in the form `YYYY-MM-DD HH:MM:SS`. Numbers are as stored, or as displayed if
 * their format adds zeros or characters. Formulas are replaced by their last result. Memory is
 * bounded: rows are streamed, shared strings are packed in buffers, and the unpacked size, its
 * ratio to the packed size, and the output are limited. The output has its own limit because a
 * million cells may use one shared string. 100,000 rows of 8 columns take 0.8 s and 21 MB;
 * read-excel-file, which holds the whole sheet, takes 2.4 s and 300 MB.
 * @throws ZipError `damaged`, `encrypted`, `too_large`
 */
export async function* readWorkbookText(
  path: string,
  budget: WorkbookBudget = createWorkbookBudget(),
): AsyncGenerator<string> {
  const zip = await ZipFile.open(path, {
    maxUnpackedBytes: budget.unpacked,
    maxRatio: MAX_UNPACK_RATIO,
  });
  try {
    const book = await readBook(zip);
    const sharedTexts = new SharedTexts(MAX_SHARED_TEXT_MEGABYTES * MEGABYTE);
    if (zip.entries.has(book.sharedTexts)) await parse(zip, book.sharedTexts, sharedTexts);
    const styles = await readCellFormats(zip, book.styles, parse);
    const options = {
      texts: sharedTexts,
      styles,
      date1904: book.date1904,
      maxColumns: MAX_COLUMNS,
      maxRowLength: MAX_ROW_LENGTH,
    };
    const sheet = new SheetReader(options);
    const sheetPath = await findContactSheet(zip, book.sheets, options);
    for await (const chunk of sliceText(readText(zip, sheetPath))) {
      sheet.xml.write(chunk);
      const lines = sheet.takeLines();
      budget.text -= lines.length;
      if (budget.text < 0) throw new ZipError('too_large', 'text of the sheet');
      if (lines !== '') yield lines;
    }
  } catch (error) {
    if (error instanceof XmlError) throw new ZipError('damaged', error.message);
    throw error;
  } finally {
    budget.unpacked -= zip.unpackedBytes;
    await zip.close();
  }
}

/** The first bytes of images, PDFs, archives and programs that are chosen by mistake. */
const NON_LIST_SIGNATURES = [
  '89504e47',
  'ffd8ff',
  '47494638',
  '25504446',
  '1f8b08',
  '377abcaf',
  '52617221',
  '7f454c46',
  '4d5a90',
];

/**
 * Returns the kind of a file by its first bytes: a zip archive (XLSX), an older or encrypted
 * workbook, a file without a list, otherwise text.
 */
export function detectFileKind(head: Buffer): 'workbook' | 'old_workbook' | 'no_list' | 'text' {
  const start = head.subarray(0, 4).toString('hex');
  if (start === '504b0304') return 'workbook';
  if (start === 'd0cf11e0') return 'old_workbook';
  return NON_LIST_SIGNATURES.some((mark) => start.startsWith(mark)) ? 'no_list' : 'text';
}

interface Book {
  /**
   * Lists visible sheets with cells, the open one first; hidden ones only if there are no others.
   */
  sheets: string[];
  sharedTexts: string;
  styles: string;
  date1904: boolean;
}

async function readBook(zip: ZipFile): Promise<Book> {
  const sheets: Array<{ relation: string; isHidden: boolean }> = [];
  let date1904 = false;
  let active = 0;
  await parse(zip, 'xl/workbook.xml', {
    onOpenTag(name, attributes) {
      if (name === 'workbookView') active = Number(readAttribute(attributes, 'activeTab') ?? 0);
      if (name === 'workbookPr') {
        const value = readAttribute(attributes, 'date1904');
        date1904 = value === '1' || value === 'true';
      }
      if (name !== 'sheet') return;
      const state = readAttribute(attributes, 'state');
      const relation = /\s[\w.-]+:id="([^"]*)"/.exec(attributes)?.[1];
      if (relation !== undefined)
        sheets.push({ relation, isHidden: state === 'hidden' || state === 'veryHidden' });
    },
    onCloseTag() {},
    onText() {},
    wantsText: () => false,
  });
  const targets = await readRelations(zip);
  const activeSheet = sheets[active];
  const orderedSheets =
    activeSheet === undefined
      ? sheets
      : [activeSheet, ...sheets.filter((sheet) => sheet !== activeSheet)];
  const worksheets = orderedSheets.filter(({ relation }) => !targets.chartIds.has(relation));
  const visible = worksheets.filter((sheet) => !sheet.isHidden);
  const paths = (visible.length > 0 ? visible : worksheets)
    .slice(0, MAX_SHEETS)
    .flatMap(({ relation }) => targets.pathsById.get(relation) ?? []);
  if (paths.length === 0) throw new ZipError('damaged', 'no sheet');
  return {
    sheets: paths,
    sharedTexts: targets.pathsByType.get('sharedStrings') ?? 'xl/sharedStrings.xml',
    styles: targets.pathsByType.get('styles') ?? 'xl/styles.xml',
    date1904,
  };
}

/** Maximum number of sheets searched for contacts. */
const MAX_SHEETS = 30;
/** Maximum characters to search in each sheet's XML, and in its text. */
const SHEET_START = 256 * 1024;

async function findContactSheet(
  zip: ZipFile,
  paths: readonly string[],
  options: ConstructorParameters<typeof SheetReader>[0],
): Promise<string> {
  const [first = ''] = paths;
  if (paths.length === 1) return first;
  let bestSheet = { path: first, addresses: -1 };
  for (const path of paths) {
    if (!zip.entries.has(path)) continue;
    const addresses = await countAddresses(zip, path, options);
    if (addresses > bestSheet.addresses) bestSheet = { path, addresses };
  }
  return bestSheet.path;
}

const isAddress = (cell: string) => cell.length <= 254 && /^[^\s@]+@[^\s@]+$/.test(cell);

/** Counts the addresses in the first rows of a sheet, except inside sentences. */
async function countAddresses(
  zip: ZipFile,
  path: string,
  options: ConstructorParameters<typeof SheetReader>[0],
): Promise<number> {
  const sheet = new SheetReader(options);
  let addresses = 0;
  let readLength = 0;
  let length = 0;
  for await (const chunk of sliceText(readText(zip, path))) {
    sheet.xml.write(chunk);
    const lines = sheet.takeLines();
    addresses += lines.split(/[,\n"]/).filter(isAddress).length;
    readLength += chunk.length;
    length += lines.length;
    if (readLength >= SHEET_START || length >= SHEET_START) break;
  }
  return addresses;
}

async function readRelations(zip: ZipFile): Promise<{
  pathsById: Map<string, string>;
  pathsByType: Map<string, string>;
  chartIds: Set<string>;
}> {
  const pathsById = new Map<string, string>();
  const pathsByType = new Map<string, string>();
  const chartIds = new Set<string>();
  await parse(zip, 'xl/_rels/workbook.xml.rels', {
    onOpenTag(name, attributes) {
      if (name !== 'Relationship') return;
      const target = readAttribute(attributes, 'Target') ?? '';
      const path = target.startsWith('/') ? target.slice(1) : `xl/${target.replace(/^\.\//, '')}`;
      pathsById.set(readAttribute(attributes, 'Id') ?? '', path);
      const type = (readAttribute(attributes, 'Type') ?? '').split('/').at(-1) ?? '';
      pathsByType.set(type, path);
      if (type === 'chartsheet' || type === 'dialogsheet')
        chartIds.add(readAttribute(attributes, 'Id') ?? '');
    },
    onCloseTag() {},
    onText() {},
    wantsText: () => false,
  });
  return { pathsById, pathsByType, chartIds };
}

async function parse(zip: ZipFile, name: string, handler: XmlHandler): Promise<void> {
  const reader = new XmlReader(handler);
  for await (const chunk of readText(zip, name)) reader.write(chunk);
}

/**
 * Characters of a sheet's XML between two checks of the output size. Forty characters of XML may
 * refer to a shared text of 32,000 characters.
 */
const CHARACTERS_PER_SLICE = 4096;

async function* sliceText(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += CHARACTERS_PER_SLICE)
      yield chunk.slice(at, at + CHARACTERS_PER_SLICE);
  }
}

async function* readText(zip: ZipFile, name: string): AsyncGenerator<string> {
  const entry = zip.entries.get(name);
  if (entry === undefined) throw new ZipError('damaged', `no ${name}`);
  const decoder = new StringDecoder('utf8');
  for await (const chunk of zip.read(entry)) yield decoder.write(chunk);
}
