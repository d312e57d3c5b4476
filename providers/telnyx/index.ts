// Telnyx Messaging. https://developers.telnyx.com/api/messaging/send-message,
// https://developers.telnyx.com/docs/messaging/messages/receiving-webhooks (Ed25519 over
// timestamp|body)
import { createPublicKey, verify } from 'node:crypto';
import type { SmsReader } from '#areas/delivery/server/sender/index.ts';
import {
  asList,
  asObject,
  asText,
  type ReportCall,
  isFresh,
  parseJsonBody,
  toMicros,
  NO_REPLY,
  type ReadEvents,
  parseReference,
  type SmsAccount,
  type SmsProtocol,
  type SmsReading,
  parseTime,
} from '../sms-http/index.ts';

/** Error code: the recipient sent STOP to this sender. */
const OPTED_OUT_CODE = '40300';
const INVALID_RECIPIENT = new Set(['40310', '40001', '10002']);
const SENDER = new Set(['40305', '40304', '40312', '40013']);

export function telnyx({ baseUrl, secret, profile }: SmsAccount): SmsProtocol {
  return {
    name: `telnyx ${new URL(baseUrl).host}`,
    request({ to, from, text, callbackUrl }) {
      return {
        url: `${baseUrl}/v2/messages`,
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          ...{ from, to, text, webhook_url: callbackUrl, use_profile_webhooks: false },
          messaging_profile_id: profile,
        }),
      };
    },
    read: readResponse,
  };
}

function readResponse(status: number, body: unknown): SmsReading | undefined {
  const { data, errors } = asObject(body);
  const { id, parts, cost } = asObject(data);
  if (status === 200 && typeof id === 'string') {
    const costMicros = toMicros(asObject(cost).amount);
    return {
      ...{ is: 'accepted', remoteId: id },
      ...(Number(parts) > 0 ? { parts: Number(parts) } : {}),
      ...(costMicros === undefined ? {} : { costMicros }),
    };
  }
  const [first] = asList(errors);
  if (status < 400 || status >= 500 || !first) return undefined;
  const code = asText(first.code);
  const reason = [asText(first.title), asText(first.detail)].filter(Boolean).join(' ');
  if (status === 429 || code === '10011') return { is: 'slower', words: reason };
  if (code === OPTED_OUT_CODE) return { is: 'opted_out', code, words: reason };
  if (INVALID_RECIPIENT.has(code)) return { is: 'no_recipient', code, words: reason };
  if (SENDER.has(code)) return { is: 'sender', code, words: reason };
  if (status === 401 || status === 402 || status === 403)
    return { is: 'refused', code, words: reason };
  return { is: 'failed', code, words: reason };
}

/** The SPKI prefix of an Ed25519 key. Telnyx shows only the 32 bytes after it as its public key. */
const SPKI = Buffer.from('302a300506032b6570032100', 'hex');

function isSigned({ headers, body }: ReportCall, key: string): boolean {
  const time = headers['telnyx-timestamp'] ?? '';
  const signature = Buffer.from(headers['telnyx-signature-ed25519'] ?? '', 'base64');
  const raw = Buffer.from(key, 'base64');
  if (!isFresh(Number(time)) || signature.length !== 64 || raw.length !== 32) return false;
  const publicKey = createPublicKey({
    key: Buffer.concat([SPKI, raw]),
    format: 'der',
    type: 'spki',
  });
  return verify(null, Buffer.concat([Buffer.from(`${time}|`), body]), publicKey, signature);
}

export const telnyxSms: SmsReader = {
  provider: 'telnyx',
  read(call, key): ReadEvents | undefined {
    if (!isSigned(call, key)) return undefined;
    const {
      event_type: kind,
      payload,
      occurred_at: time,
    } = asObject(parseJsonBody(call.body)?.data);
    const message = asObject(payload);
    const remoteId = asText(message.id);
    const occurredAt = parseTime(time);
    const [to] = asList(message.to);
    if (kind === 'message.received') {
      const sender = asText(asObject(message.from).phone_number);
      const ourNumber = asText(to?.phone_number);
      const inbound = {
        kind: 'inbound',
        from: sender,
        to: ourNumber,
        text: asText(message.text),
      } as const;
      return {
        events: sender === '' ? [] : [{ ...inbound, remoteId, at: occurredAt }],
        reply: NO_REPLY,
      };
    }
    if (kind !== 'message.finalized') return { events: [], reply: NO_REPLY };
    const reference = parseReference(call.url);
    if (to?.status === 'delivered') {
      return {
        events: [{ kind: 'delivered', reference, remoteId, at: occurredAt }],
        reply: NO_REPLY,
      };
    }
    if (to?.status === 'delivery_unconfirmed') return { events: [], reply: NO_REPLY };
    const errors = asList(message.errors);
    const [first] = errors;
    const hasOptedOut = errors.some(({ code }) => asText(code) === OPTED_OUT_CODE)
      ? { hasOptedOut: true }
      : {};
    const error = [asText(first?.code), asText(first?.title)].filter(Boolean).join(' ');
    const reason = error || asText(to?.status);
    const event = {
      kind: 'undelivered',
      reference,
      remoteId,
      error: reason,
      at: occurredAt,
    } as const;
    return { events: [{ ...event, ...hasOptedOut }], reply: NO_REPLY };
  },
};
