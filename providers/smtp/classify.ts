// The only module that classifies SMTP replies: by the command, the enhanced status code (RFC 3463,
// IANA's registry) and the three digits. Reply text is considered only where relays are known to
// use codes loosely.
import type {
  ResultScope,
  HandoffResult,
  HandoffOutcome,
  SmtpStep,
} from '#areas/delivery/server/relays/provider.ts';

interface ReplyClass {
  readonly outcome: HandoffOutcome;
  readonly scope: ResultScope;
}

const ENHANCED = /^([245]\.\d{1,3}\.\d{1,3})(?:\s+|$)/;
const MAX_REPLY_LENGTH = 500;

// Texts of large relays that contradict their codes.
/** Gmail 550 5.4.5, shared hosts: the sender has used up its quota. */
const QUOTA_PATTERN =
  /\b(daily|hourly|monthly|sending|message|user|account)\b[^.]{0,30}\b(quota|limit)\b[^.]{0,20}\b(exceeded|reached)|exceeded (your|the) [^.]{0,30}(quota|limit)/i;
/**
 * With a 4xx code, only a daily or monthly quota (Amazon SES 454) is a refusal of the sender; with
 * shorter limits, a later attempt can succeed.
 */
const LONG_QUOTA_PATTERN =
  /\b(daily|monthly)\b[^.]{0,30}\b(quota|limit)\b[^.]{0,20}\b(exceeded|reached)/i;
/**
 * Words in quota replies that concern a recipient's mailbox, a rate, or the size of one message.
 */
const OTHER_QUOTA_PATTERN = /\b(mailbox|inbox|recipient|over quota|storage|rate|size)\b/i;
const RELAY_DENIED_PATTERN =
  /\b(relay(ing)? (access )?(is )?(denied|not (permitted|allowed)|prohibited)|(unable|not permitted|not allowed) to relay)/i;
/**
 * Amazon SES and other relays: the address or the account is not, or no longer, allowed to send.
 * Postfix reports errors of the sender, the client or the client's name only at RCPT
 * (smtpd_delay_reject).
 */
const SENDER_PATTERN =
  /\b(sender address|client host|helo command)( \[[^[\]]{0,100}\])? (rejected|blocked)\b|\b(address is not verified|not authori[sz]ed to send|send ?as ?denied|(sending|account) (has been |is )?(paused|suspended|disabled|blocked))\b/i;
const GREYLIST_PATTERN = /gr[ae]y[- ]?list/i;
/** Amazon SES and other relays: our total rate is too high, independent of the recipients. */
const TOTAL_RATE_PATTERN =
  /\b(maximum (sending|send) rate|throttl(ed|ing)|too many (messages|e?mails) (sent )?(per|this))/i;

/**
 * Codes about a recipient's address (X.1, except X.1.0, X.1.7 and X.1.8), a mailbox, or one
 * message's size or content. The text of a reply with one of these codes never makes it a refusal
 * of the sender.
 */
const NOT_SENDER_CODE = /^[45]\.(1\.(?![078]$)\d+|2\.\d+|3\.4|6\.\d+)$/;

/** Codes about the sender, in reply to any command. */
const SENDER_CODES = new Set([
  '5.1.7', // bad sender's mailbox address
  '5.1.8', // bad sender's system address
  '5.2.252', // Exchange: SendAsDenied
  '5.4.5', // Gmail: daily sending quota
  '5.7.25', // RFC 7372: no reverse DNS
  '5.7.26', // RFC 7372: authentication of the domain failed
  '5.7.27', // RFC 7505: the sender's domain has a null MX
  '5.7.60', // Exchange: may not send as this sender
  '5.7.515', // Microsoft: the domain does not meet the rules for bulk senders
  '5.7.705', // Exchange: tenant over its threshold
  '5.7.708', // Exchange: traffic from this IP address not accepted
]);

/** RFC 4954: authentication is missing, wrong or too weak. */
const AUTH_REPLIES = new Set([530, 534, 535, 538]);

/** Classifies the reply to a command of a message. `text` is the reply without its three digits. */
export function classify(step: SmtpStep, code: number, text: string): HandoffResult {
  const { enhanced, reply } = splitReply(text);
  const { outcome, scope } = classifyCode(step, code, enhanced, reply);
  return { outcome, scope, step, code, enhancedCode: enhanced, reply };
}

/** Returns the result for a reply that never arrived. */
export function noReply(
  step: SmtpStep,
  outcome: 'unknown' | 'deferred',
  reason: string,
): HandoffResult {
  return { outcome, scope: 'connection', step, code: 0, enhancedCode: '', reply: oneLine(reason) };
}

/** Returns the result for a message that is not sent because its relay could not accept it. */
export function refuseLocally(
  step: SmtpStep,
  enhanced: string,
  reply: string,
  scope: ResultScope = 'message',
) {
  return {
    outcome: 'failed',
    scope,
    step,
    code: 0,
    enhancedCode: enhanced,
    reply,
  } satisfies HandoffResult;
}

/** Returns the enhanced code and the text after it, on one line. */
export function splitReply(text: string): { enhanced: string; reply: string } {
  const enhanced = ENHANCED.exec(text)?.[1] ?? '';
  if (!text.includes('\n')) {
    return { enhanced, reply: oneLine(text.slice(enhanced.length)) };
  }
  const lines = text.split('\n').map((line) => line.replace(ENHANCED, ''));
  return { enhanced, reply: oneLine(lines.join(' ')) };
}

function classifyCode(step: SmtpStep, code: number, enhanced: string, reply: string): ReplyClass {
  if (code >= 200 && code < 300) {
    return { outcome: 'accepted', scope: 'message' };
  }
  if (code < 400) {
    return { outcome: 'deferred', scope: 'connection' };
  }
  if (isSenderRefused(code, enhanced, reply)) {
    return { outcome: 'relay_refused', scope: 'sender' };
  }
  if (RELAY_DENIED_PATTERN.test(reply)) {
    return { outcome: 'relay_refused', scope: 'relay' };
  }
  return code < 500
    ? { outcome: 'deferred', scope: deferralScope(step, code, enhanced, reply) }
    : classifyRefusal(step, code, enhanced);
}

function isSenderRefused(code: number, enhanced: string, reply: string): boolean {
  if (AUTH_REPLIES.has(code) || SENDER_CODES.has(enhanced)) return true;
  if (NOT_SENDER_CODE.test(enhanced)) return false;
  return SENDER_PATTERN.test(reply) || isQuota(code, reply);
}

function isQuota(code: number, reply: string): boolean {
  const pattern = code < 500 ? LONG_QUOTA_PATTERN : QUOTA_PATTERN;
  return pattern.test(reply) && !OTHER_QUOTA_PATTERN.test(reply);
}

// Returns the scope of a 4xx code. `relay` slows down the whole relay, `domain` one mailbox
// provider. The deferral of one recipient, or of a sender address at MAIL, must do neither.
function deferralScope(step: SmtpStep, code: number, enhanced: string, reply: string): ResultScope {
  if (step === 'mail' && enhanced.startsWith('4.1.')) {
    return 'message';
  }
  if (step === 'mail' || !isMessageVerb(step)) {
    return 'relay';
  }
  if (GREYLIST_PATTERN.test(reply) || enhanced.startsWith('4.2.') || enhanced.startsWith('4.1.')) {
    return 'recipient';
  }
  if (enhanced.startsWith('4.7.') && code !== 454 && !TOTAL_RATE_PATTERN.test(reply)) {
    return 'domain';
  }
  if (code === 421 || code === 454 || code === 452 || /^4\.[357]\./.test(enhanced)) {
    return 'relay';
  }
  return step === 'rcpt' ? 'recipient' : 'message';
}

// Classifies a 5xx code.
function classifyRefusal(step: SmtpStep, code: number, enhanced: string): ReplyClass {
  if (!isMessageVerb(step)) {
    return { outcome: 'relay_refused', scope: 'sender' };
  }
  if (step === 'mail') {
    return isAboutMessage(code, enhanced)
      ? { outcome: 'failed', scope: 'message' }
      : { outcome: 'relay_refused', scope: 'sender' };
  }
  if (/^5\.[12]\./.test(enhanced) && enhanced !== '5.2.3') {
    return { outcome: 'failed', scope: 'recipient' };
  }
  // A refusal of RCPT without an enhanced code usually concerns the mailbox; 5.7.x never does.
  const isMailbox = step === 'rcpt' && enhanced === '' && [501, 550, 551, 552, 553].includes(code);
  return { outcome: 'failed', scope: isMailbox ? 'recipient' : 'message' };
}

// Returns true for refusals of MAIL that concern the message: too large (RFC 1870), SMTPUTF8 needed
// (RFC 6531), or an unknown parameter.
function isAboutMessage(code: number, enhanced: string): boolean {
  return (
    enhanced === '5.3.4' ||
    enhanced === '5.2.3' ||
    enhanced.startsWith('5.6.') ||
    (enhanced === '' && (code === 552 || code === 555))
  );
}

function isMessageVerb(step: SmtpStep): boolean {
  return (
    step === 'mail' || step === 'rcpt' || step === 'data' || step === 'dot' || step === 'request'
  );
}

function oneLine(text: string): string {
  const clean = /[\u0000-\u001f\u007f]/.test(text)
    ? text.replace(/[\u0000-\u001f\u007f]+/g, ' ')
    : text;
  // The database rejects a string that is cut within a surrogate pair.
  return clean.trim().slice(0, MAX_REPLY_LENGTH).toWellFormed();
}
