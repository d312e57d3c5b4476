// A turn of one account: processes facts and moves due runs, in one transaction under the
// account's lock. An interrupted turn is rolled back, so no subscriber is lost and no step runs
// twice.
import type { SendingOptions } from '#areas/content/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction, type Tx } from '#platform/server/database/database.ts';
import { isolateFailure } from '#platform/server/process/isolate-failure.ts';
import type { Poller } from '#platform/server/jobs/pollers.ts';
import { type ActiveWorkflows, readWorkflowSettings } from './runs/active.ts';
import { addStepCounts, Tally } from './runs/counts.sql.ts';
import { ingestFacts } from './entering/entering.ts';
import * as store from './runs/runs.sql.ts';
import { readSteps } from './steps/steps.sql.ts';
import { findNextSweep, sweepWorkflows } from './entering/sweeps.ts';
import { StepTree } from './steps/tree.ts';
import { Walk } from './runs/walk.ts';

/** Maximum number of runs per turn. */
const MAX_RUNS = 10_000;

export function turnsPoller(options: SendingOptions): Poller {
  return {
    name: 'workflows.turns',
    intervalMs: 1000,
    run: (db, signal) => runTurns(db, options, signal),
  };
}

/** Runs a turn for each account with work, in at most 50 rounds, until a round processes nothing. */
export async function runTurns(
  db: Db,
  options: SendingOptions,
  signal?: AbortSignal,
): Promise<void> {
  for (let turn = 0; turn < 50; turn++) {
    let hasProcessed = false;
    for (const accountId of await store.listAccountsWithWork(db, clock.now())) {
      if (signal?.aborted) return;
      const processedCount = await isolateFailure(
        'Could not advance the workflows of an account',
        { accountId },
        () => inTransaction(db, (tx) => runTurn(tx, accountId, options)),
      );
      hasProcessed ||= (processedCount ?? 0) > 0;
    }
    if (!hasProcessed) return;
  }
}

/** Returns the number of facts and runs processed. */
async function runTurn(tx: Tx, accountId: number, options: SendingOptions): Promise<number> {
  if (!(await store.lockAccount(tx, accountId))) return 0;
  const now = clock.now();
  const workflows = await lockActive(tx, accountId);
  const ids = [...workflows.keys()];
  const tally = new Tally();
  const factCount = await ingestFacts(tx, accountId, workflows, tally, now);
  await sweepWorkflows(tx, workflows, tally, now);
  const runs = await store.listDueRuns(tx, accountId, ids, now, MAX_RUNS);
  await new Walk(tx, { accountId, activeWorkflows: workflows, now, options, tally }).run(runs);
  await addStepCounts(tx, accountId, tally.all);
  // The batch was full, so more runs are probably due; querying the earliest of many runs that
  // were just processed is slow.
  if (runs.length === MAX_RUNS) await store.wakeAccount(tx, accountId, now);
  else await store.setNext(tx, accountId, ids, findNextSweep(workflows));
  return factCount + runs.length;
}

async function lockActive(tx: Tx, accountId: number): Promise<ActiveWorkflows> {
  const rows = await store.lockActiveWorkflows(tx, accountId);
  const ids = rows.map((row) => row.id);
  const byWorkflow = Map.groupBy(
    await readSteps(tx, accountId, ids, 'all'),
    (step) => step.workflow_id,
  );
  return new Map(
    rows.map((row) => {
      const tree = new StepTree(byWorkflow.get(row.id) ?? []);
      return [row.id, { row, tree, settings: readWorkflowSettings(row) }];
    }),
  );
}
