// Draws a report as PDF: metrics, a chart of the days, and tables. Persian is set from right to
// left.
import { DIRECTION } from '#platform/languages.ts';
import {
  drawLine,
  drawRule,
  openPdf,
  type Pdf,
  PDF_HEIGHT,
  PDF_INK,
  PDF_MARGIN,
  PDF_MUTED,
  PDF_RIGHT,
  type PdfLine,
} from '#platform/server/files/pdf.ts';
import type { ReportCell, ReportTables, ReportSection } from './sections.ts';
import { isNumber, createCellFormatter } from './cell-formats.ts';

const WIDTH = PDF_RIGHT - PDF_MARGIN;
const BOTTOM = PDF_HEIGHT - PDF_MARGIN;
const ROW_HEIGHT = 19;
const NUMBER_WIDTH = 74;
const OPENS = '#3B4FE4';
const CLICKS = '#0F8A5F';
const CHART_HEIGHT = 90;

/** The document, the position of the next line, and the writing direction. */
type Sheet = {
  pdf: Pdf;
  y: number;
  isMirrored: boolean;
  formatCell: (cell: ReportCell) => string;
};

export async function renderReportPdf(report: ReportTables, now: Date): Promise<Buffer> {
  const { pdf, end } = openPdf(report.title, now);
  const sheet: Sheet = {
    pdf,
    y: PDF_MARGIN,
    isMirrored: DIRECTION[report.language] === 'rtl',
    formatCell: createCellFormatter(report.language),
  };
  drawHead(sheet, report);
  const [figures, ...otherSections] = report.sections;
  if (figures) drawTable(sheet, figures);
  drawChart(sheet, report);
  for (const section of otherSections) drawTable(sheet, section);
  return end();
}

type CellPlace = { from: number; width: number; isEndAligned?: boolean };
type LineStyle = Pick<PdfLine, 'size' | 'color'> & { weight?: 'bold'; isCode?: boolean };

/** Writes a line at the sheet's position. `from` is the distance from the side where reading starts. */
function write(
  sheet: Sheet,
  content: string,
  { from, width, isEndAligned }: CellPlace,
  style: LineStyle,
): void {
  const { isCode, ...rest } = style;
  const { isMirrored } = sheet;
  drawLine(sheet.pdf, content, {
    ...rest,
    x: isMirrored ? PDF_RIGHT - from - width : PDF_MARGIN + from,
    y: sheet.y,
    width,
    align: Boolean(isEndAligned) !== isMirrored ? 'right' : 'left',
    direction: isMirrored && !isCode ? 'rtl' : 'ltr',
  });
}

const FULL_WIDTH: CellPlace = { from: 0, width: WIDTH };

function drawHead(
  sheet: Sheet,
  { account, title, subject, sentAt, creationNote }: ReportTables,
): void {
  write(sheet, account, FULL_WIDTH, { size: 10, color: PDF_MUTED });
  sheet.y += 18;
  write(sheet, title, FULL_WIDTH, { size: 20, color: PDF_INK, weight: 'bold' });
  sheet.y += 32;
  for (const content of [subject, sentAt, creationNote].filter((text) => text !== '')) {
    write(sheet, content, FULL_WIDTH, { size: 10, color: PDF_MUTED });
    sheet.y += 15;
  }
}

function ensureSpace(sheet: Sheet, height: number): void {
  if (sheet.y + height <= BOTTOM) return;
  sheet.pdf.addPage();
  sheet.y = PDF_MARGIN;
}

function drawTable(sheet: Sheet, { title, columns, rows, notes }: ReportSection): void {
  ensureSpace(sheet, 20 + ROW_HEIGHT * 4);
  sheet.y += 20;
  write(sheet, title, FULL_WIDTH, { size: 13, color: PDF_INK, weight: 'bold' });
  sheet.y += 22;
  const positions = placesOf(rows[0] ?? []);
  drawRow(
    sheet,
    positions,
    columns.map((value) => ({ kind: 'text', value })),
    PDF_MUTED,
  );
  for (const cells of rows) {
    ensureSpace(sheet, ROW_HEIGHT);
    drawRow(sheet, positions, cells, PDF_INK);
  }
  sheet.y += 4;
  for (const note of notes) {
    ensureSpace(sheet, 12);
    write(sheet, note, FULL_WIDTH, { size: 9, color: PDF_MUTED });
    sheet.y += 12;
  }
}

/** Column positions. Text columns come first and share the width that number columns leave free. */
function placesOf(cells: readonly ReportCell[]): CellPlace[] {
  const numbers = cells.filter(isNumber).length;
  const columnWidth = (WIDTH - numbers * NUMBER_WIDTH - 8) / (cells.length - numbers);
  return cells.map((cell, i) =>
    isNumber(cell)
      ? {
          from: WIDTH - (cells.length - i) * NUMBER_WIDTH + 6,
          width: NUMBER_WIDTH - 6,
          atEnd: true,
        }
      : { from: i * columnWidth, width: columnWidth - 8 },
  );
}

function drawRow(
  sheet: Sheet,
  positions: readonly CellPlace[],
  cells: readonly ReportCell[],
  color: string,
): void {
  for (const [i, cell] of cells.entries()) {
    const position = positions[i];
    if (!position) continue;
    write(sheet, sheet.formatCell(cell), position, {
      size: 9.5,
      color,
      isCode: cell.kind === 'code',
    });
  }
  sheet.y += ROW_HEIGHT;
  drawRule(sheet.pdf, sheet.y - 5);
}

/** Draws two bars for each day: opens and clicks. */
function drawChart(sheet: Sheet, { days, legend }: ReportTables): void {
  const peak = Math.max(0, ...days.flatMap(({ opens, clicks }) => [opens, clicks]));
  if (peak === 0) return;
  ensureSpace(sheet, CHART_HEIGHT + 60);
  sheet.y += 24;
  drawLegend(sheet, legend);
  const { pdf } = sheet;
  const bottom = sheet.y + CHART_HEIGHT;
  const step = WIDTH / days.length;
  const barWidth = Math.min(12, step * 0.4);
  for (const [i, { opens, clicks }] of days.entries()) {
    const middle = (i + 0.5) * step;
    const center = sheet.isMirrored ? PDF_RIGHT - middle : PDF_MARGIN + middle;
    const bars = [
      { count: opens, color: OPENS },
      { count: clicks, color: CLICKS },
    ];
    for (const [at, { count, color }] of bars.entries()) {
      const height = (count / peak) * CHART_HEIGHT;
      pdf.rect(center + (at - 1) * barWidth, bottom - height, barWidth * 0.9, height).fill(color);
    }
  }
  drawRule(pdf, bottom);
  sheet.y = bottom + 4;
}

function drawLegend(sheet: Sheet, legend: ReportTables['legend']): void {
  const names = [
    { name: legend.opens, color: OPENS },
    { name: legend.clicks, color: CLICKS },
  ];
  for (const [i, { name, color }] of names.entries()) {
    const from = i * 120;
    const x = sheet.isMirrored ? PDF_RIGHT - from - 8 : PDF_MARGIN + from;
    sheet.pdf.rect(x, sheet.y + 2, 8, 8).fill(color);
    write(sheet, name, { from: from + 14, width: 100 }, { size: 9.5, color: PDF_MUTED });
  }
  sheet.y += 22;
}
