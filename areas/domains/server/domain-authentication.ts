// Lists an account's sending domains with the data against which reports from other mail servers
// are compared: DKIM selectors, return path, DMARC policy and report address.
import type { Config } from '#platform/server/config.ts';
import type { Reader } from '#platform/server/database/database.ts';
import type { SendingHosts } from './dns-check.ts';
import { SELECTORS } from './domains.ts';
import * as store from './domains.sql.ts';
import type { DnsStatus } from './proof.ts';
import { createReportAddress, requestsReports } from './report-address.ts';

export type DomainAuthentication = {
  id: number;
  domain: string;
  /** Selectors of this installation's DKIM keys. */
  selectors: string[];
  returnPath: string;
  /** The domain's address for reports; null on an installation that receives no email. */
  reportAddress: string | null;
  /** Whether the DMARC record that applies to the domain requests reports to `reportAddress`. */
  requestsReports: boolean;
  /** The DMARC policy at the last DNS check; null without a record, undefined before any check. */
  policy: string | null | undefined;
  /** Whether DKIM and SPF were set up at the last DNS check; undefined before any check. */
  proofs: { dkim: boolean; spf: boolean } | undefined;
};

export function readSendingHosts(config: Config): SendingHosts {
  return {
    trackingHost: new URL(config.publicUrl).hostname,
    bounceHost: config.bounceDomain,
    receivesReports: config.returnPath !== undefined,
  };
}

/** Lists all domains of the account, sorted by name. */
export async function listDomainAuthentication(
  db: Reader,
  accountId: number,
  hosts: SendingHosts,
): Promise<DomainAuthentication[]> {
  const names = await store.listNames(db, accountId);
  const rows = await store.findDomains(
    db,
    accountId,
    names.map(({ id }) => id),
  );
  return rows
    .map((row) => presentAuthentication(row, hosts))
    .sort((a, b) => a.domain.localeCompare(b.domain, 'en'));
}

function presentAuthentication(row: store.DomainRow, hosts: SendingHosts): DomainAuthentication {
  const { dmarc, alignment } = row.dns_status as DnsStatus;
  const address = createReportAddress(
    row.domain,
    { accountId: row.account_id, domainId: row.id },
    hosts,
  );
  return {
    id: row.id,
    domain: row.domain,
    selectors: SELECTORS,
    returnPath: `bounce.${row.domain}`,
    reportAddress: address ?? null,
    requestsReports: address !== undefined && requestsReports(dmarc?.record ?? '', address),
    policy: dmarc === undefined ? undefined : (alignment?.dmarc_policy ?? null),
    proofs: alignment && { dkim: alignment.dkim, spf: alignment.spf },
  };
}
