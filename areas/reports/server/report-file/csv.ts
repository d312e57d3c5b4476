// Writes a report as CSV for spreadsheets, one table after the other. Counts and amounts are plain
// numbers; rates are numbers from 0 to 1.
import { formatCsvLine } from '#platform/server/files/csv.ts';
import type { ReportCell, ReportTables } from './sections.ts';

export function renderReportCsv(report: ReportTables): string {
  const lines = [
    [report.title],
    [report.subject],
    [report.sentAt],
    ...report.sections.flatMap(({ title, columns, rows, notes }) => [
      [],
      [title],
      columns,
      ...rows.map((cells) => cells.map(formatPlain)),
      ...notes.map((note) => [note]),
    ]),
  ];
  return `\ufeff${lines.map(formatCsvLine).join('')}`;
}

function formatPlain(cell: ReportCell): string {
  if (cell.kind === 'share')
    return cell.value === null ? '' : String(Number(cell.value.toFixed(6)));
  return String(cell.value);
}
