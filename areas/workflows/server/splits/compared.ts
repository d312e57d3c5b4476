// The comparison of a split: its paths, their first messages, and a hash that changes with the
// paths, the metric or the goal.
import { createHash } from 'node:crypto';
import type { StepData } from '../../contract.ts';
import { readWorkflowSettings } from '../runs/active.ts';
import { findFirstMessage } from '../steps/readiness.ts';
import type { WorkflowStepRow } from '../steps/steps.sql.ts';
import { getStepData, type StepTree } from '../steps/tree.ts';
import type { WorkflowRow } from '../workflows.sql.ts';

type SplitMetric = NonNullable<StepData['CONDITION']['winner_by']>;

export interface PathComparison {
  stepId: number;
  metric: SplitMetric;
  /** Paths with a share, in order. */
  shares: { path: string; share: number }[];
  /** First message steps of the paths. */
  messageStepIds: number[];
  key: string;
}

/** Lists splits of the tree that are to find a winner, including splits with one path left. */
export const listWinnerSplits = (tree: StepTree): WorkflowStepRow[] =>
  tree.listOrdered().filter((step) => step.type === 'CONDITION' && getMetric(step) !== undefined);

function getMetric(step: WorkflowStepRow): SplitMetric | undefined {
  const { kind, winner_by: metric } = getStepData(step, 'CONDITION');
  return kind === 'split' ? metric : undefined;
}

/**
 * Returns the comparison, or undefined if no winner is to be found or fewer than two paths have a
 * share.
 */
export function getComparison(
  step: WorkflowStepRow,
  tree: StepTree,
  row: WorkflowRow,
): PathComparison | undefined {
  const metric = getMetric(step);
  const shares = (getStepData(step, 'CONDITION').shares ?? []).filter(({ share }) => share > 0);
  if (!metric || shares.length < 2) return undefined;
  const branches = shares.map(({ path }) => {
    const child = tree.findChild(step.id, path);
    return child ? tree.listBranch(child.id).map(pickContent) : [];
  });
  const goal = metric === 'goal' ? readWorkflowSettings(row).goal : null;
  const key = createHash('sha256')
    .update(JSON.stringify([metric, shares, goal, branches]))
    .digest('hex');
  const messages = shares.map(({ path }) => findFirstMessage(tree, step.id, path));
  return {
    stepId: step.id,
    metric,
    shares,
    key,
    messageStepIds: messages.flatMap((m) => m?.id ?? []),
  };
}

/** Returns the content that subscribers get from a step, without names and notes for the team. */
function pickContent({ id, type, parent_id, condition_path, data, ...step }: WorkflowStepRow) {
  const { title: _title, note: _note, ...settings } = data as Record<string, unknown>;
  const sortedSettings = Object.entries(settings).sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    id,
    type,
    parent_id,
    condition_path,
    sortedSettings,
    step.content_id,
    step.content_revision,
  ];
}
