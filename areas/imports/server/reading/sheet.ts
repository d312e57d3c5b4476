// Reads the rows of one worksheet into lines of CSV.
import type { SharedTexts } from './shared-texts.ts';
import type { CellFormat } from './styles.ts';
import { appendCellText, readAttribute, type XmlHandler, XmlReader } from './xml.ts';

interface SheetOptions {
  texts: SharedTexts;
  styles: readonly (CellFormat | undefined)[];
  date1904: boolean;
  maxColumns: number;
  /**
   * Maximum characters of a row. The rest of a longer row is dropped, and the reader of the lines
   * rejects the row for its length.
   */
  maxRowLength: number;
}

const LAST_ROW = 1_048_576;

/** Feed chunks to `xml`, then take the finished lines. */
export class SheetReader implements XmlHandler {
  readonly xml = new XmlReader(this);
  private readonly options: SheetOptions;
  private lines = '';
  private rowsWritten = 0;
  private rowNumber = 0;
  private cells: string[] = [];
  private rowLength = 0;
  private column = 0;
  private type = '';
  private format: CellFormat | undefined;
  private value = '';
  private isCollecting = false;
  private isInCell = false;
  private isInRow = false;
  private isInPhonetic = false;

  constructor(options: SheetOptions) {
    this.options = options;
  }

  takeLines(): string {
    const lines = this.lines;
    this.lines = '';
    return lines;
  }

  onOpenTag(name: string, attributes: string): void {
    if (name === 'c') this.openCell(attributes);
    else if (name === 'v' || name === 't') this.isCollecting = this.isInCell && !this.isInPhonetic;
    else if (name === 'rPh') this.isInPhonetic = true;
    else if (name === 'row') {
      this.isInRow = true;
      const number = Number(readAttribute(attributes, 'r'));
      this.rowNumber =
        number > this.rowNumber && number <= LAST_ROW ? number : this.rowsWritten + 1;
      this.cells = [];
      this.rowLength = 0;
      this.column = 0;
    }
  }

  onCloseTag(name: string): void {
    if (name === 'c') this.closeCell();
    else if (name === 'v' || name === 't') this.isCollecting = false;
    else if (name === 'rPh') this.isInPhonetic = false;
    else if (name === 'row') this.closeRow();
  }

  onText(value: string): void {
    this.value = appendCellText(this.value, value);
  }

  wantsText(): boolean {
    return this.isCollecting;
  }

  private openCell(attributes: string): void {
    this.isInCell = true;
    this.value = '';
    const reference = readAttribute(attributes, 'r');
    if (reference !== undefined) this.column = parseColumn(reference);
    this.type = readAttribute(attributes, 't') ?? '';
    const style = readAttribute(attributes, 's');
    this.format = style === undefined ? undefined : this.options.styles[Number(style)];
  }

  private closeCell(): void {
    if (!this.isInCell) return;
    this.isInCell = false;
    const column = this.column;
    this.column += 1;
    if (this.value === '' || column < 0 || column > this.options.maxColumns) return;
    if (this.rowLength > this.options.maxRowLength) return;
    while (this.cells.length < column) this.cells.push('');
    const text = this.formatValue();
    this.rowLength += text.length;
    this.cells[column] = text;
  }

  private formatValue(): string {
    const value = this.value;
    switch (this.type) {
      case 's':
        return unescapeText(this.options.texts.get(Number(value)));
      case 'str':
      case 'inlineStr':
        return unescapeText(value);
      case 'b':
        return value === '1' ? 'true' : 'false';
      case 'e':
        return '';
      case 'd':
        return value.replace('T', ' ');
      default:
        return this.formatNumber(value);
    }
  }

  private formatNumber(value: string): string {
    switch (this.format?.kind) {
      case 'date':
        return formatDate(value, this.options.date1904);
      case 'time':
        return formatTime(value, this.format);
      case 'masked': {
        const number = Number(value);
        return Number.isFinite(number) ? this.format.format(number) : value;
      }
      default:
        return formatPlainNumber(value);
    }
  }

  /** Ignores an end tag without its start, which would otherwise add an empty row. */
  private closeRow(): void {
    if (!this.isInRow) return;
    this.isInRow = false;
    while (this.rowsWritten < this.rowNumber - 1) {
      this.lines += '\n';
      this.rowsWritten += 1;
    }
    this.lines += `${this.cells.map(quoteCell).join(',')}\n`;
    this.rowsWritten += 1;
    this.cells = [];
    this.rowLength = 0;
  }
}

/** Converts column letters: A → 0, Z → 25, AA → 26. */
function parseColumn(reference: string): number {
  let column = 0;
  for (let i = 0; i < reference.length; i++) {
    const code = reference.charCodeAt(i) & 0xdf;
    if (code < 65 || code > 90) break;
    column = column * 26 + code - 64;
  }
  return column - 1;
}

function quoteCell(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** `_x000D_` encodes a character that XML cannot contain (ECMA-376, 22.9.2.19). */
function unescapeText(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/** Long numbers are stored as 3.706E+10; phone and card numbers need every digit. */
function formatPlainNumber(value: string): string {
  if (!/[eE.]/.test(value)) return value;
  const number = Number(value);
  if (!Number.isFinite(number)) return value;
  if (Number.isSafeInteger(number)) return String(number);
  // Excel shows 15 digits; the rest is binary rounding of values like 0.1.
  return String(Number(number.toPrecision(15)));
}

/**
 * Formats the given number of days since the start of 1900 (with Excel's nonexistent 29 February
 * 1900) or of 1904.
 */
function formatDate(value: string, date1904: boolean): string {
  const days = Number(value);
  if (!Number.isFinite(days) || days < 0 || days > 2_958_465.999_99) return value;
  const epoch = date1904
    ? Date.UTC(1904, 0, 1)
    : days < 60
      ? Date.UTC(1899, 11, 31)
      : Date.UTC(1899, 11, 30);
  const isoTime = new Date(epoch + Math.round(days * 86_400) * 1000).toISOString();
  return Number.isInteger(days)
    ? isoTime.slice(0, 10)
    : `${isoTime.slice(0, 10)} ${isoTime.slice(11, 19)}`;
}

/** Returns the displayed time of day, or the hours of a duration. */
function formatTime(value: string, format: { hasSeconds: boolean; isDuration: boolean }): string {
  const days = Number(value);
  if (!Number.isFinite(days) || days < 0 || days > 2_958_465.999_99) return value;
  const totalSeconds = Math.round(days * 86_400);
  const seconds = format.isDuration ? totalSeconds : totalSeconds % 86_400;
  const timeUnits = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const displayed = format.hasSeconds ? timeUnits : timeUnits.slice(0, 2);
  return displayed.map((timeUnit) => String(timeUnit).padStart(2, '0')).join(':');
}
