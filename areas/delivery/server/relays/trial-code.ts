// What stands in the way of a relay that was tried, from the answer that ended its trial: the owner reads it
// in plain words.
import type { TrialCode } from '../../relay-limits.ts';
import type { Answer } from './provider.ts';

/** Ours and OpenSSL's words for a connection that could not be encrypted. */
const ENCRYPTION = /\bSTARTTLS\b|\bencryption\b|\bSSL\b|\bTLS\b|EPROTO|wrong version number/i;
/** What an HTTP server answers that is another one than was meant. */
const NOT_THERE = new Set([200, 201, 202, 204, 301, 302, 303, 307, 308, 404, 405]);
const SIGN_IN_CODES = new Set([530, 534, 535, 538]);

export function trialCode(answer: Answer): TrialCode {
  if (answer.outcome === 'accepted') return 'accepted';
  return answer.code === 0 ? withoutAnswer(answer) : withAnswer(answer);
}

/** The network, or we ourselves: nobody there has said anything. */
function withoutAnswer({ outcome, at, reply }: Answer): TrialCode {
  // No request could be made with this key.
  if (at === 'request' && outcome === 'relay_refused') return 'sign_in';
  if (/certificate|altnames/i.test(reply)) return 'certificate';
  if (ENCRYPTION.test(reply)) return 'encryption';
  if (at === 'auth') return 'sign_in';
  if (at === 'banner' || at === 'ehlo') return 'no_server';
  return at === 'connect' || at === 'request' ? 'unreachable' : 'refused';
}

function withAnswer({ outcome, about, at, code }: Answer): TrialCode {
  if (at === 'request' && about === 'relay' && NOT_THERE.has(code)) return 'no_server';
  const isKey = at === 'request' && about === 'relay' && outcome === 'relay_refused';
  if (SIGN_IN_CODES.has(code) || isKey || (at === 'auth' && code >= 500)) return 'sign_in';
  if (outcome === 'deferred' || outcome === 'unknown') return 'busy';
  if (outcome === 'relay_refused') return about === 'relay' ? 'relaying' : 'sender';
  return about === 'recipient' ? 'recipient' : 'refused';
}
