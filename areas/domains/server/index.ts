// Declares the sending domains area and exports its public interface.
import { type Area, handleQuestion } from '#platform/server/area.ts';
import type { Config } from '#platform/server/config.ts';
import { createResolver } from './dns-check.ts';
import { domainRoutes } from './routes.ts';
import { forEachAccount } from '#areas/accounts/server/index.ts';
import type { Poller } from '#platform/server/jobs/pollers.ts';
import { type DomainDependencies, recheckDueDomains } from './domains.ts';
import { mailHostsPoller } from './exchangers.ts';
import { readSendingHosts } from './domain-authentication.ts';
import { findDomainsNaming } from './domains.sql.ts';
import { contentsNamingAddresses } from '#platform/server/erasure/erasure.ts';

export function area(config: Config): Area {
  const tools = domainTools(config);
  return {
    name: 'domains',
    description: 'Sending domains and the DNS records that verify them.',
    routes: domainRoutes(tools),
    questionHandlers: [handleQuestion(contentsNamingAddresses, findDomainsNaming)],
    pollers: [domainPoller(tools), mailHostsPoller],
  };
}

function domainTools(config: Config): DomainDependencies {
  return {
    hosts: readSendingHosts(config),
    resolver: createResolver(config.dnsServers),
  };
}

export {
  readAlignment,
  parseSenderDomain,
  isVerifiedSender,
  listProvenHosts,
  listSigningKeys,
  listVerifiedDomains,
} from './senders.ts';
export { createResolver, type SendingHosts } from './dns-check.ts';
export { resolveMailHosts } from './exchangers.ts';
export { type ReportRecipient, readReportAddress } from './report-address.ts';
export {
  type DomainAuthentication,
  listDomainAuthentication,
  readSendingHosts,
} from './domain-authentication.ts';
export { domainEmailNeeded, domainsChanged, domainUsedBy } from './events.ts';

/** Checks the records of the due domains of all accounts. */
function domainPoller(tools: DomainDependencies): Poller {
  return {
    name: 'domains.recheck',
    intervalMs: 60_000,
    run: (db, signal) =>
      forEachAccount(db, signal, (accountId) => recheckDueDomains(db, accountId, tools)),
  };
}
