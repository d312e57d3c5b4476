// What an enhanced status code says about a copy that was not delivered: the whole table of it (RFC
// 3463, IANA's registry, and what large mailbox providers add). A relay's answers at the hand-over and
// the reports that come back later are read by this one table.

/**
 * - `person`: the address does not exist or takes no mail any more: a hard bounce, suppressed at once.
 * - `full`: the mailbox is full: a soft bounce; hard after some in a row (see full-mailboxes.ts).
 * - `mailbox`: this mailbox, for now: disabled, moved, not taking this one.
 * - `message`: its size, form or content.
 * - `policy`: a filter, a block list, a rule of the receiver: never the person's fault.
 * - `domain`: the sending domain or account: authentication, reputation, the rules for bulk senders.
 * - `network`: routes, time limits, congestion, the receiver's trouble.
 */
export type Cause = 'person' | 'full' | 'mailbox' | 'message' | 'policy' | 'domain' | 'network';

/** Class 5 unless the code begins with 4: `x` stands for either. The longest match counts. */
const TABLE: readonly (readonly [string, Cause])[] = [
  // X.1: addresses
  ['x.1', 'mailbox'],
  ['5.1.1', 'person'], // bad destination mailbox
  ['5.1.2', 'person'], // bad destination system
  ['5.1.3', 'person'], // not an address
  ['5.1.6', 'person'], // moved, no forwarding
  ['5.1.10', 'person'], // RFC 7505: the domain takes no mail; Exchange: no such recipient
  ['5.1.351', 'person'], // Exchange: the remote server knows no such recipient
  ['x.1.4', 'mailbox'], // ambiguous
  ['x.1.7', 'domain'], // the sender's address is not one
  ['x.1.8', 'domain'], // the sender's system does not exist
  ['x.1.9', 'message'], // relayed to a system without what the message needs
  // X.2: mailboxes
  ['x.2', 'mailbox'],
  ['x.2.1', 'mailbox'], // disabled, not taking messages
  ['x.2.2', 'full'], // full
  ['x.2.3', 'message'], // too long for it
  ['x.2.4', 'mailbox'], // expansion of a list
  ['5.2.252', 'domain'], // Exchange: SendAsDenied
  // X.3: the receiving system
  ['x.3', 'network'],
  ['x.3.1', 'network'], // its disk is full
  ['x.3.4', 'message'], // too big for it
  // X.4: routes and networks
  ['x.4', 'network'],
  ['5.4.5', 'domain'], // Gmail: the sender's daily quota
  ['5.4.310', 'person'], // Exchange: the domain does not exist
  // X.5: the protocol
  ['x.5', 'network'],
  ['x.5.3', 'network'], // too many recipients
  // X.6: content
  ['x.6', 'message'],
  // X.7: security and policy. Never the person's fault.
  ['x.7', 'policy'],
  ['x.7.9', 'domain'],
  ['x.7.20', 'domain'], // no passing DKIM signature (RFC 7372)
  ['x.7.21', 'domain'],
  ['x.7.22', 'domain'],
  ['x.7.23', 'domain'], // SPF failed
  ['x.7.24', 'domain'],
  ['x.7.25', 'domain'], // no reverse DNS
  ['x.7.26', 'domain'], // several ways of authentication failed
  ['x.7.27', 'domain'], // the sender's domain takes no mail (RFC 7505)
  ['x.7.60', 'domain'], // Exchange: may not send as this sender
  ['5.7.509', 'domain'], // Microsoft: DMARC of the domain
  ['5.7.515', 'domain'], // Microsoft: the domain does not meet the rules for bulk senders
  ['x.7.705', 'domain'],
  ['x.7.708', 'domain'],
];

const CAUSES = new Map(TABLE);

/** Large systems that say "no such recipient" or "no such domain" with a code of the network's. */
const EXCEPTIONS: readonly (readonly [string, RegExp, Cause])[] = [
  // Microsoft 365, where the recipient's directory is asked at the edge.
  ['5.4.1', /recipient address(es)? rejected ?: access denied/i, 'person'],
  // Postfix, of a domain that the DNS denies; where the DNS only fails it says 4.4.3.
  ['5.4.4', /\bhost( or domain name)? not found\b|\bdomain not found\b/i, 'person'],
];

/** Words that tell where a code does not: many systems answer 550 or 5.0.0 to everything. */
const WORDS: readonly (readonly [RegExp, Cause])[] = [
  [
    /\b(mail ?box|inbox|storage|account|user|recipient|quota)\b[^.]{0,40}\b(is |was )?(over ?-?quota|full|exceeded|out of (storage|space))\b|\b(over|exceeded?) (the |its |their )?(storage )?quota\b|\bquota (was |has been )?exceeded\b|\bmailbox size limit\b/i,
    'full',
  ],
  [
    /\bspf\b|\bdkim\b|\bdmarc\b|\bunauthenticated\b|not authenticated|reverse dns|\bptr record\b|\binvalid dns mx\b|sender address is not allowed|sender (address |domain )?(rejected|denied|verify failed)/i,
    'domain',
  ],
  [
    /\bspam\b|\bblock(ed|list)|\bblack ?list|\bpolicy\b|\breputation\b|\bspamhaus\b|\bbarracuda\b|\bphish|\bvirus\b|\bunsolicited\b|rejected due to|message (was )?rejected|access denied|\bgr[ae]y-?list/i,
    'policy',
  ],
  [
    /\b(no such|unknown|invalid|non-?existent|nonexistent|unrouteable|undeliverable) (local )?(user|recipient|mail ?box|account|address|person|domain|host|destination)\b|\b(user|recipient|mail ?box|account|address|alias|domain|host)( address)?\b[^.]{0,60}\b(unknown|not found|does ?n[o']t exist|not exist|no longer (exists|available|valid)|not known|not listed|not a (valid|known)|invalid|unavailable or does not exist)\b|\buser doesn'?t have\b|\b(there is )?no (mail ?box|such user|one) (here )?by that name\b|\baddress rejected: (undeliverable|unknown)|recipientnotfound|\bno mailbox here\b|couldn't find any host named|\bhost or domain name not found\b|\bunrouteable address\b/i,
    'person',
  ],
  // GMX, web.de, outlook.com: nobody has this address. They say it of the sender's domain and of spam, too.
  [/requested action not taken: mailbox unavailable/i, 'person'],
  [/\b(disabled|inactive|suspended|deactivated)\b/i, 'mailbox'],
  [/message (size|too (big|large))|too large|size limit/i, 'message'],
  [/timed? ?out|connection refused|no route|unreachable|temporar/i, 'network'],
];

/**
 * @param status an enhanced code, or three digits, or nothing
 * @param words what the other side said
 */
export function causeOf(status: string, words: string): Cause {
  // Mailgun and others give three digits, or 5.0.0, and leave the code in the words.
  const said = saysNothing(status) ? codeIn(words) : status;
  for (const [code, pattern, cause] of EXCEPTIONS) {
    if (said === code && pattern.test(words)) return cause;
  }
  const listed = inTable(said);
  if (listed) return listed;
  for (const [pattern, cause] of WORDS) if (pattern.test(words)) return cause;
  return 'network';
}

const saysNothing = (status: string) => !/^[45]\.[1-9]\d{0,2}\.[1-9]\d{0,2}$/.test(status);

/** Undefined for codes that say nothing: X.0.0, three digits, none. */
function inTable(status: string): Cause | undefined {
  const [, kind, subject, detail] = /^([45])\.(\d{1,3})\.(\d{1,3})$/.exec(status) ?? [];
  if (!kind || subject === '0') return undefined;
  return (
    CAUSES.get(`${kind}.${subject}.${detail}`) ??
    CAUSES.get(`x.${subject}.${detail}`) ??
    (detail === '0' ? undefined : CAUSES.get(`x.${subject}`))
  );
}

/** Is it a hard bounce? Only a refusal for good can be one; a code of class 4 never is. */
export function isHard(status: string, words: string): boolean {
  return !status.startsWith('4') && causeOf(status, words) === 'person';
}

const ENHANCED = /\b([245]\.\d{1,3}\.\d{1,3})\b/;
const THREE = /(?:^|[\s#:>])([45]\d\d)(?=[\s-]|$)/;

/** The code in a mail server's words: the enhanced one, else three digits, else ''. */
export function codeIn(words: string): string {
  // An address such as 5.1.1.7 is no code.
  const plain = words.replace(/\b\d{1,3}(\.\d{1,3}){3}\b/g, ' ');
  return ENHANCED.exec(plain)?.[1] ?? THREE.exec(plain)?.[1] ?? '';
}
