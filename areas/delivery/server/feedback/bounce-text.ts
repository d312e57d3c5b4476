// Reads bounces that are written for human readers only: bounces from qmail, Exim and older
// Exchange, and any other text that reports a failed delivery. Only the beginning of a text is
// read, which limits the time.
import { findCode } from './classification.ts';
import { findCause } from './diagnostic-phrases.ts';
import { type BouncedCopy, toOneLine } from './provider-event.ts';

const MAX_TEXT_LENGTH = 16 * 1024;
const MAX_COPIES = 20;

const DAEMONS =
  /^(mailer-?daemon|postmaster|mail-?daemon|mail(er)?|bounces?|microsoftexchange\w{0,60})@|^$/i;
/** Returns whether an address belongs to a mail system; an empty address is treated as one. */
export const isDaemon = (from: string) => DAEMONS.test(from.slice(0, 320));

const SUBJECTS =
  /undeliver|delivery (status|failure|failed|has failed|notification)|returned mail|mail delivery (failed|system|failure)|failure notice|non-?deliver|delivery problem|could not be delivered|message (blocked|rejected|not delivered)/i;
/** Returns whether a subject reports a failed delivery. */
export const isBounceSubject = (subject: string) => SUBJECTS.test(subject.slice(0, 500));

const SENTENCES =
  /error has occurred while attempting to deliver|could not be delivered|wasn't able to deliver|unable to deliver|delivery (has )?failed|undeliverable|permanent(ly)? (fatal )?(error|failed|failure)|did not reach the following recipient|was not delivered/i;
const DELAYS =
  /\b(delay(ed)?|still being retried|not yet been delivered|will (keep|continue) (on )?(to )?try(ing)?|warning: could not send|no action is required)\b/i;

/** Beginnings of the line that introduces the copy of the original email. */
const COPY_BELOW =
  /^(-{2,}\s*(below this line|this is a copy|original message|the following|returned|transcript)|original message headers|diagnostic information for administrators|content-type: message\/|return-path:|received: )/im;

export type BounceText = { from: string; subject: string; failedRecipients: string; text: string };

export function readBounceText(
  email: BounceText,
): { kind: 'bounces'; copies: BouncedCopy[] } | { kind: 'nothing'; reason: 'delayed' | 'other' } {
  const fullText = email.text.slice(0, MAX_TEXT_LENGTH);
  const isBounce =
    email.failedRecipients !== '' ||
    isBounceSubject(email.subject) ||
    (isDaemon(email.from) && SENTENCES.test(fullText));
  if (!isBounce) return { kind: 'nothing', reason: 'other' };
  const text = beforeCopy(fullText);
  if (DELAYS.test(`${email.subject.slice(0, 500)} ${text}`) && !SENTENCES.test(text)) {
    return { kind: 'nothing', reason: 'delayed' };
  }
  const copies = copiesIn(text, email.failedRecipients);
  if (copies.length > 0) return { kind: 'bounces', copies };
  const code = findCode(fullText);
  // Without an address, a code and a sentence about a failure, the email contains no information.
  if (code === '' && !SENTENCES.test(fullText)) return { kind: 'nothing', reason: 'other' };
  return {
    kind: 'bounces',
    copies: [{ recipient: '', code, diagnostic: lineWith(fullText, code) }],
  };
}

/**
 * Removes the copy of the original email, except Exchange's section with diagnostic information.
 */
function beforeCopy(text: string): string {
  const match = COPY_BELOW.exec(text);
  if (!match || match.index === 0) return text;
  const isDiagnostic = /^(diagnostic|original message headers)/i.test(match[0]);
  if (!isDiagnostic) return text.slice(0, match.index);
  const headers = /^original message headers/im.exec(text);
  return headers ? text.slice(0, headers.index) : text;
}

/**
 * A line with the recipient: `<person@x.example>:` (qmail, Postfix), an address alone (Exim), or
 * `Name (person@…)` (Exchange).
 */
const ADDRESS_LINE =
  /^[ \t]{0,8}(?:[^\n<>()@]{0,80}[ (<])?<?([^\s<>()@,;:]{1,64}@[^\s<>()@,;:]{1,253})[>)]?(?:<mailto:[^>\n]{1,320}>)?:?(?=[ \t\r\n]|$)/gm;

function copiesIn(text: string, failedRecipients: string): BouncedCopy[] {
  const namedRecipients = failedRecipients
    .split(',')
    .map((address) => address.trim())
    .filter((address) => address.includes('@'));
  const matches = [...text.matchAll(ADDRESS_LINE)].slice(0, MAX_COPIES);
  const copies = matches.flatMap((match, i): BouncedCopy[] => {
    const recipient = match[1] ?? '';
    if (namedRecipients.length > 0 && !namedRecipients.includes(recipient)) return [];
    const end = matches[i + 1]?.index ?? text.length;
    const diagnostic = diagnosticOf(
      match[0],
      toOneLine(text.slice(match.index + match[0].length, end)),
    );
    const code = findCode(diagnostic) || findCode(text);
    const isReason = code !== '' || findCause(diagnostic) !== undefined || SENTENCES.test(text);
    return isReason ? [{ recipient, code, diagnostic }] : [];
  });
  const knownRecipients = new Set(copies.map((copy) => copy.recipient));
  const otherRecipients = namedRecipients.filter((recipient) => !knownRecipients.has(recipient));
  const code = findCode(text);
  for (const recipient of otherRecipients.slice(0, MAX_COPIES)) {
    copies.push({ recipient, code, diagnostic: lineWith(text, code) });
  }
  return distinct(copies);
}

/**
 * Returns the text after the address, or the line and this text if they contain a known reason that
 * the text alone does not, as in `Unknown user: person@x.example`.
 */
function diagnosticOf(line: string, behind: string): string {
  const fullText = toOneLine(`${line} ${behind}`);
  return findCause(behind) === undefined && findCause(fullText) !== undefined ? fullText : behind;
}

function distinct(copies: readonly BouncedCopy[]): BouncedCopy[] {
  return [...new Map(copies.map((copy) => [copy.recipient.toLowerCase(), copy])).values()];
}

function lineWith(text: string, code: string): string {
  const line = code === '' ? undefined : text.split('\n').find((segment) => segment.includes(code));
  return toOneLine(line ?? SENTENCES.exec(text)?.[0] ?? '');
}
