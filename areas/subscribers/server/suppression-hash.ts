// Hashes of the suppression list, which replace addresses: a keyed hash of the lower-case address
// or the number in E.164, so that an entry can outlast the subscriber without showing the address.
import { computeKeyedHash, keyedHashPads } from '#platform/server/secrets.ts';

const PURPOSE = 'suppressed addresses';

export function suppressionHash(addressKey: string): Buffer {
  return computeKeyedHash(PURPOSE, addressKey);
}

/**
 * Returns the pads for computing the same hash in SQL: `sha256(outer || sha256(inner ||
 * convert_to(email_key, 'UTF8')))`.
 */
export function suppressionHashPads(): { inner: Buffer; outer: Buffer } {
  return keyedHashPads(PURPOSE);
}
