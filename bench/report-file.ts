// Measures the processor time and memory of reading the largest report files, each in a separate
// process. npm run bench -- report-file [--json] [--rounds 3]
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { renderDmarcXml } from '#testing/worlds/dmarc-reports.ts';
import { median } from './kit/figures.ts';

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '3' },
  },
  allowPositionals: true,
});
const MAX = { seconds: 10, megabytes: 100 };
const MEGABYTES = 50;
const rounds = Number(values.rounds);

type ReadResult = { seconds: number; megabytes: number; rows: number; faults: string[] };

/**
 * Returns a report with records that all differ. Spaces increase it to the maximum size of a file.
 */
function reportOf(records: number): Buffer {
  const rows = Array.from({ length: records }, (_, n) => ({
    ip: `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`,
    count: 1 + (n % 7),
    dkim: [{ domain: `sender${n % 9_973}.example`, selector: `selector${n % 131}` }],
    spf: [{ domain: `bounce${n % 8_999}.example` }],
  }));
  const plainXml = renderDmarcXml({ rows });
  const padding = Math.floor((MEGABYTES * 1e6 - plainXml.length) / records);
  return Buffer.from(plainXml.replaceAll('</row>', `${' '.repeat(Math.max(0, padding))}</row>`));
}

const folder = mkdtempSync(join(tmpdir(), 'sendloom-bench-reports-'));
const reader = join(import.meta.dirname, 'report-file/reader.ts');
const results: { records: number; bytes: number; seconds: number; megabytes: number }[] = [];
try {
  for (const records of [10_000, 100_000]) {
    const file = join(folder, `${records}.xml.gz`);
    const report = reportOf(records);
    // The file is compressed with the fastest method, so that it is not refused as a bomb.
    writeFileSync(file, gzipSync(report, { level: 1 }));
    const reads = Array.from(
      { length: rounds },
      () =>
        JSON.parse(
          execFileSync(process.execPath, [reader, file], { encoding: 'utf8' }),
        ) as ReadResult,
    );
    for (const { faults } of reads) if (faults.length > 0) throw new Error(faults.join());
    const seconds = median(reads.map((result) => result.seconds));
    const megabytes = median(reads.map((read) => read.megabytes));
    results.push({ records, bytes: report.length, seconds, megabytes });
    console.log(
      `${(report.length / 1e6).toFixed(0)} MB with ${records.toLocaleString('en')} records: ` +
        `${seconds.toFixed(1)} s of processor time (limit ${MAX.seconds}), ` +
        `+${megabytes.toFixed(0)} MB (limit ${MAX.megabytes}), ${reads[0]?.rows ?? 0} rows`,
    );
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
if (values.json) console.log(JSON.stringify({ bench: 'report-file', ratio: 1, reads: results }));
const isSlow = ({ seconds, megabytes }: { seconds: number; megabytes: number }) =>
  seconds > MAX.seconds || megabytes > MAX.megabytes;
if (results.some(isSlow)) process.exitCode = 1;
