// The rules of an email address, for both halves: what a form accepts in the browser is what the server records.

export interface EmailAddress {
  /** As it is mailed: the local part as written, the domain lower-case, in ASCII. */
  email: string;
  /** Lower-case throughout: unique within an account. */
  key: string;
}

export type EmailFault =
  | 'email_missing_at'
  | 'email_invalid'
  | 'email_too_long'
  | 'email_domain_invalid';

/** RFC 5321, 4.5.3.1: 64 octets before the @, 254 in all (256 with the angle brackets). */
const MAX_LOCAL = 64;
const MAX_ADDRESS = 254;
const MAX_DOMAIN = 253;

/** An ASCII local part: checked first, since nearly all addresses have one. */
const atom = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const host =
  /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?:[a-z]{2,63}|xn--[a-z0-9-]{1,58}[a-z0-9])$/;
/** In other scripts (RFC 6531): letters with their marks and digits beside what ASCII allows. */
const wideAtom =
  /^[\p{L}\p{M}\p{Nd}!#$%&'*+/=?^_`{|}~-]+(?:\.[\p{L}\p{M}\p{Nd}!#$%&'*+/=?^_`{|}~-]+)*$/u;
/** Scripts that no address mixes but by mistake, or to be taken for another's. */
const lookalikes = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u];
/** Characters with which a URL parser would end the host early. */
const noHost = /[\0-\x20"#%/:<>?@[\\\]^`{|}]/;

/** Spaces, no-break spaces, zero-width marks and the byte order mark that copying leaves behind. */
const edge = /[\s\u00a0\u200b-\u200f\u2060\ufeff]/;

/** Reads a bare address; `readDomain` is `mailDomain`, or a cached form of it. */
export function readAddress(
  bare: string,
  readDomain: (written: string) => string | undefined,
): EmailAddress | EmailFault {
  const at = bare.lastIndexOf('@');
  if (at === -1) return 'email_missing_at';
  const local = localPart(bare.slice(0, at));
  if (local === undefined) return 'email_invalid';
  const domain = readDomain(bare.slice(at + 1));
  if (domain === undefined) return 'email_domain_invalid';
  const octets = isAscii(local) ? local.length : new TextEncoder().encode(local).length;
  if (octets > MAX_LOCAL || octets + 1 + domain.length > MAX_ADDRESS) return 'email_too_long';
  const email = `${local}@${domain}`;
  return { email, key: email.toLowerCase() };
}

function localPart(written: string): string | undefined {
  if (atom.test(written)) return written;
  // A local part longer than a whole address is not worth its normalization.
  if (written.length > MAX_ADDRESS) return undefined;
  const local = written.normalize('NFC');
  const scripts = lookalikes.filter((script) => script.test(local));
  return wideAtom.test(local) && scripts.length < 2 ? local : undefined;
}

/**
 * The domain of an address in lower-case ASCII; undefined when no email can go there.
 * @param toAscii the punycode form of a domain in other scripts, empty where it has none
 */
export function mailDomain(
  written: string,
  toAscii: (domain: string) => string,
): string | undefined {
  const isWide = !isAscii(written);
  if (isWide && (written.length > MAX_DOMAIN || noHost.test(written))) return undefined;
  const domain = isWide ? toAscii(written) : written.toLowerCase();
  return domain.length <= MAX_DOMAIN && host.test(domain) ? domain : undefined;
}

// A regular expression would search for the blanks before the end anew at each blank of the middle.
export function withoutEdges(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && edge.test(text.charAt(from))) from++;
  while (to > from && edge.test(text.charAt(to - 1))) to--;
  return text.slice(from, to);
}

function isAscii(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 127) return false;
  return true;
}
