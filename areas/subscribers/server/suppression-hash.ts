// The suppression list's replacement of an address: a keyed hash of its key (lower-case address, or
// number in E.164), so that the list remains after the subscriber without personal data.
import { keyedHash, keyedHashPads } from '#platform/server/secrets.ts';

const PURPOSE = 'suppressed addresses';

export function suppressionHash(addressKey: string): Buffer {
  return keyedHash(PURPOSE, addressKey);
}

/**
 * The pads with which SQL computes the same hash: `sha256(outer || sha256(inner ||
 * convert_to(email_key, 'UTF8')))`.
 */
export function suppressionHashPads(): { inner: Buffer; outer: Buffer } {
  return keyedHashPads(PURPOSE);
}
