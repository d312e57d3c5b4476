// Starts the counts of an active workflow's splits that may get a winner, and restarts them when
// the compared content changes.
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database/database.ts';
import type { StepRow } from '../steps/steps.sql.ts';
import { dataOf, type Tree } from '../steps/tree.ts';
import type { WorkflowRow } from '../workflows.sql.ts';
import { type PathComparison, comparedBy, winnerSplits } from './compared.ts';
import * as store from './splits.sql.ts';

const MIN_PAUSE_MS = 15 * 60_000;
/**
 * Evaluations become less frequent with the age of the count, since each reads all runs of the
 * workflow.
 */
const AGE_PER_EVALUATION = 50;

export function nextEvaluation(countedFrom: Date, now: Date): Date {
  const age = now.getTime() - countedFrom.getTime();
  return new Date(now.getTime() + Math.max(MIN_PAUSE_MS, age / AGE_PER_EVALUATION));
}

/** Follows the splits of an active workflow after each change of its tree or settings. */
export async function followSplits(tx: Tx, row: WorkflowRow, tree: Tree): Promise<void> {
  const { account_id: accountId, id: workflowId } = row;
  const rows = new Map(
    (await store.readSplits(tx, accountId, workflowId)).map((split) => [split.step_id, split]),
  );
  const splits = winnerSplits(tree);
  for (const step of splits) {
    const compared = comparedBy(step, tree, row);
    const before = rows.get(step.id);
    if (compared) {
      // After a winner, shares for several paths start a new comparison, even with the former
      // content.
      const isSame = before?.compared_key === compared.key && before.winner === null;
      if (!isSame) await restart(tx, row, compared);
      rows.delete(step.id);
    }
    // A single path with a share: a winner that has taken over remains shown.
    else if (before?.winner && shareOf(step, before.winner) > 0) rows.delete(step.id);
  }
  if (rows.size > 0) await store.removeSplits(tx, accountId, [...rows.keys()]);
}

const shareOf = (step: StepRow, path: string) =>
  dataOf(step, 'CONDITION').shares?.find((share) => share.path === path)?.share ?? 0;

async function restart(tx: Tx, row: WorkflowRow, { stepId, key }: PathComparison): Promise<void> {
  const at = clock.now();
  const split = { workflowId: row.id, stepId, key, at, evaluateAt: nextEvaluation(at, at) };
  await store.startCount(tx, row.account_id, split);
}
