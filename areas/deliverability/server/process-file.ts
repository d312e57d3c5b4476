// Reads a received file in a thread and stores its reports. A report is stored once per signer,
// even if it arrives in several ways. A signed report replaces an unsigned one with the same
// claims.
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import {
  type DomainAuthentication,
  listDomainAuthentication,
} from '#areas/domains/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction, type Tx } from '#platform/server/database/database.ts';
import { files } from '#platform/server/files/files.ts';
import { defineWork } from '#platform/server/work/work-pool.ts';
import { countSettled } from './metrics.ts';
import type { FileToProcess } from './process-file-job.ts';
import { selectLargestRows } from './reading/dmarc.ts';
import { MAX_ROWS, ReportError, type ReportFault } from './reading/limits.ts';
import type { FileContent, FoundReport, ReadOptions, ReadReport } from './reading/found-reports.ts';
import { isWithin } from './reading/values.ts';
import * as store from './reports.sql.ts';
import { identifySource } from './sources.ts';

type Hosts = Parameters<typeof listDomainAuthentication>[2];
export type ProcessingContext = { hosts: Hosts; dnsServers: readonly string[] | undefined };

const DAY_MS = 86_400_000;
const MAX_RANGE_MS = 7 * DAY_MS;
const MAX_AGE_MS = 60 * DAY_MS;
const MAX_AHEAD_MS = 2 * DAY_MS;

const readInThread = defineWork<{ bytes: Uint8Array; options: ReadOptions }, FileContent>({
  kind: 'report',
  url: new URL('./reading/read-work.ts', import.meta.url),
  cpuMs: 10_000,
  createKillError: () => new ReportError('too_heavy'),
  getCacheKey: ({ bytes }) => createHash('sha256').update(bytes).digest('base64'),
});

type FileOutcome = 'parsed' | 'duplicate' | 'unreadable' | 'foreign';

export async function processFile(
  db: Db,
  { accountId, fileId, fileKey }: FileToProcess,
  tools: ProcessingContext,
): Promise<void> {
  const file = await store.findFile(db, accountId, fileId);
  // The files of a deleted domain remain queued, so they are counted here.
  if (!file) countSettled('foreign', [{ kind: 'file', outcome: 'foreign' }]);
  if (!file || file.state !== 'waiting') return files.remove(fileKey);
  const content = await files.get(fileKey);
  const domains = await listDomainAuthentication(db, accountId, tools.hosts);
  const ourSelectors = [...new Set(domains.flatMap(({ selectors }) => selectors))];
  const options = { ourSelectors, dnsServers: tools.dnsServers };
  const { reports, faults } = await readContent(content, options, accountId);
  const results: FileResult[] = faults.map((fault) => ({
    kind: 'file',
    outcome: 'unreadable',
    fault,
  }));
  const state = await inTransaction(db, async (tx) => {
    for (const foundReport of reports) {
      results.push(await storeReport(tx, accountId, foundReport, domains, file.domain_id));
    }
    return settleFile(tx, accountId, fileId, results);
  });
  countSettled(state, results);
  await files.remove(fileKey);
}

type FileResult = { kind: 'file' | ReadReport['kind']; outcome: FileOutcome; fault?: ReportFault };

async function readContent(
  content: Readable | undefined,
  options: ReadOptions,
  accountId: number,
): Promise<FileContent> {
  if (!content) return { reports: [], faults: ['empty'] };
  const bytes = await buffer(content);
  try {
    return await readInThread({ bytes, options }, { key: accountId });
  } catch (error) {
    if (error instanceof ReportError) return { reports: [], faults: [error.fault] };
    throw error;
  }
}

/** Settles a file with the best state of its reports and the first error as the explanation. */
async function settleFile(
  tx: Tx,
  accountId: number,
  fileId: number,
  results: readonly FileResult[],
): Promise<FileOutcome> {
  const order: FileOutcome[] = ['parsed', 'duplicate', 'foreign', 'unreadable'];
  const outcomes = new Set(results.map(({ outcome }) => outcome));
  const state = order.find((outcome) => outcomes.has(outcome)) ?? 'unreadable';
  await store.updateFile(tx, accountId, fileId, {
    state,
    fault: results.find(({ fault }) => fault !== undefined)?.fault ?? null,
    reports: results.filter(({ outcome }) => outcome === 'parsed').length,
    settled_at: clock.now(),
  });
  return state;
}

/** Settles a file after its job has repeatedly crashed the worker process. */
export async function abandonFile(
  db: Db,
  { accountId, fileId, fileKey }: FileToProcess,
): Promise<void> {
  const results: FileResult[] = [{ kind: 'file', outcome: 'unreadable', fault: 'too_heavy' }];
  const state = await inTransaction(db, (tx) => settleFile(tx, accountId, fileId, results));
  countSettled(state, results);
  await files.remove(fileKey);
}

async function storeReport(
  tx: Tx,
  accountId: number,
  { report, signer }: FoundReport,
  domains: readonly DomainAuthentication[],
  domainId: number | null,
): Promise<FileResult> {
  const { kind } = report;
  const owner = findOwner(report, domains, domainId);
  if (!owner) return { kind, outcome: 'foreign', fault: 'foreign_domain' };
  const at = clock.now();
  const fault = findRangeFault(report, at);
  if (fault) return { kind, outcome: 'unreadable', fault };
  const row = createReport(report, {
    domainId: owner.id,
    domain: owner.domain,
    signer,
    at,
  });
  await store.lockReport(tx, accountId, row);
  const signers = await store.listSigners(tx, accountId, row);
  const isKnown = signers.includes(signer) || (signer === '' && signers.length > 0);
  if (isKnown) return { kind, outcome: 'duplicate' };
  if (signer !== '') await store.deleteUnsignedReport(tx, accountId, row);
  await store.insertReport(tx, accountId, row);
  if (report.kind === 'tls') await store.insertTlsSums(tx, accountId, row, report.rows);
  else {
    const storedCount = await store.countSums(tx, accountId, row);
    const rows = selectLargestRows(report.rows, Math.max(0, MAX_ROWS - storedCount));
    const withSources = rows.map((sums) => ({
      ...sums,
      source: identifySource(sums, owner),
    }));
    await store.insertDmarcSums(tx, accountId, row, withSources);
  }
  return { kind, outcome: 'parsed' };
}

/**
 * Returns the account's domain that equals the reported domain, or the nearest parent domain. For
 * an email to a domain's report address, only that domain is accepted.
 */
function findOwner(
  { domain }: ReadReport,
  domains: readonly DomainAuthentication[],
  domainId: number | null,
): DomainAuthentication | undefined {
  const candidates = domains.filter(({ id }) => domainId === null || id === domainId);
  // TLS reports may lack the domain. Then the report address to which it was sent determines it.
  if (domain === '') return domainId === null ? undefined : candidates[0];
  return candidates
    .filter((candidate) => isWithin(domain, candidate.domain))
    .sort((a, b) => b.domain.length - a.domain.length)[0];
}

function findRangeFault({ begin, end }: ReadReport, at: Date): ReportFault | undefined {
  if ((end - begin) * 1000 > MAX_RANGE_MS) return 'range_too_long';
  if (begin * 1000 < at.getTime() - MAX_AGE_MS) return 'too_old';
  return end * 1000 > at.getTime() + MAX_AHEAD_MS ? 'in_future' : undefined;
}

/**
 * Returns the day at the middle of the period, because the day of each reporter begins at midnight
 * in the reporter's time zone.
 */
const getMiddleDay = ({ begin, end }: ReadReport) =>
  new Date(((begin + end) / 2) * 1000).toISOString().slice(0, 10);

function createReport(
  report: ReadReport,
  reportKey: { domainId: number; domain: string; signer: string; at: Date },
): store.NewReport {
  const { kind, organization, reportId, domain, begin, end } = report;
  const claims = [organization.toLowerCase(), reportId, domain || reportKey.domain, begin, end];
  const counts =
    report.kind === 'dmarc'
      ? report.rows.map(({ messages }) => messages)
      : report.rows.map(({ sessions }) => sessions);
  return {
    kind,
    hash: createHash('sha256').update(JSON.stringify(claims)).digest(),
    domainId: reportKey.domainId,
    signer: reportKey.signer,
    organization,
    policy: report.kind === 'dmarc' ? report.policy : null,
    begin: new Date(begin * 1000),
    end: new Date(end * 1000),
    day: getMiddleDay(report),
    messages: counts.reduce((sum, count) => sum + count, 0),
    repairs: report.kind === 'dmarc' ? report.repairs : [],
    at: reportKey.at,
  };
}
