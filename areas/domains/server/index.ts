// The door of sending domains.
import { forEachAccount } from '#areas/accounts/server/index.ts';
import type { Poller } from '#platform/server/pollers.ts';
import { type DomainTools, recheckDue } from './domains.ts';

export { newResolver, type SendingHosts } from './dns-check.ts';
export type { DomainTools } from './domains.ts';
export {
  alignmentOf,
  domainOf,
  isVerifiedSender,
  type ProvenHosts,
  provenHosts,
  type SigningKey,
  signingKeys,
  verifiedDomains,
} from './senders.ts';
export { domainLetterNeeded, domainsProven, domainUsedBy } from './events.ts';
export { domainRoutes } from './routes.ts';

/** Looks the records of all accounts' domains up again, in the rhythm each needs. */
export function domainPoller(tools: DomainTools): Poller {
  return {
    name: 'domains.recheck',
    everyMs: 60_000,
    run: (db, signal) =>
      forEachAccount(db, signal, (accountId) => recheckDue(db, accountId, tools)),
  };
}
