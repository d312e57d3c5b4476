// Renders the PDF of a report in a thread of the pool (write-pdf.ts).
import { renderReportPdf } from './pdf.ts';
import type { ReportTables } from './sections.ts';

export const work = ({ report, now }: { report: ReportTables; now: Date }) =>
  renderReportPdf(report, now);
