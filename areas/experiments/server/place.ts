// Place of a person by hash. Nothing is random or stored: the assignment is repeatable, and changed
// shares move the fewest people. The same statement in SQL is in place.sql.ts.
import { createHash } from 'node:crypto';
import { PLACES } from '../shared.ts';

/** Place of the person for this salt, 0 to 9,999. */
export function placeOf(salt: string, id: number): number {
  const hash = createHash('sha256').update(`${salt}/${id}`).digest();
  return hash.readUInt32BE(0) % PLACES;
}
