// Reads and changes a workflow's tree. Each change locks the workflow and stores a version of the
// whole tree.
import { copyContent, type QuickFinding, listQuickFindings } from '#areas/content/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import { recordChange } from '#platform/server/audit.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { AppError, invalid, notFound } from '#platform/server/errors.ts';
import { type RightsHolder, requireRight } from '#platform/server/http/rights.ts';
import type { Actor } from '#platform/server/http/serve.ts';
import { sendChangeHint } from '#platform/server/live/live.ts';
import type { WorkflowStep } from '../../contract.ts';
import { MAX_STEPS, type StepType } from '../../shared.ts';
import { DATA } from '../../steps-contract.ts';
import { wakeAtStep } from '../history.sql.ts';
import { updateListeners } from '../entering/listeners.ts';
import { listMissing, readKnown } from '../steps/readiness.ts';
import { planRemoval } from '../steps/removal.ts';
import { wakeAccount } from '../runs/runs.sql.ts';
import * as store from '../steps/steps.sql.ts';
import { listPaths, StepTree } from '../steps/tree.ts';
import { describeChanges } from './audited.ts';
import { findWorkflow, insertVersion, updateWorkflow, type WorkflowRow } from '../workflows.sql.ts';

export type StepEditor = Actor & RightsHolder;
/** `userId` is null if the product itself changes the tree. */
type StepAuthor = { accountId: number; userId: number | null } & RightsHolder;

export async function lockWorkflow(tx: Tx, accountId: number, id: number): Promise<WorkflowRow> {
  const row = await findWorkflow(tx, accountId, id, 'update');
  if (!row) throw notFound();
  return row;
}

export async function readTree(db: Reader, accountId: number, id: number): Promise<StepTree> {
  return new StepTree(await store.readSteps(db, accountId, [id]));
}

export async function listSteps(
  db: Reader,
  accountId: number,
  id: number,
): Promise<WorkflowStep[]> {
  if (!(await findWorkflow(db, accountId, id))) throw notFound();
  return presentTree(db, accountId, id);
}

export async function presentTree(
  db: Reader,
  accountId: number,
  id: number,
): Promise<WorkflowStep[]> {
  const tree = await readTree(db, accountId, id);
  const knownIds = await readKnown(db, accountId, tree.steps);
  const countByStep = await store.countSubscribersByStep(db, accountId, [id]);
  const warnings = await readWarnings(db, accountId, id, tree);
  return tree.listOrdered().map((step) => {
    const missing = listMissing(step, tree, knownIds);
    return {
      id: encodeId('step', step.id),
      workflow_id: encodeId('workflow', id),
      type: step.type as StepType,
      parent_id: step.parent_id === null ? null : encodeId('step', step.parent_id),
      condition_path: step.condition_path,
      data: step.data as Record<string, unknown>,
      missing,
      complete: missing.length === 0,
      editor: step.content_kind as WorkflowStep['editor'],
      problem: step.problem,
      warnings: warnings.get(step.id) ?? [],
      revision: step.revision,
      here: countByStep.get(step.id) ?? 0,
      children: tree.listChildren(step.id).map((child) => encodeId('step', child.id)),
    };
  });
}

/**
 * Returns warnings about each email by step. Every subscriber in the workflow may reach any email,
 * so each coupon pool needs as many codes as there are subscribers in the workflow, or one code if
 * there are none.
 */
async function readWarnings(
  db: Reader,
  accountId: number,
  id: number,
  tree: StepTree,
): Promise<Map<number, QuickFinding[]>> {
  const inside = (await store.countSubscribers(db, accountId, [id])).get(id)?.inside ?? 0;
  const findings = new Map<number, QuickFinding[]>();
  for (const { id: stepId, content_id, content_revision: revision } of tree.listOrdered()) {
    if (content_id === null || revision === null) continue;
    const email = { accountId, content: { content_id, revision } };
    findings.set(stepId, await listQuickFindings(db, email, Math.max(1, inside)));
  }
  return findings;
}

/** Applies `work` to the current tree, then stores the new tree as a version. */
export async function changeTree<T>(
  tx: Tx,
  author: StepAuthor,
  id: number,
  work: (tree: StepTree, row: WorkflowRow) => Promise<T>,
): Promise<T> {
  const { accountId, userId } = author;
  const row = await lockWorkflow(tx, accountId, id);
  // A change of an active workflow takes effect on subscribers immediately, so it requires the
  // right to send.
  if (row.status === 'ACTIVE') requireRight(author, 'send');
  const tree = await readTree(tx, accountId, id);
  const result = await work(tree, row);
  if (row.status === 'ACTIVE') await updateListeners(tx, row);
  const at = clock.now();
  const version = row.version + 1;
  await updateWorkflow(tx, accountId, id, { version, modified_at: at });
  const steps = await saveVersion(tx, { accountId, userId }, id, version);
  recordChange(describeChanges(tree.listOrdered(), steps));
  sendChangeHint(tx, accountId, 'workflow', id);
  return result;
}

/** Stores the current tree as a version and returns the steps. */
export async function saveVersion(
  tx: Tx,
  { accountId, userId }: StepAuthor,
  id: number,
  number: number,
): Promise<store.WorkflowStepRow[]> {
  const steps = (await readTree(tx, accountId, id)).listOrdered();
  const tree = steps.map((step) => ({
    ...{ id: step.id, type: step.type, parent_id: step.parent_id, data: step.data },
    ...{ condition_path: step.condition_path },
    ...{ content_id: step.content_id, content_revision: step.content_revision },
    content_kind: step.content_kind,
  }));
  await insertVersion(tx, accountId, id, { number, tree, userId, at: clock.now() });
  return steps;
}

const createMisplacedError = () => new AppError('step_misplaced');

/**
 * Returns the step of this tree.
 * @throws `not_found` if the step is unknown or in another workflow
 */
export function requireStep(tree: StepTree, id: number) {
  const step = tree.byId.get(id);
  if (!step) throw notFound();
  return step;
}

export function resolvePath(tree: StepTree, parentId: number, path: string): string {
  const paths = listPaths(requireStep(tree, parentId));
  if (paths.length === 1) return paths[0] as string;
  if (!paths.includes(path)) throw createMisplacedError();
  return path;
}

export async function addStep(
  tx: Tx,
  caller: StepEditor,
  id: number,
  input: {
    parent_id: number;
    type: Exclude<StepType, 'trigger'>;
    condition_path: string;
    children_path: string;
  },
): Promise<number> {
  return changeTree(tx, caller, id, async (tree) => {
    if (tree.listOrdered().length >= MAX_STEPS)
      throw new AppError('too_many_steps', { values: { most: MAX_STEPS } });
    const { parent_id: parentId, type } = input;
    const path = resolvePath(tree, parentId, input.condition_path);
    const child = tree.findChild(parentId, path);
    const step = { workflow_id: id, type, parent_id: parentId, condition_path: path };
    const stepId = await store.insertStep(tx, caller.accountId, step, clock.now());
    if (child) {
      const below = type === 'CONDITION' ? input.children_path : 'TRUE';
      if (type === 'CONDITION' && !['TRUE', 'FALSE'].includes(below)) throw createMisplacedError();
      const position = { parent_id: stepId, condition_path: below };
      await store.updateStep(tx, caller.accountId, child.id, position);
    }
    return stepId;
  });
}

/**
 * Moves a step with the steps below it. The steps at the new position move below the last step of
 * the moved branch, which is found along the first path of each condition.
 */
export async function moveStep(
  tx: Tx,
  caller: StepEditor,
  id: number,
  stepId: number,
  to: { parent_id: number; condition_path: string },
): Promise<void> {
  await changeTree(tx, caller, id, async (tree) => {
    const step = requireStep(tree, stepId);
    const parent = requireStep(tree, to.parent_id);
    const isBelowItself = parent.id === step.id || tree.isBelow(parent.id, step.id);
    if (step.type === 'trigger' || isBelowItself) throw createMisplacedError();
    const path = resolvePath(tree, parent.id, to.condition_path);
    const existingChild = tree.findChild(parent.id, path);
    if (existingChild?.id === step.id) return;
    await store.updateStep(tx, caller.accountId, step.id, {
      parent_id: parent.id,
      condition_path: path,
    });
    if (!existingChild) return;
    const lastStep = tree.findLast(step.id);
    await store.updateStep(tx, caller.accountId, existingChild.id, {
      parent_id: lastStep.id,
      condition_path: listPaths(lastStep)[0] as string,
    });
  });
}

export async function removeStep(
  tx: Tx,
  caller: StepEditor,
  id: number,
  stepId: number,
  options: { delete_all_below: boolean; condition_path: string },
): Promise<void> {
  await changeTree(tx, caller, id, async (tree) => {
    const step = requireStep(tree, stepId);
    const at = clock.now();
    const { delete_all_below: includesBranch, condition_path: path } = options;
    const { removedIds, successorId } = planRemoval(tree, stepId, { includesBranch, path });
    const otherIds = removedIds.filter((id) => id !== stepId);
    await store.removeSteps(tx, caller.accountId, [stepId], successorId, at);
    if (otherIds.length > 0) await store.removeSteps(tx, caller.accountId, otherIds, null, at);
    // Subscribers at a removed step without successor leave the workflow in the account's next
    // turn, so the turn must run even if no other run is due.
    if (successorId === null || otherIds.length > 0) await wakeAccount(tx, caller.accountId, at);
    if (successorId !== null) {
      const position = { parent_id: step.parent_id, condition_path: step.condition_path };
      await store.updateStep(tx, caller.accountId, successorId, position);
    }
  });
}

export async function duplicateStep(
  tx: Tx,
  caller: StepEditor,
  id: number,
  stepId: number,
): Promise<number> {
  return changeTree(tx, caller, id, async (tree) => {
    const step = requireStep(tree, stepId);
    if (step.type === 'trigger') throw createMisplacedError();
    if (tree.listOrdered().length >= MAX_STEPS)
      throw new AppError('too_many_steps', { values: { most: MAX_STEPS } });
    const path = listPaths(step)[0] as string;
    const child = tree.findChild(step.id, path);
    const position = { workflow_id: id, parent_id: step.id, condition_path: path };
    const copy = await copyStep(tx, caller, step, position);
    if (child) {
      const below = { parent_id: copy, condition_path: path };
      await store.updateStep(tx, caller.accountId, child.id, below);
    }
    return copy;
  });
}

/** Creates a step with the same data and its own copy of the content. */
export async function copyStep(
  tx: Tx,
  { accountId, userId }: StepEditor,
  step: store.WorkflowStepRow,
  position: { workflow_id: number; parent_id: number | null; condition_path: string },
): Promise<number> {
  const content =
    step.content_id !== null && step.content_revision !== null
      ? await copyContent(
          tx,
          accountId,
          { content_id: step.content_id, revision: step.content_revision },
          userId,
        )
      : undefined;
  const row = { ...position, type: step.type, data: JSON.stringify(step.data) };
  return store.insertStep(
    tx,
    accountId,
    {
      ...row,
      ...(content && {
        content_id: content.content_id,
        content_revision: content.revision,
        content_kind: step.content_kind,
      }),
    },
    clock.now(),
  );
}

export async function saveStepData(
  tx: Tx,
  caller: StepEditor,
  id: number,
  stepId: number,
  data: Record<string, unknown>,
): Promise<void> {
  await changeTree(tx, caller, id, async (tree, row) => {
    const step = requireStep(tree, stepId);
    const isTrigger = step.type === 'trigger';
    if (isTrigger && row.status === 'ACTIVE') throw new AppError('workflow_active');
    const parsed = DATA[step.type as StepType].safeParse(data);
    if (!parsed.success) {
      const fields = parsed.error.issues.map((issue) => [
        ['data', ...issue.path].join('.'),
        ['errors.fields.type'],
      ]);
      throw invalid(Object.fromEntries(fields));
    }
    await remapPaths(tx, caller.accountId, tree, { ...step, data: parsed.data });
    await store.updateStep(tx, caller.accountId, stepId, {
      data: JSON.stringify(parsed.data),
      revision: step.revision + 1,
      problem: null,
    });
    // Subscribers held here continue: the step was incomplete or failed when they reached it.
    const at = clock.now();
    if ((await wakeAtStep(tx, caller.accountId, stepId, at, ['incomplete', 'failed'])) > 0)
      await wakeAccount(tx, caller.accountId, at);
  });
}

/**
 * If a change of a condition removes the path of a child, moves the child to the path with the same
 * index in the condition's new list of paths.
 * @throws `step_misplaced` if the new list is too short
 */
async function remapPaths(
  tx: Tx,
  accountId: number,
  tree: StepTree,
  changedStep: store.WorkflowStepRow,
): Promise<void> {
  if (changedStep.type !== 'CONDITION') return;
  const pathsBefore = listPaths(requireStep(tree, changedStep.id));
  const pathsAfter = listPaths(changedStep);
  for (const child of tree.listChildren(changedStep.id)) {
    if (pathsAfter.includes(child.condition_path)) continue;
    const path = pathsAfter[pathsBefore.indexOf(child.condition_path)];
    if (path === undefined) throw createMisplacedError();
    await store.updateStep(tx, accountId, child.id, { condition_path: path });
  }
}

export async function setTrigger(
  tx: Tx,
  caller: StepEditor,
  id: number,
  definition: Record<string, unknown>,
): Promise<void> {
  if (!(await findWorkflow(tx, caller.accountId, id))) throw notFound();
  const { trigger } = await readTree(tx, caller.accountId, id);
  await saveStepData(tx, caller, id, trigger.id, definition);
}
