// An authenticator with one passkey (WebAuthn, ES256, no attestation) that can be made to fail.
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

type Doing = {
  /** The browser's origin. */
  origin?: string;
  rpId?: string;
  /** The signature counter; by default one more than the last. */
  counter?: number;
  /** Without user verification. */
  isUnverified?: boolean;
};

const ORIGIN = 'http://localhost:3000';
const base64 = (bytes: Buffer | string) => Buffer.from(bytes).toString('base64url');
const sha256 = (value: Buffer | string) => createHash('sha256').update(value).digest();

export type Authenticator = ReturnType<typeof newAuthenticator>;

export function newAuthenticator() {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const id = randomBytes(32);
  let counter = 0;
  let userHandle = '';

  const clientData = (type: string, challenge: string, { origin = ORIGIN }: Doing) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  const dataOf = (doing: Doing, attested = Buffer.alloc(0)) => {
    counter = doing.counter ?? counter + 1;
    const flags = 0x01 | (doing.isUnverified ? 0 : 0x04) | (attested.length > 0 ? 0x40 : 0);
    const head = Buffer.alloc(5);
    head.writeUInt8(flags);
    head.writeUInt32BE(counter, 1);
    return Buffer.concat([sha256(doing.rpId ?? 'localhost'), head, attested]);
  };
  const shape = { id: base64(id), rawId: base64(id), type: 'public-key' as const };

  return {
    /** The response of a browser to the options of a new passkey. */
    create(options: { challenge: string; user: { id: string } }, doing: Doing = {}) {
      userHandle = options.user.id;
      const length = Buffer.alloc(2);
      length.writeUInt16BE(id.length);
      const attested = Buffer.concat([
        Buffer.alloc(16),
        length,
        id,
        coseKey(Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')),
      ]);
      const response = {
        clientDataJSON: base64(clientData('webauthn.create', options.challenge, doing)),
        attestationObject: base64(attestation(dataOf(doing, attested))),
      };
      return { ...shape, response, clientExtensionResults: {} };
    },
    /** The response to the options of signing in. */
    get({ challenge }: { challenge: string }, doing: Doing = {}) {
      const client = clientData('webauthn.get', challenge, doing);
      const data = dataOf(doing);
      const signature = sign('sha256', Buffer.concat([data, sha256(client)]), privateKey);
      const response = {
        clientDataJSON: base64(client),
        authenticatorData: base64(data),
        signature: base64(signature),
        userHandle,
      };
      return { ...shape, response, clientExtensionResults: {} };
    },
  };
}

const text = (value: string) =>
  Buffer.concat([Buffer.from([0x60 | value.length]), Buffer.from(value)]);

/** COSE (RFC 9053): { 1: 2, 3: -7, -1: 1, -2: x, -3: y } in CBOR. */
const coseKey = (x: Buffer, y: Buffer) =>
  Buffer.concat([
    Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20]),
    x,
    Buffer.from([0x22, 0x58, 0x20]),
    y,
  ]);

/** { fmt: 'none', attStmt: {}, authData } in CBOR. */
function attestation(data: Buffer): Buffer {
  const parts = [text('fmt'), text('none'), text('attStmt'), Buffer.from([0xa0])];
  const bytes = Buffer.from([0x58, data.length]);
  return Buffer.concat([Buffer.from([0xa3]), ...parts, text('authData'), bytes, data]);
}
