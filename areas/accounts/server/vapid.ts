// The VAPID key of this installation (RFC 8292). It is derived from SECRET like every other key:
// nothing is stored, and a restore yields the same key.
import { createECDH } from 'node:crypto';
import { derivedKey } from '#platform/server/secrets.ts';

const CURVE = 'prime256v1';

export type VapidKeys = { publicKey: string; privateKey: string };

/** Both as base64url. */
export function vapidKeys(): VapidKeys {
  const pair = createECDH(CURVE);
  // One of about four billion derived numbers exceeds the curve's order; then the next one is used.
  for (let round = 1; ; round += 1) {
    try {
      const scalar = derivedKey(`web push ${round}`);
      pair.setPrivateKey(scalar);
      return {
        publicKey: pair.getPublicKey('base64url', 'uncompressed'),
        privateKey: scalar.toString('base64url'),
      };
    } catch (error) {
      if (round === 10) throw error;
    }
  }
}

/**
 * Whether the key can be used for encryption: a point of the curve, in the encoding of browsers.
 */
export function isPushKey(p256dh: string): boolean {
  const point = Buffer.from(p256dh, 'base64url');
  if (point.length !== 65 || point[0] !== 4) return false;
  try {
    const own = createECDH(CURVE);
    own.generateKeys();
    own.computeSecret(point);
    return true;
  } catch {
    return false;
  }
}
