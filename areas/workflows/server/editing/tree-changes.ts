// The differences between two trees of a workflow.
import type { WorkflowStepRow } from '../steps/steps.sql.ts';

/** A step as stored in a version. */
export type StoredStep = Pick<
  WorkflowStepRow,
  'id' | 'type' | 'parent_id' | 'condition_path' | 'data' | 'content_id' | 'content_revision'
> &
  Partial<Pick<WorkflowStepRow, 'content_kind'>>;
type StepChange = { step: StoredStep; change: 'added' | 'removed' | 'moved' | 'changed' };

/** Lists changes between two trees, one per step: a moved and changed step is treated as moved. */
export function diffTrees(from: readonly StoredStep[], to: readonly StoredStep[]): StepChange[] {
  const stepsBefore = new Map(from.map((step) => [step.id, step]));
  const idsAfter = new Set(to.map((step) => step.id));
  const removedSteps = from.filter((step) => !idsAfter.has(step.id));
  return [
    ...to.flatMap((step): StepChange[] => {
      const previousStep = stepsBefore.get(step.id);
      if (!previousStep) return [{ step, change: 'added' }];
      const formatPosition = (comparedStep: StoredStep) =>
        `${comparedStep.parent_id}/${comparedStep.condition_path}`;
      const serializeContent = (comparedStep: StoredStep) =>
        stringifyCanonical([
          comparedStep.data,
          comparedStep.content_id,
          comparedStep.content_revision,
        ]);
      if (formatPosition(previousStep) !== formatPosition(step)) return [{ step, change: 'moved' }];
      return serializeContent(previousStep) === serializeContent(step)
        ? []
        : [{ step, change: 'changed' }];
    }),
    ...removedSteps.map((step) => ({ step, change: 'removed' as const })),
  ];
}

/** Returns canonical JSON, because jsonb does not preserve the order of keys. */
export function stringifyCanonical(value: unknown): string {
  return JSON.stringify(value, (_, entry) =>
    entry !== null && typeof entry === 'object' && !Array.isArray(entry)
      ? Object.fromEntries(Object.entries(entry).sort(([a], [b]) => (a < b ? -1 : 1)))
      : entry,
  );
}
