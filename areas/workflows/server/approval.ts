// Approval of an activation: what the approver sees of the workflow, and the digest that ends a
// request when the workflow changes.
import {
  type ApprovalKind,
  type ComparedOutline,
  hashState,
  type OutlineLine,
} from '#areas/approvals/server/index.ts';
import {
  readAttachedFiles,
  checkEmail,
  createEmailOutline,
  type SendingOptions,
} from '#areas/content/server/index.ts';
import { readSegmentConditions } from '#areas/segments/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { AppError } from '#platform/server/errors.ts';
import { WORKFLOW_STEPS_PATH } from '../contract.ts';
import { getStepEmail } from './editing/email.ts';
import { lockWorkflow, readTree } from './editing/steps.ts';
import { decodeOptionalId } from './steps/readiness.ts';
import type { WorkflowStepRow } from './steps/steps.sql.ts';
import { getStepData } from './steps/tree.ts';
import { activateWorkflow, requireSendable, requireWorkflowRow } from './workflows.ts';
import { findVersionAt, type WorkflowRow } from './workflows.sql.ts';

export function workflowApproval(options: SendingOptions): ApprovalKind {
  const computeDigest = async (tx: Tx, accountId: number, id: number) =>
    computeWorkflowDigest(tx, await requireWorkflowRow(tx, accountId, id));
  return {
    name: 'workflow_activate',
    idKind: 'workflow',
    computeDigest,
    lock: async (tx, accountId, id) => {
      await lockWorkflow(tx, accountId, id);
    },
    requirePossible: async (tx, accountId, id) => {
      const row = await requireWorkflowRow(tx, accountId, id);
      if (row.status === 'ACTIVE') throw new AppError('workflow_active', { status: 409 });
      await requireSendable(tx, accountId, id, options);
    },
    readFacts: async (tx, accountId, id) => {
      const row = await requireWorkflowRow(tx, accountId, id);
      const steps = (await readTree(tx, accountId, id)).listOrdered();
      const emails = steps.filter(({ type }) => type === 'EMAIL').map(getStepEmail);
      const findings = [];
      for (const email of emails) findings.push(...(await checkEmail(tx, email, options)));
      return {
        title: row.title,
        path: `/automation/builder/${encodeId('workflow', id)}`,
        digest: await computeDigest(tx, accountId, id),
        hasCeiling: false,
        // There is no audience at activation: subscribers enter later.
        ...{ scheduled: null, passesAt: null, audience: null, cost: null },
        findings,
        previews: emails.map((email) => ({
          title: email.envelope.subject,
          path: `${WORKFLOW_STEPS_PATH}/${encodeId('step', email.id)}/preview`,
        })),
        ...(await createOutline(tx, steps, options)),
      };
    },
    readPreviousOutline: (tx, accountId, id) => findActiveBefore(tx, accountId, id, options),
    run: async (tx, caller, id) => {
      await requireSendable(tx, caller.accountId, id, options);
      await activateWorkflow(tx, caller.accountId, id);
    },
  };
}

/** Computes a digest of settings, steps, content, files and the conditions of named segments. */
async function computeWorkflowDigest(tx: Tx, row: WorkflowRow): Promise<string> {
  const { account_id: accountId } = row;
  const steps = (await readTree(tx, accountId, row.id)).listOrdered();
  const segments = steps.flatMap((step) => {
    const { segment } = step.data as { segment?: unknown };
    const id = typeof segment === 'string' ? decodeOptionalId('segment', segment) : undefined;
    return id === undefined ? [] : [id];
  });
  const contents = [];
  for (const step of steps) {
    const files =
      step.type === 'EMAIL'
        ? (await readAttachedFiles(tx, getStepEmail(step))).map(({ key }) => key)
        : [];
    contents.push([
      ...[step.id, step.type, step.parent_id, step.condition_path, step.data],
      ...[step.content_id, step.content_revision, files],
    ]);
  }
  const conditions = await readSegmentConditions(tx, accountId, segments);
  return hashState([row.settings, contents, conditions]);
}

type OutlinedStep = Pick<
  WorkflowStepRow,
  'account_id' | 'id' | 'type' | 'data' | 'content_id' | 'content_revision'
>;

/** Creates an outline of the steps: plain values, text, and link hosts. */
async function createOutline(db: Reader, steps: readonly OutlinedStep[], options: SendingOptions) {
  const outline: OutlineLine[] = [];
  const hosts = new Set<string>();
  for (const step of steps) {
    const values = Object.entries(step.data as object)
      .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value) && value !== '')
      .map(([name, value]) => `${name}: ${String(value)}`);
    outline.push({ part: 'step', text: [step.type, ...values].join(' · ') });
    const { text: sms } = getStepData(step as WorkflowStepRow, 'SMS');
    if (step.type === 'SMS' && sms) outline.push({ part: 'text', text: sms });
    if (step.type !== 'EMAIL') continue;
    const emailOutline = await createEmailOutline(
      db,
      getStepEmail(step as WorkflowStepRow),
      options,
    );
    outline.push(...emailOutline.lines.map((text) => ({ part: 'text' as const, text })));
    for (const host of emailOutline.hosts) hosts.add(host);
  }
  return { outline, hosts: [...hosts].sort() };
}

/** Returns the outline of the last activated version, or undefined before the first activation. */
async function findActiveBefore(
  tx: Tx,
  accountId: number,
  id: number,
  options: SendingOptions,
): Promise<ComparedOutline | undefined> {
  const { activated_at: at } = await requireWorkflowRow(tx, accountId, id);
  const version = at === null ? undefined : await findVersionAt(tx, accountId, id, at);
  if (!version) return undefined;
  const steps = version.tree.map((step) => ({
    ...{ account_id: accountId, id: step.id, type: step.type, data: step.data },
    ...{ content_id: step.content_id, content_revision: step.content_revision },
  }));
  return { comparedWith: 'active', ...(await createOutline(tx, steps as OutlinedStep[], options)) };
}
