// Handlers for the endpoints of the workflow screens.
import {
  composingRoutes,
  listPreviewSubscribers,
  type SendingOptions,
} from '#areas/content/server/index.ts';
import { itemRoutes } from '#areas/folders/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import { type Handlers, type Route, createRoutes } from '#platform/server/http/serve.ts';
import { ownCalls } from '../contract.ts';
import { stepEmails } from './editing/email.ts';
import { applyDelay, previewRemoval, settleLate } from './editing/editing.ts';
import { listWorkflowDays } from './insight/days.ts';
import { forecastWorkflow } from './insight/forecast.ts';
import { copyBranch } from './editing/branches.ts';
import { getContactLimits, saveGuard } from './runs/sending-limits.ts';
import { createFromRecipe } from './recipes/create-from-recipe.ts';
import { getFullReport, readReports } from './insight/report.ts';
import { listWithPlaces, workflowItems } from './list.ts';
import { listRuns } from './runs.ts';
import { listStepActions, listStepLinks } from './insight/step-report.ts';
import * as steps from './editing/steps.ts';
import { presentSplits } from './splits/evaluate.ts';
import { runTrial } from './insight/dry-run.ts';
import { presentVersions, readVersion, restoreVersion } from './editing/versions.ts';
import * as workflows from './workflows.ts';

export function workflowRoutes(options: SendingOptions): Route[] {
  const handlers: Handlers<typeof ownCalls> = {
    ...ofWorkflows,
    ...ofSteps,
    ...ofGuard,
    ...ofStepReport,
    ...createInsightHandlers(options),
  };
  return [
    ...createRoutes('workflows', ownCalls, handlers, {}, 'content'),
    ...composingRoutes(stepEmails, options),
    ...itemRoutes(workflowItems),
  ];
}

type OwnHandlers = Handlers<typeof ownCalls>;

const ofWorkflows = {
  listWorkflows: ({ tx, caller, query }) => listWithPlaces(tx, caller.accountId, query),
  createWorkflow: ({ tx, caller, body }) => workflows.createWorkflow(tx, caller, body.title),
  createFromRecipe: ({ tx, caller, params, body }) =>
    createFromRecipe(tx, caller, params.recipe, body.title),
  readWorkflow: ({ tx, caller, params }) =>
    workflows.readWorkflowWithSteps(tx, caller.accountId, params.id),
  updateWorkflow: ({ tx, caller, params, body }) =>
    workflows.updateWorkflow(tx, caller.accountId, params.id, body),
  deleteWorkflow: ({ tx, caller, params }) =>
    workflows.deleteWorkflow(tx, caller.accountId, params.id),
  duplicateWorkflow: ({ tx, caller, params, body }) =>
    workflows.duplicateWorkflow(tx, caller, params.id, body.title),
  deactivateWorkflow: ({ tx, caller, params }) =>
    workflows.deactivateWorkflow(tx, caller.accountId, params.id),
  startWorkflow: ({ tx, caller, params, body }) =>
    workflows.startFor(tx, caller.accountId, params.id, body.email),
  averageReport: async ({ tx, caller, params }) => {
    await workflows.requireWorkflowRow(tx, caller.accountId, params.id);
    return (await readReports(tx, caller.accountId, [params.id]))(params.id);
  },
  listRuns: ({ tx, caller, params, query }) => listRuns(tx, caller.accountId, params.id, query),
  listVersions: async ({ tx, caller, params }) => {
    await workflows.requireWorkflowRow(tx, caller.accountId, params.id);
    return presentVersions(tx, caller.accountId, params.id);
  },
} satisfies Partial<OwnHandlers>;

const ofSteps = {
  listSteps: ({ tx, caller, params }) => steps.listSteps(tx, caller.accountId, params.id),
  setTrigger: async ({ tx, caller, params, body }) => {
    await steps.setTrigger(tx, caller, params.id, body.trigger_definition);
    return steps.listSteps(tx, caller.accountId, params.id);
  },
  addStep: async ({ tx, caller, params, body }) => {
    const id = await steps.addStep(tx, caller, params.id, body);
    const allSteps = await steps.listSteps(tx, caller.accountId, params.id);
    return { id: encodeId('step', id), steps: allSteps };
  },
  moveStep: async ({ tx, caller, params, body }) => {
    await steps.moveStep(tx, caller, params.id, params.stepId, body);
    return steps.listSteps(tx, caller.accountId, params.id);
  },
  removeStep: async ({ tx, caller, params, body }) => {
    await steps.removeStep(tx, caller, params.id, params.stepId, body);
    return steps.listSteps(tx, caller.accountId, params.id);
  },
  duplicateStep: async ({ tx, caller, params }) => {
    const id = await steps.duplicateStep(tx, caller, params.id, params.stepId);
    const allSteps = await steps.listSteps(tx, caller.accountId, params.id);
    return { id: encodeId('step', id), steps: allSteps };
  },
  copyBranch: async ({ tx, caller, params, body }) => {
    const id = await copyBranch(tx, caller, params.id, params.stepId, body);
    const allSteps = await steps.listSteps(tx, caller.accountId, params.id);
    return { id: encodeId('step', id), steps: allSteps };
  },
  saveStepData: async ({ tx, caller, params, body }) => {
    await steps.saveStepData(tx, caller, params.id, params.stepId, body.data);
    return steps.listSteps(tx, caller.accountId, params.id);
  },
} satisfies Partial<OwnHandlers>;

const ofStepReport = {
  listStepActions: ({ tx, caller, params, query }) =>
    listStepActions(tx, caller.accountId, params, query),
  listStepLinks: ({ tx, caller, params }) => listStepLinks(tx, caller.accountId, params),
} satisfies Partial<OwnHandlers>;

const ofGuard = {
  readContactGuard: ({ tx, caller }) => getContactLimits(tx, caller.accountId),
  saveContactGuard: ({ tx, caller, body }) => saveGuard(tx, caller.accountId, body),
} satisfies Partial<OwnHandlers>;

const createInsightHandlers = (options: SendingOptions) =>
  ({
    activateWorkflow: async ({ tx, caller, params }) => {
      await workflows.requireSendable(tx, caller.accountId, params.id, options);
      return workflows.activateWorkflow(tx, caller.accountId, params.id);
    },
    workflowDays: async ({ tx, caller, params, query }) =>
      await listWorkflowDays(
        tx,
        await workflows.requireWorkflowRow(tx, caller.accountId, params.id),
        query,
      ),
    workflowReport: async ({ tx, caller, params }) =>
      await getFullReport(tx, await workflows.requireWorkflowRow(tx, caller.accountId, params.id)),
    listSplits: async ({ tx, caller, params }) => {
      await workflows.requireWorkflowRow(tx, caller.accountId, params.id);
      return presentSplits(tx, caller.accountId, params.id);
    },
    readVersion: async ({ tx, caller, params }) => {
      await workflows.requireWorkflowRow(tx, caller.accountId, params.id);
      return readVersion(tx, caller.accountId, params.id, params.number);
    },
    restoreVersion: async ({ tx, caller, params, body }) => {
      await restoreVersion(tx, caller, params.id, params.number, body.with_words);
      return steps.listSteps(tx, caller.accountId, params.id);
    },
    removalEffects: async ({ tx, caller, params, query }) => {
      await workflows.requireWorkflowRow(tx, caller.accountId, params.id);
      const includesBranch = query.delete_all_below === 'true' || query.delete_all_below === '1';
      const removal = { includesBranch, path: query.condition_path };
      const { id, stepId } = params;
      return previewRemoval(tx, caller.accountId, id, stepId, removal);
    },
    applyDelay: async ({ tx, caller, params }) => ({
      people: await applyDelay(tx, caller.accountId, params.id, params.stepId),
    }),
    decideLate: async ({ tx, caller, params, body }) => ({
      people: await settleLate(tx, caller.accountId, params.id, body.decision),
    }),
    listTrialPeople: async ({ tx, caller, params, query }) => {
      await workflows.requireWorkflowRow(tx, caller.accountId, params.id);
      return listPreviewSubscribers(tx, caller.accountId, query.search);
    },
    tryWorkflow: ({ db, caller, params, body }) =>
      runTrial(db, caller.accountId, params.id, body, options),
    forecastWorkflow: ({ db, caller, params }) =>
      forecastWorkflow(db, caller.accountId, params.id, options),
  }) satisfies Partial<OwnHandlers>;
