// Evaluates splits with a winner that takes over: from then on, all subscribers who reach the split
// take the winning path. Subscribers already on another path remain there.
import { findEarlyWinner, SPLIT_THRESHOLD } from '#areas/experiments/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import {
  type Db,
  inTransaction,
  type Reader,
  type Tx,
} from '#platform/server/database/database.ts';
import type { Poller } from '#platform/server/jobs/pollers.ts';
import { sendChangeHint } from '#platform/server/live/live.ts';
import { isolateFailure } from '#platform/server/process/isolate-failure.ts';
import type { WorkflowSplit } from '../../contract.ts';
import { changeTree, readTree } from '../editing/steps.ts';
import { readWorkflowSettings } from '../runs/active.ts';
import { type WorkflowStepRow, updateStep } from '../steps/steps.sql.ts';
import { getStepData } from '../steps/tree.ts';
import { findWorkflow, type WorkflowRow } from '../workflows.sql.ts';
import { type PathComparison, getComparison } from './compared.ts';
import { followSplits, computeNextEvaluation } from './follow.ts';
import * as store from './splits.sql.ts';

export const splitsPoller: Poller = {
  name: 'workflows.splits',
  intervalMs: 60_000,
  run: (db, signal) => evaluateSplits(db, signal),
};

export async function evaluateSplits(db: Db, signal?: AbortSignal): Promise<void> {
  for (const dueSplit of await store.listDueSplits(db, clock.now())) {
    if (signal?.aborted) return;
    const { account_id: accountId, workflow_id: workflowId, step_id: stepId } = dueSplit;
    await isolateFailure('Could not evaluate the split of a workflow', { accountId, stepId }, () =>
      inTransaction(db, (tx) => evaluateSplit(tx, accountId, workflowId, stepId)),
    );
  }
}

async function evaluateSplit(
  tx: Tx,
  accountId: number,
  workflowId: number,
  stepId: number,
): Promise<void> {
  const row = await findWorkflow(tx, accountId, workflowId, 'update');
  const split = await store.lockSplit(tx, accountId, stepId);
  const now = clock.now();
  if (row?.status !== 'ACTIVE' || !split?.evaluate_at || split.evaluate_at > now) return;
  const tree = await readTree(tx, accountId, workflowId);
  const step = tree.byId.get(stepId);
  const comparison = step && getComparison(step, tree, row);
  // An email's content changes without a change of the tree.
  if (!comparison || comparison.key !== split.compared_key) return followSplits(tx, row, tree);
  const splitPeriod = { accountId, workflowId, stepId, from: split.counted_from, now };
  const counts = await countPaths(tx, row, comparison, splitPeriod);
  await store.updateSplit(tx, accountId, stepId, {
    counts: JSON.stringify(counts),
    evaluated_at: now,
    evaluate_at: computeNextEvaluation(split.counted_from, now),
  });
  const winner = findWinner(comparison, counts);
  if (winner !== undefined) await applyWinner(tx, row, step, winner);
  sendChangeHint(tx, accountId, 'workflow', workflowId);
}

async function countPaths(
  tx: Tx,
  row: WorkflowRow,
  { metric, shares, messageStepIds }: PathComparison,
  splitPeriod: Parameters<typeof store.countGoals>[1],
): Promise<store.PathCount[]> {
  const days = readWorkflowSettings(row).goal?.days;
  const counts =
    metric !== 'goal'
      ? await store.countEngaged(tx, splitPeriod, {
          messageStepIds,
          activity: metric,
        })
      : days === undefined
        ? []
        : await store.countGoals(tx, splitPeriod, days);
  return shares.map(
    ({ path }) => counts.find((count) => count.path === path) ?? { path, people: 0, acted: 0 },
  );
}

/**
 * Returns the path that won, or undefined while there is no winner or a path has no subscribers to
 * compare.
 */
function findWinner(
  { shares }: PathComparison,
  counts: readonly store.PathCount[],
): string | undefined {
  if (counts.some(({ people }) => people === 0)) return undefined;
  const variants = shares.map(({ share }, at) => ({
    accepted: share,
    acted: counts[at]?.acted ?? 0,
  }));
  return shares[findEarlyWinner(variants, SPLIT_THRESHOLD) ?? -1]?.path;
}

/** Saves a version where the winner has a share of 100; its author is the product. */
async function applyWinner(
  tx: Tx,
  row: WorkflowRow,
  step: WorkflowStepRow,
  winner: string,
): Promise<void> {
  const { account_id: accountId, id } = row;
  const at = clock.now();
  await store.updateSplit(tx, accountId, step.id, {
    winner,
    decided_at: at,
    evaluate_at: null,
  });
  await changeTree(tx, { accountId, userId: null }, id, async () => {
    const data = getStepData(step, 'CONDITION');
    const shares = data.shares?.map(({ path }) => ({ path, share: path === winner ? 100 : 0 }));
    await updateStep(tx, accountId, step.id, {
      data: JSON.stringify({ ...data, shares }),
      revision: step.revision + 1,
    });
  });
}

/** Lists splits that may get a winner or have one, and the results of the last evaluation. */
export async function presentSplits(
  db: Reader,
  accountId: number,
  workflowId: number,
): Promise<WorkflowSplit[]> {
  return (await store.readSplits(db, accountId, workflowId)).map((row) => ({
    step_id: encodeId('step', row.step_id),
    counted_from: row.counted_from.toISOString(),
    evaluated_at: row.evaluated_at?.toISOString() ?? null,
    paths: row.counts,
    winner: row.winner,
    decided_at: row.decided_at?.toISOString() ?? null,
  }));
}
