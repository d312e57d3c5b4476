// Effects of removing a step, shared by the edit and by its preview.
import { AppError, notFound } from '#platform/server/errors.ts';
import { listPaths, type StepTree } from './tree.ts';

/**
 * Returns the steps that a removal deletes, and the step where subscribers at the given step
 * continue.
 */
export function planRemoval(
  tree: StepTree,
  stepId: number,
  options: { includesBranch: boolean; path: string },
): { removedIds: number[]; successorId: number | null } {
  const step = tree.byId.get(stepId);
  if (!step || step.removed_at !== null) throw notFound();
  if (step.type === 'trigger') throw new AppError('step_misplaced');
  const branch = tree.listBranch(stepId).map((step) => step.id);
  if (options.includesBranch) return { removedIds: branch, successorId: null };
  const paths = listPaths(step);
  const path = paths.length === 1 ? (paths[0] as string) : options.path;
  if (!paths.includes(path)) throw new AppError('step_misplaced');
  const successor = tree.findChild(stepId, path);
  const remaining = new Set(successor ? tree.listBranch(successor.id).map((step) => step.id) : []);
  return {
    removedIds: branch.filter((id) => !remaining.has(id)),
    successorId: successor?.id ?? null,
  };
}
