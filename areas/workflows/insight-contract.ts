// Before and after a workflow runs: trial of one person, forecast, report of each step, versions, edits with people
// inside, and what is too late.
import { z } from 'zod';
import { Earned } from '#areas/stores/earned-contract.ts';
import { dataAnswer, defineCalls, Id, Instant, idOf, line, Moment } from '#platform/contract.ts';
import { ACTIVITIES, STEP_TYPES } from './limits.ts';
import { Step } from './steps-contract.ts';
import { Report } from './workflows-contract.ts';

const People = z.number().int();
const Left = z.object({
  /** sent, passed, TRUE, FALSE, a path, or the reason why something was skipped or ended there. */
  outcome: z.string(),
  people: People,
});

/** Of one step, all passes together. */
export const StepReport = z.object({
  step_id: Id,
  type: z.enum(STEP_TYPES),
  /** It was removed; its figures stay. */
  is_removed: z.boolean(),
  /** Who came, who stands there now, and what became of the others. */
  entered: People,
  here: People,
  left: z.array(Left),
  /** Of EMAIL and SMS steps. */
  figures: Report.nullable(),
  /** Of EMAIL and SMS steps: what people bought after its messages; null where no store is connected. */
  earned: z.array(Earned).nullable(),
});

/** People who reached the goal, of those who went through and of those held out; rates are percent. */
const GoalReport = z.object({
  reached: People,
  of: People,
  rate: z.number(),
  held_out_reached: People,
  held_out: People,
  held_out_rate: z.number(),
  /** Percentage points that the workflow makes; null while nobody is held out. */
  difference: z.number().nullable(),
});

export const FullReport = z.object({
  entered: People,
  inside: People,
  ended: z.array(Left),
  /** Waiting for their owner's word because a message is more than a day late. */
  late: People,
  goal: GoalReport.nullable(),
  figures: Report,
  /** What people bought after its emails and texts, by currency; null where no store is connected. */
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
  /** Why the person would not enter: filter, held_out; null: they would. */
  kept_out: z.string().nullable(),
  steps: z.array(
    z.object({
      step_id: Id,
      type: z.enum(STEP_TYPES),
      /** When they came to it and when they left it; null where they still stand in it. */
      came_at: Instant,
      left_at: Instant.nullable(),
      /** The reason or the path taken; where they stand: why. */
      note: z.string(),
      /** The email as they would get it. */
      email: z
        .object({ subject: z.string(), html: z.string().nullable(), text: z.string() })
        .nullable(),
    }),
  ),
  /** Of OUTCOMES; null: they still stand in the last step. */
  outcome: z.string().nullable(),
});
export type WorkflowTrial = z.infer<typeof Trial>;

const Forecast = z.object({
  /** False: nothing kept tells who would have entered. */
  is_known: z.boolean(),
  /** True: others may have come and gone meanwhile, which nothing tells. */
  is_least: z.boolean(),
  days: z.number(),
  entered: People,
  /** So many of them were followed; the counts are carried over to all. */
  followed: People,
  /** Where they would stand now, what would have become of the others. */
  here: z.array(z.object({ step_id: Id, people: People })),
  ended: z.array(Left),
  /** Messages that would have been sent. */
  messages: z.array(z.object({ step_id: Id, people: People })),
});
export type WorkflowForecast = z.infer<typeof Forecast>;

const BASE = '/client-api/api/workflows/{id}';
const params = z.object({ id: idOf('workflow') });
const ofVersion = z.object({
  id: idOf('workflow'),
  number: z.coerce.number().int().min(1).max(1_000_000_000),
});
const ofStep = z.object({ id: idOf('workflow'), stepId: idOf('step') });
const moved = dataAnswer(z.object({ people: People }));

export const insightCalls = defineCalls({
  workflowReport: {
    method: 'GET',
    path: `${BASE}/report`,
    who: 'account',
    summary: 'Get the report of a workflow',
    description: 'Totals, goal conversions, and figures per step.',
    params,
    answer: dataAnswer(FullReport),
  },
  readVersion: {
    method: 'GET',
    path: `${BASE}/versions/{number}`,
    who: 'account',
    summary: 'Get a version of a workflow',
    description: 'Includes what restoring it would change.',
    params: ofVersion,
    answer: dataAnswer(
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
    who: 'account',
    summary: 'Restore a version of a workflow',
    description: 'Creates a new version.',
    params: ofVersion,
    /** False: emails say what they say now. */
    body: z.strictObject({ with_words: z.boolean().default(true) }),
    answer: dataAnswer(z.array(Step)),
    errors: { workflow_active: 409 },
  },
  removalEffects: {
    method: 'GET',
    path: `${BASE}/steps/{stepId}/removal`,
    who: 'account',
    summary: 'Preview the removal of a step',
    description: 'Which subscribers would continue, where, and which would exit.',
    params: ofStep,
    query: z.strictObject({
      delete_all_below: z.enum(['true', 'false', '1', '0']).optional(),
      condition_path: z
        .string()
        .regex(/^[A-Z]{1,10}$/)
        .default('TRUE'),
    }),
    answer: dataAnswer(
      z.object({
        /** Steps that go. */
        steps: z.array(Id),
        goes_on: z.object({ people: People, step_id: Id.nullable() }),
        ends: People,
      }),
    ),
    errors: { step_misplaced: 422 },
  },
  applyDelay: {
    method: 'POST',
    path: `${BASE}/steps/{stepId}/apply_delay`,
    who: 'account',
    summary: 'Start a delay again for waiting subscribers',
    description: 'Counts from the time each of them entered the step.',
    params: ofStep,
    answer: moved,
  },
  decideLate: {
    method: 'POST',
    path: `${BASE}/late`,
    who: 'account',
    summary: 'Set how overdue messages are handled',
    description: 'For messages more than a day late.',
    params,
    body: z.strictObject({ decision: z.enum(['send', 'skip', 'end']) }),
    answer: moved,
  },
  listTrialPeople: {
    method: 'GET',
    path: `${BASE}/trial_people`,
    who: 'account',
    summary: 'List subscribers to test a workflow with',
    description: 'The newest, or those whose address has the given prefix.',
    params,
    query: z.strictObject({ search: z.string().max(255).optional() }),
    answer: dataAnswer(z.array(z.object({ id: Id, email: z.string(), name: z.string() }))),
  },
  tryWorkflow: {
    method: 'POST',
    path: `${BASE}/dry_run`,
    who: 'account',
    summary: 'Test a workflow with a subscriber',
    description:
      'Simulates every step with its reason on a moved clock; nothing is sent or stored.',
    params,
    body: z.strictObject({
      /** A subscriber, or a made-up person. */
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
      /** When they enter; now, where nothing is said. */
      at: Moment.optional(),
      /** What they do with messages; with the others nothing. */
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
    answer: dataAnswer(Trial),
    errors: { email_taken: 409, phone_taken: 409 },
    transaction: 'own',
  },
  forecastWorkflow: {
    method: 'GET',
    path: `${BASE}/forecast`,
    who: 'account',
    summary: 'Preview entries of the last 30 days',
    description: 'How many subscribers would have entered, and where they would be.',
    params,
    answer: dataAnswer(Forecast),
    transaction: 'own',
  },
});
