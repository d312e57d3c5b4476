// Decides what a relay's reply means for the ledger: the recipient's state, and the time of the
// next attempt. Only faults of the recipient, the domain or the message count as strikes; faults of
// the relay or the connection are retried soon and never fail a recipient. If the sender is
// refused, a message with an audience is paused and no recipient fails; a single send fails if the
// refusal lasts for days.
import type { Answer } from '../relays/provider.ts';
import { isHard } from '../feedback/classification.ts';
import { findCause } from '../feedback/diagnostic-phrases.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Wait after each strike; from the last one on, the wait stays the same. */
const WAITS = [MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 4 * HOUR];
/**
 * Time after which deferred copies fail. RFC 5321 4.5.4.1 recommends four to five days; a campaign
 * is outdated sooner.
 */
const MAX_AGE_MS = 72 * HOUR;
/**
 * Waits if a mailbox provider requests a lower rate, which also slows down new handoffs of its
 * lane.
 */
const DOMAIN_WAITS = [10 * SECOND, ...WAITS];
/**
 * Minimum wait after a fault of the relay. It is short, since a faulty relay is slowed down anyway.
 * The wait grows with the age of the copy, so that a week of failures causes about 1,100 attempts.
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
 * Maximum number of attempts with an unknown outcome of a single email. The email is sent again
 * with the same Message-ID; the limit matters if a relay accepts each attempt but never replies.
 */
const MAX_UNKNOWN_STRIKES = 3;
const UNKNOWN_MAX_AGE_MS = HOUR;

export type Verdict = {
  state: 'accepted' | 'deferred' | 'failed' | 'skipped' | 'unknown';
  strikes: number;
  /** Set if the state is `deferred`, otherwise null. */
  nextAttemptAt: Date | null;
  reason: string | null;
  /** Whether the relay refuses the sender, so that a message with an audience is paused. */
  refusesSender: boolean;
  /** Whether the address does not exist, so that the subscriber is marked as bounced. */
  isPerson: boolean;
};

export type Attempt = {
  strikes: number;
  firstAt: Date;
  isSingle: boolean;
  /** Whether it is an SMS. A duplicate SMS has no Message-ID by which it could be recognized. */
  isSms?: boolean;
};

export function verdictOf(attempt: Attempt, answer: Answer, now: Date): Verdict {
  const verdict: Verdict = {
    state: 'accepted',
    strikes: attempt.strikes,
    nextAttemptAt: null,
    reason: null,
    refusesSender: false,
    isPerson: false,
  };
  switch (answer.outcome) {
    case 'accepted':
      return verdict;
    case 'failed': {
      const isPerson = isUnknownRecipient(answer);
      const reason = isPerson ? 'recipient' : answer.about;
      return { ...verdict, state: 'failed', reason, isPerson };
    }
    case 'unknown':
      return { ...verdict, ...unknown(attempt, now) };
    case 'relay_refused':
      return {
        ...verdict,
        ...senderRefused(attempt, now),
        reason: 'sender_refused',
        refusesSender: true,
      };
    case 'deferred':
      return { ...verdict, ...deferred(attempt, answer, now) };
  }
}

function deferred(attempt: Attempt, answer: Answer, now: Date) {
  const waits = answer.about === 'domain' ? DOMAIN_WAITS : WAITS;
  const isOwn = answer.about === 'recipient' || answer.about === 'message';
  // A delay by one of our own limits is no strike.
  const hasOwnDelay = answer.retryInMs !== undefined;
  if (hasOwnDelay || !(isOwn || answer.about === 'domain')) {
    const wait = answer.retryInMs ?? relayWait(now.getTime() - attempt.firstAt.getTime());
    return { ...later(now, wait), reason: answer.about };
  }
  const strikes = attempt.strikes + 1;
  // After a first strike there is always another attempt, even if the copy waited for days before.
  if (strikes > 1 && now.getTime() - attempt.firstAt.getTime() > MAX_AGE_MS) {
    return { state: 'failed' as const, strikes, reason: 'gave_up' };
  }
  const wait = waits[Math.min(strikes, waits.length) - 1] as number;
  return { ...later(now, wait), strikes, reason: answer.about };
}

/**
 * Defers the copy. A single send, which no owner resumes, is retried until it is outdated, and then
 * fails.
 */
export function senderRefused(
  { isSingle, firstAt }: Pick<Attempt, 'isSingle' | 'firstAt'>,
  now: Date,
) {
  if (!isSingle) return later(now, 0);
  const age = now.getTime() - firstAt.getTime();
  if (age > MAX_AGE_MS) return { state: 'failed' as const };
  return later(now, Math.max(SENDER_WAIT, relayWait(age)));
}

/** A single email of unknown outcome is retried at least once, even after a long wait. */
function unknown({ isSingle, isSms, strikes: before, firstAt }: Attempt, now: Date) {
  const strikes = before + 1;
  const isLate = strikes > 1 && now.getTime() - firstAt.getTime() > UNKNOWN_MAX_AGE_MS;
  if (!isSingle || isSms || strikes >= MAX_UNKNOWN_STRIKES || isLate) {
    return { state: 'unknown' as const, strikes, reason: 'connection' };
  }
  return { ...later(now, WAITS[strikes - 1] as number), strikes, reason: 'unknown' };
}

function relayWait(age: number): number {
  return Math.min(MAX_RELAY_WAIT, Math.max(RELAY_WAIT, age * RELAY_WAIT_SHARE));
}

/**
 * Varies the wait by a sixth in both directions, so that simultaneous deferrals do not return at
 * once.
 */
function later(now: Date, wait: number) {
  const at = new Date(now.getTime() + Math.round(wait * (1 + (Math.random() - 0.5) / 3)));
  return { state: 'deferred' as const, nextAttemptAt: at };
}

/**
 * Whether the reply means that the mailbox does not exist, as classification.ts decides for later
 * bounce reports as well.
 */
function isUnknownRecipient(answer: Answer): boolean {
  const { enhanced, code, reply, text } = answer;
  if (text) return text.isUnknownRecipient === true;
  // A reply to RCPT concerns the address, regardless of `about`.
  if (answer.at === 'rcpt' && enhanced !== '' && isHard(enhanced, reply)) return true;
  if (answer.about !== 'recipient') return false;
  if (enhanced !== '') return isHard(enhanced, reply);
  // Without an enhanced code, the usual refusals of RCPT concern the mailbox, unless the text
  // states another reason.
  if (answer.at !== 'rcpt' || (code !== 550 && code !== 551 && code !== 553)) return false;
  const cause = findCause(reply);
  return cause === undefined || cause === 'person';
}
