// Which styles of a workbook show a number as a date: there is no other sign of a date in a cell.
import { attribute, type XmlHandler } from './xml.ts';
import type { ZipFile } from '#platform/server/zip.ts';

/** Built-in formats that show dates or times (ECMA-376, 18.8.30, with those of East Asia). */
const builtIn = (id: number) =>
  (id >= 14 && id <= 22) ||
  (id >= 27 && id <= 36) ||
  (id >= 45 && id <= 47) ||
  (id >= 50 && id <= 58);

/** For each style index of a cell, whether it is a date. */
export async function dateStyles(
  zip: ZipFile,
  name: string,
  parse: (zip: ZipFile, name: string, handler: XmlHandler) => Promise<void>,
): Promise<boolean[]> {
  const styles: boolean[] = [];
  if (!zip.entries.has(name)) return styles;
  const own = new Map<number, boolean>();
  let inCellFormats = false;
  await parse(zip, name, {
    open(tag, attributes) {
      if (tag === 'numFmt') {
        const id = Number(attribute(attributes, 'numFmtId'));
        own.set(id, showsDate(attribute(attributes, 'formatCode') ?? ''));
      } else if (tag === 'cellXfs') {
        inCellFormats = true;
      } else if (tag === 'xf' && inCellFormats && styles.length < 100_000) {
        const id = Number(attribute(attributes, 'numFmtId') ?? 0);
        styles.push(own.get(id) ?? builtIn(id));
      }
    },
    close(tag) {
      if (tag === 'cellXfs') inCellFormats = false;
    },
    text() {},
    wantsText: () => false,
  });
  return styles;
}

/** A format code is a date's when a letter of a date stands outside quotes, escapes and brackets. */
function showsDate(code: string): boolean {
  // Excel's longest is 255; a search of one that is longer takes the square of it.
  const bare = code
    .slice(0, 255)
    .replace(/"[^"]*"/g, '')
    .replace(/\\./g, '')
    .replace(/\[(?!h+\]|m+\]|s+\])[^[\]]*\]/gi, '')
    .replace(/general/gi, '');
  return /[ymdhs]/i.test(bare);
}
