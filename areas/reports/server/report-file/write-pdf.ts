// Writes the PDF of a report in a thread of the pool, because its titles and tables come from the
// account.
import { defineWork } from '#platform/server/work/work-pool.ts';
import type { ReportTables } from './sections.ts';

const write = defineWork<{ report: ReportTables; now: Date }, Uint8Array>({
  kind: 'pdf',
  url: new URL('./pdf-work.ts', import.meta.url),
  cpuMs: 5_000,
});

export async function writeReportPdf(report: ReportTables, now: Date): Promise<Buffer> {
  return Buffer.from(await write({ report, now }));
}
