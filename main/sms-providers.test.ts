// Tests every SMS provider that is called over HTTP against one contract: a local server responds
// as the provider or an intermediary would, and callbacks are signed as the provider signs them.
import { createHash, createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { SmsHandoff } from '#areas/delivery/server/sender/index.ts';
import type {
  HandoffResult,
  RelayConnection,
  HandoffSource,
} from '#areas/delivery/server/relays/provider.ts';
import { smsProviders } from './sms-providers.ts';

type ProviderRequest = { url: string; headers: Record<string, string | undefined>; body: Buffer };
type RequestHandler = (request: IncomingMessage, body: string, response: ServerResponse) => void;

const REFERENCE = 'reference-of-this-copy';
const REPORT_URL = `https://news.shop.example/hooks/sms/receipts/${REFERENCE}`;
const INBOUND = 'https://news.shop.example/hooks/sms/inbound';
const SUBSCRIBER = '+15125550101';
const SENDER = '+15125550177';
const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const TELNYX_KEY = publicKey
  .export({ format: 'der', type: 'spki' })
  .subarray(-32)
  .toString('base64');
const seconds = () => Math.floor(Date.now() / 1000);
const hmac = (hash: string, key: string, text: string) =>
  createHmac(hash, key).update(text).digest('base64');

type ProviderCase = Record<'kind' | 'key' | 'path' | 'auth' | 'remoteId', string> & {
  /** Strings that the request must contain: the text, both numbers and the reference. */
  contains: string[];
  accepted: [number, object];
  unknown: [number, object];
  optedOut?: [number, object];
  denied: [number, object];
  busy: [number, object];
  delivered: object;
  undelivered: object;
  /** A receipt that reports an earlier STOP by the recipient. */
  lateOptOut: object;
  inbound: object;
  sign(url: string, payload: object, at?: number): ProviderRequest;
};

const json = (
  url: string,
  payload: object,
  headers: (body: string) => Record<string, string>,
): ProviderRequest => {
  const body = JSON.stringify(payload);
  return { url, headers: headers(body), body: Buffer.from(body) };
};
const form = (
  url: string,
  payload: object,
  headers: (data: Record<string, string>) => Record<string, string>,
) => {
  const all = payload as Record<string, string>;
  return { url, headers: headers(all), body: Buffer.from(new URLSearchParams(all).toString()) };
};
const pairsOf = (all: Record<string, string>) =>
  Object.keys(all)
    .sort()
    .map((name) => name + all[name])
    .join('');

const CASES: ProviderCase[] = [
  {
    ...{ kind: 'twilio', key: 'secret', path: '/2010-04-01/Accounts/me/Messages.json' },
    auth: `Basic ${Buffer.from('me:secret').toString('base64')}`,
    contains: ['To=%2B15125550101', 'From=%2B15125550177', 'Body=Tulips', REFERENCE],
    accepted: [201, { sid: 'SM1', status: 'queued', num_segments: '2', price: '-0.0158' }],
    remoteId: 'SM1',
    unknown: [400, { code: 21211, message: "Invalid 'To' Phone Number" }],
    optedOut: [400, { code: 21610, message: 'Attempt to send to unsubscribed recipient' }],
    denied: [401, { code: 20003, message: 'Authenticate' }],
    busy: [429, { code: 20429, message: 'Too Many Requests' }],
    delivered: { MessageSid: 'SM1', MessageStatus: 'delivered', To: SUBSCRIBER, From: SENDER },
    undelivered: { MessageSid: 'SM1', MessageStatus: 'undelivered', ErrorCode: '30003' },
    lateOptOut: { MessageSid: 'SM1', MessageStatus: 'failed', ErrorCode: '21610' },
    inbound: { MessageSid: 'SM9', From: SUBSCRIBER, To: SENDER, Body: 'Stop' },
    sign: (url, payload) =>
      form(url, payload, (data) => ({
        'x-twilio-signature': hmac('sha1', 'secret', url + pairsOf(data)),
      })),
  },
  {
    ...{ kind: 'plivo', key: 'secret', path: '/v1/Account/me/Message/' },
    auth: `Basic ${Buffer.from('me:secret').toString('base64')}`,
    contains: ['"dst":"15125550101"', '"src":"15125550177"', '"text":"Tulips"', REFERENCE],
    accepted: [202, { message: 'message(s) queued', message_uuid: ['uuid-1'], api_id: 'a' }],
    remoteId: 'uuid-1',
    unknown: [400, { error: 'dst parameter is not a valid phone number' }],
    denied: [401, { error: 'Could not verify your access level' }],
    busy: [429, { error: 'Rate limit exceeded' }],
    delivered: { MessageUUID: 'uuid-1', Status: 'delivered', TotalAmount: '0.0055' },
    undelivered: { MessageUUID: 'uuid-1', Status: 'undelivered', ErrorCode: '30' },
    lateOptOut: { MessageUUID: 'uuid-1', Status: 'failed', ErrorCode: '200' },
    inbound: {
      MessageUUID: 'uuid-9',
      From: '15125550101',
      To: '15125550177',
      Text: 'Stop',
      Type: 'sms',
    },
    sign: (url, payload) =>
      form(url, payload, (data) => ({
        'x-plivo-signature-v3-nonce': '42',
        'x-plivo-signature-v3': hmac('sha256', 'secret', `${url}?${pairsOf(data)}.42`),
      })),
  },
  {
    ...{ kind: 'vonage', key: 'hook key', path: '/v1/messages' },
    auth: `Basic ${Buffer.from('me:secret').toString('base64')}`,
    contains: [
      '"to":"15125550101"',
      '"from":"15125550177"',
      '"text":"Tulips"',
      `"client_ref":"${REFERENCE}"`,
    ],
    accepted: [202, { message_uuid: 'aaaa-1' }],
    remoteId: 'aaaa-1',
    unknown: [
      422,
      {
        type: 'https://developer.vonage.com/api-errors/messages#1170',
        title: 'Invalid or Missing Msisdn Param',
        detail: 'No',
      },
    ],
    denied: [
      401,
      {
        type: 'https://developer.vonage.com/api-errors#unauthorized',
        title: 'Unauthorized',
        detail: 'No',
      },
    ],
    busy: [429, { type: 'x#throttled', title: 'Rate Limit Hit', detail: 'Slower' }],
    delivered: {
      message_uuid: 'aaaa-1',
      channel: 'sms',
      status: 'delivered',
      client_ref: REFERENCE,
      usage: { price: '0.0333', currency: 'EUR' },
    },
    undelivered: {
      message_uuid: 'aaaa-1',
      channel: 'sms',
      status: 'undeliverable',
      client_ref: REFERENCE,
      error: { title: '1240', detail: 'Illegal number' },
    },
    lateOptOut: {
      message_uuid: 'aaaa-1',
      channel: 'sms',
      status: 'rejected',
      client_ref: REFERENCE,
      error: { title: 'Rejected', detail: 'The recipient has opted out' },
    },
    inbound: {
      message_uuid: 'aaaa-9',
      channel: 'sms',
      from: '15125550101',
      to: '15125550177',
      text: 'Stop',
    },
    sign: (url, payload, at = seconds()) =>
      json(url, payload, (body) => {
        const encode = (claims: object) =>
          Buffer.from(JSON.stringify(claims)).toString('base64url');
        const hash = createHash('sha256').update(body).digest('hex');
        const head = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode({ iat: at, payload_hash: hash })}`;
        const signature = createHmac('sha256', 'hook key').update(head).digest('base64url');
        return { authorization: `Bearer ${head}.${signature}` };
      }),
  },
  {
    ...{ kind: 'telnyx', key: TELNYX_KEY, path: '/v2/messages', auth: 'Bearer secret' },
    contains: [`"to":"${SUBSCRIBER}"`, `"from":"${SENDER}"`, '"text":"Tulips"', REFERENCE],
    accepted: [
      200,
      { data: { id: 'tel-1', parts: 2, cost: { amount: '0.0080', currency: 'USD' } } },
    ],
    remoteId: 'tel-1',
    unknown: [422, { errors: [{ code: '40310', title: "Invalid 'to' address" }] }],
    optedOut: [400, { errors: [{ code: '40300', title: 'Blocked due to STOP message' }] }],
    denied: [401, { errors: [{ code: '10009', title: 'Authentication failed' }] }],
    busy: [429, { errors: [{ code: '10011', title: 'Too many requests' }] }],
    delivered: {
      data: {
        event_type: 'message.finalized',
        payload: { id: 'tel-1', to: [{ phone_number: SUBSCRIBER, status: 'delivered' }] },
      },
    },
    undelivered: {
      data: {
        event_type: 'message.finalized',
        payload: {
          id: 'tel-1',
          to: [{ phone_number: SUBSCRIBER, status: 'delivery_failed' }],
          errors: [{ code: '40008', title: 'Undeliverable' }],
        },
      },
    },
    lateOptOut: {
      data: {
        event_type: 'message.finalized',
        payload: {
          id: 'tel-1',
          to: [{ phone_number: SUBSCRIBER, status: 'sending_failed' }],
          errors: [{ code: '40300', title: 'Blocked due to STOP message' }],
        },
      },
    },
    inbound: {
      data: {
        event_type: 'message.received',
        payload: {
          id: 'tel-9',
          from: { phone_number: SUBSCRIBER },
          to: [{ phone_number: SENDER }],
          text: 'Stop',
        },
      },
    },
    sign: (url, payload, at = seconds()) =>
      json(url, payload, (body) => ({
        'telnyx-timestamp': String(at),
        'telnyx-signature-ed25519': sign(null, Buffer.from(`${at}|${body}`), privateKey).toString(
          'base64',
        ),
      })),
  },
  {
    ...{ kind: 'sinch', key: 'hook key', path: '/xms/v1/me/batches', auth: 'Bearer secret' },
    contains: [
      '"to":["15125550101"]',
      '"from":"15125550177"',
      '"body":"Tulips"',
      `"client_reference":"${REFERENCE}"`,
    ],
    accepted: [201, { id: 'batch-1', to: ['15125550101'] }],
    remoteId: 'batch-1',
    unknown: [400, { code: 'syntax_invalid_parameter_format', text: 'The recipient is invalid' }],
    denied: [401, { code: 'unauthorized', text: 'Unauthorized' }],
    busy: [429, { code: 'too_many_requests', text: 'Slower' }],
    delivered: {
      type: 'recipient_delivery_report_sms',
      batch_id: 'batch-1',
      status: 'Delivered',
      code: 0,
      client_reference: REFERENCE,
    },
    undelivered: {
      type: 'recipient_delivery_report_sms',
      batch_id: 'batch-1',
      status: 'Failed',
      code: 402,
      client_reference: REFERENCE,
    },
    lateOptOut: {
      type: 'recipient_delivery_report_sms',
      batch_id: 'batch-1',
      status: 'Rejected',
      code: 412,
      client_reference: REFERENCE,
    },
    inbound: { type: 'mo_text', id: 'mo-9', from: '15125550101', to: '15125550177', body: 'Stop' },
    sign: (url, payload, at = seconds()) =>
      json(url, payload, (body) => ({
        'x-sinch-webhook-signature-nonce': 'n',
        'x-sinch-webhook-signature-timestamp': String(at),
        'x-sinch-webhook-signature': hmac('sha256', 'hook key', `${body}.n.${at}`),
      })),
  },
  {
    ...{ kind: 'infobip', key: 'hook key', path: '/sms/2/text/advanced', auth: 'App secret' },
    contains: [
      '"to":"15125550101"',
      '"from":"15125550177"',
      '"text":"Tulips"',
      `"callbackData":"${REFERENCE}"`,
    ],
    accepted: [
      200,
      {
        messages: [
          {
            messageId: 'ib-1',
            status: { groupId: 1, groupName: 'PENDING', id: 26, name: 'PENDING_ACCEPTED' },
          },
        ],
      },
    ],
    remoteId: 'ib-1',
    unknown: [
      200,
      {
        messages: [
          {
            messageId: 'ib-2',
            status: { groupName: 'REJECTED', id: 52, name: 'REJECTED_DESTINATION' },
          },
        ],
      },
    ],
    denied: [
      401,
      {
        requestError: {
          serviceException: { messageId: 'UNAUTHORIZED', text: 'Invalid login details' },
        },
      },
    ],
    busy: [
      429,
      { requestError: { serviceException: { messageId: 'TOO_MANY_REQUESTS', text: 'Slower' } } },
    ],
    delivered: {
      results: [
        {
          messageId: 'ib-1',
          callbackData: REFERENCE,
          status: { groupName: 'DELIVERED' },
          price: { pricePerMessage: 0.01 },
        },
      ],
    },
    undelivered: {
      results: [
        {
          messageId: 'ib-1',
          callbackData: REFERENCE,
          status: { groupName: 'UNDELIVERABLE', description: 'No' },
          error: { description: 'Absent' },
        },
      ],
    },
    lateOptOut: {
      results: [
        {
          messageId: 'ib-1',
          callbackData: REFERENCE,
          status: { groupName: 'REJECTED', description: 'Message rejected' },
          error: { name: 'EC_RECEIVER_OPTED_OUT', description: 'Receiver has opted out' },
        },
      ],
    },
    inbound: {
      results: [{ messageId: 'ib-9', from: '15125550101', to: '15125550177', text: 'Stop' }],
    },
    sign: (url, payload) => json(`${url}?key=hook%20key`, payload, () => ({})),
  },
];

let handler: RequestHandler;
const requests: { method: string; url: string; auth: string; body: string }[] = [];
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const body = Buffer.concat(chunks).toString();
    const { method = '', url = '', headers } = request;
    requests.push({ method, url, auth: headers.authorization ?? '', body });
    handler(request, body, response);
  });
});
let port = 0;
let relay: RelayConnection | undefined;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => server.close());
afterEach(async () => {
  await relay?.close(100);
  requests.length = 0;
});

function openProvider({ kind, key }: ProviderCase, at = port) {
  const hook = encodeURIComponent(key);
  return smsProviders(`${kind}://me:secret@127.0.0.1:${at}?tls=none&webhook_key=${hook}`);
}

/** Sends one SMS through the provider and returns its outcome. */
function deliverSms(example: ProviderCase, at?: number): Promise<HandoffResult> {
  const text: SmsHandoff = {
    ...{ accountId: 1, to: SUBSCRIBER, from: SENDER, text: 'Tulips', encoding: 'gsm7', parts: 1 },
    ...{ reference: REFERENCE, callbackUrl: REPORT_URL },
    expiresAt: new Date(Date.now() + 3_600_000),
  };
  return new Promise((resolve) => {
    const waiting = [text];
    const source: HandoffSource<SmsHandoff> = {
      countReady: () => waiting.length,
      next: () => waiting.shift() ?? null,
      onResult: (_, answer) => resolve(answer),
    };
    relay = openProvider(example, at).pool[0]?.open(source);
    relay?.wake();
  });
}

const answering =
  ([status, body]: [number, object | string]): RequestHandler =>
  (_request, _body, response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };

describe.each(CASES)('$kind', (example) => {
  test('the request is as documented, and each documented response leads to the expected outcome', async () => {
    handler = answering(example.accepted);
    const sms = { remoteId: example.remoteId };
    expect(await deliverSms(example)).toMatchObject({ outcome: 'accepted', sms });
    expect(requests[0]).toMatchObject({ method: 'POST', url: example.path, auth: example.auth });
    for (const expected of example.contains) expect(requests[0]?.body).toContain(expected);
    handler = answering(example.unknown);
    const failure = (sms: object) => ({ outcome: 'failed', sms });
    expect(await deliverSms(example)).toMatchObject(failure({ isUnknownRecipient: true }));
    if (example.optedOut) {
      handler = answering(example.optedOut);
      expect(await deliverSms(example)).toMatchObject(failure({ hasOptedOut: true }));
    }
    handler = answering(example.denied);
    expect(await deliverSms(example)).toMatchObject({ outcome: 'relay_refused' });
    handler = answering(example.busy);
    expect(await deliverSms(example)).toMatchObject({ outcome: 'deferred', scope: 'relay' });
  });

  test('a response that proves neither acceptance nor refusal leads to the outcome unknown; a failed connection defers the SMS', async () => {
    handler = (_request, _body, response) => response.destroy();
    expect(await deliverSms(example)).toMatchObject({ outcome: 'unknown' });
    for (const strange of [
      [200, '<html>It works!</html>'],
      [200, '{"half":'],
      [502, 'Bad gateway'],
      [500, ''],
    ]) {
      handler = answering(strange as [number, string]);
      expect([strange, (await deliverSms(example)).outcome]).toEqual([strange, 'unknown']);
    }
    // No server listens on this port, so the SMS was never sent.
    expect(await deliverSms(example, 49_999)).toMatchObject({
      outcome: 'deferred',
      scope: 'connection',
    });
  });

  test('an authentic callback becomes an event; a forged or replayed callback is refused', () => {
    const [receiver] = openProvider(example).readers;
    const read = (call: ProviderRequest, key = receiver?.key ?? '') =>
      receiver?.reader.read(call, key);
    expect(read(example.sign(REPORT_URL, example.delivered))?.events).toMatchObject([
      { kind: 'delivered', reference: REFERENCE, remoteId: example.remoteId },
    ]);
    const [failure] = read(example.sign(REPORT_URL, example.undelivered))?.events ?? [];
    expect(failure).toMatchObject({ kind: 'undelivered', reference: REFERENCE });
    expect(failure?.kind === 'undelivered' && failure.error).toMatch(/\w/);
    expect(failure).not.toHaveProperty('hasOptedOut');
    expect(read(example.sign(REPORT_URL, example.lateOptOut))?.events).toMatchObject([
      { kind: 'undelivered', reference: REFERENCE, hasOptedOut: true },
    ]);
    if (example.kind === 'plivo') {
      const parts = (PartInfo: string) =>
        read(example.sign(REPORT_URL, { ...example.delivered, PartInfo }));
      const part = { id: example.remoteId, partCount: 3 };
      expect(parts('2 of 3')?.events).toMatchObject([{ part }]);
      for (const partInfo of ['1 of 1', '', 'all of them'])
        expect(parts(partInfo)?.events[0]).not.toHaveProperty('part');
    }
    expect(read(example.sign(INBOUND, example.inbound))?.events).toMatchObject([
      { kind: 'inbound', from: SUBSCRIBER, to: SENDER, text: 'Stop' },
    ]);
    const validReport = example.sign(REPORT_URL, example.delivered);
    expect(read({ ...validReport, url: REPORT_URL, headers: {} })).toBeUndefined();
    expect(read(validReport, `${Buffer.alloc(32, 7).toString('base64')}`)).toBeUndefined();
    if (example.kind !== 'infobip') {
      expect(
        read({ ...validReport, body: Buffer.concat([validReport.body, Buffer.from('&a=b')]) }),
      ).toBeUndefined();
    }
    // These providers sign the time, so that a callback replayed an hour later is refused.
    if (['vonage', 'telnyx', 'sinch'].includes(example.kind)) {
      expect(read(example.sign(REPORT_URL, example.delivered, seconds() - 3_600))).toBeUndefined();
    }
    for (const wild of ['', '[]', 'null', '{"data":7}', '<html>', '\u0000']) {
      expect(() => read({ ...validReport, body: Buffer.from(wild) })).not.toThrow();
      const call = { ...example.sign(REPORT_URL, []), body: Buffer.from(wild) };
      expect(() => read(call)).not.toThrow();
    }
  });
});

test.each([
  ['sms://me:secret@host', 'unknown provider'],
  ['nonsense', 'an invalid address'],
  ['twilio://me@host', 'set the API key'],
  ['sinch://me:secret@host', 'webhook_key'],
  ['smpp://me:secret@', 'an invalid address'],
  ['smpp://:secret@host', 'system ID'],
  ['smpp://me:secret@host?alphabet=klingon', 'alphabet'],
  ['smpp://me:secret@host?window=0', 'whole number'],
  ['twilio://me:secret@host?rate=fast', 'whole number'],
  ['twilio://me:secret@host?number=many', 'parts per minute'],
])('%s prevents startup with an explanation', (address, why) => {
  expect(() => smsProviders(address)).toThrow(why);
});

test('several providers form one pool, with a rate per number', () => {
  const { pool, readers } = smsProviders(
    'twilio://a:b@api.twilio.com?number=+15125550177:60&weight=3 plivo://c:d@api.plivo.com?priority=2',
  );
  expect(pool).toMatchObject([{ priority: 1, weight: 3 }, { priority: 2 }]);
  expect(pool[0]?.numberLimits.get('+15125550177')).toEqual({ perMinute: 60 });
  expect(readers.map(({ reader }) => reader.provider)).toEqual(['twilio', 'plivo']);
});
