// What identifies a selection of subscribers. Without the key of the installation no address can be
// guessed from it, so that it may remain with the ended request.
import { keyedHash } from '#platform/server/secrets.ts';

const HEX_DIGITS = 12;

export const hashOf = (selection: object): Buffer =>
  keyedHash('selection to delete', JSON.stringify(selection));

/** 48 bits of its hash: a number that ids can encode. */
export const numberOf = (selection: object): number =>
  Number.parseInt(hashOf(selection).toString('hex').slice(0, HEX_DIGITS), 16);
