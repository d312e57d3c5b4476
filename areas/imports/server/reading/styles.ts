// How a workbook's styles display numbers: as dates, times, or with zeros and characters that
// belong to the value.
import { format } from 'numfmt';
import type { ZipFile } from '#platform/server/files/zip.ts';
import { readAttribute, type XmlHandler } from './xml.ts';

/** Matches built-in date and time formats (ECMA-376, 18.8.30, including the East Asian ones). */
const isBuiltInDate = (id: number) =>
  (id >= 14 && id <= 22) ||
  (id >= 27 && id <= 36) ||
  (id >= 45 && id <= 47) ||
  (id >= 50 && id <= 58);

/** How a cell with a style is read; undefined for a plain number. */
export type CellFormat =
  | { kind: 'date' }
  /** A time without a day, or a duration. */
  | { kind: 'time'; hasSeconds: boolean; isDuration: boolean }
  /**
   * A number displayed with leading zeros, a prefix or characters between digits: 00042, LT-0042,
   * (212) 555-0199.
   */
  | { kind: 'masked'; format: (value: number) => string };

/** Built-in formats that show no day. */
const builtInTimes = new Map<number, string>([
  [18, 'h:mm AM/PM'],
  [19, 'h:mm:ss AM/PM'],
  [20, 'h:mm'],
  [21, 'h:mm:ss'],
  [45, 'mm:ss'],
  [46, '[h]:mm:ss'],
  [47, 'mm:ss.0'],
]);

/** Returns the format of each cell style index. */
export async function readCellFormats(
  zip: ZipFile,
  name: string,
  parse: (zip: ZipFile, name: string, handler: XmlHandler) => Promise<void>,
): Promise<Array<CellFormat | undefined>> {
  const styles: Array<CellFormat | undefined> = [];
  if (!zip.entries.has(name)) return styles;
  const customFormats = new Map<number, CellFormat | undefined>();
  let inCellFormats = false;
  await parse(zip, name, {
    onOpenTag(tag, attributes) {
      if (tag === 'numFmt') {
        const id = Number(readAttribute(attributes, 'numFmtId'));
        customFormats.set(id, parseFormat(readAttribute(attributes, 'formatCode') ?? ''));
      } else if (tag === 'cellXfs') {
        inCellFormats = true;
      } else if (tag === 'xf' && inCellFormats && styles.length < 100_000) {
        const id = Number(readAttribute(attributes, 'numFmtId') ?? 0);
        styles.push(customFormats.has(id) ? customFormats.get(id) : getBuiltInFormat(id));
      }
    },
    onCloseTag(tag) {
      if (tag === 'cellXfs') inCellFormats = false;
    },
    onText() {},
    wantsText: () => false,
  });
  return styles;
}

function getBuiltInFormat(id: number): CellFormat | undefined {
  const time = builtInTimes.get(id);
  if (time !== undefined) return parseFormat(time);
  return isBuiltInDate(id) ? { kind: 'date' } : undefined;
}

/**
 * Classifies a format code: a date or time by its letters outside quotes, escapes and brackets,
 * otherwise a mask or undefined.
 */
function parseFormat(code: string): CellFormat | undefined {
  // Excel allows 255 characters; matching a longer code takes quadratic time.
  const shortCode = code.slice(0, 255);
  const unquoted = shortCode
    .replace(/"[^"]*"/g, '')
    .replace(/\\./g, '')
    .replace(/\[(?!h+\]|m+\]|s+\])[^[\]]*\]/gi, '')
    .replace(/general/gi, '');
  if (/[ymdhs]/i.test(unquoted)) {
    if (/[yd]/i.test(unquoted) || !/[hs]/i.test(unquoted)) return { kind: 'date' };
    return {
      kind: 'time',
      hasSeconds: /s/i.test(unquoted),
      isDuration: /\[[hms]+\]/i.test(unquoted),
    };
  }
  return isMask(shortCode)
    ? { kind: 'masked', format: (value) => applyMask(code, value) }
    : undefined;
}

/** Prefixes that are not part of the value: none, a currency or percent. */
const CURRENCY = /^(?:[$€£¥₹%]|kr\.?|EUR|USD|GBP|NOK|SEK|DKK|Ls|Lt|zł|ریال|تومان)?$/i;

/**
 * Returns whether a format's zeros and characters belong to the value: two or more leading zeros, a
 * prefix, or characters between digits. Decimals, thousands separators, percent and units leave it
 * a number.
 */
function isMask(code: string): boolean {
  const [first = ''] = code.split(';', 1);
  const literal: string[] = [];
  const shape = first
    .replace(/\[[^[\]]*\]|_./g, '')
    .replace(/"([^"]*)"|\\(.)/g, (_, quoted: string | undefined, escaped: string | undefined) => {
      literal.push(quoted ?? escaped ?? '');
      return '\u0001';
    })
    .replace(/[-+() /:]/g, (sign) => {
      literal.push(sign);
      return '\u0001';
    });
  if (!/^[0#?\u0001]+$/.test(shape) || !/[0#?]/.test(shape)) return false;
  if (/^0{2,}$/.test(shape)) return true;
  const integerStart = shape.search(/[0#?]/);
  const decimalEnd =
    shape.length - Math.max(...['0', '#', '?'].map((digit) => shape.lastIndexOf(digit))) - 1;
  const inside = shape.slice(integerStart, shape.length - decimalEnd).includes('\u0001');
  const prefix = literal.slice(0, integerStart).join('');
  return inside || !CURRENCY.test(prefix.trim()) || /0{2,}/.test(shape);
}

function applyMask(code: string, value: number): string {
  try {
    return format(code, value).trim();
  } catch {
    return String(value);
  }
}
