// The tree of a workflow: the parent, path and children of each step.
import type { StepData } from '../../contract.ts';
import { SPLIT_PATHS } from '../../shared.ts';
import type { WorkflowStepRow } from './steps.sql.ts';

export function getStepData<Type extends keyof StepData>(
  step: WorkflowStepRow & { type: string },
  _type: Type,
): Partial<StepData[Type]> {
  return step.data as Partial<StepData[Type]>;
}

export class StepTree {
  readonly steps: readonly WorkflowStepRow[];
  readonly byId: ReadonlyMap<number, WorkflowStepRow>;
  private readonly childrenByParent = new Map<number, WorkflowStepRow[]>();

  /** Takes the steps of one workflow; removed steps are known but are not part of the tree. */
  constructor(steps: readonly WorkflowStepRow[]) {
    this.steps = steps;
    this.byId = new Map(steps.map((step) => [step.id, step]));
    for (const step of steps) {
      if (step.parent_id === null || step.removed_at !== null) continue;
      this.childrenByParent.set(step.parent_id, [...this.listChildren(step.parent_id), step]);
    }
  }

  get trigger(): WorkflowStepRow {
    const trigger = this.steps.find((step) => step.type === 'trigger');
    if (!trigger) throw new Error('The workflow has no trigger');
    return trigger;
  }

  listChildren(id: number): WorkflowStepRow[] {
    return this.childrenByParent.get(id) ?? [];
  }

  findChild(id: number, path: string): WorkflowStepRow | undefined {
    return this.listChildren(id).find((step) => step.condition_path === path);
  }

  /** Returns the step and all steps below it, parents first. */
  listBranch(id: number): WorkflowStepRow[] {
    const step = this.byId.get(id);
    if (!step) return [];
    return [step, ...this.listChildren(id).flatMap((child) => this.listBranch(child.id))];
  }

  /** Lists steps that are not removed, each followed by the branches below it. */
  listOrdered(): WorkflowStepRow[] {
    return this.listBranch(this.trigger.id);
  }

  /**
   * Returns the lowest step below this one along the TRUE path (the first path of a split), or this
   * step if there is none below it on that path.
   */
  findLast(id: number): WorkflowStepRow {
    const step = this.byId.get(id) as WorkflowStepRow;
    const next = this.findChild(id, listPaths(step)[0] as string);
    return next ? this.findLast(next.id) : step;
  }

  /** Returns true if `above` is an ancestor of `id`. */
  isBelow(id: number, above: number): boolean {
    for (let at = this.byId.get(id)?.parent_id ?? null; at !== null; ) {
      if (at === above) return true;
      at = this.byId.get(at)?.parent_id ?? null;
    }
    return false;
  }
}

/** Lists delay steps that wait for an event or a date field, including removed steps. */
export const listWaitingSteps = (tree: StepTree): number[] =>
  tree.steps.flatMap((step) => {
    if (step.type !== 'delay') return [];
    const { delay_type: type } = getStepData(step, 'delay');
    return type === 'UNTIL' || type === 'FIELD' ? [step.id] : [];
  });

/** Lists paths that can have a step below this one. */
export function listPaths(step: WorkflowStepRow): string[] {
  if (step.type !== 'CONDITION') return ['TRUE'];
  const { kind, shares } = getStepData(step, 'CONDITION');
  if (kind !== 'split') return ['TRUE', 'FALSE'];
  const paths = (shares ?? []).map((share) => share.path as string);
  return paths.length > 0 ? paths : [...SPLIT_PATHS.slice(0, 2)];
}
