// Workflows: list, create, update, copy, activate, deactivate and delete, and start for one
// subscriber.
import { checkEmail, type SendingOptions } from '#areas/content/server/index.ts';
import {
  cancelStreams,
  pauseStreams,
  resumeStreams,
  type Sources,
} from '#areas/delivery/server/ledger/index.ts';
import type { PlaceFilter } from '#areas/folders/server/index.ts';
import { findSubscriber, upsertSubscriber } from '#areas/subscribers/server/index.ts';
import type { ListRequest } from '#platform/contract.ts';
import { encodeId } from '#platform/ids.ts';
import { auditedText, recordChange } from '#platform/server/audit.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { AppError, notFound } from '#platform/server/errors.ts';
import { addJob } from '#platform/server/jobs/jobs.ts';
import { requireCallerRight } from '#platform/server/http/rights.ts';
import { sendChangeHint } from '#platform/server/live/live.ts';
import { buildListResponse } from '#platform/server/database/lists.ts';
import type { Workflow } from '../contract.ts';
import { MAX_WORKFLOWS, type WorkflowStatus } from '../shared.ts';
import { readWorkflowSettings, type WorkflowSettings } from './runs/active.ts';
import { describeDraft, describeSettings } from './editing/audited.ts';
import { getStepEmail } from './editing/email.ts';
import { deleteWorkflowDataJob } from './delete-data.ts';
import { findListeners, insertFacts, setListeners } from './entering/listeners.sql.ts';
import { updateListeners } from './entering/listeners.ts';
import { remapReferences } from './editing/branches.ts';
import { scheduleAccountTurn, wakeAccount } from './runs/runs.sql.ts';
import { readTriggerSegment, determineInitialMembers } from './entering/segment-members.ts';
import { listMissingOfTree, readKnown } from './steps/readiness.ts';
import { readReports } from './insight/report.ts';
import {
  copyStep,
  saveVersion,
  lockWorkflow,
  presentTree,
  readTree,
  type StepEditor,
} from './editing/steps.ts';
import { countSubscribers, insertStep, readSteps } from './steps/steps.sql.ts';
import { StepTree } from './steps/tree.ts';
import * as store from './workflows.sql.ts';
import type { WorkflowRow } from './workflows.sql.ts';

async function present(
  db: Reader,
  accountId: number,
  rows: readonly WorkflowRow[],
): Promise<Workflow[]> {
  const ids = rows.map((row) => row.id);
  const steps = await readSteps(db, accountId, ids);
  const knownIds = await readKnown(db, accountId, steps);
  const subscriberCounts = await countSubscribers(db, accountId, ids);
  const reports = await readReports(db, accountId, ids);
  const byWorkflow = Map.groupBy(steps, (step) => step.workflow_id);
  return rows.map((row) => ({
    id: encodeId('workflow', row.id),
    title: row.title,
    status: row.status as WorkflowStatus,
    settings: readWorkflowSettings(row),
    version: row.version,
    missing: listMissingOfTree(new StepTree(byWorkflow.get(row.id) ?? []), knownIds).map(
      (missingStep) => ({
        code: missingStep.code,
        step_id: missingStep.stepId === null ? null : encodeId('step', missingStep.stepId),
      }),
    ),
    people: subscriberCounts.get(row.id) ?? { entered: 0, inside: 0, ended: 0 },
    figures: reports(row.id),
    created: row.created_at.toISOString(),
    modified: row.modified_at.toISOString(),
  }));
}

export async function requireWorkflowRow(
  db: Reader,
  accountId: number,
  id: number,
): Promise<WorkflowRow> {
  const row = await store.findWorkflow(db, accountId, id);
  if (!row) throw notFound();
  return row;
}

export async function readWorkflow(db: Reader, accountId: number, id: number): Promise<Workflow> {
  const [workflow] = await present(db, accountId, [await requireWorkflowRow(db, accountId, id)]);
  return workflow as Workflow;
}

export async function readWorkflowWithSteps(db: Reader, accountId: number, id: number) {
  const workflow = await readWorkflow(db, accountId, id);
  return { ...workflow, steps: await presentTree(db, accountId, id) };
}

export async function listWorkflows(
  db: Reader,
  accountId: number,
  {
    list,
    status,
    titlePrefix,
    place,
  }: {
    list: ListRequest<'modified' | 'created' | 'title'>;
    status?: WorkflowStatus | undefined;
    titlePrefix?: string | undefined;
    place?: PlaceFilter | undefined;
  },
) {
  const filter = { status, titlePrefix, search: list.search, place };
  const { data, meta } = await buildListResponse(
    list,
    {
      rows: (slice) => store.listWorkflows(db, accountId, filter, list, slice),
      total: () => store.countListed(db, accountId, filter),
    },
    (row) => row,
  );
  return { data: await present(db, accountId, data), ...(meta && { meta }) };
}

/** Errors: `too_many_workflows`. */
export async function insertDraft(
  tx: Tx,
  { accountId }: StepEditor,
  row: { title: string; settings?: string },
): Promise<number> {
  if ((await store.countWorkflows(tx, accountId)) >= MAX_WORKFLOWS)
    throw new AppError('too_many_workflows', { values: { most: MAX_WORKFLOWS } });
  return store.insertWorkflow(tx, accountId, row, clock.now());
}

export async function createWorkflow(tx: Tx, caller: StepEditor, title: string): Promise<Workflow> {
  const id = await insertDraft(tx, caller, { title });
  const trigger = { workflow_id: id, type: 'trigger', parent_id: null, condition_path: 'TRUE' };
  await insertStep(tx, caller.accountId, trigger, clock.now());
  recordChange({ after: { title: auditedText(title) } });
  await saveVersion(tx, caller, id, 1);
  sendChangeHint(tx, caller.accountId, 'workflow', id);
  return readWorkflow(tx, caller.accountId, id);
}

type WorkflowChange = { title?: string | undefined; settings?: WorkflowSettings | undefined };

export async function updateWorkflow(
  tx: Tx,
  accountId: number,
  id: number,
  change: WorkflowChange,
): Promise<Workflow> {
  const row = await lockWorkflow(tx, accountId, id);
  if (change.settings && row.status === 'ACTIVE') requireCallerRight('send');
  await store.updateWorkflow(tx, accountId, id, {
    ...(change.title !== undefined && { title: change.title }),
    ...(change.settings && { settings: JSON.stringify(change.settings) }),
    modified_at: clock.now(),
  });
  recordChange({
    before: describeWorkflow({
      title: change.title === undefined ? undefined : row.title,
      settings: change.settings && readWorkflowSettings(row),
    }),
    after: describeWorkflow(change),
  });
  if (change.settings) await updateListeners(tx, { ...row, settings: change.settings });
  sendChangeHint(tx, accountId, 'workflow', id);
  return readWorkflow(tx, accountId, id);
}

/** Returns a workflow's values for the audit log. */
const describeWorkflow = ({ title, settings }: WorkflowChange) => ({
  ...(title !== undefined && { title: auditedText(title) }),
  ...(settings && { settings: describeSettings(settings) }),
});

export async function duplicateWorkflow(
  tx: Tx,
  caller: StepEditor,
  id: number,
  title: string | undefined,
): Promise<Workflow> {
  const row = await requireWorkflowRow(tx, caller.accountId, id);
  const settings = JSON.stringify(row.settings);
  const copy = await insertDraft(tx, caller, { title: title ?? row.title, settings });
  const tree = await readTree(tx, caller.accountId, id);
  const copies = new Map<number, number>();
  for (const step of tree.listOrdered()) {
    const parentId = step.parent_id === null ? null : (copies.get(step.parent_id) ?? null);
    const position = {
      workflow_id: copy,
      parent_id: parentId,
      condition_path: step.condition_path,
    };
    copies.set(step.id, await copyStep(tx, caller, remapReferences(step, copies), position));
  }
  const steps = await saveVersion(tx, caller, copy, 1);
  recordChange({ after: describeDraft(title ?? row.title, steps) });
  return readWorkflow(tx, caller.accountId, copy);
}

/** Calls `work` with the delivery streams of the emails, and then of the SMS, of the workflow. */
async function changeWithStreams(
  tx: Tx,
  accountId: number,
  id: number,
  work: (tx: Tx, sources: Sources) => Promise<void>,
): Promise<void> {
  const steps = await readSteps(tx, accountId, [id], 'all');
  const sourceIds = steps.map((step) => step.id);
  await work(tx, { accountId, kind: 'workflow', sourceIds });
  await work(tx, { accountId, kind: 'sms_workflow', sourceIds });
}

/**
 * Requires that all steps are complete and at least one of them acts. @throws `workflow_not_ready`
 */
async function requireComplete(tx: Tx, accountId: number, id: number): Promise<StepTree> {
  const tree = await readTree(tx, accountId, id);
  const missing = listMissingOfTree(tree, await readKnown(tx, accountId, tree.steps));
  if (missing.length > 0) {
    const missingSteps = missing.map(({ code, stepId }) => ({
      ...{ code, step_id: stepId === null ? null : encodeId('step', stepId) },
    }));
    throw new AppError('workflow_not_ready', { extra: { missing: missingSteps } });
  }
  return tree;
}

/** Requires that each email of an inactive workflow can be sent. @throws `workflow_not_ready` */
export async function requireSendable(
  tx: Tx,
  accountId: number,
  id: number,
  options: SendingOptions,
): Promise<void> {
  const row = await lockWorkflow(tx, accountId, id);
  if (row.status === 'ACTIVE') return;
  const tree = await requireComplete(tx, accountId, id);
  const missing: { code: string; step_id: string; findings: string[] }[] = [];
  for (const step of tree.listOrdered()) {
    if (step.type !== 'EMAIL') continue;
    const emailFindings = await checkEmail(tx, getStepEmail(step), options);
    const errors = emailFindings
      .filter((finding) => finding.severity === 'error')
      .map((finding) => finding.code);
    const step_id = encodeId('step', step.id);
    if (errors.length > 0) missing.push({ code: 'email_errors', step_id, findings: errors });
  }
  if (missing.length > 0) throw new AppError('workflow_not_ready', { extra: { missing } });
}

export async function activateWorkflow(tx: Tx, accountId: number, id: number): Promise<Workflow> {
  const row = await lockWorkflow(tx, accountId, id);
  if (row.status === 'ACTIVE') return readWorkflow(tx, accountId, id);
  const tree = await requireComplete(tx, accountId, id);
  const at = clock.now();
  const change = { status: 'ACTIVE', activated_at: at, swept_at: at, modified_at: at };
  await store.updateWorkflow(tx, accountId, id, change);
  const active = { ...row, ...change };
  await updateListeners(tx, active);
  const conditions = await readTriggerSegment(tx, { row, tree });
  if (conditions) await determineInitialMembers(tx, active, conditions, at);
  await scheduleAccountTurn(tx, accountId, at);
  await changeWithStreams(tx, accountId, id, resumeStreams);
  sendChangeHint(tx, accountId, 'workflow', id);
  return readWorkflow(tx, accountId, id);
}

/**
 * Deactivates once the current turn has ended, because a turn locks its workflows. Later turns do
 * not run the workflow.
 */
export async function deactivateWorkflow(tx: Tx, accountId: number, id: number): Promise<Workflow> {
  const row = await lockWorkflow(tx, accountId, id);
  if (row.status === 'ACTIVE') await stop(tx, accountId, id);
  return readWorkflow(tx, accountId, id);
}

async function stop(tx: Tx, accountId: number, id: number): Promise<void> {
  await store.updateWorkflow(tx, accountId, id, { status: 'DRAFT', modified_at: clock.now() });
  await setListeners(tx, accountId, id, []);
  await changeWithStreams(tx, accountId, id, pauseStreams);
  sendChangeHint(tx, accountId, 'workflow', id);
}

export async function deleteWorkflow(tx: Tx, accountId: number, id: number): Promise<void> {
  const row = await lockWorkflow(tx, accountId, id);
  const steps = (await readTree(tx, accountId, id)).listOrdered();
  recordChange({ before: { ...describeDraft(row.title, steps), status: row.status } });
  await stop(tx, accountId, id);
  await changeWithStreams(tx, accountId, id, cancelStreams);
  await store.updateWorkflow(tx, accountId, id, { deleted_at: clock.now() });
  await addJob(tx, deleteWorkflowDataJob, { accountId, workflowId: id });
}

async function addByApi(tx: Tx, accountId: number, email: string, userId: number) {
  const consent = { channel: 'email', kind: 'attested', source: 'api', userId } as const;
  return (await upsertSubscriber(tx, accountId, { email, source: 'api', consent })).row;
}

/**
 * Starts a workflow with an API trigger for the subscriber with this email address, who is added if
 * `addedBy` is given. Errors: `workflow_not_active` if the workflow is a draft or has another kind
 * of trigger; `subscriber_unknown` if the subscriber does not exist and `addedBy` is not given.
 */
export async function startFor(
  tx: Tx,
  accountId: number,
  id: number,
  email: string,
  { addedBy }: { addedBy?: number } = {},
): Promise<void> {
  const row = await requireWorkflowRow(tx, accountId, id);
  const listeners = await findListeners(tx, accountId, 'API', [id]);
  if (row.status !== 'ACTIVE' || !listeners.some((event) => event.kind === 'API'))
    throw new AppError('workflow_not_active');
  const subscriber =
    (await findSubscriber(tx, accountId, { email })) ??
    (addedBy !== undefined && (await addByApi(tx, accountId, email, addedBy)));
  if (!subscriber) throw new AppError('subscriber_unknown');
  const fact = { kind: 'API', ref: id, at: clock.now(), depth: 0, ids: [subscriber.id] };
  await insertFacts(tx, accountId, [{ ...fact, subject: 0, facts: null, isQuiet: false }]);
  await wakeAccount(tx, accountId, clock.now());
}
