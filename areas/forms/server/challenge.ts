// The proof of work that a browser computes before it may submit a form (ALTCHA): signed by the
// server, valid for ten minutes, and used once.
import { createHash } from 'node:crypto';
import { createChallenge, verifySolution } from 'altcha-lib/v1';
import { clock } from '#platform/server/clock.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { deriveKey } from '#platform/server/secrets.ts';
import { spendProof } from './submissions.sql.ts';

const LASTS_MS = 600_000;
/** About 10,000 hashes on average: half a second on a phone. */
const MAX_NUMBER = 20_000;

const deriveProofKey = () => deriveKey('proofs of forms').toString('hex');

export function createFormChallenge(formId: string) {
  return createChallenge({
    hmacKey: deriveProofKey(),
    maxNumber: MAX_NUMBER,
    expires: new Date(clock.now().getTime() + LASTS_MS),
    params: { form: formId },
  });
}

/**
 * Checks a proof and marks it as used if valid. Returns whether it is correct, made for this form,
 * not expired, and used for the first time.
 */
export async function consumeProof(db: Reader, payload: string, formId: string): Promise<boolean> {
  if (payload.length === 0 || payload.length > 2_000) return false;
  try {
    const { salt, challenge } = JSON.parse(Buffer.from(payload, 'base64').toString('utf8')) as {
      salt?: unknown;
      challenge?: unknown;
    };
    if (typeof salt !== 'string' || typeof challenge !== 'string') return false;
    const params = new URLSearchParams(salt.slice(salt.indexOf('?') + 1));
    if (params.get('form') !== formId) return false;
    const expires = Number(params.get('expires')) * 1000;
    if (!(expires > clock.now().getTime())) return false;
    if (!(await verifySolution(payload, deriveProofKey(), false))) return false;
    // Keyed by the challenge, not by the encoded solution, which can be written in many ways.
    return spendProof(db, createHash('sha256').update(challenge).digest(), new Date(expires));
  } catch {
    return false;
  }
}
