// The email of a step: its sender and envelope. The content area composes the body.
import type { Email, EmailAdapter } from '#areas/content/server/index.ts';
import { sendTest } from '#areas/delivery/server/ledger/index.ts';
import type { ContentKind } from '#areas/content/shared.ts';
import { encodeId } from '#platform/ids.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { notFound } from '#platform/server/errors.ts';
import { sendChangeHint } from '#platform/server/live/live.ts';
import { WORKFLOW_STEPS_PATH } from '../../contract.ts';
import { lockWorkflow } from './steps.ts';
import { findStep, type WorkflowStepRow, updateStep } from '../steps/steps.sql.ts';
import { getStepData } from '../steps/tree.ts';
import { getWorkflowTitle } from '../workflows.sql.ts';

async function requireEmailStep(
  db: Reader,
  accountId: number,
  id: number,
): Promise<WorkflowStepRow> {
  const step = await findStep(db, accountId, id);
  if (step?.type !== 'EMAIL') throw notFound();
  return step;
}

export function getStepEmail(step: WorkflowStepRow): Email {
  const { subject, preheader, from_name, from_email, reply_to, utm_campaign } = getStepData(
    step,
    'EMAIL',
  );
  const { content_id, content_revision: revision } = step;
  return {
    accountId: step.account_id,
    id: step.id,
    revision: step.revision,
    content: content_id === null || revision === null ? undefined : { content_id, revision },
    contentKind: step.content_kind as ContentKind | null,
    envelope: {
      kind: 'marketing',
      subject: subject ?? '',
      preheader: preheader ?? '',
      from: { name: from_name ?? '', email: from_email ?? '' },
      reply_to: reply_to ?? '',
      language: null,
      utm: utm_campaign ? createUtm(step, utm_campaign) : undefined,
    },
  };
}

function createUtm(step: WorkflowStepRow, campaign: string): Email['envelope']['utm'] {
  return {
    values: { campaign },
    at: null,
    readCampaign: async (db) => ({
      title: (await getWorkflowTitle(db, step.account_id, step.workflow_id)) ?? '',
      id: encodeId('workflow', step.workflow_id),
      groups: [],
    }),
  };
}

export const stepEmails: EmailAdapter = {
  area: 'workflows',
  basePath: WORKFLOW_STEPS_PATH,
  kind: 'step',
  lockErrors: {},
  find: async (db, accountId, id) => getStepEmail(await requireEmailStep(db, accountId, id)),
  lock: async (tx, accountId, id) => {
    const { workflow_id: workflowId } = await requireEmailStep(tx, accountId, id);
    const { status } = await lockWorkflow(tx, accountId, workflowId);
    const email = getStepEmail(await requireEmailStep(tx, accountId, id));
    return { ...email, rightToChange: status === 'ACTIVE' ? 'send' : undefined };
  },
  saveContent: async (tx, { accountId, id, revision }, { content, kind }) => {
    await updateStep(tx, accountId, id, {
      content_id: content.content_id,
      content_revision: content.revision,
      content_kind: kind,
      revision: revision + 1,
      problem: null,
    });
    sendChangeHint(tx, accountId, 'step', id);
  },
  sendTest,
};
