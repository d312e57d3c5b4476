// Splits the mailbox provider `other` by the hosts of the subscribers' domains. Once a day the domains
// with most subscribers are looked up, and the subscribers are assigned. Sending does no lookups.
import type { Resolver } from 'node:dns/promises';
import { forEachAccount } from '#areas/accounts/server/index.ts';
import { mailHostsOf } from '#areas/domains/server/index.ts';
import {
  assignMailboxes,
  listHostedDomains,
  mailboxOfExchanger,
} from '#areas/subscribers/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction } from '#platform/server/database/database.ts';
import type { Poller } from '#platform/server/jobs/pollers.ts';
import { findMailboxCheck, saveMailboxCheck } from './mailbox-checks.sql.ts';

/** Maximum domains per account; the others remain `other`. */
const MAX_DOMAINS = 20_000;
/** Subscribers per transaction. */
const STEP = 20_000;
const DAY_MS = 86_400_000;
const PAUSE_MS = 3_600_000;
/** Of one account and run: 20,000 domains that answer take seven minutes, silent ones over an hour. */
const MAX_LOOK_UP_MS = 600_000;

/**
 * Domains without a definite answer keep their mailbox provider. The next run continues one that
 * exceeded its time; other accounts wait no longer for it.
 */
export async function assignHosts(
  db: Db,
  accountId: number,
  resolver: Resolver,
  signal: AbortSignal,
  maxMs = MAX_LOOK_UP_MS,
): Promise<void> {
  const checked = await findMailboxCheck(db, accountId);
  const now = clock.now();
  if (checked && now.getTime() - checked.checked_at.getTime() < DAY_MS) return;
  const domains = await listHostedDomains(db, accountId, MAX_DOMAINS);
  const budget = AbortSignal.timeout(maxMs);
  const exchangers = await mailHostsOf(db, resolver, domains, AbortSignal.any([signal, budget]));
  const isComplete = !budget.aborted;
  const mailboxes = new Map(
    [...exchangers].map(([domain, { host }]) => [domain, mailboxOfExchanger(host)] as const),
  );
  let after: number | null = mailboxes.size > 0 ? 0 : null;
  while (after !== null && !signal.aborted) {
    const place = { after, size: STEP };
    after = await inTransaction(db, (tx) => assignMailboxes(tx, accountId, mailboxes, place));
  }
  // An interrupted run is repeated.
  if (isComplete && !signal.aborted)
    await inTransaction(db, (tx) => saveMailboxCheck(tx, accountId, now));
}

export const hostsPoller = (resolver: Resolver): Poller => ({
  name: 'deliverability.hosts',
  everyMs: PAUSE_MS,
  run: (db, signal) =>
    forEachAccount(db, signal, (accountId) => assignHosts(db, accountId, resolver, signal)),
});
