// DELAY steps: wait for a duration, until an instant, or until an event with a time-out.
import { readAccount } from '#areas/accounts/server/index.ts';
import { filterMatching } from '#areas/segments/server/index.ts';
import type { Tx } from '#platform/server/database/database.ts';
import type { StepData } from '../../contract.ts';
import { getZone } from './active.ts';
import { type ActivityState, readActivity } from './activity.ts';
import { computeDelayEnd } from '../steps/delays.ts';
import { decodeOptionalId } from '../steps/readiness.ts';
import { readSubscribers } from './runs.sql.ts';
import type { WorkflowStepRow } from '../steps/steps.sql.ts';
import {
  listSubscriberIds,
  leaveStep,
  type StepEntrant,
  type StepResult,
  type StepResults,
  type StepContext,
} from '../steps/results.ts';
import { getStepData } from '../steps/tree.ts';

/**
 * Clicks are classified within this time. A time-out is extended by it, so that clicks of its last
 * seconds count.
 */
const CLASSIFYING_MS = 15_000;

export async function evaluateDelay(
  tx: Tx,
  step: WorkflowStepRow,
  entrants: readonly StepEntrant[],
  context: StepContext,
): Promise<StepResults> {
  const data = getStepData(step, 'delay') as StepData['delay'];
  const endByRun = await computeEnds(tx, step, data, entrants);
  if (data.delay_type === 'UNTIL')
    return waitUntil(tx, step, data, entrants, { ...context, endByRun });
  // A date field may change or be cleared, so it is read again at the end and on each change.
  const isStarted = data.delay_type !== 'FIELD';
  return new Map(
    entrants.map((entrant): [number, StepResult] => {
      const end = endByRun.get(entrant.key);
      if (!end) return [entrant.key, leaveStep('TRUE', 'no_wait')];
      return end <= context.now
        ? [entrant.key, leaveStep('TRUE')]
        : [entrant.key, { kind: 'waits', until: end, isStarted }];
    }),
  );
}

/**
 * Computes the ends of the delay by run, counted from each arrival, even when a changed delay is
 * applied to subscribers who already wait.
 */
async function computeEnds(
  tx: Tx,
  step: WorkflowStepRow,
  data: StepData['delay'],
  entrants: readonly StepEntrant[],
): Promise<Map<number, Date | undefined>> {
  const subscribers = await readSubscribers(tx, step.account_id, listSubscriberIds(entrants));
  const { timezone } = await readAccount(tx, step.account_id);
  const field = decodeOptionalId('field', data.field);
  // A fixed date is one instant for all subscribers.
  const isOfAccount = data.delay_type === 'DATE' || data.zone === 'account';
  return new Map(
    entrants.map((entrant) => {
      const subscriber = subscribers.get(entrant.subscriberId);
      const values = (subscriber?.field_values ?? {}) as Record<string, string | number>;
      const zone = isOfAccount ? timezone : getZone(subscriber, timezone);
      const fieldValue = field === undefined ? undefined : values[field];
      return [entrant.key, computeDelayEnd(data, { at: entrant.arrivedAt, zone, fieldValue })];
    }),
  );
}

async function waitUntil(
  tx: Tx,
  step: WorkflowStepRow,
  { until: condition }: StepData['delay'],
  entrants: readonly StepEntrant[],
  context: StepContext & { endByRun: ReadonlyMap<number, Date | undefined> },
): Promise<StepResults> {
  const { now, endByRun } = context;
  const states = await readStates(tx, step, condition, entrants, context);
  return new Map(
    entrants.map((entrant): [number, StepResult] => {
      const state = states.get(entrant.key);
      const limit = (endByRun.get(entrant.key) ?? now).getTime() + CLASSIFYING_MS;
      const at = typeof state === 'object' ? state.at.getTime() : Number.POSITIVE_INFINITY;
      if (at <= now.getTime()) return [entrant.key, leaveStep('TRUE', 'happened')];
      if (limit <= now.getTime()) return [entrant.key, leaveStep('TRUE', 'timed_out')];
      return [
        entrant.key,
        { kind: 'waits', until: new Date(Math.min(at, limit)), isStarted: false },
      ];
    }),
  );
}

async function readStates(
  tx: Tx,
  step: WorkflowStepRow,
  condition: StepData['delay']['until'],
  entrants: readonly StepEntrant[],
  context: StepContext,
): Promise<ReadonlyMap<number, ActivityState>> {
  const { account_id: accountId } = step;
  if (condition?.kind === 'activity') {
    const { activity = 'opened', step_id } = condition;
    const query = { accountId, activity, stepId: decodeOptionalId('step', step_id) ?? 0 };
    return readActivity(tx, query, entrants, context);
  }
  const conditions = condition?.conditions ?? [];
  const matchingIds = new Set(
    await filterMatching(tx, accountId, conditions, listSubscriberIds(entrants), context.now),
  );
  const at = { at: context.now };
  return new Map(
    entrants.flatMap((entrant) =>
      matchingIds.has(entrant.subscriberId) ? [[entrant.key, at]] : [],
    ),
  );
}
