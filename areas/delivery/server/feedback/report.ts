// Reads returned email: delivery status notifications (RFC 3464), bounces in plain text, feedback
// reports (RFC 5965), and unsubscribes by email.
import { createHash } from 'node:crypto';
import PostalMime, { type Email } from 'postal-mime';
import { cleanValue } from '#platform/server/clean-text.ts';
import { MIME_LIMITS } from '#platform/server/limits/mime-limits.ts';
import { isBounceSubject, isDaemon, readBounceText } from './bounce-text.ts';
import { findCode, findTruestCode } from './classification.ts';
import { type BouncedCopy, toOneLine } from './provider-event.ts';

export type FeedbackReport = {
  /** Identifies the report, so that a repeated one is recognized. */
  id: string;
  /** Strings that look like tokens. */
  tokenCandidates: string[];
} & (
  | { kind: 'bounces'; copies: BouncedCopy[] }
  | { kind: 'complaint'; recipient: string; diagnostic: string }
  | { kind: 'unsubscribe' }
  /** Emails without effect, such as delay notices, out-of-office replies and personal email. */
  | { kind: 'nothing'; reason: 'delayed' | 'automatic' | 'delivered' | 'unreadable' | 'other' }
);

/**
 * Maximum number of bytes read from an email; the report precedes the copy of the original email.
 */
export const MAX_REPORT_BYTES = 512 * 1024;
const MAX_COPIES = 100;

export async function readReport(raw: Buffer, isUnsubscribeBox = false): Promise<FeedbackReport> {
  const bytes = raw.subarray(0, MAX_REPORT_BYTES);
  const rawEmail = await PostalMime.parse(bytes, {
    attachmentEncoding: 'utf8',
    forceRfc822Attachments: true,
    ...MIME_LIMITS,
  }).catch(() => undefined);
  const email = cleanValue(rawEmail);
  if (!email) return unreadableReport(bytes, tokenCandidatesOf([bytes.toString('latin1')]));
  const contents = [email.subject ?? '', email.text ?? '', email.html ?? '', ...partsOf(email)];
  const base = {
    id: idOf(bytes, email),
    tokenCandidates: tokenCandidatesOf([...headersOf(email), ...contents]),
  };
  return { ...base, ...meaningOf(email, isUnsubscribeBox) };
}

export function unreadableReport(bytes: Buffer, tokenCandidates: string[] = []): FeedbackReport {
  return { id: idOf(bytes, undefined), tokenCandidates, kind: 'nothing', reason: 'unreadable' };
}

type ReportMeaning =
  | { kind: 'bounces'; copies: BouncedCopy[] }
  | { kind: 'complaint'; recipient: string; diagnostic: string }
  | { kind: 'unsubscribe' }
  | { kind: 'nothing'; reason: 'delayed' | 'automatic' | 'delivered' | 'other' };

function meaningOf(email: Email, isUnsubscribeBox: boolean): ReportMeaning {
  const feedback = findPart(email, /^message\/feedback-report$/);
  if (feedback !== undefined) return complaintOf(feedback);
  const complaint = forwardedComplaint(email);
  if (complaint) return complaint;
  const status = findPart(email, /^message\/(global-)?delivery-status$/);
  if (status !== undefined) {
    const meaning = bouncesOf(status);
    if (meaning) return meaning;
  }
  if (isUnsubscribeBox) return { kind: 'unsubscribe' };
  if (isAutomaticReply(email)) return { kind: 'nothing', reason: 'automatic' };
  const text = email.text ?? (email.html ?? '').replace(/<[^<>]{0,2000}>/g, ' ');
  return readBounceText({
    from: email.from?.address ?? '',
    subject: email.subject ?? '',
    failedRecipients: headerOf(email, 'x-failed-recipients'),
    text,
  });
}

/**
 * Hashes the Message-ID or, if there is none, the body, because relays in transit add header
 * fields.
 */
function idOf(bytes: Buffer, email: Email | undefined): string {
  const messageId = email?.messageId?.trim();
  const hash = createHash('sha256');
  if (messageId) hash.update(messageId);
  else {
    const body = bytes.indexOf('\r\n\r\n');
    hash.update(bytes.subarray(Math.max(0, body)));
  }
  return hash.digest('base64url').slice(0, 32);
}

const headersOf = (email: Email) => email.headers.map((header) => header.value.slice(0, 4000));

function headerOf(email: Email, key: string): string {
  return email.headers.find((header) => header.key === key)?.value ?? '';
}

function partsOf(email: Email): string[] {
  return email.attachments.flatMap(({ mimeType, content }) =>
    /^(message\/|text\/)/.test(mimeType) && typeof content === 'string' ? [content] : [],
  );
}

function findPart(email: Email, type: RegExp): string | undefined {
  const attachment = email.attachments.find((attachment) => type.test(attachment.mimeType));
  return typeof attachment?.content === 'string' ? attachment.content : undefined;
}

const TOKEN = /(?:\bb\+|<)([A-Za-z0-9_-]{40})@/g;
const UNSUBSCRIBE_TOKEN =
  /(?:unsubscribe(?:%20|\+|\s)|\/u\/)([A-Za-z0-9_-]{40})(?![A-Za-z0-9_-])/gi;
const MAX_TOKEN_CANDIDATES = 20;

/** Returns all strings that look like tokens; their signatures are verified later. */
function tokenCandidatesOf(contents: readonly string[]): string[] {
  const tokenCandidates = new Set<string>();
  for (const text of contents) {
    for (const pattern of [TOKEN, UNSUBSCRIBE_TOKEN]) {
      for (const [, token] of text.matchAll(pattern)) {
        if (token) tokenCandidates.add(token);
        if (tokenCandidates.size >= MAX_TOKEN_CANDIDATES) return [...tokenCandidates];
      }
    }
  }
  return [...tokenCandidates];
}

type ReportFields = Map<string, string>;

/**
 * Splits a report into its groups of fields (RFC 3464, 2.1). Folded lines continue the field before
 * them.
 */
function groupsOf(text: string): ReportFields[] {
  const groups: ReportFields[] = [];
  let group: ReportFields = new Map();
  let lastName = '';
  for (const line of text.split(/\r?\n/, 5000)) {
    if (line.trim() === '') {
      if (group.size > 0) groups.push(group);
      group = new Map();
      lastName = '';
      continue;
    }
    if (/^[ \t]/.test(line) && lastName) {
      group.set(lastName, `${group.get(lastName) ?? ''} ${line.trim()}`.slice(0, 4000));
      continue;
    }
    const colon = line.indexOf(':');
    if (colon < 1 || colon > 80) continue;
    lastName = line.slice(0, colon).trim().toLowerCase();
    if (!group.has(lastName))
      group.set(
        lastName,
        line
          .slice(colon + 1)
          .trim()
          .slice(0, 4000),
      );
  }
  if (group.size > 0) groups.push(group);
  return groups;
}

/**
 * Returns undefined for a status part without recipients; then the email's text is read instead.
 */
function bouncesOf(text: string): ReportMeaning | undefined {
  const groups = groupsOf(text).filter((group) => group.has('action') || group.has('status'));
  if (groups.length === 0) return undefined;
  const failedGroups = groups.filter((group) => actionOf(group) === 'failed').slice(0, MAX_COPIES);
  if (failedGroups.length > 0) return { kind: 'bounces', copies: failedGroups.map(copyOf) };
  const isDelayed = groups.some((group) => actionOf(group) === 'delayed');
  return { kind: 'nothing', reason: isDelayed ? 'delayed' : 'delivered' };
}

function actionOf(group: ReportFields): string {
  const [action = ''] = (group.get('action') ?? '').toLowerCase().split(/[\s;(]/, 1);
  if (action !== '') return action;
  const status = group.get('status') ?? '';
  if (status.startsWith('5')) return 'failed';
  return status.startsWith('4') ? 'delayed' : 'delivered';
}

function copyOf(group: ReportFields): BouncedCopy {
  const diagnostic = (group.get('diagnostic-code') ?? '').replace(/^\s*[\w-]{1,40}\s*;/, '');
  const status = findCode(group.get('status') ?? '');
  const original = findAddress(group.get('original-recipient'));
  return {
    recipient: original || findAddress(group.get('final-recipient')),
    ...(original ? { originalRecipient: original } : {}),
    code: findTruestCode(status, diagnostic),
    diagnostic: toOneLine(diagnostic),
  };
}

/** Returns the address in a field such as `rfc822;<person@example.com>`; empty if there is none. */
export function findAddress(field: string | undefined): string {
  const text = (field ?? '').slice(0, 1000).replace(/^[^;]*;/, '');
  return /[^\s<>;,"()]{1,64}@[^\s<>;,"()]{1,253}/.exec(text)?.[0] ?? '';
}

/**
 * Feedback types other than complaints: for example, the email is not spam, or failed
 * authentication.
 */
const NO_COMPLAINTS = /^(not-spam|auth-failure|virus|dkim)/;

/** Reads a feedback report (RFC 5965). */
function complaintOf(text: string): ReportMeaning {
  const [group] = groupsOf(text);
  const type = (group?.get('feedback-type') ?? 'abuse').toLowerCase();
  if (NO_COMPLAINTS.test(type)) return { kind: 'nothing', reason: 'other' };
  if (type.startsWith('opt-out')) return { kind: 'unsubscribe' };
  const recipient = findAddress(`;${group?.get('original-rcpt-to') ?? ''}`);
  return { kind: 'complaint', recipient, diagnostic: toOneLine(type) };
}

const JMRP_SUBJECT = /^\s*complaint about message from\b/i;

/**
 * Reads a complaint of Outlook's complaint program (JMRP), which forwards only the original email,
 * and names its recipient in a header field.
 */
function forwardedComplaint(email: Email): ReportMeaning | undefined {
  const original = findPart(email, /^message\/rfc822$/)?.slice(0, MAX_REPORT_BYTES);
  if (original === undefined) return undefined;
  const end = /\r?\n\r?\n/.exec(original)?.index ?? original.length;
  const originalRecipient = /^x-hmxmroriginalrecipient:(.*)$/im.exec(original.slice(0, end))?.[1];
  const isJmrp =
    originalRecipient !== undefined ||
    (/^staff@hotmail\.com$/i.test(email.from?.address ?? '') &&
      JMRP_SUBJECT.test(email.subject ?? ''));
  if (!isJmrp) return undefined;
  return {
    kind: 'complaint',
    recipient: findAddress(`;${originalRecipient ?? ''}`),
    diagnostic: 'abuse',
  };
}

const AUTO_REPLY_SUBJECT = /^\s*(automatic reply|auto:|out of office)/i;

/**
 * Returns whether the email is an automatic reply such as an out-of-office notice (RFC 3834). A
 * bounce that is marked as an automatic reply, as Exim's are, is not treated as one.
 */
function isAutomaticReply(email: Email): boolean {
  const from = email.from?.address ?? '';
  if (headerOf(email, 'x-failed-recipients') !== '') return false;
  if (/^mailer-?daemon@/i.test(from)) return false;
  // Exchange marks out-of-office replies as auto-generated, like its bounces, so the subject
  // decides.
  if (AUTO_REPLY_SUBJECT.test(email.subject ?? '')) return true;
  // Office 365 marks reports as automatic replies and omits the machine-readable part.
  if (/report-type="?delivery-status/i.test(headerOf(email, 'content-type'))) return false;
  if (isDaemon(from) && isBounceSubject(email.subject ?? '')) return false;
  if (headerOf(email, 'x-auto-response-suppress') !== '' && !isDaemon(from)) return true;
  const autoSubmitted = headerOf(email, 'auto-submitted').toLowerCase();
  return (
    autoSubmitted.startsWith('auto-replied') ||
    headerOf(email, 'x-autoreply') !== '' ||
    headerOf(email, 'x-autorespond') !== '' ||
    /auto.?reply/i.test(headerOf(email, 'precedence'))
  );
}
