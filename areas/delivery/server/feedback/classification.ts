// Determines the cause of an undelivered copy. It looks up the enhanced status code in a table
// (codes of RFC 3463, the IANA registry and large mailbox providers), and corrects the result by
// the diagnostic text. It is used for relay replies at the handoff and for later bounce reports.
import { findCause, findObjection, deniesMailbox } from './diagnostic-phrases.ts';

/**
 * - `person`: the address does not exist or no longer accepts email. A permanent refusal with this
 * cause is a hard bounce.
 * - `full`: the mailbox is full. This is a soft bounce; several in a row are a hard one (see
 * full-mailboxes.ts).
 * - `mailbox`: the mailbox has another problem: it is disabled, moved, or refuses this email.
 * - `message`: the size, form or content of the message.
 * - `policy`: a filter, a block list or another rule of the receiver; never the subscriber's fault.
 * - `domain`: the sending domain or account: authentication, reputation, rules for bulk senders.
 * - `network`: routes, timeouts, congestion, a failure of the receiving system.
 */
export type BounceCause =
  | 'person'
  | 'full'
  | 'mailbox'
  | 'message'
  | 'policy'
  | 'domain'
  | 'network';

/**
 * Causes by code. `x` matches the classes 4 and 5. The most specific entry counts: a code with its
 * class, then a code with `x`, then `x` with the subject (the second number) unless the third
 * number is 0.
 */
const TABLE: readonly (readonly [string, BounceCause])[] = [
  // X.1: addresses
  ['x.1', 'mailbox'],
  ['5.1.1', 'person'], // bad destination mailbox
  ['5.1.2', 'person'], // bad destination system
  ['5.1.3', 'person'], // not an address
  ['5.1.6', 'person'], // moved without a forwarding address
  ['5.1.10', 'person'], // RFC 7505: the domain accepts no email; Exchange: no such recipient
  ['5.1.351', 'person'], // Exchange: the remote server knows no such recipient
  ['x.1.4', 'mailbox'], // ambiguous
  ['x.1.7', 'domain'], // the sender's address is invalid
  ['x.1.8', 'domain'], // the sender's system does not exist
  ['x.1.9', 'message'], // relayed to a system that lacks a feature the message needs
  // X.2: mailboxes
  ['x.2', 'mailbox'],
  ['x.2.1', 'mailbox'], // disabled, not accepting messages
  ['x.2.2', 'full'], // full
  ['x.2.3', 'message'], // message too long for the mailbox
  ['x.2.4', 'mailbox'], // mailing list expansion
  ['5.2.252', 'domain'], // Exchange: SendAsDenied
  // X.3: the receiving system
  ['x.3', 'network'],
  ['x.3.1', 'network'], // its disk is full
  ['x.3.4', 'message'], // message too big for the system
  // X.4: routes and networks
  ['x.4', 'network'],
  ['5.4.5', 'domain'], // Gmail: the sender's daily quota
  ['5.4.310', 'person'], // Exchange: the domain does not exist
  // X.5: the protocol
  ['x.5', 'network'],
  ['x.5.3', 'network'], // too many recipients
  // X.6: content
  ['x.6', 'message'],
  // X.7: security and policy. Never the fault of the subscriber.
  ['x.7', 'policy'],
  ['x.7.9', 'domain'],
  ['x.7.20', 'domain'], // no passing DKIM signature (RFC 7372)
  ['x.7.21', 'domain'],
  ['x.7.22', 'domain'],
  ['x.7.23', 'domain'], // SPF failed
  ['x.7.24', 'domain'],
  ['x.7.25', 'domain'], // no reverse DNS
  ['x.7.26', 'domain'], // several kinds of authentication failed
  ['x.7.27', 'domain'], // the sender's domain accepts no email (RFC 7505)
  ['x.7.60', 'domain'], // Exchange: may not send as this sender
  ['5.7.509', 'domain'], // Microsoft: DMARC of the domain
  ['5.7.515', 'domain'], // Microsoft: the domain does not meet the rules for bulk senders
  ['x.7.705', 'domain'],
  ['x.7.708', 'domain'],
];

const CAUSES = new Map(TABLE);

/**
 * Codes with another meaning that large systems use for "no such recipient" or "no such domain".
 */
const EXCEPTIONS: readonly (readonly [string, RegExp, BounceCause])[] = [
  // Microsoft 365, where the edge server looks up the recipient in the directory.
  ['5.4.1', /recipient address(es)? rejected ?: access denied/i, 'person'],
  // Postfix, for a domain without DNS records; a failing DNS lookup gives 4.4.3.
  ['5.4.4', /\bhost( or domain name)? not found\b(?!, try)|\bdomain not found\b/i, 'person'],
  // Cisco gateways, for a recipient missing from their table or directory.
  ['5.1.0', /(?<!sender |from )\baddress rejected\b/i, 'person'],
];

/**
 * Codes that many systems also use for unknown recipients, so that the diagnostic text decides.
 */
const AMBIGUOUS = /^[45]\.(1\.[049]|2\.[01]|3\.0|4\.(?!5$)\d{1,3}|5\.(?!3$)\d{1,3}|7\.[01])$/;

/**
 * Returns the cause of an undelivered copy.
 * @param status an enhanced code, three digits, or ''
 * @param diagnostic the diagnostic text of the other server
 */
export function classifyCause(status: string, diagnostic: string): BounceCause {
  const code = findTruestCode(status, diagnostic);
  const isOwnCode = ENHANCED.exec(diagnostic)?.[1] === code;
  const listedCause = inTable(code);
  if (listedCause === 'person') return findObjection(diagnostic, isOwnCode) ?? listedCause;
  if (AMBIGUOUS.test(code)) {
    const objection = findObjection(diagnostic, true);
    if (objection) return objection;
    for (const [exact, pattern, cause] of EXCEPTIONS) {
      if (code === exact && pattern.test(diagnostic)) return cause;
    }
    if (code.startsWith('5') && deniesMailbox(diagnostic)) return 'person';
  }
  return listedCause ?? findCause(diagnostic) ?? 'network';
}

/**
 * Returns the code of the recipient's server, which may be in the diagnostic text: relays and
 * providers report their own codes, X.0.0 if they know none, and 5.1.Y for any refusal at RCPT.
 */
export function findTruestCode(status: string, diagnostic: string): string {
  const textCode = findCode(diagnostic);
  if (isUnspecific(status)) return textCode.includes('.') ? textCode : status || textCode;
  if (!/^5\.1\./.test(status) || textCode === '') return status;
  return textCode.includes('.') || textCode.startsWith('4') ? textCode : status;
}

const isUnspecific = (status: string) => !/^[45]\.[1-9]\d{0,2}\.[1-9]\d{0,2}$/.test(status);

/**
 * Returns the cause in the table; undefined for codes that it lacks and those without a meaning
 * (X.0.0, three digits).
 */
function inTable(status: string): BounceCause | undefined {
  const [, kind, subject, detail] = /^([45])\.(\d{1,3})\.(\d{1,3})$/.exec(status) ?? [];
  if (!kind || subject === '0') return undefined;
  return (
    CAUSES.get(`${kind}.${subject}.${detail}`) ??
    CAUSES.get(`x.${subject}.${detail}`) ??
    (detail === '0' ? undefined : CAUSES.get(`x.${subject}`))
  );
}

/**
 * Returns whether a refusal with this code and text is a hard bounce; with a code of class 4 it
 * never is.
 */
export function isHard(status: string, diagnostic: string): boolean {
  const isTemporary = status.startsWith('4') || findTruestCode(status, diagnostic).startsWith('4');
  return !isTemporary && classifyCause(status, diagnostic) === 'person';
}

const ENHANCED = /\b([245]\.\d{1,3}\.\d{1,3})\b/;
/** An enhanced code as servers write it, after the three digits. */
const REPLIED = /(?:^|[\s#:;>'"(])[45]\d\d[\s-]+[#(<]{0,2}([45]\.\d{1,3}\.\d{1,3})\b/;
const THREE = /(?:^|[\s#:>])([45]\d\d)(?=[\s-]|$)/;

/**
 * Returns the code in a mail server's reply: the enhanced one, otherwise three digits, otherwise
 * ''.
 */
export function findCode(diagnostic: string): string {
  // An IP address such as 5.1.1.7 is not a code.
  const withoutAddresses = diagnostic.replace(/\b\d{1,3}(\.\d{1,3}){3}\b/g, ' ');
  return (
    REPLIED.exec(withoutAddresses)?.[1] ??
    ENHANCED.exec(withoutAddresses)?.[1] ??
    THREE.exec(withoutAddresses)?.[1] ??
    ''
  );
}
