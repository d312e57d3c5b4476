// Webhooks of the installation's own relays: one address, events of all accounts, each believed by the
// provider's signature and given to the account that signed the copy.
import { createHmac, createSign, generateKeyPairSync } from 'node:crypto';
import fastify, { type FastifyInstance } from 'fastify';
import { beforeAll, expect, test } from 'vitest';
import { readSubscriber } from '#areas/subscribers/server/index.ts';
import { installationTokens } from '#areas/tracking/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import { mailgunHooks } from '#providers/mailgun/index.ts';
import { postmarkHooks } from '#providers/postmark/index.ts';
import { sendgridHooks } from '#providers/sendgrid/index.ts';
import { sesHooks } from '#providers/ses/events.ts';
import { testCertificate } from '#testing/certificate.ts';
import { addPeople, startMessage } from '#testing/mailing.ts';
import { type TestServer, testServer } from '#testing/server.ts';
import { hooksPlugin } from './hooks-plugin.ts';

const MAILGUN = 'key-0123456789abcdef0123456789abcdef';
const TOPIC = 'arn:aws:sns:eu-north-1:123456789012:mails';
const CERT = 'https://sns.eu-north-1.amazonaws.com/SimpleNotificationService-0123456789abcdef.pem';
const LOGIN = 'hook:correct-horse';
const sendgrid = generateKeyPairSync('ec', { namedCurve: 'P-256' });

let server: TestServer;
let hooks: FastifyInstance;
let accounts: { id: number; people: number[] }[];
const asked: string[] = [];

beforeAll(async () => {
  server = await testServer();
  accounts = [];
  for (const name of ['one', 'two']) {
    const { accountId: id } = await server.owner();
    accounts.push({ id, people: await addPeople(server.db, id, 20, [`${name}.example`]) });
  }
  hooks = fastify();
  hooks.decorate('db', server.db);
  const fetchText = async (url: string) => {
    asked.push(url);
    return url === CERT ? testCertificate.cert : 'ok';
  };
  await hooks.register(
    hooksPlugin([sesHooks(fetchText), sendgridHooks, postmarkHooks, mailgunHooks], {
      ses: TOPIC,
      sendgrid: sendgrid.publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
      postmark: LOGIN,
      mailgun: MAILGUN,
    }),
  );
});

const post = async (provider: string, payload: string, headers: Record<string, string> = {}) => {
  const url = `/hooks/${provider}`;
  return (await hooks.inject({ method: 'POST', url, payload, headers })).statusCode;
};
const seconds = () => Math.floor(clock.now().getTime() / 1000);

/** Somebody of the first or the second account who got a campaign. */
async function copy(of: 0 | 1) {
  const account = accounts[of] as { id: number; people: number[] };
  const subscriber = account.people.shift() as number;
  const message = await startMessage(server.db, account.id);
  const facts = { account: account.id, message, subscriber, ordinal: 1 };
  const token = installationTokens().make(facts, 'messageId');
  const status = async () => (await readSubscriber(server.db, account.id, subscriber)).email_status;
  return { messageId: `<${token}@shop.example>`, status };
}

function signedBySendgrid(body: string) {
  const timestamp = String(seconds());
  const signature = createSign('sha256').update(timestamp + body);
  return {
    'content-type': 'application/json',
    'x-twilio-email-event-webhook-signature': signature.sign(sendgrid.privateKey, 'base64'),
    'x-twilio-email-event-webhook-timestamp': timestamp,
  };
}

test('SendGrid: one batch about two accounts; what names no copy has no effect', async () => {
  const [gone, spam, nobody] = [await copy(0), await copy(1), await copy(0)];
  const event = (changes: object) => ({
    email: 'person3@one.example',
    timestamp: seconds(),
    sg_event_id: `e${Math.random()}`,
    ...changes,
  });
  const bounce = { event: 'bounce', type: 'bounce', status: '5.1.1', reason: '550 5.1.1 No' };
  const body = JSON.stringify([
    event({ ...bounce, 'smtp-id': gone.messageId }),
    event({ event: 'spamreport', 'smtp-id': spam.messageId }),
    event({ ...bounce, 'smtp-id': '<somebody@else.example>' }),
  ]);
  expect(await post('sendgrid', body)).toBe(401);
  expect(await post('sendgrid', `${body} `, signedBySendgrid(body))).toBe(401);
  expect(await gone.status()).toBe('active');
  expect(await post('sendgrid', body, signedBySendgrid(body))).toBe(200);
  expect(await gone.status()).toBe('bounced');
  expect(await spam.status()).toBe('reported');
  // Found by an address alone it could be anybody's, in any account.
  expect(await nobody.status()).toBe('active');
});

test('Mailgun: a signature lets one call in, whichever account a second one is about', async () => {
  const [mine, theirs] = [await copy(0), await copy(1)];
  const body = (messageId: string, token: string) => {
    const timestamp = String(seconds());
    const hmac = createHmac('sha256', MAILGUN).update(timestamp + token);
    return JSON.stringify({
      signature: { timestamp, token, signature: hmac.digest('hex') },
      'event-data': {
        id: `m${Math.random()}`,
        event: 'complained',
        timestamp: seconds(),
        recipient: 'p@one.example',
        message: { headers: { 'message-id': messageId.slice(1, -1) } },
      },
    });
  };
  expect(await post('mailgun', body(mine.messageId, 'once'))).toBe(200);
  expect(await mine.status()).toBe('reported');
  expect(await post('mailgun', body(theirs.messageId, 'once'))).toBe(200);
  expect(await theirs.status()).toBe('active');
  expect(await post('mailgun', body(theirs.messageId, 'twice'))).toBe(200);
  expect(await theirs.status()).toBe('reported');
});

test('Postmark: user and password', async () => {
  const gone = await copy(1);
  const body = JSON.stringify({
    RecordType: 'Bounce',
    ID: 42,
    Type: 'HardBounce',
    Email: 'p@two.example',
    BouncedAt: clock.now().toISOString(),
    Details: 'smtp;550 5.1.1 The email account does not exist',
    Content: `Message-ID: ${gone.messageId}`,
  });
  expect(await post('postmark', body)).toBe(401);
  const authorization = `Basic ${Buffer.from(LOGIN).toString('base64')}`;
  expect(await post('postmark', body, { authorization })).toBe(200);
  expect(await gone.status()).toBe('bounced');
});

test('SES: the topic of the configuration alone, which is confirmed by itself', async () => {
  const full = await copy(0);
  const sns = (changes: Record<string, string>) => {
    const message: Record<string, string> = {
      Type: 'Notification',
      MessageId: `n${Math.random()}`,
      TopicArn: TOPIC,
      Timestamp: clock.now().toISOString(),
      SignatureVersion: '2',
      SigningCertURL: CERT,
      ...changes,
    };
    const fields =
      message.Type === 'Notification'
        ? ['Message', 'MessageId', 'Timestamp', 'TopicArn', 'Type']
        : ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'];
    const text = fields.map((field) => `${field}\n${message[field]}\n`).join('');
    const Signature = createSign('sha256').update(text).sign(testCertificate.key, 'base64');
    return JSON.stringify({ ...message, Signature });
  };
  const subscription = (TopicArn: string) =>
    sns({
      TopicArn,
      Type: 'SubscriptionConfirmation',
      Message: 'You have chosen',
      Token: 'abc',
      SubscribeURL: 'https://sns.eu-north-1.amazonaws.com/?Action=ConfirmSubscription&Token=abc',
    });
  expect(await post('ses', subscription(`${TOPIC}-other`))).toBe(403);
  expect(asked).toEqual([]);
  expect(await post('ses', subscription(TOPIC))).toBe(200);
  expect(asked.at(-1)).toContain('ConfirmSubscription');
  const Message = JSON.stringify({
    eventType: 'Bounce',
    bounce: {
      bounceType: 'Permanent',
      bounceSubType: 'General',
      feedbackId: 'f1',
      timestamp: clock.now().toISOString(),
      bouncedRecipients: [{ emailAddress: 'p@one.example', status: '5.1.1' }],
    },
    mail: {
      source: 'shop@shop.example',
      headers: [{ name: 'Message-ID', value: full.messageId }],
    },
  });
  expect(await post('ses', sns({ Message }))).toBe(200);
  expect(await full.status()).toBe('bounced');
});

test('a provider whose key the installation has not is not listened to', async () => {
  const silent = fastify();
  silent.decorate('db', server.db);
  await silent.register(hooksPlugin([sendgridHooks, mailgunHooks], { mailgun: MAILGUN }));
  const answer = await silent.inject({ method: 'POST', url: '/hooks/sendgrid', payload: '[]' });
  expect(answer.statusCode).toBe(404);
});
