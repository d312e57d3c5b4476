// Vonage Messages API. https://developer.vonage.com/en/api/messages-olympus,
// https://developer.vonage.com/en/getting-started/concepts/webhooks (signed webhooks)
import { createHash, createHmac } from 'node:crypto';
import type { SmsReader } from '#areas/delivery/server/sender/index.ts';
import {
  asObject,
  asText,
  basic,
  isFresh,
  isSame,
  type JsonRecord,
  parseJsonBody,
  toMicros,
  NO_REPLY,
  withoutPlus,
  toPlusNumber,
  type ReadEvents,
  secondsUntil,
  type SmsAccount,
  type SmsProtocol,
  type SmsReading,
  parseTime,
} from '../sms-http/index.ts';

export function vonage({ baseUrl, user, secret }: SmsAccount): SmsProtocol {
  return {
    name: `vonage ${new URL(baseUrl).host}`,
    request({ to, from, text, encoding, reference, callbackUrl, expiresAt }) {
      return {
        url: `${baseUrl}/v1/messages`,
        headers: { authorization: basic(user, secret), 'content-type': 'application/json' },
        body: JSON.stringify({
          ...{
            channel: 'sms',
            message_type: 'text',
            text,
            to: withoutPlus(to),
            from: withoutPlus(from),
          },
          ...{ client_ref: reference, webhook_url: callbackUrl, webhook_version: 'v1' },
          ttl: secondsUntil(expiresAt),
          sms: { encoding_type: encoding === 'gsm7' ? 'text' : 'unicode' },
        }),
      };
    },
    read: readResponse,
  };
}

/**
 * Returns whether an SMS was rejected because the recipient had sent STOP to this sender. The SMS
 * API reports this as code 9, the Messages API only in the text of the reason.
 */
function isOptOut(code: string, reason: string): boolean {
  return code === '9' || /opt(ed)?[ -]?out|unsubscribed/i.test(reason);
}

function readResponse(status: number, body: unknown): SmsReading | undefined {
  const response = asObject(body);
  if (status === 202 && typeof response.message_uuid === 'string') {
    return { is: 'accepted', remoteId: response.message_uuid };
  }
  const reason = `${asText(response.title)} ${asText(response.detail)}`.trim();
  if (status < 400 || status >= 500 || reason === '') return undefined;
  const code = asText(response.type).split('#').at(-1) || status;
  if (status === 429) return { is: 'slower', words: reason };
  if (status === 401 || status === 402 || status === 403)
    return { is: 'refused', code, words: reason };
  if (isOptOut(String(code), reason)) return { is: 'opted_out', code, words: reason };
  if (code === '1170' || code === '1180') return { is: 'no_recipient', code, words: reason };
  if (code === '1120' || code === '1210') return { is: 'sender', code, words: reason };
  return { is: 'failed', code, words: reason };
}

/** Verifies an HS256 JWT that contains the hash of the body. */
function isSigned(authorization: string | undefined, body: Buffer, key: string): boolean {
  const [head = '', claims = '', signature = ''] = (authorization ?? '')
    .replace(/^Bearer /i, '')
    .split('.');
  const expectedSignature = createHmac('sha256', key)
    .update(`${head}.${claims}`)
    .digest('base64url');
  if (!isSame(signature, expectedSignature)) return false;
  const claimsBody = parseJsonBody(Buffer.from(claims, 'base64url')) ?? {};
  const hash = createHash('sha256').update(body).digest('hex');
  return isSame(asText(claimsBody.payload_hash), hash) && isFresh(Number(claimsBody.iat));
}

export const vonageSms: SmsReader = {
  provider: 'vonage',
  read({ headers, body }, key): ReadEvents | undefined {
    if (!isSigned(headers.authorization, body, key)) return undefined;
    const report = parseJsonBody(body);
    return { events: report ? eventsOf(report) : [], reply: NO_REPLY };
  },
};

function eventsOf(report: JsonRecord): ReadEvents['events'] {
  const remoteId = asText(report.message_uuid);
  const occurredAt = parseTime(report.timestamp);
  if (report.status === undefined) {
    const [from, to] = [toPlusNumber(asText(report.from)), toPlusNumber(asText(report.to))];
    if (report.channel !== 'sms' || from === '') return [];
    return [{ kind: 'inbound', from, to, text: asText(report.text), remoteId, at: occurredAt }];
  }
  const reference = asText(report.client_ref);
  if (report.status === 'delivered') {
    const costMicros = toMicros(asObject(report.usage).price);
    return [
      {
        kind: 'delivered',
        reference,
        remoteId,
        at: occurredAt,
        ...(costMicros ? { costMicros } : {}),
      },
    ];
  }
  if (report.status !== 'rejected' && report.status !== 'undeliverable') return [];
  const { title, detail } = asObject(report.error);
  const error = [asText(title), asText(detail)].filter(Boolean).join(' ');
  const hasOptedOut = isOptOut(asText(title), error) ? { hasOptedOut: true } : {};
  return [{ kind: 'undelivered', reference, remoteId, error, at: occurredAt, ...hasOptedOut }];
}
