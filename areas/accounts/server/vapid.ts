// The key by which push services know this installation (RFC 8292). It comes out of the SECRET as every other
// key does: nothing of it is kept, and it is the same again after a restore.
import { createECDH } from 'node:crypto';
import { derivedKey } from '#platform/server/secrets.ts';

const CURVE = 'prime256v1';

export type VapidKeys = { publicKey: string; privateKey: string };

/** Both as base64url. */
export function vapidKeys(): VapidKeys {
  const pair = createECDH(CURVE);
  // One of four thousand million derived numbers is above the curve's order: then the next is taken.
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

/** Whether something can be sealed for this key: a point of the curve, as browsers write it. */
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
