// Report files are read in the forms that mail servers send, and hostile files are refused.
import fc from 'fast-check';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { propertyOptions } from '#testing/setup/property-runs.ts';
import { createZip } from '#testing/setup/zip.ts';
import {
  renderDmarcXml,
  renderForwardedEmail,
  OWN_ROW,
  reportEmail,
  type SampleReport,
} from '#testing/worlds/dmarc-reports.ts';
import { type DmarcReport, selectLargestRows } from './dmarc.ts';
import { MAX_RECORDS, MAX_ROWS, REPORT_FAULTS } from './limits.ts';
import { readReports } from './found-reports.ts';
import type { TlsReport } from './tls.ts';

/** There is no DNS server, so no signature can be verified. */
const OPTIONS = { ourSelectors: ['sl1', 'sl2'], dnsServers: ['127.0.0.1:9'] };
const readFile = (file: Buffer | string) => readReports(Buffer.from(file as string), OPTIONS);

async function readDmarc(file: Buffer | string): Promise<DmarcReport> {
  const { reports, faults } = await readFile(file);
  expect(faults).toEqual([]);
  expect(reports).toHaveLength(1);
  return reports[0]?.report as DmarcReport;
}

async function readFault(file: Buffer | string): Promise<string | undefined> {
  const { reports, faults } = await readFile(file);
  expect(reports).toEqual([]);
  return faults[0];
}

const OWN_RECORD = {
  address: '192.0.2.1',
  headerFrom: 'tea.example',
  dkimDomain: 'tea.example',
  selector: 'sl1',
  spfDomain: 'bounce.tea.example',
  dkimPassed: true,
  spfPassed: true,
  dkimAligned: true,
  spfAligned: true,
  disposition: 'none',
  override: 'none',
  isRest: false,
  messages: 1,
};

describe('a DMARC report', () => {
  test('an RFC 7489 report is read with its range, policy and rows', async () => {
    expect(await readDmarc(renderDmarcXml({ policy: 'quarantine' }))).toEqual({
      kind: 'dmarc',
      organization: 'receiver.example',
      reportId: 'report-1',
      domain: 'tea.example',
      policy: 'quarantine',
      begin: 1_795_824_000,
      end: 1_795_910_399,
      rows: [OWN_RECORD],
      repairs: [],
    });
  });

  test('an RFC 9990 report is read with its namespace, disposition `pass` and unknown extensions', async () => {
    const modernReport = renderDmarcXml({ rows: [{ ...OWN_ROW, disposition: 'pass' }] })
      .replace('<feedback>', '<feedback xmlns="urn:ietf:params:xml:ns:dmarc-2.0">')
      .replace('<pct>100</pct>', '<np>reject</np><testing>y</testing>')
      .replace('</report_metadata>', '<generator>x</generator></report_metadata>')
      .replace('</feedback>', '<extension><x:a xmlns:x="y"><b>1</b></x:a></extension></feedback>');
    expect(await readDmarc(modernReport)).toMatchObject({
      domain: 'tea.example',
      rows: [OWN_RECORD],
    });
  });

  test('a report in a draft format is read with prefixes, identities, capitals and a different order', async () => {
    const xml = renderDmarcXml();
    const metadata = /<report_metadata>.*<\/report_metadata>/.exec(xml)?.[0] ?? '';
    const draft = xml
      .replace(metadata, '')
      .replace('</feedback>', `${metadata}</feedback>`)
      .replaceAll('identifiers', 'identities')
      .replaceAll('<dkim>pass</dkim>', '<dkim>Pass</dkim>')
      .replaceAll('tea.example</header_from>', 'Tea.Example.</header_from>')
      .replaceAll(/<(\/?)(record|row|feedback)>/g, '<$1dmarc:$2>');
    expect(await readDmarc(draft)).toMatchObject({
      organization: 'receiver.example',
      rows: [OWN_RECORD],
    });
  });

  test.each<[string, SampleReport, Partial<typeof OWN_RECORD>]>([
    [
      'the aligned signature that passed counts among several',
      {
        rows: [
          {
            dkim: [
              { domain: 'esp.example', selector: 'x' },
              { domain: 'tea.example', selector: 'other', result: 'fail' },
              { domain: 'tea.example', selector: 'sl2' },
            ],
          },
        ],
      },
      { dkimDomain: 'tea.example', selector: 'sl2', dkimPassed: true },
    ],
    ['IPv4 in IPv6 is IPv4', { rows: [{ ip: '::ffff:192.0.2.9' }] }, { address: '192.0.2.9' }],
    ['an invalid address is empty', { rows: [{ ip: 'unknown' }] }, { address: '' }],
    ['equal rows are summed up', { rows: [{ count: 2 }, { count: 3 }] }, { messages: 5 }],
    [
      'a forwarder is named by type',
      { rows: [{ reasons: [{ type: 'forwarded' }] }] },
      { override: 'forwarded' },
    ],
    [
      'a forwarder is named by ARC in a comment',
      { rows: [{ reasons: [{ type: 'local_policy', comment: 'arc=pass as.1' }] }] },
      { override: 'forwarded' },
    ],
    [
      'a mailing list is named',
      { rows: [{ reasons: [{ type: 'other' }, { type: 'Mailing_List' }] }] },
      { override: 'mailing_list' },
    ],
    [
      'a rejected row keeps its disposition',
      { rows: [{ disposition: 'Reject', dkimAligned: false, spfAligned: false }] },
      { disposition: 'reject', dkimAligned: false, spfAligned: false },
    ],
  ])('a DMARC report is read so that %s', async (_, report, row) => {
    const { rows } = await readDmarc(renderDmarcXml(report));
    expect(rows).toHaveLength(1);
    expect(rows[0]).toMatchObject(row);
  });

  test('a report is read with times in milliseconds or in ISO 8601', async () => {
    const report = { begin: '2026-11-28T00:00:00Z', end: 1_795_910_399_000 };
    expect(await readDmarc(renderDmarcXml(report))).toMatchObject({
      begin: 1_795_824_000,
      end: 1_795_910_399,
    });
  });

  test('a faulty report is repaired, and the kinds of repairs are reported', async () => {
    const readRepairs = async (file: Buffer | string) => (await readDmarc(file)).repairs;
    const schema = renderDmarcXml().replace('<feedback>', '<xs:schema><feedback>');
    expect(await readRepairs(schema)).toEqual(['syntax']);
    expect(
      await readRepairs(renderDmarcXml().replace('</feedback>', '</xs:schema></feedback>')),
    ).toEqual(['syntax']);
    expect(await readRepairs(renderDmarcXml({ organization: 'a & b\u0001' }))).toEqual([
      'control_characters',
      'syntax',
    ]);
    const latin = Buffer.from(renderDmarcXml({ organization: 'Caf\u00e9' }), 'latin1');
    expect(await readRepairs(latin)).toEqual(['encoding']);
    const mislabeledReport = latin.toString('latin1').replace('UTF-8', 'ISO-8859-1');
    expect(await readDmarc(Buffer.from(mislabeledReport, 'latin1'))).toMatchObject({
      organization: 'Caf\u00e9',
      repairs: [],
    });
    const wideReport = Buffer.from(`\ufeff${renderDmarcXml()}`, 'utf16le');
    expect(await readDmarc(wideReport)).toMatchObject({ rows: [OWN_RECORD], repairs: [] });
    expect(await readRepairs(renderDmarcXml({ rows: [OWN_ROW, { count: 'many' }] }))).toEqual([
      'values',
    ]);
  });

  test('a report contains all messages even if the rows beyond a limit are added up', async () => {
    const ips = Array.from({ length: 40 }, (_, n) => `10.0.0.${n}`);
    const { rows } = await readDmarc(
      renderDmarcXml({ rows: ips.map((ip, n) => ({ ...OWN_ROW, ip, count: n + 1 })) }),
    );
    const largest = selectLargestRows(rows, 10);
    expect(largest).toHaveLength(11);
    expect(largest.at(-1)).toMatchObject({ isRest: true, address: '', messages: 465 });
    expect(largest.reduce((sum, { messages }) => sum + messages, 0)).toBe(820);
  });
});

describe('a TLS report', () => {
  const report = {
    'organization-name': 'Receiver',
    'report-id': 'tls-1',
    'date-range': {
      'start-datetime': '2026-11-28T00:00:00Z',
      'end-datetime': '2026-11-28T23:59:59Z',
    },
    policies: [
      {
        policy: { 'policy-type': 'sts', 'policy-domain': 'Tea.example' },
        summary: { 'total-successful-session-count': 90, 'total-failure-session-count': 10 },
        'failure-details': [{ 'result-type': 'certificate-expired', 'failed-session-count': 7 }],
      },
    ],
  };
  const readTls = async (value: unknown) => {
    const { reports, faults } = await readFile(gzipSync(JSON.stringify(value)));
    return (reports[0]?.report as TlsReport | undefined) ?? faults[0];
  };

  test('a TLS report is read with its results', async () => {
    expect(await readTls(report)).toEqual({
      kind: 'tls',
      organization: 'Receiver',
      reportId: 'tls-1',
      domain: 'tea.example',
      begin: 1_795_824_000,
      end: 1_795_910_399,
      rows: [
        { policy: 'sts', result: 'success', sessions: 90 },
        { policy: 'sts', result: 'certificate-expired', sessions: 7 },
        { policy: 'sts', result: 'unknown', sessions: 3 },
      ],
    });
  });

  test('a TLS report is read if optional fields are null, and refused without policies or range', async () => {
    const bareReport = {
      ...report,
      'organization-name': null,
      policies: [{ policy: null, summary: null }],
    };
    expect(await readTls(bareReport)).toMatchObject({ organization: '', domain: '', rows: [] });
    expect(await readTls({ 'date-range': report['date-range'], policies: null })).toBe('no_report');
    expect(await readTls({ ...report, 'date-range': null })).toBe('no_range');
    expect(await readTls([])).toBe('no_report');
  });
});

describe('a file', () => {
  const xml = renderDmarcXml();

  test.each<[string, Buffer | string]>([
    ['plain XML', xml],
    ['XML after a byte order mark and spaces', `\ufeff \r\n${xml}`],
    ['gzip', gzipSync(xml)],
    ['ZIP', createZip({ 'a!b.xml': xml })],
    [
      'ZIP from macOS',
      createZip({ '__MACOSX/._a.xml': 'x', 'reports/': '', 'reports/a.xml': xml }),
    ],
    ['an email with gzip', reportEmail(gzipSync(xml))],
    [
      'an email with a wrong type and name',
      reportEmail(gzipSync(xml), { type: 'text/plain', name: 'report.zip' }),
    ],
    ['an email with XML as its text', `From: a@receiver.example\r\nSubject: x\r\n\r\n${xml}\r\n`],
    [
      'an email whose body is the archive',
      `From: a@b.example\r\nMIME-Version: 1.0\r\nContent-Type: application/zip\r\nContent-Transfer-Encoding: base64\r\n\r\n${createZip({ 'a.xml': xml }).toString('base64')}\r\n`,
    ],
    ['a forwarded email', renderForwardedEmail(reportEmail(gzipSync(xml)))],
    [
      'an email forwarded twice',
      renderForwardedEmail(renderForwardedEmail(reportEmail(gzipSync(xml)))),
    ],
  ])('a file is read if it is %s', async (_, file) => {
    expect(await readDmarc(file)).toMatchObject({ domain: 'tea.example', rows: [OWN_RECORD] });
  });

  test.each<[string, Buffer | string, string]>([
    ['no content', '', 'empty'],
    ['plain text', 'hello', 'no_report'],
    ['other XML', '<rss/>', 'no_report'],
    ['a truncated gzip archive', gzipSync(xml).subarray(0, 100), 'damaged'],
    ['a truncated ZIP', createZip({ 'a.xml': xml }).subarray(0, 100), 'damaged'],
    ['a ZIP with a false size', createZip({ 'a.xml': xml }, { unpackedBytes: 10 }), 'damaged'],
    ['two reports in one ZIP', createZip({ 'a.xml': xml, 'b.xml': xml }), 'several_files'],
    ['an empty ZIP', createZip({}), 'no_report'],
    ['an archive in an archive', gzipSync(gzipSync(xml)), 'nested'],
    ['a gzip bomb', gzipSync(`<feedback>${' '.repeat(60_000_000)}`), 'unpacked_too_large'],
    [
      'a ZIP bomb',
      createZip({ 'a.xml': `<feedback>${' '.repeat(20_000_000)}` }),
      'unpacked_too_large',
    ],
    [
      'external entities',
      xml.replace('<feedback>', '<!DOCTYPE f [<!ENTITY x SYSTEM "file:///etc/passwd">]><feedback>'),
      'doctype',
    ],
    ['deeply nested elements', `<feedback>${'<a>'.repeat(1000)}`, 'too_deep'],
    ['many faults', `<feedback>${'&x;'.repeat(2000)}</feedback>`, 'damaged'],
    [
      'too many records',
      `<feedback>${'<record></record>'.repeat(MAX_RECORDS + 1)}`,
      'too_many_records',
    ],
    ['an impossible count', renderDmarcXml({ rows: [{ count: 2 ** 31 }] }), 'count_too_large'],
    ['no domain', renderDmarcXml({ domain: '' }), 'no_domain'],
    ['a formula as domain', renderDmarcXml({ domain: '=cmd|x!A1' }), 'no_domain'],
    ['a range that ends before it begins', renderDmarcXml({ begin: 9, end: 8 }), 'no_range'],
  ])('a file with %s is refused with its fault', async (_, file, fault) => {
    expect(await readFault(file)).toBe(fault);
  });

  test('a file with an unknown entity or a long name is read, and the entity is not expanded', async () => {
    const longReport = renderDmarcXml({ organization: `${'x'.repeat(1_000_000)}` });
    expect((await readDmarc(longReport)).organization).toHaveLength(200);
    expect((await readDmarc(renderDmarcXml({ organization: 'a&xxe;b' }))).organization).toBe(
      'a&xxe;b',
    );
  });

  // `npm run bench -- report-file` measures a file with the maximum of 50 MB.
  test('a 5 MB file is read within one second of CPU time, up to the row limit', async () => {
    const senders = Array.from({ length: 10_000 }, (_, n) => ({
      ip: `10.0.${n >> 8}.${n & 255}`,
      count: 1 + (n % 7),
      dkim: [{ domain: `sender${n % 97}.example`, selector: `s${n % 13}` }],
      spf: [{ domain: `bounce${n % 89}.example` }],
    }));
    const largeReport = renderDmarcXml({ rows: senders }).replaceAll(
      '</row>',
      `${' '.repeat(100)}</row>`,
    );
    expect(largeReport.length).toBeGreaterThan(5_000_000);
    const compressed = gzipSync(largeReport);
    const cpuBefore = process.threadCpuUsage();
    const { rows } = await readDmarc(compressed);
    const { user, system } = process.threadCpuUsage(cpuBefore);
    expect((user + system) / 1_000).toBeLessThan(1_000);
    const messages = rows.reduce((sum, row) => sum + row.messages, 0);
    expect(messages).toBe(senders.reduce((sum, { count }) => sum + count, 0));
    expect(rows).toHaveLength(MAX_ROWS + 1);
  });

  test('an email with nine reports yields the first five', async () => {
    const createPart = (n: number) =>
      `--B\r\nContent-Type: text/xml; name=a${n}.xml\r\nContent-Disposition: attachment\r\n\r\n${renderDmarcXml({ id: String(n) })}\r\n`;
    const partList = Array.from({ length: 9 }, (_, n) => createPart(n)).join('');
    const head =
      'From: a@b.example\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=B\r\n\r\n';
    const { reports } = await readFile(`${head}${partList}--B--\r\n`);
    expect(reports.map(({ report }) => report.reportId)).toEqual(['0', '1', '2', '3', '4']);
  });

  test('a file of arbitrary bytes yields reports or a known error', async () => {
    const seeds = [
      xml,
      gzipSync(xml),
      createZip({ 'a.xml': xml }),
      reportEmail(gzipSync(xml)),
      renderForwardedEmail(reportEmail(xml)),
      JSON.stringify({ 'report-id': '1', policies: [{ policy: {} }], 'date-range': {} }),
    ].map((seed) => Buffer.from(seed as string));
    const edit = fc.record({
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      cut: fc.nat(40),
      insert: fc.oneof(
        fc.uint8Array({ maxLength: 20 }).map((bytes) => Buffer.from(bytes)),
        fc
          .constantFrom(
            '<record>',
            '</row>',
            '<!--',
            ']]>',
            '<![CDATA[',
            '&#0;',
            '<?x',
            '"',
            '\0',
            '{',
            '[',
          )
          .map((text) => Buffer.from(text)),
      ),
    });
    const file = fc
      .tuple(fc.constantFrom(...seeds), fc.array(edit, { minLength: 1, maxLength: 6 }))
      .map(([seed, edits]) =>
        edits.reduce((bytes, { at, cut, insert }) => {
          const cutStart = Math.floor(at * bytes.length);
          return Buffer.concat([
            bytes.subarray(0, cutStart),
            insert,
            bytes.subarray(cutStart + cut),
          ]);
        }, seed),
      );
    await fc.assert(
      fc.asyncProperty(file, async (bytes) => {
        const { reports, faults } = await readFile(bytes);
        expect(reports.length + faults.length).toBeGreaterThan(0);
        for (const fault of faults) expect(REPORT_FAULTS).toContain(fault);
        for (const { report, signer } of reports) {
          expect(signer).toBe('');
          expect(JSON.stringify(report)).not.toContain('\\u0000');
        }
      }),
      propertyOptions(20_000, 300),
    );
  });
});
