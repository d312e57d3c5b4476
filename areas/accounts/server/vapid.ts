// The VAPID key of this installation (RFC 8292). It is derived from SECRET like every other key, so
// nothing is stored, and a restored installation has the same key.
import { createECDH } from 'node:crypto';
import { deriveKey } from '#platform/server/secrets.ts';

const CURVE = 'prime256v1';

export type VapidKeys = { publicKey: string; privateKey: string };

/** Returns the keys in base64url. */
export function deriveVapidKeys(): VapidKeys {
  const pair = createECDH(CURVE);
  // About one derived scalar in four billion exceeds the curve order; the next one is used instead.
  for (let attempt = 1; ; attempt += 1) {
    try {
      const scalar = deriveKey(`web push ${attempt}`);
      pair.setPrivateKey(scalar);
      return {
        publicKey: pair.getPublicKey('base64url', 'uncompressed'),
        privateKey: scalar.toString('base64url'),
      };
    } catch (error) {
      if (attempt === 10) throw error;
    }
  }
}

/**
 * Returns whether the key can be used for encryption: it must be a point of the curve, in the
 * encoding that browsers use.
 */
export function isPushKey(p256dh: string): boolean {
  const point = Buffer.from(p256dh, 'base64url');
  if (point.length !== 65 || point[0] !== 4) return false;
  try {
    const keyPair = createECDH(CURVE);
    keyPair.generateKeys();
    keyPair.computeSecret(point);
    return true;
  } catch {
    return false;
  }
}
