// What deserves a look in a list before it is imported: misspelled domains, disposable addresses
// and addresses of roles. Counts and suggestions only: the import changes and refuses nothing.
import { disposableEmailBlocklistSet } from 'disposable-email-domains-js';

/** Built once: the package's own check builds the set for each address. */
const DISPOSABLE = disposableEmailBlocklistSet();

export type ListCheck = {
  disposable: number;
  roles: number;
  /** Misspelled domain → the domain that is probably meant, and its people. */
  typos: Record<string, { meant: string; count: number }>;
};

/** Domains that are misspelled most; long enough that one letter more or less is a mistake. */
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
/** Real domains that differ from a popular one by a letter. */
const REAL = new Set(['mail.com', 'email.com', 'fmail.com', 'ymail.com', 'cloud.com', 'yahoo.co']);

const ROLES = new Set(
  `abuse admin administrator billing contact customerservice enquiries finance firmapost hello help
   helpdesk hr info inquiries jobs kontakt kontakti mail marketing noreply no-reply office order
   orders post postmaster press sales security service support team webmaster welcome`
    .trim()
    .split(/\s+/),
);

const MAX_TYPOS = 100;

export const emptyCheck = (): ListCheck => ({ disposable: 0, roles: 0, typos: {} });

/** @param email in lower case */
export function checkAddress(check: ListCheck, email: string): void {
  const at = email.lastIndexOf('@');
  const domain = email.slice(at + 1);
  const [name = ''] = email.slice(0, at).split('+', 1);
  if (ROLES.has(name)) check.roles += 1;
  const typo = check.typos[domain];
  if (typo) typo.count += 1;
  else {
    const meant = meantDomain(domain);
    if (meant === undefined) {
      if (DISPOSABLE.has(domain)) check.disposable += 1;
    } else if (Object.keys(check.typos).length < MAX_TYPOS) {
      check.typos[domain] = { meant, count: 1 };
    }
  }
}

/** The popular domain from which this one differs by one letter or two swapped ones. */
export function meantDomain(domain: string): string | undefined {
  if (REAL.has(domain)) return undefined;
  if (POPULAR.includes(domain)) return undefined;
  return POPULAR.find((popular) => isOneEditAway(domain, popular));
}

function isOneEditAway(typed: string, meant: string): boolean {
  if (Math.abs(typed.length - meant.length) > 1) return false;
  let start = 0;
  while (start < typed.length && typed[start] === meant[start]) start += 1;
  const [left, right] = [typed.slice(start), meant.slice(start)];
  return (
    left.slice(1) === right.slice(1) ||
    left.slice(1) === right ||
    left === right.slice(1) ||
    (left[0] === right[1] && left[1] === right[0] && left.slice(2) === right.slice(2))
  );
}
