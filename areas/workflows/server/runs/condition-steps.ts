// CONDITION steps: each subscriber is evaluated on arrival. A condition on a message that has not
// been sent yet is evaluated again every hour.
import { readAccount } from '#areas/accounts/server/index.ts';
import { filterMatching, readSegmentConditions } from '#areas/segments/server/index.ts';
import type { Tx } from '#platform/server/database/database.ts';
import type { StepData } from '../../contract.ts';
import { readActivity } from './activity.ts';
import { addDelay } from '../steps/delays.ts';
import { decodeOptionalId } from '../steps/readiness.ts';
import { computeBucket } from '#areas/experiments/server/index.ts';
import { findPathOfBucket } from '../steps/shares.ts';
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

const HOUR = 3_600_000;

export async function evaluateCondition(
  tx: Tx,
  step: WorkflowStepRow,
  entrants: readonly StepEntrant[],
  context: StepContext,
): Promise<StepResults> {
  const data = getStepData(step, 'CONDITION');
  switch (data.kind) {
    case 'split':
      return evaluateSplit(step, data.shares ?? [], entrants);
    case 'activity':
      return evaluateActivity(tx, step, data, entrants, context);
    default:
      return evaluateSegment(tx, step, data, entrants, context.now);
  }
}

const createResponse = (isTrue: boolean): StepResult =>
  leaveStep(isTrue ? 'TRUE' : 'FALSE', isTrue ? 'TRUE' : 'FALSE');

function evaluateSplit(
  step: WorkflowStepRow,
  shares: readonly { path: string; share: number }[],
  entrants: readonly StepEntrant[],
): StepResults {
  return new Map(
    entrants.map((entrant) => {
      const path =
        findPathOfBucket(shares, computeBucket(`split/${step.id}`, entrant.subscriberId)) ?? 'A';
      return [entrant.key, leaveStep(path, path)];
    }),
  );
}

type ConditionData = Partial<StepData['CONDITION']>;

async function evaluateSegment(
  tx: Tx,
  step: WorkflowStepRow,
  data: ConditionData,
  entrants: readonly StepEntrant[],
  now: Date,
): Promise<StepResults> {
  const { account_id: accountId } = step;
  const segmentId = decodeOptionalId('segment', data.segment) ?? 0;
  const conditions =
    data.kind === 'saved'
      ? (await readSegmentConditions(tx, accountId, [segmentId]))[0]
      : (data.conditions ?? []);
  const matchingIds = conditions
    ? await filterMatching(tx, accountId, conditions, listSubscriberIds(entrants), now)
    : [];
  const matches = new Set(matchingIds);
  return new Map(
    entrants.map((entrant) => [entrant.key, createResponse(matches.has(entrant.subscriberId))]),
  );
}

/** If the message has not been sent yet, subscribers wait an hour instead of taking the No path. */
async function evaluateActivity(
  tx: Tx,
  step: WorkflowStepRow,
  data: ConditionData,
  entrants: readonly StepEntrant[],
  context: StepContext,
): Promise<StepResults> {
  const { activity: activityKind = 'opened', step_id, url, amount, unit } = data;
  const stepId = decodeOptionalId('step', step_id) ?? 0;
  const { account_id: accountId } = step;
  const query = { accountId, activity: activityKind, stepId, url: url || undefined };
  const states = await readActivity(tx, query, entrants, context);
  const { timezone } = await readAccount(tx, accountId);
  const retryAt = new Date(context.now.getTime() + HOUR);
  return new Map(
    entrants.map((entrant): [number, StepResult] => {
      const state = states.get(entrant.key);
      if (state === 'waits')
        return [
          entrant.key,
          { kind: 'waits', until: retryAt, isStarted: false, holdReason: 'not_sent_yet' },
        ];
      const sentAt = entrant.messages.get(stepId)?.at;
      const limit =
        sentAt && amount && unit ? addDelay(sentAt, amount, unit, timezone) : context.now;
      const isTrue = state !== undefined && state.at <= limit && state.at <= context.now;
      return [entrant.key, createResponse(isTrue)];
    }),
  );
}
