// Infobip SMS. https://www.infobip.com/docs/api/channels/sms. Its callbacks are unsigned: they are
// authenticated by the key in their URL (`?key=`) or by the password of Basic authorization.
import type { SmsReader } from '#areas/delivery/server/sender/index.ts';
import {
  asList,
  asObject,
  asText,
  type ReportCall,
  isSame,
  parseJsonBody,
  toMicros,
  NO_REPLY,
  withoutPlus,
  toPlusNumber,
  type ReadEvents,
  type SmsAccount,
  type SmsProtocol,
  type SmsReading,
  parseTime,
} from '../sms-http/index.ts';

/**
 * Names and descriptions of statuses and errors that mean the recipient sent STOP or is on the
 * opt-out list.
 */
const OPTED_OUT = /OPT(ED)?[ _-]?OUT|BLACK[ _-]?LIST|UNSUBSCRIBED/i;

const MINUTE_S = 60;
const MAX_MINUTES = 2_880;

export function infobip({ baseUrl, secret }: SmsAccount, key: string): SmsProtocol {
  return {
    name: `infobip ${new URL(baseUrl).host}`,
    request({ to, from, text, reference, callbackUrl, expiresAt }) {
      const remainingMinutes = expiresAt && (expiresAt.getTime() - Date.now()) / 1000 / MINUTE_S;
      return {
        url: `${baseUrl}/sms/2/text/advanced`,
        headers: { authorization: `App ${secret}`, 'content-type': 'application/json' },
        body: JSON.stringify({
          messages: [
            {
              ...{ from: withoutPlus(from), text, destinations: [{ to: withoutPlus(to) }] },
              ...{ callbackData: reference, notifyContentType: 'application/json' },
              notifyUrl: `${callbackUrl}?key=${encodeURIComponent(key)}`,
              validityPeriod:
                remainingMinutes &&
                Math.min(MAX_MINUTES, Math.max(1, Math.round(remainingMinutes))),
            },
          ],
        }),
      };
    },
    read: readResponse,
  };
}

function readResponse(status: number, body: unknown): SmsReading | undefined {
  const { messages, requestError } = asObject(body);
  const [first] = asList(messages);
  const { groupName, name, description, id } = asObject(first?.status);
  const remoteId = asText(first?.messageId);
  if (status === 200 && (groupName === 'PENDING' || groupName === 'DELIVERED')) {
    const partCount = Number(first?.smsCount);
    return { is: 'accepted', remoteId, ...(partCount > 0 ? { parts: partCount } : {}) };
  }
  if (status === 200 && first) {
    const reason = `${asText(name)} ${asText(description)}`;
    const code = asText(id);
    if (OPTED_OUT.test(reason)) return { is: 'opted_out', code, words: reason };
    if (/DESTINATION|RECIPIENT|ABSENT|UNKNOWN_SUBSCRIBER/i.test(reason)) {
      return { is: 'no_recipient', code, words: reason };
    }
    if (/SOURCE|SENDER/i.test(reason)) return { is: 'sender', code, words: reason };
    if (/NOT_ENOUGH_CREDITS|FLOODING/i.test(reason)) return { is: 'refused', code, words: reason };
    return { is: 'failed', code, words: reason };
  }
  const fault = asObject(asObject(requestError).serviceException);
  const reason = asText(fault.text);
  if (status < 400 || status >= 500 || reason === '') return undefined;
  const code = asText(fault.messageId);
  if (status === 429) return { is: 'slower', words: reason };
  if (status === 401 || status === 403) return { is: 'refused', code, words: reason };
  return { is: 'failed', code, words: reason };
}

function isKnown({ url, headers }: ReportCall, key: string): boolean {
  const receivedKey = new URL(url).searchParams.get('key');
  if (receivedKey !== null) return isSame(receivedKey, key);
  const [, login = ''] = /^Basic (.+)$/i.exec(headers.authorization ?? '') ?? [];
  return isSame(Buffer.from(login, 'base64').toString('utf8').split(':').slice(1).join(':'), key);
}

export const infobipSms: SmsReader = {
  provider: 'infobip',
  read(call, key): ReadEvents | undefined {
    if (!isKnown(call, key)) return undefined;
    const events = asList(parseJsonBody(call.body)?.results).flatMap(
      (result): ReadEvents['events'] => {
        const remoteId = asText(result.messageId);
        if (result.status === undefined) {
          const [from, to] = [toPlusNumber(asText(result.from)), toPlusNumber(asText(result.to))];
          const text = asText(result.text);
          const receivedAt = parseTime(result.receivedAt);
          return from === '' ? [] : [{ kind: 'inbound', from, to, text, remoteId, at: receivedAt }];
        }
        const { groupName, name, description } = asObject(result.status);
        const fault = asObject(result.error);
        const report = {
          reference: asText(result.callbackData),
          remoteId,
          at: parseTime(result.doneAt),
        };
        const costMicros = toMicros(asObject(result.price).pricePerMessage);
        if (groupName === 'DELIVERED') {
          return [{ kind: 'delivered', ...report, ...(costMicros ? { costMicros } : {}) }];
        }
        if (groupName === 'PENDING') return [];
        const error = asText(fault.description) || asText(description);
        const reason = [name, description, fault.name, fault.description].map(asText).join(' ');
        const hasOptedOut = OPTED_OUT.test(reason) ? { hasOptedOut: true } : {};
        return [{ kind: 'undelivered', ...report, error, ...hasOptedOut }];
      },
    );
    return { events, reply: NO_REPLY };
  },
};
