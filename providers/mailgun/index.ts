// Mailgun's webhooks: one event per call, signed with an HMAC over a timestamp and a single-use
// token (documentation.mailgun.com: Securing Webhooks).
import { createHmac, timingSafeEqual } from 'node:crypto';
import type {
  FeedbackWebhookRequest,
  HookReader,
  FeedbackWebhookResult,
  FeedbackEvent,
} from '#areas/delivery/server/feedback/hook-provider.ts';
import { clock } from '#platform/server/clock.ts';

/** Mailgun repeats a call for eight hours; a call older than this limit is treated as a replay. */
const MAX_AGE_MS = 12 * 3_600_000;
const MAX_CLOCK_SKEW_MS = 300_000;

type DeliveryStatus = {
  code?: unknown;
  'enhanced-code'?: unknown;
  message?: unknown;
  description?: unknown;
};
type Event = {
  event?: unknown;
  id?: unknown;
  timestamp?: unknown;
  severity?: unknown;
  reason?: unknown;
  recipient?: unknown;
  'delivery-status'?: DeliveryStatus;
  message?: { headers?: Record<string, unknown> };
};
type Signature = { timestamp?: unknown; token?: unknown; signature?: unknown };

export const mailgunHooks: HookReader = {
  provider: 'mailgun',
  key: 'required',
  findKeyFault: (key) => (/^\S{16,200}$/.test(key) ? undefined : 'notAKey'),
  read: async (call, key) => readCall(call, key),
};

function readCall(
  { body }: FeedbackWebhookRequest,
  key: string | undefined,
): FeedbackWebhookResult {
  if (key === undefined) return { kind: 'refused', status: 401, reason: 'no signing key is set' };
  let payload: { signature?: Signature; 'event-data'?: Event } | null;
  try {
    payload = JSON.parse(body.toString('utf8'));
  } catch {
    return { kind: 'refused', status: 400, reason: 'not JSON' };
  }
  const signature = payload?.signature;
  const event = payload?.['event-data'];
  if (typeof signature !== 'object' || !signature || typeof event !== 'object' || !event) {
    return { kind: 'refused', status: 400, reason: 'not an event' };
  }
  if (!isSigned(signature, key)) {
    return { kind: 'refused', status: 401, reason: 'the signature does not match, or is too old' };
  }
  // The body itself is not signed, so a signature is valid for one call only.
  return {
    kind: 'accepted',
    events: readFeedbackEvents(event),
    ticket: text(signature.token).slice(0, 100),
  };
}

const text = (value: unknown) => (typeof value === 'string' ? value : '');

function isSigned({ timestamp, token, signature }: Signature, key: string): boolean {
  const signedAt = String(timestamp ?? '');
  const age = clock.now().getTime() - Number(signedAt) * 1000;
  if (!(age < MAX_AGE_MS && age > -MAX_CLOCK_SKEW_MS)) return false;
  const expectedSignature = createHmac('sha256', key)
    .update(signedAt + text(token))
    .digest();
  const receivedSignature = Buffer.from(text(signature), 'hex');
  return (
    receivedSignature.length === expectedSignature.length &&
    timingSafeEqual(receivedSignature, expectedSignature)
  );
}

function readFeedbackEvents(event: Event): FeedbackEvent[] {
  const eventId = text(event.id);
  if (eventId === '' || eventId.length > 200) return [];
  const status = event['delivery-status'] ?? {};
  const messageId = text(event.message?.headers?.['message-id']).slice(0, 500);
  const base = {
    eventId,
    at: new Date(Number(event.timestamp) * 1000 || Number.NaN),
    isPermanent: event.severity !== 'temporary',
    code: codeOf(status),
    diagnostic: (text(status.message) || text(status.description)).slice(0, 2000),
    tokenCandidates: [/<?([A-Za-z0-9_-]{40})@/.exec(messageId)?.[1] ?? ''],
    recipient: text(event.recipient).slice(0, 320) || undefined,
  };
  switch (event.event) {
    case 'failed':
      return readFailure(base, text(event.reason));
    case 'complained':
      return [{ ...base, kind: 'complaint' }];
    case 'unsubscribed':
      return [{ ...base, kind: 'unsubscribe' }];
    default:
      return [];
  }
}

/** Mailgun retries after a temporary failure, so only permanent failures are bounces. */
function readFailure(base: Omit<FeedbackEvent, 'kind'>, reason: string): FeedbackEvent[] {
  if (!base.isPermanent) return [];
  if (reason === 'suppress-unsubscribe') return [{ ...base, kind: 'unsubscribe' }];
  if (reason === 'suppress-complaint') return [{ ...base, kind: 'complaint' }];
  if (reason === 'suppress-bounce') return [{ ...base, kind: 'bounce', cause: 'person' }];
  return [{ ...base, kind: 'bounce' }];
}

function codeOf(status: DeliveryStatus): string {
  const enhancedCode = text(status['enhanced-code']);
  if (/^[45]\.\d{1,3}\.\d{1,3}$/.test(enhancedCode)) return enhancedCode;
  return typeof status.code === 'number' ? String(status.code).slice(0, 3) : '';
}
