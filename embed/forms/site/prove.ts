// The proof of work against bots (ALTCHA): finds the number that, hashed with the salt (SHA-256),
// equals the challenge. It works in 8 ms slices to keep the page responsive.
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
