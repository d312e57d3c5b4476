// Postmark's webhooks: one event per call. They are unsigned: the URL is secret, and Basic
// authorization may also be required (postmarkapp.com/developer/webhooks).
import { dictionary } from '#platform/dictionary.ts';
import { createHash, timingSafeEqual } from 'node:crypto';
import {
  type BounceCause,
  COPY_NAME,
  type FeedbackWebhookRequest,
  type HookReader,
  type FeedbackWebhookResult,
  type FeedbackEvent,
} from '#areas/delivery/server/feedback/hook-provider.ts';

type Event = {
  RecordType?: unknown;
  ID?: unknown;
  MessageID?: unknown;
  Type?: unknown;
  Email?: unknown;
  Recipient?: unknown;
  BouncedAt?: unknown;
  ChangedAt?: unknown;
  Details?: unknown;
  Description?: unknown;
  Content?: unknown;
  Metadata?: Record<string, unknown> | null;
  SuppressSending?: unknown;
  SuppressionReason?: unknown;
};

export const postmarkHooks: HookReader = {
  provider: 'postmark',
  key: 'optional',
  findKeyFault: (key) => (/^[^:\s]{1,100}:\S{8,200}$/.test(key) ? undefined : 'notUserAndPassword'),
  read: async (call, key) => readCall(call, key),
};

const digest = (value: string) => createHash('sha256').update(value).digest();

function readCall(
  { headers, body }: FeedbackWebhookRequest,
  key: string | undefined,
): FeedbackWebhookResult {
  if (key !== undefined) {
    const receivedHeader = String(headers.authorization ?? '');
    const expectedHeader = `Basic ${Buffer.from(key).toString('base64')}`;
    if (!timingSafeEqual(digest(receivedHeader), digest(expectedHeader))) {
      return { kind: 'refused', status: 401, reason: 'user and password do not match' };
    }
  }
  let event: unknown;
  try {
    event = JSON.parse(body.toString('utf8'));
  } catch {
    return { kind: 'refused', status: 400, reason: 'not JSON' };
  }
  if (typeof event !== 'object' || event === null) {
    return { kind: 'refused', status: 400, reason: 'not an event' };
  }
  return { kind: 'accepted', events: readFeedbackEvents(event) };
}

const text = (value: unknown) => (typeof value === 'string' ? value : '');

/**
 * Bounce types that are permanent or identify the cause. All other types are temporary. For a type
 * without `cause`, the cause is derived from the status code and the text of the event, except in
 * `hardWithoutDetails`.
 */
const CAUSES: Record<string, { cause?: BounceCause; isPermanent: boolean }> = dictionary({
  HardBounce: { isPermanent: true },
  BadEmailAddress: { cause: 'person', isPermanent: true },
  AddressChange: { cause: 'mailbox', isPermanent: false },
  SpamNotification: { cause: 'policy', isPermanent: true },
  Blocked: { cause: 'policy', isPermanent: true },
  DMARCPolicy: { cause: 'domain', isPermanent: true },
  TemplateRenderingFailed: { cause: 'message', isPermanent: true },
});
/** Postmark bounce types that are ignored because no bounce happened. */
const NOT_BOUNCES = new Set([
  'AutoResponder',
  'ChallengeVerification',
  'InboundError',
  'OpenRelayTest',
  'SMTPApiError',
  'Subscribe',
  'Unconfirmed',
  'Unknown',
]);

function readFeedbackEvents(event: Event): FeedbackEvent[] {
  const reason = text(event.Details) || text(event.Description);
  const type = text(event.Type);
  const occurredAt = new Date(text(event.BouncedAt) || text(event.ChangedAt));
  const base = {
    eventId: idOf(event),
    at: occurredAt,
    isPermanent: true,
    code: /\b[45]\.\d{1,3}\.\d{1,3}\b/.exec(reason.slice(0, 1000))?.[0] ?? '',
    diagnostic: reason.slice(0, 2000),
    tokenCandidates: [copyNameOf(event), ...tokenCandidatesIn(text(event.Content))],
    recipient: (text(event.Email) || text(event.Recipient)).slice(0, 320) || undefined,
  };
  switch (event.RecordType) {
    case 'SpamComplaint':
      return [{ ...base, kind: 'complaint' }];
    case 'Bounce': {
      if (NOT_BOUNCES.has(type)) return [];
      if (type === 'SpamComplaint') return [{ ...base, kind: 'complaint' }];
      if (type === 'Unsubscribe' || type === 'ManuallyDeactivated') {
        return [{ ...base, kind: 'unsubscribe' }];
      }
      const { cause, isPermanent } = CAUSES[type] ?? { isPermanent: false };
      return [
        { ...base, kind: 'bounce', isPermanent, cause: cause ?? hardWithoutDetails(type, base) },
      ];
    }
    case 'SubscriptionChange':
      return event.SuppressSending === true && event.SuppressionReason === 'ManualSuppression'
        ? [{ ...base, kind: 'unsubscribe' }]
        : [];
    default:
      return [];
  }
}

/**
 * Returns the cause of a hard bounce without a status code: the address does not exist, because
 * Postmark uses this type only for nonexistent addresses. Returns undefined for other bounces.
 */
function hardWithoutDetails(type: string, base: { code: string }): BounceCause | undefined {
  return type === 'HardBounce' && base.code === '' ? 'person' : undefined;
}

function idOf(event: Event): string {
  const number = typeof event.ID === 'number' ? String(event.ID) : '';
  const uniqueId = number || `${text(event.MessageID)} ${text(event.ChangedAt)}`;
  return `${text(event.RecordType)} ${uniqueId}`.slice(0, 200);
}

/** Returns the name of the copy, which Postmark returns from the metadata sent with the email. */
function copyNameOf({ Metadata }: Event): string {
  return text(Metadata?.[COPY_NAME]).slice(0, 100);
}

/**
 * Returns possible identifiers of the copy, found in the original message: in its return path, its
 * Message-ID (which may be Postmark's own) and its List-Unsubscribe link. Postmark includes the
 * message only if this is enabled in the Postmark account.
 */
function tokenCandidatesIn(content: string): string[] {
  const head = content.slice(0, 64 * 1024);
  return [
    ...head.matchAll(/(?:\bb\+|<)([A-Za-z0-9_-]{40})@|\/u\/([A-Za-z0-9_-]{40})(?![A-Za-z0-9_-])/g),
  ]
    .slice(0, 10)
    .map((match) => match[1] ?? match[2] ?? '');
}
