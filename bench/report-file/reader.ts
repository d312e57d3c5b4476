// Reads one report file in a thread in the same way as the product, after a small file that loads
// the modules. Prints the processor time, the maximum growth of this process's memory, and the
// rows.
import { readFileSync } from 'node:fs';
import type { FileContent } from '#areas/deliverability/server/reading/found-reports.ts';
import { defineWork } from '#platform/server/work/work-pool.ts';
import { renderDmarcXml } from '#testing/worlds/dmarc-reports.ts';

const SAMPLE_MS = 2;

const readReport = defineWork<{ bytes: Uint8Array; options: object }, FileContent>({
  kind: 'report',
  url: new URL('../../areas/deliverability/server/reading/read-work.ts', import.meta.url),
  cpuMs: 60_000,
});
const options = { ourSelectors: ['s1'], dnsServers: [] };

const bytes = readFileSync(process.argv[2] ?? '');
await readReport({ bytes: Buffer.from(renderDmarcXml()), options });
const rssBefore = process.memoryUsage.rss();
let peak = rssBefore;
const sampling = setInterval(() => {
  peak = Math.max(peak, process.memoryUsage.rss());
}, SAMPLE_MS);
const startedCpu = process.cpuUsage();
const { reports, faults } = await readReport({ bytes, options });
const { user, system } = process.cpuUsage(startedCpu);
clearInterval(sampling);
const [first] = reports;
console.log(
  JSON.stringify({
    seconds: (user + system) / 1e6,
    megabytes: (peak - rssBefore) / 1e6,
    rows: first?.report.rows.length ?? 0,
    faults,
  }),
);
process.exit(0);
