// Edits of a workflow with subscribers inside: a preview of the removal of a step, and actions on
// the subscribers who wait.
import { encodeId } from '#platform/ids.ts';
import { recordChange } from '#platform/server/audit.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { notFound } from '#platform/server/errors.ts';
import { hint } from '#platform/server/live/live.ts';
import { addStepCounts, Tally } from '../runs/counts.sql.ts';
import { decideLate, wakeAtStep } from '../history.sql.ts';
import { announceEnded } from '../runs/ended.ts';
import { wakeAccount } from '../runs/runs.sql.ts';
import { lockedWorkflow, readTree } from './steps.ts';
import { countHere } from '../steps/steps.sql.ts';
import { planRemoval } from '../steps/removal.ts';

export async function removalEffects(
  db: Reader,
  accountId: number,
  id: number,
  stepId: number,
  how: { below: boolean; path: string },
) {
  const tree = await readTree(db, accountId, id);
  const { removed, successorId } = planRemoval(tree, stepId, how);
  const here = await countHere(db, accountId, [id]);
  const inside = removed.reduce((sum, stepId) => sum + (here.get(stepId) ?? 0), 0);
  const continuing = successorId === null ? 0 : (here.get(stepId) ?? 0);
  return {
    steps: removed.map((stepId) => encodeId('step', stepId)),
    goes_on: {
      people: continuing,
      step_id: successorId === null ? null : encodeId('step', successorId),
    },
    ends: inside - continuing,
  };
}

/** Makes the delay count again for the subscribers who wait in it. Returns their number. */
export async function applyDelay(
  tx: Tx,
  accountId: number,
  id: number,
  stepId: number,
): Promise<number> {
  await lockedWorkflow(tx, accountId, id);
  const step = (await readTree(tx, accountId, id)).byId.get(stepId);
  if (step?.type !== 'delay') throw notFound();
  const at = clock.now();
  const people = await wakeAtStep(tx, accountId, stepId, at);
  recordChange({ count: people });
  await wakeAccount(tx, accountId, at);
  hint(tx, accountId, 'workflow', id);
  return people;
}

/** Applies the decision on late messages. Returns the number of subscribers who waited for it. */
export async function settleLate(
  tx: Tx,
  accountId: number,
  id: number,
  decision: 'send' | 'skip' | 'end',
): Promise<number> {
  await lockedWorkflow(tx, accountId, id);
  const at = clock.now();
  const decided = await decideLate(tx, accountId, id, decision, at);
  if (decision === 'end') {
    const tally = new Tally();
    for (const { step_id, people } of decided) tally.add(id, step_id, 'late', people);
    await addStepCounts(tx, accountId, tally.all);
    await announceEnded(tx, { accountId, workflowId: id, outcome: 'late', at }, decided);
  }
  await wakeAccount(tx, accountId, at);
  hint(tx, accountId, 'workflow', id);
  const people = decided.reduce((sum, decision) => sum + decision.people, 0);
  recordChange({ count: people });
  return people;
}
