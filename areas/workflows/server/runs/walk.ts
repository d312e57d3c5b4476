// Moves subscribers through one turn, step by step in sets, until each waits or has ended.
import type { SendingOptions } from '#areas/content/server/index.ts';
import { filterMatching } from '#areas/segments/server/index.ts';
import { isRetriable, type Tx } from '#platform/server/database/database.ts';
import { log } from '#platform/server/log.ts';
import { inSavepoint } from '#platform/server/database/savepoint.sql.ts';
import type { ActiveWorkflows } from './active.ts';
import type { Tally } from './counts.sql.ts';
import { findExits } from './exits.ts';
import { listMissing, readKnown } from '../steps/readiness.ts';
import { runsEnded } from './run-events.ts';
import * as store from './runs.sql.ts';
import type {
  Assumption,
  StepEntrant,
  StepResult,
  StepResults,
  StepContext,
} from '../steps/results.ts';
import { executeStep } from './execute-steps.ts';
import { type WorkflowStepRow, updateStep } from '../steps/steps.sql.ts';
import type { StepTree } from '../steps/tree.ts';

/** Retry interval of an incomplete or failing step. */
const RETRY_INTERVAL_MS = 15 * 60_000;

export type MovingRun = store.SavedRun &
  StepEntrant & { newTrail: store.Trail; visitedStepIds: ReadonlySet<number> };

export type WalkOptions = {
  accountId: number;
  activeWorkflows: ActiveWorkflows;
  now: Date;
  options: SendingOptions;
  tally: Tally;
  assumptions?: readonly Assumption[] | undefined;
  /** For a dry run: its start, and the times of handoffs so far. */
  dryRun?: { handoffTimes: Map<number, Date[]>; since: Date } | undefined;
};

export class Walk {
  private readonly tx: Tx;
  private readonly accountId: number;
  private readonly activeWorkflows: ActiveWorkflows;
  private readonly now: Date;
  private readonly tally: Tally;
  private readonly context: StepContext;

  constructor(tx: Tx, walkOptions: WalkOptions) {
    this.tx = tx;
    this.accountId = walkOptions.accountId;
    this.activeWorkflows = walkOptions.activeWorkflows;
    this.now = walkOptions.now;
    this.tally = walkOptions.tally;
    const { now, options, assumptions, dryRun } = walkOptions;
    const handoffTimes = dryRun?.handoffTimes ?? new Map<number, Date[]>();
    this.context = {
      now,
      options,
      assumptions,
      handoffTimes,
      dryRunStart: dryRun?.since,
    };
  }

  async run(dueRuns: readonly store.RunRow[]): Promise<MovingRun[]> {
    const ids = [...new Set(dueRuns.map((run) => run.subscriber_id))];
    const living = new Set(await filterMatching(this.tx, this.accountId, [], ids, this.now));
    const runs = dueRuns.map(createMovingRun);
    for (const run of runs) if (!living.has(run.subscriberId)) this.end(run, 'deleted');
    let movingRuns = runs.filter((run) => run.ended_at === null);
    while (movingRuns.length > 0) {
      const groups = Map.groupBy(movingRuns, (run) => run.step_id);
      const next: MovingRun[] = [];
      for (const group of groups.values()) next.push(...(await this.processStep(group)));
      movingRuns = next;
    }
    await store.saveRuns(this.tx, this.accountId, runs);
    await this.reportEnded(runs.filter((run) => run.ended_at !== null));
    return runs;
  }

  private async reportEnded(endedRuns: readonly MovingRun[]): Promise<void> {
    const { accountId, now: at } = this;
    const groups = Map.groupBy(endedRuns, (run) => `${run.workflow_id} ${run.outcome}`);
    for (const group of groups.values()) {
      const [{ workflow_id: workflowId, outcome }] = group as [MovingRun];
      const subscriberIds = group.map((run) => run.subscriberId);
      const event = { accountId, workflowId, subscriberIds, outcome: outcome ?? 'completed', at };
      await runsEnded.announce(this.tx, event);
    }
  }

  /** Runs one step for a set of subscribers; returns the subscribers who moved to another step. */
  private async processStep(group: MovingRun[]): Promise<MovingRun[]> {
    const [{ workflow_id, step_id }] = group as [MovingRun];
    const workflow = this.activeWorkflows.get(workflow_id) as { tree: StepTree };
    const { tree } = workflow;
    const step = tree.byId.get(step_id);
    if (!step || step.removed_at !== null) return this.moveToSuccessor(group, step, tree);
    const runsByCompletion = Map.groupBy(group, (run) => run.is_begun || isDone(run, step));
    const completedRuns = runsByCompletion.get(true) ?? [];
    const arrivingRuns = runsByCompletion.get(false) ?? [];
    const results: StepResults = new Map(
      completedRuns.map((run) => [
        run.key,
        { kind: 'left', path: 'TRUE', note: run.is_begun ? '' : 'already_done' },
      ]),
    );
    const exitResults = await this.collectExits(step, arrivingRuns);
    for (const [key, result] of exitResults) results.set(key, result);
    const stayingRuns = arrivingRuns.filter((run) => !exitResults.has(run.key));
    for (const [key, result] of await this.runStep(step, stayingRuns, tree))
      results.set(key, result);
    return group.filter((run) =>
      this.applyResult(run, results.get(run.key) as StepResult, step, tree),
    );
  }

  /**
   * Before a message, marks the subscribers who reached the goal, and finds subscribers whose runs
   * end by the goal, an unsubscribe, or the filter.
   */
  private async collectExits(
    step: WorkflowStepRow,
    arrivingRuns: readonly MovingRun[],
  ): Promise<StepResults> {
    if ((step.type !== 'EMAIL' && step.type !== 'SMS') || arrivingRuns.length === 0)
      return new Map();
    const workflow = this.activeWorkflows.get(step.workflow_id);
    if (!workflow) return new Map();
    const { reachedKeys, exitResults } = await findExits(this.tx, workflow, arrivingRuns, this.now);
    for (const run of arrivingRuns) if (reachedKeys.has(run.key)) run.goal_at ??= this.now;
    return exitResults;
  }

  private moveToSuccessor(
    group: MovingRun[],
    step: WorkflowStepRow | undefined,
    tree: StepTree,
  ): MovingRun[] {
    const successor = findSuccessor(step, tree);
    return group.filter((run) => {
      this.countOutcome(run, run.step_id, 'step_removed');
      if (!successor) {
        this.end(run, 'step_removed');
        return false;
      }
      this.moveTo(run, successor.id);
      return true;
    });
  }

  /**
   * Runs the step. If it is incomplete or fails, only its subscribers are held. Retriable database
   * errors are rethrown.
   */
  private async runStep(
    step: WorkflowStepRow,
    arrivingRuns: readonly MovingRun[],
    tree: StepTree,
  ): Promise<StepResults> {
    if (arrivingRuns.length === 0) return new Map();
    const knownIds = await readKnown(this.tx, this.accountId, [step]);
    if (listMissing(step, tree, knownIds).length > 0)
      return this.holdAtStep(step, arrivingRuns, 'incomplete', 'incomplete');
    try {
      const results = await inSavepoint(this.tx, () =>
        executeStep(this.tx, step, arrivingRuns, this.context),
      );
      if (step.problem !== null) await this.setProblem(step, null);
      return results;
    } catch (error) {
      if (isRetriable(error)) throw error;
      const { code = 'failed' } = error as { code?: string };
      log.warn('Workflow step failed', { account: this.accountId, step: step.id, error });
      return this.holdAtStep(
        step,
        arrivingRuns,
        /^[a-z_]{3,60}$/.test(code) ? code : 'failed',
        'failed',
      );
    }
  }

  private async holdAtStep(
    step: WorkflowStepRow,
    runs: readonly MovingRun[],
    problem: string,
    holdReason: 'incomplete' | 'failed',
  ): Promise<StepResults> {
    await this.setProblem(step, problem);
    const until = new Date(this.now.getTime() + RETRY_INTERVAL_MS);
    return new Map(
      runs.map((entrant) => [
        entrant.key,
        { kind: 'waits', until, isStarted: false, holdReason } as const,
      ]),
    );
  }

  private async setProblem(step: WorkflowStepRow, problem: string | null): Promise<void> {
    if (step.problem === problem) return;
    step.problem = problem;
    await updateStep(this.tx, this.accountId, step.id, { problem });
  }

  /** Returns true if the subscriber moved to another step. */
  private applyResult(
    run: MovingRun,
    result: StepResult,
    step: WorkflowStepRow,
    tree: StepTree,
  ): boolean {
    if (result.kind === 'waits') {
      const { until: wake_at, isStarted: is_begun, holdReason: held_for = null } = result;
      Object.assign(run, { wake_at, is_begun, held_for });
      return false;
    }
    const isEnd = result.kind === 'ended';
    const trailNote = isEnd ? result.outcome : result.note;
    run.newTrail.push([step.id, this.now.getTime(), trailNote]);
    this.countOutcome(run, step.id, isEnd || !result.messageId ? trailNote || 'passed' : 'sent');
    const child = isEnd ? undefined : tree.findChild(step.id, result.path);
    if (!child) {
      this.end(run, isEnd ? result.outcome : 'completed');
      return false;
    }
    if (!isEnd && result.messageId) {
      const messages = run.messages as Map<number, { id: number; at: Date }>;
      messages.set(step.id, { id: result.messageId, at: this.now });
    }
    this.moveTo(run, child.id);
    return true;
  }

  private moveTo(run: MovingRun, stepId: number): void {
    const location = { step_id: stepId, is_begun: false, held_for: null, holdReason: null };
    Object.assign(run, { ...location, arrivedAt: this.now });
    this.countOutcome(run, stepId, 'entered');
  }

  private countOutcome(run: MovingRun, stepId: number, outcome: string): void {
    this.tally.add(run.workflow_id, stepId, outcome);
  }

  private end(run: MovingRun, outcome: string): void {
    if (outcome === 'deleted') this.countOutcome(run, run.step_id, 'deleted');
    Object.assign(run, { ended_at: this.now, outcome, wake_at: null, held_for: null });
  }
}

/**
 * Returns true for a message or action that the run has executed before: a run executes each only
 * once.
 */
function isDone(run: MovingRun, step: WorkflowStepRow): boolean {
  const isOnce = step.type === 'EMAIL' || step.type === 'SMS' || step.type === 'ACTION';
  return isOnce && (run.visitedStepIds.has(step.id) || run.newTrail.some(([id]) => id === step.id));
}

/** Returns the step where subscribers of a removed step continue. */
export function findSuccessor(
  step: WorkflowStepRow | undefined,
  tree: StepTree,
): WorkflowStepRow | undefined {
  let successor = step;
  while (successor && successor.removed_at !== null)
    successor = successor.heir_id === null ? undefined : tree.byId.get(successor.heir_id);
  return successor;
}

function createMovingRun(run: store.RunRow, key: number): MovingRun {
  const { trail } = run;
  const messages = trail.flatMap(([step, at, trailNote]) => {
    const id = /^message:(\d+)$/.exec(trailNote)?.[1];
    return id ? [[step, { id: Number(id), at: new Date(at) }] as const] : [];
  });
  const lastAt = trail.at(-1)?.[1];
  const { workflow_id, subscriber_id, subject, step_id, is_begun, wake_at, held_for, goal_at } =
    run;
  return {
    ...{ workflow_id, subscriber_id, subject, step_id, is_begun, wake_at, held_for, goal_at },
    ...{ ended_at: null, outcome: null, newTrail: [], key },
    ...{ subscriberId: run.subscriber_id, pass: run.pass, depth: run.depth },
    facts: run.facts as StepEntrant['facts'],
    holdReason: run.held_for,
    enteredAt: run.entered_at,
    arrivedAt: lastAt === undefined ? run.entered_at : new Date(lastAt),
    dueAt: run.wake_at ?? run.entered_at,
    messages: new Map(messages),
    visitedStepIds: new Set(trail.map(([step]) => step)),
  };
}
