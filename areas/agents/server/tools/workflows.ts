// Tools about workflows: drafts, trial runs and forecasts. No tool activates a workflow.
import { z } from 'zod';
import { RECIPE_IDS } from '#areas/workflows/recipes.ts';
import { TRIGGERS, UNITS } from '#areas/workflows/shared.ts';
import { invalid } from '#platform/server/errors.ts';
import { cleanValue } from '../untrusted.ts';
import { createDocument } from './blocks.ts';
import * as input from './schemas.ts';
import {
  type ToolCalls,
  defineTool,
  pickProperties,
  type ToolRow,
  toRows,
  type Tool,
} from './tool.ts';

const workflow_id = input.id('workflow');
const MAX_STEPS = 20;

const presentWorkflow = (row: ToolRow): ToolRow =>
  pickProperties(
    row,
    'id',
    'title',
    'status',
    'version',
    'missing',
    'people',
    'figures',
    'modified',
  );

const listWorkflows = defineTool({
  name: 'list_workflows',
  title: 'List workflows',
  description: 'Workflows, each with the number of people in it and its statistics.',
  input: z.strictObject({
    status: z.enum(['ACTIVE', 'DRAFT']).optional(),
    search: input.search,
    cursor: input.cursor,
  }),
  kind: 'read',
  calls: ['GET /workflows'],
  async run({ status, search, cursor }, { list }) {
    const page = await list('GET /workflows', { query: { status, search } }, cursor);
    return { ...page, rows: page.rows.map(presentWorkflow) };
  },
});

const Step = z.strictObject({
  type: z.enum(['email', 'delay', 'add_to_group', 'end']),
  subject: z.string().max(255).optional().describe('email'),
  blocks: input.blocks.optional().describe('email: its content'),
  amount: z.number().int().min(1).max(365).optional().describe('delay'),
  unit: z.enum(UNITS).optional().describe('delay'),
  group_id: input.id('group').optional().describe('add_to_group'),
});

type StepInput = z.output<typeof Step>;

/** Returns the type and settings of a step in the format of the workflow calls. */
function createStepInput({ type, subject, amount = 1, unit = 'DAYS', group_id }: StepInput) {
  switch (type) {
    case 'email':
      return { type: 'EMAIL', data: { subject: subject ?? '' } };
    case 'delay':
      return { type: 'delay', data: { delay_type: unit, amount } };
    case 'add_to_group':
      return { type: 'ACTION', data: { action: 'COPY', group: group_id ?? '' } };
    case 'end':
      return { type: 'ACTION', data: { action: 'END' } };
  }
}

/** Adds the steps, each below the previous one. */
async function addSteps(
  { call }: ToolCalls,
  id: string,
  root: string,
  steps: readonly StepInput[],
): Promise<void> {
  let parent_id = root;
  for (const step of steps) {
    const { type, data } = createStepInput(step);
    const addedStep = await call('POST /workflows/{id}/steps', {
      params: { id },
      body: { parent_id, type },
    });
    parent_id = String(addedStep.id);
    const params = { id, stepId: parent_id };
    const tree = await call('PATCH /workflows/{id}/steps/{stepId}/data', {
      params,
      body: { data },
    });
    const newStep = toRows(tree).find((row) => row.id === parent_id);
    if (step.blocks)
      await call('PUT /workflow_steps/{id}/content', {
        params: { id: parent_id },
        body: {
          ...{ editor: 'editor', document: createDocument(step.blocks) },
          revision: newStep?.revision,
        },
      });
  }
}

const draftWorkflow = defineTool({
  name: 'draft_workflow',
  title: 'Draft a workflow',
  description:
    'Creates a workflow from a recipe, or from a trigger and steps one after the other. It is not active (propose_activation).',
  input: z.strictObject({
    title: z.string().min(1).max(255),
    recipe: z.enum(RECIPE_IDS as [string, ...string[]]).optional(),
    trigger: z.enum(TRIGGERS).optional(),
    trigger_group_id: input.id('group of LIST_ADD and LIST_REMOVE').optional(),
    trigger_segment_id: input.id('segment of SEGMENT_ENTER').optional(),
    trigger_form_id: input.id('form of FORM_SUBMIT; without it any form').optional(),
    steps: z.array(Step).max(MAX_STEPS).default([]),
    idempotency_key: input.idempotencyKey,
  }),
  kind: 'drafts',
  calls: [
    'POST /workflow_recipes/{recipe}',
    'POST /workflows',
    'GET /workflows/{id}',
    'POST /workflows/{id}/trigger',
    'POST /workflows/{id}/steps',
    'PATCH /workflows/{id}/steps/{stepId}/data',
    'PUT /workflow_steps/{id}/content',
  ],
  async run({ title, recipe, trigger, steps, ...of }, calls) {
    const { call } = calls;
    if (recipe) {
      const params = { recipe };
      return presentWorkflow(
        await call('POST /workflow_recipes/{recipe}', { params, body: { title } }),
      );
    }
    if (!trigger) throw invalid({ trigger: ['errors.fields.required'] });
    const id = String((await call('POST /workflows', { body: { title } })).id);
    const params = { id };
    const workflow = await call('GET /workflows/{id}', { params });
    // If this call is a repeated one, its workflow already exists and has its steps.
    if (toRows(workflow.steps).length <= 1) {
      const trigger_definition = {
        triggerType: trigger,
        ...(of.trigger_group_id && { listId: of.trigger_group_id }),
        ...(of.trigger_segment_id && { segment: of.trigger_segment_id }),
        ...(of.trigger_form_id && { form: of.trigger_form_id }),
      };
      const body = { trigger_definition };
      const tree = toRows(await call('POST /workflows/{id}/trigger', { params, body }));
      const root = tree.find(({ parent_id }) => parent_id === null);
      await addSteps(calls, id, String(root?.id), steps);
    }
    return presentWorkflow(await call('GET /workflows/{id}', { params }));
  },
});

const dryRun = defineTool({
  name: 'dry_run_workflow',
  title: 'Dry-run a workflow',
  description:
    'Simulates every step for one subscriber, or for a sample subscriber, without waiting for delays. Nothing is sent.',
  input: z.strictObject({ workflow_id, person_id: input.id('subscriber').optional() }),
  kind: 'read',
  calls: ['POST /workflows/{id}/dry_run'],
  async run({ workflow_id: id, person_id }, { call, spend }) {
    await spend('people', 1);
    const body = person_id
      ? { subscriber: person_id }
      : { person: { email: 'sample@example.com', firstname: 'Sample' } };
    const trial = await call('POST /workflows/{id}/dry_run', { params: { id }, body });
    return {
      ...pickProperties(trial, 'kept_out', 'outcome'),
      steps: toRows(trial.steps).map(({ email, ...step }) => ({
        ...step,
        untrusted: email === null ? null : cleanValue(pickProperties(email, 'subject', 'text')),
      })),
    };
  },
});

const forecast = defineTool({
  name: 'forecast_workflow',
  title: 'Forecast a workflow',
  description:
    'How many subscribers would have entered during the last 30 days, and where they would be now.',
  input: z.strictObject({ workflow_id }),
  kind: 'read',
  calls: ['GET /workflows/{id}/forecast'],
  run: ({ workflow_id: id }, { call }) => call('GET /workflows/{id}/forecast', { params: { id } }),
});

export const workflowTools: readonly Tool[] = [listWorkflows, draftWorkflow, dryRun, forecast];
