// Finds the mail exchangers of recipients' domains in their MX records. A domain without MX records
// is its own exchanger if it has an address (RFC 5321, section 5.1). No recipient is probed.
import type { Resolver } from 'node:dns/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { domainToASCII } from 'node:url';
import { getDomain } from 'tldts';
import { clock } from '#platform/server/clock.ts';
import type { Db } from '#platform/server/database/database.ts';
import type { Poller } from '#platform/server/jobs/pollers.ts';
import {
  deleteOldMailHosts,
  findMailHosts,
  type ResolvedMailHost,
  saveMailHosts,
  type StoredHost,
} from './exchangers.sql.ts';

const RETENTION_MS = 7 * 86_400_000;
/**
 * Timeouts are stored for this long, because a lookup takes six seconds if the name server does not
 * respond.
 */
const UNANSWERED_MS = 86_400_000;
/** Number of concurrent lookups. The pause between batches limits them to 50 a second. */
const LOOKUPS_PER_BATCH = 25;
const BATCH_MS = 500;

/**
 * Domains reserved for tests and documentation (RFC 6761), whose mail servers are not looked up.
 */
const RESERVED = /(?:^|\.)(?:example|test|invalid|localhost|example\.(?:com|net|org))$/;

/**
 * Returns the mail hosts of these domains. Domains without a definite response are absent:
 * timeouts, resolver failures and reserved names. Results are stored for seven days, and timeouts
 * for one. If a batch has several domains and none gets a response, nothing is stored, because the
 * resolver itself is probably down.
 * @param signal once it aborts, no more domains are looked up
 */
export async function resolveMailHosts(
  db: Db,
  resolver: Resolver,
  domains: readonly string[],
  signal?: AbortSignal,
): Promise<Map<string, ResolvedMailHost>> {
  const now = clock.now().getTime();
  const publicDomains = domains.filter((domain) => !RESERVED.test(domain));
  const hosts = await findMailHosts(db, publicDomains, {
    answered: new Date(now - RETENTION_MS),
    unanswered: new Date(now - UNANSWERED_MS),
  });
  const missing = publicDomains.filter((domain) => !hosts.has(domain));
  for (let start = 0; start < missing.length && !signal?.aborted; start += LOOKUPS_PER_BATCH) {
    const pause = start > 0 ? delay(BATCH_MS) : undefined;
    const batch = missing.slice(start, start + LOOKUPS_PER_BATCH);
    const results = await Promise.all(batch.map((domain) => lookUp(resolver, domain)));
    const resolvedHosts = new Map<string, StoredHost>();
    const isOutage =
      batch.length > 1 && results.every((host) => host === null || host === undefined);
    if (isOutage) {
      await pause;
      continue;
    }
    for (const [index, domain] of batch.entries()) {
      const host = results[index];
      if (host !== undefined) resolvedHosts.set(domain, host);
    }
    if (resolvedHosts.size > 0) await saveMailHosts(db, resolvedHosts, clock.now());
    for (const [domain, host] of resolvedHosts) hosts.set(domain, host);
    await pause;
  }
  const answeredHosts = [...hosts].flatMap(([domain, host]) =>
    host === null ? [] : [[domain, host] as const],
  );
  return new Map(answeredHosts);
}

const NOWHERE: ResolvedMailHost = { acceptsEmail: false, host: '' };

/**
 * Looks up the mail host of a domain: null if its name servers do not respond, undefined after
 * another failure.
 */
async function lookUp(resolver: Resolver, name: string): Promise<StoredHost | undefined> {
  const domain = domainToASCII(name);
  if (domain === '') return undefined;
  const exchangers = await resolveRecords(resolver.resolveMx(domain));
  if (exchangers === 'silent') return null;
  if (exchangers === 'unknown') return undefined;
  if (exchangers !== 'absent' && exchangers.length > 0) {
    const [first] = exchangers
      .filter(({ exchange }) => exchange !== '' && exchange !== '.')
      .sort((a, b) => a.priority - b.priority);
    // A domain accepts no email if its only exchanger is empty (RFC 7505).
    return first ? { acceptsEmail: true, host: toOrganization(first.exchange) } : NOWHERE;
  }
  const addresses = [
    await resolveRecords(resolver.resolve4(domain)),
    await resolveRecords(resolver.resolve6(domain)),
  ];
  if (addresses.some((records) => Array.isArray(records) && records.length > 0)) {
    return { acceptsEmail: true, host: toOrganization(domain) };
  }
  if (addresses.includes('silent')) return null;
  return addresses.includes('unknown') ? undefined : NOWHERE;
}

function toOrganization(host: string): string {
  const name = host.toLowerCase();
  return getDomain(name, { allowPrivateDomains: false }) ?? name;
}

const ABSENT = new Set(['ENOTFOUND', 'ENODATA', 'NXDOMAIN']);

/**
 * Error codes for a name server that did not respond; some resolvers report this as a server
 * failure (ESERVFAIL).
 */
const SILENT = new Set(['ETIMEOUT', 'ESERVFAIL']);

async function resolveRecords<T>(
  work: Promise<T[]>,
): Promise<T[] | 'absent' | 'silent' | 'unknown'> {
  try {
    return await work;
  } catch (error) {
    const { code = '' } = error as { code?: string };
    if (ABSENT.has(code)) return 'absent';
    return SILENT.has(code) ? 'silent' : 'unknown';
  }
}

export const mailHostsPoller: Poller = {
  name: 'domains.mail-hosts',
  intervalMs: 6 * 3_600_000,
  run: (db) => deleteOldMailHosts(db, new Date(clock.now().getTime() - RETENTION_MS)),
};
