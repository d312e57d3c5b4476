// Reads the lines of a PDF made by PDFKit, where fonts contain tables that map glyphs to
// characters.
import { inflateSync } from 'node:zlib';

/** Returns the text runs of each line, left to right, in drawing order. */
export function readPdfLines(file: Buffer): string[][] {
  const objects = objectsOf(file.toString('latin1'));
  const lettersOf = fontsOf(objects);
  const lines: string[][] = [];
  for (const content of [...objects.values()].filter((object) =>
    object.includes('/Type /Page\n'),
  )) {
    const id = /\/Contents (\d+) 0 R/.exec(content)?.[1] ?? '';
    const byLine = new Map<string, string[]>();
    for (const [, y = '', font = '', glyphs = ''] of streamOf(objects.get(id) ?? '').matchAll(
      TEXT,
    )) {
      const letters = lettersOf.get(font) ?? [];
      const text = [...glyphs.matchAll(/<([0-9a-f]+)>/g)]
        .flatMap(([, hex = '']) => hex.match(/.{4}/g) ?? [])
        .map((glyph) => letters[Number.parseInt(glyph, 16)] ?? '?')
        .join('');
      byLine.set(y, [...(byLine.get(y) ?? []), text]);
    }
    lines.push(...byLine.values());
  }
  return lines;
}

const TEXT = /1 0 0 1 [\d.-]+ ([\d.-]+) Tm\n\/(F\d+) [\d.]+ Tf\n\[([^\]]*)\] TJ/g;

function objectsOf(pdf: string): Map<string, string> {
  const objectMatches = pdf.matchAll(/(?:^|\n)(\d+) 0 obj\n([\s\S]*?)\nendobj/g);
  return new Map([...objectMatches].map(([, id = '', body = '']) => [id, body]));
}

function streamOf(body: string): string {
  const stream = /\nstream\n([\s\S]*)\nendstream/.exec(body)?.[1] ?? '';
  return inflateSync(Buffer.from(stream, 'latin1')).toString('latin1');
}

/** Returns the characters by glyph of each font, by font name in the pages, such as `F1`. */
function fontsOf(objects: Map<string, string>): Map<string, string[]> {
  const fonts = new Map<string, string[]>();
  for (const body of objects.values()) {
    for (const [, name = '', id = ''] of body.matchAll(/\/(F\d+) (\d+) 0 R/g)) {
      const table = /\/ToUnicode (\d+) 0 R/.exec(objects.get(id) ?? '')?.[1];
      if (table) fonts.set(name, lettersIn(streamOf(objects.get(table) ?? '')));
    }
  }
  return fonts;
}

function lettersIn(table: string): string[] {
  const letters: string[] = [];
  for (const [, first = '', list = ''] of table.matchAll(
    /<([0-9a-f]+)> <[0-9a-f]+> \[([^\]]*)\]/g,
  )) {
    const firstCode = Number.parseInt(first, 16);
    for (const [i, hex] of (list.match(/[0-9a-f]+/g) ?? []).entries()) {
      const units = (hex.match(/.{4}/g) ?? []).map((unit) => Number.parseInt(unit, 16));
      letters[firstCode + i] = String.fromCharCode(...units);
    }
  }
  return letters;
}
