// Checks once a day the IP addresses that send email and the domains that it is sent from: looks up
// the reverse names of the IP addresses, and looks for the installation's own IP addresses and the
// accounts' domains on blocklists.
import type { Resolver } from 'node:dns/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { forEachAccount } from '#areas/accounts/server/index.ts';
import { listDomainAuthentication, type SendingHosts } from '#areas/domains/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import type { Db } from '#platform/server/database/database.ts';
import type { Poller } from '#platform/server/jobs/pollers.ts';
import { log } from '#platform/server/log.ts';
import { ADVICE_DAYS, addDays } from '../advice.ts';
import { setListed } from '../metrics.ts';
import { getOrganizationalDomain } from '../reading/values.ts';
import { type Blocklist, isUsable, queryList } from './blocklists.ts';
import { findConfirmedHost } from './reverse-dns.ts';
import * as store from './sending-dns.sql.ts';

type SendingChecks = {
  resolver: Resolver;
  lists: readonly Blocklist[];
  hosts: SendingHosts;
  /** The addresses that the operator declared as its own. */
  ownIps: readonly string[];
  /** The pause between two queries of one list. */
  pauseMs: number;
};

const DAY_MS = 86_400_000;
/** The minimum time between the two positive responses that make a listing. */
const CONFIRM_MS = 10 * 60_000;
const MAX_IPS_OF_ACCOUNT = 20;
/** Maximum queries per blocklist and run; keeps a run from overlapping the next one. */
const MAX_QUERIES = 400;
/** Addresses that were neither declared nor in reports for this time are considered unused. */
const UNSEEN_MS = 35 * DAY_MS;

export async function checkSending(
  db: Db,
  checks: SendingChecks,
  signal: AbortSignal,
): Promise<void> {
  const now = clock.now();
  const domains = await collectSubjects(db, checks, signal);
  await store.deleteStaleSendingIps(db, new Date(now.getTime() - UNSEEN_MS));
  for (const ip of await store.listDueIps(db, new Date(now.getTime() - DAY_MS), MAX_QUERIES)) {
    if (signal.aborted) return;
    // A failed lookup of one address does not prevent the checks of the others.
    const host = await findConfirmedHost(checks.resolver, ip).catch(() => undefined);
    await store.saveReverseName(db, ip, host, clock.now());
  }
  const ips = await listOwnAddresses(db, checks);
  const listSubjects = ({ subject }: Blocklist) => (subject === 'ip' ? ips : [...domains]);
  await Promise.all(
    checks.lists.map((list) =>
      checkList(db, checks, { list, subjects: listSubjects(list) }, signal),
    ),
  );
  const counts = new Map((await store.countListed(db)).map((row) => [row.list, row.count]));
  for (const { name } of checks.lists) setListed(name, counts.get(name) ?? 0);
}

/**
 * Stores the declared and reported addresses, and returns the registrable domains of all accounts.
 */
async function collectSubjects(
  db: Db,
  { hosts, ownIps }: SendingChecks,
  signal: AbortSignal,
): Promise<Set<string>> {
  const day = addDays(clock.now().toISOString().slice(0, 10), 1 - ADVICE_DAYS);
  const domains = new Set<string>();
  await store.saveSendingIps(db, ownIps, clock.now());
  await forEachAccount(db, signal, async (accountId) => {
    for (const { domain } of await listDomainAuthentication(db, accountId, hosts)) {
      domains.add(getOrganizationalDomain(domain));
    }
    const seenIps = await store.listSeenAddresses(db, accountId, {
      day,
      limit: MAX_IPS_OF_ACCOUNT,
    });
    if (seenIps.length > 0) await store.saveSendingIps(db, seenIps, clock.now());
  });
  return domains;
}

/**
 * Returns the declared addresses, and reported addresses if their confirmed name belongs to the
 * installation. Shared addresses of a provider are excluded, because only the provider can resolve
 * their listings.
 */
async function listOwnAddresses(db: Db, { hosts, ownIps }: SendingChecks): Promise<string[]> {
  const ownDomains = new Set(
    [hosts.trackingHost, hosts.bounceHost ?? ''].filter(Boolean).map(getOrganizationalDomain),
  );
  const seenIps = await store.listIps(db);
  const confirmedIps = seenIps.filter(
    ({ host }) => host !== '' && ownDomains.has(getOrganizationalDomain(host)),
  );
  return [...new Set([...ownIps, ...confirmedIps.map(({ ip }) => ip)])];
}

async function checkList(
  db: Db,
  { resolver, pauseMs }: SendingChecks,
  { list, subjects }: { list: Blocklist; subjects: readonly string[] },
  signal: AbortSignal,
): Promise<void> {
  const now = clock.now().getTime();
  const confirmedBefore = new Date(now - CONFIRM_MS);
  const dueSubjects = await store.listDueSubjects(db, list.name, subjects, {
    ...{
      checkedBefore: new Date(now - DAY_MS),
      suspectedBefore: confirmedBefore,
      limit: MAX_QUERIES,
    },
  });
  if (dueSubjects.length === 0) return;
  if (!(await isUsable(resolver, list))) {
    log.info('Blocklist refuses queries from this resolver', { list: list.name });
    return;
  }
  for (const subject of dueSubjects) {
    if (signal.aborted) return;
    const listing = await queryList(resolver, list, subject);
    const key = { list: list.name, subject };
    await store.saveListing(db, key, listing, { at: clock.now(), confirmedBefore });
    await delay(pauseMs);
  }
}

export function sendingChecksPoller(checks: SendingChecks): Poller {
  return {
    name: 'deliverability.sending-dns',
    intervalMs: 10 * 60_000,
    run: (db, signal) => checkSending(db, checks, signal),
  };
}
