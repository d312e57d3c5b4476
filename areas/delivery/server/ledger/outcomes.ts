// Decides what a relay's reply means for the ledger: the recipient's state, and the time of the
// next attempt. Problems with the recipient, the domain or the message count as strikes, and so do
// unknown outcomes. Other failures of the relay or the connection are retried soon and never fail a
// recipient. If the sender is refused, a message with an audience is paused and no recipient fails;
// a single send fails if the refusal lasts for days.
import type { HandoffResult } from '../relays/provider.ts';
import { isHard } from '../feedback/classification.ts';
import { findCause } from '../feedback/diagnostic-phrases.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Wait after each strike; the last value applies to all later strikes. */
const WAITS = [MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 4 * HOUR];
/**
 * Age of a deferred copy from which the next strike makes it fail. RFC 5321 4.5.4.1 recommends four
 * to five days; a campaign is outdated sooner.
 */
const MAX_AGE_MS = 72 * HOUR;
/**
 * Waits if a mailbox provider requests a lower rate. The first wait is short because the request
 * also slows down new handoffs of the provider's lane.
 */
const DOMAIN_WAITS = [10 * SECOND, ...WAITS];
/**
 * Minimum wait after a failure of the relay. It is short because a faulty relay is slowed down
 * anyway. The wait grows with the age of the copy, so that a week of failures causes about 1,100
 * attempts.
 */
const RELAY_WAIT = 10 * SECOND;
const RELAY_WAIT_SHARE = 0.01;
const MAX_RELAY_WAIT = 15 * MINUTE;
/**
 * Minimum wait of a single send whose sender was refused. Such a relay is not slowed down and
 * single sends precede all others, so frequent retries would block it.
 */
const SENDER_WAIT = 5 * MINUTE;
/**
 * Number of strikes, of any kind, at which an attempt with an unknown outcome is final for an email
 * that is a single send. Until then, the email is sent again with the same Message-ID; the limit
 * matters if a relay accepts each attempt but never replies.
 */
const MAX_UNKNOWN_STRIKES = 3;
const UNKNOWN_MAX_AGE_MS = HOUR;

export type AttemptVerdict = {
  state: 'accepted' | 'deferred' | 'failed' | 'skipped' | 'unknown';
  strikes: number;
  /** Set if the state is `deferred`, otherwise null. */
  nextAttemptAt: Date | null;
  reason: string | null;
  /** Whether the relay refuses the sender, so that a message with an audience is paused. */
  isSenderRefused: boolean;
  /** Whether the address does not exist, so that the subscriber is marked as bounced. */
  isUnknownRecipient: boolean;
};

export type AttemptContext = {
  strikes: number;
  firstAt: Date;
  isSingle: boolean;
  /** Whether it is an SMS. A duplicate SMS has no Message-ID that identifies it. */
  isSms?: boolean;
};

export function computeVerdict(
  attempt: AttemptContext,
  result: HandoffResult,
  now: Date,
): AttemptVerdict {
  const verdict: AttemptVerdict = {
    state: 'accepted',
    strikes: attempt.strikes,
    nextAttemptAt: null,
    reason: null,
    isSenderRefused: false,
    isUnknownRecipient: false,
  };
  switch (result.outcome) {
    case 'accepted':
      return verdict;
    case 'failed': {
      const isUnknown = isUnknownRecipient(result);
      const reason = isUnknown ? 'recipient' : result.scope;
      return { ...verdict, state: 'failed', reason, isUnknownRecipient: isUnknown };
    }
    case 'unknown':
      return { ...verdict, ...unknownVerdict(attempt, now) };
    case 'relay_refused':
      return {
        ...verdict,
        ...senderRefusedVerdict(attempt, now),
        reason: 'sender_refused',
        isSenderRefused: true,
      };
    case 'deferred':
      return { ...verdict, ...deferredVerdict(attempt, result, now) };
  }
}

function deferredVerdict(attempt: AttemptContext, result: HandoffResult, now: Date) {
  const waits = result.scope === 'domain' ? DOMAIN_WAITS : WAITS;
  const isOwn = result.scope === 'recipient' || result.scope === 'message';
  // A delay by one of our own limits is not a strike.
  const hasOwnDelay = result.retryInMs !== undefined;
  if (hasOwnDelay || !(isOwn || result.scope === 'domain')) {
    const wait = result.retryInMs ?? relayWait(now.getTime() - attempt.firstAt.getTime());
    return { ...deferBy(now, wait), reason: result.scope };
  }
  const strikes = attempt.strikes + 1;
  // After a first strike there is always another attempt, even if the copy waited for days before.
  if (strikes > 1 && now.getTime() - attempt.firstAt.getTime() > MAX_AGE_MS) {
    return { state: 'failed' as const, strikes, reason: 'gave_up' };
  }
  const wait = waits[Math.min(strikes, waits.length) - 1] as number;
  return { ...deferBy(now, wait), strikes, reason: result.scope };
}

/**
 * Defers the copy. A single send, which no owner resumes, is retried until it is outdated, and then
 * fails.
 */
export function senderRefusedVerdict(
  { isSingle, firstAt }: Pick<AttemptContext, 'isSingle' | 'firstAt'>,
  now: Date,
) {
  if (!isSingle) return deferBy(now, 0);
  const age = now.getTime() - firstAt.getTime();
  if (age > MAX_AGE_MS) return { state: 'failed' as const };
  return deferBy(now, Math.max(SENDER_WAIT, relayWait(age)));
}

/**
 * An email that is a single send is retried unless it has too many strikes or is too old. Its age
 * does not count at its first strike.
 */
function unknownVerdict({ isSingle, isSms, strikes: before, firstAt }: AttemptContext, now: Date) {
  const strikes = before + 1;
  const isLate = strikes > 1 && now.getTime() - firstAt.getTime() > UNKNOWN_MAX_AGE_MS;
  if (!isSingle || isSms || strikes >= MAX_UNKNOWN_STRIKES || isLate) {
    return { state: 'unknown' as const, strikes, reason: 'connection' };
  }
  return { ...deferBy(now, WAITS[strikes - 1] as number), strikes, reason: 'unknown' };
}

function relayWait(age: number): number {
  return Math.min(MAX_RELAY_WAIT, Math.max(RELAY_WAIT, age * RELAY_WAIT_SHARE));
}

/**
 * Varies the wait by a sixth in both directions, so that simultaneous deferrals do not return
 * together.
 */
function deferBy(now: Date, wait: number) {
  const nextAttemptAt = new Date(
    now.getTime() + Math.round(wait * (1 + (Math.random() - 0.5) / 3)),
  );
  return { state: 'deferred' as const, nextAttemptAt };
}

/**
 * Returns whether the reply means that the mailbox does not exist, using the rules that
 * classification.ts applies to later bounce reports.
 */
function isUnknownRecipient(result: HandoffResult): boolean {
  const { enhancedCode, code, reply, sms } = result;
  if (sms) return sms.isUnknownRecipient === true;
  // A reply to RCPT concerns the address, regardless of `scope`.
  if (result.step === 'rcpt' && enhancedCode !== '' && isHard(enhancedCode, reply)) return true;
  if (result.scope !== 'recipient') return false;
  if (enhancedCode !== '') return isHard(enhancedCode, reply);
  // Without an enhanced code, the usual refusals of RCPT concern the mailbox, unless the text
  // states another reason.
  if (result.step !== 'rcpt' || (code !== 550 && code !== 551 && code !== 553)) return false;
  const cause = findCause(reply);
  return cause === undefined || cause === 'person';
}
