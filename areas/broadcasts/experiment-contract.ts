// Experiments of a broadcast: some of the recipients get the variants, and the rest get the winner.
// Each kind of broadcast offers these calls under its own paths.
import { z } from 'zod';
import {
  dataResponse,
  defineCalls,
  SuccessResponse,
  Id,
  Instant,
  itemRoutes,
} from '#platform/contract.ts';
import type { Kind } from '#platform/ids.ts';
import {
  DEFAULT_HOLDOUT_DAYS,
  EXPERIMENT_STATES,
  FALLBACKS,
  MAX_DELAY_MINUTES,
  MAX_DURATION_HOURS,
  MAX_HOLDOUT_DAYS,
  MAX_HOLDOUT_SHARE,
  MAX_VARIANTS,
  METRICS,
  MIN_DURATION_HOURS,
  MIN_VARIANTS,
  OUTCOMES,
} from './shared.ts';
import { MESSAGE_STATES } from '../delivery/shared.ts';

/** Counts of one variant; opens and clicks by machines do not count. */
const VariantFigures = z.object({
  /** Recipients so far. */
  people: z.number(),
  accepted: z.number(),
  /** Subscribers who opened, and subscribers who clicked. */
  opens: z.number(),
  clicks: z.number(),
  /** Subscribers with an attributed order; null without a store. */
  buyers: z.number().nullable(),
  /** In the currency of `revenue_currency`; null without a store. */
  revenue: z.number().nullable(),
  unsubscribes: z.number(),
  /**
   * Fraction of the `accepted` recipients who acted as the metric requires, and its 95 % interval;
   * null for revenue.
   */
  rate: z.object({ value: z.number(), low: z.number(), high: z.number() }).nullable(),
  state: z.enum(MESSAGE_STATES),
});

/**
 * A difference between two variants, as a fraction of the recipients or in currency per recipient.
 */
const Difference = z.object({
  leader: z.number(),
  runner_up: z.number(),
  leader_value: z.number(),
  runner_up_value: z.number(),
  difference: z.number(),
  low: z.number(),
  high: z.number(),
});

const Decision = z.object({
  /** Number of the winning variant; null without a clear winner. */
  winner: z.number().nullable(),
  /**
   * Number of the variant that the remaining recipients get; null if no recipients remained.
   */
  chosen: z.number().nullable(),
  outcome: z.enum(OUTCOMES),
  at: Instant,
  /** Name of the user who decided; null for an automatic decision. */
  by: z.string().nullable(),
  /** The result of the comparison at the decision. */
  verdict: Difference.nullable(),
});

/** Effect of the campaign: subscribers chosen to receive it, compared with the holdout group. */
const Effect = z.object({
  /** Orders are counted from the start until this instant. */
  until: Instant,
  is_final: z.boolean(),
  chosen: z.number(),
  held_out: z.number(),
  chosen_buyers: z.number(),
  held_out_buyers: z.number(),
  /** Differences in buyer rate and in revenue per subscriber; null before the first order. */
  buyers: z.object({ difference: z.number(), low: z.number(), high: z.number() }).nullable(),
  revenue: z.object({ difference: z.number(), low: z.number(), high: z.number() }).nullable(),
});

/** The experiment of a broadcast in lists. */
export const ExperimentSummary = z.object({
  state: z.enum(EXPERIMENT_STATES),
  reason: z.string().nullable(),
  variants: z.number(),
  /** Whether recipients are waiting for the decision. */
  has_rest_due: z.boolean(),
  winner: z.number().nullable(),
  /**
   * Subject of the variant for the remaining recipients; null for the control's subject and for
   * SMS.
   */
  subject: z.string().nullable(),
  decides_at: Instant.nullable(),
});
export type ExperimentSummary = z.infer<typeof ExperimentSummary>;

/** @param fields fields that a variant may change; null means the control's value */
export function experimentSchema<Fields extends z.ZodRawShape>(fields: Fields) {
  return z.object({
    id: Id,
    metric: z.enum(METRICS),
    duration_hours: z.number(),
    /** Percentage of recipients in the test, split equally among the variants. */
    test_share: z.number(),
    /** Percentage of recipients in the holdout group, who get nothing. */
    holdout_share: z.number(),
    /**
     * Number of days after the start for which the orders of the recipients are compared with the
     * orders of the holdout group.
     */
    holdout_days: z.number(),
    decision: z.enum(['automatic', 'manual']),
    /** Variant that the remaining recipients get if there is no clear winner. */
    fallback: z.enum(FALLBACKS),
    /**
     * `waiting`: the owner must choose. `failed`: decided, but the remaining recipients' message
     * could not start (`reason`); choosing a variant retries it.
     */
    state: z.enum(EXPERIMENT_STATES),
    reason: z.string().nullable(),
    /**
     * End of the test; null until each copy of the test was attempted once, and after the test.
     * While the campaign is paused, the decision waits even after this time.
     */
    decides_at: Instant.nullable(),
    variants: z.array(
      z.object({
        number: z.number(),
        /**
         * Id for the calls of the variant's content; null for the control, whose content is the
         * campaign's.
         */
        id: Id.nullable(),
        ...fields,
        /** Minutes after the start of the campaign. */
        delay_minutes: z.number().nullable(),
        /** Percent of the recipients. */
        share: z.number(),
        figures: VariantFigures.nullable(),
      }),
    ),
    /**
     * The remaining recipients; null if the variants and the holdout group take all. `people` is
     * null until these recipients are written.
     */
    rest: z
      .object({
        share: z.number(),
        people: z.number().nullable(),
        state: z.enum(MESSAGE_STATES).nullable(),
      })
      .nullable(),
    holdout: z.object({ people: z.number(), effect: Effect.nullable() }).nullable(),
    /**
     * Expected response rate, from the last campaigns. The screen uses it to compute which
     * difference a test can show.
     */
    baseline: z.number(),
    revenue_currency: z.string().nullable(),
    decided: Decision.nullable(),
    /**
     * The difference measured over the full duration, even after an early decision; null before the
     * end of the duration.
     */
    final: Difference.nullable(),
  });
}

/** @param fields fields that a variant may change; absent or null means the control's value */
export function experimentInput<Fields extends z.ZodRawShape>(fields: Fields) {
  return z.strictObject({
    revision: z.number().int().positive().optional(),
    metric: z.enum(METRICS),
    duration_hours: z.number().int().min(MIN_DURATION_HOURS).max(MAX_DURATION_HOURS),
    test_share: z.number().int().min(1).max(100),
    holdout_share: z.number().int().min(0).max(MAX_HOLDOUT_SHARE).default(0),
    holdout_days: z.number().int().min(1).max(MAX_HOLDOUT_DAYS).default(DEFAULT_HOLDOUT_DAYS),
    decision: z.enum(['automatic', 'manual']).default('automatic'),
    fallback: z.enum(FALLBACKS).default('leader'),
    /** The first variant is the control, which changes nothing. */
    variants: z
      .array(
        z.strictObject({
          ...fields,
          delay_minutes: z.number().int().min(0).max(MAX_DELAY_MINUTES).nullable().optional(),
        }),
      )
      .min(MIN_VARIANTS)
      .max(MAX_VARIANTS),
  });
}

const notDraft = { campaign_not_draft: 409 };

/**
 * @param base base path of the calls of a kind of broadcast
 * @param kind kind of the ids in these paths
 * @param experiment response schema, made with `experimentSchema`
 * @param input body schema, made with `experimentInput`
 */
export function experimentCalls<
  const Base extends `/${string}`,
  Experiment extends z.ZodObject,
  Input extends z.ZodObject,
>(base: Base, kind: Kind, experiment: Experiment, input: Input) {
  const { itemPath, params } = itemRoutes(base, kind);
  const response = dataResponse(experiment);
  return defineCalls({
    readExperiment: {
      method: 'GET',
      path: itemPath('experiment'),
      caller: 'account',
      summary: 'Get the experiment of a campaign',
      params,
      response,
    },
    setExperiment: {
      method: 'PUT',
      path: itemPath('experiment'),
      caller: 'account',
      summary: 'Set the experiment of a draft',
      description:
        'Replaces the settings and variants. Shares are percentages of the recipients: the variants share `test_share` equally, and all others except the holdout group receive the winner.',
      params,
      body: input,
      response,
      errors: { ...notDraft, experiment_of_resend: 409, experiment_needs_store: 422 },
    },
    deleteExperiment: {
      method: 'DELETE',
      path: itemPath('experiment'),
      caller: 'account',
      summary: 'Delete the experiment of a draft',
      params,
      query: z.strictObject({ revision: z.coerce.number().int().positive().optional() }),
      response: SuccessResponse,
      errors: notDraft,
    },
    decideExperiment: {
      method: 'POST',
      path: itemPath('experiment/decide'),
      caller: 'account',
      requiredRight: 'send',
      audit: ['variant'],
      summary: 'Send a variant to the rest',
      description:
        'Ends the test at any time. If the message to the rest of the recipients could not start, the call starts it again. Repeating an equal request changes nothing.',
      params,
      body: z.strictObject({ variant: z.number().int().min(1).max(MAX_VARIANTS) }),
      response,
      errors: {
        experiment_not_running: 409,
        experiment_decided: 409,
        ...{ content_invalid: 422, document_too_slow: 422 },
        sender_not_verified: 422,
        not_enough_credit: 422,
      },
    },
  });
}
