// Tests SES behind the provider interface against a local server that verifies each signature, and
// the signer against AWS's published examples (aws-sig-v4-test-suite).
import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { RelayConnection } from '#areas/delivery/server/relays/provider.ts';
import { clock } from '#platform/server/clock.ts';
import { sign } from '#platform/server/outgoing/signature-v4.ts';
import { createMessage, createMessages, QueueSource } from '#testing/servers/queue-source.ts';
import { classify } from './classify.ts';
import { parseSesUrl } from './options.ts';
import { openSesRelay } from './relay.ts';
import { SesClient } from './request.ts';

const EXAMPLE = {
  accessKey: 'AKIDEXAMPLE',
  secretKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
  service: 'service',
};
const SIGNED_AT = new Date('2015-08-30T12:36:00Z');

describe('Signature Version 4', () => {
  test.each([
    [
      'get-vanilla',
      'GET',
      '/',
      {},
      '',
      '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31',
    ],
    [
      'post-vanilla',
      'POST',
      '/',
      {},
      '',
      '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b',
    ],
    [
      'get-vanilla-query-order-key-case',
      'GET',
      '/?Param2=value2&Param1=value1',
      {},
      '',
      'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
    ],
    [
      'post-x-www-form-urlencoded',
      'POST',
      '/',
      { 'content-type': 'application/x-www-form-urlencoded' },
      'Param1=value1',
      'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
    ],
  ] as const)('signs the example %s as published', (_, method, path, headers, body, signature) => {
    const url = new URL(path, 'https://example.amazonaws.com');
    const signedRequest = sign({ method, url, headers: { ...headers }, body }, EXAMPLE, SIGNED_AT);
    expect(signedRequest['authorization']).toMatch(new RegExp(`Signature=${signature}$`));
  });
});

type ScriptedReply = { status: number; type?: string; message?: string } | 'hang up' | undefined;

let server: Server;
let script: (earlierCount: number) => ScriptedReply;
let receivedEmails: { to: string; raw: string }[];
/** The `x-amz-date` of each request. */
let requestDates: string[];
let maxParallel: number;
let relay: RelayConnection | undefined;

beforeEach(async () => {
  script = () => undefined;
  receivedEmails = [];
  requestDates = [];
  maxParallel = 0;
  let requestCount = 0;
  let parallel = 0;
  server = createServer((request, response) => {
    maxParallel = Math.max(maxParallel, ++parallel);
    void respond(request, response, requestCount++).finally(() => parallel--);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return () => server.close();
});

afterEach(async () => {
  await relay?.close(1_000);
  relay = undefined;
});

async function respond(request: IncomingMessage, response: ServerResponse, earlierCount: number) {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  await new Promise((resolve) => setTimeout(resolve, 5));
  const reply = script(earlierCount);
  if (reply === 'hang up') {
    request.socket.destroy();
    return;
  }
  if (reply) {
    response.writeHead(reply.status, { 'x-amzn-errortype': `${reply.type}:http://internal/` });
    response.end(JSON.stringify({ message: reply.message }));
    return;
  }
  if (!isSigned(request, body)) {
    response.writeHead(403, { 'x-amzn-errortype': 'InvalidSignatureException' });
    response.end(JSON.stringify({ message: 'The request signature we calculated does not match' }));
    return;
  }
  requestDates.push(String(request.headers['x-amz-date']));
  const sentEmail = JSON.parse(body.toString()) as {
    Content: { Raw: { Data: string } };
    Destination: { ToAddresses: string[] };
  };
  const raw = Buffer.from(sentEmail.Content.Raw.Data, 'base64').toString();
  receivedEmails.push({ to: sentEmail.Destination.ToAddresses.join(), raw });
  response.end(JSON.stringify({ MessageId: `0107-${receivedEmails.length}` }));
}

/** Returns whether the signature is what SES would compute from the received bytes. */
function isSigned(request: IncomingMessage, body: Buffer): boolean {
  const authorization = request.headers.authorization ?? '';
  const [, key, day, names, signature] =
    /Credential=([^/]+)\/(\d{8})\/us-east-1\/ses\/aws4_request, SignedHeaders=([^,]+), Signature=(\w+)/.exec(
      authorization,
    ) ?? [];
  if (key !== 'AKID' || !names?.includes('host') || !names.includes('x-amz-date')) return false;
  const hash = (data: string | Buffer) => createHash('sha256').update(data).digest('hex');
  const mac = (secret: string | Buffer, data: string) =>
    createHmac('sha256', secret).update(data).digest();
  const headers = names.split(';').map((name) => `${name}:${request.headers[name]}`);
  const canonical = ['POST', request.url, '', ...headers, '', names, hash(body)].join('\n');
  const scope = `${day}/us-east-1/ses/aws4_request`;
  const toSign = `AWS4-HMAC-SHA256\n${request.headers['x-amz-date']}\n${scope}\n${hash(canonical)}`;
  const secret = mac(
    mac(mac(mac('AWS4s+/ecret', String(day)), 'us-east-1'), 'ses'),
    'aws4_request',
  );
  return mac(secret, toSign).toString('hex') === signature;
}

function openTestRelay(source: QueueSource, password = 's%2B%2Fecret') {
  const { port } = server.address() as AddressInfo;
  const waits = { firstWaitMs: 30, maxWaitMs: 120 };
  const options = parseSesUrl(`ses://AKID:${password}@127.0.0.1:${port}?connections=4`, waits);
  relay = openSesRelay(options, source);
  source.relay = relay;
}

describe('SES as a relay', () => {
  test('SES accepts raw messages, several concurrently, and its message IDs are returned', async () => {
    const source = new QueueSource();
    openTestRelay(source);
    source.add(...createMessages(40));
    const results = await source.waitForResults(40);
    expect(results.every((result) => result.outcome === 'accepted')).toBe(true);
    expect(new Set(results.map((result) => result.reply)).size).toBe(40);
    expect(results[0]?.reply).toMatch(/^0107-\d+$/);
    expect(receivedEmails.find((email) => email.to === 'p7@example.net')?.raw).toContain(
      'Subject: Letter 7',
    );
    expect(maxParallel).toBe(4);
  });

  test("requests are dated by the product's clock, not by the machine's", async () => {
    const source = new QueueSource();
    clock.advance(3_600_000);
    onTestFinished(() => clock.reset());
    openTestRelay(source);
    source.add(createMessage(1));
    await source.waitForResults(1);
    const [, date = '', time = ''] = /^(\d{8})T(\d{6})Z$/.exec(requestDates[0] ?? '') ?? [];
    const signedAt = `${date.replace(/(....)(..)(..)/, '$1-$2-$3')}T${time.replace(/(..)(..)(..)/, '$1:$2:$3')}Z`;
    expect(Math.abs(Date.parse(signedAt) - clock.now().getTime())).toBeLessThan(60_000);
  });

  test('a throttled message is deferred and the relay slows down', async () => {
    const source = new QueueSource();
    script = (earlierCount) =>
      earlierCount < 4
        ? {
            status: 429,
            type: 'TooManyRequestsException',
            message: 'Maximum sending rate exceeded.',
          }
        : undefined;
    openTestRelay(source);
    source.add(...createMessages(4));
    const results = await source.waitForResults(4);
    expect(results.map((result) => [result.outcome, result.scope])).toEqual(
      Array.from({ length: 4 }, () => ['deferred', 'relay']),
    );
    expect(relay?.getStatistics().allowedPerSecond).toBeLessThanOrEqual(1);
  });

  test('the relay is in state refused after a wrong key', async () => {
    const source = new QueueSource();
    openTestRelay(source, 'wrong');
    source.add(createMessage(1));
    const [answer] = await source.waitForResults(1);
    expect(answer).toMatchObject({ outcome: 'relay_refused', scope: 'relay', code: 403 });
    expect(relay?.state().kind).toBe('refused');
  });

  test.each([-1, 1e6])(
    'a message whose length is invalid is never sent: %s bytes written',
    async (end) => {
      const source = new QueueSource();
      openTestRelay(source);
      const odd = createMessage(1);
      odd.write = () => end;
      source.add(odd, createMessage(2));
      const results = await source.waitForResults(2);
      expect(results.map((result) => result.outcome).toSorted()).toEqual(['accepted', 'failed']);
      expect(receivedEmails.map((email) => email.to)).toEqual(['p2@example.net']);
      expect(relay?.state().kind).toBe('ready');
    },
  );

  test('the relay waits while SES is unavailable; after a lost connection the result of a sent message is unknown', async () => {
    const source = new QueueSource();
    script = (earlierCount) => (earlierCount === 0 ? 'hang up' : undefined);
    openTestRelay(source);
    source.add(createMessage(1));
    const [answer] = await source.waitForResults(1);
    expect(answer).toMatchObject({ outcome: 'unknown' });
    expect(relay?.state().kind).toBe('waiting');
    source.add(createMessage(2));
    await source.until(() => source.results.length === 2);
    expect(source.resultFor('p2@example.net')?.outcome).toBe('accepted');
    expect(relay?.state().kind).toBe('ready');
  });

  test('occasional bytes do not extend the time limit of a response', async () => {
    const dripping = createServer((request, response) => {
      request.resume();
      response.writeHead(200);
      const timer = setInterval(() => response.write(' '), 50);
      response.on('close', () => clearInterval(timer));
    });
    await new Promise<void>((resolve) => dripping.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      dripping.closeAllConnections();
      dripping.close();
    });
    const { port } = dripping.address() as AddressInfo;
    const toHandoffResult = (timeoutMs: number, signal?: AbortSignal) => {
      const client = new SesClient(parseSesUrl(`ses://AKID:x@127.0.0.1:${port}`, { timeoutMs }));
      onTestFinished(() => client.close());
      const noResult = new Promise((resolve) => setTimeout(() => resolve('nothing'), 3_000));
      return Promise.race([client.send(createMessage(1), Buffer.from('x'), signal), noResult]);
    };
    const timeoutResult = { outcome: 'unknown', reply: 'No answer within the time limit.' };
    expect(await toHandoffResult(300)).toMatchObject(timeoutResult);
    expect(await toHandoffResult(60_000, AbortSignal.timeout(300))).toMatchObject(timeoutResult);
  });

  test('a message to an unreachable server is deferred', async () => {
    const source = new QueueSource();
    await new Promise((resolve) => server.close(resolve));
    relay = openSesRelay(parseSesUrl('ses://AKID:x@127.0.0.1:9', { firstWaitMs: 30 }), source);
    source.relay = relay;
    source.add(createMessage(1));
    const [answer] = await source.waitForResults(1);
    expect(answer).toMatchObject({ outcome: 'deferred', scope: 'connection' });
  });
});

test.each([
  [400, 'MessageRejected', 'Email address is not verified.', 'relay_refused', 'sender'],
  [400, 'MessageRejected', 'The message contains a virus.', 'failed', 'message'],
  [400, 'AccountSuspendedException', 'Suspended', 'relay_refused', 'sender'],
  [400, 'SendingPausedException', 'Sending is paused', 'relay_refused', 'sender'],
  [400, 'LimitExceededException', 'Daily message quota exceeded.', 'relay_refused', 'sender'],
  [400, 'LimitExceededException', 'Too many requests.', 'deferred', 'relay'],
  [400, 'ThrottlingException', 'Daily message quota exceeded.', 'relay_refused', 'sender'],
  [400, 'ThrottlingException', 'Maximum sending rate exceeded.', 'deferred', 'relay'],
  [429, 'TooManyRequestsException', 'Daily message quota exceeded', 'relay_refused', 'sender'],
  [429, 'TooManyRequestsException', 'Too many requests', 'deferred', 'relay'],
  [400, 'BadRequestException', 'Illegal address', 'failed', 'recipient'],
  [400, 'BadRequestException', 'Header too long', 'failed', 'message'],
  [404, 'NotFoundException', 'Configuration set', 'relay_refused', 'sender'],
  [500, '', '', 'deferred', 'relay'],
  [503, '', '<html>', 'deferred', 'relay'],
  [502, '', '<html>', 'unknown', 'connection'],
  [504, '', '<html>', 'unknown', 'connection'],
  [502, 'ServiceUnavailable', '', 'deferred', 'relay'],
  [403, 'AccessDeniedException', 'Not authorized to perform', 'relay_refused', 'sender'],
  [403, 'InvalidSignatureException', 'It does not match', 'relay_refused', 'relay'],
  [403, '', '', 'relay_refused', 'relay'],
  [302, '', '', 'relay_refused', 'relay'],
  [404, '', '<html>', 'relay_refused', 'relay'],
  [405, '', '<html>', 'relay_refused', 'relay'],
] as const)(
  'a response with status %s, error "%s" and message "%s" is classified as %s about %s',
  (status, name, message, outcome, about) => {
    const result = classify(status, name, message);
    expect([result.outcome, result.scope]).toEqual([outcome, about]);
  },
);
