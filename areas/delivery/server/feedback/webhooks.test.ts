// Webhooks of providers in their real form, signed with test keys. Invalid calls are refused.
import type { FastifyInstance } from 'fastify';
import fc from 'fast-check';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  createSubscriber,
  isSuppressed,
  readSubscriber,
  updateSubscriber,
} from '#areas/subscribers/server/index.ts';
import { readEngagement } from '#areas/tracking/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { postmarkHooks } from '#providers/postmark/index.ts';
import { sesHooks } from '#providers/ses/events.ts';
import { testCertificate } from '#testing/servers/certificate.ts';
import { addPeople, startMessage } from '#testing/worlds/sending-helpers.ts';
import {
  CERT,
  copyTo,
  startHooks,
  MAILGUN_KEY,
  mailgunCall,
  seconds,
  SENDGRID_KEY,
  signAsSendgrid,
  snsCall,
  snsSubscription,
  TOPIC,
} from '#testing/worlds/provider-hooks.ts';
import {
  type TestClient,
  type TestOwner,
  type TestServer,
  testServer,
} from '#testing/setup/server.ts';

const API = '/client-api/api/relays/webhooks';
let server: TestServer;
let hooks: FastifyInstance;
let owner: TestOwner;
let subscriberIds: number[];
let next = 0;
let requests: string[];

beforeAll(async () => {
  server = await testServer();
  owner = await server.owner();
  subscriberIds = await addPeople(server.db, owner.accountId, 60, ['w.example']);
  ({ hooks, fetchedUrls: requests } = await startHooks(server.db));
});

async function pathOf(provider: string, client: TestClient = owner): Promise<string> {
  const { body } = await client.get(API);
  const url = body.data.find((row: { provider: string }) => row.provider === provider).url;
  return new URL(url).pathname;
}
const setKey = (provider: string, key: string | null) =>
  owner.put(`${API}/${provider}`, { signing_key: key });
const post = (url: string, payload: string, headers: Record<string, string> = {}) =>
  hooks.inject({
    method: 'POST',
    url,
    payload,
    headers: { 'content-type': 'text/plain', ...headers },
  });

/** Adds a copy of a campaign to the next subscriber; returns the subscriber and the Message-ID. */
async function createCopy() {
  const subscriber = subscriberIds[next++] as number;
  return { subscriber, messageId: await copyTo(server.db, owner.accountId, subscriber) };
}
const statusOf = async (id: number) =>
  (await readSubscriber(server.db, owner.accountId, id)).email_status;

describe('SendGrid', () => {
  const event = (changes: object) => ({
    email: 'person@w.example',
    timestamp: seconds(),
    sg_event_id: `e${Math.random()}`,
    sg_message_id: '14c5d75ce93.dfd.64b469.filter0001.16648.5515E0B88.0',
    ...changes,
  });

  test('a signed batch takes effect, but an unsigned or modified batch does not', async () => {
    const url = await pathOf('sendgrid');
    const [missing, blocked, spam, leaver] = [
      await createCopy(),
      await createCopy(),
      await createCopy(),
      await createCopy(),
    ];
    const body = JSON.stringify([
      event({ event: 'delivered', 'smtp-id': missing.messageId }),
      event({
        event: 'bounce',
        type: 'bounce',
        status: '5.1.1',
        reason: '550 5.1.1 No such user',
        'smtp-id': missing.messageId,
      }),
      event({
        event: 'bounce',
        type: 'blocked',
        status: '5.7.1',
        reason: '550 blocked',
        'smtp-id': blocked.messageId,
      }),
      event({ event: 'spamreport', 'smtp-id': spam.messageId }),
      event({ event: 'group_unsubscribe', 'smtp-id': leaver.messageId }),
    ]);
    expect((await post(url, body, signAsSendgrid(body))).statusCode).toBe(401);
    expect((await setKey('sendgrid', 'nonsense')).body.errors.signing_key[0]).toContain('SendGrid');
    expect((await setKey('sendgrid', SENDGRID_KEY)).body.data.has_key).toBe(true);
    expect((await post(url, body)).statusCode).toBe(401);
    expect((await post(url, `${body} `, signAsSendgrid(body))).statusCode).toBe(401);
    expect(await statusOf(missing.subscriber)).toBe('active');
    expect((await post(url, body, signAsSendgrid(body))).statusCode).toBe(200);
    expect(await statusOf(missing.subscriber)).toBe('bounced');
    expect(await statusOf(blocked.subscriber)).toBe('active');
    expect(await statusOf(spam.subscriber)).toBe('reported');
    expect(await statusOf(leaver.subscriber)).toBe('unsubscribed');
    const { body: listed } = await owner.get(API);
    expect(
      listed.data.find((row: { provider: string }) => row.provider === 'sendgrid').last_event,
    ).not.toBeNull();
  });

  test('a bounce from the previous address leaves the corrected address active', async () => {
    const url = await pathOf('sendgrid');
    const movedCopy = await createCopy();
    const before = await readSubscriber(server.db, owner.accountId, movedCopy.subscriber);
    clock.advance(1000);
    await inTransaction(server.db, (tx) =>
      updateSubscriber(tx, owner.accountId, movedCopy.subscriber, { email: 'moved@w.example' }),
    );
    const bounced = { event: 'bounce', type: 'bounce', status: '5.1.1' };
    const late = { ...bounced, 'smtp-id': movedCopy.messageId, email: before.email };
    const body = JSON.stringify([event(late)]);
    expect((await post(url, body, signAsSendgrid(body))).statusCode).toBe(200);
    clock.reset();
    expect(await statusOf(movedCopy.subscriber)).toBe('active');
    const key = before.email_key as string;
    expect(await isSuppressed(server.db, owner.accountId, 'email', key)).toBe(true);
  });

  test('an event that the database would refuse does not block the other events', async () => {
    const url = await pathOf('sendgrid');
    await setKey('sendgrid', SENDGRID_KEY);
    const [first, second] = [await createCopy(), await createCopy()];
    const bounce = { event: 'bounce', type: 'bounce', status: '5.1.1' };
    const body = JSON.stringify([
      event({ ...bounce, reason: '550 \u0000 nobody', email: 'a\u0000@w.example' }),
      event({ ...bounce, reason: `550 5.1.1 ${'x'.repeat(489)}😀`, 'smtp-id': first.messageId }),
      event({ ...bounce, sg_event_id: `e\u0000${Math.random()}`, 'smtp-id': second.messageId }),
    ]);
    expect((await post(url, body, signAsSendgrid(body))).statusCode).toBe(200);
    expect(await statusOf(first.subscriber)).toBe('bounced');
    expect(await statusOf(second.subscriber)).toBe('bounced');
  });

  test('a rotated URL replaces the old one, and a URL of another provider is refused', async () => {
    const url = await pathOf('sendgrid');
    expect((await post(url.replace('/sendgrid/', '/mailgun/'), '[]')).statusCode).toBe(404);
    expect((await post(`${url}x`, '[]')).statusCode).toBe(404);
    const renewed = await owner.post(`${API}/sendgrid/renew`);
    expect(new URL(renewed.body.data.url).pathname).not.toBe(url);
    expect((await post(url, '[]', signAsSendgrid('[]'))).statusCode).toBe(410);
    expect((await post(await pathOf('sendgrid'), '[]', signAsSendgrid('[]'))).statusCode).toBe(200);
  });
});

describe('Mailgun', () => {
  const failedEvent = (messageId: string, fields: object = {}) => ({
    event: 'failed',
    severity: 'permanent',
    reason: 'bounce',
    'delivery-status': { code: 550, 'enhanced-code': '5.1.1', message: 'No such user' },
    message: { headers: { 'message-id': messageId.slice(1, -1) } },
    ...fields,
  });

  test('a call is accepted only if it is recent and signed, and its signature is valid for one event', async () => {
    await setKey('mailgun', MAILGUN_KEY);
    const url = await pathOf('mailgun');
    const [missing, other, later] = [await createCopy(), await createCopy(), await createCopy()];
    const oldCall = mailgunCall(failedEvent(missing.messageId), seconds() - 13 * 3600);
    expect((await post(url, oldCall)).statusCode).toBe(401);
    const forgedCall = mailgunCall(failedEvent(missing.messageId)).replace(
      /("signature":")(.)/,
      (_, start: string, firstCharacter: string) => start + (firstCharacter === '0' ? '1' : '0'),
    );
    expect((await post(url, forgedCall)).statusCode).toBe(401);
    const temporary = failedEvent(later.messageId, { severity: 'temporary' });
    expect((await post(url, mailgunCall(temporary))).statusCode).toBe(200);
    expect(
      (await post(url, mailgunCall(failedEvent(missing.messageId), seconds(), 'once'))).statusCode,
    ).toBe(200);
    expect(await statusOf(missing.subscriber)).toBe('bounced');
    expect(await statusOf(later.subscriber)).toBe('active');
    await post(url, mailgunCall(failedEvent(other.messageId), seconds(), 'once'));
    expect(await statusOf(other.subscriber)).toBe('active');
    await post(url, mailgunCall({ ...failedEvent(other.messageId), event: 'complained' }));
    expect(await statusOf(other.subscriber)).toBe('reported');
  });
});

describe('Postmark', () => {
  test('the user name and password are checked if set, and the original email identifies the copy', async () => {
    const url = await pathOf('postmark');
    const missing = await createCopy();
    const event = (Content?: string) =>
      JSON.stringify({
        RecordType: 'Bounce',
        ID: Math.floor(Math.random() * 1e9),
        Type: 'HardBounce',
        TypeCode: 1,
        MessageID: 'b7bc2f4a-e38e-4336-af7d-e6c392c2f817',
        Email: 'nobody@else.example',
        BouncedAt: clock.now().toISOString(),
        Details: 'smtp;550 5.1.1 The email account does not exist',
        Content,
      });
    await setKey('postmark', 'hook:correct-horse');
    expect((await post(url, event(missing.messageId))).statusCode).toBe(401);
    const authorization = `Basic ${Buffer.from('hook:correct-horse').toString('base64')}`;
    expect((await post(url, event(), { authorization })).statusCode).toBe(200);
    expect(await statusOf(missing.subscriber)).toBe('active');
    await post(url, event(`Return-Path: <x>\nMessage-ID: ${missing.messageId}`), { authorization });
    expect(await statusOf(missing.subscriber)).toBe('bounced');
    await setKey('postmark', null);
    const spam = await createCopy();
    const report = { RecordType: 'SpamComplaint', ID: 7, Content: spam.messageId };
    expect((await post(url, JSON.stringify(report))).statusCode).toBe(200);
    expect(await statusOf(spam.subscriber)).toBe('reported');
  });
});

test.each(['Subscribe', 'Unconfirmed', 'SMTPApiError', 'InboundError'])(
  'Postmark: %s is not a bounce',
  async (Type) => {
    const body = Buffer.from(
      JSON.stringify({ RecordType: 'Bounce', ID: 1, Type, Email: 'p@w.example' }),
    );
    expect(await postmarkHooks.read({ headers: {}, body }, undefined)).toEqual({
      kind: 'accepted',
      events: [],
    });
  },
);

describe('events with only an address', () => {
  const hard = (Email: string, changes: object = {}) =>
    JSON.stringify({
      RecordType: 'Bounce',
      ID: Math.floor(Math.random() * 1e9),
      Type: 'HardBounce',
      Email,
      BouncedAt: clock.now().toISOString(),
      Details: 'smtp;550 5.1.1 No such user',
      ...changes,
    });

  test('a bounce sets the status of its address, and a complaint suppresses an unknown address', async () => {
    const url = await pathOf('postmark');
    await setKey('postmark', null);
    const { subscriber } = await createCopy();
    const { email } = await readSubscriber(server.db, owner.accountId, subscriber);
    expect((await post(url, hard(email as string))).statusCode).toBe(200);
    expect(await statusOf(subscriber)).toBe('bounced');
    const spam = { RecordType: 'SpamComplaint' };
    expect((await post(url, hard('Stranger@else.example', spam))).statusCode).toBe(200);
    const addedSubscriber = await inTransaction(server.db, (tx) =>
      createSubscriber(tx, owner.accountId, { email: 'stranger@else.example', source: 'import' }),
    );
    expect(addedSubscriber).toMatchObject({ email_status: 'reported', temail_status: 'active' });
  });

  test('a bounce counts even if its time, rounded to seconds, precedes the delivery', async () => {
    const url = await pathOf('postmark');
    const { subscriber } = await createCopy();
    const { email } = await readSubscriber(server.db, owner.accountId, subscriber);
    const messageId = await startMessage(server.db, owner.accountId);
    const at = clock.now();
    await sql`insert into recipients (account_id, message_id, lane, ordinal, subscriber_id)
      values (${owner.accountId}, ${messageId}, 0, 1, ${subscriber})`.execute(server.db);
    await sql`insert into results (account_id, message_id, lane, ordinal, attempt, state, at)
      values (${owner.accountId}, ${messageId}, 0, 1, 1, 'accepted', ${at})`.execute(server.db);
    const BouncedAt = new Date(at.getTime() - 900).toISOString();
    expect((await post(url, hard(email as string, { BouncedAt }))).statusCode).toBe(200);
    const figures = await readEngagement(server.db, owner.accountId, [messageId]);
    expect(figures.get(messageId)).toMatchObject({ hard_bounces: 1 });
  });
});

const sesBounce = (messageId: string, sub = 'General', status = '5.1.1') =>
  JSON.stringify({
    notificationType: 'Bounce',
    bounce: {
      bounceType: 'Permanent',
      bounceSubType: sub,
      feedbackId: `f${Math.random()}`,
      timestamp: clock.now().toISOString(),
      bouncedRecipients: [{ emailAddress: 'p@w.example', status, diagnosticCode: 'smtp; 550 no' }],
    },
    mail: { source: 'shop@shop.example', headers: [{ name: 'Message-ID', value: messageId }] },
  });

describe('SES', () => {
  test("certificates are fetched only from Amazon's addresses", async () => {
    const url = await pathOf('ses');
    requests.length = 0;
    for (const badCall of [
      'https://sns.eu-north-1.amazonaws.com.evil.example/?x',
      'http://sns.eu-north-1.amazonaws.com/?x',
      'https://user@sns.eu-north-1.amazonaws.com/?x',
      'https://169.254.169.254/latest/meta-data',
    ]) {
      expect((await post(url, snsSubscription({ SubscribeURL: badCall }))).statusCode).toBe(403);
      expect((await post(url, snsCall({ SigningCertURL: badCall }))).statusCode).toBe(401);
    }
    expect(requests.filter((request) => request !== CERT)).toEqual([]);
  });

  test('a subscription is confirmed once, then only its topic is accepted', async () => {
    const url = await pathOf('ses');
    const [missing, full] = [await createCopy(), await createCopy()];
    expect((await post(url, snsCall({ Message: sesBounce(missing.messageId) }))).statusCode).toBe(
      403,
    );
    expect((await post(url, snsSubscription())).statusCode).toBe(200);
    expect(requests.at(-1)).toContain('ConfirmSubscription');
    const otherTopicCall = snsCall({
      TopicArn: `${TOPIC}-other`,
      Message: sesBounce(missing.messageId),
    });
    expect((await post(url, otherTopicCall)).statusCode).toBe(403);
    const changedCall = snsCall({ Message: sesBounce(missing.messageId) }).replace(
      '5.1.1',
      '5.1.2',
    );
    expect((await post(url, changedCall)).statusCode).toBe(401);
    expect((await post(url, snsCall({ Message: sesBounce(missing.messageId) }))).statusCode).toBe(
      200,
    );
    expect(await statusOf(missing.subscriber)).toBe('bounced');
    const oldCall = snsCall({
      SignatureVersion: '1',
      Message: sesBounce(full.messageId, 'MailboxFull', '5.2.2'),
    });
    expect((await post(url, oldCall)).statusCode).toBe(200);
    expect(await statusOf(full.subscriber)).toBe('active');
  });
});

test('SES: a permanent refusal without an SMTP reply and a suppressed address are hard bounces', async () => {
  const url = await pathOf('ses');
  await setKey('ses', TOPIC);
  const deliverEvent = async (sub: string, recipient: object) => {
    const { subscriber, messageId } = await createCopy();
    const event = JSON.parse(sesBounce(messageId, sub));
    event.bounce.bouncedRecipients = [{ emailAddress: 'p@w.example', ...recipient }];
    expect((await post(url, snsCall({ Message: JSON.stringify(event) }))).statusCode).toBe(200);
    return statusOf(subscriber);
  };
  expect(await deliverEvent('General', {})).toBe('bounced');
  expect(await deliverEvent('OnTenantSuppressionList', {})).toBe('bounced');
  expect(await deliverEvent('General', { status: '5.7.1', diagnosticCode: 'smtp; 550 spam' })).toBe(
    'active',
  );
  expect(await deliverEvent('MailboxFull', {})).toBe('active');
});

describe('SES certificates', () => {
  const cert = CERT.replace('0123456789abcdef', 'fedcba9876543210');

  test('a failed certificate fetch is retried', async () => {
    let isAway = true;
    const receivedBodies = await startHooks(server.db, undefined, async () => {
      if (isAway) throw new Error('not now');
      return testCertificate.cert;
    });
    const url = await pathOf('ses');
    await setKey('ses', TOPIC);
    const missing = await createCopy();
    const payload = snsCall({ SigningCertURL: cert, Message: sesBounce(missing.messageId) });
    const headers = { 'content-type': 'text/plain' };
    const send = () => receivedBodies.hooks.inject({ method: 'POST', url, payload, headers });
    expect((await send()).statusCode).toBe(503);
    expect(await statusOf(missing.subscriber)).toBe('active');
    isAway = false;
    expect((await send()).statusCode).toBe(200);
    expect(await statusOf(missing.subscriber)).toBe('bounced');
  });

  test('concurrent calls share one fetch of a certificate', async () => {
    const requestedUrls: string[] = [];
    const reader = sesHooks(async (url) => {
      requestedUrls.push(url);
      return testCertificate.cert;
    });
    const otherCert = cert.replace('fedc', 'cccc');
    const body = Buffer.from(snsCall({ SigningCertURL: otherCert }));
    const readCall = () => reader.read({ headers: {}, body }, TOPIC);
    const readings = await Promise.all([readCall(), readCall(), readCall()]);
    expect(readings.map((reading) => reading.kind)).toEqual(['accepted', 'accepted', 'accepted']);
    expect(requestedUrls).toEqual([otherCert]);
  });
});

test('each account has its own URLs', async () => {
  const otherOwner = await server.owner();
  expect(await pathOf('sendgrid', otherOwner)).not.toBe(await pathOf('sendgrid'));
});

test('arbitrary calls get a fast response without a server error', async () => {
  const urls = await Promise.all(['ses', 'sendgrid', 'postmark', 'mailgun'].map((p) => pathOf(p)));
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...urls),
      fc.oneof(
        fc.string({ maxLength: 500 }),
        fc.json({ maxDepth: 4 }),
        fc
          .json()
          .map((json) => `{"RecordType":"Bounce","ID":1,"Type":"HardBounce","Email":${json}}`),
      ),
      async (url, body) => {
        // CPU time is measured because a busy machine takes longer by the clock.
        const startUsage = process.cpuUsage();
        const { statusCode } = await post(url, body);
        expect(statusCode).toBeLessThan(500);
        expect(process.cpuUsage(startUsage).user / 1000).toBeLessThan(4000);
      },
    ),
    { numRuns: 200 },
  );
});
