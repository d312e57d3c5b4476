// Webhooks of email providers for tests: a server that receives them, and calls signed with test
// keys as each provider does.
import { createHmac, createSign, generateKeyPairSync } from 'node:crypto';
import fastify, { type FastifyInstance } from 'fastify';
import { hooksPlugin } from '#areas/delivery/server/feedback/hooks-plugin.ts';
import type { InstanceKeys } from '#areas/delivery/server/feedback/instance-hooks.ts';
import { getInstallationTokens } from '#areas/tracking/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import type { Db } from '#platform/server/database/database.ts';
import { mailgunHooks } from '#providers/mailgun/index.ts';
import { postmarkHooks } from '#providers/postmark/index.ts';
import { sendgridHooks } from '#providers/sendgrid/index.ts';
import { sesHooks } from '#providers/ses/events.ts';
import { testCertificate } from '../servers/certificate.ts';
import { startMessage } from './sending-helpers.ts';

export const TOPIC = 'arn:aws:sns:eu-north-1:123456789012:mails';
export const CERT =
  'https://sns.eu-north-1.amazonaws.com/SimpleNotificationService-0123456789abcdef.pem';
export const MAILGUN_KEY = 'key-0123456789abcdef0123456789abcdef';
const sendgrid = generateKeyPairSync('ec', { namedCurve: 'P-256' });
export const SENDGRID_KEY = sendgrid.publicKey
  .export({ format: 'der', type: 'spki' })
  .toString('base64');

export interface HooksServer {
  hooks: FastifyInstance;
  /** URLs that were fetched because a call contained them. */
  fetchedUrls: string[];
}

/**
 * Starts the webhook server. `keys` are the webhook keys of the installation's relays, `respond`
 * returns Amazon's response at a URL.
 */
export async function startHooks(
  db: Db,
  keys?: InstanceKeys,
  respond = async (url: string) => (url === CERT ? testCertificate.cert : 'ok'),
): Promise<HooksServer> {
  const fetchedUrls: string[] = [];
  const fetchText = async (url: string) => {
    fetchedUrls.push(url);
    return respond(url);
  };
  const hooks = fastify();
  hooks.decorate('db', db);
  const readers = [sesHooks(fetchText), sendgridHooks, postmarkHooks, mailgunHooks];
  await hooks.register(hooksPlugin(readers, keys));
  return { hooks, fetchedUrls };
}

/** Starts a message and returns the Message-ID of its copy for this subscriber. */
export async function copyTo(db: Db, account: number, subscriber: number): Promise<string> {
  const message = await startMessage(db, account);
  const copy = { account, message, subscriber, ordinal: 1 };
  return `<${getInstallationTokens().make(copy, 'messageId')}@shop.example>`;
}

export const seconds = () => Math.floor(clock.now().getTime() / 1000);

/** Returns the headers of a call by SendGrid with this body. */
export function signAsSendgrid(body: string) {
  const timestamp = String(seconds());
  const signature = createSign('sha256').update(timestamp + body);
  return {
    'x-twilio-email-event-webhook-signature': signature.sign(sendgrid.privateKey, 'base64'),
    'x-twilio-email-event-webhook-timestamp': timestamp,
  };
}

/** Returns the body of a call by Mailgun with one event. */
export function mailgunCall(
  event: object,
  signedAt = seconds(),
  token = `t${Math.random()}`,
): string {
  const timestamp = String(signedAt);
  const hmac = createHmac('sha256', MAILGUN_KEY).update(timestamp + token);
  return JSON.stringify({
    signature: { timestamp, token, signature: hmac.digest('hex') },
    'event-data': {
      id: `m${Math.random()}`,
      timestamp: seconds(),
      recipient: 'p@w.example',
      ...event,
    },
  });
}

/** Returns the body of a call by Amazon SNS. */
export function snsCall(changes: Record<string, string>): string {
  const message: Record<string, string> = {
    Type: 'Notification',
    MessageId: `n${Math.random()}`,
    TopicArn: TOPIC,
    Message: '{}',
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
  const algorithm = message.SignatureVersion === '1' ? 'sha1' : 'sha256';
  const Signature = createSign(algorithm).update(text).sign(testCertificate.key, 'base64');
  return JSON.stringify({ ...message, Signature, ...(changes.Signature ? changes : {}) });
}

/** Returns the body of a call by Amazon SNS that requests the confirmation of a subscription. */
export function snsSubscription(changes: Record<string, string> = {}): string {
  return snsCall({
    Type: 'SubscriptionConfirmation',
    Token: 'abc',
    SubscribeURL: 'https://sns.eu-north-1.amazonaws.com/?Action=ConfirmSubscription&Token=abc',
    ...changes,
  });
}
