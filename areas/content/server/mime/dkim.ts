// DKIM signatures (RFC 6376, 8463), relaxed/relaxed. Rendered bodies are already in relaxed form,
// so the body hash runs over the bytes unchanged. A signature field has a fixed length: render at
// `start + signer.length`, then sign into the space before the message.
import { hash, type KeyObject, sign as signBytes } from 'node:crypto';

export type DkimKey = {
  domain: string;
  selector: string;
  /** An RSA or Ed25519 private key, which determines the algorithm. */
  key: KeyObject;
};

export type DkimSigner = {
  /** Length of the signature fields in bytes. */
  length: number;
  /** Writes the signatures of the message at [start + length, end) to [start, start + length). */
  sign(buffer: Buffer, start: number, end: number, now: Date): void;
  /**
   * Signature fields of the message at [start, end), `length` bytes, computed on another thread.
   * The message is read before this returns, so the buffer can be reused immediately.
   */
  signOnThread(buffer: Buffer, start: number, end: number, now: Date): Promise<string>;
};

/**
 * Signed header fields; adding one that the message does not contain breaks the signature. Date and
 * Message-ID are excluded: Amazon SES rewrites both (its guide recommends leaving them unsigned),
 * and `t=` dates the signature.
 */
const SIGNED = [
  'from',
  'to',
  'subject',
  'reply-to',
  'mime-version',
  'content-type',
  'list-id',
  'list-unsubscribe',
  'list-unsubscribe-post',
  'feedback-id',
];
/**
 * Fields that the signature names twice, so that a forwarder cannot add a second one above ours
 * (RFC 6376, 8.15). Relays may add a second one of the other signed fields.
 */
const SEALED = [
  'from',
  'to',
  'subject',
  'reply-to',
  'content-type',
  'list-unsubscribe',
  'list-unsubscribe-post',
];
/** Longer than the five days of relay retries; a later replay has an expired signature. */
const VALID_SECONDS = 7 * 86_400;
const BODY_HASH_LENGTH = 44;
const MAX_LINE_LENGTH = 72;
const HEADER_END = Buffer.from('\r\n\r\n');

export function createSigner(keys: readonly DkimKey[]): DkimSigner {
  const signatures = keys.map(prepare);
  const length = signatures.reduce((total, signature) => total + signature.length, 0);
  return {
    length,
    sign(buffer, start, end, now) {
      const fields = computeFields(buffer, start + length, end, now);
      let position = start;
      for (const signature of signatures) {
        const { field, input } = signature.prepareInput(fields);
        position += buffer.write(
          signature.completeField(field, signBytes(signature.algorithm, input, signature.key)),
          position,
          'latin1',
        );
      }
    },
    async signOnThread(buffer, start, end, now) {
      const signatureFields = computeFields(buffer, start, end, now);
      const fields = signatures.map(async (signature) => {
        const { field, input } = signature.prepareInput(signatureFields);
        return signature.completeField(
          field,
          await signOnThread(signature.algorithm, input, signature.key),
        );
      });
      return (await Promise.all(fields)).join('');
    },
  };
}

function signOnThread(algorithm: string | null, input: Buffer, key: KeyObject): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    signBytes(algorithm, input, key, (error, value) => (error ? reject(error) : resolve(value)));
  });
}

/** Input of a signature. */
type SignatureFields = { headers: string; bodyHash: string; time: string; expires: string };

function computeFields(buffer: Buffer, start: number, end: number, now: Date): SignatureFields {
  const bodyStart = buffer.indexOf(HEADER_END, start) + HEADER_END.length;
  return {
    headers: canonicalizeHeaders(buffer.toString('latin1', start, bodyStart - 2)),
    bodyHash: hash('sha256', buffer.subarray(bodyStart, end), 'base64'),
    time: toSeconds(now, 0),
    expires: toSeconds(now, VALID_SECONDS),
  };
}

const toSeconds = (now: Date, extraSeconds: number) =>
  String(Math.floor(now.getTime() / 1000) + extraSeconds).padStart(10, '0');

type Signature = {
  /** Length of the whole field in bytes. */
  length: number;
  /** Digest algorithm; null if the input is a digest. */
  algorithm: string | null;
  key: KeyObject;
  /** The field without its signature, and the bytes to sign. */
  prepareInput(fields: SignatureFields): { field: string; input: Buffer };
  completeField(field: string, value: Buffer): string;
};

function prepare({ domain, selector, key }: DkimKey): Signature {
  const isRsa = key.asymmetricKeyType === 'rsa';
  if (!isRsa && key.asymmetricKeyType !== 'ed25519')
    throw new TypeError('DKIM needs RSA or Ed25519');
  const algorithm = isRsa ? 'rsa-sha256' : 'ed25519-sha256';
  const modulusLength = key.asymmetricKeyDetails?.modulusLength ?? 0;
  const valueLength = Math.ceil((isRsa ? Math.ceil(modulusLength / 8) : 64) / 3) * 4;
  const createUnsignedHeader = (bodyHash: string, time: string, expires: string) =>
    `v=1; a=${algorithm}; c=relaxed/relaxed; d=${domain}; s=${selector};\r\n` +
    ` t=${time}; x=${expires};\r\n h=${SIGNED.join(':')}:${SEALED.join(':')};\r\n bh=${bodyHash};\r\n b=`;
  const sample = createUnsignedHeader('x'.repeat(BODY_HASH_LENGTH), '0'.repeat(10), '0'.repeat(10));
  return {
    length:
      'DKIM-Signature: '.length + sample.length + foldBase64('x'.repeat(valueLength)).length + 2,
    algorithm: isRsa ? 'sha256' : null,
    key,
    prepareInput({ headers, bodyHash, time, expires }) {
      const field = createUnsignedHeader(bodyHash, time, expires);
      const text = Buffer.from(`${headers}dkim-signature:${relaxWhitespace(field)}`, 'latin1');
      return { field, input: isRsa ? text : hash('sha256', text, 'buffer') };
    },
    completeField: (field, value) =>
      `DKIM-Signature: ${field}${foldBase64(value.toString('base64'))}\r\n`,
  };
}

/** Returns the signed fields in the order of `h=`, each `name:value CRLF` (RFC 6376, 3.4.2). */
function canonicalizeHeaders(block: string): string {
  const fields = new Map<string, string>();
  for (const field of block.split(/\r\n(?![ \t])/)) {
    const colon = field.indexOf(':');
    if (colon > 0) fields.set(field.slice(0, colon).trim().toLowerCase(), field.slice(colon + 1));
  }
  let text = '';
  for (const name of SIGNED) {
    const value = fields.get(name);
    if (value !== undefined) text += `${name}:${relaxWhitespace(value)}\r\n`;
  }
  return text;
}

function relaxWhitespace(value: string): string {
  return value
    .replace(/\r\n/g, '')
    .replace(/[ \t]+/g, ' ')
    .trim();
}

function foldBase64(base64: string): string {
  let text = base64.slice(0, MAX_LINE_LENGTH);
  for (let position = MAX_LINE_LENGTH; position < base64.length; position += MAX_LINE_LENGTH)
    text += `\r\n ${base64.slice(position, position + MAX_LINE_LENGTH)}`;
  return text;
}
