// SendGrid's Event Webhook: batches of events, signed with the elliptic curve key that the
// account's settings show (docs.sendgrid.com: Event Webhook security features).
import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import {
  COPY_NAME,
  type FeedbackWebhookRequest,
  type HookReader,
  type FeedbackWebhookResult,
  type FeedbackEvent,
} from '#areas/delivery/server/feedback/hook-provider.ts';

const SIGNATURE = 'x-twilio-email-event-webhook-signature';
const TIMESTAMP = 'x-twilio-email-event-webhook-timestamp';
const MAX_EVENTS = 5_000;

type Event = {
  event?: unknown;
  type?: unknown;
  sg_event_id?: unknown;
  'smtp-id'?: unknown;
  email?: unknown;
  timestamp?: unknown;
  status?: unknown;
  reason?: unknown;
  /** The token of the copy: a unique argument, present in every event. */
  [COPY_NAME]?: unknown;
};

export const sendgridHooks: HookReader = {
  provider: 'sendgrid',
  key: 'required',
  findKeyFault: (key) => (publicKeyOf(key) ? undefined : 'notAPublicKey'),
  read: async (call, key) => readCall(call, key),
};

function readCall(
  { headers, body }: FeedbackWebhookRequest,
  key: string | undefined,
): FeedbackWebhookResult {
  const publicKey = key === undefined ? undefined : publicKeyOf(key);
  if (!publicKey) return { kind: 'refused', status: 401, reason: 'no verification key is set' };
  const signature = String(headers[SIGNATURE] ?? '');
  const signedBytes = Buffer.concat([Buffer.from(String(headers[TIMESTAMP] ?? '')), body]);
  if (!isSigned(signedBytes, signature, publicKey)) {
    return { kind: 'refused', status: 401, reason: 'the signature does not match' };
  }
  const events = parse(body);
  if (!events) return { kind: 'refused', status: 400, reason: 'not a list of events' };
  return {
    kind: 'accepted',
    events: events.slice(0, MAX_EVENTS).flatMap((event) => readFeedbackEvents(event)),
  };
}

/** Parses the key as SendGrid shows it (SPKI in base64) or as PEM. */
function publicKeyOf(text: string): KeyObject | undefined {
  try {
    const base64Key = text.replace(/-----[A-Z ]+-----|\s/g, '');
    const key = createPublicKey({
      key: Buffer.from(base64Key, 'base64'),
      format: 'der',
      type: 'spki',
    });
    return key.asymmetricKeyType === 'ec' ? key : undefined;
  } catch {
    return undefined;
  }
}

function isSigned(signedBytes: Buffer, signature: string, key: KeyObject): boolean {
  try {
    return verify('sha256', signedBytes, key, Buffer.from(signature, 'base64'));
  } catch {
    return false;
  }
}

function parse(body: Buffer): Event[] | undefined {
  try {
    const events: unknown = JSON.parse(body.toString('utf8'));
    return Array.isArray(events)
      ? events.filter((event): event is Event => typeof event === 'object' && event !== null)
      : undefined;
  } catch {
    return undefined;
  }
}

const text = (value: unknown) => (typeof value === 'string' ? value : '');

function readFeedbackEvents(event: Event): FeedbackEvent[] {
  const eventId = text(event.sg_event_id);
  if (eventId === '' || eventId.length > 200) return [];
  const base = {
    eventId,
    at: new Date(Number(event.timestamp) * 1000 || Number.NaN),
    isPermanent: true,
    code: text(event.status).slice(0, 20),
    diagnostic: text(event.reason).slice(0, 2000),
    tokenCandidates: tokenCandidatesOf(event),
    recipient: text(event.email).slice(0, 320) || undefined,
  };
  switch (event.event) {
    case 'bounce':
      // "blocked" is a temporary or policy refusal, never an invalid address.
      return event.type === 'blocked'
        ? [{ ...base, kind: 'bounce', isPermanent: false }]
        : [{ ...base, kind: 'bounce' }];
    case 'dropped':
      return readDrop(base);
    case 'spamreport':
      return [{ ...base, kind: 'complaint' }];
    case 'unsubscribe':
    case 'group_unsubscribe':
      return [{ ...base, kind: 'unsubscribe' }];
    default:
      return [];
  }
}

/**
 * Returns the candidates for the copy's token: the unique argument, and the local part of the
 * Message-ID. Only delivery events contain a Message-ID, which may be SendGrid's own.
 */
function tokenCandidatesOf(event: Event): string[] {
  const messageId = /<?([A-Za-z0-9_-]{40})@/.exec(text(event['smtp-id']).slice(0, 500))?.[1];
  return [text(event[COPY_NAME]).slice(0, 100), messageId ?? ''];
}

/**
 * Reads the drop of an email that SendGrid did not try to deliver; its suppression lists give the
 * reason.
 */
function readDrop(base: Omit<FeedbackEvent, 'kind'>): FeedbackEvent[] {
  if (/bounced address|invalid/i.test(base.diagnostic)) {
    return [{ ...base, kind: 'bounce', cause: 'person' }];
  }
  if (/spam report/i.test(base.diagnostic)) return [{ ...base, kind: 'complaint' }];
  if (/unsubscribed/i.test(base.diagnostic)) return [{ ...base, kind: 'unsubscribe' }];
  return [{ ...base, kind: 'bounce', isPermanent: false }];
}
