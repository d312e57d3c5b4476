// Amazon SES notifications through SNS (docs.aws.amazon.com/ses: Amazon SNS notification contents):
// bounces and complaints by recipient.
import { dictionary } from '#platform/dictionary.ts';
import type {
  BounceCause,
  FeedbackWebhookRequest,
  HookReader,
  FeedbackWebhookResult,
  FeedbackEvent,
} from '#areas/delivery/server/feedback/hook-provider.ts';
import {
  type Fetch,
  isAmazonUrl,
  isSignedBySns,
  isTopic,
  parseSns,
  type SnsMessage,
} from './sns.ts';

type SesRecipient = { emailAddress?: unknown; status?: unknown; diagnosticCode?: unknown };
type Notification = {
  notificationType?: unknown;
  eventType?: unknown;
  bounce?: {
    bounceType?: unknown;
    bounceSubType?: unknown;
    feedbackId?: unknown;
    timestamp?: unknown;
    bouncedRecipients?: unknown;
  };
  complaint?: {
    feedbackId?: unknown;
    timestamp?: unknown;
    complaintFeedbackType?: unknown;
    complainedRecipients?: unknown;
  };
  mail?: { source?: unknown; destination?: unknown; headers?: unknown };
};

const TIME_LIMIT_MS = 5_000;
const MAX_BYTES = 64 * 1024;

/** Fetches a document from Amazon: no redirects, a short timeout; only the first 64 KB are used. */
async function fetchText(url: string): Promise<string> {
  const response = await fetch(url, {
    redirect: 'error',
    signal: AbortSignal.timeout(TIME_LIMIT_MS),
  });
  if (!response.ok) throw new Error(`SNS returned ${response.status}`);
  return (await response.text()).slice(0, MAX_BYTES);
}

export function sesHooks(fetchFrom: Fetch = fetchText): HookReader {
  return {
    provider: 'ses',
    key: 'offered',
    findKeyFault: (key) => (isTopic(key) ? undefined : 'notATopic'),
    read: (call, key) => readCall(call, key, fetchFrom),
  };
}

/**
 * @param topic the confirmed or configured topic; messages of other topics are refused. Without a
 * topic only confirmations are accepted.
 */
async function readCall(
  { body }: FeedbackWebhookRequest,
  topic: string | undefined,
  fetchFrom: Fetch,
): Promise<FeedbackWebhookResult> {
  const message = parseSns(body);
  if (!message) return { kind: 'refused', status: 400, reason: 'not a message of SNS' };
  if (topic !== undefined && topic !== message.TopicArn) {
    return { kind: 'refused', status: 403, reason: 'the message is of another topic' };
  }
  const isSigned = await isSignedBySns(message, fetchFrom).catch(() => undefined);
  // SNS retries after a 5xx status, never after a 4xx, so only certainly invalid calls get a 4xx.
  if (isSigned === undefined) {
    return { kind: 'refused', status: 503, reason: 'the certificate cannot be fetched now' };
  }
  if (!isSigned) return { kind: 'refused', status: 401, reason: 'the signature does not match' };
  if (message.Type === 'SubscriptionConfirmation') return subscriptionOf(message, fetchFrom);
  if (message.Type === 'UnsubscribeConfirmation') return { kind: 'accepted', events: [] };
  if (topic === undefined)
    return { kind: 'refused', status: 403, reason: 'the topic is not confirmed' };
  return { kind: 'accepted', events: readFeedbackEvents(message) };
}

function subscriptionOf(message: SnsMessage, fetchFrom: Fetch): FeedbackWebhookResult {
  const { SubscribeURL: url, TopicArn: key } = message;
  if (!url || !isAmazonUrl(url)) {
    return {
      kind: 'refused',
      status: 403,
      reason: 'the subscription URL is not an address of Amazon',
    };
  }
  return { kind: 'subscription', key, confirm: async () => void (await fetchFrom(url)) };
}

const text = (value: unknown) => (typeof value === 'string' ? value : '');

function readFeedbackEvents(message: SnsMessage): FeedbackEvent[] {
  let notification: Notification | null;
  try {
    notification = JSON.parse(message.Message);
  } catch {
    return [];
  }
  if (typeof notification !== 'object' || notification === null) return [];
  const type = notification.notificationType ?? notification.eventType;
  const email = {
    tokenCandidates: tokenCandidatesOf(notification.mail),
    recipient: onlyRecipient(notification.mail),
  };
  if (type === 'Bounce') return bounces(notification.bounce ?? {}, email);
  if (type === 'Complaint') return complaints(notification.complaint ?? {}, email);
  return [];
}

/**
 * Returns possible tokens of the copy, from the return path and the Message-ID. SES replaces the
 * Message-ID, but the headers of the notification contain the original.
 */
function tokenCandidatesOf(email: Notification['mail']): string[] {
  const headers = Array.isArray(email?.headers) ? email.headers.slice(0, 200) : [];
  const ids = headers.flatMap((header: { name?: unknown; value?: unknown } | null) =>
    text(header?.name).toLowerCase() === 'message-id' ? [text(header?.value)] : [],
  );
  return [text(email?.source), ...ids].flatMap(
    (text) => /([A-Za-z0-9_-]{40})@/.exec(text.slice(0, 500))?.[1] ?? [],
  );
}

/**
 * Returns the message's recipient, because a bounce after forwarding may name another address;
 * empty if there are several recipients.
 */
function onlyRecipient(email: Notification['mail']): string {
  const recipients = Array.isArray(email?.destination) ? email.destination : [];
  return recipients.length === 1 ? text(recipients[0]) : '';
}

function recipientsOf(value: unknown): SesRecipient[] {
  return Array.isArray(value)
    ? value
        .slice(0, 100)
        .filter(
          (recipient): recipient is SesRecipient =>
            typeof recipient === 'object' && recipient !== null,
        )
    : [];
}

const SUBTYPES: Record<string, BounceCause> = dictionary({
  NoEmail: 'person',
  Suppressed: 'person',
  OnAccountSuppressionList: 'person',
  OnTenantSuppressionList: 'person',
  MailboxFull: 'full',
  MessageTooLarge: 'message',
  ContentRejected: 'policy',
  AttachmentRejected: 'message',
});

type OriginalEmail = { tokenCandidates: string[]; recipient: string };

function bounces(
  bounce: NonNullable<Notification['bounce']>,
  email: OriginalEmail,
): FeedbackEvent[] {
  const isPermanent = bounce.bounceType === 'Permanent';
  return recipientsOf(bounce.bouncedRecipients).map((recipient, i) => ({
    eventId: `${text(bounce.feedbackId)} ${i}`.slice(0, 200),
    kind: 'bounce',
    at: new Date(text(bounce.timestamp)),
    isPermanent,
    cause: SUBTYPES[text(bounce.bounceSubType)] ?? hardWithoutDetails(bounce, recipient),
    code: text(recipient.status).slice(0, 20),
    diagnostic: text(recipient.diagnosticCode)
      .replace(/^smtp;\s*/i, '')
      .slice(0, 2000),
    tokenCandidates: email.tokenCandidates,
    recipient: (email.recipient || text(recipient.emailAddress)).slice(0, 320) || undefined,
  }));
}

/**
 * SES reports any permanent general refusal as a missing address. The status code and text of the
 * refusal are more specific, so the cause is `person` only if there are neither.
 */
function hardWithoutDetails(
  { bounceType, bounceSubType }: NonNullable<Notification['bounce']>,
  { status, diagnosticCode }: SesRecipient,
): BounceCause | undefined {
  const isGeneral = bounceType === 'Permanent' && bounceSubType === 'General';
  return isGeneral && text(status) === '' && text(diagnosticCode) === '' ? 'person' : undefined;
}

function complaints(
  complaint: NonNullable<Notification['complaint']>,
  email: OriginalEmail,
): FeedbackEvent[] {
  if (complaint.complaintFeedbackType === 'not-spam') return [];
  return recipientsOf(complaint.complainedRecipients).map((recipient, i) => ({
    eventId: `${text(complaint.feedbackId)} ${i}`.slice(0, 200),
    kind: 'complaint',
    at: new Date(text(complaint.timestamp)),
    isPermanent: true,
    code: '',
    diagnostic: text(complaint.complaintFeedbackType).slice(0, 100),
    tokenCandidates: email.tokenCandidates,
    recipient: (email.recipient || text(recipient.emailAddress)).slice(0, 320) || undefined,
  }));
}
