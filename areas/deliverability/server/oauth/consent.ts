// The sealed state of an OAuth consent. A user is redirected to the consent page of a service with
// the state and returns with it. The state binds the response to a purpose, and to the user and
// account that started the consent. It also contains the PKCE verifier, which the browser only gets
// sealed.
import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { clock } from '#platform/server/clock.ts';
import type { Actor } from '#platform/server/http/serve.ts';
import { seal, unseal } from '#platform/server/secrets.ts';

const CONSENT_MS = 15 * 60_000;

const State = z.object({
  accountId: z.number(),
  userId: z.number(),
  verifier: z.string(),
  expires: z.number(),
  details: z.record(z.string(), z.string()).default({}),
});

export function createConsent(
  purpose: string,
  { accountId, userId }: Actor,
  details: Record<string, string> = {},
): { state: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url');
  const expires = clock.now().getTime() + CONSENT_MS;
  const state = seal(purpose, JSON.stringify({ accountId, userId, verifier, expires, details }));
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  return { state: state.toString('base64url'), challenge };
}

/**
 * Opens the state. Returns undefined if it is invalid, belongs to another user, account or purpose,
 * or is older than 15 minutes.
 */
export function verifyConsentState(
  purpose: string,
  caller: Actor,
  state: string,
): { verifier: string; details: Record<string, string> } | undefined {
  const unsealed = unsealState(purpose, state);
  const isOfCaller = unsealed?.accountId === caller.accountId && unsealed.userId === caller.userId;
  return unsealed && isOfCaller && unsealed.expires >= clock.now().getTime() ? unsealed : undefined;
}

function unsealState(purpose: string, state: string): z.infer<typeof State> | undefined {
  try {
    return State.parse(JSON.parse(unseal(purpose, Buffer.from(state, 'base64url'))));
  } catch {
    return undefined;
  }
}
