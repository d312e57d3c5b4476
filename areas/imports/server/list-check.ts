// Checks a list before it is imported: misspelled domains, disposable addresses, role addresses,
// and domains that accept no email. It only counts and suggests: no row is changed or refused.
import type { Resolver } from 'node:dns/promises';
import { disposableEmailBlocklistSet } from 'disposable-email-domains-js';
import { resolveMailHosts } from '#areas/domains/server/index.ts';
import { MAILBOXES, getMailbox } from '#areas/subscribers/shared.ts';
import type { Db } from '#platform/server/database/database.ts';

/** Built once: the package's own check builds the set for each address. */
const DISPOSABLE = disposableEmailBlocklistSet();

export type ListCheck = {
  disposable: number;
  roles: number;
  /**
   * For each misspelled domain, the domain that is probably meant and the number of subscribers.
   */
  typos: Record<string, { meant: string; count: number }>;
  /**
   * Number of subscribers of each domain that accepts no email, among the domains looked up so far;
   * undefined before the first lookups.
   */
  unreachable?: Record<string, number>;
};

/**
 * Domains that are misspelled most. They are so long that a domain that differs from one of them by
 * a letter is probably a mistake.
 */
const POPULAR = [
  'gmail.com',
  'googlemail.com',
  'hotmail.com',
  'outlook.com',
  'yahoo.com',
  'icloud.com',
  'protonmail.com',
  'hotmail.co.uk',
  'yahoo.co.uk',
  'hotmail.no',
  'online.no',
  'hotmail.se',
  'telia.com',
];
/** Real domains that differ from a popular domain by a letter. */
const REAL_DOMAINS = new Set([
  'mail.com',
  'email.com',
  'fmail.com',
  'ymail.com',
  'cloud.com',
  'yahoo.co',
]);

const ROLES = new Set(
  `abuse admin administrator billing contact customerservice enquiries finance firmapost hello help
   helpdesk hr info inquiries jobs kontakt kontakti mail marketing noreply no-reply office order
   orders post postmaster press sales security service support team webmaster welcome`
    .trim()
    .split(/\s+/),
);

const MAX_TYPOS = 100;

export const createEmptyCheck = (): ListCheck => ({ disposable: 0, roles: 0, typos: {} });

/** @param email in lower case */
export function checkAddress(check: ListCheck, email: string): void {
  const atSign = email.lastIndexOf('@');
  const domain = email.slice(atSign + 1);
  const [name = ''] = email.slice(0, atSign).split('+', 1);
  if (ROLES.has(name)) check.roles += 1;
  const typo = check.typos[domain];
  if (typo) typo.count += 1;
  else {
    const suggestion = suggestDomain(domain);
    if (suggestion === undefined) {
      if (DISPOSABLE.has(domain)) check.disposable += 1;
    } else if (Object.keys(check.typos).length < MAX_TYPOS) {
      check.typos[domain] = { meant: suggestion, count: 1 };
    }
  }
}

/** Returns the popular domain that differs from this one by one letter or two swapped letters. */
export function suggestDomain(domain: string): string | undefined {
  if (REAL_DOMAINS.has(domain)) return undefined;
  if (POPULAR.includes(domain)) return undefined;
  return POPULAR.find((popular) => isOneEditAway(domain, popular));
}

function isOneEditAway(domain: string, suggestion: string): boolean {
  if (Math.abs(domain.length - suggestion.length) > 1) return false;
  let start = 0;
  while (start < domain.length && domain[start] === suggestion[start]) start += 1;
  const [left, right] = [domain.slice(start), suggestion.slice(start)];
  return (
    left.slice(1) === right.slice(1) ||
    left.slice(1) === right ||
    left === right.slice(1) ||
    (left[0] === right[1] && left[1] === right[0] && left.slice(2) === right.slice(2))
  );
}

/** Maximum domains that are looked up. */
const MAX_DOMAINS = 20_000;
const MAX_UNREACHABLE = 100;
/**
 * Domains per step. A step without stored results takes ten seconds, or longer if name servers do
 * not answer.
 */
const DOMAINS_PER_STEP = 500;

/**
 * Counts subscribers by domain and looks up the domains in DNS. Known mailbox providers are not
 * counted, and misspelled domains are not looked up.
 */
export class DomainTally {
  private readonly counts = new Map<string, number>();

  /** @param email in lower case */
  add(email: string): void {
    const domain = email.slice(email.lastIndexOf('@') + 1);
    const count = this.counts.get(domain);
    if (count !== undefined) this.counts.set(domain, count + 1);
    else if (getMailbox(email) === MAILBOXES.other && this.counts.size < MAX_DOMAINS) {
      this.counts.set(domain, 1);
    }
  }

  /**
   * Looks up the domains with the most subscribers first and yields after each step that found an
   * unreachable domain. Domains without a definite answer are not counted.
   */
  async *lookUp(
    check: ListCheck,
    { db, resolver, signal }: { db: Db; resolver: Resolver; signal: AbortSignal },
  ): AsyncGenerator<void> {
    const unreachable: Record<string, number> = {};
    const list = [...this.counts]
      .filter(([domain]) => check.typos[domain] === undefined)
      .sort((a, b) => b[1] - a[1]);
    for (let start = 0; start < list.length && !signal.aborted; start += DOMAINS_PER_STEP) {
      const step = list.slice(start, start + DOMAINS_PER_STEP);
      const names = step.map(([domain]) => domain);
      const hosts = await resolveMailHosts(db, resolver, names, signal);
      const unreachableDomains = step.filter(
        ([domain]) => hosts.get(domain)?.acceptsEmail === false,
      );
      for (const [domain, count] of unreachableDomains) {
        if (Object.keys(unreachable).length < MAX_UNREACHABLE) unreachable[domain] = count;
      }
      check.unreachable = unreachable;
      if (unreachableDomains.length > 0) yield;
    }
  }
}
