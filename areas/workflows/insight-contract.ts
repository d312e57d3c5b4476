// Calls for evaluating a workflow before and after its activation: dry run for one person,
// forecast, report per step, versions, edits with people inside, and late messages.
import { z } from 'zod';
import { Earned } from '#areas/stores/earned-contract.ts';
import {
  dataResponse,
  Day,
  defineCalls,
  Id,
  idOf,
  Instant,
  line,
  InputInstant,
} from '#platform/contract.ts';
import { ACTIVITIES, STEP_TYPES } from './shared.ts';
import { WorkflowStep } from './steps-contract.ts';
import { Report } from './workflows-contract.ts';

const SubscriberCount = z.number().int();
const StepOutcome = z.object({
  /**
   * `sent`, `passed`, `TRUE`, `FALSE`, a path, or the reason why the run was skipped or ended at
   * this step.
   */
  outcome: z.string(),
  people: SubscriberCount,
});

/** Report on one step across all runs. */
export const StepReport = z.object({
  step_id: Id,
  type: z.enum(STEP_TYPES),
  /** A removed step keeps its statistics. */
  is_removed: z.boolean(),
  /** Numbers of people who entered the step, who are at it now, and who left it, by outcome. */
  entered: SubscriberCount,
  here: SubscriberCount,
  left: z.array(StepOutcome),
  /** Only for EMAIL and SMS steps. */
  figures: Report.nullable(),
  /**
   * Revenue attributed to the messages of an EMAIL or SMS step; null without messages, or if there
   * is no revenue and the account has no store.
   */
  earned: z.array(Earned).nullable(),
});

/**
 * Numbers of people who reached the goal: of those who entered the workflow, and of those in the
 * holdout group. Rates are percentages.
 */
const GoalReport = z.object({
  reached: SubscriberCount,
  of: SubscriberCount,
  rate: z.number(),
  held_out_reached: SubscriberCount,
  held_out: SubscriberCount,
  held_out_rate: z.number(),
  /** Difference of the goal rates in percentage points; null without a holdout group. */
  difference: z.number().nullable(),
});

export const FullReport = z.object({
  entered: SubscriberCount,
  inside: SubscriberCount,
  ended: z.array(StepOutcome),
  /** People who wait for the owner's decision because their message is more than a day late. */
  late: SubscriberCount,
  goal: GoalReport.nullable(),
  /** Email statistics; `steps` contains the SMS statistics. */
  figures: Report,
  /**
   * Number of people who were sent at least one message of the workflow; null if the workflow has
   * no revenue.
   */
  recipients: SubscriberCount.nullable(),
  /**
   * Revenue attributed to the workflow's emails and SMS, by currency; null if there is none and the
   * account has no store.
   */
  earned: z.array(Earned).nullable(),
  steps: z.array(StepReport),
});
export type WorkflowFullReport = z.infer<typeof FullReport>;

export const Change = z.object({
  step_id: Id,
  type: z.enum(STEP_TYPES),
  change: z.enum(['added', 'removed', 'moved', 'changed']),
});

const VersionStep = z.object({
  id: Id,
  type: z.enum(STEP_TYPES),
  parent_id: Id.nullable(),
  condition_path: z.string(),
  data: z.record(z.string(), z.unknown()),
});

export const Trial = z.object({
  /** Reason why the person would not enter (`filter`, `held_out`); null if they would enter. */
  kept_out: z.string().nullable(),
  steps: z.array(
    z.object({
      step_id: Id,
      type: z.enum(STEP_TYPES),
      /**
       * Times when the person entered and left the step; the second is null while they are at it.
       */
      came_at: Instant,
      left_at: Instant.nullable(),
      /** The path taken or the reason for it; for the current step, the reason for the wait. */
      note: z.string(),
      /** The email rendered for this person. */
      email: z
        .object({ subject: z.string(), html: z.string().nullable(), text: z.string() })
        .nullable(),
    }),
  ),
  /** One of OUTCOMES; null while the person is still at the last step. */
  outcome: z.string().nullable(),
});
export type WorkflowTrial = z.infer<typeof Trial>;

const Forecast = z.object({
  /** False if stored data does not show who would have entered. */
  is_known: z.boolean(),
  /**
   * True if the count is a lower bound, for instance because people who joined the group and left
   * it again are not recorded.
   */
  is_least: z.boolean(),
  days: z.number(),
  entered: SubscriberCount,
  /** Number of entrants in the simulated sample; all other counts are scaled up from it. */
  followed: SubscriberCount,
  /** Numbers of people who are at each step at the end, and of ended runs by outcome. */
  here: z.array(z.object({ step_id: Id, people: SubscriberCount })),
  ended: z.array(StepOutcome),
  /** Messages that the workflow would have sent, by step. */
  messages: z.array(z.object({ step_id: Id, people: SubscriberCount })),
});
export type WorkflowForecast = z.infer<typeof Forecast>;

/**
 * People and messages of one day. `sent` counts emails and SMS; opens and clicks are the first of
 * each person and email.
 */
const WorkflowDay = z.object({
  day: z.string(),
  entered: SubscriberCount,
  completed: SubscriberCount,
  sent: SubscriberCount,
  opened: SubscriberCount,
  clicked: SubscriberCount,
});
export type WorkflowDay = z.infer<typeof WorkflowDay>;

const BASE = '/client-api/api/workflows/{id}';
/** The state of a split that may get a winner, as of its last evaluation. */
const Split = z.object({
  step_id: Id,
  /**
   * Runs before this instant do not count, because until then the split had other shares, another
   * metric or other content.
   */
  counted_from: Instant,
  evaluated_at: Instant.nullable(),
  /** By path, the number of subscribers compared and the number who acted. */
  paths: z.array(z.object({ path: z.string(), people: SubscriberCount, acted: SubscriberCount })),
  /** The path that took over; null while none is clearly better. */
  winner: z.string().nullable(),
  decided_at: Instant.nullable(),
});
export type WorkflowSplit = z.infer<typeof Split>;

const params = z.object({ id: idOf('workflow') });
const ofVersion = z.object({
  id: idOf('workflow'),
  number: z.coerce.number().int().min(1).max(1_000_000_000),
});
const ofStep = z.object({ id: idOf('workflow'), stepId: idOf('step') });
const movedResponse = dataResponse(z.object({ people: SubscriberCount }));

/** Longest range of a report by day. */
const MAX_RANGE_DAYS = 731;
const DAY_MS = 86_400_000;

export const insightCalls = defineCalls({
  workflowDays: {
    method: 'GET',
    path: `${BASE}/days`,
    caller: 'account',
    summary: 'Get figures of a workflow by day',
    description: "Days are in the account's time zone, and `until` is the last day.",
    params,
    query: z.strictObject({ from: Day, until: Day }).refine(
      ({ from, until }) => {
        const days = (Date.parse(until) - Date.parse(from)) / DAY_MS;
        return days >= 0 && days < MAX_RANGE_DAYS;
      },
      { path: ['until'], error: 'errors.fields.choice' },
    ),
    response: dataResponse(z.array(WorkflowDay)),
  },
  workflowReport: {
    method: 'GET',
    path: `${BASE}/report`,
    caller: 'account',
    summary: 'Get the report of a workflow',
    description: 'Returns totals, goal conversions, and figures per step.',
    params,
    response: dataResponse(FullReport),
  },
  listSplits: {
    method: 'GET',
    path: `${BASE}/splits`,
    caller: 'account',
    summary: 'List splits that may get a winner',
    description:
      'Returns splits with `winner_by` that compare at least two paths or have a winner. A workflow that was never activated has none.',
    params,
    response: dataResponse(z.array(Split)),
  },
  readVersion: {
    method: 'GET',
    path: `${BASE}/versions/{number}`,
    caller: 'account',
    summary: 'Get a version of a workflow',
    description: 'Includes what restoring it would change.',
    params: ofVersion,
    response: dataResponse(
      z.object({
        number: z.number(),
        created: Instant,
        steps: z.array(VersionStep),
        changes: z.array(Change),
      }),
    ),
  },
  restoreVersion: {
    method: 'POST',
    path: `${BASE}/versions/{number}/restore`,
    caller: 'account',
    summary: 'Restore a version of a workflow',
    description:
      'Creates a new version. The trigger of an active workflow cannot be changed. Subscribers at a removed step continue at the next remaining step below it, or exit.',
    params: ofVersion,
    /** False leaves the current content of emails in place. */
    body: z.strictObject({ with_words: z.boolean().default(true) }),
    response: dataResponse(z.array(WorkflowStep)),
    errors: { workflow_active: 409 },
  },
  removalEffects: {
    method: 'GET',
    path: `${BASE}/steps/{stepId}/removal`,
    caller: 'account',
    summary: 'Preview the removal of a step',
    description:
      'Returns how many subscribers would continue, at which step, and how many would exit.',
    params: ofStep,
    query: z.strictObject({
      delete_all_below: z.enum(['true', 'false', '1', '0']).optional(),
      condition_path: z
        .string()
        .regex(/^[A-Z]{1,10}$/)
        .default('TRUE'),
    }),
    response: dataResponse(
      z.object({
        /** Steps that the edit removes. */
        steps: z.array(Id),
        goes_on: z.object({ people: SubscriberCount, step_id: Id.nullable() }),
        ends: SubscriberCount,
      }),
    ),
    errors: { step_misplaced: 422 },
  },
  applyDelay: {
    method: 'POST',
    path: `${BASE}/steps/{stepId}/apply_delay`,
    caller: 'account',
    requiredRight: 'send',
    summary: 'Update waiting subscribers to a changed delay',
    description:
      'Applies the current settings of the delay to the subscribers who already wait at it. The delay counts from the time at which each of them entered the step.',
    params: ofStep,
    response: movedResponse,
  },
  decideLate: {
    method: 'POST',
    path: `${BASE}/late`,
    caller: 'account',
    requiredRight: 'send',
    audit: ['decision'],
    summary: 'Set how overdue messages are handled',
    description: 'Applies to messages that are more than a day late.',
    params,
    body: z.strictObject({ decision: z.enum(['send', 'skip', 'end']) }),
    response: movedResponse,
  },
  listTrialPeople: {
    method: 'GET',
    path: `${BASE}/trial_people`,
    caller: 'account',
    requiredRight: 'people',
    summary: 'List subscribers to test a workflow with',
    description:
      'Returns at most eight subscribers: the newest, or those whose email address starts with the search.',
    params,
    query: z.strictObject({ search: z.string().max(255).optional() }),
    response: dataResponse(z.array(z.object({ id: Id, email: z.string(), name: z.string() }))),
  },
  tryWorkflow: {
    method: 'POST',
    path: `${BASE}/dry_run`,
    caller: 'account',
    requiredRight: 'people',
    audit: 'none',
    summary: 'Test a workflow with a subscriber',
    description:
      'Runs the steps with a simulated clock, and returns the reason for each path taken. Nothing is sent or stored.',
    params,
    body: z.strictObject({
      /** A subscriber of the account. Either `subscriber` or `person` must be set, but not both. */
      subscriber: idOf('subscriber').optional(),
      person: z
        .strictObject({
          email: line(255, 3),
          phone: line(40).optional(),
          firstname: line(100).optional(),
          lastname: line(100).optional(),
          groups: z.array(idOf('group')).max(50).default([]),
          fields: z
            .record(z.string().max(60), z.union([z.string().max(1000), z.number()]))
            .default({}),
        })
        .optional(),
      /** Time of entry; defaults to now. */
      at: InputInstant.optional(),
      /** Assumed engagement per message; messages not listed get none. */
      assumptions: z
        .array(
          z.strictObject({
            step_id: idOf('step'),
            activity: z.enum(ACTIVITIES),
            after_minutes: z.number().int().min(0).max(525_600).default(60),
          }),
        )
        .max(200)
        .default([]),
    }),
    response: dataResponse(Trial),
    errors: { email_taken: 409, phone_taken: 409 },
    transaction: 'own',
  },
  forecastWorkflow: {
    method: 'GET',
    path: `${BASE}/forecast`,
    caller: 'account',
    summary: 'Preview entries of the last 30 days',
    description: 'Returns how many subscribers would have entered, and where they would be.',
    params,
    response: dataResponse(Forecast),
    transaction: 'own',
  },
});
