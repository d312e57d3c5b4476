// Checks BIMI on request and daily: the record of a domain, its logo, and the certificate of the
// logo.
import type { Resolver } from 'node:dns/promises';
import { forEachAccount } from '#areas/accounts/server/index.ts';
import {
  type DomainAuthentication,
  listDomainAuthentication,
} from '#areas/domains/server/index.ts';
import { cleanText } from '#platform/server/clean-text.ts';
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction, type Reader } from '#platform/server/database/database.ts';
import type { Poller } from '#platform/server/jobs/pollers.ts';
import { callPublic } from '#platform/server/outgoing/outgoing-call.ts';
import type { Bimi, BimiFinding } from '../../contract.ts';
import { findBimi, saveBimi } from './bimi.sql.ts';
import { type CertificateProof, findCertificateFaults } from './certificate.ts';
import { findLogoFaults } from './logo.ts';

const DAY_MS = 86_400_000;
const MAX_LOGO_BYTES = 32 * 1024;
const MAX_CERTIFICATE_BYTES = 128 * 1024;
const TIMEOUT_MS = 15_000;
const MAX_URL = 500;

type BimiResult = Omit<Bimi, 'checked'>;
type BimiDomain = Pick<DomainAuthentication, 'domain' | 'policy'>;

const NO_RECORD: BimiResult = {
  ...{ record: null, logo: null, certificate: null, findings: [], valid_until: null },
};

/** Checks record, logo and certificate; undefined without a definite DNS response. */
export async function checkBimi(
  resolver: Resolver,
  { domain, policy }: BimiDomain,
): Promise<BimiResult | undefined> {
  const record = await resolveRecord(resolver, domain);
  if (record === undefined) return undefined;
  if (record === null) return { ...NO_RECORD, findings: ['record_missing'] };
  const tags = parseTags(record);
  const logo = tags.get('l') ?? '';
  const certificate = tags.get('a') ?? '';
  const findings: BimiFinding[] = [];
  // BIMI requires a DMARC policy that receivers enforce.
  if (policy !== 'quarantine' && policy !== 'reject') findings.push('policy');
  findings.push(...(await checkLogo(logo)));
  const proof = await checkCertificate(certificate, domain);
  findings.push(...proof.findings);
  return {
    record: record.slice(0, 2 * MAX_URL),
    ...{ logo: logo || null, certificate: certificate || null },
    ...{ findings: [...new Set(findings)], valid_until: proof.validUntil },
  };
}

async function resolveRecord(
  resolver: Resolver,
  domain: string,
): Promise<string | null | undefined> {
  try {
    const records = await resolver.resolveTxt(`default._bimi.${domain}`);
    return (
      records.map((parts) => cleanText(parts.join(''))).find((text) => /^v=BIMI1\b/i.test(text)) ??
      null
    );
  } catch (error) {
    const code = (error as { code?: string }).code ?? '';
    return code === 'ENOTFOUND' || code === 'ENODATA' ? null : undefined;
  }
}

const parseTags = (record: string): Map<string, string> =>
  new Map(
    record.split(';').flatMap((tag) => {
      const [name = '', value] = tag.split(/=(.*)/s);
      return value === undefined ? [] : [[name.trim().toLowerCase(), value.trim()] as const];
    }),
  );

type RetrievedFile = { body: Buffer } | undefined;

async function retrieve(url: string, maxBytes: number): Promise<RetrievedFile> {
  if (!/^https:\/\//i.test(url) || url.length > MAX_URL || !URL.canParse(url)) return undefined;
  try {
    // One byte more than the limit is read, to detect a file that is too large.
    const call = { method: 'GET', timeoutMs: TIMEOUT_MS, maxBytes: maxBytes + 1 } as const;
    const { status, body } = await callPublic(url, call);
    return status === 200 ? { body } : undefined;
  } catch {
    return undefined;
  }
}

async function checkLogo(url: string): Promise<BimiFinding[]> {
  if (url === '') return ['logo_missing'];
  const file = await retrieve(url, MAX_LOGO_BYTES);
  if (!file) return ['logo_unreachable'];
  if (file.body.length > MAX_LOGO_BYTES) return ['logo_large'];
  return findLogoFaults(file.body.toString('utf8'));
}

async function checkCertificate(url: string, domain: string): Promise<CertificateProof> {
  if (url === '') return { findings: ['certificate_missing'], validUntil: null };
  const file = await retrieve(url, MAX_CERTIFICATE_BYTES);
  if (!file) return { findings: ['certificate_unreachable'], validUntil: null };
  return findCertificateFaults(file.body.toString('latin1'), domain, clock.now());
}

export type BimiDependencies = {
  resolver: Resolver;
  hosts: Parameters<typeof listDomainAuthentication>[2];
};

/** Checks one domain immediately. Without a DNS response, the earlier state remains. */
export async function refreshBimi(
  db: Db,
  accountId: number,
  domain: DomainAuthentication,
  { resolver }: BimiDependencies,
): Promise<void> {
  const result = await checkBimi(resolver, domain);
  if (!result) return;
  await inTransaction(db, (tx) => saveBimi(tx, accountId, domain.id, result, clock.now()));
}

export const bimiPoller = (tools: BimiDependencies): Poller => ({
  name: 'deliverability.bimi',
  intervalMs: 3_600_000,
  run: (db, signal) =>
    forEachAccount(db, signal, async (accountId) => {
      const checkedBefore = new Date(clock.now().getTime() - DAY_MS);
      for (const domain of await listDomainAuthentication(db, accountId, tools.hosts)) {
        if (signal.aborted) return;
        const row = await findBimi(db, accountId, domain.id);
        if (!row || row.checked_at < checkedBefore) await refreshBimi(db, accountId, domain, tools);
      }
    }),
});

export async function getBimi(
  db: Reader,
  accountId: number,
  domainId: number,
): Promise<Bimi | null> {
  const row = await findBimi(db, accountId, domainId);
  if (!row) return null;
  const { record, logo, certificate } = row;
  return {
    ...{ record, logo, certificate, findings: row.findings as BimiFinding[] },
    valid_until: row.valid_until?.toISOString() ?? null,
    checked: row.checked_at.toISOString(),
  };
}
