// Renders the PDF of a report in a thread of the pool (write-pdf.ts).
import { reportPdf } from './pdf.ts';
import type { ReportTables } from './sections.ts';

export const work = ({ report, now }: { report: ReportTables; now: Date }) =>
  reportPdf(report, now);
