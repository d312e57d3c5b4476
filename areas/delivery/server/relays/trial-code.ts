// Classifies the result of a relay test by its final reply, to show the owner the cause in plain
// terms.
import type { TrialCode } from '../../relay-limits.ts';
import type { HandoffResult } from './provider.ts';

/** Matches our own errors and OpenSSL's about a connection that could not be encrypted. */
const ENCRYPTION = /\bSTARTTLS\b|\bencryption\b|\bSSL\b|\bTLS\b|EPROTO|wrong version number/i;
/** HTTP status codes that show that the server is not the provider's API. */
const NOT_THERE = new Set([200, 201, 202, 204, 301, 302, 303, 307, 308, 404, 405]);
const SIGN_IN_CODES = new Set([530, 534, 535, 538]);

export function findTrialCode(result: HandoffResult): TrialCode {
  if (result.outcome === 'accepted') return 'accepted';
  return result.code === 0 ? withoutAnswer(result) : withAnswer(result);
}

/** Classifies a failure without a reply, caused by the network or on our side. */
function withoutAnswer({ outcome, step, reply }: HandoffResult): TrialCode {
  // A request is refused without a reply if the key has characters that no header may contain.
  if (step === 'request' && outcome === 'relay_refused') return 'sign_in';
  if (/certificate|altnames/i.test(reply)) return 'certificate';
  if (ENCRYPTION.test(reply)) return 'encryption';
  if (step === 'auth') return 'sign_in';
  if (step === 'banner' || step === 'ehlo') return 'no_server';
  return step === 'connect' || step === 'request' ? 'unreachable' : 'refused';
}

function withAnswer({ outcome, scope, step, code }: HandoffResult): TrialCode {
  if (step === 'request' && scope === 'relay' && NOT_THERE.has(code)) return 'no_server';
  const isKey = step === 'request' && scope === 'relay' && outcome === 'relay_refused';
  if (SIGN_IN_CODES.has(code) || isKey || (step === 'auth' && code >= 500)) return 'sign_in';
  if (outcome === 'deferred' || outcome === 'unknown') return 'busy';
  if (outcome === 'relay_refused') return scope === 'relay' ? 'relaying' : 'sender';
  return scope === 'recipient' ? 'recipient' : 'refused';
}
