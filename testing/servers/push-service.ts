// A push service and its subscribed browsers. It validates requests by RFC 8030, 8188 and 8292, and
// decrypts notifications as a browser does (RFC 8291).
import { createDecipheriv, createECDH, type ECDH, hkdfSync, randomBytes } from 'node:crypto';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import tls from 'node:tls';
import { importJWK, jwtVerify } from 'jose';
import { allowPrivateAddresses } from '#platform/server/outgoing/outgoing-address.ts';
import { testCertificate } from './certificate.ts';

type PushRequest = { headers: NodeJS.Dict<string | string[]>; body: Buffer; path: string };
export type PushNotice = Record<'title' | 'body' | 'path' | 'tag' | 'lang' | 'dir', string>;

export type PushBrowser = {
  subscription: { endpoint: string; keys: { p256dh: string; auth: string } };
  /** The decrypted notifications. Throws if the encryption or the signature is wrong. */
  readNotices(): Promise<PushNotice[]>;
};

export type PushService = {
  origin: string;
  requests: PushRequest[];
  /** Statuses of the next responses; later responses have 201. */
  responseStatuses: number[];
  browser(): PushBrowser;
  close(): Promise<void>;
};

/** @param key the installation's public key, used by browsers to subscribe */
export async function startPushService(key: () => Promise<string>): Promise<PushService> {
  const requests: PushRequest[] = [];
  const statuses: number[] = [];
  const server = createServer(testCertificate, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { headers, url: path = '' } = request;
      requests.push({ headers, path, body: Buffer.concat(chunks) });
      response.writeHead(statuses.shift() ?? 201).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const certificates = tls.getCACertificates('default');
  tls.setDefaultCACertificates([...certificates, testCertificate.cert]);
  allowPrivateAddresses(true);
  const origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    requests,
    responseStatuses: statuses,
    browser: () => newBrowser(origin, requests, key),
    async close() {
      allowPrivateAddresses(false);
      tls.setDefaultCACertificates(certificates);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function newBrowser(
  origin: string,
  requests: PushRequest[],
  key: () => Promise<string>,
): PushBrowser {
  const pair = createECDH('prime256v1');
  const p256dh = pair.generateKeys('base64url', 'uncompressed');
  const secret = randomBytes(16);
  const path = `/push/${randomBytes(16).toString('base64url')}`;
  return {
    subscription: {
      endpoint: origin + path,
      keys: { p256dh, auth: secret.toString('base64url') },
    },
    async readNotices() {
      const ownRequests = requests.filter((handle) => handle.path === path);
      for (const { headers } of ownRequests) await checkSignature(headers, origin, await key());
      return ownRequests.map(({ body }) => JSON.parse(decrypt(body, pair, secret)) as PushNotice);
    },
  };
}

async function checkSignature(
  headers: PushRequest['headers'],
  origin: string,
  key: string,
): Promise<void> {
  const [, token = '', named = ''] =
    /^vapid t=([\w.-]+), ?k=([\w-]+)$/.exec(String(headers.authorization)) ?? [];
  if (named !== key) throw new Error(`Signed with ${named || 'nothing'}.`);
  if (headers['content-encoding'] !== 'aes128gcm') throw new Error('Not sealed.');
  if (!(Number(headers.ttl) > 0)) throw new Error('No TTL.');
  const point = Buffer.from(key, 'base64url');
  const coordinate = (start: number) => point.subarray(start, start + 32).toString('base64url');
  const jwk = await importJWK(
    { kty: 'EC', crv: 'P-256', x: coordinate(1), y: coordinate(33) },
    'ES256',
  );
  const { payload } = await jwtVerify(token, jwk, { audience: origin, algorithms: ['ES256'] });
  const hours = ((payload.exp ?? 0) - Date.now() / 1000) / 3600;
  if (!(hours > 0 && hours <= 24)) throw new Error(`Signed for ${hours} hours.`);
  if (!/^(mailto:|https:)/.test(String(payload.sub)))
    throw new Error('The token names no contact.');
}

const deriveKey = (salt: Buffer, context: Buffer, info: Buffer | string, length: number) =>
  Buffer.from(hkdfSync('sha256', context, salt, info, length));

function decrypt(body: Buffer, pair: ECDH, secret: Buffer): string {
  const salt = body.subarray(0, 16);
  const sender = body.subarray(21, 21 + (body[20] ?? 0));
  const sealedText = body.subarray(21 + sender.length);
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), pair.getPublicKey(), sender]);
  const keyMaterial = deriveKey(secret, pair.computeSecret(sender), info, 32);
  const key = deriveKey(salt, keyMaterial, 'Content-Encoding: aes128gcm\0', 16);
  const nonce = deriveKey(salt, keyMaterial, 'Content-Encoding: nonce\0', 12);
  const cipher = createDecipheriv('aes-128-gcm', key, nonce);
  cipher.setAuthTag(sealedText.subarray(-16));
  const plainText = Buffer.concat([cipher.update(sealedText.subarray(0, -16)), cipher.final()]);
  return plainText.subarray(0, plainText.lastIndexOf(2)).toString('utf8');
}
