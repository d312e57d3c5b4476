// Tokens in links, pixels, Message-IDs and return paths, which identify a copy. A token has 40
// characters of base64url (30 bytes), so that it can be written in place: bytes 0–5 account · 6–11
// message · 12–17 subscriber · 18–21 ordinal · 22–29 tag. The tag is an AES-256-CBC-MAC over
// exactly two blocks (the 22 bytes, the purpose, nine zeros), truncated to 64 bits. CBC-MAC is
// secure for messages of one fixed length; a forger can only guess online, with a chance of 1 in
// 2^64. AES is used, not HMAC, because both passes run over a whole batch (0.1 µs per token; HMAC
// takes 2 µs). The purpose prevents the use of a visible token (a Message-ID in a log or a reply)
// in a link. Tokens are authenticated, not encrypted.
import { createCipheriv, hkdfSync } from 'node:crypto';
import { deriveKey } from '#platform/server/secrets.ts';

/** Number of characters of a token, which are A–Z, a–z, 0–9, - and _. */
export const TOKEN_LENGTH = 40;

const TOKEN_BYTES = 30;
const PAYLOAD_BYTES = 22;
const BLOCK_BYTES = 16;
const PURPOSE_AT = 6;
const MAX_48_BITS = 2 ** 48 - 1;
const MAX_32_BITS = 2 ** 32 - 1;
const PURPOSES = { link: 0, messageId: 1, bounce: 2 } as const;

/**
 * `account`, `message` and `subscriber` are IDs (48 bits). `ordinal` is the ordinal in the ledger,
 * or the ID of a single send (32 bits).
 */
export type TokenPayload = {
  account: number;
  message: number;
  subscriber: number;
  ordinal: number;
};

/** Purpose of a token; the token is invalid for all other purposes. */
export type TokenPurpose = keyof typeof PURPOSES;

/** Creates and reads the tokens of one installation. */
export type TrackingTokens = {
  make(payload: TokenPayload, purpose?: TokenPurpose): string;
  /**
   * Returns, for each of the purposes, the tokens of a batch in order; far cheaper than calling
   * `make` for each.
   */
  makeMany(payloads: readonly TokenPayload[], purposes?: readonly TokenPurpose[]): string[][];
  /**
   * Returns the token's payload; undefined if this installation did not make it for this purpose.
   */
  read(token: string, purpose?: TokenPurpose): TokenPayload | undefined;
  readMany(tokens: readonly string[], purpose?: TokenPurpose): (TokenPayload | undefined)[];
};

let cached: { key: Buffer; tokens: TrackingTokens } | undefined;

/** Returns the functions for tokens of this installation, whose SECRET must be configured. */
export function getInstallationTokens(): TrackingTokens {
  const key = deriveKey('tracking');
  if (cached?.key !== key) cached = { key, tokens: createTokens(key) };
  return cached.tokens;
}

/** @param secret the secret that HKDF-SHA-256 derives the key from */
export function createTokens(secret: string | Buffer): TrackingTokens {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'sendloom tracking token 1', 32));
  // ECB serves as the plain block cipher: each of its blocks is a step of a CBC-MAC.
  const cipher = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false);
  const encrypt = (blocks: Buffer) => cipher.update(blocks);

  function makeMany(
    payloads: readonly TokenPayload[],
    purposes: readonly TokenPurpose[] = ['link'],
  ): string[][] {
    if (payloads.length === 0) return purposes.map(() => []);
    const raw = Buffer.allocUnsafe(payloads.length * TOKEN_BYTES);
    payloads.forEach((payload, i) => {
      writePayload(raw, i * TOKEN_BYTES, payload);
    });
    const halfway = firstPass(raw, payloads.length, encrypt);
    return purposes.map((purpose) => {
      const tags = secondPass(halfway, raw, payloads.length, purpose, encrypt);
      payloads.forEach((_, i) => {
        const tagStart = i * TOKEN_BYTES + PAYLOAD_BYTES;
        tags.copy(raw, tagStart, i * BLOCK_BYTES, i * BLOCK_BYTES + TOKEN_BYTES - PAYLOAD_BYTES);
      });
      // Since 30 bytes are exactly 40 characters, one call converts all tokens.
      const text = raw.toString('base64url');
      return payloads.map((_, i) => text.slice(i * TOKEN_LENGTH, (i + 1) * TOKEN_LENGTH));
    });
  }

  function readMany(tokens: readonly string[], purpose: TokenPurpose = 'link') {
    const raw = Buffer.alloc(tokens.length * TOKEN_BYTES);
    const wellFormed = tokens.map((token, i) => decode(token, raw, i * TOKEN_BYTES));
    if (tokens.length === 0) return [];
    const halfway = firstPass(raw, tokens.length, encrypt);
    const tags = secondPass(halfway, raw, tokens.length, purpose, encrypt);
    return tokens.map((_, i) => {
      const hasValidTag = sameTag(raw, i * TOKEN_BYTES + PAYLOAD_BYTES, tags, i * BLOCK_BYTES);
      return hasValidTag && wellFormed[i] ? readPayload(raw, i * TOKEN_BYTES) : undefined;
    });
  }

  return {
    makeMany,
    readMany,
    make: (payload, purpose) => makeMany([payload], purpose && [purpose])[0]?.[0] as string,
    read: (token, purpose) => readMany([token], purpose)[0],
  };
}

type Encrypt = (blocks: Buffer) => Buffer;

/**
 * Computes the first step of the CBC-MAC over the first 16 bytes of each token; it does not depend
 * on the purpose.
 */
function firstPass(raw: Buffer, count: number, encrypt: Encrypt): Buffer {
  const blocks = Buffer.allocUnsafe(count * BLOCK_BYTES);
  for (let i = 0; i < count; i++) {
    raw.copy(blocks, i * BLOCK_BYTES, i * TOKEN_BYTES, i * TOKEN_BYTES + BLOCK_BYTES);
  }
  return encrypt(blocks);
}

/**
 * Computes the second step over the rest of the payload and the purpose; returns the tags, one
 * block each.
 */
function secondPass(
  halfway: Buffer,
  raw: Buffer,
  count: number,
  purpose: TokenPurpose,
  encrypt: Encrypt,
): Buffer {
  const blocks = Buffer.from(halfway);
  const payloadBytesLeft = PAYLOAD_BYTES - BLOCK_BYTES;
  for (let i = 0; i < count; i++) {
    for (let byte = 0; byte < payloadBytesLeft; byte++) {
      const offset = i * BLOCK_BYTES + byte;
      blocks[offset] =
        (blocks[offset] as number) ^ (raw[i * TOKEN_BYTES + BLOCK_BYTES + byte] as number);
    }
    const offset = i * BLOCK_BYTES + PURPOSE_AT;
    blocks[offset] = (blocks[offset] as number) ^ PURPOSES[purpose];
  }
  return encrypt(blocks);
}

function writePayload(into: Buffer, offset: number, payload: TokenPayload): void {
  into.writeUIntBE(requireInRange(payload.account, MAX_48_BITS), offset, 6);
  into.writeUIntBE(requireInRange(payload.message, MAX_48_BITS), offset + 6, 6);
  into.writeUIntBE(requireInRange(payload.subscriber, MAX_48_BITS), offset + 12, 6);
  into.writeUInt32BE(requireInRange(payload.ordinal, MAX_32_BITS), offset + 18);
}

function readPayload(buffer: Buffer, offset: number): TokenPayload {
  return {
    account: buffer.readUIntBE(offset, 6),
    message: buffer.readUIntBE(offset + 6, 6),
    subscriber: buffer.readUIntBE(offset + 12, 6),
    ordinal: buffer.readUInt32BE(offset + 18),
  };
}

function requireInRange(value: number, max: number): number {
  if (!Number.isInteger(value) || value < 0 || value > max) {
    throw new RangeError(`${value} does not fit into a token`);
  }
  return value;
}

/**
 * Decodes strictly, so that each token has one spelling (Buffer alone would skip invalid characters
 * and accept + and /).
 */
function decode(token: string, into: Buffer, offset: number): boolean {
  if (!/^[A-Za-z0-9_-]{40}$/.test(token)) return false;
  return into.write(token, offset, TOKEN_BYTES, 'base64url') === TOKEN_BYTES;
}

/** Compares in constant time. */
function sameTag(a: Buffer, aAt: number, b: Buffer, bAt: number): boolean {
  let difference = 0;
  for (let i = 0; i < TOKEN_BYTES - PAYLOAD_BYTES; i++) {
    difference |= (a[aAt + i] as number) ^ (b[bAt + i] as number);
  }
  return difference === 0;
}
