// Rules for the form that adds a domain: reads the typed domain and address, decides whether the
// user may continue, and proposes a domain.
import {
  CHECK_DEBOUNCE_MS,
  type DomainIssue,
  findDomainIssue,
  normalizeDomain,
} from '../shared.ts';
import { isEmail } from '#platform/web/validators.ts';

export { CHECK_DEBOUNCE_MS };

export interface TypedDomain {
  /** Lower-case punycode, or the cleaned text if it is not a domain. */
  ascii: string;
  issue: DomainIssue | undefined;
  /** Whether the typed text contained letters beyond ASCII, so that the punycode is displayed. */
  isConverted: boolean;
}

export function readDomain(input: string): TypedDomain {
  const tidy = normalizeDomain(input);
  const ascii = toPunycode(tidy);
  return { ascii, issue: findDomainIssue(ascii), isConverted: ascii !== tidy };
}

/** Returns the domain as browsers write it, with internationalized labels as xn--. */
function toPunycode(domain: string): string {
  if (domain === '' || /[\s@/?#:%\\]/.test(domain)) return domain;
  const host = URL.parse(`http://${domain}`)?.hostname ?? domain;
  // A plain number would be read as an IPv4 address; it stays as typed and is not a domain.
  return /^[\d.]+$/.test(host) || host.startsWith('[') ? domain : host;
}

export interface CheckMessage {
  type: string;
  message: string;
}

/** Lists the messages that prevent adding the domain: all except the advice about DMARC. */
export function listBlockers(check: {
  success: boolean;
  messages: readonly CheckMessage[];
}): CheckMessage[] {
  return check.messages.filter(({ type }) => type !== 'dmarc');
}

export interface DomainStepState {
  typed: TypedDomain;
  isListed: boolean;
  /** The domain that `response` refers to; undefined while the typed domain is not checked. */
  checkedDomain: string | undefined;
  response: { success: boolean; messages: readonly CheckMessage[] } | undefined;
}

/** Returns whether the domain is valid, new, checked, and without blockers. */
export function canContinue({
  typed,
  isListed,
  checkedDomain,
  response,
}: DomainStepState): boolean {
  if (typed.issue || isListed || !response || checkedDomain !== typed.ascii) return false;
  if (listBlockers(response).length > 0) return false;
  return response.success || response.messages.length > 0;
}

export type LocalPartError = 'localRequired' | 'localInvalid';

/**
 * Returns the problem of the local part, which is required and must form a valid address with the
 * domain.
 */
export function validateLocalPart(local: string, domain: string): LocalPartError | undefined {
  if (local.trim() === '') return 'localRequired';
  return isEmail(`${local.trim()}@${domain}`) ? undefined : 'localInvalid';
}

/**
 * Domains of public mailbox providers, which are not proposed because campaigns cannot use them.
 */
const MAILBOXES =
  /^(g(oogle)?mail|yahoo|ymail|hotmail|outlook|live|msn|icloud|me|aol|gmx|proton(mail)?|pm|mail|inbox|yandex|zoho)\.[a-z.]+$/;

/**
 * Returns the domain to propose for the owner of an address; '' if it belongs to a mailbox
 * provider.
 */
export function proposeDomain(email: string): string {
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  return MAILBOXES.test(domain) ? '' : domain;
}

/** Returns the local part if an address was typed instead of a domain. */
export function readLocalPart(input: string): string {
  const separator = input.lastIndexOf('@');
  return separator > 0 && !input.includes('/') ? input.slice(0, separator).trim() : '';
}
