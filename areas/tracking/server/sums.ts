// Sums a batch of classified hits: by subscriber and message, by subscriber, by message, by time,
// and by device and country.
import type {
  ActivityChange,
  BreakdownChange,
  Counter,
  CounterChanges,
  OutcomeChange,
  OutcomeSums,
  SmsClicks,
  TimeChange,
} from './engagement.sql.ts';
import type { HitRow } from './hits.sql.ts';
import type { HitVerdict, VerdictReason } from './verdict.ts';

export type ClassifiedHit = HitRow & {
  verdict: HitVerdict;
  reason: VerdictReason | null;
  device: string | null;
  country: string | null;
};

const earliest = (a: Date | null, b: Date | null) => (b === null ? a : earlierOf(a, b));
const earlierOf = (a: Date | null, b: Date) => (a === null || b < a ? b : a);
const laterOf = (a: Date | null, b: Date | null) => (a === null || (b !== null && b > a) ? b : a);

/**
 * Sums hits by subscriber and message. A click sets the first open because it implies an open that
 * may not have been recorded, but does not add to the number of opens.
 */
export function outcomeChanges(hits: readonly ClassifiedHit[]): OutcomeChange[] {
  const byPair = new Map<string, OutcomeChange>();
  for (const hit of hits) {
    const key = `${hit.subscriberId} ${hit.messageId}`;
    const outcome = byPair.get(key) ?? emptyOutcome(hit);
    byPair.set(key, outcome);
    const isHuman = hit.verdict === 'human';
    outcome.firstOpenAt = earlierOf(outcome.firstOpenAt, hit.at);
    if (isHuman) outcome.firstHumanOpenAt = earlierOf(outcome.firstHumanOpenAt, hit.at);
    if (hit.kind === 'open') {
      outcome.opens += 1;
      if (isHuman) outcome.humanOpens += 1;
    } else {
      outcome.clicks += 1;
      outcome.firstClickAt = earlierOf(outcome.firstClickAt, hit.at);
      if (isHuman) {
        outcome.humanClicks += 1;
        outcome.firstHumanClickAt = earlierOf(outcome.firstHumanClickAt, hit.at);
      }
    }
  }
  return [...byPair.values()];
}

function emptyOutcome({ subscriberId, messageId }: ClassifiedHit): OutcomeChange {
  return {
    subscriberId,
    messageId,
    firstOpenAt: null,
    firstHumanOpenAt: null,
    firstClickAt: null,
    firstHumanClickAt: null,
    opens: 0,
    humanOpens: 0,
    clicks: 0,
    humanClicks: 0,
  };
}

/**
 * Counts by message. A subscriber is counted as unique with this batch if the subscriber's total
 * after the batch (`allSums`) equals what the batch added, so earlier events need not be read.
 */
export function sumCounts(
  changes: readonly OutcomeChange[],
  allSums: readonly OutcomeSums[],
): Map<number, CounterChanges> {
  const sumsByPair = new Map(
    allSums.map((outcomeSums) => [
      `${outcomeSums.subscriber_id} ${outcomeSums.message_id}`,
      outcomeSums,
    ]),
  );
  const byMessage = new Map<number, CounterChanges>();
  for (const change of changes) {
    const outcomeSums = sumsByPair.get(`${change.subscriberId} ${change.messageId}`);
    if (!outcomeSums) throw new Error('An outcome changed without an event');
    const counts = byMessage.get(change.messageId) ?? {};
    byMessage.set(change.messageId, counts);
    const add = (name: Counter, value: number) => {
      if (value > 0) counts[name] = (counts[name] ?? 0) + value;
    };
    const isNew = (total: number, addedCount: number) =>
      addedCount > 0 && total === addedCount ? 1 : 0;
    add('opens', change.opens);
    add('human_opens', change.humanOpens);
    add('clicks', change.clicks);
    add('human_clicks', change.humanClicks);
    add(
      'unique_opens',
      isNew(outcomeSums.opens + outcomeSums.clicks, change.opens + change.clicks),
    );
    add(
      'unique_human_opens',
      isNew(
        outcomeSums.human_opens + outcomeSums.human_clicks,
        change.humanOpens + change.humanClicks,
      ),
    );
    add('unique_clicks', isNew(outcomeSums.clicks, change.clicks));
    add('unique_human_clicks', isNew(outcomeSums.human_clicks, change.humanClicks));
  }
  return byMessage;
}

/**
 * Returns the activity in emails: each subscriber's first and last event of each kind. The last one
 * is taken from the hits because outcomes contain only the first.
 */
export function activityChanges(
  outcomes: readonly OutcomeChange[],
  hits: readonly ClassifiedHit[],
): ActivityChange[] {
  const smsMessages = new Set(hits.filter((hit) => hit.isSms).map((hit) => hit.messageId));
  return activityByEmail(
    outcomes.filter((outcome) => !smsMessages.has(outcome.messageId)),
    hits.filter((hit) => !hit.isSms),
  );
}

function activityByEmail(
  outcomes: readonly OutcomeChange[],
  hits: readonly ClassifiedHit[],
): ActivityChange[] {
  const byPerson = new Map<number, ActivityChange>();
  for (const { subscriberId } of outcomes) {
    if (subscriberId <= 0) continue;
    byPerson.set(subscriberId, noActivity(subscriberId));
  }
  for (const outcome of outcomes) {
    const activity = byPerson.get(outcome.subscriberId);
    if (!activity) continue;
    activity.firstOpenAt = earliest(activity.firstOpenAt, outcome.firstOpenAt);
    activity.firstHumanOpenAt = earliest(activity.firstHumanOpenAt, outcome.firstHumanOpenAt);
    activity.firstClickAt = earliest(activity.firstClickAt, outcome.firstClickAt);
    activity.firstHumanClickAt = earliest(activity.firstHumanClickAt, outcome.firstHumanClickAt);
  }
  for (const hit of hits) {
    const activity = byPerson.get(hit.subscriberId);
    if (!activity) continue;
    const human = hit.verdict === 'human' ? hit.at : null;
    activity.openAt = laterOf(activity.openAt, hit.at);
    activity.humanOpenAt = laterOf(activity.humanOpenAt, human);
    if (hit.kind !== 'click') continue;
    activity.clickAt = laterOf(activity.clickAt, hit.at);
    activity.humanClickAt = laterOf(activity.humanClickAt, human);
  }
  return [...byPerson.values()];
}

/**
 * Returns the activity in SMS: each subscriber's first and last human click.
 */
export function summarizeSmsClicks(hits: readonly ClassifiedHit[]): SmsClicks[] {
  const byPerson = new Map<number, SmsClicks>();
  for (const { subscriberId, at, ...hit } of hits) {
    if (!hit.isSms || hit.kind !== 'click' || hit.verdict !== 'human' || subscriberId <= 0)
      continue;
    const existing = byPerson.get(subscriberId);
    byPerson.set(subscriberId, {
      subscriberId,
      first: earlierOf(existing?.first ?? null, at),
      last: laterOf(existing?.last ?? null, at) ?? at,
    });
  }
  return [...byPerson.values()];
}

const noActivity = (subscriberId: number): ActivityChange => ({
  subscriberId,
  firstOpenAt: null,
  firstHumanOpenAt: null,
  firstClickAt: null,
  firstHumanClickAt: null,
  openAt: null,
  humanOpenAt: null,
  clickAt: null,
  humanClickAt: null,
});

const QUARTER_MS = 15 * 60_000;

export function timeChanges(hits: readonly ClassifiedHit[]): TimeChange[] {
  const byTime = new Map<string, TimeChange>();
  for (const hit of hits) {
    const { messageId, at } = hit;
    const quarter = Math.floor(at.getTime() / QUARTER_MS) * QUARTER_MS;
    const key = `${messageId} ${quarter}`;
    const count = byTime.get(key) ?? {
      messageId,
      quarter: new Date(quarter),
      opens: 0,
      humanOpens: 0,
      clicks: 0,
      humanClicks: 0,
    };
    byTime.set(key, count);
    addHit(count, hit);
  }
  return [...byTime.values()];
}

/** Counts hits by device and by country, so that reports need not read every event. */
export function countBreakdowns(hits: readonly ClassifiedHit[]): BreakdownChange[] {
  const byValue = new Map<string, BreakdownChange>();
  const add = (hit: ClassifiedHit, aspect: BreakdownChange['aspect'], value: string) => {
    const key = `${hit.messageId} ${aspect} ${value}`;
    const count = byValue.get(key) ?? {
      messageId: hit.messageId,
      aspect,
      value,
      opens: 0,
      humanOpens: 0,
      clicks: 0,
      humanClicks: 0,
    };
    byValue.set(key, count);
    addHit(count, hit);
  };
  for (const hit of hits) {
    add(hit, 'device', hit.device ?? '');
    add(hit, 'country', hit.country ?? '');
  }
  return [...byValue.values()];
}

type HitCounts = Pick<TimeChange, 'opens' | 'humanOpens' | 'clicks' | 'humanClicks'>;

function addHit(counts: HitCounts, { kind, verdict }: ClassifiedHit): void {
  const isHuman = verdict === 'human' ? 1 : 0;
  if (kind === 'open') {
    counts.opens += 1;
    counts.humanOpens += isHuman;
  } else {
    counts.clicks += 1;
    counts.humanClicks += isHuman;
  }
}
