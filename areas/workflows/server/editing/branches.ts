// Copies a branch: each step with its data and a separate copy of the content.
import { encodeId } from '#platform/ids.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { AppError } from '#platform/server/errors.ts';
import { MAX_STEPS } from '../../shared.ts';
import { changeTree, copyStep, resolvePath, requireStep, type StepEditor } from './steps.ts';
import { type WorkflowStepRow, updateStep } from '../steps/steps.sql.ts';
import { listPaths } from '../steps/tree.ts';

/**
 * The steps at the target move below the lowest step of the copy. Returns the copy of the root
 * step.
 */
export async function copyBranch(
  tx: Tx,
  caller: StepEditor,
  id: number,
  stepId: number,
  to: { parent_id: number; condition_path: string },
): Promise<number> {
  return changeTree(tx, caller, id, async (tree) => {
    const step = requireStep(tree, stepId);
    if (step.type === 'trigger') throw new AppError('step_misplaced');
    const branch = tree.listBranch(step.id);
    if (tree.listOrdered().length + branch.length > MAX_STEPS)
      throw new AppError('too_many_steps', { values: { most: MAX_STEPS } });
    const path = resolvePath(tree, to.parent_id, to.condition_path);
    const existingChild = tree.findChild(to.parent_id, path);
    const lastStep = tree.findLast(step.id);
    const copies = new Map<number, number>();
    for (const branchStep of branch) {
      const position =
        branchStep.id === step.id
          ? { parent_id: to.parent_id, condition_path: path }
          : {
              parent_id: copies.get(branchStep.parent_id as number) as number,
              condition_path: branchStep.condition_path,
            };
      const remappedStep = remapReferences(branchStep, copies);
      copies.set(
        branchStep.id,
        await copyStep(tx, caller, remappedStep, { workflow_id: id, ...position }),
      );
    }
    if (existingChild)
      await updateStep(tx, caller.accountId, existingChild.id, {
        parent_id: copies.get(lastStep.id) as number,
        condition_path: listPaths(lastStep)[0] as string,
      });
    return copies.get(step.id) as number;
  });
}

/** Returns the step with references to other steps of the branch replaced by their copies. */
export function remapReferences(
  step: WorkflowStepRow,
  copies: ReadonlyMap<number, number>,
): WorkflowStepRow {
  const data = step.data as { step_id?: string; until?: { step_id?: string } };
  const remapId = (referencedId: string | undefined) => {
    const copyId = [...copies].find(([was]) => encodeId('step', was) === referencedId)?.[1];
    return copyId === undefined ? {} : { step_id: encodeId('step', copyId) };
  };
  const until = data.until && { until: { ...data.until, ...remapId(data.until.step_id) } };
  return { ...step, data: { ...data, ...remapId(data.step_id), ...until } };
}
