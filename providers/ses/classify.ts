// Classifies the responses of SES:
// https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html
import { dictionary } from '#platform/dictionary.ts';
import type {
  ResultScope,
  HandoffResult,
  HandoffOutcome,
} from '#areas/delivery/server/relays/provider.ts';

type Classification = readonly [HandoffOutcome, ResultScope];

const OUR_ACCOUNT: Classification = ['relay_refused', 'sender'];
const OUR_RELAY: Classification = ['relay_refused', 'relay'];
const DEFER_RELAY: Classification = ['deferred', 'relay'];

/** Classification by the name of the error. */
const ERRORS: Record<string, Classification> = dictionary({
  TooManyRequestsException: DEFER_RELAY,
  LimitExceededException: DEFER_RELAY,
  ThrottlingException: DEFER_RELAY,
  Throttling: DEFER_RELAY,
  RequestTimeout: DEFER_RELAY,
  InternalFailure: DEFER_RELAY,
  ServiceUnavailable: DEFER_RELAY,
  ConcurrentModificationException: DEFER_RELAY,
  AccountSuspendedException: OUR_ACCOUNT,
  SendingPausedException: OUR_ACCOUNT,
  MailFromDomainNotVerifiedException: OUR_ACCOUNT,
  NotFoundException: OUR_ACCOUNT,
  // The key is valid but may not send for this identity; other identities can send.
  AccessDeniedException: OUR_ACCOUNT,
  AccessDenied: OUR_ACCOUNT,
  UnrecognizedClientException: OUR_RELAY,
  InvalidClientTokenId: OUR_RELAY,
  InvalidSignatureException: OUR_RELAY,
  SignatureDoesNotMatch: OUR_RELAY,
  ExpiredTokenException: OUR_RELAY,
  IncompleteSignature: OUR_RELAY,
  OptInRequired: OUR_RELAY,
});

/** SES returns MessageRejected for an unverified sender and for a message that contains a virus. */
const SENDER_PATTERN = /not verified|not authori[sz]ed|identit(y|ies)|sandbox/i;
/** The message of a daily quota; a rate limit's message does not match. */
const DAILY_PATTERN = /daily|24.?hour/i;
const RECIPIENT_PATTERN =
  /\baddress(es)?\b.{0,200}\b(invalid|illegal|missing)|illegal address|invalid.{0,20}address/i;
const MAX_LENGTH = 500;

export function classify(status: number, name: string, message: string): HandoffResult {
  const [outcome, about] = classifyStatus(status, name, message.slice(0, MAX_LENGTH));
  const reply = oneLine(`${name}${name && message ? ': ' : ''}${message}`);
  return { outcome, scope: about, step: 'request', code: status, enhancedCode: '', reply };
}

/** Returns the result for an accepted message; later notifications contain its message id. */
export function accepted(messageId: string): HandoffResult {
  return {
    outcome: 'accepted',
    scope: 'message',
    step: 'request',
    code: 200,
    enhancedCode: '',
    reply: oneLine(messageId),
  };
}

export function buildResultWithoutReply(
  outcome: 'unknown' | 'deferred',
  reason: string,
): HandoffResult {
  return {
    outcome,
    scope: 'connection',
    step: 'request',
    code: 0,
    enhancedCode: '',
    reply: oneLine(reason),
  };
}

/**
 * Returns the result for a response from a proxy, a sign-in page or another service: no message was
 * accepted, regardless of the status.
 */
export function notSes(status: number, text: string): HandoffResult {
  const reply = oneLine(`The response is not from SES: ${text}`);
  return { ...notSent(reply), code: status };
}

/** Returns the result for unusable relay settings: nothing was sent. */
export function notSent(reason: string): HandoffResult {
  return {
    ...buildResultWithoutReply('deferred', reason),
    outcome: 'relay_refused',
    scope: 'relay',
  };
}

/**
 * Converts text to one line that a database accepts: at most 500 characters, no control characters,
 * no lone surrogates.
 */
function oneLine(text: string): string {
  return text
    .replace(/[\u0000-\u001f\u007f]+/g, ' ')
    .slice(0, MAX_LENGTH)
    .toWellFormed();
}

function classifyStatus(status: number, name: string, message: string): Classification {
  const classification = byName(status, name, message);
  // A daily quota and a rate have the same error name.
  const isDailyQuota =
    classification === DEFER_RELAY && status < 500 && DAILY_PATTERN.test(message);
  return isDailyQuota ? OUR_ACCOUNT : classification;
}

function byName(status: number, name: string, message: string): Classification {
  const classification = ERRORS[name];
  if (classification) return classification;
  if (name === 'MessageRejected')
    return SENDER_PATTERN.test(message) ? OUR_ACCOUNT : ['failed', 'message'];
  // An intermediary may have lost the response: SES may have accepted the message.
  if (name === '' && (status === 502 || status === 504)) return ['unknown', 'connection'];
  if (status === 429 || status >= 500) return DEFER_RELAY;
  // The response of another service, or of its sign-in page.
  if (status < 400 || (name === '' && (status === 404 || status === 405))) return OUR_RELAY;
  if (status === 401 || status === 403) return OUR_RELAY;
  if (name === 'BadRequestException' && RECIPIENT_PATTERN.test(message))
    return ['failed', 'recipient'];
  return ['failed', 'message'];
}
