// What an answer of the relay means for the ledger: the recipient's state, and when it is tried again.
//
// Only what is the recipient's, its domain's or the message's own matter counts as a strike against it;
// what the relay or the connection did is tried again soon, and never fails anybody. A refusal of the sender
// pauses a message with an audience and judges nobody; a single mail has failed where it lasts for days.
import type { Answer } from '../relays/provider.ts';
import { isHard } from '../feedback/classification.ts';
import { causeIn } from '../feedback/diagnostic-words.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** Waits after the first strike, the second …; the last one repeats. */
const WAITS = [MINUTE, 5 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 4 * HOUR];
/** RFC 5321 4.5.4.1 asks for four to five days of a queue; a mailing is stale before. */
const GIVE_UP_AFTER = 72 * HOUR;
/** The same where a mailbox provider wants it slower, and its lane paces what has not begun. */
const DOMAIN_WAITS = [10 * SECOND, ...WAITS];
/**
 * The relay itself paces what it wants later: this only spreads its return, wider the longer it lasts, so
 * that a week of refusals is some hundreds of attempts.
 */
const RELAY_WAIT = 10 * SECOND;
const RELAY_WAIT_SHARE = 0.01;
const LONGEST_RELAY_WAIT = 15 * MINUTE;
/** A relay that refuses a sender is not paced, and singles go first: many would keep it from all others. */
const SENDER_WAIT = 5 * MINUTE;
/**
 * A single that may have arrived is sent again, with the same Message-ID; but a relay that takes each copy and
 * never answers must not give somebody the same mail for ever.
 */
const UNKNOWN_MOST_STRIKES = 3;
const UNKNOWN_GIVE_UP_AFTER = HOUR;

export type Verdict = {
  state: 'accepted' | 'deferred' | 'failed' | 'skipped' | 'unknown';
  strikes: number;
  /** With `deferred` only. */
  nextAttemptAt: Date | null;
  reason: string | null;
  /** The relay refuses the sender: a message with an audience is paused. */
  refusesSender: boolean;
  /** The address is not one: the person has bounced. */
  isPerson: boolean;
};

export type Attempt = {
  strikes: number;
  firstAt: Date;
  isSingle: boolean;
  /** A second mail is known by its Message-ID; no provider of texts drops one. */
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
      const isPerson = isNobody(answer);
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
  // Held back by a limit of ours: no attempt at all.
  const isHeld = answer.retryInMs !== undefined;
  if (isHeld || !(isOwn || answer.about === 'domain')) {
    const wait = answer.retryInMs ?? relayWait(now.getTime() - attempt.firstAt.getTime());
    return { ...later(now, wait), reason: answer.about };
  }
  const strikes = attempt.strikes + 1;
  // The first refusal may come after days of waiting for the relay: it is tried once more, at least.
  if (strikes > 1 && now.getTime() - attempt.firstAt.getTime() > GIVE_UP_AFTER) {
    return { state: 'failed' as const, strikes, reason: 'gave_up' };
  }
  const wait = waits[Math.min(strikes, waits.length) - 1] as number;
  return { ...later(now, wait), strikes, reason: answer.about };
}

/** A single has nobody who lets it go on: it comes back by itself, until it is stale. */
export function senderRefused(
  { isSingle, firstAt }: Pick<Attempt, 'isSingle' | 'firstAt'>,
  now: Date,
) {
  if (!isSingle) return later(now, 0);
  const age = now.getTime() - firstAt.getTime();
  if (age > GIVE_UP_AFTER) return { state: 'failed' as const };
  return later(now, Math.max(SENDER_WAIT, relayWait(age)));
}

/** The first repeat is due however long it waited before. */
function unknown({ isSingle, isText, strikes: before, firstAt }: Attempt, now: Date) {
  const strikes = before + 1;
  const isLate = strikes > 1 && now.getTime() - firstAt.getTime() > UNKNOWN_GIVE_UP_AFTER;
  if (!isSingle || isText || strikes >= UNKNOWN_MOST_STRIKES || isLate) {
    return { state: 'unknown' as const, strikes, reason: 'connection' };
  }
  return { ...later(now, WAITS[strikes - 1] as number), strikes, reason: 'unknown' };
}

function relayWait(age: number): number {
  return Math.min(LONGEST_RELAY_WAIT, Math.max(RELAY_WAIT, age * RELAY_WAIT_SHARE));
}

/** Spread by a third, so that those who came together do not come back together. */
function later(now: Date, wait: number) {
  const at = new Date(now.getTime() + Math.round(wait * (1 + (Math.random() - 0.5) / 3)));
  return { state: 'deferred' as const, nextAttemptAt: at };
}

/** By the table of classification.ts, as reports that come back later are. */
function isNobody(answer: Answer): boolean {
  const { enhanced, code, reply, text } = answer;
  if (text) return text.isNobody === true;
  // What RCPT is answered with concerns the one address, whatever its code speaks of.
  if (answer.at === 'rcpt' && enhanced !== '' && isHard(enhanced, reply)) return true;
  if (answer.about !== 'recipient') return false;
  if (enhanced !== '') return isHard(enhanced, reply);
  // RCPT's classic refusals mean the mailbox, unless the words say otherwise.
  if (answer.at !== 'rcpt' || (code !== 550 && code !== 551 && code !== 553)) return false;
  const cause = causeIn(reply);
  return cause === undefined || cause === 'person';
}
