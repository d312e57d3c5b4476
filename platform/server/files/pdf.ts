// PDF output: A4, embedded fonts, text in both directions. The PDF library lays out every line from
// left to right, so lines with Arabic letters are reordered visually first (Unicode Annex 9).
import { createRequire } from 'node:module';
import type { Bidi } from 'bidi-js';
import PDFDocument from 'pdfkit';

const require = createRequire(import.meta.url);
const FONTS = {
  regular: '@expo-google-fonts/inter/400Regular/Inter_400Regular.ttf',
  bold: '@expo-google-fonts/inter/600SemiBold/Inter_600SemiBold.ttf',
  'arabic-regular': '@expo-google-fonts/vazirmatn/400Regular/Vazirmatn_400Regular.ttf',
  'arabic-bold': '@expo-google-fonts/vazirmatn/600SemiBold/Vazirmatn_600SemiBold.ttf',
} as const;

export type PdfWeight = 'regular' | 'bold';
export type Pdf = InstanceType<typeof PDFDocument>;

export const PDF_MARGIN = 56;
export const PDF_WIDTH = 595;
export const PDF_HEIGHT = 842;
export const PDF_RIGHT = PDF_WIDTH - PDF_MARGIN;
/** The light theme of the interface (platform/web/theme). */
export const PDF_INK = '#1B1D22';
export const PDF_MUTED = '#5B606B';
export const PDF_RULE = '#E4E4E0';

const bidi = (require('bidi-js') as () => Bidi)();
const ARABIC = /\p{Script=Arabic}/u;
const LATIN = /\p{Script=Latin}/u;

/** True if a text contains Arabic letters, which are written from right to left. */
export const hasArabic = (text: string): boolean => ARABIC.test(text);

/** Opens a document; also returns the function that ends it and returns its bytes. */
export function openPdf(title: string, createdAt: Date): { pdf: Pdf; end: () => Promise<Buffer> } {
  const pdf = new PDFDocument({
    size: 'A4',
    margin: PDF_MARGIN,
    info: { Title: title, CreationDate: createdAt },
  });
  for (const [name, file] of Object.entries(FONTS)) pdf.registerFont(name, require.resolve(file));
  const chunks: Buffer[] = [];
  pdf.on('data', (chunk: Buffer) => chunks.push(chunk));
  const finished = new Promise<void>((settle) => pdf.on('end', settle));
  const end = async () => {
    pdf.end();
    await finished;
    return Buffer.concat(chunks);
  };
  return { pdf, end };
}

export type PdfLine = {
  /** Left edge of the line's box, in points from the left edge of the page. */
  x: number;
  y: number;
  width: number;
  align: 'left' | 'right';
  direction: 'ltr' | 'rtl';
  weight?: PdfWeight;
  size: number;
  color: string;
};

/**
 * Draws one line in its box: overflow ends in an ellipsis, characters without a glyph are dropped.
 */
export function drawLine(pdf: Pdf, text: string, line: PdfLine): void {
  const { x, y, width, align, direction, weight = 'regular', size, color } = line;
  pdf
    .font(ARABIC.test(text) ? `arabic-${weight}` : weight)
    .fontSize(size)
    .fillColor(color);
  const runs = visualRuns(fitText(pdf, drawable(pdf, text), width), direction);
  const widths = runs.map((run) => widthOf(pdf, run));
  const totalWidth = widths.reduce((total, width) => total + width, 0);
  let at = align === 'right' ? x + width - totalWidth : x;
  for (const [i, run] of runs.entries()) {
    pdf.text(run, at, y, { lineBreak: false, features: LAYOUT_FEATURES });
    at += widths[i] ?? 0;
  }
}

/**
 * With explicit features the library lays out a run as a whole; without them, word by word from the
 * left.
 */
const LAYOUT_FEATURES: PDFKit.Mixins.OpenTypeFeatures[] = ['kern'];

const widthOf = (pdf: Pdf, text: string) => pdf.widthOfString(text, { features: LAYOUT_FEATURES });

function fitText(pdf: Pdf, text: string, width: number): string {
  if (widthOf(pdf, text) <= width) return text;
  const characters = [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);
  let [short, long] = [0, characters.length];
  while (short < long) {
    const middle = Math.ceil((short + long) / 2);
    if (widthOf(pdf, `${characters.slice(0, middle).join('')}…`) <= width) short = middle;
    else long = middle - 1;
  }
  return `${characters.slice(0, short).join('').trimEnd()}…`;
}

/** Removes characters without a glyph, such as emoji, which would appear as empty boxes. */
function drawable(pdf: Pdf, text: string): string {
  const { font } = (
    pdf as unknown as { _font: { font: { hasGlyphForCodePoint(at: number): boolean } } }
  )._font;
  return [...text.replace(/\s+/gu, ' ')]
    .filter((sign) => font.hasGlyphForCodePoint(sign.codePointAt(0) ?? 0))
    .join('')
    .replace(/ {2,}/g, ' ')
    .trim();
}

/** Pieces from left to right, each drawn in its own direction. */
function visualRuns(text: string, direction: 'ltr' | 'rtl'): string[] {
  if (!ARABIC.test(text)) return text === '' ? [] : [text];
  const levels = bidi.getEmbeddingLevels(text, direction);
  const order = bidi.getReorderedIndices(text, levels);
  const runs: { from: number; to: number; level: number }[] = [];
  for (const index of order) {
    const level = levels.levels[index] ?? 0;
    const last = runs.at(-1);
    if (last && last.level === level && (index === last.to + 1 || index === last.from - 1)) {
      last.from = Math.min(last.from, index);
      last.to = Math.max(last.to, index);
    } else runs.push({ from: index, to: index, level });
  }
  return runs.map(({ from, to, level }) => {
    const run = text.slice(from, to + 1);
    // The library treats Persian digits as letters and would reverse them.
    const isTurned = ARABIC.test(run) && !LATIN.test(run);
    if (level % 2 === 0) return isTurned ? [...run].reverse().join('') : run;
    const mirroredSigns = [...run].map((sign) => bidi.getMirroredCharacter(sign) ?? sign);
    // Letters have a direction; punctuation alone does not.
    return ARABIC.test(run) ? mirroredSigns.join('') : mirroredSigns.reverse().join('');
  });
}

export function drawRule(pdf: Pdf, y: number): void {
  pdf.moveTo(PDF_MARGIN, y).lineTo(PDF_RIGHT, y).lineWidth(0.5).strokeColor(PDF_RULE).stroke();
}
