// Rules for email addresses, shared by browser and server, so that a form accepts in the browser
// exactly the addresses that the server stores.

export interface EmailAddress {
  /** The address for sending: the local part as written, the domain in lower-case ASCII. */
  email: string;
  /** The address in lower case; unique within an account. */
  key: string;
}

export type EmailFault =
  | 'email_missing_at'
  | 'email_invalid'
  | 'email_too_long'
  | 'email_domain_invalid';

/**
 * Maximum octets: 64 before the @, 254 in total (RFC 5321, 4.5.3.1: 256 with the angle brackets),
 * and 253 in the domain (RFC 1035).
 */
const MAX_LOCAL = 64;
const MAX_ADDRESS = 254;
const MAX_DOMAIN = 253;

/** An ASCII local part; checked first, because nearly all addresses have one. */
const ATOM = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const HOST =
  /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?:[a-z]{2,63}|xn--[a-z0-9-]{1,58}[a-z0-9])$/;
/** A local part in other scripts (RFC 6531): letters with marks and digits in addition to ASCII. */
const WIDE_ATOM =
  /^[\p{L}\p{M}\p{Nd}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{M}\p{Nd}!#$%&'*+/=?^_`{|}~-]+)*$/u;
/** Scripts that a local part mixes only by mistake or to imitate another address. */
const LOOKALIKES = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u];
/** Characters that would make a URL parser end the host early, decode it, or refuse it. */
const NO_HOST = /[\0-\x20"#%/:<>?@[\\\]^`{|}]/;

/**
 * Spaces, no-break spaces, zero-width and direction marks, and byte order marks left by copying.
 */
const EDGE = /[\s\u00a0\u200b-\u200f\u2060\ufeff]/;

/** Parses a bare address; `readDomain` is `getEmailDomain`, or a cached version of it. */
export function readAddress(
  address: string,
  readDomain: (domain: string) => string | undefined,
): EmailAddress | EmailFault {
  const at = address.lastIndexOf('@');
  if (at === -1) return 'email_missing_at';
  const local = localPart(address.slice(0, at));
  if (local === undefined) return 'email_invalid';
  const domain = readDomain(address.slice(at + 1));
  if (domain === undefined) return 'email_domain_invalid';
  const octets = isAscii(local) ? local.length : new TextEncoder().encode(local).length;
  if (octets > MAX_LOCAL || octets + 1 + domain.length > MAX_ADDRESS) return 'email_too_long';
  const email = `${local}@${domain}`;
  return { email, key: email.toLowerCase() };
}

function localPart(text: string): string | undefined {
  if (ATOM.test(text)) return text;
  // A local part longer than a whole address is refused before the costly normalization.
  if (text.length > MAX_ADDRESS) return undefined;
  const local = text.normalize('NFC');
  const scripts = LOOKALIKES.filter((script) => script.test(local));
  return WIDE_ATOM.test(local) && scripts.length < 2 ? local : undefined;
}

/**
 * Returns the domain of an address in lower-case ASCII; undefined if it is not a valid host name.
 * @param toAscii converts a domain in another script to Punycode; returns an empty string if that
 * is impossible
 */
export function getEmailDomain(
  text: string,
  toAscii: (domain: string) => string,
): string | undefined {
  const isWide = !isAscii(text);
  if (isWide && (text.length > MAX_DOMAIN || NO_HOST.test(text))) return undefined;
  const domain = isWide ? toAscii(text) : text.toLowerCase();
  return domain.length <= MAX_DOMAIN && HOST.test(domain) ? domain : undefined;
}

// Trims without a regular expression, which would take quadratic time on many spaces in the middle.
export function trimEdges(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && EDGE.test(text.charAt(from))) from++;
  while (to > from && EDGE.test(text.charAt(to - 1))) to--;
  return text.slice(from, to);
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) return false;
  return true;
}
