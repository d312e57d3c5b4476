// Starts the counts of an active workflow's splits that may get a winner and restarts them when the
// compared content changes.
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database/database.ts';
import type { WorkflowStepRow } from '../steps/steps.sql.ts';
import { getStepData, type StepTree } from '../steps/tree.ts';
import type { WorkflowRow } from '../workflows.sql.ts';
import { type PathComparison, getComparison, listWinnerSplits } from './compared.ts';
import * as store from './splits.sql.ts';

const MIN_PAUSE_MS = 15 * 60_000;
/**
 * Evaluations become less frequent with the age of the count because each reads all runs of the
 * workflow.
 */
const AGE_PER_EVALUATION = 50;

export function computeNextEvaluation(countedFrom: Date, now: Date): Date {
  const age = now.getTime() - countedFrom.getTime();
  return new Date(now.getTime() + Math.max(MIN_PAUSE_MS, age / AGE_PER_EVALUATION));
}

/** Follows the splits of an active workflow after each change of its tree or settings. */
export async function followSplits(tx: Tx, row: WorkflowRow, tree: StepTree): Promise<void> {
  const { account_id: accountId, id: workflowId } = row;
  const rows = new Map(
    (await store.readSplits(tx, accountId, workflowId)).map((split) => [split.step_id, split]),
  );
  const splits = listWinnerSplits(tree);
  for (const step of splits) {
    const comparison = getComparison(step, tree, row);
    const storedRow = rows.get(step.id);
    if (comparison) {
      // After a winner, shares for several paths start a new comparison, even with the previous
      // content.
      const isSame = storedRow?.compared_key === comparison.key && storedRow.winner === null;
      if (!isSame) await restartSplit(tx, row, comparison);
      rows.delete(step.id);
    }
    // If only one path has a share, a winner that has taken over is still shown.
    else if (storedRow?.winner && getShare(step, storedRow.winner) > 0) rows.delete(step.id);
  }
  if (rows.size > 0) await store.removeSplits(tx, accountId, [...rows.keys()]);
}

const getShare = (step: WorkflowStepRow, path: string) =>
  getStepData(step, 'CONDITION').shares?.find((share) => share.path === path)?.share ?? 0;

async function restartSplit(
  tx: Tx,
  row: WorkflowRow,
  { stepId, key }: PathComparison,
): Promise<void> {
  const at = clock.now();
  const split = { workflowId: row.id, stepId, key, at, evaluateAt: computeNextEvaluation(at, at) };
  await store.startCount(tx, row.account_id, split);
}
