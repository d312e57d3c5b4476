// What removing a step takes away, as the edit does it and as it is told before.
import { AppError, notFound } from '#platform/server/errors.ts';
import { pathsOf, type Tree } from './tree.ts';

/** What removing a step takes away: the steps that go, and where those who stand in the first of them go on. */
export function whatGoes(
  tree: Tree,
  stepId: number,
  how: { below: boolean; path: string },
): { gone: number[]; heirId: number | null } {
  const step = tree.byId.get(stepId);
  if (!step || step.removed_at !== null) throw notFound();
  if (step.type === 'trigger') throw new AppError('step_misplaced');
  const branch = tree.branchOf(stepId).map((one) => one.id);
  if (how.below) return { gone: branch, heirId: null };
  const paths = pathsOf(step);
  const path = paths.length === 1 ? (paths[0] as string) : how.path;
  if (!paths.includes(path)) throw new AppError('step_misplaced');
  const heir = tree.childOn(stepId, path);
  const kept = new Set(heir ? tree.branchOf(heir.id).map((one) => one.id) : []);
  return { gone: branch.filter((one) => !kept.has(one)), heirId: heir?.id ?? null };
}
