// What stands in the suppression list in an address's place: a keyed hash of its key (the address
// in lower case, or the number in E.164), so that the list outlives the person without naming them.
import { keyedHash, keyedHashPads } from '#platform/server/secrets.ts';

const PURPOSE = 'suppressed addresses';

export function suppressionHash(addressKey: string): Buffer {
  return keyedHash(PURPOSE, addressKey);
}

/** For SQL: `sha256(outer || sha256(inner || convert_to(email_key, 'UTF8')))` is the same hash. */
export function suppressionHashPads(): { inner: Buffer; outer: Buffer } {
  return keyedHashPads(PURPOSE);
}
