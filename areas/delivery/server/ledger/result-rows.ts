// Converts results of attempts to what the ledger stores: columns, counts and deferrals.
import { FIRST_HOST, MAILBOXES, getMailbox } from '#areas/subscribers/shared.ts';
import type { LaneChange } from './lane-counts.sql.ts';
import type { DeliveryCounts } from './messages.sql.ts';
import type { AttemptVerdict } from './outcomes.ts';
import type { HandoffResult } from '../relays/provider.ts';
import { ResultColumns, type Deferral } from './results.sql.ts';
import type { LedgerHandoff } from '../sender/sending.ts';

export type AttemptResult = {
  readonly handoff: LedgerHandoff;
  readonly result: HandoffResult | null;
  readonly verdict: AttemptVerdict;
  /**
   * The attempt was settled as unknown before its reply arrived, so its recipient no longer counts
   * as deferred.
   */
  readonly wasSettled?: boolean;
};

export const SKIPPED: AttemptVerdict = {
  state: 'skipped',
  strikes: 0,
  nextAttemptAt: null,
  reason: null,
  isSenderRefused: false,
  isUnknownRecipient: false,
};

export function toResultColumns(list: readonly AttemptResult[], relayName: string): ResultColumns {
  const columns = new ResultColumns();
  for (const { handoff, verdict, result } of list) {
    const { row } = handoff;
    if (row.kind === 'singles') continue;
    columns.add(row.lane, row.ordinal, handoff.attempt, {
      state: verdict.state,
      code: result ? getResultCode(result) || null : null,
      reply: result?.reply || null,
      reason: verdict.reason,
      relay: result ? (result.relay ?? relayName) : null,
    });
  }
  return columns;
}

export function resultKey({ handoff: { row, attempt } }: AttemptResult): string {
  return row.kind === 'singles' ? '' : `${row.lane}/${row.ordinal}/${attempt}`;
}

/** Returns whether the recipient counted as deferred before this result. */
function wasDeferred({ handoff: { row } }: AttemptResult): boolean {
  return row.kind === 'deferrals' || (row.kind === 'singles' && row.wasCountedBefore);
}

export function countResults(list: readonly AttemptResult[]): DeliveryCounts {
  const counts: DeliveryCounts = { accepted: 0, deferred: 0, failed: 0, skipped: 0, unknown: 0 };
  for (const result of list) {
    counts[result.verdict.state]++;
    if (wasDeferred(result) && !result.wasSettled) counts.deferred--;
  }
  return counts;
}

/**
 * Returns true if the mailbox provider requested a lower rate. Results with `retryInMs` come from
 * our own limits and do not count.
 */
const isThrottled = ({ verdict, result }: AttemptResult) =>
  verdict.state === 'deferred' && result?.scope === 'domain' && result.retryInMs === undefined;

const noChange = (lane: number): LaneChange => ({ lane, accepted: 0, deferred: 0, failed: 0 });

/**
 * Returns the lane of a single send: the mailbox provider that its address shows or, if it shows
 * none, the host that was found for the domain of the subscriber.
 * @param subscriberProvider null for SMS, and for sends without a subscriber
 */
export function getSingleLane(recipient: string, subscriberProvider: number | null): number {
  const lane = getMailbox(recipient.toLowerCase());
  const isHosted = subscriberProvider !== null && subscriberProvider >= FIRST_HOST;
  return lane === MAILBOXES.other && isHosted ? subscriberProvider : lane;
}

/** Counts the results by lane; lanes without a change are left out. */
export function countByLane(list: readonly AttemptResult[]): LaneChange[] {
  const changes = new Map<number, LaneChange>();
  for (const result of list) {
    const { lane } = result.handoff.row;
    const change = changes.get(lane) ?? noChange(lane);
    changes.set(lane, change);
    const { state } = result.verdict;
    if (state === 'accepted' || state === 'deferred' || state === 'failed') change[state]++;
    if (wasDeferred(result) && !result.wasSettled) change.deferred--;
    if (isThrottled(result)) change.throttled = (change.throttled ?? 0) + 1;
  }
  const isChange = ({ accepted, deferred, failed, throttled }: LaneChange) =>
    accepted !== 0 || deferred !== 0 || failed !== 0 || throttled !== undefined;
  return [...changes.values()].filter(isChange);
}

/**
 * Changes the number of deferred recipients by `delta` for each entry of `lanes`; a lane listed
 * twice changes twice.
 */
export function countDeferred(lanes: readonly number[], delta: number): LaneChange[] {
  const changes = new Map<number, LaneChange>();
  for (const lane of lanes) {
    const change = changes.get(lane) ?? noChange(lane);
    changes.set(lane, { ...change, deferred: change.deferred + delta });
  }
  return [...changes.values()];
}

export function getResultCode(result: HandoffResult): string {
  return result.enhancedCode || String(result.code || '');
}

export function toDeferral({ handoff, verdict }: AttemptResult, at: Date): Deferral {
  const { row } = handoff;
  if (row.kind === 'singles') throw new Error('A single send has no deferral');
  return {
    lane: row.lane,
    ordinal: row.ordinal,
    attempt: handoff.attempt,
    strikes: verdict.strikes,
    reason: verdict.reason ?? 'relay',
    firstAt: row.kind === 'deferrals' ? row.firstAt : at,
    nextAttemptAt: verdict.nextAttemptAt ?? at,
  };
}
