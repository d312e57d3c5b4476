// Computes the place of a subscriber by hash. Nothing is random or stored: the assignment is
// repeatable, and changed shares reassign the fewest subscribers. place.sql.ts has the same
// computation in SQL.
import { createHash } from 'node:crypto';
import { PLACES } from '../shared.ts';

/** Place of the person for this salt, 0 to 9,999. */
export function drawPlace(salt: string, id: number): number {
  const hash = createHash('sha256').update(`${salt}/${id}`).digest();
  return hash.readUInt32BE(0) % PLACES;
}
