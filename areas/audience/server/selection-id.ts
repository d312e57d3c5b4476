// Identifies a selection of subscribers by a keyed hash. Ended approval requests may keep the hash:
// without the installation's key, guessed addresses cannot be compared with it.
import { computeKeyedHash } from '#platform/server/secrets.ts';

const HEX_DIGITS = 12;

export const hashSelection = (selection: object): Buffer =>
  computeKeyedHash('selection to delete', JSON.stringify(selection));

/** Returns the first 48 bits of the hash, as a number that `encodeId` accepts. */
export const createSelectionId = (selection: object): number =>
  Number.parseInt(hashSelection(selection).toString('hex').slice(0, HEX_DIGITS), 16);
