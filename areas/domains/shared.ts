// Checks the syntax of domains, in the browser and on the server.

export const MIN_DOMAIN = 4;
export const MAX_DOMAIN = 253;
export const MAX_LABEL = 63;
/** A top-level domain is 2 to 63 letters; internationalized ones begin with xn--. */
const TOP_LEVEL = /^(?:[a-z]{2,63}|xn--[a-z0-9-]{1,59})$/;
const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;

/** Milliseconds without typing before the server checks a domain. */
export const CHECK_DEBOUNCE_MS = 500;

export type DomainIssue = 'required' | 'short' | 'long' | 'label' | 'topLevel' | 'characters';

/** Returns the first problem of a domain in punycode and lower case; undefined for a valid one. */
export function findDomainIssue(ascii: string): DomainIssue | undefined {
  if (ascii === '') return 'required';
  if (ascii.length < MIN_DOMAIN) return 'short';
  if (ascii.length > MAX_DOMAIN) return 'long';
  const labels = ascii.split('.');
  if (labels.length < 2) return 'topLevel';
  if (labels.some((label) => label.length > MAX_LABEL)) return 'label';
  if (!labels.every((label) => LABEL.test(label))) return 'characters';
  if (!TOP_LEVEL.test(labels.at(-1) ?? '')) return 'topLevel';
  return undefined;
}

/** Cleans pasted text: removes a scheme, a path, www., a trailing dot or a local part. */
export function normalizeDomain(input: string): string {
  return input
    .trim()
    .toLowerCase()
    .replace(/^[a-z]+:\/\//, '')
    .replace(/^[^@/]*@/, '')
    .replace(/[/?#:][^]*$/, '')
    .replace(/\.$/, '')
    .replace(/^www\.(?=[^.]+\.)/, '');
}
