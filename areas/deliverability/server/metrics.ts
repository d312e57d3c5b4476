// Metrics of received reports: files received = parsed + duplicate + unreadable + foreign, once all
// are processed.
import { counter } from '#platform/server/metrics.ts';

export const received = counter('report_files_total', 'Files of reports received', ['origin']);
export const settled = counter(
  'reports_total',
  'DMARC and TLS reports by result; files without a report count as one',
  ['kind', 'result'],
);
