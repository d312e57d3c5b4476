// An authenticator with one passkey (WebAuthn, ES256, no attestation). A test can make its
// responses invalid.
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

type ResponseOptions = {
  /** The browser's origin. */
  origin?: string;
  rpId?: string;
  /** The signature counter; by default the last one plus one. */
  counter?: number;
  /** Whether user verification is missing. */
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

  const clientData = (type: string, challenge: string, { origin = ORIGIN }: ResponseOptions) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
  const dataOf = (options: ResponseOptions, attestedData = Buffer.alloc(0)) => {
    counter = options.counter ?? counter + 1;
    const flags = 0x01 | (options.isUnverified ? 0 : 0x04) | (attestedData.length > 0 ? 0x40 : 0);
    const head = Buffer.alloc(5);
    head.writeUInt8(flags);
    head.writeUInt32BE(counter, 1);
    return Buffer.concat([sha256(options.rpId ?? 'localhost'), head, attestedData]);
  };
  const shape = { id: base64(id), rawId: base64(id), type: 'public-key' as const };

  return {
    /** Returns a browser's response to the creation options of a passkey. */
    create(creation: { challenge: string; user: { id: string } }, options: ResponseOptions = {}) {
      userHandle = creation.user.id;
      const length = Buffer.alloc(2);
      length.writeUInt16BE(id.length);
      const attestedData = Buffer.concat([
        Buffer.alloc(16),
        length,
        id,
        coseKey(Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')),
      ]);
      const response = {
        clientDataJSON: base64(clientData('webauthn.create', creation.challenge, options)),
        attestationObject: base64(attestation(dataOf(options, attestedData))),
      };
      return { ...shape, response, clientExtensionResults: {} };
    },
    /** Returns a browser's response to the request options of a sign-in. */
    get({ challenge }: { challenge: string }, options: ResponseOptions = {}) {
      const client = clientData('webauthn.get', challenge, options);
      const data = dataOf(options);
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

/** Encodes a COSE key (RFC 9053): { 1: 2, 3: -7, -1: 1, -2: x, -3: y } in CBOR. */
const coseKey = (x: Buffer, y: Buffer) =>
  Buffer.concat([
    Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20]),
    x,
    Buffer.from([0x22, 0x58, 0x20]),
    y,
  ]);

/** Encodes { fmt: 'none', attStmt: {}, authData } in CBOR. */
function attestation(data: Buffer): Buffer {
  const elements = [text('fmt'), text('none'), text('attStmt'), Buffer.from([0xa0])];
  const bytes = Buffer.from([0x58, data.length]);
  return Buffer.concat([Buffer.from([0xa3]), ...elements, text('authData'), bytes, data]);
}
