// Webhooks of the installation's own relays. One address receives events of all accounts. Calls are
// authenticated by the provider's signature (Postmark: by user and password), and each event is
// routed to the account in the signed token of its copy.
import fastify, { type FastifyInstance } from 'fastify';
import { beforeAll, expect, test } from 'vitest';
import { readSubscriber } from '#areas/subscribers/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import { mailgunHooks } from '#providers/mailgun/index.ts';
import { sendgridHooks } from '#providers/sendgrid/index.ts';
import { addPeople } from '#testing/worlds/sending-helpers.ts';
import {
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
import { type TestServer, testServer } from '#testing/setup/server.ts';
import { hooksPlugin } from './hooks-plugin.ts';

const LOGIN = 'hook:correct-horse';

let server: TestServer;
let hooks: FastifyInstance;
let accounts: { id: number; people: number[] }[];
let requests: string[];

beforeAll(async () => {
  server = await testServer();
  accounts = [];
  for (const name of ['one', 'two']) {
    const { accountId: id } = await server.owner();
    accounts.push({ id, people: await addPeople(server.db, id, 20, [`${name}.example`]) });
  }
  ({ hooks, fetchedUrls: requests } = await startHooks(server.db, {
    ses: TOPIC,
    sendgrid: SENDGRID_KEY,
    postmark: LOGIN,
    mailgun: MAILGUN_KEY,
  }));
});

const post = async (provider: string, payload: string, headers: Record<string, string> = {}) => {
  const url = `/hooks/${provider}`;
  return (await hooks.inject({ method: 'POST', url, payload, headers })).statusCode;
};

/**
 * Starts a message to the next subscriber of the first or second account; returns the copy's
 * Message-ID and token, and a reader of the subscriber's email status.
 */
async function createCopy(index: 0 | 1) {
  const account = accounts[index] as { id: number; people: number[] };
  const subscriber = account.people.shift() as number;
  const status = async () => (await readSubscriber(server.db, account.id, subscriber)).email_status;
  const messageId = await copyTo(server.db, account.id, subscriber);
  return { messageId, name: messageId.slice(1, 41), status };
}

/** Returns the headers of SendGrid's call with this body, including the signature. */
const bySendgrid = (body: string) => ({
  'content-type': 'application/json',
  ...signAsSendgrid(body),
});

test('SendGrid: a batch updates subscribers of two accounts; events without a known copy are ignored', async () => {
  const [missing, spam, unaffected] = [
    await createCopy(0),
    await createCopy(1),
    await createCopy(0),
  ];
  const event = (changes: object) => ({
    email: 'person3@one.example',
    timestamp: seconds(),
    sg_event_id: `e${Math.random()}`,
    ...changes,
  });
  const bounce = { event: 'bounce', type: 'bounce', status: '5.1.1', reason: '550 5.1.1 No' };
  const body = JSON.stringify([
    event({ ...bounce, 'smtp-id': missing.messageId }),
    // Events of recipients have no Message-ID; the custom argument names the copy.
    event({ event: 'spamreport', sendloom: spam.name }),
    event({ ...bounce, 'smtp-id': '<somebody@else.example>' }),
  ]);
  expect(await post('sendgrid', body)).toBe(401);
  expect(await post('sendgrid', `${body} `, bySendgrid(body))).toBe(401);
  expect(await missing.status()).toBe('active');
  expect(await post('sendgrid', body, bySendgrid(body))).toBe(200);
  expect(await missing.status()).toBe('bounced');
  expect(await spam.status()).toBe('reported');
  // An event that only has an address could belong to any account.
  expect(await unaffected.status()).toBe('active');
});

test('Mailgun: a signature is accepted only once, even if the second call is about another account', async () => {
  const [first, second] = [await createCopy(0), await createCopy(1)];
  const body = (messageId: string, token: string) =>
    mailgunCall(
      { event: 'complained', message: { headers: { 'message-id': messageId.slice(1, -1) } } },
      seconds(),
      token,
    );
  expect(await post('mailgun', body(first.messageId, 'once'))).toBe(200);
  expect(await first.status()).toBe('reported');
  expect(await post('mailgun', body(second.messageId, 'once'))).toBe(200);
  expect(await second.status()).toBe('active');
  expect(await post('mailgun', body(second.messageId, 'twice'))).toBe(200);
  expect(await second.status()).toBe('reported');
});

test('Postmark: a call requires a user name and password', async () => {
  const missing = await createCopy(1);
  const body = JSON.stringify({
    RecordType: 'Bounce',
    ID: 42,
    Type: 'HardBounce',
    Email: 'p@two.example',
    BouncedAt: clock.now().toISOString(),
    Details: 'smtp;550 5.1.1 The email account does not exist',
    Metadata: { sendloom: missing.name },
    Content: 'Message-ID: <5e1c9f3a-7c1e-4f44-9a0b-3f5d0a5e77aa@mtasv.net>',
  });
  expect(await post('postmark', body)).toBe(401);
  const authorization = `Basic ${Buffer.from(LOGIN).toString('base64')}`;
  expect(await post('postmark', body, { authorization })).toBe(200);
  expect(await missing.status()).toBe('bounced');
});

test('SES: only the configured topic is accepted, and its subscription is confirmed automatically', async () => {
  const nonexistent = await createCopy(0);
  const subscription = (TopicArn: string) =>
    snsSubscription({ TopicArn, Message: 'You have chosen' });
  expect(await post('ses', subscription(`${TOPIC}-other`))).toBe(403);
  expect(requests).toEqual([]);
  expect(await post('ses', subscription(TOPIC))).toBe(200);
  expect(requests.at(-1)).toContain('ConfirmSubscription');
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
      headers: [{ name: 'Message-ID', value: nonexistent.messageId }],
    },
  });
  expect(await post('ses', snsCall({ Message }))).toBe(200);
  expect(await nonexistent.status()).toBe('bounced');
});

test('a call is refused if the installation has no key for its provider', async () => {
  const app = fastify();
  app.decorate('db', server.db);
  await app.register(hooksPlugin([sendgridHooks, mailgunHooks], { mailgun: MAILGUN_KEY }));
  const response = await app.inject({ method: 'POST', url: '/hooks/sendgrid', payload: '[]' });
  expect(response.statusCode).toBe(404);
});
