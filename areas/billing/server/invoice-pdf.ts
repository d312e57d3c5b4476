// Renders an invoice as PDF: one page in the account's language, or in English for Persian, because
// the PDF library supports right-to-left text only for single lines such as names and addresses.
// Fonts are embedded.
import { isLanguage, type Language, LOCALE } from '#platform/languages.ts';
import {
  drawLine,
  hasArabic,
  PDF_INK as INK,
  PDF_MARGIN as MARGIN,
  PDF_MUTED as MUTED,
  openPdf,
  type Pdf,
  PDF_RIGHT as RIGHT,
  drawRule as rule,
} from '#platform/server/files/pdf.ts';
import { type ServerText, serverTexts } from '#platform/server/texts.ts';
import type { InvoiceRow } from './billing.sql.ts';
import type { InvoiceLine } from './prices.ts';
import { formatMoney } from './format-money.ts';

/** @param corrects number of the invoice that a credit note corrects */
export async function invoicePdf(row: InvoiceRow, corrects: string | undefined): Promise<Buffer> {
  const pdfLanguage = isLanguage(row.language) ? row.language : 'eng';
  const language: Language = pdfLanguage === 'fas' ? 'eng' : pdfLanguage;
  const t = serverTexts('billing', language);
  const { pdf, end } = openPdf(row.number, row.issued_at);
  drawHead(pdf, row, language, t, corrects);
  const bottom = drawLines(pdf, row, language, t, drawParties(pdf, row, t));
  drawSums(pdf, row, language, t, bottom);
  return end();
}

function drawHead(
  pdf: Pdf,
  row: InvoiceRow,
  language: Language,
  t: ServerText,
  corrects?: string,
): void {
  const title = t(row.kind === 'credit_note' ? 'invoice.creditNote' : 'invoice.title');
  pdf.font('bold').fontSize(22).fillColor(INK).text(title, MARGIN, MARGIN);
  pdf.font('regular').fontSize(10).fillColor(MUTED);
  pdf.text(`${t('invoice.number')} ${row.number}`, MARGIN, MARGIN + 34);
  pdf.text(`${t('invoice.date')} ${dayOf(row, language)}`);
  if (corrects) pdf.text(t('invoice.corrects', { number: corrects }));
}

const dayOf = (row: InvoiceRow, language: Language): string =>
  new Intl.DateTimeFormat(LOCALE[language], { dateStyle: 'long', timeZone: 'UTC' }).format(
    row.issued_at,
  );

/** Draws seller and buyer side by side; returns the position below both. */
function drawParties(pdf: Pdf, row: InvoiceRow, t: ServerText): number {
  const { seller, buyer } = row;
  const vat = (number: string | null) => (number ? [t('invoice.vat', { number })] : []);
  const columns: [string, string[]][] = [
    [
      t('invoice.from'),
      [seller.name, ...seller.address, ...vat(seller.vatNumber), seller.email ?? ''],
    ],
    [t('invoice.to'), [buyer.name, ...buyer.address, ...vat(buyer.vatNumber), buyer.email]],
  ];
  const width = (RIGHT - MARGIN - 24) / 2;
  const bottoms = columns.map(([head, lines], i) => {
    const x = MARGIN + i * (width + 24);
    pdf.font('bold').fontSize(10).fillColor(INK).text(head, x, 170, { width });
    pdf.fillColor(MUTED);
    for (const line of lines.filter(Boolean)) drawWrapped(pdf, line, width);
    return pdf.y;
  });
  return Math.max(...bottoms) + 32;
}

/** Draws a line of a name or address, wrapped if too long. */
function drawWrapped(pdf: Pdf, line: string, width: number): void {
  if (!hasArabic(line)) {
    pdf.font('regular').text(line, { width });
    return;
  }
  const { x } = pdf;
  pdf.font('arabic-regular');
  for (const tokens of brokenAt(pdf, line.split(/\s+/), width)) {
    const { y } = pdf;
    drawLine(pdf, tokens.join(' '), {
      ...{ x, y, width, size: 10, color: MUTED },
      align: 'left',
      direction: 'rtl',
    });
    pdf.x = x;
    pdf.y = y + pdf.currentLineHeight(true);
  }
}

function brokenAt(pdf: Pdf, tokens: readonly string[], width: number): string[][] {
  const lines: string[][] = [[]];
  for (const token of tokens) {
    const lastLine = lines.at(-1) ?? [];
    const isFull = lastLine.length > 0 && pdf.widthOfString([...lastLine, token].join(' ')) > width;
    if (isFull) lines.push([token]);
    else lastLine.push(token);
  }
  return lines;
}

function drawLines(
  pdf: Pdf,
  row: InvoiceRow,
  language: Language,
  t: ServerText,
  top: number,
): number {
  let y = top;
  rule(pdf, y);
  for (const line of row.lines) {
    y += 12;
    pdf.font('regular').fontSize(11).fillColor(INK);
    const lineTitle = titleOf(line, t);
    const height = pdf.heightOfString(lineTitle, { width: 340 });
    pdf.text(lineTitle, MARGIN, y, { width: 340 });
    amount(pdf, formatMoney(line.net, row.currency, language), y);
    y += height + 8;
    rule(pdf, y);
  }
  return y;
}

function titleOf(line: InvoiceLine, t: ServerText): string {
  if (line.kind === 'sms_credit') return t('invoice.smsCredit');
  if (line.kind === 'coupon') return t('invoice.coupon', { code: line.title });
  if (line.kind === 'unused') return t('invoice.unused', { plan: line.title });
  const key = line.months === 12 ? 'invoice.planYear' : 'invoice.planMonth';
  return t(key, { plan: line.title, size: line.size ?? 0 });
}

function drawSums(
  pdf: Pdf,
  row: InvoiceRow,
  language: Language,
  t: ServerText,
  bottom: number,
): void {
  const { tax } = row.buyer;
  const money = (minor: number) => formatMoney(minor, row.currency, language);
  const percent = new Intl.NumberFormat(LOCALE[language], {
    style: 'percent',
    maximumFractionDigits: 2,
  });
  let y = bottom + 16;
  const drawTotal = (label: string, value: string, font: 'regular' | 'bold') => {
    pdf
      .font(font)
      .fontSize(11)
      .fillColor(font === 'bold' ? INK : MUTED);
    pdf.text(label, 260, y, { width: 170 });
    amount(pdf, value, y);
    y += 20;
  };
  drawTotal(t('invoice.net'), money(row.net_minor), 'regular');
  if (tax.name && !tax.isReverseCharge) {
    drawTotal(`${tax.name} ${percent.format(tax.percent / 100)}`, money(row.tax_minor), 'regular');
  }
  drawTotal(t('invoice.total'), money(row.total_minor), 'bold');
  const notes = [
    ...(row.paid_by
      ? [t('invoice.paidBy', { method: row.paid_by, date: dayOf(row, language) })]
      : []),
    ...(tax.isReverseCharge ? [t('invoice.reverseCharge')] : []),
  ];
  pdf.font('regular').fontSize(10).fillColor(MUTED);
  for (const note of notes) {
    y += 16;
    pdf.text(note, MARGIN, y);
  }
}

function amount(pdf: Pdf, text: string, y: number): void {
  pdf.text(text, RIGHT - 120, y, { width: 120, align: 'right' });
}
