// Results on their way into the ledger: columns, counts and deferrals.
import { FIRST_HOST, MAILBOXES, mailboxOf } from '#areas/subscribers/shared.ts';
import type { LaneChange } from './lane-counts.sql.ts';
import type { Counts } from './messages.sql.ts';
import type { Verdict } from './outcomes.ts';
import type { Answer } from '../relays/provider.ts';
import { AnswerColumns, type Deferral } from './results.sql.ts';
import type { Sending } from '../sender/sending.ts';

export type Answered = {
  readonly sending: Sending;
  readonly answer: Answer | null;
  readonly verdict: Verdict;
  /**
   * The attempt was settled as unknown in the meantime, so its recipient no longer counts as
   * deferred.
   */
  readonly wasSettled?: boolean;
};

export const SKIPPED: Verdict = {
  state: 'skipped',
  strikes: 0,
  nextAttemptAt: null,
  reason: null,
  refusesSender: false,
  isPerson: false,
};

export function columnsOf(list: readonly Answered[], relayName: string): AnswerColumns {
  const columns = new AnswerColumns();
  for (const { sending, verdict, answer } of list) {
    const { row } = sending;
    if (row.in === 'singles') continue;
    columns.add(row.lane, row.ordinal, sending.attempt, {
      state: verdict.state,
      code: answer ? codeOf(answer) || null : null,
      reply: answer?.reply || null,
      reason: verdict.reason,
      relay: answer ? (answer.relay ?? relayName) : null,
    });
  }
  return columns;
}

export function resultKey({ sending: { row, attempt } }: Answered): string {
  return row.in === 'singles' ? '' : `${row.lane}/${row.ordinal}/${attempt}`;
}

/** Whether the recipient counted as deferred until now. */
function wasDeferred({ sending: { row } }: Answered): boolean {
  return row.in === 'deferrals' || (row.in === 'singles' && row.isCounted);
}

export function countResults(list: readonly Answered[]): Counts {
  const counts: Counts = { accepted: 0, deferred: 0, failed: 0, skipped: 0, unknown: 0 };
  for (const answered of list) {
    counts[answered.verdict.state]++;
    if (wasDeferred(answered) && !answered.wasSettled) counts.deferred--;
  }
  return counts;
}

/** A limit of our own is not a request of the mailbox provider. */
const isThrottled = ({ verdict, answer }: Answered) =>
  verdict.state === 'deferred' && answer?.about === 'domain' && answer.retryInMs === undefined;

const noChange = (lane: number): LaneChange => ({ lane, accepted: 0, deferred: 0, failed: 0 });

/**
 * The lane of a single send is the mailbox provider of its address, otherwise the host of the
 * subscriber's domain, if it is known.
 * @param subscriberMailbox null without a subscriber, and of SMS
 */
export function laneOfSingle(recipient: string, subscriberMailbox: number | null): number {
  const lane = mailboxOf(recipient.toLowerCase());
  const isHosted = subscriberMailbox !== null && subscriberMailbox >= FIRST_HOST;
  return lane === MAILBOXES.other && isHosted ? subscriberMailbox : lane;
}

/** Counts of these results by lane. */
export function laneChangesOf(list: readonly Answered[]): LaneChange[] {
  const changes = new Map<number, LaneChange>();
  for (const answered of list) {
    const { lane } = answered.sending.row;
    const change = changes.get(lane) ?? noChange(lane);
    changes.set(lane, change);
    const { state } = answered.verdict;
    if (state === 'accepted' || state === 'deferred' || state === 'failed') change[state]++;
    if (wasDeferred(answered) && !answered.wasSettled) change.deferred--;
    if (isThrottled(answered)) change.throttled = (change.throttled ?? 0) + 1;
  }
  const isChange = ({ accepted, deferred, failed, throttled }: LaneChange) =>
    accepted !== 0 || deferred !== 0 || failed !== 0 || throttled !== undefined;
  return [...changes.values()].filter(isChange);
}

/** Changes of the number of deferred recipients: `by` for each of these lanes, which may repeat. */
export function deferredChanges(lanes: readonly number[], by: number): LaneChange[] {
  const changes = new Map<number, LaneChange>();
  for (const lane of lanes) {
    const change = changes.get(lane) ?? noChange(lane);
    changes.set(lane, { ...change, deferred: change.deferred + by });
  }
  return [...changes.values()];
}

export function codeOf(answer: Answer): string {
  return answer.enhanced || String(answer.code || '');
}

export function deferralOf({ sending, verdict }: Answered, at: Date): Deferral {
  const { row } = sending;
  if (row.in === 'singles') throw new Error('A single send has no deferral');
  return {
    lane: row.lane,
    ordinal: row.ordinal,
    attempt: sending.attempt,
    strikes: verdict.strikes,
    reason: verdict.reason ?? 'relay',
    firstAt: row.in === 'deferrals' ? row.firstAt : at,
    nextAttemptAt: verdict.nextAttemptAt ?? at,
  };
}
