// Meaning of a relay reply for the ledger: the recipient's state, and the time of the next attempt.
// Only faults of the recipient, its domain or the message count as a strike; faults of the relay or
// the connection are retried soon and never fail a recipient. A refused sender pauses a message
// with an audience without failing anyone; a single email fails if the refusal lasts for days.
import type { Answer } from '../relays/provider.ts';
import { isHard } from '../feedback/classification.ts';
import { causeIn } from '../feedback/diagnostic-phrases.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Waits after the first strike, the second …; the last one repeats. */
const WAITS = [MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 4 * HOUR];
/** RFC 5321 4.5.4.1 recommends four to five days for a queue; a campaign is outdated sooner. */
const MAX_AGE_MS = 72 * HOUR;
/** The same for a mailbox provider that requests a lower rate; its lane paces new handoffs. */
const DOMAIN_WAITS = [10 * SECOND, ...WAITS];
/**
 * The relay itself is paced after a deferral: this only spreads the retries, wider over time, so
 * that a week of refusals causes a few hundred attempts.
 */
const RELAY_WAIT = 10 * SECOND;
const RELAY_WAIT_SHARE = 0.01;
const MAX_RELAY_WAIT = 15 * MINUTE;
/**
 * A relay that refuses a sender is not paced, and single sends go first: many retries would block
 * it for all others.
 */
const SENDER_WAIT = 5 * MINUTE;
/**
 * A single send that may have arrived is sent again with the same Message-ID; the limit keeps a
 * relay that accepts each copy without a reply from repeating the email forever.
 */
const MAX_UNKNOWN_STRIKES = 3;
const UNKNOWN_MAX_AGE_MS = HOUR;

export type Verdict = {
  state: 'accepted' | 'deferred' | 'failed' | 'skipped' | 'unknown';
  strikes: number;
  /** Present with `deferred` only. */
  nextAttemptAt: Date | null;
  reason: string | null;
  /** The relay refuses the sender: a message with an audience is paused. */
  refusesSender: boolean;
  /** The address does not exist: the subscriber has bounced. */
  isPerson: boolean;
};

export type Attempt = {
  strikes: number;
  firstAt: Date;
  isSingle: boolean;
  /** Mail systems may drop a duplicate by its Message-ID; SMS providers never do. */
  isText?: boolean;
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
  // Held back by a limit of our own: not an attempt.
  const hasOwnDelay = answer.retryInMs !== undefined;
  if (hasOwnDelay || !(isOwn || answer.about === 'domain')) {
    const wait = answer.retryInMs ?? relayWait(now.getTime() - attempt.firstAt.getTime());
    return { ...later(now, wait), reason: answer.about };
  }
  const strikes = attempt.strikes + 1;
  // The first refusal may follow days of waiting for the relay: there is at least one more attempt.
  if (strikes > 1 && now.getTime() - attempt.firstAt.getTime() > MAX_AGE_MS) {
    return { state: 'failed' as const, strikes, reason: 'gave_up' };
  }
  const wait = waits[Math.min(strikes, waits.length) - 1] as number;
  return { ...later(now, wait), strikes, reason: answer.about };
}

/** A single send has no owner who resumes it: it is retried automatically until it is outdated. */
export function senderRefused(
  { isSingle, firstAt }: Pick<Attempt, 'isSingle' | 'firstAt'>,
  now: Date,
) {
  if (!isSingle) return later(now, 0);
  const age = now.getTime() - firstAt.getTime();
  if (age > MAX_AGE_MS) return { state: 'failed' as const };
  return later(now, Math.max(SENDER_WAIT, relayWait(age)));
}

/** The first retry happens however long the copy waited before. */
function unknown({ isSingle, isText, strikes: before, firstAt }: Attempt, now: Date) {
  const strikes = before + 1;
  const isLate = strikes > 1 && now.getTime() - firstAt.getTime() > UNKNOWN_MAX_AGE_MS;
  if (!isSingle || isText || strikes >= MAX_UNKNOWN_STRIKES || isLate) {
    return { state: 'unknown' as const, strikes, reason: 'connection' };
  }
  return { ...later(now, WAITS[strikes - 1] as number), strikes, reason: 'unknown' };
}

function relayWait(age: number): number {
  return Math.min(MAX_RELAY_WAIT, Math.max(RELAY_WAIT, age * RELAY_WAIT_SHARE));
}

/** Spreads by a third, so that simultaneous deferrals do not return at the same time. */
function later(now: Date, wait: number) {
  const at = new Date(now.getTime() + Math.round(wait * (1 + (Math.random() - 0.5) / 3)));
  return { state: 'deferred' as const, nextAttemptAt: at };
}

/**
 * Whether the reply means that the mailbox does not exist, by the table of classification.ts, as
 * for later bounce reports.
 */
function isUnknownRecipient(answer: Answer): boolean {
  const { enhanced, code, reply, text } = answer;
  if (text) return text.isUnknownRecipient === true;
  // A reply to RCPT concerns that address, whatever its code is.
  if (answer.at === 'rcpt' && enhanced !== '' && isHard(enhanced, reply)) return true;
  if (answer.about !== 'recipient') return false;
  if (enhanced !== '') return isHard(enhanced, reply);
  // The usual refusals of RCPT concern the mailbox, unless the text indicates another reason.
  if (answer.at !== 'rcpt' || (code !== 550 && code !== 551 && code !== 553)) return false;
  const cause = causeIn(reply);
  return cause === undefined || cause === 'person';
}
