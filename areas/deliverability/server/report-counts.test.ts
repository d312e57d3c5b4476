// Each received file is parsed, duplicate, unreadable or foreign, both in the metrics and in the
// counts of the list of files. Each report counts once in the stored sums, even if it arrives in
// several ways.
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clock } from '#platform/server/clock.ts';
import { type TestDns, testDns } from '#testing/servers/dns-server.ts';
import { propertyOptions } from '#testing/setup/property-runs.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import { upload } from '#testing/setup/upload.ts';
import {
  renderDmarcXml,
  reportEmail,
  signEmail,
  signingRecord,
  renderTlsJson,
} from '#testing/worlds/dmarc-reports.ts';
import type { DomainReports, FileCounts } from '../contract.ts';
import { receiveReport } from './index.ts';

const API = '/client-api/api/deliverability';
const DAY = 86_400;

let server: TestServer;
let dns: TestDns;

beforeAll(async () => {
  dns = await testDns();
  const record = signingRecord('receiver.example');
  dns.zone.set(record.name, { TXT: [record.value] });
  server = await testServer({
    DNS_SERVERS: dns.address,
    BOUNCE_DOMAIN: 'bounces.loom.example',
    RETURN_SMTP_PORT: '2525',
    SMTP_URL: 'smtp://127.0.0.1:2525',
    SIGN_UP: 'open',
  });
});
afterAll(() => dns.close());

const begin = Math.floor(clock.now().getTime() / 1000 / DAY - 1) * DAY;
const range = { begin, end: begin + DAY - 1 };
const oldPeriod = { begin: begin - 90 * DAY, end: begin - 89 * DAY };
const rows = [{ count: 10 }];

/** The reports by name; `first` and `second` contain 10 emails each. */
const REPORTS = {
  first: (domain: string) => renderDmarcXml({ ...range, domain, rows, id: 'first' }),
  second: (domain: string) => renderDmarcXml({ ...range, domain, rows, id: 'second' }),
  tls: (domain: string) => renderTlsJson({ ...range, domain }),
  old: (domain: string) => renderDmarcXml({ ...oldPeriod, domain, rows }),
  foreign: () => renderDmarcXml({ ...range, domain: 'stranger.example', rows }),
  damaged: () => '<feedback>',
};
type Name = keyof typeof REPORTS;
type CountedResult = 'parsed' | 'duplicate' | 'foreign' | 'unreadable';

/**
 * A file with one or more reports, which arrives as an upload, an email, or an email with a valid
 * signature.
 */
type File = { names: readonly Name[]; channel: 'upload' | 'email' | 'signed' };

const name = fc.constantFrom(...(Object.keys(REPORTS) as Name[]));
const file: fc.Arbitrary<File> = fc.record({
  names: fc.oneof(
    { weight: 3, arbitrary: name.map((onlyName) => [onlyName]) },
    { weight: 1, arbitrary: fc.uniqueArray(name, { minLength: 2, maxLength: 5 }) },
    { weight: 1, arbitrary: fc.constant([]) },
  ),
  channel: fc.constantFrom('upload', 'email', 'signed'),
});

/** Calculates the expected counts. Files must be added in the order of their arrival. */
class ExpectedResults {
  readonly files: Record<string, number> = {};
  readonly results: Record<string, number> = {};
  /** The stored reports; true if a signed email proved the report. */
  readonly stored = new Map<Name, boolean>();

  add({ names, channel }: File): void {
    const results = names.map((name) => this.computeResult(name, channel === 'signed'));
    if (results.length === 0) results.push('unreadable');
    for (const result of results) this.results[result] = (this.results[result] ?? 0) + 1;
    const order: CountedResult[] = ['parsed', 'duplicate', 'foreign', 'unreadable'];
    const state = order.find((result) => results.includes(result)) ?? '';
    this.files[state] = (this.files[state] ?? 0) + 1;
  }

  private computeResult(name: Name, isSigned: boolean): CountedResult {
    if (name === 'foreign') return 'foreign';
    if (name === 'old' || name === 'damaged') return 'unreadable';
    const isProven = this.stored.get(name);
    if (isProven === true || isProven === isSigned) return 'duplicate';
    this.stored.set(name, isSigned);
    return 'parsed';
  }
}

/** Returns a counter's totals by label. */
async function readSums(metric: string, label: string): Promise<Record<string, number>> {
  const { text } = await server.client().get('/metrics');
  const counts: Record<string, number> = {};
  const lines = text.matchAll(new RegExp(`^sendloom_${metric}\\{(.*)\\} (\\d+)$`, 'gm'));
  for (const [, labels = '', value] of lines) {
    const key = new RegExp(`\\b${label}="([^"]*)"`).exec(labels)?.[1] ?? '';
    counts[key] = (counts[key] ?? 0) + Number(value);
  }
  return counts;
}

const readCounters = async () => ({
  received: await readSums('report_files_total', 'origin'),
  settled: await readSums('report_files_settled_total', 'state'),
  results: await readSums('reports_total', 'result'),
});

function computeIncrease(after: Record<string, number>, before: Record<string, number>) {
  const entries = Object.entries(after).map(([key, n]) => [key, n - (before[key] ?? 0)] as const);
  return Object.fromEntries(entries.filter(([, n]) => n !== 0));
}

let domains = 0;

const sumOf = (counts: Record<string, number>) =>
  Object.values(counts).reduce((sum, count) => sum + count, 0);

test('each received file is classified as parsed, duplicate, unreadable or foreign, and each report counts once', async () => {
  const check = fc.asyncProperty(
    fc.array(file, { minLength: 6, maxLength: 20 }),
    async (receivedFiles) => {
      const owner = await server.owner();
      const domain = `tea${domains++}.example`;
      const response = await owner.post('/client-api/api/domains', { email: `a@${domain}` });
      const { id, reports } = response.body.data;
      const before = await readCounters();
      const expected = new ExpectedResults();
      for (const { names, channel } of receivedFiles) {
        const contents = names.map((name) => REPORTS[name](domain));
        const email = reportEmail(contents);
        if (channel === 'upload') {
          const bytes = contents.length === 1 ? Buffer.from(contents[0] ?? '') : email;
          expect((await upload(owner, bytes, 'report', `${API}/files`)).status).toBe(200);
        } else {
          const bytes = channel === 'signed' ? await signEmail(email) : email;
          await receiveReport(server.db, { to: [reports.address], bytes });
        }
        await server.runJobs();
        expected.add({ names, channel });
      }
      const after = await readCounters();
      expect(sumOf(computeIncrease(after.received, before.received))).toBe(receivedFiles.length);
      expect(computeIncrease(after.settled, before.settled)).toEqual(expected.files);
      expect(computeIncrease(after.results, before.results)).toEqual(expected.results);
      const { counts } = (await owner.get(`${API}/files`)).body as { counts: FileCounts };
      const { received: receivedFileCount, ...states } = counts;
      expect(receivedFileCount).toBe(receivedFiles.length);
      expect(computeIncrease(states, {})).toEqual(expected.files);
      const { totals, tls } = (await owner.get(`${API}/domains/${id}`)).body.data as DomainReports;
      const isSigned = (name: Name) => expected.stored.get(name) === true;
      const dmarc = (['first', 'second'] as const).filter((name) => expected.stored.has(name));
      expect(totals.messages).toBe(10 * dmarc.filter(isSigned).length);
      expect(totals.unsigned).toBe(10 * dmarc.filter((name) => !isSigned(name)).length);
      expect(tls.sessions).toBe(isSigned('tls') ? 12 : 0);
    },
  );
  await fc.assert(check, propertyOptions(40, 4));
});

test('a file whose domain is removed before it is read is counted as foreign', async () => {
  const owner = await server.owner();
  const { id, reports } = (await owner.post('/client-api/api/domains', { email: 'a@jam.example' }))
    .body.data;
  const before = await readCounters();
  const bytes = reportEmail(REPORTS.first('jam.example'));
  await receiveReport(server.db, { to: [reports.address], bytes });
  await owner.delete(`/client-api/api/domains/${id}`);
  await server.runJobs();
  const after = await readCounters();
  expect(computeIncrease(after.received, before.received)).toEqual({ email: 1 });
  expect(computeIncrease(after.settled, before.settled)).toEqual({ foreign: 1 });
});
