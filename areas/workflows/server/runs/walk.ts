// Moves subscribers through one turn, step by step in sets, until each waits or has ended.
import type { SendingOptions } from '#areas/content/server/index.ts';
import { filterMatching } from '#areas/segments/server/index.ts';
import { isRetriable, type Tx } from '#platform/server/database/database.ts';
import { log } from '#platform/server/log.ts';
import { inSavepoint } from '#platform/server/database/savepoint.sql.ts';
import type { ActiveWorkflows } from './active.ts';
import type { Tally } from './counts.sql.ts';
import { findExits } from './exits.ts';
import { missingOf, readKnown } from '../steps/readiness.ts';
import { runsEnded } from './ended.ts';
import * as store from './runs.sql.ts';
import type { Assumption, Subscriber, Result, Results, World } from '../steps/results.ts';
import { executeStep } from './execute-steps.ts';
import { type StepRow, updateStep } from '../steps/steps.sql.ts';
import type { Tree } from '../steps/tree.ts';

/** Interval after which an incomplete or failing step is retried. */
const RETRY_INTERVAL_MS = 15 * 60_000;

export type MovingRun = store.Moved & Subscriber & { left: store.Trail; past: ReadonlySet<number> };

export type WalkOptions = {
  accountId: number;
  active: ActiveWorkflows;
  now: Date;
  options: SendingOptions;
  tally: Tally;
  assumptions?: readonly Assumption[] | undefined;
  /** For a dry run: the times of its handoffs so far, and its start. */
  dry?: { contacts: Map<number, Date[]>; since: Date } | undefined;
};

export class Walk {
  private readonly tx: Tx;
  private readonly accountId: number;
  private readonly active: ActiveWorkflows;
  private readonly now: Date;
  private readonly tally: Tally;
  private readonly world: World;

  constructor(tx: Tx, on: WalkOptions) {
    this.tx = tx;
    this.accountId = on.accountId;
    this.active = on.active;
    this.now = on.now;
    this.tally = on.tally;
    const { now, options, assumptions, dry } = on;
    const contacts = dry?.contacts ?? new Map<number, Date[]>();
    this.world = { now, options, assumptions, contacts, dryFrom: dry?.since };
  }

  async run(due: readonly store.RunRow[]): Promise<MovingRun[]> {
    const ids = [...new Set(due.map((run) => run.subscriber_id))];
    const living = new Set(await filterMatching(this.tx, this.accountId, [], ids, this.now));
    const all = due.map(movingRun);
    for (const run of all) if (!living.has(run.subscriberId)) this.end(run, 'deleted');
    let moving = all.filter((run) => run.ended_at === null);
    while (moving.length > 0) {
      const groups = Map.groupBy(moving, (run) => run.step_id);
      const next: MovingRun[] = [];
      for (const group of groups.values()) next.push(...(await this.atStep(group)));
      moving = next;
    }
    await store.saveRuns(this.tx, this.accountId, all);
    await this.reportEnded(all.filter((run) => run.ended_at !== null));
    return all;
  }

  private async reportEnded(ended: readonly MovingRun[]): Promise<void> {
    const { accountId, now: at } = this;
    const groups = Map.groupBy(ended, (run) => `${run.workflow_id} ${run.outcome}`);
    for (const group of groups.values()) {
      const [{ workflow_id: workflowId, outcome }] = group as [MovingRun];
      const subscriberIds = group.map((run) => run.subscriberId);
      const facts = { accountId, workflowId, subscriberIds, outcome: outcome ?? 'completed', at };
      await runsEnded.announce(this.tx, facts);
    }
  }

  /** Runs one step for a set of subscribers; returns those who moved to another step. */
  private async atStep(group: MovingRun[]): Promise<MovingRun[]> {
    const [{ workflow_id, step_id }] = group as [MovingRun];
    const workflow = this.active.get(workflow_id) as { tree: Tree };
    const { tree } = workflow;
    const step = tree.byId.get(step_id);
    if (!step || step.removed_at !== null) return this.toSuccessor(group, step, tree);
    const sides = Map.groupBy(group, (run) => run.is_begun || isDone(run, step));
    const through = sides.get(true) ?? [];
    const arriving = sides.get(false) ?? [];
    const results: Results = new Map(
      through.map((run) => [
        run.key,
        { is: 'left', path: 'TRUE', note: run.is_begun ? '' : 'already_done' },
      ]),
    );
    const leaving = await this.leaving(step, arriving);
    for (const [key, result] of leaving) results.set(key, result);
    const staying = arriving.filter((run) => !leaving.has(run.key));
    for (const [key, result] of await this.runStep(step, staying, tree)) results.set(key, result);
    return group.filter((run) => this.apply(run, results.get(run.key) as Result, step, tree));
  }

  /**
   * Before a message, marks the subscribers who reached the goal, and finds those whose runs end:
   * by the goal, an unsubscribe, or the filter.
   */
  private async leaving(step: StepRow, arriving: readonly MovingRun[]): Promise<Results> {
    if ((step.type !== 'EMAIL' && step.type !== 'SMS') || arriving.length === 0) return new Map();
    const workflow = this.active.get(step.workflow_id);
    if (!workflow) return new Map();
    const { reached, leaving } = await findExits(this.tx, workflow, arriving, this.now);
    for (const run of arriving) if (reached.has(run.key)) run.goal_at ??= this.now;
    return leaving;
  }

  private toSuccessor(group: MovingRun[], step: StepRow | undefined, tree: Tree): MovingRun[] {
    const successor = successorOf(step, tree);
    return group.filter((run) => {
      this.count(run, run.step_id, 'step_removed');
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
    step: StepRow,
    arriving: readonly MovingRun[],
    tree: Tree,
  ): Promise<Results> {
    if (arriving.length === 0) return new Map();
    const known = await readKnown(this.tx, this.accountId, [step]);
    if (missingOf(step, tree, known).length > 0)
      return this.holdAtStep(step, arriving, 'incomplete', 'incomplete');
    try {
      const results = await inSavepoint(this.tx, () =>
        executeStep(this.tx, step, arriving, this.world),
      );
      if (step.problem !== null) await this.setProblem(step, null);
      return results;
    } catch (error) {
      if (isRetriable(error)) throw error;
      const { code = 'failed' } = error as { code?: string };
      log.warn('Workflow step failed', { accountId: this.accountId, step: step.id, error });
      return this.holdAtStep(
        step,
        arriving,
        /^[a-z_]{3,60}$/.test(code) ? code : 'failed',
        'failed',
      );
    }
  }

  private async holdAtStep(
    step: StepRow,
    people: readonly MovingRun[],
    problem: string,
    holdReason: 'incomplete' | 'failed',
  ): Promise<Results> {
    await this.setProblem(step, problem);
    const until = new Date(this.now.getTime() + RETRY_INTERVAL_MS);
    return new Map(
      people.map((person) => [
        person.key,
        { is: 'waits', until, isStarted: false, heldFor: holdReason } as const,
      ]),
    );
  }

  private async setProblem(step: StepRow, problem: string | null): Promise<void> {
    if (step.problem === problem) return;
    step.problem = problem;
    await updateStep(this.tx, this.accountId, step.id, { problem });
  }

  /** Returns true if the subscriber moved to another step. */
  private apply(run: MovingRun, result: Result, step: StepRow, tree: Tree): boolean {
    if (result.is === 'waits') {
      const { until: wake_at, isStarted: is_begun, heldFor: held_for = null } = result;
      Object.assign(run, { wake_at, is_begun, held_for });
      return false;
    }
    const isEnd = result.is === 'ended';
    const note = isEnd ? result.outcome : result.note;
    run.left.push([step.id, this.now.getTime(), note]);
    this.count(run, step.id, isEnd || !result.messageId ? note || 'passed' : 'sent');
    const child = isEnd ? undefined : tree.childOn(step.id, result.path);
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
    const here = { step_id: stepId, is_begun: false, held_for: null, heldFor: null };
    Object.assign(run, { ...here, arrivedAt: this.now });
    this.count(run, stepId, 'entered');
  }

  private count(run: MovingRun, stepId: number, outcome: string): void {
    this.tally.add(run.workflow_id, stepId, outcome);
  }

  private end(run: MovingRun, outcome: string): void {
    if (outcome === 'deleted') this.count(run, run.step_id, 'deleted');
    Object.assign(run, { ended_at: this.now, outcome, wake_at: null, held_for: null });
  }
}

/** True for a message or action that the run has executed before, since a run executes it only once. */
function isDone(run: MovingRun, step: StepRow): boolean {
  const isOnce = step.type === 'EMAIL' || step.type === 'SMS' || step.type === 'ACTION';
  return isOnce && (run.past.has(step.id) || run.left.some(([id]) => id === step.id));
}

/** The step at which subscribers of a removed step continue. */
export function successorOf(step: StepRow | undefined, tree: Tree): StepRow | undefined {
  let successor = step;
  while (successor && successor.removed_at !== null)
    successor = successor.heir_id === null ? undefined : tree.byId.get(successor.heir_id);
  return successor;
}

function movingRun(run: store.RunRow, key: number): MovingRun {
  const { trail } = run;
  const messages = trail.flatMap(([step, at, note]) => {
    const id = /^message:(\d+)$/.exec(note)?.[1];
    return id ? [[step, { id: Number(id), at: new Date(at) }] as const] : [];
  });
  const lastAt = trail.at(-1)?.[1];
  const { workflow_id, subscriber_id, subject, step_id, is_begun, wake_at, held_for, goal_at } =
    run;
  return {
    ...{ workflow_id, subscriber_id, subject, step_id, is_begun, wake_at, held_for, goal_at },
    ...{ ended_at: null, outcome: null, left: [], key },
    ...{ subscriberId: run.subscriber_id, pass: run.pass, depth: run.depth },
    facts: run.facts as Subscriber['facts'],
    heldFor: run.held_for,
    enteredAt: run.entered_at,
    arrivedAt: lastAt === undefined ? run.entered_at : new Date(lastAt),
    dueAt: run.wake_at ?? run.entered_at,
    messages: new Map(messages),
    past: new Set(trail.map(([step]) => step)),
  };
}
