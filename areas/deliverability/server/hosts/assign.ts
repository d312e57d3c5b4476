// Splits the mailbox provider `other` by the hosts of the subscribers' domains. Once a day the
// domains with the most subscribers are looked up, and the subscribers are assigned. Sending does
// no lookups.
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

/** The maximum number of domains per account; the rest is counted as `other`. */
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
 * Assigns hosts. Domains without a definite response stay at their mailbox provider. The next run
 * continues a run that exceeds its time, so that other accounts do not have to wait for it.
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
  // An interrupted run is repeated.
  if (isComplete && !signal.aborted)
    await inTransaction(db, (tx) => saveMailboxCheck(tx, accountId, now));
}

export const hostsPoller = (resolver: Resolver): Poller => ({
  name: 'deliverability.hosts',
  intervalMs: PAUSE_MS,
  run: (db, signal) =>
    forEachAccount(db, signal, (accountId) => assignHosts(db, accountId, resolver, signal)),
});
