// Identifies a selection of subscribers by a keyed hash. Without the installation's key no address
// can be guessed from it, so that ended requests may keep it.
import { keyedHash } from '#platform/server/secrets.ts';

const HEX_DIGITS = 12;

export const hashOf = (selection: object): Buffer =>
  keyedHash('selection to delete', JSON.stringify(selection));

/** The first 48 bits of the hash, as a number that ids can encode. */
export const numberOf = (selection: object): number =>
  Number.parseInt(hashOf(selection).toString('hex').slice(0, HEX_DIGITS), 16);
