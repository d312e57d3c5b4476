// Sinch SMS. https://developers.sinch.com/docs/sms/api-reference/, callbacks signed as in
// https://developers.sinch.com/docs/sms/api-reference/sms/tag/Webhooks: HMAC over
// body.nonce.timestamp
import type { SmsReader } from '#areas/delivery/server/sender/index.ts';
import {
  asObject,
  asText,
  type ReportCall,
  hmac,
  isFresh,
  isSame,
  parseJsonBody,
  NO_REPLY,
  withoutPlus,
  toPlusNumber,
  type ReadEvents,
  type SmsAccount,
  type SmsProtocol,
  type SmsReading,
  parseTime,
} from '../sms-http/index.ts';

/** `user` is the service plan, `secret` its API token. */
export function sinch({ baseUrl, user, secret }: SmsAccount): SmsProtocol {
  return {
    name: `sinch ${new URL(baseUrl).host}`,
    request({ to, from, text, reference, callbackUrl, expiresAt }) {
      return {
        url: `${baseUrl}/xms/v1/${encodeURIComponent(user)}/batches`,
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          ...{ from: withoutPlus(from), to: [withoutPlus(to)], body: text },
          ...{ delivery_report: 'per_recipient', client_reference: reference },
          ...{ callback_url: callbackUrl, expire_at: expiresAt?.toISOString() },
        }),
      };
    },
    read: readResponse,
  };
}

function readResponse(status: number, body: unknown): SmsReading | undefined {
  const { id, code, text } = asObject(body);
  if (status === 201 && typeof id === 'string') return { is: 'accepted', remoteId: id };
  const reason = asText(text);
  const errorCode = asText(code);
  if (status < 400 || status >= 500 || errorCode === '') return undefined;
  if (status === 429) return { is: 'slower', words: reason };
  if (status === 401 || status === 403) {
    return {
      is: /from|sender/i.test(reason) ? 'sender' : 'refused',
      code: errorCode,
      words: reason,
    };
  }
  if (/recipient|\bto\b|msisdn/i.test(reason))
    return { is: 'no_recipient', code: errorCode, words: reason };
  return { is: 'failed', code: errorCode, words: reason };
}

function isSigned({ headers, body }: ReportCall, key: string): boolean {
  const nonce = headers['x-sinch-webhook-signature-nonce'] ?? '';
  const time = headers['x-sinch-webhook-signature-timestamp'] ?? '';
  if (nonce === '' || !isFresh(Number(time))) return false;
  const expectedSignature = hmac(
    'sha256',
    key,
    Buffer.concat([body, Buffer.from(`.${nonce}.${time}`)]),
  );
  return isSame(headers['x-sinch-webhook-signature'], expectedSignature);
}

const FAILED_STATES = new Set(['Failed', 'Rejected', 'Expired', 'Aborted', 'Cancelled', 'Deleted']);
/** The recipient opted out at the network operator. */
const OPTED_OUT = new Set(['405', '412']);

export const sinchSms: SmsReader = {
  provider: 'sinch',
  read(call, key): ReadEvents | undefined {
    if (!isSigned(call, key)) return undefined;
    const report = asObject(parseJsonBody(call.body));
    if (report.type === 'mo_text') {
      const { from, to, body, id, received_at: time } = report;
      const inboundSms = {
        from: toPlusNumber(asText(from)),
        to: toPlusNumber(asText(to)),
        text: asText(body),
      };
      const inbound = {
        kind: 'inbound',
        ...inboundSms,
        remoteId: asText(id),
        at: parseTime(time),
      } as const;
      return { events: inboundSms.from === '' ? [] : [inbound], reply: NO_REPLY };
    }
    const status = asText(report.status);
    const reportFields = {
      reference: asText(report.client_reference),
      remoteId: asText(report.batch_id),
      at: parseTime(report.at),
    };
    if (status === 'Delivered')
      return { events: [{ kind: 'delivered', ...reportFields }], reply: NO_REPLY };
    if (!FAILED_STATES.has(status)) return { events: [], reply: NO_REPLY };
    const code = asText(report.code);
    const error = `${code} ${status}`.trim();
    const hasOptedOut = OPTED_OUT.has(code);
    return {
      events: [
        { kind: 'undelivered', ...reportFields, error, ...(hasOptedOut ? { hasOptedOut } : {}) },
      ],
      reply: NO_REPLY,
    };
  },
};
