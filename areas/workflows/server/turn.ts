// A turn of one account: facts are taken in, and whoever is due moves on, in one transaction under the account's lock.
// A killed one has not happened: nobody is lost and no step is done twice.
import type { SendingOptions } from '#areas/content/server/index.ts';
import { matching } from '#areas/segments/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction, isRetriable, type Tx } from '#platform/server/database.ts';
import { isolateFailure } from '#platform/server/isolate-failure.ts';
import { log } from '#platform/server/log.ts';
import type { Poller } from '#platform/server/pollers.ts';
import { takeIn } from './entering.ts';
import { missingOf, readKnown } from './readiness.ts';
import * as store from './runs.sql.ts';
import { type Person, type Result, type Results, takeStep } from './stepping.ts';
import { readSteps, type StepRow, updateStep } from './steps.sql.ts';
import { Tree } from './tree.ts';
import type { WorkflowRow } from './workflows.sql.ts';

/** So many move in one turn. */
const RUNS_MOST = 10_000;
/** Where a step fails its people wait so long; it says why. */
const PARKED_MS = 15 * 60_000;

export function turnsPoller(options: SendingOptions): Poller {
  return {
    name: 'workflows.turns',
    everyMs: 1000,
    run: (db, signal) => takeTurns(db, options, signal),
  };
}

/** A turn for each account that has work, until a round finds none. */
export async function takeTurns(
  db: Db,
  options: SendingOptions,
  signal?: AbortSignal,
): Promise<void> {
  for (let round = 0; round < 50; round++) {
    let hasMoved = false;
    for (const accountId of await store.accountsWithWork(db, clock.now())) {
      if (signal?.aborted) return;
      const moved = await isolateFailure('A turn of workflows failed', { accountId }, () =>
        inTransaction(db, (tx) => takeTurn(tx, accountId, options)),
      );
      hasMoved ||= (moved ?? 0) > 0;
    }
    if (!hasMoved) return;
  }
}

type Active = ReadonlyMap<number, { row: WorkflowRow; tree: Tree }>;

/** Answers how many facts and people it moved. */
async function takeTurn(tx: Tx, accountId: number, options: SendingOptions): Promise<number> {
  if (!(await store.lockAccount(tx, accountId))) return 0;
  const now = clock.now();
  const rows = await store.holdActive(tx, accountId);
  const ids = rows.map((row) => row.id);
  const byWorkflow = Map.groupBy(
    await readSteps(tx, accountId, ids, 'all'),
    (step) => step.workflow_id,
  );
  const active: Active = new Map(
    rows.map((row) => [row.id, { row, tree: new Tree(byWorkflow.get(row.id) ?? []) }]),
  );
  const facts = await takeIn(tx, accountId, active, now);
  const due = await store.dueRuns(tx, accountId, ids, now, RUNS_MOST);
  await new Walk(tx, { accountId, active, now, options }).go(due);
  await store.setNext(tx, accountId, ids);
  return facts + due.length;
}

type Trail = [step: number, at: number, note: string][];
type Walker = store.Moved & Person & { left: Trail; past: ReadonlySet<number> };

/** People on their way through one turn, step by step in sets, until each waits or has ended. */
class Walk {
  private readonly tx: Tx;
  private readonly accountId: number;
  private readonly active: Active;
  private readonly now: Date;
  private readonly options: SendingOptions;

  constructor(
    tx: Tx,
    on: { accountId: number; active: Active; now: Date; options: SendingOptions },
  ) {
    this.tx = tx;
    this.accountId = on.accountId;
    this.active = on.active;
    this.now = on.now;
    this.options = on.options;
  }

  async go(due: readonly store.RunRow[]): Promise<void> {
    const living = new Set(
      await matching(
        this.tx,
        this.accountId,
        [],
        [...new Set(due.map((run) => run.subscriber_id))],
        this.now,
      ),
    );
    const all = due.map(walkerOf);
    for (const walker of all) if (!living.has(walker.subscriberId)) this.end(walker, 'deleted');
    let moving = all.filter((walker) => walker.ended_at === null);
    while (moving.length > 0) {
      const groups = Map.groupBy(moving, (walker) => walker.step_id);
      const next: Walker[] = [];
      for (const group of groups.values()) next.push(...(await this.atStep(group)));
      moving = next;
    }
    await store.saveRuns(this.tx, this.accountId, all);
  }

  /** All stand at the same step; returns those who have come to another one. */
  private async atStep(group: Walker[]): Promise<Walker[]> {
    const [{ workflow_id, step_id }] = group as [Walker];
    const { tree } = this.active.get(workflow_id) as { tree: Tree };
    const step = tree.byId.get(step_id);
    if (!step || step.removed_at !== null) return this.toHeir(group, step, tree);
    const through = group.filter((one) => one.is_begun || this.isDone(one, step));
    const coming = group.filter((one) => !through.includes(one));
    const results = new Map<number, Result>(
      through.map((one) => [
        one.subscriberId,
        { is: 'left', path: 'TRUE', note: one.is_begun ? '' : 'already_done' },
      ]),
    );
    for (const [id, result] of await this.take(step, coming, tree)) results.set(id, result);
    return group.filter((walker) => {
      const result = results.get(walker.subscriberId) as Result;
      return this.apply(walker, result, step, tree);
    });
  }

  /** Within one pass no email and no action happens twice. */
  private isDone(walker: Walker, step: StepRow): boolean {
    const isOnce = step.type === 'EMAIL' || step.type === 'ACTION';
    return isOnce && (walker.past.has(step.id) || walker.left.some(([id]) => id === step.id));
  }

  private toHeir(group: Walker[], step: StepRow | undefined, tree: Tree): Walker[] {
    let heir = step;
    while (heir && heir.removed_at !== null)
      heir = heir.heir_id === null ? undefined : tree.byId.get(heir.heir_id);
    return group.filter((walker) => {
      if (!heir) this.end(walker, 'step_removed');
      else Object.assign(walker, { step_id: heir.id, is_begun: false });
      return heir !== undefined;
    });
  }

  /** A step that fails keeps its people, and no others. */
  private async take(step: StepRow, coming: readonly Walker[], tree: Tree): Promise<Results> {
    if (coming.length === 0) return new Map();
    const known = await readKnown(this.tx, this.accountId, [step]);
    if (missingOf(step, tree, known).length > 0) return this.park(step, coming, 'incomplete');
    const { now, options } = this;
    try {
      const results = await store.inSavepoint(this.tx, () =>
        takeStep(this.tx, step, coming, { now, options }),
      );
      if (step.problem !== null) await this.say(step, null);
      return results;
    } catch (error) {
      if (isRetriable(error)) throw error;
      const { code = 'failed' } = error as { code?: string };
      log.warn('A step of a workflow failed', { accountId: this.accountId, step: step.id, error });
      return this.park(step, coming, /^[a-z_]{3,60}$/.test(code) ? code : 'failed');
    }
  }

  private async park(step: StepRow, people: readonly Walker[], problem: string): Promise<Results> {
    await this.say(step, problem);
    const until = new Date(this.now.getTime() + PARKED_MS);
    return new Map(
      people.map((one) => [one.subscriberId, { is: 'waits', until, isBegun: false } as const]),
    );
  }

  private say(step: StepRow, problem: string | null): Promise<void> {
    return updateStep(this.tx, this.accountId, step.id, { problem });
  }

  /** True where the person has come to another step. */
  private apply(walker: Walker, result: Result, step: StepRow, tree: Tree): boolean {
    if (result.is === 'waits') {
      Object.assign(walker, { wake_at: result.until, is_begun: result.isBegun });
      return false;
    }
    const isEnd = result.is === 'ended';
    walker.left.push([step.id, this.now.getTime(), isEnd ? result.outcome : result.note]);
    const child = isEnd ? undefined : tree.childOn(step.id, result.path);
    if (!child) {
      this.end(walker, isEnd ? result.outcome : 'completed');
      return false;
    }
    const message = /^message:(\d+)$/.exec(isEnd ? '' : result.note)?.[1];
    if (message) (walker.messages as Map<number, number>).set(step.id, Number(message));
    Object.assign(walker, { step_id: child.id, is_begun: false });
    return true;
  }

  private end(walker: Walker, outcome: string): void {
    Object.assign(walker, { ended_at: this.now, outcome, wake_at: null });
  }
}

function walkerOf(run: store.RunRow): Walker {
  const trail = run.trail as unknown as Trail;
  const messages = trail.flatMap(([step, , note]) => {
    const id = /^message:(\d+)$/.exec(note)?.[1];
    return id ? [[step, Number(id)] as const] : [];
  });
  return {
    ...{ workflow_id: run.workflow_id, subscriber_id: run.subscriber_id, step_id: run.step_id },
    ...{ is_begun: run.is_begun, wake_at: run.wake_at, ended_at: null, outcome: null, left: [] },
    ...{ subscriberId: run.subscriber_id, pass: run.pass, depth: run.depth },
    messages: new Map(messages),
    past: new Set(trail.map(([step]) => step)),
  };
}
