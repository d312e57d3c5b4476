// Handlers for the workflow endpoints of the public API.
import { encodeId } from '#platform/ids.ts';
import { type Route, createRoutes } from '#platform/server/http/serve.ts';
import { presentPage } from '#platform/server/http/v2.ts';
import { formatV2Time } from '#platform/v2-contract.ts';
import type { WorkflowStep, Workflow } from '../contract.ts';
import { type PublicStep, type PublicWorkflow, publicCalls } from '../public-contract.ts';
import { readReports } from './insight/report.ts';
import { listSteps } from './editing/steps.ts';
import * as workflows from './workflows.ts';

const STEPS_OF_BATCH = 500;

export const publicWorkflowRoutes: Route[] = createRoutes('workflows', publicCalls, {
  listWorkflows: async ({ tx, caller: { accountId }, query: { list, status, title }, request }) => {
    const filter = { list, titlePrefix: title, status: status as 'ACTIVE' | undefined };
    const page = await workflows.listWorkflows(tx, accountId, filter);
    return presentPage(request, page, (workflow) => present(accountId, workflow));
  },
  readWorkflow: async ({ tx, caller: { accountId }, params }) => {
    const workflow = await workflows.readWorkflow(tx, accountId, params.id);
    return { ...present(accountId, workflow), report: workflow.figures };
  },
  averageReport: async ({ tx, caller: { accountId }, params }) => {
    await workflows.requireWorkflowRow(tx, accountId, params.id);
    const reports = await readReports(tx, accountId, [params.id]);
    return { success: true as const, data: reports(params.id) };
  },
  listSteps: async ({ tx, caller: { accountId }, params, query }) => {
    const steps = await listSteps(tx, accountId, params.id);
    const firstIndex = query.batch_no * STEPS_OF_BATCH;
    return steps.slice(firstIndex, firstIndex + STEPS_OF_BATCH).map(presentStep);
  },
  startWorkflow: async ({ tx, caller, params, body }) => {
    await workflows.startFor(tx, caller.accountId, params.id, body.email, {
      addedBy: caller.userId,
    });
    return { success: true as const, message: 'Workflow has been started' };
  },
});

function present(accountId: number, workflow: Workflow): PublicWorkflow {
  const { id, title, status, created, modified, figures } = workflow;
  const { sent, opened, clicked, open_rate, click_rate } = figures;
  return {
    ...{ id, user_id: null, account_id: encodeId('account', accountId), title, status },
    created: formatV2Time(created),
    modified: formatV2Time(modified),
    emails_sent: sent,
    type: 'automation',
    description: '',
    thumbnail: null,
    workflow_category_id: null,
    index_report: { sent, opened, clicked, open_rate, click_rate },
  };
}

function presentStep(step: WorkflowStep): PublicStep {
  const { id, workflow_id, parent_id, type, condition_path, complete, here, children } = step;
  const isTrigger = type.toUpperCase() === 'TRIGGER';
  const { triggerType, delay_type } = step.data as { triggerType?: string; delay_type?: string };
  return {
    ...{ id, workflow_id, parent_id, type: type.toUpperCase(), condition_path, complete, children },
    trigger_type: triggerType ?? null,
    delay_type: delay_type ?? null,
    active_subscribers_count: here,
    thumbnail_url: null,
    trigger_definition: isTrigger ? step.data : null,
  };
}
