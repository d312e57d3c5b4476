// The suppression list contains keyed hashes instead of addresses, so that an entry can outlast the
// subscriber without revealing the address. The hash is of the lower-case email address or of the
// phone number in E.164.
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
