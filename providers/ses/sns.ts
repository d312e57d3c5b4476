// Amazon SNS delivers events of SES as signed notifications. The URL of the signing certificate
// must be Amazon's own (docs.aws.amazon.com/sns: Verifying the signatures of Amazon SNS messages).
import { X509Certificate, verify } from 'node:crypto';

export type SnsMessage = {
  Type: 'Notification' | 'SubscriptionConfirmation' | 'UnsubscribeConfirmation';
  MessageId: string;
  TopicArn: string;
  Message: string;
  Timestamp: string;
  SignatureVersion: string;
  Signature: string;
  SigningCertURL: string;
  Subject?: string;
  SubscribeURL?: string;
  Token?: string;
};

/** Fetches a URL of Amazon as text. */
export type Fetch = (url: string) => Promise<string>;

const HOST = /^sns\.[a-z0-9-]{1,40}\.amazonaws\.com(\.cn)?$/;
const CERTIFICATE = /^\/SimpleNotificationService-[0-9a-f]{8,80}\.pem$/;
const FIELDS: Record<SnsMessage['Type'], (keyof SnsMessage)[]> = {
  Notification: ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
  SubscriptionConfirmation: [
    'Message',
    'MessageId',
    'SubscribeURL',
    'Timestamp',
    'Token',
    'TopicArn',
    'Type',
  ],
  UnsubscribeConfirmation: [
    'Message',
    'MessageId',
    'SubscribeURL',
    'Timestamp',
    'Token',
    'TopicArn',
    'Type',
  ],
};
const TOPIC = /^arn:aws[a-z-]{0,20}:sns:[a-z0-9-]{1,40}:\d{12}:[A-Za-z0-9_.-]{1,256}$/;

export const isTopic = (text: string) => TOPIC.test(text);

/** Parses an SNS message; undefined if the body is not one. */
export function parseSns(body: Buffer): SnsMessage | undefined {
  let json: unknown;
  try {
    json = JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
  const message = json as SnsMessage | null;
  if (typeof message !== 'object' || message === null || !Object.hasOwn(FIELDS, message.Type)) {
    return undefined;
  }
  const requiredFields = [...FIELDS[message.Type], 'Signature', 'SigningCertURL'] as const;
  const isComplete = requiredFields.every(
    (field) =>
      typeof message[field] === 'string' || (field === 'Subject' && message[field] === undefined),
  );
  return isComplete && isTopic(message.TopicArn) ? message : undefined;
}

/** Returns whether the URL is Amazon's own and uses https; other URLs are never fetched. */
export function isAmazonUrl(url: string | undefined, path?: RegExp): boolean {
  if (!url || !URL.canParse(url)) return false;
  const { protocol, hostname, port, pathname, username } = new URL(url);
  return (
    protocol === 'https:' &&
    port === '' &&
    username === '' &&
    HOST.test(hostname) &&
    (path?.test(pathname) ?? true)
  );
}

const MAX_CERTIFICATES = 20;
const certificates = new Map<string, X509Certificate>();
/** Pending fetches, so that concurrent calls share one response. */
const pendingCertificates = new Map<string, Promise<X509Certificate>>();

/** Throws if the certificate is unavailable now; the message may still be valid. */
export async function isSignedBySns(message: SnsMessage, fetchText: Fetch): Promise<boolean> {
  if (!isAmazonUrl(message.SigningCertURL, CERTIFICATE)) return false;
  const certificate = await certificateAt(message.SigningCertURL, fetchText);
  const signedText = FIELDS[message.Type]
    .flatMap((field) => (message[field] === undefined ? [] : [`${field}\n${message[field]}\n`]))
    .join('');
  const algorithm = message.SignatureVersion === '2' ? 'sha256' : 'sha1';
  const signature = Buffer.from(message.Signature, 'base64');
  try {
    return verify(algorithm, Buffer.from(signedText), certificate.publicKey, signature);
  } catch {
    return false;
  }
}

function certificateAt(url: string, fetchText: Fetch): Promise<X509Certificate> {
  const cachedCertificate = certificates.get(url);
  if (cachedCertificate && Date.parse(cachedCertificate.validTo) > Date.now())
    return Promise.resolve(cachedCertificate);
  const pending = pendingCertificates.get(url);
  if (pending) return pending;
  const pendingCertificate = fetchCertificate(url, fetchText).finally(() =>
    pendingCertificates.delete(url),
  );
  pendingCertificates.set(url, pendingCertificate);
  return pendingCertificate;
}

async function fetchCertificate(url: string, fetchText: Fetch): Promise<X509Certificate> {
  const certificate = new X509Certificate(await fetchText(url));
  if (certificates.size >= MAX_CERTIFICATES) certificates.clear();
  certificates.set(url, certificate);
  return certificate;
}
