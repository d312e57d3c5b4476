// Computes the bucket of a subscriber by hash. Nothing is random or stored: the assignment is
// repeatable, and a change of shares reassigns as few subscribers as possible. bucket.sql.ts has
// the same computation in SQL.
import { createHash } from 'node:crypto';
import { BUCKET_COUNT } from '../shared.ts';

/** Computes the subscriber's bucket for this salt, from 0 to 9,999. */
export function computeBucket(salt: string, id: number): number {
  const hash = createHash('sha256').update(`${salt}/${id}`).digest();
  return hash.readUInt32BE(0) % BUCKET_COUNT;
}
