// Assigns subscribers of the mailbox provider `other` to the provider that hosts the domain of
// their email address. Once a day, the hosts of the domains with the most subscribers are looked up
// in the DNS, so that sending needs no lookups.
import type { Resolver } from 'node:dns/promises';
import { forEachAccount } from '#areas/accounts/server/index.ts';
import { resolveMailHosts } from '#areas/domains/server/index.ts';
import {
  assignMailboxes,
  listHostedDomains,
  findMailboxOfExchanger,
} from '#areas/subscribers/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction } from '#platform/server/database/database.ts';
import type { Poller } from '#platform/server/jobs/pollers.ts';
import { findMailboxCheck, saveMailboxCheck } from './mailbox-checks.sql.ts';

/** Maximum number of domains per account; subscribers at further domains stay with `other`. */
const MAX_DOMAINS = 20_000;
/** The number of subscribers per transaction. */
const BATCH_SIZE = 20_000;
const DAY_MS = 86_400_000;
const PAUSE_MS = 3_600_000;
/**
 * Time limit per account and run. 20,000 responsive domains take seven minutes; unresponsive ones
 * take over an hour.
 */
const MAX_LOOK_UP_MS = 600_000;

/**
 * Assigns subscribers to hosts. Subscribers at domains without a definite response keep their
 * mailbox provider. Lookups stop after `maxMs`, so that other accounts do not wait long; the next
 * run continues them.
 */
export async function assignHosts(
  db: Db,
  accountId: number,
  resolver: Resolver,
  signal: AbortSignal,
  maxMs = MAX_LOOK_UP_MS,
): Promise<void> {
  const lastCheck = await findMailboxCheck(db, accountId);
  const now = clock.now();
  if (lastCheck && now.getTime() - lastCheck.checked_at.getTime() < DAY_MS) return;
  const domains = await listHostedDomains(db, accountId, MAX_DOMAINS);
  const budget = AbortSignal.timeout(maxMs);
  const exchangers = await resolveMailHosts(
    db,
    resolver,
    domains,
    AbortSignal.any([signal, budget]),
  );
  const isComplete = !budget.aborted;
  const mailboxes = new Map(
    [...exchangers].map(([domain, { host }]) => [domain, findMailboxOfExchanger(host)] as const),
  );
  let after: number | null = mailboxes.size > 0 ? 0 : null;
  while (after !== null && !signal.aborted) {
    const cursor = { after, size: BATCH_SIZE };
    after = await inTransaction(db, (tx) => assignMailboxes(tx, accountId, mailboxes, cursor));
  }
  // Without this entry, the account is processed again in the next run, not only after a day.
  if (isComplete && !signal.aborted)
    await inTransaction(db, (tx) => saveMailboxCheck(tx, accountId, now));
}

export const hostsPoller = (resolver: Resolver): Poller => ({
  name: 'deliverability.hosts',
  intervalMs: PAUSE_MS,
  run: (db, signal) =>
    forEachAccount(db, signal, (accountId) => assignHosts(db, accountId, resolver, signal)),
});
