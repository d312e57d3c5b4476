// Twilio Programmable Messaging. https://www.twilio.com/docs/messaging/api/message-resource,
// https://www.twilio.com/docs/usage/security#validating-requests, error codes: /docs/api/errors
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
  type ReadEvents,
  parseReference,
  secondsUntil,
  type SmsAccount,
  type SmsProtocol,
  type SmsReading,
} from '../sms-http/index.ts';

const INVALID_RECIPIENT = new Set(['21211', '21214', '21217', '21614', '30005', '30006']);
/** Error code: the recipient sent STOP to this sender. */
const OPTED_OUT_CODE = '21610';
const SENDER = new Set(['21212', '21606', '21603', '21659', '21660', '21661', '30034', '30032']);
const SLOWER = new Set(['20429', '14107', '30022', '30001']);
/** Twilio queues an SMS for ten hours at most. */
const MAX_VALIDITY_SECONDS = 36_000;

export function twilio({ baseUrl, user, secret }: SmsAccount): SmsProtocol {
  return {
    name: `twilio ${new URL(baseUrl).host}`,
    request({ to, from, text, callbackUrl, expiresAt }) {
      const seconds = secondsUntil(expiresAt);
      const form = new URLSearchParams({ To: to, From: from, Body: text });
      // Twilio calls only public addresses and refuses an SMS with any other callback.
      if (callbackUrl.startsWith('https:')) form.set('StatusCallback', callbackUrl);
      if (seconds) form.set('ValidityPeriod', String(Math.min(seconds, MAX_VALIDITY_SECONDS)));
      return {
        url: `${baseUrl}/2010-04-01/Accounts/${encodeURIComponent(user)}/Messages.json`,
        headers: {
          authorization: basic(user, secret),
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: form.toString(),
      };
    },
    read: readResponse,
  };
}

function readResponse(status: number, body: unknown): SmsReading | undefined {
  const response = asObject(body);
  if (status === 201 && typeof response.sid === 'string') {
    const partCount = Number(response.num_segments);
    const costMicros = toMicros(response.price);
    return {
      is: 'accepted',
      remoteId: response.sid,
      ...(partCount > 0 ? { parts: partCount } : {}),
      ...(costMicros === undefined ? {} : { costMicros }),
    };
  }
  const code = asText(response.code);
  if (status < 400 || code === '') return undefined;
  const reason = asText(response.message);
  if (SLOWER.has(code)) return { is: 'slower', words: `${code} ${reason}` };
  if (code === OPTED_OUT_CODE) return { is: 'opted_out', code, words: reason };
  if (INVALID_RECIPIENT.has(code)) return { is: 'no_recipient', code, words: reason };
  if (SENDER.has(code)) return { is: 'sender', code, words: reason };
  if (status === 401 || status === 403 || code === '20003')
    return { is: 'refused', code, words: reason };
  return status >= 500 ? undefined : { is: 'failed', code, words: reason };
}

const XML = { type: 'text/xml; charset=utf-8', body: '<Response/>' };

/** Twilio signs the URL with or without its port, so both forms are compared. */
function isSigned(
  { url, headers }: ReportCall,
  form: Record<string, string>,
  key: string,
): boolean {
  const pairs = Object.keys(form)
    .sort()
    .map((name) => `${name}${form[name]}`)
    .join('');
  const receivedSignature = headers['x-twilio-signature'];
  const parsedUrl = new URL(url);
  const port = parsedUrl.protocol === 'https:' ? '443' : '80';
  const pathAndQuery = `${parsedUrl.pathname}${parsedUrl.search}`;
  const addresses = [
    url,
    `${parsedUrl.protocol}//${parsedUrl.hostname}${pathAndQuery}`,
    `${parsedUrl.protocol}//${parsedUrl.hostname}:${parsedUrl.port || port}${pathAndQuery}`,
  ];
  return addresses.some((address) => isSame(receivedSignature, hmac('sha1', key, address + pairs)));
}

export const twilioSms: SmsReader = {
  provider: 'twilio',
  read(call, key): ReadEvents | undefined {
    const form = parseFormBody(call.body);
    if (!isSigned(call, form, key)) return undefined;
    const { MessageSid: remoteId = '', MessageStatus: status, From: from = '', To: to = '' } = form;
    const receivedAt = new Date();
    if (status === undefined || form.Body !== undefined) {
      if (remoteId === '' || from === '') return { events: [], reply: XML };
      // For keywords configured at Twilio, its own classification replaces the text.
      const text = form.OptOutType || (form.Body ?? '');
      return {
        events: [{ kind: 'inbound', from, to, text, remoteId, at: receivedAt }],
        reply: XML,
      };
    }
    const reference = parseReference(call.url);
    if (status === 'delivered') {
      return { events: [{ kind: 'delivered', reference, remoteId, at: receivedAt }], reply: XML };
    }
    if (status !== 'undelivered' && status !== 'failed') return { events: [], reply: XML };
    const error = [form.ErrorCode, form.ErrorMessage].filter(Boolean).join(' ');
    const hasOptedOut = form.ErrorCode === OPTED_OUT_CODE ? { hasOptedOut: true } : {};
    const event = {
      kind: 'undelivered',
      reference,
      remoteId,
      error,
      at: receivedAt,
      ...hasOptedOut,
    } as const;
    return { events: [event], reply: XML };
  },
};
