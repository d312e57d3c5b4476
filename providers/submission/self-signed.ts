// Makes a self-signed certificate for trying SMTP submission on loopback: X.509 v3 (RFC 5280),
// ECDSA over P-256.
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

const YEAR_MS = 365 * 86_400_000;
/** The certificate is valid from this time before its creation, to allow for clock differences. */
const CLOCK_TOLERANCE_MS = 86_400_000;

export function createSelfSignedCertificate(now = new Date()): { cert: string; key: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(derSet(sequence(oid('550403'), der(0x0c, Buffer.from('localhost')))));
  const algorithm = sequence(oid('2a8648ce3d040302'));
  const validity = sequence(
    utcTime(new Date(now.getTime() - CLOCK_TOLERANCE_MS)),
    utcTime(new Date(now.getTime() + 10 * YEAR_MS)),
  );
  const names = sequence(
    der(0x82, Buffer.from('localhost')),
    der(0x87, Buffer.from([127, 0, 0, 1])),
  );
  const extensions = der(0xa3, sequence(sequence(oid('551d11'), der(0x04, names))));
  const tbsCertificate = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ...[algorithm, name, validity, name],
    publicKey.export({ type: 'spki', format: 'der' }),
    extensions,
  );
  const signature = sign('sha256', tbsCertificate, privateKey);
  const certificate = sequence(
    tbsCertificate,
    algorithm,
    der(0x03, Buffer.concat([Buffer.from([0]), signature])),
  );
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    cert: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  };
}

function der(tag: number, body: Buffer): Buffer {
  const { length } = body;
  const size = length < 128 ? [length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), body]);
}

const sequence = (...elements: readonly Buffer[]) => der(0x30, Buffer.concat(elements));
const derSet = (element: Buffer) => der(0x31, element);
const oid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'));
const utcTime = (instant: Date) =>
  der(0x17, Buffer.from(`${instant.toISOString().slice(2, 19).replace(/[-:T]/g, '')}Z`));
