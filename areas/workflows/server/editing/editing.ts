// Edits of a workflow with subscribers inside: a preview of the removal of a step, and actions on
// the subscribers who wait.
import { encodeId } from '#platform/ids.ts';
import { recordChange } from '#platform/server/audit.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { notFound } from '#platform/server/errors.ts';
import { sendChangeHint } from '#platform/server/live/live.ts';
import { addStepCounts, Tally } from '../runs/counts.sql.ts';
import { applyLateDecision, wakeAtStep } from '../history.sql.ts';
import { announceEnded } from '../runs/run-events.ts';
import { wakeAccount } from '../runs/runs.sql.ts';
import { lockWorkflow, readTree } from './steps.ts';
import { countSubscribersByStep } from '../steps/steps.sql.ts';
import { planRemoval } from '../steps/removal.ts';

export async function previewRemoval(
  db: Reader,
  accountId: number,
  id: number,
  stepId: number,
  options: { includesBranch: boolean; path: string },
) {
  const tree = await readTree(db, accountId, id);
  const { removedIds, successorId } = planRemoval(tree, stepId, options);
  const countByStep = await countSubscribersByStep(db, accountId, [id]);
  const inside = removedIds.reduce((sum, stepId) => sum + (countByStep.get(stepId) ?? 0), 0);
  const continuing = successorId === null ? 0 : (countByStep.get(stepId) ?? 0);
  return {
    steps: removedIds.map((stepId) => encodeId('step', stepId)),
    goes_on: {
      people: continuing,
      step_id: successorId === null ? null : encodeId('step', successorId),
    },
    ends: inside - continuing,
  };
}

/**
 * Evaluates the delay again with the current settings for the subscribers who wait at it. Returns
 * the number of subscribers.
 */
export async function applyDelay(
  tx: Tx,
  accountId: number,
  id: number,
  stepId: number,
): Promise<number> {
  await lockWorkflow(tx, accountId, id);
  const step = (await readTree(tx, accountId, id)).byId.get(stepId);
  if (step?.type !== 'delay') throw notFound();
  const at = clock.now();
  const subscriberCount = await wakeAtStep(tx, accountId, stepId, at);
  recordChange({ count: subscriberCount });
  await wakeAccount(tx, accountId, at);
  sendChangeHint(tx, accountId, 'workflow', id);
  return subscriberCount;
}

/** Applies the decision on late messages. Returns the number of subscribers who waited for it. */
export async function settleLate(
  tx: Tx,
  accountId: number,
  id: number,
  decision: 'send' | 'skip' | 'end',
): Promise<number> {
  await lockWorkflow(tx, accountId, id);
  const at = clock.now();
  const decidedRuns = await applyLateDecision(tx, accountId, id, decision, at);
  if (decision === 'end') {
    const tally = new Tally();
    for (const { step_id, people: subscriberCount } of decidedRuns)
      tally.add(id, step_id, 'late', subscriberCount);
    await addStepCounts(tx, accountId, tally.all);
    await announceEnded(tx, { accountId, workflowId: id, outcome: 'late', at }, decidedRuns);
  }
  await wakeAccount(tx, accountId, at);
  sendChangeHint(tx, accountId, 'workflow', id);
  const subscriberCount = decidedRuns.reduce((sum, decision) => sum + decision.people, 0);
  recordChange({ count: subscriberCount });
  return subscriberCount;
}
