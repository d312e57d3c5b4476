// Calls for workflows: list, create, update, activate and delete them, their versions, runs and
// statistics, and the contact guard.
import { z } from 'zod';
import {
  dataResponse,
  defineCalls,
  SuccessResponse,
  Id,
  idOf,
  Instant,
  line,
  listResponse,
  listQuery,
} from '#platform/contract.ts';
import { ItemPlacement, placeQuery } from '../folders/items-contract.ts';
import { PER_PAGE, REENTRIES, STATUSES, MAX_TITLE_LENGTH } from './shared.ts';
import { RECIPE_IDS } from './recipes.ts';
import { Conditions, WorkflowStep } from './steps-contract.ts';

export const Settings = z.strictObject({
  reentry: z.enum(REENTRIES).default('ended'),
  /** Used with `reentry` `days`: minimum number of days since the last entry. */
  reentry_days: z.number().int().min(1).max(3650).default(30),
  /** Only subscribers who match these conditions may enter. */
  entry_conditions: Conditions.default([]),
  /**
   * Percentage of subscribers in the holdout group, the baseline for the uplift; membership is
   * stable per subscriber.
   */
  holdout: z.number().int().min(0).max(50).default(0),
  /**
   * Ends runs of subscribers who no longer match `entry_conditions`, checked before each
   * message.
   */
  exits_by_filter: z.boolean().default(false),
  /** Ends runs of subscribers who unsubscribed from emails, checked before each message. */
  exits_unsubscribed: z.boolean().default(false),
  /**
   * Goal of the workflow. It counts if it is reached within `days` after entering; with `ends` it
   * also ends the run.
   */
  goal: z
    .strictObject({
      conditions: Conditions.min(1),
      days: z.number().int().min(1).max(365).default(30),
      ends: z.boolean().default(true),
    })
    .nullable()
    .default(null),
});

/**
 * Statistics of all emails of a workflow, or of the messages of one EMAIL or SMS step. Rates are
 * percentages of the sent messages, rounded to two decimals.
 */
export const Report = z.object({
  sent: z.number(),
  opened: z.number(),
  clicked: z.number(),
  unsubscribed: z.number(),
  bounced: z.number(),
  open_rate: z.number(),
  click_rate: z.number(),
  unsubscribe_rate: z.number(),
  bounce_rate: z.number(),
});
export type WorkflowReport = z.infer<typeof Report>;

export const Workflow = z.object({
  id: Id,
  title: z.string(),
  status: z.enum(STATUSES),
  settings: Settings,
  /** Version of the tree, increased by each change. */
  version: z.number(),
  /** Codes of reasons that prevent activation, each with the step that it concerns, if any. */
  missing: z.array(z.object({ code: z.string(), step_id: Id.nullable() })),
  /** Numbers of subscribers who ever entered, are inside, and have ended. */
  people: z.object({ entered: z.number(), inside: z.number(), ended: z.number() }),
  figures: Report,
  created: Instant,
  modified: Instant,
});
export type Workflow = z.infer<typeof Workflow>;

export const ListedWorkflow = Workflow.extend({ place: ItemPlacement });
export type ListedWorkflow = z.infer<typeof ListedWorkflow>;

export const Run = z.object({
  subscriber_id: Id,
  email: z.string().nullable(),
  /** Sequence number of the pass, from 1. */
  pass: z.number(),
  /** Current step, or the step where the run ended. */
  step_id: Id,
  entered_at: Instant,
  /**
   * Time when the run is due again; null after the end, and while the owner must decide (`late`).
   */
  wake_at: Instant.nullable(),
  /** Reason code why a due subscriber is held; null while the step itself waits. */
  held_for: z.string().nullable(),
  ended_at: Instant.nullable(),
  /** One of OUTCOMES; null while the subscriber is inside. */
  outcome: z.string().nullable(),
  /** Time when the goal was reached. */
  goal_at: Instant.nullable(),
  /**
   * Steps that the run left, with the instant. `note` is the path taken, `sent` or a reason; '' if
   * the run simply continued.
   */
  trail: z.array(z.object({ step_id: Id, at: Instant, note: z.string() })),
});
export type WorkflowRun = z.infer<typeof Run>;

const WallTime = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/);

/**
 * Contact guard and quiet hours for marketing messages that workflows send; transactional messages
 * are exempt. Messages are delayed. A delayed message is skipped only if `valid_hours` of its step
 * have passed.
 */
export const ContactGuard = z
  .strictObject({
    /**
     * Maximum number of marketing messages (emails and SMS together) per subscriber within `days`;
     * null means unlimited.
     */
    messages: z.number().int().min(1).max(100).nullable(),
    days: z.number().int().min(1).max(90).default(7),
    /**
     * Start and end of the quiet hours, in the time zone of the subscriber, or of the account if
     * unknown. Both or neither must be set.
     */
    quiet_from: WallTime.nullable(),
    quiet_until: WallTime.nullable(),
  })
  .refine((guard) => (guard.quiet_from === null) === (guard.quiet_until === null), {
    path: ['quiet_until'],
    error: 'errors.fields.choice',
  });

const BASE = '/client-api/api/workflows';
const params = z.object({ id: idOf('workflow') });
const workflowResponse = dataResponse(Workflow);

export const guardCalls = defineCalls({
  readContactGuard: {
    method: 'GET',
    path: '/client-api/api/contact_guard',
    caller: 'account',
    summary: 'Get the frequency cap and quiet hours',
    response: dataResponse(ContactGuard),
  },
  saveContactGuard: {
    method: 'PUT',
    path: '/client-api/api/contact_guard',
    caller: 'account',
    requiredRight: 'settings',
    audit: ['messages', 'days', 'quiet_from', 'quiet_until'],
    summary: 'Set the frequency cap and quiet hours',
    description: 'The settings apply to all workflows of the account.',
    body: ContactGuard,
    response: dataResponse(ContactGuard),
  },
});

export const workflowCalls = defineCalls({
  listWorkflows: {
    method: 'GET',
    path: BASE,
    caller: 'account',
    summary: 'List workflows with statistics',
    query: listQuery(
      { sorts: ['modified', 'created', 'title'], perPage: PER_PAGE },
      { status: z.enum(STATUSES).optional(), ...placeQuery },
    ),
    response: listResponse(ListedWorkflow),
  },
  createWorkflow: {
    method: 'POST',
    path: BASE,
    caller: 'account',
    summary: 'Create a workflow draft',
    body: z.strictObject({ title: line(MAX_TITLE_LENGTH, 1) }),
    response: workflowResponse,
    errors: { too_many_workflows: 422 },
  },
  createFromRecipe: {
    method: 'POST',
    path: '/client-api/api/workflow_recipes/{recipe}',
    caller: 'account',
    summary: 'Create a workflow from a recipe',
    description: "The trigger, steps and emails are in the account's language.",
    params: z.object({ recipe: z.enum(RECIPE_IDS as [string, ...string[]]) }),
    body: z.strictObject({ title: line(MAX_TITLE_LENGTH, 1) }),
    response: workflowResponse,
    errors: { too_many_workflows: 422, too_many_segments: 422 },
    acceptsIdempotencyKey: true,
  },
  readWorkflow: {
    method: 'GET',
    path: `${BASE}/{id}`,
    caller: 'account',
    summary: 'Get a workflow',
    params,
    response: dataResponse(Workflow.extend({ steps: z.array(WorkflowStep) })),
  },
  updateWorkflow: {
    method: 'PATCH',
    path: `${BASE}/{id}`,
    caller: 'account',
    summary: "Update a workflow's title or settings",
    params,
    body: z.strictObject({
      title: line(MAX_TITLE_LENGTH, 1).optional(),
      settings: Settings.optional(),
    }),
    response: workflowResponse,
  },
  deleteWorkflow: {
    method: 'DELETE',
    path: `${BASE}/{id}`,
    caller: 'account',
    summary: 'Delete a workflow',
    description:
      'Subscribers inside receive no more messages. The statistics of the workflow are deleted.',
    params,
    response: SuccessResponse,
  },
  duplicateWorkflow: {
    method: 'POST',
    path: `${BASE}/{id}/duplicate`,
    caller: 'account',
    summary: 'Duplicate a workflow',
    description: 'Copies steps, content and settings, without subscribers.',
    params,
    body: z.strictObject({ title: line(MAX_TITLE_LENGTH, 1).optional() }),
    response: workflowResponse,
    errors: { too_many_workflows: 422 },
  },
  activateWorkflow: {
    method: 'PATCH',
    path: `${BASE}/{id}/activate`,
    caller: 'account',
    requiredRight: 'send',
    approval: { kind: 'workflow_activate', requesterRight: 'drafts' },
    summary: 'Activate a workflow',
    description: 'New events start it, and subscribers inside continue at their steps.',
    params,
    response: workflowResponse,
    errors: { workflow_not_ready: 422, document_too_slow: 422 },
  },
  deactivateWorkflow: {
    method: 'PATCH',
    path: `${BASE}/{id}/deactivate`,
    caller: 'account',
    requiredRight: 'send',
    summary: 'Deactivate a workflow',
    description: 'After the response, no subscriber moves to another step.',
    params,
    response: workflowResponse,
  },
  startWorkflow: {
    method: 'POST',
    path: `${BASE}/{id}/start`,
    caller: 'account',
    requiredRight: 'transactional',
    summary: 'Start a workflow for a subscriber',
    description:
      'The workflow must be active and have an API trigger, and the subscriber must exist.',
    params,
    body: z.strictObject({ email: line(255, 3) }),
    response: SuccessResponse,
    errors: { workflow_not_active: 409, subscriber_unknown: 422 },
  },
  averageReport: {
    method: 'GET',
    path: `${BASE}/{id}/average_report`,
    caller: 'account',
    summary: 'Get email statistics of a workflow',
    params,
    response: dataResponse(Report),
  },
  listRuns: {
    method: 'GET',
    path: `${BASE}/{id}/people`,
    caller: 'account',
    requiredRight: 'people',
    summary: 'List subscribers in a workflow',
    description:
      'Returns the runs of subscribers: the current step of those inside the workflow, and the outcome of those whose run has ended.',
    params,
    query: listQuery(
      { sorts: ['entered', 'ended'], perPage: 10, max: 100 },
      { state: z.enum(['inside', 'ended']).optional(), subscriber: idOf('subscriber').optional() },
    ),
    response: listResponse(Run),
  },
  listVersions: {
    method: 'GET',
    path: `${BASE}/{id}/versions`,
    caller: 'account',
    summary: 'List versions of a workflow',
    description: 'Returns the newest first.',
    params,
    response: dataResponse(
      z.array(
        z.object({
          number: z.number(),
          created: Instant,
          /**
           * Name of the user who made the change, or their address; null for a former member, and for
           * the winner of a split.
           */
          author: z.string().nullable(),
          steps: z.number(),
        }),
      ),
    ),
  },
});
