// Plivo Messaging: https://www.plivo.com/docs/messaging/api/message. Callbacks are signed as in
// https://www.plivo.com/docs/messaging/concepts/signature-validation (V3; V2 for older accounts).
import type { SmsReader } from '#areas/delivery/server/sender/index.ts';
import {
  asObject,
  asText,
  basic,
  type ReportCall,
  parseFormBody,
  hmac,
  isSame,
  toMicros,
  NO_REPLY,
  withoutPlus,
  toPlusNumber,
  type ReadEvents,
  parseReference,
  type SmsAccount,
  type SmsProtocol,
  type SmsReading,
} from '../sms-http/index.ts';

export function plivo({ baseUrl, user, secret }: SmsAccount): SmsProtocol {
  return {
    name: `plivo ${new URL(baseUrl).host}`,
    request({ to, from, text, callbackUrl }) {
      return {
        url: `${baseUrl}/v1/Account/${encodeURIComponent(user)}/Message/`,
        headers: { authorization: basic(user, secret), 'content-type': 'application/json' },
        body: JSON.stringify({
          ...{ src: withoutPlus(from), dst: withoutPlus(to), text, type: 'sms' },
          ...{ url: callbackUrl, method: 'POST' },
        }),
      };
    },
    read: readResponse,
  };
}

function readResponse(status: number, body: unknown): SmsReading | undefined {
  const { message_uuid: ids, error } = asObject(body);
  const [remoteId] = Array.isArray(ids) ? ids : [];
  if (status === 202 && typeof remoteId === 'string') return { is: 'accepted', remoteId };
  const reason = asText(error);
  if (status < 400 || status >= 500 || reason === '') return undefined;
  if (status === 429) return { is: 'slower', words: reason };
  if (status === 401 || status === 402 || status === 403) {
    return { is: 'refused', code: status, words: reason };
  }
  if (/opt(ed)?[ -]?out|blacklist/i.test(reason))
    return { is: 'opted_out', code: status, words: reason };
  if (/\bdst\b|destination/i.test(reason))
    return { is: 'no_recipient', code: status, words: reason };
  if (/\bsrc\b|source|sender/i.test(reason)) return { is: 'sender', code: status, words: reason };
  return { is: 'failed', code: status, words: reason };
}

function isSigned(
  { url, headers }: ReportCall,
  form: Record<string, string>,
  key: string,
): boolean {
  const { protocol, host, pathname, search } = new URL(url);
  const address = `${protocol}//${host}${pathname}`;
  const nonce = headers['x-plivo-signature-v3-nonce'];
  if (nonce) {
    const pairs = Object.keys(form)
      .sort()
      .map((name) => `${name}${form[name]}`)
      .join('');
    const query = search === '' ? '' : `${search.slice(1)}.`;
    const expectedSignature = hmac('sha256', key, `${address}?${query}${pairs}.${nonce}`);
    // Several tokens may be valid at the same time.
    const receivedSignature = headers['x-plivo-signature-v3']?.split(',') ?? [];
    return receivedSignature.some((signature) => isSame(signature.trim(), expectedSignature));
  }
  const older = headers['x-plivo-signature-v2-nonce'] ?? '';
  const received = headers['x-plivo-signature-v2'];
  return older !== '' && isSame(received, hmac('sha256', key, `${address}${older}`));
}

const FAILED_STATES = new Set(['failed', 'undelivered', 'rejected', 'expired']);

export const plivoSms: SmsReader = {
  provider: 'plivo',
  read(call, key): ReadEvents | undefined {
    const form = parseFormBody(call.body);
    if (!isSigned(call, form, key)) return undefined;
    const { MessageUUID: remoteId = '', Status: status, ErrorCode: error = '' } = form;
    const receivedAt = new Date();
    if (status === undefined) {
      const [from, to] = [toPlusNumber(form.From ?? ''), toPlusNumber(form.To ?? '')];
      const inbound = {
        kind: 'inbound',
        from,
        to,
        text: form.Text ?? '',
        remoteId,
        at: receivedAt,
      } as const;
      return { events: from === '' ? [] : [inbound], reply: NO_REPLY };
    }
    const reference = parseReference(call.url);
    const partCount = Number(/ of (\d+)$/.exec(form.PartInfo ?? '')?.[1] ?? 1);
    const partFields = partCount > 1 ? { part: { id: remoteId, partCount } } : {};
    if (status === 'delivered') {
      const costMicros = toMicros(form.TotalAmount);
      const cost = costMicros ? { costMicros } : {};
      return {
        events: [
          { kind: 'delivered', reference, remoteId, at: receivedAt, ...cost, ...partFields },
        ],
        reply: NO_REPLY,
      };
    }
    if (!FAILED_STATES.has(status)) return { events: [], reply: NO_REPLY };
    const reason = [error, status].filter(Boolean).join(' ');
    // Code 200 means that the recipient sent STOP.
    const hasOptedOut = error === '200' ? { hasOptedOut: true } : {};
    return {
      events: [
        {
          kind: 'undelivered',
          reference,
          remoteId,
          error: reason,
          at: receivedAt,
          ...hasOptedOut,
          ...partFields,
        },
      ],
      reply: NO_REPLY,
    };
  },
};
