// Calls of workflows, each defined as one line.
import {
  composingRoutes,
  listPreviewPeople,
  type SendingOptions,
} from '#areas/content/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import { type Handlers, type Route, serve } from '#platform/server/http/serve.ts';
import { ownCalls } from '../contract.ts';
import { stepEmails } from './editing/email.ts';
import { applyDelay, removalEffects, settleLate } from './editing/editing.ts';
import { workflowDays } from './insight/days.ts';
import { forecast } from './insight/forecast.ts';
import { copyBranch } from './editing/branches.ts';
import { readGuard, saveGuard } from './runs/guard.ts';
import { createFromRecipe } from './recipes/make.ts';
import { fullReport, reportsOf } from './insight/report.ts';
import { listRuns } from './runs.ts';
import { listStepActions, listStepLinks } from './insight/step-report.ts';
import * as steps from './editing/steps.ts';
import { tryWorkflow } from './insight/dry-run.ts';
import { presentVersions, readVersion, restoreVersion } from './editing/versions.ts';
import * as workflows from './workflows.ts';

export function workflowRoutes(options: SendingOptions): Route[] {
  const handlers: Handlers<typeof ownCalls> = {
    ...ofWorkflows,
    ...ofSteps,
    ...ofGuard,
    ...ofStepReport,
    ...ofInsight(options),
  };
  return [
    ...serve('workflows', ownCalls, handlers, {}, 'content'),
    ...composingRoutes(stepEmails, options),
  ];
}

type Own = Handlers<typeof ownCalls>;

const ofWorkflows = {
  listWorkflows: ({ tx, who, query }) => workflows.listWorkflows(tx, who.accountId, query),
  createWorkflow: async ({ tx, who, body }) => ({
    data: await workflows.createWorkflow(tx, who, body.title),
  }),
  createFromRecipe: async ({ tx, who, params, body }) => ({
    data: await createFromRecipe(tx, who, params.recipe, body.title),
  }),
  readWorkflow: async ({ tx, who, params }) => ({
    data: await workflows.readWhole(tx, who.accountId, params.id),
  }),
  updateWorkflow: async ({ tx, who, params, body }) => ({
    data: await workflows.updateWorkflow(tx, who.accountId, params.id, body),
  }),
  deleteWorkflow: async ({ tx, who, params }) => {
    await workflows.deleteWorkflow(tx, who.accountId, params.id);
    return { success: true as const };
  },
  duplicateWorkflow: async ({ tx, who, params, body }) => ({
    data: await workflows.duplicateWorkflow(tx, who, params.id, body.title),
  }),
  deactivateWorkflow: async ({ tx, who, params }) => ({
    data: await workflows.deactivate(tx, who.accountId, params.id),
  }),
  startWorkflow: async ({ tx, who, params, body }) => {
    await workflows.startFor(tx, who.accountId, params.id, body.email);
    return { success: true as const };
  },
  averageReport: async ({ tx, who, params }) => {
    await workflows.workflowRow(tx, who.accountId, params.id);
    return { data: (await reportsOf(tx, who.accountId, [params.id]))(params.id) };
  },
  listRuns: ({ tx, who, params, query }) => listRuns(tx, who.accountId, params.id, query),
  listVersions: async ({ tx, who, params }) => {
    await workflows.workflowRow(tx, who.accountId, params.id);
    return { data: await presentVersions(tx, who.accountId, params.id) };
  },
} satisfies Partial<Own>;

const ofSteps = {
  listSteps: async ({ tx, who, params }) => ({
    data: await steps.listSteps(tx, who.accountId, params.id),
  }),
  setTrigger: async ({ tx, who, params, body }) => {
    await steps.setTrigger(tx, who, params.id, body.trigger_definition);
    return { data: await steps.listSteps(tx, who.accountId, params.id) };
  },
  addStep: async ({ tx, who, params, body }) => {
    const id = await steps.addStep(tx, who, params.id, body);
    const all = await steps.listSteps(tx, who.accountId, params.id);
    return { data: { id: encodeId('step', id), steps: all } };
  },
  moveStep: async ({ tx, who, params, body }) => {
    await steps.moveStep(tx, who, params.id, params.stepId, body);
    return { data: await steps.listSteps(tx, who.accountId, params.id) };
  },
  removeStep: async ({ tx, who, params, body }) => {
    await steps.removeStep(tx, who, params.id, params.stepId, body);
    return { data: await steps.listSteps(tx, who.accountId, params.id) };
  },
  duplicateStep: async ({ tx, who, params }) => {
    const id = await steps.duplicateStep(tx, who, params.id, params.stepId);
    const all = await steps.listSteps(tx, who.accountId, params.id);
    return { data: { id: encodeId('step', id), steps: all } };
  },
  copyBranch: async ({ tx, who, params, body }) => {
    const id = await copyBranch(tx, who, params.id, params.stepId, body);
    const all = await steps.listSteps(tx, who.accountId, params.id);
    return { data: { id: encodeId('step', id), steps: all } };
  },
  saveStepData: async ({ tx, who, params, body }) => {
    await steps.saveStepData(tx, who, params.id, params.stepId, body.data);
    return { data: await steps.listSteps(tx, who.accountId, params.id) };
  },
} satisfies Partial<Own>;

const ofStepReport = {
  listStepActions: ({ tx, who, params, query }) =>
    listStepActions(tx, who.accountId, params, query),
  listStepLinks: async ({ tx, who, params }) => ({
    data: await listStepLinks(tx, who.accountId, params),
  }),
} satisfies Partial<Own>;

const ofGuard = {
  readContactGuard: async ({ tx, who }) => ({ data: await readGuard(tx, who.accountId) }),
  saveContactGuard: async ({ tx, who, body }) => ({
    data: await saveGuard(tx, who.accountId, body),
  }),
} satisfies Partial<Own>;

const ofInsight = (options: SendingOptions) =>
  ({
    activateWorkflow: async ({ tx, who, params }) => {
      await workflows.requireSendable(tx, who.accountId, params.id, options);
      const active = await workflows.activate(tx, who.accountId, params.id);
      return { data: active };
    },
    workflowDays: async ({ tx, who, params, query }) => ({
      data: await workflowDays(
        tx,
        await workflows.workflowRow(tx, who.accountId, params.id),
        query,
      ),
    }),
    workflowReport: async ({ tx, who, params }) => ({
      data: await fullReport(tx, await workflows.workflowRow(tx, who.accountId, params.id)),
    }),
    readVersion: async ({ tx, who, params }) => {
      await workflows.workflowRow(tx, who.accountId, params.id);
      return { data: await readVersion(tx, who.accountId, params.id, params.number) };
    },
    restoreVersion: async ({ tx, who, params, body }) => {
      await restoreVersion(tx, who, params.id, params.number, body.with_words);
      return { data: await steps.listSteps(tx, who.accountId, params.id) };
    },
    removalEffects: async ({ tx, who, params, query }) => {
      await workflows.workflowRow(tx, who.accountId, params.id);
      const below = query.delete_all_below === 'true' || query.delete_all_below === '1';
      const how = { below, path: query.condition_path };
      const { id, stepId } = params;
      return { data: await removalEffects(tx, who.accountId, id, stepId, how) };
    },
    applyDelay: async ({ tx, who, params }) => ({
      data: { people: await applyDelay(tx, who.accountId, params.id, params.stepId) },
    }),
    decideLate: async ({ tx, who, params, body }) => ({
      data: { people: await settleLate(tx, who.accountId, params.id, body.decision) },
    }),
    listTrialPeople: async ({ tx, who, params, query }) => {
      await workflows.workflowRow(tx, who.accountId, params.id);
      return { data: await listPreviewPeople(tx, who.accountId, query.search) };
    },
    tryWorkflow: async ({ db, who, params, body }) => ({
      data: await tryWorkflow(db, who.accountId, params.id, body, options),
    }),
    forecastWorkflow: async ({ db, who, params }) => ({
      data: await forecast(db, who.accountId, params.id, options),
    }),
  }) satisfies Partial<Own>;
