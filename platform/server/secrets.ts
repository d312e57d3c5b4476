// Keys per purpose, keyed hashes and sealed values, all derived from the installation's SECRET, and
// independent random secrets.
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';

let secret: string | undefined;
const keys = new Map<string, Buffer>();
/**
 * Cached keys: building a key from bytes for each cipher takes three times as long as sealing a
 * short value.
 */
const sealingKeys = new Map<string, KeyObject>();
type Pads = { readonly inner: Buffer; readonly outer: Buffer };
const pads = new Map<string, Pads>();

export function configureSecrets(value: string): void {
  secret = value;
  keys.clear();
  sealingKeys.clear();
  pads.clear();
}

/** Returns a 32-byte key for one purpose (RFC 5869). */
export function deriveKey(purpose: string): Buffer {
  if (!secret) throw new Error('configureSecrets has not been called');
  let key = keys.get(purpose);
  if (!key) {
    key = Buffer.from(hkdfSync('sha256', secret, '', `sendloom ${purpose}`, 32));
    keys.set(purpose, key);
  }
  return key;
}

/**
 * Computes an HMAC-SHA-256 with the purpose's key, used as a signature or stored instead of a value
 * that must not be readable.
 */
export function computeKeyedHash(purpose: string, value: string): Buffer {
  return createHmac('sha256', deriveKey(purpose)).update(value).digest();
}

/**
 * Returns the pads for computing the same hash in SQL, `sha256(outer || sha256(inner || value))`
 * (RFC 2104), so that a column's values can be compared with stored hashes without a round trip.
 */
export function keyedHashPads(purpose: string): Pads {
  let hmacPads = pads.get(purpose);
  if (!hmacPads) {
    const key = Buffer.concat([deriveKey(purpose), Buffer.alloc(32)]);
    const pad = (mask: number) => Buffer.from(key.map((byte) => byte ^ mask));
    hmacPads = { inner: pad(0x36), outer: pad(0x5c) };
    pads.set(purpose, hmacPads);
  }
  return hmacPads;
}

/** Returns 32 random bytes as base64url, for links in emails, tokens and cookies. */
export function generateSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Hashes a random secret for storage; its entropy suffices for a plain hash. */
export function hashSecret(value: string): Buffer {
  return createHash('sha256').update(value).digest();
}

function sealingKey(purpose: string): KeyObject {
  let key = sealingKeys.get(purpose);
  if (!key) {
    key = createSecretKey(deriveKey(purpose));
    sealingKeys.set(purpose, key);
  }
  return key;
}

/** Encrypts with AES-256-GCM: 12-byte nonce, 16-byte tag, then the ciphertext. */
export function seal(purpose: string, plainText: string): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', sealingKey(purpose), nonce);
  const body = Buffer.concat([cipher.update(plainText, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]);
}

/** Throws if the value was not sealed by this installation for this purpose. */
export function unseal(purpose: string, sealedSecret: Buffer): string {
  const decipher = createDecipheriv(
    'aes-256-gcm',
    sealingKey(purpose),
    sealedSecret.subarray(0, 12),
    {
      // Without this length Node would accept a shorter tag, which is easier to forge.
      authTagLength: 16,
    },
  );
  decipher.setAuthTag(sealedSecret.subarray(12, 28));
  return Buffer.concat([decipher.update(sealedSecret.subarray(28)), decipher.final()]).toString(
    'utf8',
  );
}
