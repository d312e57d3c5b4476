// Reads steps: their data, the paths below them, branches and ancestors.
import type { WorkflowStep, StepData } from '../contract.ts';
import { SPLIT_PATHS } from '../shared.ts';

export function getStepData<Type extends keyof StepData>(
  step: WorkflowStep,
  _type: Type,
): Partial<StepData[Type]> {
  return step.data as Partial<StepData[Type]>;
}

export function listPaths(step: WorkflowStep): string[] {
  if (step.type !== 'CONDITION') return ['TRUE'];
  const { kind, shares = [] } = getStepData(step, 'CONDITION');
  if (kind !== 'split') return ['TRUE', 'FALSE'];
  return shares.length > 0 ? shares.map((share) => share.path) : [...SPLIT_PATHS.slice(0, 2)];
}

/** Returns the step and all steps below it. */
export function getBranch(steps: readonly WorkflowStep[], id: string): WorkflowStep[] {
  const step = steps.find((step) => step.id === id);
  return step ? [step, ...step.children.flatMap((child) => getBranch(steps, child))] : [];
}

/** Ancestors from the trigger down to the parent. */
export function listStepsAbove(steps: readonly WorkflowStep[], id: string): WorkflowStep[] {
  const parent = steps.find(
    (candidate) => candidate.id === steps.find((step) => step.id === id)?.parent_id,
  );
  return parent ? [...listStepsAbove(steps, parent.id), parent] : [];
}

/** Returns the key of a step's icon and label. A split has its own, although it is a condition. */
export const getStepKind = (step: WorkflowStep): string =>
  step.type === 'CONDITION' && step.data.kind === 'split' ? 'split' : step.type;
