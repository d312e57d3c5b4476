// Data that reports of other mail servers are compared with: an account's domains, their keys,
// return paths and DMARC records.
import type { Config } from '#platform/server/config.ts';
import type { Reader } from '#platform/server/database/database.ts';
import type { SendingHosts } from './dns-check.ts';
import { SELECTORS } from './domains.ts';
import * as store from './domains.sql.ts';
import type { DnsStatus } from './proof.ts';
import { reportAddress, requestsReports } from './report-address.ts';

export type ReportedDomain = {
  id: number;
  domain: string;
  /** Selectors of this installation's keys. */
  selectors: string[];
  returnPath: string;
  /** Null on an installation that receives no email. */
  address: string | null;
  /** The governing DMARC record requests reports to the address. */
  isRequested: boolean;
  /** Null without a DMARC record, undefined before the first check. */
  policy: string | null | undefined;
  /** Proofs by the DNS records for email that is sent now; undefined before the first check. */
  proofs: { dkim: boolean; spf: boolean } | undefined;
};

export function sendingHosts(config: Config): SendingHosts {
  return {
    tracking: new URL(config.publicUrl).hostname,
    bounces: config.bounceDomain,
    receivesReports: config.returnPath !== undefined,
  };
}

/** The account's domains with the data that reports are compared with, sorted by name. */
export async function reportedDomains(
  db: Reader,
  accountId: number,
  hosts: SendingHosts,
): Promise<ReportedDomain[]> {
  const names = await store.listNames(db, accountId);
  const rows = await store.findDomains(
    db,
    accountId,
    names.map(({ id }) => id),
  );
  return rows
    .map((row) => presentReported(row, hosts))
    .sort((a, b) => a.domain.localeCompare(b.domain, 'en'));
}

function presentReported(row: store.DomainRow, hosts: SendingHosts): ReportedDomain {
  const { dmarc, alignment } = row.dns_status as DnsStatus;
  const address = reportAddress(row.domain, { accountId: row.account_id, domainId: row.id }, hosts);
  return {
    id: row.id,
    domain: row.domain,
    selectors: SELECTORS,
    returnPath: `bounce.${row.domain}`,
    address: address ?? null,
    isRequested: address !== undefined && requestsReports(dmarc?.record ?? '', address),
    policy: dmarc === undefined ? undefined : (alignment?.dmarc_policy ?? null),
    proofs: alignment && { dkim: alignment.dkim, spf: alignment.spf },
  };
}
