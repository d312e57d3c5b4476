// Dry run: the engine moves one subscriber through the tree with a simulated clock in a transaction
// that is rolled back, so each step decides as in production and nothing is sent or stored.
import {
  ContentError,
  createMessageSource,
  toSubscriberValues,
  previewSource,
  type SendingOptions,
} from '#areas/content/server/index.ts';
import { readFields, readFieldValue } from '#areas/fields/server/index.ts';
import { addToGroups } from '#areas/groups/server/index.ts';
import { filterMatching } from '#areas/segments/server/index.ts';
import { createSubscriber, readSubscriber } from '#areas/subscribers/server/index.ts';
import { decodeId, encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import {
  type Db,
  inTransaction,
  type Reader,
  type Tx,
} from '#platform/server/database/database.ts';
import { invalid, notFound } from '#platform/server/errors.ts';
import type { WorkflowTrial } from '../../contract.ts';
import type { StepType } from '../../shared.ts';
import { type RunnableWorkflow, readWorkflowSettings } from '../runs/active.ts';
import { Tally } from '../runs/counts.sql.ts';
import { insertDryRuns, readDryRuns } from './dry-runs.sql.ts';
import { getStepEmail } from '../editing/email.ts';
import type { Assumption } from '../steps/results.ts';
import type { RunRow } from '../runs/runs.sql.ts';
import { computeBucket } from '#areas/experiments/server/index.ts';
import { readSteps, type WorkflowStepRow } from '../steps/steps.sql.ts';
import { StepTree } from '../steps/tree.ts';
import { Walk } from '../runs/walk.ts';
import { findWorkflow } from '../workflows.sql.ts';

const YEAR = 366 * 86_400_000;
/**
 * Maximum number of moves; a tree has fewer steps, and each holds a subscriber a few times at most.
 */
const MAX_MOVES = 600;

export type TrialInput = {
  subscriber?: number | undefined;
  person?:
    | {
        email: string;
        phone?: string | undefined;
        firstname?: string | undefined;
        lastname?: string | undefined;
        groups: number[];
        fields: Record<string, string | number>;
      }
    | undefined;
  at?: string | undefined;
  assumptions: { step_id: number; activity: Assumption['activity']; after_minutes: number }[];
};

class DryRunRollback extends Error {
  readonly result: unknown;
  constructor(result: unknown) {
    super('Rolled back: a dry run stores nothing');
    this.result = result;
  }
}

/** Runs the work, returns its result and rolls the transaction back. */
export async function runAndRollBack<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  try {
    return await inTransaction(db, async (tx) => {
      throw new DryRunRollback(await work(tx));
    });
  } catch (error) {
    if (error instanceof DryRunRollback) return error.result as T;
    throw error;
  }
}

/** Returns the workflow as if it were active. */
export async function loadAsActive(
  db: Reader,
  accountId: number,
  id: number,
): Promise<RunnableWorkflow> {
  const row = await findWorkflow(db, accountId, id);
  if (!row) throw notFound();
  const tree = new StepTree(await readSteps(db, accountId, [id], 'all'));
  return { row, tree, settings: readWorkflowSettings(row) };
}

export function runTrial(
  db: Db,
  accountId: number,
  id: number,
  input: TrialInput,
  options: SendingOptions,
): Promise<WorkflowTrial> {
  if ((input.subscriber === undefined) === (input.person === undefined))
    throw invalid({ subscriber: ['errors.fields.choice'] });
  return runAndRollBack(db, async (tx) => {
    const workflow = await loadAsActive(tx, accountId, id);
    const subscriberId = await resolveSubscriber(tx, accountId, input);
    const at = input.at ? new Date(input.at) : clock.now();
    const entryRefusal = await findEntryRefusal(tx, workflow, subscriberId, at);
    await insertDryRuns(tx, accountId, id, workflow.tree.trigger.id, [{ id: subscriberId, at }]);
    const run = await runToEnd(tx, workflow, at, {
      options,
      assumptions: readAssumptions(input),
    });
    return present(tx, workflow, run, { subscriberId, entryRefusal, options });
  });
}

const readAssumptions = (input: TrialInput): Assumption[] =>
  input.assumptions.map((assumption) => ({
    stepId: assumption.step_id,
    activity: assumption.activity,
    afterMs: assumption.after_minutes * 60_000,
  }));

async function resolveSubscriber(tx: Tx, accountId: number, input: TrialInput): Promise<number> {
  if (input.subscriber !== undefined)
    return (await readSubscriber(tx, accountId, input.subscriber)).id;
  const { groups, fields, ...subscriber } = input.person as NonNullable<TrialInput['person']>;
  const fieldValues: Record<number, string | number | null> = {};
  for (const [key, value] of Object.entries(fields)) {
    const fieldId = decodeId('field', key) ?? 0;
    fieldValues[fieldId] = await readFieldValue(tx, accountId, fieldId, value);
  }
  const { id } = await createSubscriber(tx, accountId, {
    ...subscriber,
    fieldValues,
    source: 'manual',
  });
  const membership = { groupIds: groups, subscriberIds: [id], origin: 'bulk' } as const;
  if (groups.length > 0) await addToGroups(tx, accountId, membership);
  return id;
}

async function findEntryRefusal(
  tx: Tx,
  { row, settings }: RunnableWorkflow,
  subscriberId: number,
  at: Date,
): Promise<string | null> {
  const { entry_conditions: conditions } = settings;
  const allowedIds = await filterMatching(tx, row.account_id, conditions, [subscriberId], at);
  if (allowedIds.length === 0) return 'filter';
  return computeBucket(`holdout/${row.id}`, subscriberId) < settings.holdout * 100
    ? 'held_out'
    : null;
}

/**
 * Moves the subscriber from one due instant to the next, until the run ends, is stuck at an
 * incomplete or failing step, is due more than three years after the start, or has made `MAX_MOVES`
 * moves.
 */
async function runToEnd(
  tx: Tx,
  workflow: RunnableWorkflow,
  start: Date,
  context: { options: SendingOptions; assumptions: readonly Assumption[] },
): Promise<RunRow> {
  const { account_id: accountId, id } = workflow.row;
  const activeWorkflows = new Map([[id, workflow]]);
  const handoffTimes = new Map<number, Date[]>();
  const dryRun = { handoffTimes, since: clock.now() };
  for (let moves = 0; ; moves++) {
    const [run] = await readDryRuns(tx, accountId, id);
    if (!run) throw notFound();
    const { wake_at: now, held_for: holdReason } = run;
    const isStuck = holdReason === 'incomplete' || holdReason === 'failed';
    const isFar = now !== null && now.getTime() > start.getTime() + 3 * YEAR;
    if (now === null || isStuck || isFar || moves >= MAX_MOVES) return run;
    const tally = new Tally();
    await new Walk(tx, {
      accountId,
      activeWorkflows,
      now,
      tally,
      dryRun,
      ...context,
    }).run([run]);
  }
}

async function present(
  tx: Tx,
  { tree }: RunnableWorkflow,
  run: RunRow,
  context: { subscriberId: number; entryRefusal: string | null; options: SendingOptions },
): Promise<WorkflowTrial> {
  const steps: WorkflowTrial['steps'] = [];
  let enteredAt = run.entered_at;
  for (const [stepId, at, note] of run.trail) {
    const step = tree.byId.get(stepId);
    if (!step) continue;
    const leftAt = new Date(at);
    const isSent = note.startsWith('message:');
    const email =
      isSent && step.type === 'EMAIL' ? await renderTrialEmail(tx, step, leftAt, context) : null;
    steps.push({
      ...presentStep(step, enteredAt),
      left_at: leftAt.toISOString(),
      note: isSent ? 'sent' : note,
      email,
    });
    enteredAt = leftAt;
  }
  const currentStep = run.ended_at === null ? tree.byId.get(run.step_id) : undefined;
  if (currentStep) {
    const holdNote = currentStep.problem ?? run.held_for ?? 'waits';
    steps.push({
      ...presentStep(currentStep, enteredAt),
      left_at: null,
      note: holdNote,
      email: null,
    });
  }
  return { kept_out: context.entryRefusal, steps, outcome: run.outcome };
}

const presentStep = (step: WorkflowStepRow, enteredAt: Date) => ({
  step_id: encodeId('step', step.id),
  type: step.type as StepType,
  came_at: enteredAt.toISOString(),
});

async function renderTrialEmail(
  tx: Tx,
  step: WorkflowStepRow,
  at: Date,
  { subscriberId, options }: { subscriberId: number; options: SendingOptions },
) {
  const subscriber = await readSubscriber(tx, step.account_id, subscriberId);
  const values = toSubscriberValues(subscriber, await readFields(tx, step.account_id));
  try {
    const source = await createMessageSource(tx, getStepEmail(step), options);
    const { subject, html, text } = await previewSource({ ...source, message_id: 0 }, values, at);
    return { subject, html, text };
  } catch (error) {
    if (error instanceof ContentError) return null;
    throw error;
  }
}
