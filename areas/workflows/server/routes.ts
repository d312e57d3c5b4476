// Calls of workflows, each defined as one line.
import {
  composingRoutes,
  listPreviewPeople,
  type SendingOptions,
} from '#areas/content/server/index.ts';
import { itemRoutes } from '#areas/folders/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import { type Handlers, type Route, serve } from '#platform/server/http/serve.ts';
import { ownCalls } from '../contract.ts';
import { stepEmails } from './editing/email.ts';
import { applyDelay, removalEffects, settleLate } from './editing/editing.ts';
import { workflowDays } from './insight/days.ts';
import { forecast } from './insight/forecast.ts';
import { copyBranch } from './editing/branches.ts';
import { readGuard, saveGuard } from './runs/sending-limits.ts';
import { createFromRecipe } from './recipes/create-from-recipe.ts';
import { fullReport, reportsOf } from './insight/report.ts';
import { listWithPlaces, workflowItems } from './listed.ts';
import { listRuns } from './runs.ts';
import { listStepActions, listStepLinks } from './insight/step-report.ts';
import * as steps from './editing/steps.ts';
import { presentSplits } from './splits/evaluate.ts';
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
    ...itemRoutes(workflowItems),
  ];
}

type OwnHandlers = Handlers<typeof ownCalls>;

const ofWorkflows = {
  listWorkflows: ({ tx, who, query }) => listWithPlaces(tx, who.accountId, query),
  createWorkflow: ({ tx, who, body }) => workflows.createWorkflow(tx, who, body.title),
  createFromRecipe: ({ tx, who, params, body }) =>
    createFromRecipe(tx, who, params.recipe, body.title),
  readWorkflow: ({ tx, who, params }) => workflows.readWhole(tx, who.accountId, params.id),
  updateWorkflow: ({ tx, who, params, body }) =>
    workflows.updateWorkflow(tx, who.accountId, params.id, body),
  deleteWorkflow: ({ tx, who, params }) => workflows.deleteWorkflow(tx, who.accountId, params.id),
  duplicateWorkflow: ({ tx, who, params, body }) =>
    workflows.duplicateWorkflow(tx, who, params.id, body.title),
  deactivateWorkflow: ({ tx, who, params }) => workflows.deactivate(tx, who.accountId, params.id),
  startWorkflow: ({ tx, who, params, body }) =>
    workflows.startFor(tx, who.accountId, params.id, body.email),
  averageReport: async ({ tx, who, params }) => {
    await workflows.workflowRow(tx, who.accountId, params.id);
    return (await reportsOf(tx, who.accountId, [params.id]))(params.id);
  },
  listRuns: ({ tx, who, params, query }) => listRuns(tx, who.accountId, params.id, query),
  listVersions: async ({ tx, who, params }) => {
    await workflows.workflowRow(tx, who.accountId, params.id);
    return presentVersions(tx, who.accountId, params.id);
  },
} satisfies Partial<OwnHandlers>;

const ofSteps = {
  listSteps: ({ tx, who, params }) => steps.listSteps(tx, who.accountId, params.id),
  setTrigger: async ({ tx, who, params, body }) => {
    await steps.setTrigger(tx, who, params.id, body.trigger_definition);
    return steps.listSteps(tx, who.accountId, params.id);
  },
  addStep: async ({ tx, who, params, body }) => {
    const id = await steps.addStep(tx, who, params.id, body);
    const all = await steps.listSteps(tx, who.accountId, params.id);
    return { id: encodeId('step', id), steps: all };
  },
  moveStep: async ({ tx, who, params, body }) => {
    await steps.moveStep(tx, who, params.id, params.stepId, body);
    return steps.listSteps(tx, who.accountId, params.id);
  },
  removeStep: async ({ tx, who, params, body }) => {
    await steps.removeStep(tx, who, params.id, params.stepId, body);
    return steps.listSteps(tx, who.accountId, params.id);
  },
  duplicateStep: async ({ tx, who, params }) => {
    const id = await steps.duplicateStep(tx, who, params.id, params.stepId);
    const all = await steps.listSteps(tx, who.accountId, params.id);
    return { id: encodeId('step', id), steps: all };
  },
  copyBranch: async ({ tx, who, params, body }) => {
    const id = await copyBranch(tx, who, params.id, params.stepId, body);
    const all = await steps.listSteps(tx, who.accountId, params.id);
    return { id: encodeId('step', id), steps: all };
  },
  saveStepData: async ({ tx, who, params, body }) => {
    await steps.saveStepData(tx, who, params.id, params.stepId, body.data);
    return steps.listSteps(tx, who.accountId, params.id);
  },
} satisfies Partial<OwnHandlers>;

const ofStepReport = {
  listStepActions: ({ tx, who, params, query }) =>
    listStepActions(tx, who.accountId, params, query),
  listStepLinks: ({ tx, who, params }) => listStepLinks(tx, who.accountId, params),
} satisfies Partial<OwnHandlers>;

const ofGuard = {
  readContactGuard: ({ tx, who }) => readGuard(tx, who.accountId),
  saveContactGuard: ({ tx, who, body }) => saveGuard(tx, who.accountId, body),
} satisfies Partial<OwnHandlers>;

const ofInsight = (options: SendingOptions) =>
  ({
    activateWorkflow: async ({ tx, who, params }) => {
      await workflows.requireSendable(tx, who.accountId, params.id, options);
      return workflows.activate(tx, who.accountId, params.id);
    },
    workflowDays: async ({ tx, who, params, query }) =>
      await workflowDays(tx, await workflows.workflowRow(tx, who.accountId, params.id), query),
    workflowReport: async ({ tx, who, params }) =>
      await fullReport(tx, await workflows.workflowRow(tx, who.accountId, params.id)),
    listSplits: async ({ tx, who, params }) => {
      await workflows.workflowRow(tx, who.accountId, params.id);
      return presentSplits(tx, who.accountId, params.id);
    },
    readVersion: async ({ tx, who, params }) => {
      await workflows.workflowRow(tx, who.accountId, params.id);
      return readVersion(tx, who.accountId, params.id, params.number);
    },
    restoreVersion: async ({ tx, who, params, body }) => {
      await restoreVersion(tx, who, params.id, params.number, body.with_words);
      return steps.listSteps(tx, who.accountId, params.id);
    },
    removalEffects: async ({ tx, who, params, query }) => {
      await workflows.workflowRow(tx, who.accountId, params.id);
      const below = query.delete_all_below === 'true' || query.delete_all_below === '1';
      const how = { below, path: query.condition_path };
      const { id, stepId } = params;
      return removalEffects(tx, who.accountId, id, stepId, how);
    },
    applyDelay: async ({ tx, who, params }) => ({
      people: await applyDelay(tx, who.accountId, params.id, params.stepId),
    }),
    decideLate: async ({ tx, who, params, body }) => ({
      people: await settleLate(tx, who.accountId, params.id, body.decision),
    }),
    listTrialPeople: async ({ tx, who, params, query }) => {
      await workflows.workflowRow(tx, who.accountId, params.id);
      return listPreviewPeople(tx, who.accountId, query.search);
    },
    tryWorkflow: ({ db, who, params, body }) =>
      tryWorkflow(db, who.accountId, params.id, body, options),
    forecastWorkflow: ({ db, who, params }) => forecast(db, who.accountId, params.id, options),
  }) satisfies Partial<OwnHandlers>;
