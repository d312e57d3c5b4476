// A workbook (XLSX, ECMA-376) written row by row: strings are inline in their cells, so nothing is
// buffered.
import type { ExportCell } from './columns.ts';
import type { ArchiveEntry } from './zip.ts';

/**
 * Maximum rows and cells of one sheet. Spreadsheets allow 1,048,576 rows, headings included; with
 * the limit of cells, a sheet stays far under 4 GB.
 */
const ROWS_OF_SHEET = 1_000_000;
const CELLS_OF_SHEET = 20_000_000;

/** Subscribers per sheet: a whole number of parts. */
export function sheetLength(columns: number, partLength: number): number {
  const maxRows = Math.min(ROWS_OF_SHEET, Math.floor(CELLS_OF_SHEET / Math.max(1, columns)));
  return Math.max(partLength, Math.floor(maxRows / partLength) * partLength);
}

/** Renders one row of a sheet. `number` counts from 1. */
export function renderSheetRow(cells: readonly ExportCell[], number: number, style = ''): string {
  let row = `<row r="${number}">`;
  for (let i = 0; i < cells.length; i++)
    row += cellOf(cells[i] as ExportCell, columnName(i) + number, style);
  return `${row}</row>`;
}

function cellOf(cell: ExportCell, cellRef: string, style: string): string {
  if (typeof cell === 'number') return `<c r="${cellRef}"${style}><v>${cell}</v></c>`;
  if (typeof cell === 'object') {
    const serial = serialOf(cell.at);
    return serial === undefined
      ? textCell(cell.at, cellRef, style)
      : `<c r="${cellRef}" s="2"><v>${serial}</v></c>`;
  }
  return cell === '' ? '' : textCell(cell, cellRef, style);
}

const MAX_CELL_LENGTH = 32_767;

function textCell(text: string, cellRef: string, style: string): string {
  return `<c r="${cellRef}"${style} t="inlineStr"><is><t xml:space="preserve">${escapeXml(text.slice(0, MAX_CELL_LENGTH))}</t></is></c>`;
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Escapes a text for XML, without the characters that XML cannot contain. */
function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
    .replace(/[&<>]/g, (character) => entities[character] as string);
}

const NAMES: string[] = [];

/** Returns the column's letters: 0 → A, 26 → AA. */
function columnName(index: number): string {
  const cachedName = NAMES[index];
  if (cachedName !== undefined) return cachedName;
  let name = '';
  for (let i = index + 1; i > 0; i = Math.floor((i - 1) / 26))
    name = String.fromCharCode(65 + ((i - 1) % 26)) + name;
  NAMES[index] = name;
  return name;
}

const epoch = Date.UTC(1899, 11, 30);

/**
 * Returns the serial day number in spreadsheets; undefined before 1 March 1900, where spreadsheets
 * count a day that did not exist.
 */
function serialOf(wallTime: string): number | undefined {
  const at = Date.parse(`${wallTime.replace(' ', 'T')}Z`);
  if (Number.isNaN(at) || at < Date.UTC(1900, 2, 1)) return undefined;
  return Math.round(((at - epoch) / 86_400_000) * 1e9) / 1e9;
}

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGES = 'http://schemas.openxmlformats.org/package/2006';
const SPREADSHEET = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

const styles = `${HEAD}<styleSheet ${MAIN}><numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd\\ hh:mm:ss"/></numFmts><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="3"><xf/><xf fontId="1" applyFont="1"/><xf numFmtId="164" applyNumberFormat="1"/></cellXfs></styleSheet>`;

/** Lists all files of a workbook; rows are streamed as they are read. */
export function* listWorkbookEntries(
  titles: readonly string[],
  name: string,
  sheets: ReadonlyArray<() => AsyncIterable<Buffer | string>>,
): Generator<ArchiveEntry> {
  const renderEach = (text: (number: number) => string) =>
    sheets.map((_, i) => text(i + 1)).join('');
  const file = (path: string, xml: string): ArchiveEntry => ({ name: path, content: [HEAD + xml] });
  yield file(
    '[Content_Types].xml',
    `<Types xmlns="${PACKAGES}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${SPREADSHEET}.sheet.main+xml"/><Override PartName="/xl/styles.xml" ContentType="${SPREADSHEET}.styles+xml"/>${renderEach((n) => `<Override PartName="/xl/worksheets/sheet${n}.xml" ContentType="${SPREADSHEET}.worksheet+xml"/>`)}</Types>`,
  );
  yield file(
    '_rels/.rels',
    `<Relationships xmlns="${PACKAGES}/relationships"><Relationship Id="rId1" Type="${RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  );
  const sheetName = (n: number) => escapeXml(n === 1 ? name : `${name} ${n}`);
  yield file(
    'xl/workbook.xml',
    `<workbook ${MAIN} xmlns:r="${RELATIONS}"><sheets>${renderEach((n) => `<sheet name="${sheetName(n)}" sheetId="${n}" r:id="rId${n}"/>`)}</sheets></workbook>`,
  );
  yield file(
    'xl/_rels/workbook.xml.rels',
    `<Relationships xmlns="${PACKAGES}/relationships">${renderEach((n) => `<Relationship Id="rId${n}" Type="${RELATIONS}/worksheet" Target="worksheets/sheet${n}.xml"/>`)}<Relationship Id="rId${sheets.length + 1}" Type="${RELATIONS}/styles" Target="styles.xml"/></Relationships>`,
  );
  yield { name: 'xl/styles.xml', content: [styles] };
  for (const [i, rows] of sheets.entries())
    yield { name: `xl/worksheets/sheet${i + 1}.xml`, content: sheetOf(titles, rows) };
}

async function* sheetOf(
  titles: readonly string[],
  rows: () => AsyncIterable<Buffer | string>,
): AsyncGenerator<Buffer | string> {
  yield `${HEAD}<worksheet ${MAIN}><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetData>${renderSheetRow(titles, 1, ' s="1"')}`;
  yield* rows();
  yield '</sheetData></worksheet>';
}
