// The proof of work against bots (ALTCHA): finds the number for which the SHA-256 hash of the salt
// and the number is the challenge. It works in slices of 8 ms to keep the page responsive.
import { toJson } from './plain-json.ts';
import { sha256 } from './sha256.ts';

export type Challenge = {
  algorithm: string;
  challenge: string;
  salt: string;
  signature: string;
  maxnumber?: number;
};

/** Returns the payload to submit, in the base64 form that the server's library parses. */
export async function prove(challenge: Challenge): Promise<string> {
  const { salt, challenge: target, maxnumber = 1_000_000 } = challenge;
  let sliceEnds = performance.now() + 8;
  for (let number = 0; number <= maxnumber; number++) {
    if (sha256(salt + number) === target) return btoa(toJson({ ...challenge, number }) ?? '');
    if (performance.now() > sliceEnds) {
      await new Promise((settle) => setTimeout(settle));
      sliceEnds = performance.now() + 8;
    }
  }
  throw new Error('unproven');
}
